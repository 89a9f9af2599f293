/*
 * Commands of `vllm bench` that this version lacks: `profllm NAME` and `profllm bench NAME` report that,
 * and a pasted command line of one is recognized. Our own planned commands: tbl/commands.h.
 *
 * BENCH_COMMAND(name, what, today)
 *   what   what it will do
 *   today  the alternative until then
 * Undefined again at the end.
 */
BENCH_COMMAND("sweep", "runs and plots the sweeps of vllm bench sweep",
    "use 'profllm sweep serve', 'serve_workload', 'serve_sla' or 'startup' to run them, or 'profllm sweep run FILE' for a sweep in an experiment file")
BENCH_COMMAND("forward", "measures the forward pass of the model, with vLLM 0.33.0 or newer",
    "use 'vllm bench forward' itself, or 'profllm bench latency', which also measures scheduling and sampling")

#undef BENCH_COMMAND
