/*
 * In which releases of vLLM each argument of the server was, and how.
 *
 * Made by tools/make-history.
 *
 * RELEASE(version)          each release that was read, oldest first
 * ARG_HISTORY(name, ranges, …)
 *                           an argument, by name; after the ranges, its removal if it is known:
 *   RANGE(since, until, …)  since <= release < until, oldest first, without gaps; until NULL: the
 *                           last release still has it; … differences from the argument's row,
 *                           which is the last range: members of struct vllm_range, by name
 *   .negative_aliases_since first release with the row's negative aliases
 *   REPLACED(by, map)       by: "argument", "argument.key" or several with commas; map, how its
 *                           value is converted: SAME, NEGATED, CONSTANT (.value), VALUES (.value is a
 *                           list of pairs: this one, that one) or OTHER, for which there is no rule
 *   .told_by                message or code, and the release in which vLLM reports it; succession:
 *                           not reported, the other was added when this one was removed
 *   .replacement_until      first release without the replacement
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef RELEASE
#define RELEASE(version)
#endif
#ifndef ARG_HISTORY
#define ARG_HISTORY(name, ranges, ...)
#endif

RELEASE("0.4.0")
RELEASE("0.4.1")
RELEASE("0.4.2")
RELEASE("0.4.3")
RELEASE("0.5.0")
RELEASE("0.5.1")
RELEASE("0.5.2")
RELEASE("0.5.3")
RELEASE("0.5.4")
RELEASE("0.5.5")
RELEASE("0.6.0")
RELEASE("0.6.1")
RELEASE("0.6.2")
RELEASE("0.6.3")
RELEASE("0.6.4")
RELEASE("0.6.5")
RELEASE("0.6.6")
RELEASE("0.6.6.post1")
RELEASE("0.7.0")
RELEASE("0.7.1")
RELEASE("0.7.2")
RELEASE("0.7.3")
RELEASE("0.8.0")
RELEASE("0.8.1")
RELEASE("0.8.2")
RELEASE("0.8.3")
RELEASE("0.8.4")
RELEASE("0.8.5")
RELEASE("0.8.5.post1")
RELEASE("0.9.0")
RELEASE("0.9.1")
RELEASE("0.9.2")
RELEASE("0.10.0")
RELEASE("0.10.1")
RELEASE("0.10.2")
RELEASE("0.11.0")
RELEASE("0.11.1")
RELEASE("0.11.2")
RELEASE("0.12.0")
RELEASE("0.13.0")
RELEASE("0.14.0")
RELEASE("0.14.1")
RELEASE("0.15.0")
RELEASE("0.16.0")
RELEASE("0.17.0")
RELEASE("0.17.1")
RELEASE("0.18.0")
RELEASE("0.18.1")
RELEASE("0.19.0")
RELEASE("0.19.1")
RELEASE("0.20.0")
RELEASE("0.20.1")
RELEASE("0.20.2")
RELEASE("0.21.0")
RELEASE("0.22.0")
RELEASE("0.22.1")
RELEASE("0.23.0")
RELEASE("0.24.0")
RELEASE("0.25.0")
RELEASE("0.25.1")
RELEASE("0.26.0")
RELEASE("0.27.0")
RELEASE("0.27.1")
RELEASE("0.28.0")
RELEASE("0.29.0")
RELEASE("0.30.0")
RELEASE("0.31.0")
RELEASE("0.32.0")
RELEASE("0.33.0")
ARG_HISTORY(additional_config, RANGES(
    RANGE("0.7.3", "0.9.0", .default_json = ARG_JSON(null)),
    RANGE("0.9.0", NULL)))
ARG_HISTORY(aggregate_engine_logging, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(all2all_backend, RANGES(
    RANGE("0.11.1", "0.14.0", .default_json = ARG_JSON(null),
          .choices = ARG_JSON(["allgather_reducescatter", "deepep_high_throughput",
          "deepep_low_latency", "flashinfer_all2allv", "naive", "pplx"])),
    RANGE("0.14.0", "0.15.0", .choices = ARG_JSON(["allgather_reducescatter",
          "deepep_high_throughput", "deepep_low_latency", "flashinfer_all2allv", "naive", "pplx"])),
    RANGE("0.15.0", "0.18.0", .choices = ARG_JSON(["allgather_reducescatter",
          "deepep_high_throughput", "deepep_low_latency", "flashinfer_all2allv", "mori", "naive",
          "pplx"])),
    RANGE("0.18.0", "0.23.0", .choices = ARG_JSON(["allgather_reducescatter",
          "deepep_high_throughput", "deepep_low_latency", "flashinfer_all2allv",
          "flashinfer_nvlink_one_sided", "flashinfer_nvlink_two_sided", "mori", "naive", "nixl_ep",
          "pplx"])),
    RANGE("0.23.0", "0.24.0", .choices = ARG_JSON(["allgather_reducescatter",
          "deepep_high_throughput", "deepep_low_latency", "flashinfer_all2allv",
          "flashinfer_nvlink_one_sided", "flashinfer_nvlink_two_sided", "mori_high_throughput",
          "mori_low_latency", "naive", "nixl_ep", "pplx"])),
    RANGE("0.24.0", "0.31.0", .choices = ARG_JSON(["allgather_reducescatter",
          "deepep_high_throughput", "deepep_low_latency", "deepep_v2", "flashinfer_all2allv",
          "flashinfer_nvlink_one_sided", "flashinfer_nvlink_two_sided", "mori_high_throughput",
          "mori_low_latency", "naive", "nixl_ep", "pplx"])),
    RANGE("0.31.0", NULL)))
ARG_HISTORY(allow_credentials, RANGES(
    RANGE("0.4.0", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)))
ARG_HISTORY(allow_deprecated_quantization, RANGES(
    RANGE("0.14.0", NULL)))
ARG_HISTORY(allowed_headers, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(allowed_local_media_path, RANGES(
    RANGE("0.6.4", "0.9.0", .default_json = ARG_JSON(null)),
    RANGE("0.9.0", NULL)))
ARG_HISTORY(allowed_media_domains, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(allowed_methods, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(allowed_origins, RANGES(
    RANGE("0.4.0", "0.32.0", .default_json = ARG_JSON(["*"])),
    RANGE("0.32.0", NULL)))
ARG_HISTORY(anthropic_disabled_thinking_effort, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(api_key, RANGES(
    RANGE("0.4.0", "0.10.1", .type = "string", .style = "value"),
    RANGE("0.10.1", NULL)))
ARG_HISTORY(api_server_count, RANGES(
    RANGE("0.9.1", "0.15.0", .default_json = ARG_JSON(1)),
    RANGE("0.15.0", NULL)))
ARG_HISTORY(async_scheduling, RANGES(
    RANGE("0.10.0", "0.14.0", .default_json = ARG_JSON(false)),
    RANGE("0.14.0", NULL)))
ARG_HISTORY(attention_backend, RANGES(
    RANGE("0.13.0", NULL)))
ARG_HISTORY(attention_config, RANGES(
    RANGE("0.13.0", NULL)))
ARG_HISTORY(aux_output_config, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(block_size, RANGES(
    RANGE("0.4.0", "0.4.1", .default_json = ARG_JSON(16), .choices = ARG_JSON([8, 16, 32, 128])),
    RANGE("0.4.1", "0.5.5", .default_json = ARG_JSON(16), .choices = ARG_JSON([8, 16, 32])),
    RANGE("0.5.5", "0.6.0", .default_json = ARG_JSON(16),
          .choices = ARG_JSON([8, 16, 32, 128, 256, 512, 1024, 2048])),
    RANGE("0.6.0", "0.6.4", .default_json = ARG_JSON(16), .choices = ARG_JSON([8, 16, 32])),
    RANGE("0.6.4", "0.6.5", .default_json = ARG_JSON(16), .choices = ARG_JSON([8, 16, 32, 64, 128])),
    RANGE("0.6.5", "0.6.6", .choices = ARG_JSON([8, 16, 32])),
    RANGE("0.6.6", "0.8.5", .choices = ARG_JSON([8, 16, 32, 64, 128])),
    RANGE("0.8.5", "0.11.1", .choices = ARG_JSON([1, 8, 16, 32, 64, 128])),
    RANGE("0.11.1", "0.18.0", .choices = ARG_JSON([1, 8, 16, 32, 64, 128, 256])),
    RANGE("0.18.0", NULL)))
ARG_HISTORY(calculate_kv_scales, RANGES(
    RANGE("0.7.0", "0.8.5", .style = "flag"),
    RANGE("0.8.5", "0.28.0")),
    .told_by = "message 0.20.0", .note = "scales come from the checkpoint, else 1.0")
ARG_HISTORY(chat_template, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(chat_template_content_format, RANGES(
    RANGE("0.6.5", NULL)))
ARG_HISTORY(chat_template_text_format, RANGES(
    RANGE("0.6.4", "0.6.5")),
    REPLACED("chat_template_content_format", SAME), .told_by = "succession")
ARG_HISTORY(code_revision, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(cohere_format, RANGES(
    RANGE("0.27.0", NULL)))
ARG_HISTORY(cohere_is_reasoning_model, RANGES(
    RANGE("0.27.0", NULL)))
ARG_HISTORY(collect_detailed_traces, RANGES(
    RANGE("0.5.5", "0.9.0", .choices = ARG_JSON(null), .type = "string", .style = "value"),
    RANGE("0.9.0", "0.31.0", .choices = ARG_JSON(["all", "all,model", "all,worker", "model",
          "model,all", "model,worker", "worker", "worker,all", "worker,model"])),
    RANGE("0.31.0", NULL)))
ARG_HISTORY(compilation_config, RANGES(
    RANGE("0.6.5", "0.9.0", .default_json = ARG_JSON(null), .aliases = "-O"),
    RANGE("0.9.0", "0.12.0", .aliases = "-O"),
    RANGE("0.12.0", NULL)))
ARG_HISTORY(config, RANGES(
    RANGE("0.6.0", "0.10.0", .default_json = ARG_JSON("")),
    RANGE("0.10.0", NULL)))
ARG_HISTORY(config_format, RANGES(
    RANGE("0.6.1", "0.10.2", .choices_open = ARG_JSON(false)),
    RANGE("0.10.2", NULL)))
ARG_HISTORY(convert, RANGES(
    RANGE("0.10.1", "0.14.0", .choices = ARG_JSON(["auto", "classify", "embed", "none", "reward"])),
    RANGE("0.14.0", "0.16.0", .choices = ARG_JSON(["auto", "classify", "embed", "mm_encoder_only",
          "none", "reward"])),
    RANGE("0.16.0", NULL)))
ARG_HISTORY(cp_kv_cache_interleave_size, RANGES(
    RANGE("0.12.0", "0.30.0", .default_json = ARG_JSON(1)),
    RANGE("0.30.0", NULL)))
ARG_HISTORY(cpu_distributed_timeout_seconds, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(cpu_offload_gb, RANGES(
    RANGE("0.5.3", NULL)))
ARG_HISTORY(cpu_offload_params, RANGES(
    RANGE("0.17.0", NULL)))
ARG_HISTORY(cuda_graph_sizes, RANGES(
    RANGE("0.9.0", "0.10.0", .default_json = ARG_JSON([512])),
    RANGE("0.10.0", "0.11.1"),
    RANGE("0.11.1", "0.13.0", .default_json = ARG_JSON(null), .deprecated = ARG_JSON(true))),
    REPLACED("cudagraph_capture_sizes", SAME), .told_by = "message 0.11.1")
ARG_HISTORY(cudagraph_capture_sizes, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(cudagraph_metrics, RANGES(
    RANGE("0.13.0", NULL)))
ARG_HISTORY(custom_histogram_buckets, RANGES(
    RANGE("0.32.0", NULL)))
ARG_HISTORY(data_parallel_address, RANGES(
    RANGE("0.9.0", NULL)))
ARG_HISTORY(data_parallel_backend, RANGES(
    RANGE("0.9.1", NULL)))
ARG_HISTORY(data_parallel_external_lb, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(data_parallel_hybrid_lb, RANGES(
    RANGE("0.10.0", "0.11.1", .aliases = ""),
    RANGE("0.11.1", NULL)))
ARG_HISTORY(data_parallel_multi_port_external_lb, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(data_parallel_rank, RANGES(
    RANGE("0.9.2", NULL)))
ARG_HISTORY(data_parallel_rpc_port, RANGES(
    RANGE("0.9.0", NULL)))
ARG_HISTORY(data_parallel_size, RANGES(
    RANGE("0.8.3", NULL)))
ARG_HISTORY(data_parallel_size_local, RANGES(
    RANGE("0.9.0", NULL)))
ARG_HISTORY(data_parallel_start_rank, RANGES(
    RANGE("0.9.0", "0.10.0", .default_json = ARG_JSON(0)),
    RANGE("0.10.0", NULL)))
ARG_HISTORY(data_parallel_supervisor_port, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(dbo_decode_token_threshold, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(dbo_prefill_token_threshold, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(dcp_comm_backend, RANGES(
    RANGE("0.18.0", "0.29.0", .default_json = ARG_JSON("ag_rs")),
    RANGE("0.29.0", NULL)))
ARG_HISTORY(dcp_kv_cache_interleave_size, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(dcp_q_replicate, RANGES(
    RANGE("0.29.0", NULL)))
ARG_HISTORY(decode_context_parallel_size, RANGES(
    RANGE("0.10.2", NULL)))
ARG_HISTORY(default_chat_template_kwargs, RANGES(
    RANGE("0.14.0", NULL)))
ARG_HISTORY(default_mm_loras, RANGES(
    RANGE("0.10.0", NULL)))
ARG_HISTORY(device, RANGES(
    RANGE("0.4.0", "0.4.1", .choices = ARG_JSON(["auto", "cuda", "neuron"]),
          .deprecated = ARG_JSON(false)),
    RANGE("0.4.1", "0.5.1", .choices = ARG_JSON(["auto", "cpu", "cuda", "neuron"]),
          .deprecated = ARG_JSON(false)),
    RANGE("0.5.1", "0.6.4", .choices = ARG_JSON(["auto", "cpu", "cuda", "neuron", "openvino", "tpu",
          "xpu"]), .deprecated = ARG_JSON(false)),
    RANGE("0.6.4", "0.8.2", .choices = ARG_JSON(["auto", "cpu", "cuda", "hpu", "neuron", "openvino",
          "tpu", "xpu"]), .deprecated = ARG_JSON(false)),
    RANGE("0.8.2", "0.9.0", .deprecated = ARG_JSON(false)),
    RANGE("0.9.0", "0.10.0")),
    .told_by = "message 0.9.0", .note = "set from the platform")
ARG_HISTORY(device_ids, RANGES(
    RANGE("0.24.0", NULL)))
ARG_HISTORY(diffusion_config, RANGES(
    RANGE("0.24.0", NULL)))
ARG_HISTORY(disable_access_log_for_endpoints, RANGES(
    RANGE("0.16.0", NULL)))
ARG_HISTORY(disable_async_output_proc, RANGES(
    RANGE("0.6.0", "0.11.0")))
ARG_HISTORY(disable_cascade_attn, RANGES(
    RANGE("0.8.2", "0.9.0", .default_json = ARG_JSON(false), .style = "flag"),
    RANGE("0.9.0", "0.18.0", .default_json = ARG_JSON(false)),
    RANGE("0.18.0", "0.32.0", .default_json = ARG_JSON(true)),
    RANGE("0.32.0", NULL, .deprecated = ARG_JSON(true))),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(disable_chunked_mm_input, RANGES(
    RANGE("0.8.4", "0.8.5", .style = "optional_value", .const_json = ARG_JSON(true)),
    RANGE("0.8.5", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(disable_custom_all_reduce, RANGES(
    RANGE("0.4.0", "0.8.5", .style = "flag"),
    RANGE("0.8.5", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(disable_fastapi_docs, RANGES(
    RANGE("0.6.2", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(disable_frontend_multiprocessing, RANGES(
    RANGE("0.5.4", "0.10.0", .style = "flag"),
    RANGE("0.10.0", "0.19.0")))
ARG_HISTORY(disable_hybrid_kv_cache_manager, RANGES(
    RANGE("0.9.1", "0.13.0", .default_json = ARG_JSON(false)),
    RANGE("0.13.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(disable_image_processor, RANGES(
    RANGE("0.5.0", "0.5.1")))
ARG_HISTORY(disable_log_requests, RANGES(
    RANGE("0.4.0", "0.10.1", .default_json = ARG_JSON(false), .style = "flag",
          .deprecated = ARG_JSON(false)),
    RANGE("0.10.1", "0.17.0")),
    REPLACED("enable_log_requests", NEGATED), .told_by = "message 0.10.1",
    .note = "from 0.10.1 on logging is off unless enable_log_requests is given")
ARG_HISTORY(disable_log_stats, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(disable_logprobs_during_spec_decoding, RANGES(
    RANGE("0.5.3", "0.5.5", .style = "value"),
    RANGE("0.5.5", "0.8.3")),
    REPLACED("speculative_config.disable_logprobs", SAME), .told_by = "message 0.8.2",
    .replacement_until = "0.11.1")
ARG_HISTORY(disable_mm_preprocessor_cache, RANGES(
    RANGE("0.6.6", "0.9.0", .deprecated = ARG_JSON(false)),
    RANGE("0.9.0", "0.10.1", .style = "toggle", .deprecated = ARG_JSON(false)),
    RANGE("0.10.1", "0.13.0")),
    REPLACED("mm_processor_cache_gb", CONSTANT), .value = ARG_JSON(0), .told_by = "message 0.12.0")
ARG_HISTORY(disable_nccl_for_dp_synchronization, RANGES(
    RANGE("0.11.1", "0.14.0", .default_json = ARG_JSON(false)),
    RANGE("0.14.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(disable_sliding_window, RANGES(
    RANGE("0.4.3", "0.9.0", .style = "flag"),
    RANGE("0.9.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(disable_uvicorn_access_log, RANGES(
    RANGE("0.8.2", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(distributed_executor_backend, RANGES(
    RANGE("0.4.3", "0.7.0", .choices = ARG_JSON(["mp", "ray"]), .choices_open = ARG_JSON(false)),
    RANGE("0.7.0", "0.10.2", .choices_open = ARG_JSON(false)),
    RANGE("0.10.2", NULL)))
ARG_HISTORY(distributed_timeout_seconds, RANGES(
    RANGE("0.18.0", NULL)))
ARG_HISTORY(download_dir, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(dp_supervisor_probe_failure_threshold, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(dp_supervisor_probe_interval_s, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(dp_supervisor_probe_timeout_s, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(dp_sync_interval, RANGES(
    RANGE("0.30.0", NULL)))
ARG_HISTORY(dtype, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(ec_manager_config, RANGES(
    RANGE("0.28.0", NULL)))
ARG_HISTORY(ec_transfer_config, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(elastic_ep_max_dp_size, RANGES(
    RANGE("0.30.0", NULL)))
ARG_HISTORY(enable_auto_tool_choice, RANGES(
    RANGE("0.6.0", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_batch_sharded_sampling, RANGES(
    RANGE("0.29.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_bf16x3_router_gemm, RANGES(
    RANGE("0.26.0", "0.30.0", .default_json = ARG_JSON(false))),
    .told_by = "code 0.30.0", .note = "vLLM uses it where the hardware allows")
ARG_HISTORY(enable_chunked_prefill, RANGES(
    RANGE("0.4.0", "0.4.1", .default_json = ARG_JSON(false), .style = "value"),
    RANGE("0.4.1", "0.5.3", .default_json = ARG_JSON(false), .style = "flag"),
    RANGE("0.5.3", "0.8.5", .style = "optional_value", .const_json = ARG_JSON(true)),
    RANGE("0.8.5", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_cumem_allocator, RANGES(
    RANGE("0.22.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_dbo, RANGES(
    RANGE("0.11.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_elastic_ep, RANGES(
    RANGE("0.17.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_ep_weight_filter, RANGES(
    RANGE("0.18.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_eplb, RANGES(
    RANGE("0.9.2", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_expert_parallel, RANGES(
    RANGE("0.8.0", "0.8.5", .aliases = "", .style = "flag"),
    RANGE("0.8.5", "0.14.0", .aliases = ""),
    RANGE("0.14.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_fault_tolerance, RANGES(
    RANGE("0.27.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_flash_late_interaction, RANGES(
    RANGE("0.20.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_flashinfer_autotune, RANGES(
    RANGE("0.16.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_force_include_usage, RANGES(
    RANGE("0.9.2", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_hc_sp, RANGES(
    RANGE("0.32.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_layerwise_nvtx_tracing, RANGES(
    RANGE("0.13.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_log_deltas, RANGES(
    RANGE("0.14.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_log_outputs, RANGES(
    RANGE("0.10.1", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_log_requests, RANGES(
    RANGE("0.10.1", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_logging_iteration_details, RANGES(
    RANGE("0.14.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_lora, RANGES(
    RANGE("0.4.0", "0.8.5", .default_json = ARG_JSON(false), .style = "flag"),
    RANGE("0.8.5", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_lora_bias, RANGES(
    RANGE("0.6.4", "0.8.5", .style = "flag", .deprecated = ARG_JSON(false)),
    RANGE("0.8.5", "0.11.1", .deprecated = ARG_JSON(false))),
    .told_by = "message 0.11.0")
ARG_HISTORY(enable_mamba_cache_stochastic_rounding, RANGES(
    RANGE("0.20.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_mamba_fine_grained_prefix_cache, RANGES(
    RANGE("0.30.0", "0.31.0")),
    REPLACED("enable_mamba_shared_prefix_checkpoint", SAME), .told_by = "succession",
    .note = "same help text")
ARG_HISTORY(enable_mamba_shared_prefix_checkpoint, RANGES(
    RANGE("0.31.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_mfu_metrics, RANGES(
    RANGE("0.14.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_mixed_moe_lora_format, RANGES(
    RANGE("0.22.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_mm_embeds, RANGES(
    RANGE("0.11.1", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_moe_shared_loras, RANGES(
    RANGE("0.26.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_multimodal_encoder_data_parallel, RANGES(
    RANGE("0.9.1", "0.10.2", .style = "toggle", .deprecated = ARG_JSON(false)),
    RANGE("0.10.2", "0.13.0")),
    REPLACED("mm_encoder_tp_mode", CONSTANT), .value = ARG_JSON("data"), .told_by = "message 0.12.0")
ARG_HISTORY(enable_nccl_comm_suspend, RANGES(
    RANGE("0.30.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_offline_docs, RANGES(
    RANGE("0.14.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_per_request_metrics, RANGES(
    RANGE("0.25.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_prefix_caching, RANGES(
    RANGE("0.4.0", "0.6.5", .default_json = ARG_JSON(false), .style = "flag"),
    RANGE("0.6.5", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_prompt_adapter, RANGES(
    RANGE("0.5.2", "0.8.5", .deprecated = ARG_JSON(false)),
    RANGE("0.8.5", "0.10.0", .default_json = ARG_JSON(null), .style = "toggle",
          .deprecated = ARG_JSON(false)),
    RANGE("0.10.0", "0.10.2")),
    .told_by = "message 0.10.0", .note = "prompt adapters were removed")
ARG_HISTORY(enable_prompt_embeds, RANGES(
    RANGE("0.9.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_prompt_tokens_details, RANGES(
    RANGE("0.6.4", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_reasoning, RANGES(
    RANGE("0.7.1", "0.9.0", .default_json = ARG_JSON(false), .style = "flag",
          .deprecated = ARG_JSON(false)),
    RANGE("0.9.0", "0.10.0")),
    REPLACED("reasoning_parser", OTHER), .told_by = "message 0.9.0",
    .note = "naming a parser turns reasoning on")
ARG_HISTORY(enable_request_id_headers, RANGES(
    RANGE("0.6.6", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_return_routed_experts, RANGES(
    RANGE("0.14.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_scale_out, RANGES(
    RANGE("0.30.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_server_load_tracking, RANGES(
    RANGE("0.8.0", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_shm_tensor_arena, RANGES(
    RANGE("0.32.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_sleep_mode, RANGES(
    RANGE("0.7.0", "0.9.0", .style = "flag"),
    RANGE("0.9.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_ssl_refresh, RANGES(
    RANGE("0.8.0", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_tokenizer_info_endpoint, RANGES(
    RANGE("0.10.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_tower_connector_lora, RANGES(
    RANGE("0.14.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enable_trace_replay, RANGES(
    RANGE("0.29.0", NULL)),
    .negative_aliases_since = "0.33.0")
ARG_HISTORY(enforce_eager, RANGES(
    RANGE("0.4.0", "0.9.0", .style = "flag"),
    RANGE("0.9.0", NULL)))
ARG_HISTORY(engine_use_ray, RANGES(
    RANGE("0.4.0", "0.5.5", .deprecated = ARG_JSON(false)),
    RANGE("0.5.5", "0.6.2")),
    .told_by = "message 0.5.5")
ARG_HISTORY(engram_config, RANGES(
    RANGE("0.30.0", NULL)))
ARG_HISTORY(eplb_config, RANGES(
    RANGE("0.10.2", NULL)))
ARG_HISTORY(eplb_log_balancedness, RANGES(
    RANGE("0.9.2", "0.10.2", .default_json = ARG_JSON(false), .deprecated = ARG_JSON(false)),
    RANGE("0.10.2", "0.12.0")),
    REPLACED("eplb_config.log_balancedness", SAME), .told_by = "code 0.11.2")
ARG_HISTORY(eplb_step_interval, RANGES(
    RANGE("0.9.2", "0.10.2", .default_json = ARG_JSON(3000), .deprecated = ARG_JSON(false)),
    RANGE("0.10.2", "0.12.0")),
    REPLACED("eplb_config.step_interval", SAME), .told_by = "code 0.11.2")
ARG_HISTORY(eplb_window_size, RANGES(
    RANGE("0.9.2", "0.10.2", .default_json = ARG_JSON(1000), .deprecated = ARG_JSON(false)),
    RANGE("0.10.2", "0.12.0")),
    REPLACED("eplb_config.window_size", SAME), .told_by = "code 0.11.2")
ARG_HISTORY(exclude_tools_when_tool_choice_none, RANGES(
    RANGE("0.10.1", NULL)))
ARG_HISTORY(expand_tools_even_if_tool_choice_none, RANGES(
    RANGE("0.9.2", "0.10.0")),
    REPLACED("exclude_tools_when_tool_choice_none", NEGATED), .told_by = "succession",
    .note = "0.10.0 had neither: the definitions were always included")
ARG_HISTORY(expert_placement_strategy, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(fail_on_environ_validation, RANGES(
    RANGE("0.17.0", NULL)))
ARG_HISTORY(fault_tolerance_config, RANGES(
    RANGE("0.27.0", NULL)))
ARG_HISTORY(fingerprint_mode, RANGES(
    RANGE("0.21.0", NULL)))
ARG_HISTORY(fingerprint_value, RANGES(
    RANGE("0.21.0", NULL)))
ARG_HISTORY(forced_num_gpu_blocks, RANGES(
    RANGE("0.4.0", "0.4.1")),
    REPLACED("num_gpu_blocks_override", SAME), .told_by = "succession", .note = "same help text")
ARG_HISTORY(fully_sharded_loras, RANGES(
    RANGE("0.4.2", "0.8.5", .style = "flag"),
    RANGE("0.8.5", NULL)))
ARG_HISTORY(gdn_prefill_backend, RANGES(
    RANGE("0.18.0", "0.22.0", .choices = ARG_JSON(["flashinfer", "triton"])),
    RANGE("0.22.0", "0.32.0", .choices = ARG_JSON(["cutedsl", "flashinfer", "triton"])),
    RANGE("0.32.0", "0.33.0", .choices = ARG_JSON(["aiter_flydsl", "cutedsl", "flashinfer",
          "triton"])),
    RANGE("0.33.0", NULL)))
ARG_HISTORY(generation_config, RANGES(
    RANGE("0.6.6", "0.8.0", .default_json = ARG_JSON(null)),
    RANGE("0.8.0", NULL)))
ARG_HISTORY(gpu_memory_utilization, RANGES(
    RANGE("0.4.0", "0.20.0", .default_json = ARG_JSON(0.9), .aliases = ""),
    RANGE("0.20.0", "0.31.0", .aliases = ""),
    RANGE("0.31.0", NULL)))
ARG_HISTORY(grpc, RANGES(
    RANGE("0.18.0", NULL)))
ARG_HISTORY(grpc_port, RANGES(
    RANGE("0.32.0", NULL)))
ARG_HISTORY(guided_decoding_backend, RANGES(
    RANGE("0.4.1", "0.6.5", .default_json = ARG_JSON("outlines"),
          .choices = ARG_JSON(["lm-format-enforcer", "outlines"]), .deprecated = ARG_JSON(false)),
    RANGE("0.6.5", "0.8.0", .default_json = ARG_JSON("xgrammar"),
          .choices = ARG_JSON(["lm-format-enforcer", "outlines", "xgrammar"]),
          .deprecated = ARG_JSON(false)),
    RANGE("0.8.0", "0.8.4", .default_json = ARG_JSON("xgrammar"), .choices = ARG_JSON(null),
          .deprecated = ARG_JSON(false)),
    RANGE("0.8.4", "0.8.5", .default_json = ARG_JSON("auto"), .choices = ARG_JSON(null),
          .deprecated = ARG_JSON(false)),
    RANGE("0.8.5", "0.10.1", .default_json = ARG_JSON("auto"), .deprecated = ARG_JSON(false)),
    RANGE("0.10.1", "0.10.2", .default_json = ARG_JSON("auto"), .choices = ARG_JSON(["auto",
          "guidance", "outlines", "xgrammar"]), .deprecated = ARG_JSON(false)),
    RANGE("0.10.2", "0.11.0", .default_json = ARG_JSON("auto"), .deprecated = ARG_JSON(false)),
    RANGE("0.11.0", "0.12.0", .choices = ARG_JSON(null))),
    REPLACED("structured_outputs_config.backend", SAME), .told_by = "code 0.11.2")
ARG_HISTORY(guided_decoding_disable_additional_properties, RANGES(
    RANGE("0.9.0", "0.11.0", .default_json = ARG_JSON(false), .style = "toggle",
          .deprecated = ARG_JSON(false)),
    RANGE("0.11.0", "0.12.0")),
    REPLACED("structured_outputs_config.disable_additional_properties", SAME),
    .told_by = "code 0.11.2")
ARG_HISTORY(guided_decoding_disable_any_whitespace, RANGES(
    RANGE("0.9.0", "0.11.0", .default_json = ARG_JSON(false), .style = "toggle",
          .deprecated = ARG_JSON(false)),
    RANGE("0.11.0", "0.12.0")),
    REPLACED("structured_outputs_config.disable_any_whitespace", SAME), .told_by = "code 0.11.2")
ARG_HISTORY(guided_decoding_disable_fallback, RANGES(
    RANGE("0.9.0", "0.11.0", .default_json = ARG_JSON(false), .style = "toggle",
          .deprecated = ARG_JSON(false)),
    RANGE("0.11.0", "0.12.0")),
    REPLACED("structured_outputs_config.disable_fallback", SAME), .told_by = "code 0.11.2",
    .replacement_until = "0.18.0")
ARG_HISTORY(h11_max_header_count, RANGES(
    RANGE("0.10.2", NULL)))
ARG_HISTORY(h11_max_incomplete_event_size, RANGES(
    RANGE("0.10.2", NULL)))
ARG_HISTORY(headless, RANGES(
    RANGE("0.9.0", NULL)))
ARG_HISTORY(hf_config_path, RANGES(
    RANGE("0.8.0", NULL)))
ARG_HISTORY(hf_overrides, RANGES(
    RANGE("0.6.4", "0.9.0", .default_json = ARG_JSON(null)),
    RANGE("0.9.0", NULL)))
ARG_HISTORY(hf_token, RANGES(
    RANGE("0.8.4", NULL)))
ARG_HISTORY(host, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(ignore_patterns, RANGES(
    RANGE("0.5.3", "0.9.0", .default_json = ARG_JSON([]), .style = "repeat"),
    RANGE("0.9.0", "0.11.1", .default_json = ARG_JSON(null)),
    RANGE("0.11.1", NULL)))
ARG_HISTORY(image_feature_size, RANGES(
    RANGE("0.4.0", "0.5.1")))
ARG_HISTORY(image_input_shape, RANGES(
    RANGE("0.4.0", "0.5.1")))
ARG_HISTORY(image_input_type, RANGES(
    RANGE("0.4.0", "0.5.1")))
ARG_HISTORY(image_processor, RANGES(
    RANGE("0.5.0", "0.5.1")))
ARG_HISTORY(image_processor_revision, RANGES(
    RANGE("0.5.0", "0.5.1")))
ARG_HISTORY(image_token_id, RANGES(
    RANGE("0.4.0", "0.5.1")))
ARG_HISTORY(interleave_mm_strings, RANGES(
    RANGE("0.10.0", NULL)))
ARG_HISTORY(io_processor_plugin, RANGES(
    RANGE("0.10.2", NULL)))
ARG_HISTORY(ir_op_priority, RANGES(
    RANGE("0.20.0", NULL, .deprecated = ARG_JSON(false))))
ARG_HISTORY(jit_monitor_mode, RANGES(
    RANGE("0.25.0", NULL)))
ARG_HISTORY(jit_monitor_verbose, RANGES(
    RANGE("0.24.0", NULL)))
ARG_HISTORY(kda_decode_backend, RANGES(
    RANGE("0.30.0", NULL)))
ARG_HISTORY(kda_prefill_backend, RANGES(
    RANGE("0.27.0", "0.30.0", .choices = ARG_JSON(["auto", "flashkda", "triton"])),
    RANGE("0.30.0", NULL)))
ARG_HISTORY(kernel_config, RANGES(
    RANGE("0.16.0", NULL)))
ARG_HISTORY(kv_cache_dtype, RANGES(
    RANGE("0.4.0", "0.4.1", .choices = ARG_JSON(["auto", "fp8_e5m2"])),
    RANGE("0.4.1", "0.4.3", .choices = ARG_JSON(["auto", "fp8"])),
    RANGE("0.4.3", "0.10.0", .choices = ARG_JSON(["auto", "fp8", "fp8_e4m3", "fp8_e5m2"])),
    RANGE("0.10.0", "0.11.0", .choices = ARG_JSON(["auto", "fp8", "fp8_e4m3", "fp8_e5m2",
          "fp8_inc"])),
    RANGE("0.11.0", "0.11.1", .choices = ARG_JSON(["auto", "bfloat16", "fp8", "fp8_e4m3",
          "fp8_e5m2", "fp8_inc"])),
    RANGE("0.11.1", "0.18.0", .choices = ARG_JSON(["auto", "bfloat16", "fp8", "fp8_ds_mla",
          "fp8_e4m3", "fp8_e5m2", "fp8_inc"])),
    RANGE("0.18.0", "0.20.0", .choices = ARG_JSON(["auto", "bfloat16", "float16", "fp8",
          "fp8_ds_mla", "fp8_e4m3", "fp8_e5m2", "fp8_inc"])),
    RANGE("0.20.0", "0.25.0", .choices = ARG_JSON(["auto", "bfloat16", "float16", "fp8",
          "fp8_ds_mla", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "fp8_per_token_head",
          "int8_per_token_head", "nvfp4", "turboquant_3bit_nc", "turboquant_4bit_nc",
          "turboquant_k3v4_nc", "turboquant_k8v4"])),
    RANGE("0.25.0", "0.28.0", .choices = ARG_JSON(["auto", "bfloat16", "float16", "fp8",
          "fp8_ds_mla", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "fp8_per_token_head",
          "int4_per_token_head", "int8_per_token_head", "nvfp4", "turboquant_3bit_nc",
          "turboquant_4bit_nc", "turboquant_k3v4_nc", "turboquant_k8v4"])),
    RANGE("0.28.0", "0.30.0", .choices = ARG_JSON(["auto", "bfloat16", "float16", "fp8",
          "fp8_ds_mla", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "fp8_per_token_head",
          "int4_per_token_head", "int8_per_token_head", "nvfp4", "nvfp4_4over6",
          "turboquant_3bit_nc", "turboquant_4bit_nc", "turboquant_k3v4_nc", "turboquant_k8v4"])),
    RANGE("0.30.0", "0.32.0", .choices = ARG_JSON(["auto", "bfloat16", "float16", "fp8",
          "fp8_ds_mla", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "fp8_per_token_head",
          "int4_per_token_head", "int8_per_token_head", "nvfp4", "nvfp4_4over6", "nvfp4_ds_mla",
          "turboquant_3bit_nc", "turboquant_4bit_nc", "turboquant_k3v4_nc", "turboquant_k8v4"])),
    RANGE("0.32.0", "0.33.0", .choices = ARG_JSON(["auto", "bfloat16", "float16", "fp8",
          "fp8_ds_mla", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "fp8_per_token_head",
          "int4_per_token_head", "int8_per_token_head", "nvfp4", "nvfp4_4over6", "nvfp4_ds_mla",
          "turboquant_3bit_nc", "turboquant_4bit_nc", "turboquant_k3v4_nc", "turboquant_k8v4",
          "ultraquant_4bit"])),
    RANGE("0.33.0", NULL)))
ARG_HISTORY(kv_cache_dtype_skip_layers, RANGES(
    RANGE("0.19.0", NULL)))
ARG_HISTORY(kv_cache_memory_bytes, RANGES(
    RANGE("0.10.2", NULL)))
ARG_HISTORY(kv_cache_metrics, RANGES(
    RANGE("0.12.0", NULL)))
ARG_HISTORY(kv_cache_metrics_sample, RANGES(
    RANGE("0.12.0", NULL)))
ARG_HISTORY(kv_events_config, RANGES(
    RANGE("0.9.0", NULL)))
ARG_HISTORY(kv_offloading_backend, RANGES(
    RANGE("0.11.1", "0.14.0", .default_json = ARG_JSON(null)),
    RANGE("0.14.0", NULL)))
ARG_HISTORY(kv_offloading_size, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(kv_sharing_fast_prefill, RANGES(
    RANGE("0.10.1", NULL)))
ARG_HISTORY(kv_transfer_config, RANGES(
    RANGE("0.6.5", NULL)))
ARG_HISTORY(language_model_only, RANGES(
    RANGE("0.17.0", NULL)))
ARG_HISTORY(limit_mm_per_prompt, RANGES(
    RANGE("0.5.5", "0.8.5", .default_json = ARG_JSON(null)),
    RANGE("0.8.5", NULL)))
ARG_HISTORY(linear_backend, RANGES(
    RANGE("0.22.0", "0.24.0", .choices = ARG_JSON(["aiter", "auto", "conch", "cutlass", "deep_gemm",
          "emulation", "exllama", "fbgemm", "flashinfer_cudnn", "flashinfer_cutlass",
          "flashinfer_trtllm", "machete", "marlin", "torch", "triton"])),
    RANGE("0.24.0", "0.25.0", .choices = ARG_JSON(["aiter", "auto", "conch", "cutlass", "deep_gemm",
          "emulation", "exllama", "fbgemm", "flashinfer_b12x", "flashinfer_cudnn",
          "flashinfer_cutedsl", "flashinfer_cutlass", "flashinfer_trtllm", "machete", "marlin",
          "torch", "triton"])),
    RANGE("0.25.0", "0.28.0", .choices = ARG_JSON(["aiter", "auto", "conch", "cutlass", "deep_gemm",
          "emulation", "exllama", "fbgemm", "flashinfer_b12x", "flashinfer_cudnn",
          "flashinfer_cutedsl", "flashinfer_cutlass", "flashinfer_trtllm", "humming", "machete",
          "marlin", "torch", "triton", "xpu", "xpu_woq"])),
    RANGE("0.28.0", NULL)))
ARG_HISTORY(load_format, RANGES(
    RANGE("0.4.0", "0.4.1", .choices = ARG_JSON(["auto", "dummy", "npcache", "pt", "safetensors"])),
    RANGE("0.4.1", "0.5.0", .choices = ARG_JSON(["auto", "dummy", "npcache", "pt", "safetensors",
          "tensorizer"])),
    RANGE("0.5.0", "0.5.5", .choices = ARG_JSON(["auto", "bitsandbytes", "dummy", "npcache", "pt",
          "safetensors", "tensorizer"])),
    RANGE("0.5.5", "0.6.1", .choices = ARG_JSON(["auto", "bitsandbytes", "dummy", "gguf", "npcache",
          "pt", "safetensors", "sharded_state", "tensorizer"])),
    RANGE("0.6.1", "0.6.6", .choices = ARG_JSON(["auto", "bitsandbytes", "dummy", "gguf", "mistral",
          "npcache", "pt", "safetensors", "sharded_state", "tensorizer"])),
    RANGE("0.6.6", "0.8.2", .choices = ARG_JSON(["auto", "bitsandbytes", "dummy", "gguf", "mistral",
          "npcache", "pt", "runai_streamer", "safetensors", "sharded_state", "tensorizer"])),
    RANGE("0.8.2", "0.8.5", .choices = ARG_JSON(["auto", "bitsandbytes", "dummy", "fastsafetensors",
          "gguf", "mistral", "npcache", "pt", "runai_streamer", "safetensors", "sharded_state",
          "tensorizer"])),
    RANGE("0.8.5", "0.10.1", .choices = ARG_JSON(["auto", "bitsandbytes", "dummy",
          "fastsafetensors", "gguf", "mistral", "npcache", "pt", "runai_streamer",
          "runai_streamer_sharded", "safetensors", "sharded_state", "tensorizer"])),
    RANGE("0.10.1", NULL)))
ARG_HISTORY(log_config_file, RANGES(
    RANGE("0.9.1", "0.31.0", .default_env = "VLLM_LOGGING_CONFIG_PATH"),
    RANGE("0.31.0", NULL, .deprecated = ARG_JSON(true))))
ARG_HISTORY(log_error_stack, RANGES(
    RANGE("0.10.2", NULL)))
ARG_HISTORY(log_level, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(logging_config, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(logits_processor_pattern, RANGES(
    RANGE("0.6.5", "0.17.0")))
ARG_HISTORY(logits_processors, RANGES(
    RANGE("0.10.1", NULL)))
ARG_HISTORY(logprobs_mode, RANGES(
    RANGE("0.10.0", NULL)))
ARG_HISTORY(long_lora_scaling_factors, RANGES(
    RANGE("0.4.3", "0.8.5", .type = "string", .style = "value"),
    RANGE("0.8.5", "0.10.0")))
ARG_HISTORY(long_prefill_token_threshold, RANGES(
    RANGE("0.7.3", "0.8.5", .type = "float"),
    RANGE("0.8.5", NULL)))
ARG_HISTORY(long_prefill_token_threshold_adaptive, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(lora_dtype, RANGES(
    RANGE("0.4.0", "0.6.5", .choices = ARG_JSON(["auto", "bfloat16", "float16", "float32"])),
    RANGE("0.6.5", NULL)))
ARG_HISTORY(lora_extra_vocab_size, RANGES(
    RANGE("0.4.0", "0.11.1", .deprecated = ARG_JSON(false)),
    RANGE("0.11.1", "0.12.0", .choices = ARG_JSON([256, 512]), .deprecated = ARG_JSON(false))),
    .told_by = "message 0.11.2")
ARG_HISTORY(lora_modules, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(lora_target_modules, RANGES(
    RANGE("0.19.0", NULL)))
ARG_HISTORY(mamba_backend, RANGES(
    RANGE("0.20.0", NULL)))
ARG_HISTORY(mamba_block_size, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(mamba_cache_dtype, RANGES(
    RANGE("0.10.1", "0.13.0", .choices = ARG_JSON(["auto", "float32"])),
    RANGE("0.13.0", "0.22.0", .choices = ARG_JSON(["auto", "float16", "float32"])),
    RANGE("0.22.0", NULL)))
ARG_HISTORY(mamba_cache_mode, RANGES(
    RANGE("0.15.0", "0.32.0", .default_json = ARG_JSON("none"),
          .choices = ARG_JSON(["align", "all", "none"]), .deprecated = ARG_JSON(false)),
    RANGE("0.32.0", "0.33.0", .default_json = ARG_JSON("none"), .deprecated = ARG_JSON(false)),
    RANGE("0.33.0", NULL)))
ARG_HISTORY(mamba_cache_philox_rounds, RANGES(
    RANGE("0.20.0", NULL)))
ARG_HISTORY(mamba_ssm_cache_dtype, RANGES(
    RANGE("0.10.1", "0.13.0", .choices = ARG_JSON(["auto", "float32"])),
    RANGE("0.13.0", "0.22.0", .choices = ARG_JSON(["auto", "float16", "float32"])),
    RANGE("0.22.0", NULL)))
ARG_HISTORY(mamba_ssu_algorithm, RANGES(
    RANGE("0.27.0", NULL)))
ARG_HISTORY(master_addr, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(master_port, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(max_context_len_to_capture, RANGES(
    RANGE("0.4.0", "0.4.2", .default_json = ARG_JSON(8192), .deprecated = ARG_JSON(false)),
    RANGE("0.4.2", "0.6.4")),
    REPLACED("max_seq_len_to_capture", SAME), .told_by = "message 0.4.2",
    .replacement_until = "0.11.0")
ARG_HISTORY(max_cpu_loras, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(max_cudagraph_capture_size, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(max_log_len, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(max_logprobs, RANGES(
    RANGE("0.4.0", "0.5.0", .default_json = ARG_JSON(5)),
    RANGE("0.5.0", NULL)))
ARG_HISTORY(max_long_partial_prefills, RANGES(
    RANGE("0.7.3", "0.27.0")))
ARG_HISTORY(max_lora_cls_labels, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(max_lora_rank, RANGES(
    RANGE("0.4.0", "0.11.1", .choices = ARG_JSON(null)),
    RANGE("0.11.1", NULL)))
ARG_HISTORY(max_loras, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(max_model_len, RANGES(
    RANGE("0.4.0", "0.8.4", .type = "int"),
    RANGE("0.8.4", NULL)))
ARG_HISTORY(max_num_active_seqs, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(max_num_batched_tokens, RANGES(
    RANGE("0.4.0", "0.9.1", .type = "int"),
    RANGE("0.9.1", NULL)))
ARG_HISTORY(max_num_partial_prefills, RANGES(
    RANGE("0.7.3", "0.27.0")))
ARG_HISTORY(max_num_queued_reqs, RANGES(
    RANGE("0.29.0", NULL)))
ARG_HISTORY(max_num_queued_tokens, RANGES(
    RANGE("0.29.0", NULL)))
ARG_HISTORY(max_num_scheduled_tokens, RANGES(
    RANGE("0.26.0", NULL)))
ARG_HISTORY(max_num_seqs, RANGES(
    RANGE("0.4.0", "0.6.5", .default_json = ARG_JSON(256)),
    RANGE("0.6.5", NULL)))
ARG_HISTORY(max_parallel_loading_workers, RANGES(
    RANGE("0.4.0", "0.8.4"),
    RANGE("0.8.4", "0.8.5", .type = "string"),
    RANGE("0.8.5", NULL)))
ARG_HISTORY(max_prompt_adapter_token, RANGES(
    RANGE("0.5.2", "0.10.0")),
    .note = "prompt adapters were removed")
ARG_HISTORY(max_prompt_adapters, RANGES(
    RANGE("0.5.2", "0.10.0")),
    .note = "prompt adapters were removed")
ARG_HISTORY(max_seq_len_to_capture, RANGES(
    RANGE("0.4.2", "0.4.3", .flag = "--max-seq_len-to-capture"),
    RANGE("0.4.3", "0.11.0")))
ARG_HISTORY(media_io_kwargs, RANGES(
    RANGE("0.9.2", NULL)))
ARG_HISTORY(middleware, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(mm_cache_preprocessor, RANGES(
    RANGE("0.6.5", "0.6.6")),
    REPLACED("disable_mm_preprocessor_cache", NEGATED), .told_by = "succession",
    .replacement_until = "0.13.0", .note = "the cache became the default")
ARG_HISTORY(mm_device_do_normalize, RANGES(
    RANGE("0.28.0", NULL)))
ARG_HISTORY(mm_encoder_attn_backend, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(mm_encoder_attn_dtype, RANGES(
    RANGE("0.21.0", NULL)))
ARG_HISTORY(mm_encoder_fp8_scale_path, RANGES(
    RANGE("0.21.0", NULL)))
ARG_HISTORY(mm_encoder_fp8_scale_save_margin, RANGES(
    RANGE("0.21.0", NULL)))
ARG_HISTORY(mm_encoder_fp8_scale_save_path, RANGES(
    RANGE("0.21.0", NULL)))
ARG_HISTORY(mm_encoder_only, RANGES(
    RANGE("0.15.0", NULL)))
ARG_HISTORY(mm_encoder_tp_mode, RANGES(
    RANGE("0.10.2", NULL)))
ARG_HISTORY(mm_hasher_algorithm, RANGES(
    RANGE("0.27.0", NULL)))
ARG_HISTORY(mm_ipc_gpu_memory_gb, RANGES(
    RANGE("0.25.0", NULL)))
ARG_HISTORY(mm_processor_cache_gb, RANGES(
    RANGE("0.10.1", "0.10.2", .type = "int"),
    RANGE("0.10.2", NULL)))
ARG_HISTORY(mm_processor_cache_type, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(mm_processor_device, RANGES(
    RANGE("0.28.0", NULL)))
ARG_HISTORY(mm_processor_kwargs, RANGES(
    RANGE("0.6.2", NULL)))
ARG_HISTORY(mm_shm_cache_max_object_size_mb, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(mm_tensor_ipc, RANGES(
    RANGE("0.19.0", NULL)))
ARG_HISTORY(model, RANGES(
    RANGE("0.4.0", "0.10.0", .default_json = ARG_JSON("facebook/opt-125m")),
    RANGE("0.10.0", NULL)))
ARG_HISTORY(model_class_overrides, RANGES(
    RANGE("0.25.0", NULL)))
ARG_HISTORY(model_impl, RANGES(
    RANGE("0.7.2", "0.10.2", .choices = ARG_JSON(["auto", "transformers", "vllm"]),
          .choices_open = ARG_JSON(false)),
    RANGE("0.10.2", "0.11.0", .choices_open = ARG_JSON(false)),
    RANGE("0.11.0", NULL)))
ARG_HISTORY(model_loader_extra_config, RANGES(
    RANGE("0.4.1", "0.8.5", .default_json = ARG_JSON(null)),
    RANGE("0.8.5", NULL)))
ARG_HISTORY(moe_backend, RANGES(
    RANGE("0.17.0", "0.20.0", .choices = ARG_JSON(["aiter", "auto", "cutlass", "deep_gemm",
          "flashinfer_cutedsl", "flashinfer_cutlass", "flashinfer_trtllm", "marlin", "triton"])),
    RANGE("0.20.0", "0.21.0", .choices = ARG_JSON(["aiter", "auto", "cutlass", "deep_gemm",
          "deep_gemm_mega_moe", "emulation", "flashinfer_cutedsl", "flashinfer_cutlass",
          "flashinfer_trtllm", "marlin", "triton"])),
    RANGE("0.21.0", "0.22.0", .choices = ARG_JSON(["aiter", "auto", "cutlass", "deep_gemm",
          "deep_gemm_mega_moe", "emulation", "flashinfer_cutedsl", "flashinfer_cutlass",
          "flashinfer_trtllm", "humming", "marlin", "triton", "triton_unfused"])),
    RANGE("0.22.0", "0.24.0", .choices = ARG_JSON(["aiter", "auto", "cutlass", "deep_gemm",
          "deep_gemm_mega_moe", "emulation", "flashinfer_b12x", "flashinfer_cutedsl",
          "flashinfer_cutlass", "flashinfer_trtllm", "humming", "marlin", "triton",
          "triton_unfused"])),
    RANGE("0.24.0", "0.25.0", .choices = ARG_JSON(["aiter", "auto", "cutlass", "deep_gemm",
          "deep_gemm_mega_moe", "emulation", "flashinfer_b12x", "flashinfer_cutedsl",
          "flashinfer_cutlass", "flashinfer_trtllm", "flydsl", "humming", "marlin", "triton",
          "triton_unfused"])),
    RANGE("0.25.0", "0.27.0", .choices = ARG_JSON(["aiter", "auto", "cutlass", "deep_gemm",
          "deep_gemm_mega_moe", "emulation", "flashinfer_b12x", "flashinfer_cutedsl",
          "flashinfer_cutlass", "flashinfer_trtllm", "flydsl", "hpc", "humming", "marlin", "triton",
          "triton_unfused"])),
    RANGE("0.27.0", "0.29.0", .choices = ARG_JSON(["aiter", "auto", "batched_triton", "cutlass",
          "deep_gemm", "deep_gemm_mega_moe", "emulation", "flashinfer_b12x", "flashinfer_cutedsl",
          "flashinfer_cutlass", "flashinfer_trtllm", "flydsl", "hpc", "humming", "marlin", "triton",
          "triton_unfused"])),
    RANGE("0.29.0", "0.30.0", .choices = ARG_JSON(["aiter", "auto", "b12x", "batched_triton",
          "cutlass", "deep_gemm", "deep_gemm_mega_moe", "emulation", "flashinfer_b12x",
          "flashinfer_cutedsl", "flashinfer_cutlass", "flashinfer_moe_ep_mega_cutedsl",
          "flashinfer_moe_ep_mega_deep_gemm", "flashinfer_trtllm", "flydsl", "hpc", "humming",
          "marlin", "triton", "triton_unfused"])),
    RANGE("0.30.0", "0.32.0", .choices = ARG_JSON(["aiter", "aiter_triton_mxfp4_bf16", "auto",
          "b12x", "batched_triton", "cutlass", "deep_gemm", "deep_gemm_mega_moe", "emulation",
          "flashinfer_b12x", "flashinfer_cutedsl", "flashinfer_cutlass",
          "flashinfer_moe_ep_mega_cutedsl", "flashinfer_moe_ep_mega_deep_gemm", "flashinfer_trtllm",
          "flydsl", "hpc", "humming", "marlin", "rdna3", "triton", "triton_unfused"])),
    RANGE("0.32.0", "0.33.0", .choices = ARG_JSON(["aiter", "aiter_mega_moe",
          "aiter_triton_mxfp4_bf16", "auto", "b12x", "batched_triton", "cutlass", "deep_gemm",
          "deep_gemm_mega_moe", "emulation", "flashinfer_b12x", "flashinfer_cutedsl",
          "flashinfer_cutlass", "flashinfer_moe_ep_cutedsl", "flashinfer_moe_ep_mega_deep_gemm",
          "flashinfer_trtllm", "flydsl", "hpc", "humming", "marlin", "rdna3", "triton",
          "triton_unfused"])),
    RANGE("0.33.0", NULL)))
ARG_HISTORY(monokernel, RANGES(
    RANGE("0.33.0", NULL)))
ARG_HISTORY(multi_step_stream_outputs, RANGES(
    RANGE("0.6.2", "0.6.3", .default_json = ARG_JSON(false), .style = "flag"),
    RANGE("0.6.3", "0.8.5", .style = "optional_value", .const_json = ARG_JSON(true)),
    RANGE("0.8.5", "0.10.1")),
    .told_by = "code 0.10.1", .note = "multi-step scheduling was removed")
ARG_HISTORY(ngram_prompt_lookup_max, RANGES(
    RANGE("0.4.2", "0.8.3")),
    REPLACED("speculative_config.prompt_lookup_max", SAME), .told_by = "message 0.8.2")
ARG_HISTORY(ngram_prompt_lookup_min, RANGES(
    RANGE("0.4.2", "0.8.3")),
    REPLACED("speculative_config.prompt_lookup_min", SAME), .told_by = "message 0.8.2")
ARG_HISTORY(nnodes, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(node_rank, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(num_gpu_blocks_override, RANGES(
    RANGE("0.4.1", NULL)))
ARG_HISTORY(num_lookahead_slots, RANGES(
    RANGE("0.4.1", "0.12.0")))
ARG_HISTORY(num_redundant_experts, RANGES(
    RANGE("0.9.2", "0.10.2", .default_json = ARG_JSON(0), .deprecated = ARG_JSON(false)),
    RANGE("0.10.2", "0.12.0")),
    REPLACED("eplb_config.num_redundant_experts", SAME), .told_by = "code 0.11.2")
ARG_HISTORY(num_scheduler_steps, RANGES(
    RANGE("0.5.5", "0.10.1")),
    .told_by = "code 0.10.1", .note = "multi-step scheduling was removed")
ARG_HISTORY(num_speculative_tokens, RANGES(
    RANGE("0.4.1", "0.8.3")),
    REPLACED("speculative_config.num_speculative_tokens", SAME), .told_by = "message 0.8.2")
ARG_HISTORY(numa_bind, RANGES(
    RANGE("0.20.0", NULL)))
ARG_HISTORY(numa_bind_cpus, RANGES(
    RANGE("0.20.0", NULL)))
ARG_HISTORY(numa_bind_nodes, RANGES(
    RANGE("0.20.0", NULL)))
ARG_HISTORY(offload_backend, RANGES(
    RANGE("0.17.0", NULL)))
ARG_HISTORY(offload_group_size, RANGES(
    RANGE("0.17.0", NULL)))
ARG_HISTORY(offload_num_in_group, RANGES(
    RANGE("0.17.0", NULL)))
ARG_HISTORY(offload_params, RANGES(
    RANGE("0.17.0", NULL)))
ARG_HISTORY(offload_prefetch_step, RANGES(
    RANGE("0.17.0", NULL)))
ARG_HISTORY(optimization_level, RANGES(
    RANGE("0.12.0", NULL)))
ARG_HISTORY(otlp_traces_endpoint, RANGES(
    RANGE("0.5.1", NULL)))
ARG_HISTORY(override_attention_dtype, RANGES(
    RANGE("0.9.2", "0.28.0")))
ARG_HISTORY(override_generation_config, RANGES(
    RANGE("0.7.1", "0.9.0", .default_json = ARG_JSON(null)),
    RANGE("0.9.0", NULL)))
ARG_HISTORY(override_neuron_config, RANGES(
    RANGE("0.6.0", "0.9.0", .default_json = ARG_JSON(null)),
    RANGE("0.9.0", "0.10.2")))
ARG_HISTORY(override_pooler_config, RANGES(
    RANGE("0.6.4", "0.11.0", .deprecated = ARG_JSON(false)),
    RANGE("0.11.0", "0.12.0")),
    REPLACED("pooler_config", SAME), .told_by = "message 0.11.2")
ARG_HISTORY(per_request_spec_decode_metrics, RANGES(
    RANGE("0.29.0", NULL)))
ARG_HISTORY(performance_mode, RANGES(
    RANGE("0.17.0", NULL)))
ARG_HISTORY(pipeline_parallel_size, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(pooler_config, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(port, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(preemption_mode, RANGES(
    RANGE("0.5.0", "0.5.1", .choices = ARG_JSON(null), .flag = "--preemption_mode"),
    RANGE("0.5.1", "0.8.5", .choices = ARG_JSON(null)),
    RANGE("0.8.5", "0.11.0")))
ARG_HISTORY(prefill_context_parallel_size, RANGES(
    RANGE("0.12.0", NULL)))
ARG_HISTORY(prefill_schedule_interval, RANGES(
    RANGE("0.24.0", NULL)))
ARG_HISTORY(prefix_cache_retention_interval, RANGES(
    RANGE("0.29.0", "0.30.0",
          .computed = "chosen from the model and the speculative settings when not set"),
    RANGE("0.30.0", NULL)))
ARG_HISTORY(prefix_caching_hash_algo, RANGES(
    RANGE("0.8.3", "0.10.0", .default_json = ARG_JSON("builtin"),
          .choices = ARG_JSON(["builtin", "sha256"])),
    RANGE("0.10.0", "0.10.2", .default_json = ARG_JSON("builtin"), .choices = ARG_JSON(["builtin",
          "sha256", "sha256_cbor_64bit"])),
    RANGE("0.10.2", "0.13.0", .choices = ARG_JSON(["sha256", "sha256_cbor"])),
    RANGE("0.13.0", NULL)))
ARG_HISTORY(prefix_match_unit, RANGES(
    RANGE("0.26.0", NULL)))
ARG_HISTORY(profiler_config, RANGES(
    RANGE("0.13.0", NULL)))
ARG_HISTORY(prompt_adapters, RANGES(
    RANGE("0.5.2", "0.10.0")),
    .note = "prompt adapters were removed")
ARG_HISTORY(pt_load_map_location, RANGES(
    RANGE("0.9.0", NULL)))
ARG_HISTORY(qlora_adapter_name_or_path, RANGES(
    RANGE("0.5.0", "0.9.0", .deprecated = ARG_JSON(false)),
    RANGE("0.9.0", "0.10.0")),
    .told_by = "message 0.9.0", .note = "it has no effect")
ARG_HISTORY(quantization, RANGES(
    RANGE("0.4.0", "0.4.1", .choices = ARG_JSON(["awq", "gptq", "squeezellm"])),
    RANGE("0.4.1", "0.4.2", .choices = ARG_JSON(["aqlm", "awq", "fp8", "gptq", "marlin",
          "squeezellm"])),
    RANGE("0.4.2", "0.4.3", .choices = ARG_JSON(["aqlm", "awq", "fp8", "gptq", "gptq_marlin",
          "marlin", "squeezellm"])),
    RANGE("0.4.3", "0.5.0", .choices = ARG_JSON(["aqlm", "awq", "deepspeedfp", "fp8", "gptq",
          "gptq_marlin", "gptq_marlin_24", "marlin", "sparseml", "squeezellm"])),
    RANGE("0.5.0", "0.5.3", .choices = ARG_JSON(["aqlm", "awq", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "fp8", "gptq", "gptq_marlin", "gptq_marlin_24",
          "marlin", "squeezellm"])),
    RANGE("0.5.3", "0.5.4", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "fbgemm_fp8", "fp8", "gptq", "gptq_marlin",
          "gptq_marlin_24", "marlin", "squeezellm"])),
    RANGE("0.5.4", "0.5.5", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "fbgemm_fp8", "fp8", "gptq", "gptq_marlin",
          "gptq_marlin_24", "marlin", "qqq", "squeezellm"])),
    RANGE("0.5.5", "0.6.0", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "marlin", "qqq", "squeezellm", "tpu_int8"])),
    RANGE("0.6.0", "0.6.1", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "marlin", "neuron_quant", "qqq", "squeezellm",
          "tpu_int8"])),
    RANGE("0.6.1", "0.6.3", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "marlin", "modelopt", "neuron_quant", "qqq",
          "tpu_int8"])),
    RANGE("0.6.3", "0.6.5", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "ipex", "marlin", "modelopt", "neuron_quant", "qqq",
          "tpu_int8"])),
    RANGE("0.6.5", "0.7.0", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "neuron_quant",
          "qqq", "tpu_int8"])),
    RANGE("0.7.0", "0.7.1", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "neuron_quant",
          "qqq", "quark", "tpu_int8"])),
    RANGE("0.7.1", "0.7.3", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "moe_wna16",
          "neuron_quant", "qqq", "quark", "tpu_int8"])),
    RANGE("0.7.3", "0.8.0", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "moe_wna16",
          "neuron_quant", "ptpc_fp8", "qqq", "quark", "tpu_int8"])),
    RANGE("0.8.0", "0.8.4", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "moe_wna16",
          "neuron_quant", "nvfp4", "ptpc_fp8", "qqq", "quark", "tpu_int8"])),
    RANGE("0.8.4", "0.8.5", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "moe_wna16",
          "neuron_quant", "nvfp4", "ptpc_fp8", "qqq", "quark", "torchao", "tpu_int8"])),
    RANGE("0.8.5", "0.9.0", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitblas",
          "bitsandbytes", "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8",
          "gguf", "gptq", "gptq_bitblas", "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin",
          "modelopt", "moe_wna16", "neuron_quant", "nvfp4", "ptpc_fp8", "qqq", "quark", "torchao",
          "tpu_int8"])),
    RANGE("0.9.0", "0.9.2", .choices = ARG_JSON(["aqlm", "auto-round", "awq", "awq_marlin",
          "bitblas", "bitsandbytes", "compressed-tensors", "deepspeedfp", "experts_int8",
          "fbgemm_fp8", "fp8", "gguf", "gptq", "gptq_bitblas", "gptq_marlin", "gptq_marlin_24",
          "hqq", "ipex", "marlin", "modelopt", "modelopt_fp4", "moe_wna16", "neuron_quant",
          "ptpc_fp8", "qqq", "quark", "torchao", "tpu_int8"])),
    RANGE("0.9.2", NULL)))
ARG_HISTORY(quantization_config, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(quantization_param_path, RANGES(
    RANGE("0.4.1", "0.7.0")))
ARG_HISTORY(ray_workers_use_nsight, RANGES(
    RANGE("0.4.0", "0.8.5", .style = "flag"),
    RANGE("0.8.5", NULL)))
ARG_HISTORY(reasoning_config, RANGES(
    RANGE("0.19.0", NULL)))
ARG_HISTORY(reasoning_effort_map, RANGES(
    RANGE("0.33.0", NULL)))
ARG_HISTORY(reasoning_parser, RANGES(
    RANGE("0.7.1", "0.8.0", .default_json = ARG_JSON(null)),
    RANGE("0.8.0", "0.8.3", .default_json = ARG_JSON(null), .choices = ARG_JSON(["deepseek_r1"])),
    RANGE("0.8.3", "0.9.0", .default_json = ARG_JSON(null),
          .choices = ARG_JSON(["deepseek_r1", "granite"])),
    RANGE("0.9.0", "0.10.0", .choices = ARG_JSON(["deepseek_r1", "granite", "qwen3"])),
    RANGE("0.10.0", "0.10.1", .choices = ARG_JSON(["deepseek_r1", "glm4_moe", "granite",
          "hunyuan_a13b", "mistral", "qwen3"])),
    RANGE("0.10.1", "0.10.2", .choices = ARG_JSON(["GptOss", "deepseek_r1", "glm45", "granite",
          "hunyuan_a13b", "mistral", "qwen3", "step3"])),
    RANGE("0.10.2", "0.11.0", .choices = ARG_JSON(["deepseek_r1", "glm45", "granite",
          "hunyuan_a13b", "mistral", "openai_gptoss", "qwen3", "step3"])),
    RANGE("0.11.0", "0.11.1", .choices = ARG_JSON(["deepseek_r1", "glm45", "granite",
          "hunyuan_a13b", "mistral", "openai_gptoss", "qwen3", "seed_oss", "step3"])),
    RANGE("0.11.1", NULL)))
ARG_HISTORY(reasoning_parser_plugin, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(renderer_num_workers, RANGES(
    RANGE("0.19.0", NULL)))
ARG_HISTORY(replayssm_buffer_len, RANGES(
    RANGE("0.27.0", NULL)))
ARG_HISTORY(response_role, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(return_sampling_mask, RANGES(
    RANGE("0.28.0", NULL)))
ARG_HISTORY(return_tokens_as_token_ids, RANGES(
    RANGE("0.5.4", "0.10.0", .style = "flag"),
    RANGE("0.10.0", NULL)))
ARG_HISTORY(revision, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(root_path, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(rope_scaling, RANGES(
    RANGE("0.4.3", "0.9.0", .default_json = ARG_JSON(null)),
    RANGE("0.9.0", "0.11.1")),
    REPLACED("hf_overrides.rope_scaling", SAME), .told_by = "message 0.11.0")
ARG_HISTORY(rope_theta, RANGES(
    RANGE("0.5.0", "0.11.1")),
    REPLACED("hf_overrides.rope_theta", SAME), .told_by = "message 0.11.0")
ARG_HISTORY(runner, RANGES(
    RANGE("0.10.1", NULL)))
ARG_HISTORY(safetensors_load_strategy, RANGES(
    RANGE("0.10.2", "0.19.0", .default_json = ARG_JSON("lazy"), .choices = ARG_JSON(null)),
    RANGE("0.19.0", "0.24.0", .choices = ARG_JSON(null)),
    RANGE("0.24.0", NULL)))
ARG_HISTORY(safetensors_prefetch_block_size, RANGES(
    RANGE("0.21.0", NULL)))
ARG_HISTORY(safetensors_prefetch_num_threads, RANGES(
    RANGE("0.21.0", NULL)))
ARG_HISTORY(scheduler_cls, RANGES(
    RANGE("0.7.3", "0.11.1", .default_json = ARG_JSON("vllm.core.scheduler.Scheduler")),
    RANGE("0.11.1", NULL)))
ARG_HISTORY(scheduler_delay_factor, RANGES(
    RANGE("0.4.0", "0.11.0")))
ARG_HISTORY(scheduler_reserve_full_isl, RANGES(
    RANGE("0.19.0", NULL)))
ARG_HISTORY(scheduling_policy, RANGES(
    RANGE("0.6.3", NULL)))
ARG_HISTORY(seed, RANGES(
    RANGE("0.4.0", "0.8.0"),
    RANGE("0.8.0", "0.12.0", .default_json = ARG_JSON(null)),
    RANGE("0.12.0", NULL)))
ARG_HISTORY(served_model_name, RANGES(
    RANGE("0.4.0", "0.4.1", .type = "string", .style = "value"),
    RANGE("0.4.1", NULL)))
ARG_HISTORY(show_hidden_metrics_for_version, RANGES(
    RANGE("0.8.0", NULL)))
ARG_HISTORY(shutdown_timeout, RANGES(
    RANGE("0.18.0", NULL)))
ARG_HISTORY(skip_mm_profiling, RANGES(
    RANGE("0.10.1", NULL)))
ARG_HISTORY(skip_tokenizer_init, RANGES(
    RANGE("0.4.1", "0.9.0", .style = "flag"),
    RANGE("0.9.0", NULL)))
ARG_HISTORY(sleep_mode_backend, RANGES(
    RANGE("0.33.0", NULL)))
ARG_HISTORY(sleep_mode_offload_cudagraph, RANGES(
    RANGE("0.32.0", NULL)))
ARG_HISTORY(sleep_preserve_parameter_names, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(sparse_indexer_topk_backend, RANGES(
    RANGE("0.30.0", "0.32.0", .choices = ARG_JSON(["auto", "cooperative", "deep_select",
          "flashinfer", "per_row", "persistent", "torch"])),
    RANGE("0.32.0", NULL)))
ARG_HISTORY(spec_decoding_acceptance_method, RANGES(
    RANGE("0.5.1", "0.8.3")),
    REPLACED("speculative_config.acceptance_method", SAME), .told_by = "message 0.8.2",
    .replacement_until = "0.10.0")
ARG_HISTORY(spec_method, RANGES(
    RANGE("0.22.0", "0.24.0", .choices = ARG_JSON(["custom_class", "deepseek_mtp", "dflash",
          "draft_model", "eagle", "eagle3", "ernie_mtp", "exaone4_5_mtp", "exaone_moe_mtp",
          "extract_hidden_states", "gemma4_mtp", "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp",
          "hy_v3_mtp", "longcat_flash_mtp", "medusa", "mimo_mtp", "mimo_v2_mtp", "mlp_speculator",
          "mtp", "nemotron_h_mtp", "ngram", "ngram_gpu", "pangu_ultra_moe_mtp", "qwen3_5_mtp",
          "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.24.0", "0.25.0", .choices = ARG_JSON(["custom_class", "deepseek_mtp", "dflash",
          "draft_model", "eagle", "eagle3", "ernie_mtp", "exaone4_5_mtp", "exaone_moe_mtp",
          "extract_hidden_states", "gemma4_mtp", "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp",
          "hy_v3_mtp", "longcat_flash_mtp", "medusa", "mimo_mtp", "mimo_v2_mtp", "minimax_m3_mtp",
          "mlp_speculator", "mtp", "nemotron_h_mtp", "ngram", "ngram_gpu", "pangu_ultra_moe_mtp",
          "qwen3_5_mtp", "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.25.0", "0.26.0", .choices = ARG_JSON(["bailing_hybrid_mtp", "custom_class",
          "deepseek_mtp", "dflash", "draft_model", "dspark", "eagle", "eagle3", "ernie_mtp",
          "exaone4_5_mtp", "exaone_moe_mtp", "extract_hidden_states", "gemma4_mtp",
          "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp", "hy_v3_mtp", "longcat_flash_mtp",
          "medusa", "mimo_mtp", "mimo_v2_mtp", "minimax_m3_mtp", "mlp_speculator", "mtp",
          "nemotron_h_mtp", "ngram", "ngram_gpu", "pangu_ultra_moe_mtp", "qwen3_5_mtp",
          "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.26.0", "0.27.0", .choices = ARG_JSON(["bailing_hybrid_mtp", "custom_class",
          "deepseek_mtp", "dflash", "draft_model", "dspark", "eagle", "eagle3", "ernie_mtp",
          "exaone4_5_mtp", "exaone_moe_mtp", "extract_hidden_states", "gemma4_mtp",
          "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp", "hy_v3_mtp", "inkling_mtp",
          "longcat_flash_mtp", "medusa", "mimo_mtp", "mimo_v2_mtp", "minimax_m3_mtp",
          "mlp_speculator", "mtp", "nemotron_h_mtp", "ngram", "ngram_gpu", "pangu_ultra_moe_mtp",
          "qwen3_5_mtp", "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.27.0", "0.28.0", .choices = ARG_JSON(["bailing_hybrid_mtp", "custom_class",
          "deepseek_mtp", "dflash", "draft_model", "dspark", "eagle", "eagle3", "ernie_mtp",
          "exaone4_5_mtp", "exaone_moe_mtp", "extract_hidden_states", "gemma4_mtp",
          "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp", "hy_v3_mtp", "inkling_mtp",
          "kimi_k3_mtp", "longcat_flash_mtp", "medusa", "mimo_mtp", "mimo_v2_mtp", "minimax_m3_mtp",
          "mlp_speculator", "mtp", "nemotron_h_mtp", "ngram", "ngram_gpu", "pangu_ultra_moe_mtp",
          "qwen3_5_mtp", "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.28.0", "0.29.0", .choices = ARG_JSON(["bailing_hybrid_mtp", "bailing_hybrid_v3_mtp",
          "custom_class", "deepseek_mtp", "dflash", "dots3_note_mtp", "draft_model", "dspark",
          "eagle", "eagle3", "ernie_mtp", "exaone4_5_mtp", "exaone_moe_mtp",
          "extract_hidden_states", "gemma4_mtp", "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp",
          "hy_v3_mtp", "inkling_mtp", "kimi_k3_mtp", "longcat_flash_mtp", "medusa", "mimo_mtp",
          "mimo_v2_mtp", "minimax_m3_mtp", "mlp_speculator", "mtp", "nemotron_h_mtp", "ngram",
          "ngram_gpu", "pangu_ultra_moe_mtp", "qwen3_5_mtp", "qwen3_next_mtp", "step3p5_mtp",
          "suffix"])),
    RANGE("0.29.0", "0.30.0", .choices = ARG_JSON(["bailing_hybrid_mtp", "bailing_hybrid_v3_mtp",
          "custom_class", "deepseek_mtp", "dflash", "dots3_note_mtp", "draft_model", "dspark",
          "eagle", "eagle3", "ernie_mtp", "exaone4_5_mtp", "exaone_moe_mtp",
          "extract_hidden_states", "gemma4_mtp", "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp",
          "hy_v3_mtp", "hy_v4_mtp", "inkling_mtp", "kimi_k3_mtp", "longcat_flash_mtp", "medusa",
          "mimo_mtp", "mimo_v2_mtp", "minimax_m3_mtp", "mlp_speculator", "mtp", "nemotron_h_mtp",
          "ngram", "ngram_gpu", "pangu_ultra_moe_mtp", "qwen3_5_mtp", "qwen3_next_mtp",
          "qwen4_exp_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.30.0", "0.33.0", .choices = ARG_JSON(["bailing_hybrid_mtp", "bailing_hybrid_v3_mtp",
          "custom_class", "deepseek_mtp", "dflash", "dots3_note_mtp", "draft_model", "dspark",
          "eagle", "eagle3", "ernie_mtp", "exaone4_5_mtp", "exaone_moe_mtp",
          "extract_hidden_states", "gemma4_mtp", "glm4_moe_lite_mtp", "glm4_moe_mtp",
          "glm5_next_mtp", "glm_ocr_mtp", "hy_v3_mtp", "hy_v4_mtp", "inkling_mtp", "kimi_k3_mtp",
          "longcat_flash_mtp", "medusa", "mimo_mtp", "mimo_v2_mtp", "minimax_m3_mtp",
          "mlp_speculator", "mtp", "nemotron_h_mtp", "ngram", "ngram_gpu", "pangu_ultra_moe_mtp",
          "qwen3_5_mtp", "qwen3_next_mtp", "qwen4_exp_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.33.0", NULL)))
ARG_HISTORY(spec_model, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(spec_tokens, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(specialize_active_lora, RANGES(
    RANGE("0.16.0", NULL)))
ARG_HISTORY(speculative_config, RANGES(
    RANGE("0.8.2", "0.8.3", .aliases = ""),
    RANGE("0.8.3", "0.19.0", .aliases = ""),
    RANGE("0.19.0", NULL)))
ARG_HISTORY(speculative_disable_by_batch_size, RANGES(
    RANGE("0.4.3", "0.8.3")),
    REPLACED("speculative_config.disable_by_batch_size", SAME), .told_by = "message 0.8.2",
    .replacement_until = "0.17.0")
ARG_HISTORY(speculative_disable_mqa_scorer, RANGES(
    RANGE("0.6.3", "0.8.3")),
    REPLACED("speculative_config.disable_mqa_scorer", SAME), .told_by = "message 0.8.2",
    .replacement_until = "0.10.0")
ARG_HISTORY(speculative_draft_tensor_parallel_size, RANGES(
    RANGE("0.5.1", "0.8.3")),
    REPLACED("speculative_config.draft_tensor_parallel_size", SAME), .told_by = "message 0.8.2")
ARG_HISTORY(speculative_max_model_len, RANGES(
    RANGE("0.4.1", "0.4.2", .type = "string"),
    RANGE("0.4.2", "0.8.3")),
    REPLACED("speculative_config.max_model_len", SAME), .told_by = "message 0.8.2")
ARG_HISTORY(speculative_model, RANGES(
    RANGE("0.4.1", "0.8.3")),
    REPLACED("speculative_config.model", SAME), .told_by = "message 0.8.2")
ARG_HISTORY(speculative_model_quantization, RANGES(
    RANGE("0.5.5", "0.6.0", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "marlin", "qqq", "squeezellm", "tpu_int8"])),
    RANGE("0.6.0", "0.6.1", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "marlin", "neuron_quant", "qqq", "squeezellm",
          "tpu_int8"])),
    RANGE("0.6.1", "0.6.3", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "marlin", "modelopt", "neuron_quant", "qqq",
          "tpu_int8"])),
    RANGE("0.6.3", "0.6.5", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "ipex", "marlin", "modelopt", "neuron_quant", "qqq",
          "tpu_int8"])),
    RANGE("0.6.5", "0.7.0", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "neuron_quant",
          "qqq", "tpu_int8"])),
    RANGE("0.7.0", "0.7.1", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "neuron_quant",
          "qqq", "quark", "tpu_int8"])),
    RANGE("0.7.1", "0.7.3", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "moe_wna16",
          "neuron_quant", "qqq", "quark", "tpu_int8"])),
    RANGE("0.7.3", "0.8.0", .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
          "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
          "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "moe_wna16",
          "neuron_quant", "ptpc_fp8", "qqq", "quark", "tpu_int8"])),
    RANGE("0.8.0", "0.8.3")),
    REPLACED("speculative_config.quantization", SAME), .told_by = "message 0.8.2")
ARG_HISTORY(sse_keep_alive_interval, RANGES(
    RANGE("0.29.0", NULL)))
ARG_HISTORY(ssl_ca_certs, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(ssl_cert_reqs, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(ssl_certfile, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(ssl_ciphers, RANGES(
    RANGE("0.15.0", NULL)))
ARG_HISTORY(ssl_keyfile, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(stream_interval, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(structured_outputs_config, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(swa_bounded_replay, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(swap_space, RANGES(
    RANGE("0.4.0", "0.5.5", .type = "int"),
    RANGE("0.5.5", "0.18.0")),
    .told_by = "message 0.18.0", .note = "the Python API still accepted and ignored it")
ARG_HISTORY(task, RANGES(
    RANGE("0.6.4", "0.6.5", .default_json = ARG_JSON("auto"),
          .choices = ARG_JSON(["auto", "embedding", "generate"]), .deprecated = ARG_JSON(false)),
    RANGE("0.6.5", "0.7.3", .default_json = ARG_JSON("auto"), .choices = ARG_JSON(["auto",
          "classify", "embed", "embedding", "generate", "reward", "score"]),
          .deprecated = ARG_JSON(false)),
    RANGE("0.7.3", "0.9.0", .default_json = ARG_JSON("auto"), .choices = ARG_JSON(["auto",
          "classify", "embed", "embedding", "generate", "reward", "score", "transcription"]),
          .deprecated = ARG_JSON(false)),
    RANGE("0.9.0", "0.10.1", .default_json = ARG_JSON("auto"), .deprecated = ARG_JSON(false)),
    RANGE("0.10.1", "0.13.0")),
    REPLACED("runner, convert", OTHER), .told_by = "message 0.12.0",
    .note = "the model decides which of the two to set; vLLM prints it at startup")
ARG_HISTORY(tensor_parallel_size, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(tokenizer, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(tokenizer_mode, RANGES(
    RANGE("0.4.0", "0.6.0", .choices = ARG_JSON(["auto", "slow"]), .choices_open = ARG_JSON(false)),
    RANGE("0.6.0", "0.7.3", .choices = ARG_JSON(["auto", "mistral", "slow"]),
          .choices_open = ARG_JSON(false)),
    RANGE("0.7.3", "0.12.0", .choices = ARG_JSON(["auto", "custom", "mistral", "slow"]),
          .choices_open = ARG_JSON(false)),
    RANGE("0.12.0", "0.13.0", .choices = ARG_JSON(["auto", "hf", "mistral", "slow"]),
          .choices_open = ARG_JSON(true)),
    RANGE("0.13.0", "0.20.0", .choices = ARG_JSON(["auto", "deepseek_v32", "hf", "mistral",
          "slow"]), .choices_open = ARG_JSON(true)),
    RANGE("0.20.0", "0.21.0", .choices = ARG_JSON(["auto", "deepseek_v32", "deepseek_v4", "hf",
          "mistral", "slow"]), .choices_open = ARG_JSON(true)),
    RANGE("0.21.0", "0.22.0", .choices = ARG_JSON(["auto", "deepseek_v32", "deepseek_v4",
          "fastokens", "hf", "mistral", "slow"]), .choices_open = ARG_JSON(true)),
    RANGE("0.22.0", "0.26.0", .choices = ARG_JSON(["auto", "deepseek_v32", "deepseek_v4", "hf",
          "mistral", "slow"]), .choices_open = ARG_JSON(true)),
    RANGE("0.26.0", "0.27.0", .choices = ARG_JSON(["auto", "deepseek_v32", "deepseek_v4", "hf",
          "inkling", "mistral", "slow"]), .choices_open = ARG_JSON(true)),
    RANGE("0.27.0", "0.31.0", .choices = ARG_JSON(["auto", "cohere", "deepseek_v32", "deepseek_v4",
          "hf", "inkling", "kimi_k3", "mistral", "slow"]), .choices_open = ARG_JSON(true)),
    RANGE("0.31.0", "0.33.0", .choices = ARG_JSON(["auto", "cohere", "deepseek_v32", "deepseek_v4",
          "hf", "inkling", "kimi_k3", "mistral"]), .choices_open = ARG_JSON(true)),
    RANGE("0.33.0", NULL)))
ARG_HISTORY(tokenizer_pool_extra_config, RANGES(
    RANGE("0.4.0", "0.8.5", .default_json = ARG_JSON(null), .deprecated = ARG_JSON(false)),
    RANGE("0.8.5", "0.10.0")),
    .told_by = "message 0.8.5", .note = "it has no effect")
ARG_HISTORY(tokenizer_pool_size, RANGES(
    RANGE("0.4.0", "0.8.5", .deprecated = ARG_JSON(false)),
    RANGE("0.8.5", "0.10.0")),
    .told_by = "message 0.8.5", .note = "it has no effect")
ARG_HISTORY(tokenizer_pool_type, RANGES(
    RANGE("0.4.0", "0.8.5", .deprecated = ARG_JSON(false)),
    RANGE("0.8.5", "0.10.0")),
    .told_by = "message 0.8.5", .note = "it has no effect")
ARG_HISTORY(tokenizer_revision, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(tokens_only, RANGES(
    RANGE("0.11.1", NULL)))
ARG_HISTORY(tool_call_parser, RANGES(
    RANGE("0.6.0", "0.6.3", .choices = ARG_JSON(["hermes", "mistral"])),
    RANGE("0.6.3", "0.10.0"),
    RANGE("0.10.0", "0.10.1", .choices = ARG_JSON(["deepseek_v3", "glm4_moe", "granite",
          "granite-20b-fc", "hermes", "hunyuan_a13b", "internlm", "jamba", "kimi_k2", "llama3_json",
          "llama4_json", "llama4_pythonic", "minimax", "mistral", "phi4_mini_json", "pythonic",
          "qwen3_coder", "xlam"])),
    RANGE("0.10.1", NULL)))
ARG_HISTORY(tool_parser_plugin, RANGES(
    RANGE("0.6.3", NULL)))
ARG_HISTORY(tool_server, RANGES(
    RANGE("0.10.1", NULL)))
ARG_HISTORY(tool_strict_level, RANGES(
    RANGE("0.31.0", "0.33.0", .default_json = ARG_JSON("auto")),
    RANGE("0.33.0", NULL)))
ARG_HISTORY(trust_remote_code, RANGES(
    RANGE("0.4.0", "0.9.0", .style = "flag"),
    RANGE("0.9.0", NULL)))
ARG_HISTORY(trust_request_chat_template, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(trust_request_mm_kwargs, RANGES(
    RANGE("0.31.0", NULL)))
ARG_HISTORY(typical_acceptance_sampler_posterior_alpha, RANGES(
    RANGE("0.5.1", "0.8.3")),
    REPLACED("speculative_config.posterior_alpha", SAME), .told_by = "message 0.8.2",
    .replacement_until = "0.10.0")
ARG_HISTORY(typical_acceptance_sampler_posterior_threshold, RANGES(
    RANGE("0.5.1", "0.8.3")),
    REPLACED("speculative_config.posterior_threshold", SAME), .told_by = "message 0.8.2",
    .replacement_until = "0.10.0")
ARG_HISTORY(ubatch_size, RANGES(
    RANGE("0.14.0", NULL)))
ARG_HISTORY(uds, RANGES(
    RANGE("0.10.1", NULL)))
ARG_HISTORY(use_fp64_gumbel, RANGES(
    RANGE("0.22.0", NULL)))
ARG_HISTORY(use_gpu_for_pooling_score, RANGES(
    RANGE("0.17.0", "0.18.0")))
ARG_HISTORY(use_replayssm, RANGES(
    RANGE("0.27.0", NULL)))
ARG_HISTORY(use_tqdm_on_load, RANGES(
    RANGE("0.8.0", NULL)))
ARG_HISTORY(use_v2_block_manager, RANGES(
    RANGE("0.4.0", "0.6.3", .default_json = ARG_JSON(false), .deprecated = ARG_JSON(false)),
    RANGE("0.6.3", "0.6.4", .deprecated = ARG_JSON(false)),
    RANGE("0.6.4", "0.6.5", .default_json = ARG_JSON(false)),
    RANGE("0.6.5", "0.10.0")),
    .told_by = "message 0.6.4", .note = "version 2 was the only block manager since then")
ARG_HISTORY(uvicorn_log_level, RANGES(
    RANGE("0.4.0", NULL)))
ARG_HISTORY(video_pruning_method, RANGES(
    RANGE("0.27.0", NULL)))
ARG_HISTORY(video_pruning_rate, RANGES(
    RANGE("0.11.0", NULL)))
ARG_HISTORY(watchdog_config, RANGES(
    RANGE("0.33.0", NULL)))
ARG_HISTORY(watermark, RANGES(
    RANGE("0.24.0", NULL)))
ARG_HISTORY(watermark_config, RANGES(
    RANGE("0.30.0", NULL)))
ARG_HISTORY(weight_transfer_config, RANGES(
    RANGE("0.16.0", NULL)))
ARG_HISTORY(worker_cls, RANGES(
    RANGE("0.6.5", NULL)))
ARG_HISTORY(worker_extension_cls, RANGES(
    RANGE("0.8.0", NULL)))
ARG_HISTORY(worker_use_ray, RANGES(
    RANGE("0.4.0", "0.4.3", .deprecated = ARG_JSON(false)),
    RANGE("0.4.3", "0.7.0")),
    REPLACED("distributed_executor_backend", CONSTANT), .value = ARG_JSON("ray"),
    .told_by = "message 0.4.3")

#undef RELEASE
#undef ARG_HISTORY
