/*
 * Flags of `profllm bench serve` in addition to the options of tbl/bench_args.h. They control the run and
 * its files, not the load, so they are not part of an experiment file; `profllm run` has its own options.
 *
 * BENCH_FLAG(name, arg, choices, help)
 *   arg      name of its value; NULL: none
 *   choices  its values, separated by bars; NULL: any
 * OFFLINE_FLAG(name, arg, choices, help)
 *   the same for `profllm bench latency`, `throughput`, `startup` and `mm-processor`, which have both
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef BENCH_FLAG
#define BENCH_FLAG(name, arg, choices, help)
#endif
#ifndef OFFLINE_FLAG
#define OFFLINE_FLAG(name, arg, choices, help)
#endif

BENCH_FLAG("output", "FILE", NULL,
	   "write the result to FILE, as profllm run does, and its artifacts to the same directory")
BENCH_FLAG("overwrite", NULL, NULL,
	   "replace an existing result at --output, if the new result is at least as complete")
BENCH_FLAG("file-mode", "MODE", NULL,
	   "set the permissions of written files, such as 0640 (default: 0600 for logs, the umask "
	   "for other files)")
BENCH_FLAG("hardware", "PROFILE", NULL,
	   "record these GPUs of a server on another host, such as h100x8 (profllm validate "
	   "--hardware list shows the names)")
BENCH_FLAG("dry-run", NULL, NULL, "show the options with defaults and the load, and send nothing")
BENCH_FLAG("json", NULL, NULL,
	   "print the result (or the dry run) to standard output as one JSON object")
BENCH_FLAG("quiet", NULL, NULL, "show no progress and no notes, only errors")
BENCH_FLAG("fail-on", "VERDICT", "degraded|client_limited",
	   "exit with status 6 if there is no verdict, or if it is VERDICT or worse")
BENCH_FLAG("upload", "URL", NULL,
	   "show the run on the dashboard at URL while it lasts, then send the result of --output "
	   "and its artifacts")
BENCH_FLAG("no-live", NULL, NULL,
	   "send nothing to the dashboard of --upload before the end of the run")
BENCH_FLAG("token-file", "FILE", NULL, "send the token in FILE to the dashboard of --upload")
BENCH_FLAG("ca-file", "FILE", NULL,
	   "trust the certificates in FILE (PEM) for --upload instead of the system's")
BENCH_FLAG("otlp", "URL", NULL,
	   "send the metrics of the result to the OpenTelemetry collector at URL (OTLP/HTTP with "
	   "JSON)")
BENCH_FLAG("otlp-headers-file", "FILE", NULL,
	   "send the headers in FILE, one NAME: VALUE per line, to --otlp (default: "
	   "$OTEL_EXPORTER_OTLP_HEADERS)")
BENCH_FLAG("otlp-ca-file", "FILE", NULL,
	   "trust the certificates in FILE (PEM) for --otlp instead of the system's")

OFFLINE_FLAG("mode", "MODE", "in_process|server",
	     "in_process: run vllm bench itself; server: measure the same metrics on a server "
	     "(default in_process if the experiment starts vLLM)")
OFFLINE_FLAG("base-url", "URL", NULL, "measure the running server at URL")
OFFLINE_FLAG("sim", NULL, NULL, "start the simulator profllm-sim and measure it")

#undef BENCH_FLAG
#undef OFFLINE_FLAG
