/*
 * vLLM's offline benchmarks, which start their own engine: `profllm bench NAME` and benchmark.kind.
 *
 * KIND(id, name, server, logs_requests, summary)
 *   server         its metrics can also be measured on a server
 *   logs_requests  its parser accepts --enable-log-requests with the engine's arguments
 * KIND_OPTION(kind, name, flag, default, choices)
 *   one of its options other than the engine's arguments, in the order of vLLM's parser; defined in
 *   tbl/bench_args.h
 *   default  as JSON, if it differs from that row. If vLLM has no default, this is the row's, and a
 *            check requires a value (offline_throughput)
 *   choices  as JSON, if they differ from that row; NULL: the same
 * KIND_OLD(kind, flag, style, until, by, why)
 *   an option of an older release
 *   style  VALUE or FLAG of option_style
 *   until  the first release without it
 *   by     the flag that has replaced it; NULL: none, and `why` gives the effect of its removal
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef KIND
#define KIND(id, name, server, logs_requests, summary)
#endif
#ifndef KIND_OPTION
#define KIND_OPTION(kind, name, flag, default, choices)
#endif
#ifndef KIND_OLD
#define KIND_OLD(kind, flag, style, until, by, why)
#endif

KIND(LATENCY, "latency", true, false, "measure the time of one batch of requests repeatedly")
KIND(THROUGHPUT, "throughput", true, true, "measure tokens per second of many concurrent requests")
KIND(STARTUP, "startup", true, false, "measure cold and warm starts of an engine")
KIND(MM_PROCESSOR, "mm-processor", false, false, "measure the processing of images, audio and video")

KIND_OLD(THROUGHPUT, "--dataset", VALUE, "0.32.0", "--dataset-path", "the file of --dataset-name")
KIND_OLD(THROUGHPUT, "--disable-frontend-multiprocessing", FLAG, "0.19.0", NULL,
    "only --async-engine has its own frontend")

KIND_OPTION(LATENCY, input_len, "--input-len", "32", NULL)
KIND_OPTION(LATENCY, output_len, "--output-len", "128", NULL)
KIND_OPTION(LATENCY, batch_size, "--batch-size", "8", NULL)
KIND_OPTION(LATENCY, n, "--n", "1", NULL)
KIND_OPTION(LATENCY, use_beam_search, "--use-beam-search", "", NULL)
KIND_OPTION(LATENCY, num_iters_warmup, "--num-iters-warmup", "10", NULL)
KIND_OPTION(LATENCY, num_iters, "--num-iters", "30", NULL)
KIND_OPTION(LATENCY, profile, "--profile", "", NULL)
KIND_OPTION(LATENCY, output_json, "--output-json", "", NULL)
KIND_OPTION(LATENCY, disable_detokenize, "--disable-detokenize", "", NULL)

KIND_OPTION(THROUGHPUT, backend, "--backend", "\"vllm\"",
    ARG_JSON(["vllm", "hf", "mii", "vllm-chat"]))
KIND_OPTION(THROUGHPUT, dataset_name, "--dataset-name", "\"sharegpt\"",
    ARG_JSON(["sharegpt", "random", "burstgpt", "hf", "prefix_repetition", "random-mm", "random-rerank", "custom_audio"]))
KIND_OPTION(THROUGHPUT, dataset_path, "--dataset-path", "", NULL)
KIND_OPTION(THROUGHPUT, no_oversample, "--no-oversample", "", NULL)
KIND_OPTION(THROUGHPUT, enable_multimodal_chat, "--enable-multimodal-chat", "", NULL)
KIND_OPTION(THROUGHPUT, custom_output_len, "--custom-output-len", "", NULL)
KIND_OPTION(THROUGHPUT, input_len, "--input-len", "", NULL)
KIND_OPTION(THROUGHPUT, output_len, "--output-len", "", NULL)
KIND_OPTION(THROUGHPUT, n, "--n", "1", NULL)
KIND_OPTION(THROUGHPUT, num_prompts, "--num-prompts", "", NULL)
KIND_OPTION(THROUGHPUT, num_warmups, "--num-warmups", "", NULL)
KIND_OPTION(THROUGHPUT, hf_max_batch_size, "--hf-max-batch-size", "", NULL)
KIND_OPTION(THROUGHPUT, hf_enable_torch_compile, "--hf-enable-torch-compile", "", NULL)
KIND_OPTION(THROUGHPUT, output_json, "--output-json", "", NULL)
KIND_OPTION(THROUGHPUT, async_engine, "--async-engine", "", NULL)
KIND_OPTION(THROUGHPUT, prequeue_requests, "--prequeue-requests", "", NULL)
KIND_OPTION(THROUGHPUT, disable_detokenize, "--disable-detokenize", "", NULL)
KIND_OPTION(THROUGHPUT, lora_path, "--lora-path", "", NULL)
KIND_OPTION(THROUGHPUT, lora_assignment, "--lora-assignment", "", NULL)
KIND_OPTION(THROUGHPUT, prefix_len, "--prefix-len", "0", NULL)
KIND_OPTION(THROUGHPUT, hf_subset, "--hf-subset", "", NULL)
KIND_OPTION(THROUGHPUT, hf_split, "--hf-split", "", NULL)
KIND_OPTION(THROUGHPUT, hf_name, "--hf-name", "", NULL)
KIND_OPTION(THROUGHPUT, profile, "--profile", "", NULL)
KIND_OPTION(THROUGHPUT, prefix_repetition_prefix_len, "--prefix-repetition-prefix-len", "",
    NULL)
KIND_OPTION(THROUGHPUT, prefix_repetition_suffix_len, "--prefix-repetition-suffix-len", "",
    NULL)
KIND_OPTION(THROUGHPUT, prefix_repetition_num_prefixes, "--prefix-repetition-num-prefixes", "",
    NULL)
KIND_OPTION(THROUGHPUT, prefix_repetition_output_len, "--prefix-repetition-output-len", "",
    NULL)
KIND_OPTION(THROUGHPUT, random_input_len, "--random-input-len", "", NULL)
KIND_OPTION(THROUGHPUT, random_output_len, "--random-output-len", "", NULL)
KIND_OPTION(THROUGHPUT, random_range_ratio, "--random-range-ratio", "", NULL)
KIND_OPTION(THROUGHPUT, random_prefix_len, "--random-prefix-len", "", NULL)
KIND_OPTION(THROUGHPUT, random_batch_size, "--random-batch-size", "", NULL)
KIND_OPTION(THROUGHPUT, no_reranker, "--no-reranker", "", NULL)
KIND_OPTION(THROUGHPUT, random_mm_base_items_per_request, "--random-mm-base-items-per-request", "",
    NULL)
KIND_OPTION(THROUGHPUT, random_mm_num_mm_items_range_ratio, "--random-mm-num-mm-items-range-ratio", "",
    NULL)
KIND_OPTION(THROUGHPUT, random_mm_limit_mm_per_prompt, "--random-mm-limit-mm-per-prompt", "", NULL)
KIND_OPTION(THROUGHPUT, random_mm_bucket_config, "--random-mm-bucket-config", "", NULL)
KIND_OPTION(THROUGHPUT, asr_min_audio_len_sec, "--asr-min-audio-len-sec", "", NULL)
KIND_OPTION(THROUGHPUT, asr_max_audio_len_sec, "--asr-max-audio-len-sec", "", NULL)

KIND_OPTION(STARTUP, num_iters_cold, "--num-iters-cold", "3", NULL)
KIND_OPTION(STARTUP, num_iters_warmup, "--num-iters-warmup", "1", NULL)
KIND_OPTION(STARTUP, num_iters_warm, "--num-iters-warm", "3", NULL)
KIND_OPTION(STARTUP, output_json, "--output-json", "", NULL)

KIND_OPTION(MM_PROCESSOR, dataset_name, "--dataset-name", "\"random-mm\"",
    ARG_JSON(["random-mm", "hf"]))
KIND_OPTION(MM_PROCESSOR, num_prompts, "--num-prompts", "10", NULL)
KIND_OPTION(MM_PROCESSOR, num_warmups, "--num-warmups", "1", NULL)
KIND_OPTION(MM_PROCESSOR, random_input_len, "--random-input-len", "", NULL)
KIND_OPTION(MM_PROCESSOR, random_output_len, "--random-output-len", "", NULL)
KIND_OPTION(MM_PROCESSOR, random_range_ratio, "--random-range-ratio", "", NULL)
KIND_OPTION(MM_PROCESSOR, random_prefix_len, "--random-prefix-len", "", NULL)
KIND_OPTION(MM_PROCESSOR, random_batch_size, "--random-batch-size", "", NULL)
KIND_OPTION(MM_PROCESSOR, no_reranker, "--no-reranker", "", NULL)
KIND_OPTION(MM_PROCESSOR, random_mm_base_items_per_request, "--random-mm-base-items-per-request", "",
    NULL)
KIND_OPTION(MM_PROCESSOR, random_mm_num_mm_items_range_ratio, "--random-mm-num-mm-items-range-ratio", "",
    NULL)
KIND_OPTION(MM_PROCESSOR, random_mm_limit_mm_per_prompt, "--random-mm-limit-mm-per-prompt", "",
    NULL)
KIND_OPTION(MM_PROCESSOR, random_mm_bucket_config, "--random-mm-bucket-config", "", NULL)
KIND_OPTION(MM_PROCESSOR, dataset_path, "--dataset-path", "", NULL)
KIND_OPTION(MM_PROCESSOR, hf_subset, "--hf-subset", "", NULL)
KIND_OPTION(MM_PROCESSOR, hf_split, "--hf-split", "", NULL)
KIND_OPTION(MM_PROCESSOR, output_len, "--output-len", "", NULL)
KIND_OPTION(MM_PROCESSOR, output_json, "--output-json", "", NULL)
KIND_OPTION(MM_PROCESSOR, metric_percentiles, "--metric-percentiles", "", NULL)
KIND_OPTION(MM_PROCESSOR, disable_tqdm, "--disable-tqdm", "", NULL)

#undef KIND
#undef KIND_OPTION
#undef KIND_OLD
