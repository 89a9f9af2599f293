/*
 * Commands of `vllm bench` that this version lacks: `profllm NAME` and `profllm bench NAME` report that,
 * and a pasted command line of one is recognized. Our own planned commands: tbl/commands.h.
 *
 * BENCH_COMMAND(name, what, today)
 *   what   what it will do
 *   today  the alternative until then
 * Undefined again at the end.
 */
BENCH_COMMAND("sweep", "vLLM's sweeps as experiment files, and their plots",
    "profllm sweep serve, serve_workload, serve_sla and startup run lines of vllm bench sweep, profllm sweep run FILE has the values in a section 'sweep'")
BENCH_COMMAND("forward", "the time of the model's forward pass for exact batches, as one-shot CUDA graphs (vLLM 0.33.0 and newer)",
    "run vllm bench forward itself; profllm bench latency measures whole batches, scheduler and sampling included")

#undef BENCH_COMMAND
