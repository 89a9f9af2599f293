/*
 * In which releases of vLLM each key of the JSON arguments was, and how.
 *
 * Made by tools/make-history.
 *
 * KEY_HISTORY(argument, path, ranges, …)
 *                           a key, by argument and path; as ARG_HISTORY of engine_args_history.h.
 *                           No range holds for a release without the argument. A key that the last
 *                           release does not have is no row of engine_fields.h: its ranges say all.
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef KEY_HISTORY
#define KEY_HISTORY(argument, path, ranges, ...)
#endif

KEY_HISTORY(attention_config, "backend", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(attention_config, "backend_per_kind", RANGES(
    RANGE("0.26.0", NULL)))
KEY_HISTORY(attention_config, "disable_flashinfer_prefill", RANGES(
    RANGE("0.13.0", "0.18.0", .default_json = ARG_JSON(false)),
    RANGE("0.18.0", "0.21.0", .default_json = ARG_JSON(true)),
    RANGE("0.21.0", "0.22.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(attention_config, "disable_flashinfer_q_quantization", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(attention_config, "flash_attn_max_num_splits_for_cuda_graph", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(attention_config, "flash_attn_version", RANGES(
    RANGE("0.13.0", "0.17.0", .choices = ARG_JSON([2, 3])),
    RANGE("0.17.0", NULL)))
KEY_HISTORY(attention_config, "flex_attn_block_m", RANGES(
    RANGE("0.22.0", NULL)))
KEY_HISTORY(attention_config, "flex_attn_block_n", RANGES(
    RANGE("0.22.0", NULL)))
KEY_HISTORY(attention_config, "flex_attn_kv_block_size", RANGES(
    RANGE("0.22.0", NULL)))
KEY_HISTORY(attention_config, "flex_attn_q_block_size", RANGES(
    RANGE("0.22.0", NULL)))
KEY_HISTORY(attention_config, "hisparse_config", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(attention_config, "indexer_kv_dtype", RANGES(
    RANGE("0.24.0", "0.28.0", .default_json = ARG_JSON("bf16"),
          .choices = ARG_JSON(["bf16", "fp8", "mxfp4", "nvfp4"])),
    RANGE("0.28.0", NULL)))
KEY_HISTORY(attention_config, "indexer_sparse_logits", RANGES(
    RANGE("0.31.0", NULL)))
KEY_HISTORY(attention_config, "indexer_tp_shard_min_rows", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(attention_config, "minimax_m3_indexer_cp", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(attention_config, "minimax_m3_msa_decode_backend", RANGES(
    RANGE("0.27.0", NULL)))
KEY_HISTORY(attention_config, "mla_prefill_backend", RANGES(
    RANGE("0.21.0", NULL)))
KEY_HISTORY(attention_config, "sparse_mla_force_mqa", RANGES(
    RANGE("0.26.0", NULL)))
KEY_HISTORY(attention_config, "sparse_mla_prefill_workspace_factor", RANGES(
    RANGE("0.32.0", NULL)))
KEY_HISTORY(attention_config, "tokenspeed_mla_min_split_kv", RANGES(
    RANGE("0.32.0", NULL)))
KEY_HISTORY(attention_config, "tq_max_kv_splits_for_cuda_graph", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(attention_config, "trtllm_ragged_backend", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(attention_config, "use_cudnn_prefill", RANGES(
    RANGE("0.13.0", "0.22.0", .default_json = ARG_JSON(false))))
KEY_HISTORY(attention_config, "use_fp4_indexer_cache", RANGES(
    RANGE("0.20.0", "0.28.0", .default_json = ARG_JSON(false)),
    RANGE("0.28.0", "0.30.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(attention_config, "use_non_causal", RANGES(
    RANGE("0.21.0", NULL)))
KEY_HISTORY(attention_config, "use_prefill_decode_attention", RANGES(
    RANGE("0.13.0", "0.29.0", .default_json = ARG_JSON(false))))
KEY_HISTORY(attention_config, "use_prefill_query_quantization", RANGES(
    RANGE("0.17.0", NULL)))
KEY_HISTORY(attention_config, "use_trtllm_attention", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(attention_config, "use_trtllm_ragged_deepseek_prefill", RANGES(
    RANGE("0.13.0", "0.15.0", .default_json = ARG_JSON(false)),
    RANGE("0.15.0", "0.18.0", .default_json = ARG_JSON(true)),
    RANGE("0.18.0", "0.18.1", .default_json = ARG_JSON(false)),
    RANGE("0.18.1", "0.19.0", .default_json = ARG_JSON(true)),
    RANGE("0.19.0", "0.22.0", .default_json = ARG_JSON(false))))
KEY_HISTORY(aux_output_config, "enable_return_routed_experts", RANGES(
    RANGE("0.31.0", NULL)))
KEY_HISTORY(aux_output_config, "max_bytes", RANGES(
    RANGE("0.31.0", NULL)))
KEY_HISTORY(compilation_config, "backend", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(compilation_config, "cache_dir", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(compilation_config, "candidate_compile_sizes", RANGES(
    RANGE("0.6.5", "0.7.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(compilation_config, "compile_cache_save_format", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(compilation_config, "compile_mm_encoder", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(compilation_config, "compile_ranges_endpoints", RANGES(
    RANGE("0.18.0", NULL)))
KEY_HISTORY(compilation_config, "compile_ranges_split_points", RANGES(
    RANGE("0.13.0", "0.18.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(compilation_config, "compile_sizes", RANGES(
    RANGE("0.7.0", NULL)))
KEY_HISTORY(compilation_config, "cudagraph_capture_sizes", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(compilation_config, "cudagraph_copy_inputs", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(compilation_config, "cudagraph_decoder_replay", RANGES(
    RANGE("0.32.0", NULL)))
KEY_HISTORY(compilation_config, "cudagraph_mm_encoder", RANGES(
    RANGE("0.19.0", NULL)))
KEY_HISTORY(compilation_config, "cudagraph_mode", RANGES(
    RANGE("0.10.1", NULL)))
KEY_HISTORY(compilation_config, "cudagraph_num_of_warmups", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(compilation_config, "cudagraph_specialize_lora", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(compilation_config, "custom_ops", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(compilation_config, "debug_dump_path", RANGES(
    RANGE("0.6.5", "0.11.1", .default_json = ARG_JSON("")),
    RANGE("0.11.1", NULL)))
KEY_HISTORY(compilation_config, "decoder_replay_cudagraph_capture_sizes", RANGES(
    RANGE("0.32.0", NULL)))
KEY_HISTORY(compilation_config, "decoder_replay_trim_threshold", RANGES(
    RANGE("0.32.0", NULL)))
KEY_HISTORY(compilation_config, "dynamic_shapes_config", RANGES(
    RANGE("0.12.0", NULL)))
KEY_HISTORY(compilation_config, "encoder_cudagraph_max_frames_per_batch", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(compilation_config, "encoder_cudagraph_max_images_per_batch", RANGES(
    RANGE("0.19.0", "0.20.0", .default_json = ARG_JSON(0))))
KEY_HISTORY(compilation_config, "encoder_cudagraph_max_vision_items_per_batch", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(compilation_config, "encoder_cudagraph_token_budgets", RANGES(
    RANGE("0.19.0", NULL)))
KEY_HISTORY(compilation_config, "fast_moe_cold_start", RANGES(
    RANGE("0.16.0", NULL)))
KEY_HISTORY(compilation_config, "full_cuda_graph", RANGES(
    RANGE("0.9.0", "0.11.1", .default_json = ARG_JSON(false))),
    REPLACED("compilation_config.cudagraph_mode", VALUES), .value = ARG_JSON([[true, "FULL"]]),
    .told_by = "message 0.11.0")
KEY_HISTORY(compilation_config, "inductor_compile_config", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(compilation_config, "inductor_passes", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(compilation_config, "ir_enable_torch_wrap", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(compilation_config, "level", RANGES(
    RANGE("0.6.5", "0.10.1", .default_json = ARG_JSON(0), .choices = ARG_JSON([0, 1, 2, 3])),
    RANGE("0.10.1", "0.18.0", .default_json = ARG_JSON(null), .choices = ARG_JSON([0, 1, 2, 3]))),
    REPLACED("compilation_config.mode", SAME), .told_by = "message 0.11.1")
KEY_HISTORY(compilation_config, "max_cudagraph_capture_size", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(compilation_config, "mode", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(compilation_config, "pass_config", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(compilation_config, "pass_config.dump_graph_dir", RANGES(
    RANGE("0.9.0", "0.10.0", .default_json = ARG_JSON("."))))
KEY_HISTORY(compilation_config, "pass_config.dump_graph_stages", RANGES(
    RANGE("0.9.0", "0.10.0", .default_json = ARG_JSON([]))))
KEY_HISTORY(compilation_config, "pass_config.eliminate_noops", RANGES(
    RANGE("0.12.0", "0.17.0", .default_json = ARG_JSON(null)),
    RANGE("0.17.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.enable_async_tp", RANGES(
    RANGE("0.9.0", "0.12.0", .default_json = ARG_JSON(false)),
    RANGE("0.12.0", "0.13.0", .default_json = ARG_JSON(null))),
    REPLACED("compilation_config.pass_config.fuse_gemm_comms", SAME), .told_by = "message 0.12.0")
KEY_HISTORY(compilation_config, "pass_config.enable_attn_fusion", RANGES(
    RANGE("0.9.2", "0.12.0", .default_json = ARG_JSON(false)),
    RANGE("0.12.0", "0.13.0", .default_json = ARG_JSON(null))),
    REPLACED("compilation_config.pass_config.fuse_attn_quant", SAME), .told_by = "message 0.12.0")
KEY_HISTORY(compilation_config, "pass_config.enable_fi_allreduce_fusion", RANGES(
    RANGE("0.10.0", "0.12.0", .default_json = ARG_JSON(false)),
    RANGE("0.12.0", "0.13.0", .default_json = ARG_JSON(null))),
    REPLACED("compilation_config.pass_config.fuse_allreduce_rms", SAME), .told_by = "message 0.12.0")
KEY_HISTORY(compilation_config, "pass_config.enable_fusion", RANGES(
    RANGE("0.9.0", "0.9.2", .default_json = ARG_JSON(true)),
    RANGE("0.9.2", "0.12.0", .default_json = ARG_JSON(false)),
    RANGE("0.12.0", "0.13.0", .default_json = ARG_JSON(null))),
    REPLACED("compilation_config.pass_config.fuse_norm_quant, compilation_config.pass_config.fuse_act_quant", SAME),
    .told_by = "message 0.12.0")
KEY_HISTORY(compilation_config, "pass_config.enable_noop", RANGES(
    RANGE("0.9.0", "0.9.2", .default_json = ARG_JSON(true)),
    RANGE("0.9.2", "0.12.0", .default_json = ARG_JSON(false)),
    RANGE("0.12.0", "0.13.0", .default_json = ARG_JSON(null))),
    REPLACED("compilation_config.pass_config.eliminate_noops", SAME), .told_by = "message 0.12.0")
KEY_HISTORY(compilation_config, "pass_config.enable_qk_norm_rope_fusion", RANGES(
    RANGE("0.11.1", "0.22.0", .default_json = ARG_JSON(false)),
    RANGE("0.22.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.enable_sequence_parallelism", RANGES(
    RANGE("0.9.0", "0.12.0", .default_json = ARG_JSON(false)),
    RANGE("0.12.0", "0.13.0", .default_json = ARG_JSON(null))),
    REPLACED("compilation_config.pass_config.enable_sp", SAME), .told_by = "message 0.12.0")
KEY_HISTORY(compilation_config, "pass_config.enable_sp", RANGES(
    RANGE("0.12.0", "0.32.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(compilation_config, "pass_config.fi_allreduce_fusion_max_size_mb", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(compilation_config, "pass_config.fi_allreduce_fusion_max_token_num", RANGES(
    RANGE("0.10.0", "0.10.1", .default_json = ARG_JSON(1024)),
    RANGE("0.10.1", "0.11.1", .default_json = ARG_JSON(16384))))
KEY_HISTORY(compilation_config, "pass_config.fuse_act_padding", RANGES(
    RANGE("0.16.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.fuse_act_quant", RANGES(
    RANGE("0.12.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.fuse_allreduce_rms", RANGES(
    RANGE("0.12.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.fuse_attn_quant", RANGES(
    RANGE("0.12.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.fuse_gemm_comms", RANGES(
    RANGE("0.12.0", "0.32.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(compilation_config, "pass_config.fuse_minimax_qk_norm", RANGES(
    RANGE("0.19.1", "0.24.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(compilation_config, "pass_config.fuse_mla_dual_rms_norm", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.fuse_norm_quant", RANGES(
    RANGE("0.12.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.fuse_qk_norm_rope_kvcache", RANGES(
    RANGE("0.26.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.fuse_rope_kvcache", RANGES(
    RANGE("0.17.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.fuse_rope_kvcache_cat_mla", RANGES(
    RANGE("0.22.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.rope_kvcache_fusion_max_token_num", RANGES(
    RANGE("0.17.0", NULL)))
KEY_HISTORY(compilation_config, "pass_config.sp_min_token_num", RANGES(
    RANGE("0.17.0", "0.32.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(compilation_config, "splitting_ops", RANGES(
    RANGE("0.6.5", "0.9.0"),
    RANGE("0.9.0", "0.10.1", .default_json = ARG_JSON([])),
    RANGE("0.10.1", NULL)))
KEY_HISTORY(compilation_config, "use_cudagraph", RANGES(
    RANGE("0.6.5", "0.9.1", .default_json = ARG_JSON(false)),
    RANGE("0.9.1", "0.11.1", .default_json = ARG_JSON(true))),
    REPLACED("compilation_config.cudagraph_mode", VALUES), .value = ARG_JSON([[false, "NONE"]]),
    .told_by = "message 0.11.0")
KEY_HISTORY(compilation_config, "use_inductor", RANGES(
    RANGE("0.6.5", "0.11.1", .default_json = ARG_JSON(true)),
    RANGE("0.11.1", "0.12.0", .default_json = ARG_JSON(null))),
    REPLACED("compilation_config.backend", VALUES),
    .value = ARG_JSON([[true, "inductor"], [false, "eager"]]), .told_by = "message 0.11.1")
KEY_HISTORY(compilation_config, "use_inductor_graph_partition", RANGES(
    RANGE("0.11.0", "0.12.0", .default_json = ARG_JSON(false)),
    RANGE("0.12.0", NULL)))
KEY_HISTORY(diffusion_config, "canvas_length", RANGES(
    RANGE("0.24.0", NULL)))
KEY_HISTORY(diffusion_config, "max_denoising_steps", RANGES(
    RANGE("0.24.0", NULL)))
KEY_HISTORY(ec_manager_config, "encoder_cache_manager_cls", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(ec_manager_config, "manager_config", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(ec_transfer_config, "ec_buffer_device", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(ec_transfer_config, "ec_buffer_size", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(ec_transfer_config, "ec_connector", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(ec_transfer_config, "ec_connector_extra_config", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(ec_transfer_config, "ec_connector_module_path", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(ec_transfer_config, "ec_ip", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(ec_transfer_config, "ec_parallel_size", RANGES(
    RANGE("0.11.1", "0.32.0", .default_json = ARG_JSON(1))))
KEY_HISTORY(ec_transfer_config, "ec_port", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(ec_transfer_config, "ec_rank", RANGES(
    RANGE("0.11.1", "0.32.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(ec_transfer_config, "ec_role", RANGES(
    RANGE("0.11.1", "0.17.0", .choices = ARG_JSON(["ec_consumer", "ec_producer"])),
    RANGE("0.17.0", NULL)))
KEY_HISTORY(ec_transfer_config, "engine_id", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(engram_config, "cpu_offload", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(engram_config, "dp_shared_memory", RANGES(
    RANGE("0.30.0", "0.31.0", .default_json = ARG_JSON(false)),
    RANGE("0.31.0", NULL)))
KEY_HISTORY(engram_config, "embedding_across_dp", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(engram_config, "use_thp", RANGES(
    RANGE("0.31.0", NULL)))
KEY_HISTORY(eplb_config, "communicator", RANGES(
    RANGE("0.20.0", "0.31.0", .choices = ARG_JSON(["nixl", "pynccl", "torch_gloo", "torch_nccl"])),
    RANGE("0.31.0", NULL)))
KEY_HISTORY(eplb_config, "enable_migration_batching", RANGES(
    RANGE("0.32.0", NULL)))
KEY_HISTORY(eplb_config, "log_balancedness", RANGES(
    RANGE("0.10.2", NULL)))
KEY_HISTORY(eplb_config, "log_balancedness_interval", RANGES(
    RANGE("0.14.0", NULL)))
KEY_HISTORY(eplb_config, "num_redundant_experts", RANGES(
    RANGE("0.10.2", NULL)))
KEY_HISTORY(eplb_config, "policy", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(eplb_config, "step_interval", RANGES(
    RANGE("0.10.2", NULL)))
KEY_HISTORY(eplb_config, "use_async", RANGES(
    RANGE("0.12.0", "0.23.0", .default_json = ARG_JSON(false)),
    RANGE("0.23.0", NULL)))
KEY_HISTORY(eplb_config, "window_size", RANGES(
    RANGE("0.10.2", NULL)))
KEY_HISTORY(fault_tolerance_config, "engine_recovery_timeout_sec", RANGES(
    RANGE("0.27.0", NULL)))
KEY_HISTORY(kernel_config, "enable_bf16x3_router_gemm", RANGES(
    RANGE("0.26.0", "0.30.0", .default_json = ARG_JSON(false))))
KEY_HISTORY(kernel_config, "enable_cutedsl_warmup", RANGES(
    RANGE("0.25.0", NULL)))
KEY_HISTORY(kernel_config, "enable_flashinfer_autotune", RANGES(
    RANGE("0.16.0", NULL)))
KEY_HISTORY(kernel_config, "enable_jit_warmup", RANGES(
    RANGE("0.27.0", NULL)))
KEY_HISTORY(kernel_config, "enable_rocm_segmented_attn_autotune", RANGES(
    RANGE("0.32.0", NULL)))
KEY_HISTORY(kernel_config, "ir_op_priority", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(kernel_config, "linear_backend", RANGES(
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
KEY_HISTORY(kernel_config, "linear_backend_per_quant", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(kernel_config, "moe_backend", RANGES(
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
KEY_HISTORY(kernel_config, "monokernel", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(kernel_config, "sparse_indexer_topk_backend", RANGES(
    RANGE("0.30.0", "0.32.0", .choices = ARG_JSON(["auto", "cooperative", "deep_select",
          "flashinfer", "per_row", "persistent", "torch"])),
    RANGE("0.32.0", NULL)))
KEY_HISTORY(kv_events_config, "buffer_steps", RANGES(
    RANGE("0.9.0", NULL)))
KEY_HISTORY(kv_events_config, "enable_kv_cache_events", RANGES(
    RANGE("0.9.0", NULL)))
KEY_HISTORY(kv_events_config, "endpoint", RANGES(
    RANGE("0.9.0", NULL)))
KEY_HISTORY(kv_events_config, "hwm", RANGES(
    RANGE("0.9.0", NULL)))
KEY_HISTORY(kv_events_config, "max_queue_size", RANGES(
    RANGE("0.9.0", NULL)))
KEY_HISTORY(kv_events_config, "publisher", RANGES(
    RANGE("0.9.0", "0.11.1", .default_json = ARG_JSON("null"), .choices = ARG_JSON(null)),
    RANGE("0.11.1", NULL)))
KEY_HISTORY(kv_events_config, "replay_endpoint", RANGES(
    RANGE("0.9.0", NULL)))
KEY_HISTORY(kv_events_config, "topic", RANGES(
    RANGE("0.9.0", NULL)))
KEY_HISTORY(kv_transfer_config, "enable_permute_local_kv", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(kv_transfer_config, "engine_id", RANGES(
    RANGE("0.9.0", NULL)))
KEY_HISTORY(kv_transfer_config, "kv_buffer_device", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(kv_transfer_config, "kv_buffer_size", RANGES(
    RANGE("0.6.5", "0.32.0", .default_json = ARG_JSON(1000000000.0))))
KEY_HISTORY(kv_transfer_config, "kv_connector", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(kv_transfer_config, "kv_connector_extra_config", RANGES(
    RANGE("0.8.0", NULL)))
KEY_HISTORY(kv_transfer_config, "kv_connector_module_path", RANGES(
    RANGE("0.9.0", NULL)))
KEY_HISTORY(kv_transfer_config, "kv_ip", RANGES(
    RANGE("0.6.5", "0.32.0", .default_json = ARG_JSON("127.0.0.1"))))
KEY_HISTORY(kv_transfer_config, "kv_load_failure_policy", RANGES(
    RANGE("0.13.0", "0.17.0", .default_json = ARG_JSON("recompute")),
    RANGE("0.17.0", NULL)))
KEY_HISTORY(kv_transfer_config, "kv_parallel_size", RANGES(
    RANGE("0.6.5", "0.32.0", .default_json = ARG_JSON(1))))
KEY_HISTORY(kv_transfer_config, "kv_port", RANGES(
    RANGE("0.6.5", NULL)))
KEY_HISTORY(kv_transfer_config, "kv_rank", RANGES(
    RANGE("0.6.5", "0.32.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(kv_transfer_config, "kv_role", RANGES(
    RANGE("0.6.5", "0.9.0", .choices = ARG_JSON(null)),
    RANGE("0.9.0", NULL)))
KEY_HISTORY(logging_config, "configure_logging", RANGES(
    RANGE("0.31.0", NULL)))
KEY_HISTORY(logging_config, "formatter", RANGES(
    RANGE("0.32.0", NULL)))
KEY_HISTORY(logging_config, "log_level", RANGES(
    RANGE("0.31.0", NULL)))
KEY_HISTORY(logging_config, "pylogging_config_file", RANGES(
    RANGE("0.31.0", NULL)))
KEY_HISTORY(override_pooler_config, "activation", RANGES(
    RANGE("0.10.1", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "dimensions", RANGES(
    RANGE("0.10.1", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "enable_chunked_processing", RANGES(
    RANGE("0.10.1", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "logit_bias", RANGES(
    RANGE("0.10.2", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "max_embed_len", RANGES(
    RANGE("0.10.1", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "normalize", RANGES(
    RANGE("0.6.4", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "pooling_type", RANGES(
    RANGE("0.6.4", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "returned_token_ids", RANGES(
    RANGE("0.6.4", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "softmax", RANGES(
    RANGE("0.6.4", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "step_tag_id", RANGES(
    RANGE("0.6.4", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(override_pooler_config, "use_activation", RANGES(
    RANGE("0.11.1", "0.12.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(pooler_config, "activation", RANGES(
    RANGE("0.11.0", "0.16.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(pooler_config, "dimensions", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(pooler_config, "enable_chunked_processing", RANGES(
    RANGE("0.11.0", "0.17.0", .default_json = ARG_JSON(null)),
    RANGE("0.17.0", NULL)))
KEY_HISTORY(pooler_config, "enable_flash_late_interaction", RANGES(
    RANGE("0.32.0", NULL)))
KEY_HISTORY(pooler_config, "logit_bias", RANGES(
    RANGE("0.11.0", "0.23.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(pooler_config, "logit_mean", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(pooler_config, "logit_scale", RANGES(
    RANGE("0.20.0", "0.23.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(pooler_config, "logit_sigma", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(pooler_config, "max_embed_len", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(pooler_config, "normalize", RANGES(
    RANGE("0.11.0", "0.16.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(pooler_config, "pooling_type", RANGES(
    RANGE("0.11.0", "0.12.0", .choices = ARG_JSON(null)),
    RANGE("0.12.0", NULL)))
KEY_HISTORY(pooler_config, "returned_token_ids", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(pooler_config, "seq_pooling_type", RANGES(
    RANGE("0.14.0", NULL)))
KEY_HISTORY(pooler_config, "softmax", RANGES(
    RANGE("0.11.0", "0.16.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(pooler_config, "step_tag_id", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(pooler_config, "task", RANGES(
    RANGE("0.19.0", NULL)))
KEY_HISTORY(pooler_config, "tok_pooling_type", RANGES(
    RANGE("0.14.0", NULL)))
KEY_HISTORY(pooler_config, "use_activation", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(profiler_config, "active_iterations", RANGES(
    RANGE("0.18.0", NULL)))
KEY_HISTORY(profiler_config, "capture_torch_profiler", RANGES(
    RANGE("0.26.0", NULL)))
KEY_HISTORY(profiler_config, "delay_iterations", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(profiler_config, "detailed_trace_annotation", RANGES(
    RANGE("0.26.0", NULL)))
KEY_HISTORY(profiler_config, "ignore_frontend", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(profiler_config, "max_iterations", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(profiler_config, "profiler", RANGES(
    RANGE("0.13.0", "0.28.0", .choices = ARG_JSON(["cuda", "torch"])),
    RANGE("0.28.0", NULL)))
KEY_HISTORY(profiler_config, "proton_backend", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(profiler_config, "proton_context", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(profiler_config, "proton_data", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(profiler_config, "proton_graph_attribution", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(profiler_config, "proton_hook", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(profiler_config, "proton_mode", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(profiler_config, "proton_output_format", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(profiler_config, "proton_profiler_dir", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(profiler_config, "torch_profiler_activities", RANGES(
    RANGE("0.31.0", NULL)))
KEY_HISTORY(profiler_config, "torch_profiler_dir", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(profiler_config, "torch_profiler_dump_cuda_time_total", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(profiler_config, "torch_profiler_record_shapes", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(profiler_config, "torch_profiler_use_gzip", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(profiler_config, "torch_profiler_with_flops", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(profiler_config, "torch_profiler_with_memory", RANGES(
    RANGE("0.13.0", NULL)))
KEY_HISTORY(profiler_config, "torch_profiler_with_stack", RANGES(
    RANGE("0.13.0", "0.18.0"),
    RANGE("0.18.0", "0.19.0", .default_json = ARG_JSON(false)),
    RANGE("0.19.0", NULL)))
KEY_HISTORY(profiler_config, "wait_iterations", RANGES(
    RANGE("0.18.0", NULL)))
KEY_HISTORY(profiler_config, "warmup_iterations", RANGES(
    RANGE("0.18.0", NULL)))
KEY_HISTORY(reasoning_config, "reasoning_end_str", RANGES(
    RANGE("0.19.0", "0.20.0", .default_json = ARG_JSON("</think>")),
    RANGE("0.20.0", NULL)))
KEY_HISTORY(reasoning_config, "reasoning_parser", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(reasoning_config, "reasoning_start_str", RANGES(
    RANGE("0.19.0", "0.20.0", .default_json = ARG_JSON("<think>")),
    RANGE("0.20.0", NULL)))
KEY_HISTORY(speculative_config, "acceptance_method", RANGES(
    RANGE("0.8.2", "0.8.5", .default_json = ARG_JSON("rejection_sampler")),
    RANGE("0.8.5", "0.10.0", .default_json = ARG_JSON("rejection_sampler"),
          .choices = ARG_JSON(["rejection_sampler", "typical_acceptance_sampler"]))))
KEY_HISTORY(speculative_config, "attention_backend", RANGES(
    RANGE("0.21.0", NULL)))
KEY_HISTORY(speculative_config, "code_revision", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "disable_by_batch_size", RANGES(
    RANGE("0.8.2", "0.17.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(speculative_config, "disable_eagle_block_drop", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(speculative_config, "disable_log_stats", RANGES(
    RANGE("0.8.2", "0.11.1", .default_json = ARG_JSON(null))))
KEY_HISTORY(speculative_config, "disable_logprobs", RANGES(
    RANGE("0.8.2", "0.11.1", .default_json = ARG_JSON(true))))
KEY_HISTORY(speculative_config, "disable_lookahead_block_hashes", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(speculative_config, "disable_mqa_scorer", RANGES(
    RANGE("0.8.2", "0.10.0", .default_json = ARG_JSON(false))))
KEY_HISTORY(speculative_config, "disable_padded_drafter_batch", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(speculative_config, "draft_lm_head_quantization", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(speculative_config, "draft_load_config", RANGES(
    RANGE("0.17.0", NULL)))
KEY_HISTORY(speculative_config, "draft_model_config", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "draft_parallel_config", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "draft_sample_method", RANGES(
    RANGE("0.21.0", "0.22.0", .choices = ARG_JSON(["greedy", "gumbel"])),
    RANGE("0.22.0", NULL)))
KEY_HISTORY(speculative_config, "draft_tensor_parallel_size", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "dspark_draft_topk", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(speculative_config, "enable_adaptive_verification", RANGES(
    RANGE("0.28.0", NULL)))
KEY_HISTORY(speculative_config, "enable_chunked_prefill", RANGES(
    RANGE("0.8.2", "0.11.1", .default_json = ARG_JSON(null))))
KEY_HISTORY(speculative_config, "enforce_eager", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(speculative_config, "fly_entropy_threshold", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(speculative_config, "fly_entropy_top_k", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(speculative_config, "fly_window_size", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(speculative_config, "index_share_for_mtp_iteration", RANGES(
    RANGE("0.29.0", NULL)))
KEY_HISTORY(speculative_config, "kv_cache_dtype", RANGES(
    RANGE("0.26.0", "0.28.0", .choices = ARG_JSON(["auto", "bfloat16", "float16", "fp8",
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
KEY_HISTORY(speculative_config, "max_model_len", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "method", RANGES(
    RANGE("0.8.2", "0.8.5", .choices = ARG_JSON(null)),
    RANGE("0.8.5", "0.9.0", .choices = ARG_JSON(["draft_model", "eagle", "medusa", "mlp_speculator",
          "ngram"])),
    RANGE("0.9.0", "0.9.1", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "medusa",
          "mlp_speculator", "ngram"])),
    RANGE("0.9.1", "0.10.2", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "eagle3",
          "medusa", "mlp_speculator", "ngram"])),
    RANGE("0.10.2", "0.11.0", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "eagle3",
          "ernie_mtp", "medusa", "mlp_speculator", "ngram", "qwen3_next_mtp"])),
    RANGE("0.11.0", "0.11.1", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "eagle3",
          "ernie_mtp", "longcat_flash_mtp", "medusa", "mimo_mtp", "mlp_speculator", "mtp", "ngram",
          "qwen3_next_mtp"])),
    RANGE("0.11.1", "0.14.0", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "eagle3",
          "ernie_mtp", "glm4_moe_mtp", "longcat_flash_mtp", "medusa", "mimo_mtp", "mlp_speculator",
          "mtp", "ngram", "pangu_ultra_moe_mtp", "qwen3_next_mtp", "suffix"])),
    RANGE("0.14.0", "0.15.0", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "eagle3",
          "ernie_mtp", "exaone_moe_mtp", "glm4_moe_mtp", "longcat_flash_mtp", "medusa", "mimo_mtp",
          "mlp_speculator", "mtp", "ngram", "pangu_ultra_moe_mtp", "qwen3_next_mtp", "suffix"])),
    RANGE("0.15.0", "0.16.0", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "eagle3",
          "ernie_mtp", "exaone_moe_mtp", "glm4_moe_lite_mtp", "glm4_moe_mtp", "longcat_flash_mtp",
          "medusa", "mimo_mtp", "mlp_speculator", "mtp", "ngram", "pangu_ultra_moe_mtp",
          "qwen3_next_mtp", "suffix"])),
    RANGE("0.16.0", "0.17.0", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "eagle3",
          "ernie_mtp", "exaone_moe_mtp", "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp",
          "longcat_flash_mtp", "medusa", "mimo_mtp", "mlp_speculator", "mtp", "ngram",
          "pangu_ultra_moe_mtp", "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.17.0", "0.18.0", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "eagle3",
          "ernie_mtp", "exaone_moe_mtp", "extract_hidden_states", "glm4_moe_lite_mtp",
          "glm4_moe_mtp", "glm_ocr_mtp", "longcat_flash_mtp", "medusa", "mimo_mtp",
          "mlp_speculator", "mtp", "nemotron_h_mtp", "ngram", "pangu_ultra_moe_mtp", "qwen3_5_mtp",
          "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.18.0", "0.20.0", .choices = ARG_JSON(["deepseek_mtp", "draft_model", "eagle", "eagle3",
          "ernie_mtp", "exaone_moe_mtp", "extract_hidden_states", "glm4_moe_lite_mtp",
          "glm4_moe_mtp", "glm_ocr_mtp", "longcat_flash_mtp", "medusa", "mimo_mtp",
          "mlp_speculator", "mtp", "nemotron_h_mtp", "ngram", "ngram_gpu", "pangu_ultra_moe_mtp",
          "qwen3_5_mtp", "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.20.0", "0.21.0", .choices = ARG_JSON(["deepseek_mtp", "dflash", "draft_model", "eagle",
          "eagle3", "ernie_mtp", "exaone4_5_mtp", "exaone_moe_mtp", "extract_hidden_states",
          "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp", "hy_v3_mtp", "longcat_flash_mtp",
          "medusa", "mimo_mtp", "mlp_speculator", "mtp", "nemotron_h_mtp", "ngram", "ngram_gpu",
          "pangu_ultra_moe_mtp", "qwen3_5_mtp", "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
    RANGE("0.21.0", "0.22.0", .choices = ARG_JSON(["deepseek_mtp", "dflash", "draft_model", "eagle",
          "eagle3", "ernie_mtp", "exaone4_5_mtp", "exaone_moe_mtp", "extract_hidden_states",
          "gemma4_mtp", "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm_ocr_mtp", "hy_v3_mtp",
          "longcat_flash_mtp", "medusa", "mimo_mtp", "mimo_v2_mtp", "mlp_speculator", "mtp",
          "nemotron_h_mtp", "ngram", "ngram_gpu", "pangu_ultra_moe_mtp", "qwen3_5_mtp",
          "qwen3_next_mtp", "step3p5_mtp", "suffix"])),
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
KEY_HISTORY(speculative_config, "model", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "moe_backend", RANGES(
    RANGE("0.19.0", "0.20.0", .choices = ARG_JSON(["aiter", "auto", "cutlass", "deep_gemm",
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
KEY_HISTORY(speculative_config, "num_speculative_tokens", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "num_speculative_tokens_per_batch_size", RANGES(
    RANGE("0.24.0", NULL)))
KEY_HISTORY(speculative_config, "parallel_drafting", RANGES(
    RANGE("0.16.0", NULL)))
KEY_HISTORY(speculative_config, "posterior_alpha", RANGES(
    RANGE("0.8.2", "0.10.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(speculative_config, "posterior_threshold", RANGES(
    RANGE("0.8.2", "0.10.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(speculative_config, "prompt_lookup_max", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "prompt_lookup_min", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "quantization", RANGES(
    RANGE("0.8.2", "0.9.0"),
    RANGE("0.9.0", "0.9.2", .choices = ARG_JSON(["aqlm", "auto-round", "awq", "awq_marlin",
          "bitblas", "bitsandbytes", "compressed-tensors", "deepspeedfp", "experts_int8",
          "fbgemm_fp8", "fp8", "gguf", "gptq", "gptq_bitblas", "gptq_marlin", "gptq_marlin_24",
          "hqq", "ipex", "marlin", "modelopt", "modelopt_fp4", "moe_wna16", "neuron_quant",
          "ptpc_fp8", "qqq", "quark", "torchao", "tpu_int8"])),
    RANGE("0.9.2", NULL)))
KEY_HISTORY(speculative_config, "rejection_sample_method", RANGES(
    RANGE("0.18.0", "0.19.0", .default_json = ARG_JSON("strict"),
          .choices = ARG_JSON(["probabilistic", "strict"])),
    RANGE("0.19.0", "0.21.0", .default_json = ARG_JSON("strict"),
          .choices = ARG_JSON(["probabilistic", "strict", "synthetic"])),
    RANGE("0.21.0", "0.25.0", .choices = ARG_JSON(["standard", "synthetic"])),
    RANGE("0.25.0", "0.33.0", .choices = ARG_JSON(["block", "standard", "synthetic"])),
    RANGE("0.33.0", NULL)))
KEY_HISTORY(speculative_config, "revision", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "speculative_token_tree", RANGES(
    RANGE("0.9.0", "0.21.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(speculative_config, "suffix_decoding_max_cached_requests", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(speculative_config, "suffix_decoding_max_spec_factor", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(speculative_config, "suffix_decoding_max_tree_depth", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(speculative_config, "suffix_decoding_min_token_prob", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(speculative_config, "synthetic_acceptance_length", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(speculative_config, "synthetic_acceptance_rate", RANGES(
    RANGE("0.19.0", "0.20.0", .default_json = ARG_JSON(null))))
KEY_HISTORY(speculative_config, "synthetic_acceptance_rates", RANGES(
    RANGE("0.20.0", NULL)))
KEY_HISTORY(speculative_config, "target_model_config", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "target_parallel_config", RANGES(
    RANGE("0.8.2", NULL)))
KEY_HISTORY(speculative_config, "tensor_parallel_size", RANGES(
    RANGE("0.15.0", NULL)))
KEY_HISTORY(speculative_config, "use_heterogeneous_vocab", RANGES(
    RANGE("0.25.0", NULL)))
KEY_HISTORY(speculative_config, "use_local_argmax_reduction", RANGES(
    RANGE("0.17.0", NULL)))
KEY_HISTORY(speculative_config, "xpress_topc", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(structured_outputs_config, "backend", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(structured_outputs_config, "disable_additional_properties", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(structured_outputs_config, "disable_any_whitespace", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(structured_outputs_config, "disable_fallback", RANGES(
    RANGE("0.11.0", "0.18.0", .default_json = ARG_JSON(false))))
KEY_HISTORY(structured_outputs_config, "enable_in_reasoning", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(structured_outputs_config, "reasoning_parser", RANGES(
    RANGE("0.11.0", NULL)))
KEY_HISTORY(structured_outputs_config, "reasoning_parser_plugin", RANGES(
    RANGE("0.11.1", NULL)))
KEY_HISTORY(watchdog_config, "check_interval", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(watchdog_config, "dump_dir", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(watchdog_config, "timeout", RANGES(
    RANGE("0.33.0", NULL)))
KEY_HISTORY(watermark_config, "algorithm", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(watermark_config, "allow_target_only_watermarking", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(watermark_config, "alpha", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(watermark_config, "context_width", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(watermark_config, "deduplicate_contexts", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(watermark_config, "deduplicate_contexts_max_history", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(watermark_config, "key", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(watermark_config, "prf", RANGES(
    RANGE("0.30.0", NULL)))
KEY_HISTORY(weight_transfer_config, "backend", RANGES(
    RANGE("0.16.0", "0.17.0", .choices = ARG_JSON(["nccl"])),
    RANGE("0.17.0", "0.22.0", .choices = ARG_JSON(["ipc", "nccl"])),
    RANGE("0.22.0", "0.23.0", .choices = ARG_JSON(null)),
    RANGE("0.23.0", "0.25.0", .choices = ARG_JSON(["ipc", "nccl"])),
    RANGE("0.25.0", "0.29.0", .choices = ARG_JSON(["ipc", "nccl", "sparse_nccl"])),
    RANGE("0.29.0", "0.31.0", .choices = ARG_JSON(["ipc", "nccl", "sharded_rdt", "sparse_nccl"])),
    RANGE("0.31.0", NULL)))

#undef KEY_HISTORY
