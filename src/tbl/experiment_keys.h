/*
 * The keys of an experiment file outside of `server:` and `benchmark:`. One row a key: reader,
 * defaults, checks, the completed configuration and the reference page are made from it.
 *
 * KEY(type, key, member, default, min, max, choices, state, help)
 *   type     TEXT PATH (${VAR} is expanded) BOOL INT DUR LIST (of texts) TEXTS (a mapping to texts)
 *            ENV (TEXTS with ${VAR} expanded) OBJECT, and GPUS, PORT with spellings of their own
 *   member   of struct exp_config; the rows of `profiling` go into its object
 *   default  as YAML text; "null": none, and null may be written
 *   state    NOW, or LATER: validates, and `run` refuses another value than the default
 */
KEY(TEXT,   "suite",                    suite,                    "null",        "",    "",     "", NOW,
    "the series of experiments this one belongs to")
KEY(TEXT,   "name",                     name,                     "null",        "",    "",     "", NOW,
    "what this experiment is called")
KEY(TEXTS,  "tags",                     tags,                     "{}",          "",    "",     "", NOW,
    "names and texts of your own, kept in the result")
KEY(LIST,   "launch.command",           launch.command,           "null",        "",    "",     "", NOW,
    "words that start the server, the model follows; unset: [vllm, serve]")
KEY(TEXT,   "launch.url",               launch.url,               "null",        "",    "",     "", NOW,
    "a server that already runs; nothing is started or stopped")
KEY(TEXT,   "launch.vllm_version",      launch.vllm_version,      "null",        "",    "",     "", NOW,
    "the server's release, where it cannot be read")
KEY(TEXT,   "launch.platform",          launch.platform,          "auto",        "",    "",     "auto|cuda|rocm|cpu|xpu|tpu|hpu", NOW,
    "what the server computes on")
KEY(OBJECT, "launch.container",         launch.container,         "null",        "",    "",     "", LATER,
    "runtime, image and args of a container to start the server in")
KEY(ENV,    "launch.env",               launch.env,               "{}",          "",    "",     "", NOW,
    "environment of the server; ${VAR} is expanded")
KEY(GPUS,   "launch.gpus",              launch.gpus,              "auto",        "",    "",     "", NOW,
    "auto, all, a list of GPUs, or [] for a server without any")
KEY(PORT,   "launch.port",              launch.port,              "auto",        "1",   "65535", "", NOW,
    "the server's port; auto takes a free one")
KEY(TEXT,   "launch.host",              launch.host,              "127.0.0.1",   "",    "",     "", NOW,
    "the address the server binds")
KEY(DUR,    "launch.ready_timeout",     launch.ready_timeout_ns,  "600s",        "1ms", "7d",   "", NOW,
    "from the start to the first answer")
KEY(DUR,    "launch.run_timeout",       launch.run_timeout_ns,    "null",        "1ms", "30d",  "", NOW,
    "the whole measured run")
KEY(DUR,    "launch.stop_timeout",      launch.stop_timeout_ns,   "30s",         "0s",  "1d",   "", NOW,
    "from the asking to the killing when the server is stopped")
KEY(LIST,   "launch.extra_args",        launch.extra_args,        "[]",          "",    "",     "", NOW,
    "further words for the server's command line, passed on unchecked")
KEY(DUR,    "telemetry.interval",       telemetry.interval_ns,    "100ms",       "1ms", "1h",   "", NOW,
    "between two samples of host and GPUs")
KEY(BOOL,   "telemetry.gpu",            telemetry.gpu,            "true",        "",    "",     "", NOW,
    "sample the GPUs")
KEY(BOOL,   "telemetry.host",           telemetry.host,           "true",        "",    "",     "", NOW,
    "sample CPU, memory, disk and network")
KEY(DUR,    "telemetry.server_metrics", telemetry.server_metrics_ns, "1s",       "10ms", "1h",  "", NOW,
    "between two readings of the server's /metrics; null: none")
KEY(BOOL,   "profiling.enabled",        profiling,                "false",       "",    "",     "", LATER,
    "profile the server beside the measured run")
KEY(TEXT,   "profiling.profiler",       profiling,                "torch",       "",    "",     "torch|cuda", NOW,
    "which profiler")
KEY(PATH,   "profiling.dir",            profiling,                "traces",      "",    "",     "", NOW,
    "folder of the traces; ${VAR} is expanded")
KEY(INT,    "profiling.num_prompts",    profiling,                "4",           "1",   "1000000", "", NOW,
    "requests sent while the profiler runs")
KEY(BOOL,   "output.requests",          output.requests,          "true",        "",    "",     "", NOW,
    "write one record a request beside the result")
KEY(BOOL,   "output.series",            output.series,            "true",        "",    "",     "", NOW,
    "write the telemetry beside the result")
KEY(INT,    "output.server_log_tail",   output.server_log_tail,   "200",         "0",   "100000", "", NOW,
    "last lines of the server's log kept in a failed result")
