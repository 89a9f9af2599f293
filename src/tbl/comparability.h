/*
 * What has to be alike for results to be compared without a second thought: each row of fields belongs to a
 * kind, and where runs that are compared differ in one, or it is known of some of them only, the kind is named.
 *
 * KIND(id, title, alone, text)
 *   title   as it begins a caution
 *   alone   the one value that raises none, though all runs have another: "trusted", "0"; NULL: any, once all have it
 *   text    why it matters, lower case, no full stop
 * COMPARABLE(kind, field)  a field that is a column (result/fields/fields.h)
 * ANY(kind, field)         the same of a count of which only matters whether there is any: 0, null and what is not
 *                          recorded are none
 * CHARTED(kind, field)     the same on a chart alone: a comparison lists what its sides differ in, and a chart does not
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

KIND(simulated, "simulated", NULL, "figures of a simulator and of an engine have nothing in common")
KIND(status, "status", "completed", "figures of a run that did not come to its end are of the requests that did")
KIND(failures, "failed requests", "0", "figures are of the requests that came to their end: those that failed may have been the slow ones, and have made room")
KIND(verdict, "verdict", "trusted", "the client, the load or the server's state has moved figures that are not trusted")
KIND(data_set, "data set", NULL, "other prompts are other work")
KIND(lengths, "lengths", NULL, "longer prompts and answers take longer")
KIND(output, "output length", NULL, "responses of another length than requested are other work")
KIND(load, "load form", NULL, "latency follows from the load: a rate and a cap are not one load, nor are two rates")
KIND(precision, "precision", NULL, "a smaller format is faster and may answer worse")
KIND(client, "client", NULL, "programs and protocols count events and begin their clocks in ways of their own")
KIND(neighbours, "neighbours", NULL, "servers that are up on one host at the same time share its processors, memory and buses")
KIND(model, "model", NULL, "a larger model is slower")
KIND(engine, "engine", NULL, "programs and their releases differ in speed")
KIND(gpu, "GPU", NULL, "one kind of GPU is faster than another")

COMPARABLE(simulated, "environment.engine.simulated")
COMPARABLE(status, "run.status")
RECORDED(failures, "derived.failed_share")
COMPARABLE(verdict, "quality.verdict")
COMPARABLE(data_set, "benchmark.dataset_name")
COMPARABLE(data_set, "benchmark.dataset_sha256")
COMPARABLE(data_set, "benchmark.hf_name")
COMPARABLE(data_set, "benchmark.hf_subset")
COMPARABLE(data_set, "benchmark.hf_split")
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
ANY(neighbours, "launch.beside")
CHARTED(model, "server.model")
CHARTED(engine, "environment.engine.name")
CHARTED(engine, "environment.engine.version")
CHARTED(gpu, "system.hardware_info.gpu_name")

#undef KIND
#undef COMPARABLE
#undef ANY
#undef CHARTED
#undef RECORDED
#undef MEASURED
