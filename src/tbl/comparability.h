/*
 * The inputs that must match for results to be comparable. Each field belongs to a kind. A comparison names a kind
 * as a caution if its runs differ in one of the kind's fields, or if only some of them record it.
 *
 * KIND(id, title, alone, text)
 *   title   start of a caution
 *   alone   the only value without a caution, even if all runs agree: "trusted", "0"; NULL: any value, if all agree
 *   text    why it matters, in lower case, without a period
 * COMPARABLE(kind, field)  a field that is a column (result/fields/fields.h)
 * ANY(kind, field)         the same for a count, of which only matters whether it is above 0; null and not recorded
 *                          count as 0
 * CHARTED(kind, field)     the same only for charts, because a comparison lists the differences of its sides anyway
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef KIND
#define KIND(id, title, alone, text)
#endif
#ifndef COMPARABLE
#define COMPARABLE(kind, field)
#endif
#ifndef ANY
#define ANY(kind, field)
#endif
#ifndef CHARTED
#define CHARTED(kind, field)
#endif
#ifndef RECORDED
#define RECORDED(kind, field)
#endif
#ifndef MEASURED
#define MEASURED(kind, field)
#endif

KIND(simulated, "simulated", NULL, "metrics of a simulator and of an engine are not comparable")
KIND(status, "status", "completed", "metrics of an unfinished run cover only the requests that finished")
KIND(failures, "failed requests", "0", "metrics cover only finished requests; failed requests may have been slow, and they left more capacity to the others")
KIND(verdict, "verdict", "trusted", "the client, the load or the server disturbed the metrics of runs that are not trusted")
KIND(dataset, "dataset", NULL, "the work of the server depends on the prompts")
KIND(lengths, "lengths", NULL, "longer prompts and outputs take more time")
KIND(output, "output length", NULL, "the work of the server depends on the output lengths, and some differ from the requested ones")
KIND(load, "load form", NULL, "latency depends on the request rate and on the concurrency limit")
KIND(precision, "precision", NULL, "a smaller number format is faster and can reduce the quality of the output")
KIND(client, "client", NULL, "clients and protocols differ in how they count events and when they start timing")
KIND(neighbors, "neighbors", NULL, "servers that run on one host at the same time share its CPU, memory and buses")
KIND(model, "model", NULL, "a larger model is slower")
KIND(engine, "engine", NULL, "engines and their versions differ in speed")
KIND(gpu, "GPU", NULL, "GPU types differ in speed")

COMPARABLE(simulated, "environment.engine.simulated")
COMPARABLE(status, "run.status")
RECORDED(failures, "derived.failed_share")
COMPARABLE(verdict, "quality.verdict")
COMPARABLE(dataset, "benchmark.dataset_name")
COMPARABLE(dataset, "benchmark.dataset_sha256")
COMPARABLE(dataset, "benchmark.hf_name")
COMPARABLE(dataset, "benchmark.hf_subset")
COMPARABLE(dataset, "benchmark.hf_split")
COMPARABLE(lengths, "benchmark.random_input_len")
COMPARABLE(lengths, "benchmark.random_output_len")
COMPARABLE(lengths, "benchmark.random_prefix_len")
COMPARABLE(lengths, "benchmark.random_range_ratio")
COMPARABLE(lengths, "benchmark.sharegpt_output_len")
COMPARABLE(lengths, "benchmark.custom_output_len")
COMPARABLE(lengths, "benchmark.sonnet_input_len")
COMPARABLE(lengths, "benchmark.sonnet_output_len")
COMPARABLE(lengths, "benchmark.sonnet_prefix_len")
COMPARABLE(lengths, "benchmark.hf_output_len")
COMPARABLE(lengths, "benchmark.prefix_repetition_prefix_len")
COMPARABLE(lengths, "benchmark.prefix_repetition_suffix_len")
COMPARABLE(lengths, "benchmark.prefix_repetition_num_prefixes")
COMPARABLE(lengths, "benchmark.prefix_repetition_output_len")
COMPARABLE(lengths, "benchmark.spec_bench_output_len")
COMPARABLE(lengths, "benchmark.speed_bench_output_len")
COMPARABLE(lengths, "benchmark.ignore_eos")
COMPARABLE(lengths, "benchmark.input_len")
COMPARABLE(lengths, "benchmark.output_len")
MEASURED(lengths, "derived.input_tokens_per_request")
MEASURED(lengths, "derived.output_tokens_per_request")
ANY(output, "quality.output_length.value")
COMPARABLE(load, "benchmark.kind")
COMPARABLE(load, "benchmark.request_rate")
COMPARABLE(load, "benchmark.max_concurrency")
COMPARABLE(load, "benchmark.burstiness")
COMPARABLE(load, "benchmark.num_prompts")
COMPARABLE(load, "benchmark.batch_size")
COMPARABLE(load, "benchmark.n")
COMPARABLE(load, "benchmark.ramp_up_strategy")
COMPARABLE(load, "benchmark.ramp_up_start_rps")
COMPARABLE(load, "benchmark.ramp_up_end_rps")
COMPARABLE(precision, "server.dtype")
COMPARABLE(precision, "server.quantization")
COMPARABLE(precision, "server.kv_cache_dtype")
COMPARABLE(client, "benchmark.vllm_metrics")
COMPARABLE(client, "benchmark.client")
COMPARABLE(client, "benchmark.mode")
COMPARABLE(client, "benchmark.backend")
COMPARABLE(client, "environment.client.name")
ANY(neighbors, "launch.other_servers_max")
COMPARABLE(model, "server.model")
CHARTED(engine, "environment.engine.name")
CHARTED(engine, "environment.engine.version")
CHARTED(gpu, "system.hardware_info.gpu_name")

#undef KIND
#undef COMPARABLE
#undef ANY
#undef CHARTED
#undef RECORDED
#undef MEASURED
