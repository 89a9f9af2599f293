/*
 * What `vllm bench` has beside `serve`. None of it is in this version: `profllm NAME` and `profllm
 * bench NAME` say so when they are called, and a pasted line of one is known as that. The plans of
 * our own: tbl/commands.h.
 *
 * BENCH_COMMAND(name, what, today)
 *   what   what it will be
 *   today  how to come by it until then
 * Undefined again at the end.
 */
BENCH_COMMAND("sweep", "vLLM's own sweeps, with their parameter files and folders",
    "profllm sweep run FILE, whose section 'sweep' has the values")
BENCH_COMMAND("latency", "the time of one batch in vLLM's engine, without a server",
    "vllm bench latency, or at a server profllm bench serve --max-concurrency 1")
BENCH_COMMAND("throughput", "the tokens a second of vLLM's engine, without a server",
    "vllm bench throughput, or at a server profllm bench serve, which sends all at once")
BENCH_COMMAND("startup", "how long an engine takes to start, cold and warm",
    "profllm run: launch.phases of its result has the parts of the start in seconds")
BENCH_COMMAND("mm-processor", "how long images, audio and video take to prepare",
    "vllm bench mm-processor")

#undef BENCH_COMMAND
