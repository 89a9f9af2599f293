/*
 * Where a server reports the values of its arguments, and when a difference from what was asked
 * for counts.
 *
 * REPORT(source, key, argument, rule)
 *   source  ENGINE  "key=value" of the engine's configuration: its line in the log, /server_info
 *           CACHE   a label of vllm:cache_config_info
 *           MODEL   a key of the model in /v1/models
 *   rule    EQUAL   any difference counts
 *           SET     only "None" counts: vLLM may resolve the value to a more specific one
 *           STAYS   only true that became false counts: vLLM switches it on by itself
 * The arguments in the log ("non-default args: {...}") have the arguments' own names. The values of
 * these rows do not count there:
 *
 * REPORT_LOOSE(argument)  vLLM changes it before it logs it
 *
 * SYNONYM(a, b)  two words for one value
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef REPORT
#define REPORT(source, key, argument, rule)
#endif
#ifndef REPORT_LOOSE
#define REPORT_LOOSE(argument)
#endif
#ifndef SYNONYM
#define SYNONYM(a, b)
#endif

/* Not listed, because vLLM rewrites them: model and tokenizer (a local path when offline),
 * block_size (aligned to the backend), data_parallel_size (1 in each engine of a dense model). */
REPORT(ENGINE, skip_tokenizer_init,           skip_tokenizer_init,           EQUAL)
REPORT(ENGINE, tokenizer_mode,                tokenizer_mode,                EQUAL)
REPORT(ENGINE, revision,                      revision,                      EQUAL)
REPORT(ENGINE, tokenizer_revision,            tokenizer_revision,            EQUAL)
REPORT(ENGINE, trust_remote_code,             trust_remote_code,             EQUAL)
REPORT(ENGINE, dtype,                         dtype,                         EQUAL)
REPORT(ENGINE, max_seq_len,                   max_model_len,                 EQUAL)
REPORT(ENGINE, load_format,                   load_format,                   EQUAL)
REPORT(ENGINE, tensor_parallel_size,          tensor_parallel_size,          EQUAL)
REPORT(ENGINE, pipeline_parallel_size,        pipeline_parallel_size,        EQUAL)
REPORT(ENGINE, decode_context_parallel_size,  decode_context_parallel_size,  EQUAL)
REPORT(ENGINE, dcp_comm_backend,              dcp_comm_backend,              EQUAL)
REPORT(ENGINE, disable_custom_all_reduce,     disable_custom_all_reduce,     STAYS)
REPORT(ENGINE, quantization,                  quantization,                  SET)
REPORT(ENGINE, enforce_eager,                 enforce_eager,                 EQUAL)
REPORT(ENGINE, kv_cache_dtype,                kv_cache_dtype,                EQUAL)
REPORT(ENGINE, seed,                          seed,                          EQUAL)
REPORT(ENGINE, enable_prefix_caching,         enable_prefix_caching,         EQUAL)
REPORT(ENGINE, enable_chunked_prefill,        enable_chunked_prefill,        EQUAL)
REPORT(ENGINE, chunked_prefill_enabled,       enable_chunked_prefill,        EQUAL)
REPORT(ENGINE, num_scheduler_steps,           num_scheduler_steps,           EQUAL)

REPORT(CACHE, cache_dtype,                    kv_cache_dtype,                EQUAL)
REPORT(CACHE, enable_prefix_caching,          enable_prefix_caching,         EQUAL)
REPORT(CACHE, gpu_memory_utilization,         gpu_memory_utilization,        EQUAL)
REPORT(CACHE, kv_cache_memory_bytes,          kv_cache_memory_bytes,         EQUAL)
REPORT(CACHE, num_gpu_blocks_override,        num_gpu_blocks_override,       EQUAL)
REPORT(CACHE, prefix_caching_hash_algo,       prefix_caching_hash_algo,      EQUAL)
REPORT(CACHE, kv_sharing_fast_prefill,        kv_sharing_fast_prefill,       EQUAL)
REPORT(CACHE, kv_offloading_size,             kv_offloading_size,            EQUAL)
REPORT(CACHE, kv_offloading_backend,          kv_offloading_backend,         EQUAL)
REPORT(CACHE, calculate_kv_scales,            calculate_kv_scales,           STAYS)
REPORT(CACHE, cpu_offload_gb,                 cpu_offload_gb,                EQUAL)
REPORT(CACHE, mamba_cache_dtype,              mamba_cache_dtype,             EQUAL)
REPORT(CACHE, mamba_ssm_cache_dtype,          mamba_ssm_cache_dtype,         EQUAL)
REPORT(CACHE, replayssm_buffer_len,           replayssm_buffer_len,          EQUAL)

REPORT(MODEL, max_model_len,                  max_model_len,                 EQUAL)

REPORT_LOOSE(api_server_count)
REPORT_LOOSE(block_size)
REPORT_LOOSE(config)
REPORT_LOOSE(data_parallel_external_lb)
REPORT_LOOSE(data_parallel_hybrid_lb)
REPORT_LOOSE(data_parallel_multi_port_external_lb)
REPORT_LOOSE(data_parallel_rank)
REPORT_LOOSE(data_parallel_size_local)
REPORT_LOOSE(data_parallel_start_rank)
REPORT_LOOSE(data_parallel_supervisor_port)
REPORT_LOOSE(device_ids)
REPORT_LOOSE(headless)
REPORT_LOOSE(model)
REPORT_LOOSE(tokenizer)

SYNONYM("half",     "float16")
SYNONYM("float",    "float32")

#undef REPORT
#undef REPORT_LOOSE
#undef SYNONYM
