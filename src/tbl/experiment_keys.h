/*
 * The keys of an experiment file outside `server:` and `benchmark:`, one row per key. Reader, defaults,
 * checks, the completed configuration and the reference page are made from them.
 *
 * KEY(type, key, member, default, min, max, help, …)
 *   type     STRING BOOL INT DURATION LIST_STRING JSON
 *   member   of struct exp_config; the rows of `profiling` go into its object
 *   default  as JSON; null: none
 *   min max  inclusive; durations as 1 * MS
 *   …        further members of struct option_row, by name; .texts: a mapping to texts;
 *            .expand: ${VAR} is expanded; .later: it is valid, but `run` refuses any value except
 *            the default; .instead: and suggests an alternative
 */
KEY(STRING, "suite", suite, null, -INF, INF,
    "series of experiments that this one belongs to",
    .nullable = true)
KEY(STRING, "name", name, null, -INF, INF,
    "name of this experiment",
    .nullable = true)
KEY(JSON, "tags", tags, {}, -INF, INF,
    "labels of your own, stored in the result",
    .texts = true)
KEY(LIST_STRING, "launch.command", launch.command, null, -INF, INF,
    "command that starts the server, without the model and the arguments in the key 'server'; unset: [vllm, serve]",
    .nullable = true, .aside = true)
KEY(STRING, "launch.url", launch.url, null, -INF, INF,
    "URL of a running server; nothing is started or stopped",
    .nullable = true, .aside = true)
KEY(STRING, "launch.hardware", launch.hardware, null, -INF, INF,
    "GPUs of a running server on another host, such as h100x8 (names: profllm validate --hardware list)",
    .nullable = true, .aside = true)
KEY(STRING, "launch.vllm_version", launch.vllm_version, null, -INF, INF,
    "vLLM release of the server, if it cannot be read",
    .nullable = true, .aside = true)
KEY(STRING, "launch.platform", launch.platform, "auto", -INF, INF,
    "platform of the server",
    .choices = ARG_JSON(["auto", "cuda", "rocm", "cpu", "xpu", "tpu", "hpu"]))
KEY(JSON, "launch.container", launch.container, null, -INF, INF,
    "container to start the server in: a mapping with runtime (docker or podman), image, args (options of RUNTIME run), command (words between image and model), pull (never, missing or always) and network (host, or one from which the port is published)",
    .nullable = true, .aside = true)
KEY(JSON, "launch.env", launch.env, {}, -INF, INF,
    "environment variables of the server; ${VAR} is expanded",
    .texts = true, .expand = true)
KEY(LIST_STRING, "launch.gpus", launch.gpus, "auto", -INF, INF,
    "auto, all, a list of GPUs, or [] for a server without any",
    .special_values = ARG_JSON(["auto", "all"]), .aside = true)
KEY(INT, "launch.port", launch.port, "auto", 1, 65535,
    "port of the server; auto selects a free one",
    .special_values = ARG_JSON(["auto"]), .aside = true)
KEY(STRING, "launch.host", launch.host, "127.0.0.1", -INF, INF,
    "address that the server binds",
    .aside = true)
KEY(DURATION, "launch.ready_timeout", launch.ready_timeout_ns, "600s", 1 * MS, 7 * DAY,
    "limit of the time from the start of the server to its first response",
    .aside = true)
KEY(DURATION, "launch.run_timeout", launch.run_timeout_ns, null, 1 * MS, 30 * DAY,
    "limit of the duration of the measured run",
    .nullable = true, .aside = true)
KEY(DURATION, "launch.stop_timeout", launch.stop_timeout_ns, "30s", 0, 1 * DAY,
    "time the server has to stop before it is killed",
    .aside = true)
KEY(LIST_STRING, "launch.extra_args", launch.extra_args, [], -INF, INF,
    "more arguments for the command line of the server, passed on unchecked")
KEY(DURATION, "telemetry.interval", telemetry.interval_ns, "100ms", 1 * MS, 1 * HOUR,
    "time between two samples of host and GPUs",
    .aside = true)
KEY(BOOL, "telemetry.gpu", telemetry.gpu, true, -INF, INF,
    "sample the GPUs",
    .aside = true)
KEY(BOOL, "telemetry.host", telemetry.host, true, -INF, INF,
    "sample CPU, memory, disk and network",
    .aside = true)
KEY(DURATION, "telemetry.server_metrics", telemetry.server_metrics_ns, "1s", 10 * MS, 1 * HOUR,
    "time between two readings of /metrics of the server; null: none",
    .nullable = true, .aside = true)
KEY(BOOL, "profiling.enabled", profiling, false, -INF, INF,
    "after the measured run, profile the server while it responds to a few more requests",
    .aside = true)
KEY(STRING, "profiling.profiler", profiling, "torch", -INF, INF,
    "torch: the profiler of torch; cuda: Nsight Systems (nsys), which starts the server",
    .choices = ARG_JSON(["torch", "cuda"]), .aside = true)
KEY(STRING, "profiling.dir", profiling, "traces", -INF, INF,
    "directory into which the server writes its traces; ${VAR} is expanded",
    .expand = true, .aside = true)
KEY(INT, "profiling.num_prompts", profiling, 4, 1, 1000000,
    "requests sent while the profiler runs",
    .aside = true)
KEY(DURATION, "profiling.flush_timeout", profiling, "120s", 0, 1 * DAY,
    "limit of the time until all traces are complete after the profiler was stopped",
    .aside = true)
KEY(BOOL, "output.requests", output.requests, true, -INF, INF,
    "write one record per request next to the result",
    .aside = true)
KEY(BOOL, "output.series", output.series, true, -INF, INF,
    "write the telemetry next to the result",
    .aside = true)
KEY(INT, "output.server_log_tail", output.server_log_tail, 200, 0, 100000,
    "number of last lines of the server log stored in a failed result",
    .aside = true)
