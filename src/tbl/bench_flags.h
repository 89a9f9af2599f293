/*
 * Flags of `profllm bench serve` itself, beside the options of tbl/bench_args.h: what is done with a
 * run, not how it loads. An experiment file has no place for them, `profllm run` has options of its own.
 *
 * BENCH_FLAG(name, arg, choices, help)
 *   arg      what its value is called; NULL: it takes none
 *   choices  its values with bars between them; NULL: any
 * OFFLINE_FLAG(name, arg, choices, help)
 *   the same of `profllm bench latency`, `throughput`, `startup` and `mm-processor`, beside those
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef BENCH_FLAG
#define BENCH_FLAG(name, arg, choices, help)
#endif
#ifndef OFFLINE_FLAG
#define OFFLINE_FLAG(name, arg, choices, help)
#endif

BENCH_FLAG("output", "FILE", NULL,
    "write the whole result there, as profllm run does; its side files lie beside it")
BENCH_FLAG("overwrite", NULL, NULL,
    "replace what stands at --output, once there is a result that tells as much")
BENCH_FLAG("file-mode", "MODE", NULL,
    "permissions of the files that are written, as 0640 (default: 0600 for logs, the umask for other files)")
BENCH_FLAG("dry-run", NULL, NULL,
    "show the completed options and what would be sent, and send nothing")
BENCH_FLAG("json", NULL, NULL,
    "print the result (or the dry run) as one JSON object, alone on standard output")
BENCH_FLAG("quiet", NULL, NULL,
    "no progress and no notes; faults are told")
BENCH_FLAG("fail-on", "VERDICT", "degraded|client_limited",
    "exit status 6 on this verdict or a worse one")
BENCH_FLAG("upload", "URL", NULL,
    "send the result at --output, and the files that it names, to that dashboard when the run has ended")

OFFLINE_FLAG("mode", "MODE", "in_process|server",
    "run vllm bench itself, or take the same figures at a server (in_process where vLLM is to be "
    "started)")
OFFLINE_FLAG("base-url", "URL", NULL,
    "take the figures at this server, which runs already")
OFFLINE_FLAG("sim", NULL, NULL,
    "take the figures at profllm-sim, started for that")

#undef BENCH_FLAG
#undef OFFLINE_FLAG
