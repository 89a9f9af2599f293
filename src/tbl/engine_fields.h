/*
 * The keys of vLLM's JSON arguments, each after the object that contains it.
 *
 * FIELD(type, argument, path, min, max, …)
 *   type     BOOL INT FLOAT STRING ENUM LIST JSON (an object; its own keys follow as "object.key") ANY
 *   path     "key" or "object.key"
 *   min max  as in tbl/engine_args.h
 *   …        further members of struct option_row, by name; without .default_json the default is
 *            unknown or computed
 */
FIELD(ENUM, pooler_config, "task", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["embed", "classify", "token_embed", "token_classify", "plugin",
        "embed&token_classify"]))
FIELD(ENUM, pooler_config, "pooling_type", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["CLS", "LAST", "MEAN", "ALL", "STEP"]))
FIELD(ENUM, pooler_config, "seq_pooling_type", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["CLS", "LAST", "MEAN"]))
FIELD(ENUM, pooler_config, "tok_pooling_type", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null), .choices = ARG_JSON(["ALL", "STEP"]))
FIELD(BOOL, pooler_config, "use_activation", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, pooler_config, "enable_flash_late_interaction", -INF, INF,
    .default_json = ARG_JSON(true))
FIELD(INT, pooler_config, "dimensions", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, pooler_config, "enable_chunked_processing", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(INT, pooler_config, "max_embed_len", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(FLOAT, pooler_config, "logit_mean", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(FLOAT, pooler_config, "logit_sigma", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, pooler_config, "step_tag_id", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(LIST, pooler_config, "returned_token_ids", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null), .items = OPTION_INT)
FIELD(INT, eplb_config, "window_size", 0, INF,
    .default_json = ARG_JSON(1000), .exclusive = "min")
FIELD(INT, eplb_config, "step_interval", 0, INF,
    .default_json = ARG_JSON(3000), .exclusive = "min")
FIELD(INT, eplb_config, "num_redundant_experts", 0, INF, .default_json = ARG_JSON(0))
FIELD(BOOL, eplb_config, "log_balancedness", -INF, INF, .default_json = ARG_JSON(false))
FIELD(INT, eplb_config, "log_balancedness_interval", 0, INF,
    .default_json = ARG_JSON(1), .exclusive = "min")
FIELD(BOOL, eplb_config, "use_async", -INF, INF, .default_json = ARG_JSON(true))
FIELD(ENUM, eplb_config, "policy", -INF, INF,
    .default_json = ARG_JSON("default"), .choices = ARG_JSON(["default"]))
FIELD(ENUM, eplb_config, "communicator", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["torch_nccl", "torch_gloo", "torch_xccl", "nixl", "pynccl"]))
FIELD(BOOL, eplb_config, "enable_migration_batching", -INF, INF, .default_json = ARG_JSON(false))
FIELD(BOOL, speculative_config, "enforce_eager", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, speculative_config, "num_speculative_tokens", 0, INF,
    .default_json = ARG_JSON(null), .exclusive = "min")
FIELD(STRING, speculative_config, "model", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ENUM, speculative_config, "method", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["ngram", "draft_model", "suffix", "custom_class", "eagle", "eagle3",
        "extract_hidden_states", "deepseek_mtp", "dots3_note_mtp", "mimo_mtp", "mimo_v2_mtp",
        "glm4_moe_mtp", "glm4_moe_lite_mtp", "glm_ocr_mtp", "ernie_mtp", "nemotron_h_mtp",
        "exaone_moe_mtp", "exaone4_5_mtp", "qwen3_next_mtp", "qwen4_exp_mtp", "qwen3_5_mtp",
        "longcat_flash_mtp", "bailing_hybrid_v3_mtp", "minimax_m3_mtp", "bailing_hybrid_mtp",
        "mtp", "kimi_k3_mtp", "pangu_ultra_moe_mtp", "step3p5_mtp", "step5_mtp", "hy_v3_mtp",
        "hy_v4_mtp", "gemma4_mtp", "inkling_mtp", "glm5_next_mtp", "dflash", "ngram_gpu",
        "dspark"]))
FIELD(INT, speculative_config, "draft_tensor_parallel_size", 1, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, speculative_config, "tensor_parallel_size", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, speculative_config, "quantization", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ENUM, speculative_config, "moe_backend", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["auto", "triton", "batched_triton", "deep_gemm", "deep_gemm_mega_moe",
        "cutlass", "flashinfer_trtllm", "flashinfer_cutlass", "flashinfer_cutedsl",
        "flashinfer_moe_ep_cutedsl", "flashinfer_b12x", "b12x", "flashinfer_moe_ep_mega_deep_gemm",
        "marlin", "humming", "triton_unfused", "aiter", "aiter_mega_moe",
        "aiter_triton_mxfp4_bf16", "aiter_triton_mxfp4_mxfp4", "flydsl", "hpc", "emulation",
        "rdna3"]))
FIELD(ENUM, speculative_config, "attention_backend", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["auto", "FLASH_ATTN", "FLASH_ATTN_DIFFKV", "TRITON_ATTN",
        "TRITON_ATTN_DIFFKV", "TRITON_FLASH_ATTN", "ROCM_ATTN", "ROCM_SEGMENTED_ATTN",
        "ROCM_AITER_MLA", "ROCM_AITER_TRITON_MLA", "ROCM_AITER_FA", "ROCM_AITER_MLA_SPARSE",
        "XPU_MLA_SPARSE", "TORCH_SDPA", "FLASHINFER", "TRITON_FLASHINFER", "FLASHINFER_MLA",
        "TOKENSPEED_MLA", "FLASHINFER_MLA_SPARSE", "FLASHINFER_MLA_SPARSE_SM120",
        "FLASHINFER_MLA_SPARSE_SM90", "TRITON_MLA", "CUTLASS_MLA", "FLASHMLA", "FLASHMLA_SPARSE",
        "FLASHMLA_SPARSE_DSV4", "FLASHINFER_MLA_SPARSE_DSV4", "ROCM_FLASHMLA_SPARSE_DSV4",
        "FLASHMLA_SPARSE_DSV41", "FLASHINFER_MLA_SPARSE_DSV41", "ROCM_FLASHMLA_SPARSE_DSV41",
        "FLASHMLA_MEGA_ATTN_DSV41", "B12X", "FLASH_ATTN_MLA", "FLASH_ATTN_MLA_SPARSE",
        "FLASH_ATTN_MLA_SPARSE_FA4", "MINIMAX_M3_SPARSE", "CUTLASS_MSA", "TRITON_MSA", "STEP5_DSA",
        "NO_ATTENTION", "FLEX_ATTENTION", "HPC_ATTN", "ROCM_AITER_UNIFIED_ATTN", "CPU_ATTN",
        "CPU_MLA", "AMX_MLA", "TURBOQUANT", "ROCM_OCTAVE", "ULTRAQUANT", "CUSTOM"]),
    .any_case = true)
FIELD(ENUM, speculative_config, "kv_cache_dtype", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["auto", "float16", "bfloat16", "fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc",
        "fp8_ds_mla", "nvfp4_ds_mla", "turboquant_k8v4", "turboquant_4bit_nc",
        "turboquant_k3v4_nc", "turboquant_3bit_nc", "octave_k3v4", "octave_k3v3",
        "octave_k3v3_compact", "ultraquant_4bit", "int4_per_token_head", "int8_per_token_head",
        "fp8_per_token_head", "nvfp4", "nvfp4_4over6"]))
FIELD(INT, speculative_config, "max_model_len", 1, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, speculative_config, "revision", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, speculative_config, "code_revision", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, speculative_config, "index_share_for_mtp_iteration", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, speculative_config, "disable_padded_drafter_batch", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, speculative_config, "disable_eagle_block_drop", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, speculative_config, "disable_lookahead_block_hashes", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(ENUM, speculative_config, "draft_lm_head_quantization", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null), .choices = ARG_JSON(["fp8", "nvfp4"]))
FIELD(BOOL, speculative_config, "use_local_argmax_reduction", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, speculative_config, "use_heterogeneous_vocab", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(INT, speculative_config, "prompt_lookup_max", 1, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, speculative_config, "prompt_lookup_min", 1, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, speculative_config, "parallel_drafting", -INF, INF, .default_json = ARG_JSON(false))
FIELD(ANY, speculative_config, "target_model_config", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ANY, speculative_config, "target_parallel_config", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(LIST, speculative_config, "num_speculative_tokens_per_batch_size", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ANY, speculative_config, "draft_model_config", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ANY, speculative_config, "draft_parallel_config", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, speculative_config, "suffix_decoding_max_tree_depth", -INF, INF,
    .default_json = ARG_JSON(24))
FIELD(INT, speculative_config, "suffix_decoding_max_cached_requests", -INF, INF,
    .default_json = ARG_JSON(10000))
FIELD(FLOAT, speculative_config, "suffix_decoding_max_spec_factor", -INF, INF,
    .default_json = ARG_JSON(1.0))
FIELD(FLOAT, speculative_config, "suffix_decoding_min_token_prob", -INF, INF,
    .default_json = ARG_JSON(0.1))
FIELD(JSON, speculative_config, "draft_load_config", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ENUM, speculative_config, "rejection_sample_method", -INF, INF,
    .default_json = ARG_JSON("standard"), .choices = ARG_JSON(["standard", "synthetic", "block", "fly"]))
FIELD(LIST, speculative_config, "synthetic_acceptance_rates", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null), .items = OPTION_FLOAT)
FIELD(FLOAT, speculative_config, "synthetic_acceptance_length", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, speculative_config, "enable_adaptive_verification", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(ENUM, speculative_config, "draft_sample_method", -INF, INF,
    .default_json = ARG_JSON("greedy"), .choices = ARG_JSON(["greedy", "probabilistic"]))
FIELD(INT, speculative_config, "dspark_draft_topk", 1, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, speculative_config, "xpress_topc", 0, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, speculative_config, "fly_window_size", 1, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(FLOAT, speculative_config, "fly_entropy_threshold", 0, INF, .default_json = ARG_JSON(0.3))
FIELD(INT, speculative_config, "fly_entropy_top_k", 1, INF, .default_json = ARG_JSON(3))
FIELD(STRING, kv_transfer_config, "kv_connector", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, kv_transfer_config, "engine_id", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, kv_transfer_config, "kv_buffer_device", -INF, INF)
FIELD(ENUM, kv_transfer_config, "kv_role", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["kv_producer", "kv_both", "kv_consumer"]))
FIELD(INT, kv_transfer_config, "kv_port", -INF, INF, .default_json = ARG_JSON(14579))
FIELD(JSON, kv_transfer_config, "kv_connector_extra_config", -INF, INF)
FIELD(STRING, kv_transfer_config, "kv_connector_module_path", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, kv_transfer_config, "enable_permute_local_kv", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(ENUM, kv_transfer_config, "kv_load_failure_policy", -INF, INF,
    .default_json = ARG_JSON("fail"), .choices = ARG_JSON(["recompute", "fail"]))
FIELD(BOOL, kv_events_config, "enable_kv_cache_events", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(ENUM, kv_events_config, "publisher", -INF, INF,
    .default_json = ARG_JSON(null), .choices = ARG_JSON(["null", "zmq"]))
FIELD(STRING, kv_events_config, "endpoint", -INF, INF, .default_json = ARG_JSON("tcp://*:5557"))
FIELD(STRING, kv_events_config, "replay_endpoint", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, kv_events_config, "buffer_steps", -INF, INF, .default_json = ARG_JSON(10000))
FIELD(INT, kv_events_config, "hwm", -INF, INF, .default_json = ARG_JSON(100000))
FIELD(INT, kv_events_config, "max_queue_size", -INF, INF, .default_json = ARG_JSON(100000))
FIELD(STRING, kv_events_config, "topic", -INF, INF, .default_json = ARG_JSON(""))
FIELD(ENUM, compilation_config, "mode", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["NONE", "STOCK_TORCH_COMPILE", "DYNAMO_TRACE_ONCE", "VLLM_COMPILE", 0, 1,
        2, 3]),
    .any_case = true)
FIELD(STRING, compilation_config, "debug_dump_path", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, compilation_config, "cache_dir", -INF, INF, .default_json = ARG_JSON(""))
FIELD(ENUM, compilation_config, "compile_cache_save_format", -INF, INF,
    .choices = ARG_JSON(["binary", "unpacked"]))
FIELD(STRING, compilation_config, "backend", -INF, INF, .default_json = ARG_JSON(""))
FIELD(LIST, compilation_config, "custom_ops", -INF, INF, .items = OPTION_STRING)
FIELD(BOOL, compilation_config, "ir_enable_torch_wrap", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(LIST, compilation_config, "splitting_ops", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null), .items = OPTION_STRING)
FIELD(BOOL, compilation_config, "compile_mm_encoder", -INF, INF, .default_json = ARG_JSON(false))
FIELD(BOOL, compilation_config, "cudagraph_mm_encoder", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(LIST, compilation_config, "encoder_cudagraph_token_budgets", -INF, INF,
    .items = OPTION_INT)
FIELD(INT, compilation_config, "encoder_cudagraph_max_vision_items_per_batch", -INF, INF,
    .default_json = ARG_JSON(0))
FIELD(INT, compilation_config, "encoder_cudagraph_max_frames_per_batch", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "cudagraph_decoder_replay", -INF, INF,
    .default_json = ARG_JSON(true))
FIELD(LIST, compilation_config, "decoder_replay_cudagraph_capture_sizes", -INF, INF,
    .items = OPTION_INT)
FIELD(INT, compilation_config, "decoder_replay_trim_threshold", 0, INF,
    .default_json = ARG_JSON(768))
FIELD(LIST, compilation_config, "compile_sizes", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(LIST, compilation_config, "compile_ranges_endpoints", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null), .items = OPTION_INT)
FIELD(JSON, compilation_config, "inductor_compile_config", -INF, INF)
FIELD(JSON, compilation_config, "inductor_passes", -INF, INF)
FIELD(ENUM, compilation_config, "cudagraph_mode", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["NONE", "PIECEWISE", "FULL", "FULL_DECODE_ONLY", "FULL_AND_PIECEWISE", 0,
        1, 2]),
    .any_case = true)
FIELD(INT, compilation_config, "cudagraph_num_of_warmups", -INF, INF,
    .default_json = ARG_JSON(0))
FIELD(LIST, compilation_config, "cudagraph_capture_sizes", -INF, INF,
    .default_json = ARG_JSON(null), .items = OPTION_INT)
FIELD(BOOL, compilation_config, "cudagraph_copy_inputs", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, compilation_config, "cudagraph_specialize_lora", -INF, INF,
    .default_json = ARG_JSON(true))
FIELD(BOOL, compilation_config, "use_inductor_graph_partition", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(JSON, compilation_config, "pass_config", -INF, INF)
FIELD(BOOL, compilation_config, "pass_config.fuse_norm_quant", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "pass_config.fuse_act_quant", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "pass_config.fuse_attn_quant", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "pass_config.eliminate_noops", -INF, INF,
    .default_json = ARG_JSON(true))
FIELD(BOOL, compilation_config, "pass_config.fuse_allreduce_rms", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "pass_config.enable_qk_norm_rope_fusion", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "pass_config.fuse_rope_kvcache_cat_mla", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "pass_config.fuse_act_padding", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "pass_config.fuse_mla_dual_rms_norm", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "pass_config.fuse_rope_kvcache", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, compilation_config, "pass_config.fuse_qk_norm_rope_kvcache", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, compilation_config, "pass_config.rope_kvcache_fusion_max_token_num", -INF, INF,
    .default_json = ARG_JSON(256))
FIELD(FLOAT, compilation_config, "pass_config.fi_allreduce_fusion_max_size_mb", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, compilation_config, "max_cudagraph_capture_size", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(JSON, compilation_config, "dynamic_shapes_config", -INF, INF)
FIELD(ENUM, compilation_config, "dynamic_shapes_config.type", -INF, INF,
    .default_json = ARG_JSON("backed"),
    .choices = ARG_JSON(["backed", "unbacked", "backed_size_oblivious"]))
FIELD(BOOL, compilation_config, "dynamic_shapes_config.evaluate_guards", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, compilation_config, "dynamic_shapes_config.assume_32_bit_indexing", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, compilation_config, "fast_moe_cold_start", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ENUM, structured_outputs_config, "backend", -INF, INF,
    .default_json = ARG_JSON("auto"),
    .choices = ARG_JSON(["auto", "xgrammar", "guidance", "outlines", "lm-format-enforcer"]))
FIELD(BOOL, structured_outputs_config, "disable_any_whitespace", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, structured_outputs_config, "disable_additional_properties", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(STRING, structured_outputs_config, "reasoning_parser", -INF, INF,
    .default_json = ARG_JSON(""))
FIELD(STRING, structured_outputs_config, "reasoning_parser_plugin", -INF, INF,
    .default_json = ARG_JSON(""))
FIELD(BOOL, structured_outputs_config, "enable_in_reasoning", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(JSON, quantization_config, "linear", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ANY, quantization_config, "linear.weight", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ANY, quantization_config, "linear.activation", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(JSON, quantization_config, "moe", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ANY, quantization_config, "moe.weight", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ANY, quantization_config, "moe.activation", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(LIST, quantization_config, "ignore", -INF, INF, .items = OPTION_STRING)
FIELD(JSON, quantization_config, "targets", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, fault_tolerance_config, "engine_recovery_timeout_sec", -INF, INF,
    .default_json = ARG_JSON(120))
FIELD(LIST, ir_op_priority, "rms_norm", -INF, INF,
    .items = OPTION_STRING, .also_accepts = "string")
FIELD(LIST, ir_op_priority, "fused_add_rms_norm", -INF, INF,
    .items = OPTION_STRING, .also_accepts = "string")
FIELD(LIST, ir_op_priority, "gelu_and_mul_sparse", -INF, INF,
    .items = OPTION_STRING, .also_accepts = "string")
FIELD(INT, diffusion_config, "canvas_length", 0, INF,
    .default_json = ARG_JSON(null), .exclusive = "min")
FIELD(INT, diffusion_config, "max_denoising_steps", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, ec_transfer_config, "ec_connector", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, ec_transfer_config, "engine_id", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, ec_transfer_config, "ec_buffer_device", -INF, INF,
    .nullable = true, .default_json = ARG_JSON("cuda"))
FIELD(FLOAT, ec_transfer_config, "ec_buffer_size", -INF, INF,
    .default_json = ARG_JSON(1000000000.0))
FIELD(ENUM, ec_transfer_config, "ec_role", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["ec_producer", "ec_both", "ec_consumer"]))
FIELD(STRING, ec_transfer_config, "ec_ip", -INF, INF, .default_json = ARG_JSON("127.0.0.1"))
FIELD(INT, ec_transfer_config, "ec_port", -INF, INF, .default_json = ARG_JSON(14579))
FIELD(JSON, ec_transfer_config, "ec_connector_extra_config", -INF, INF)
FIELD(STRING, ec_transfer_config, "ec_connector_module_path", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, ec_manager_config, "encoder_cache_manager_cls", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(JSON, ec_manager_config, "manager_config", -INF, INF)
FIELD(ENUM, attention_config, "backend", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["auto", "FLASH_ATTN", "FLASH_ATTN_DIFFKV", "TRITON_ATTN",
        "TRITON_ATTN_DIFFKV", "TRITON_FLASH_ATTN", "ROCM_ATTN", "ROCM_SEGMENTED_ATTN",
        "ROCM_AITER_MLA", "ROCM_AITER_TRITON_MLA", "ROCM_AITER_FA", "ROCM_AITER_MLA_SPARSE",
        "XPU_MLA_SPARSE", "TORCH_SDPA", "FLASHINFER", "TRITON_FLASHINFER", "FLASHINFER_MLA",
        "TOKENSPEED_MLA", "FLASHINFER_MLA_SPARSE", "FLASHINFER_MLA_SPARSE_SM120",
        "FLASHINFER_MLA_SPARSE_SM90", "TRITON_MLA", "CUTLASS_MLA", "FLASHMLA", "FLASHMLA_SPARSE",
        "FLASHMLA_SPARSE_DSV4", "FLASHINFER_MLA_SPARSE_DSV4", "ROCM_FLASHMLA_SPARSE_DSV4",
        "FLASHMLA_SPARSE_DSV41", "FLASHINFER_MLA_SPARSE_DSV41", "ROCM_FLASHMLA_SPARSE_DSV41",
        "FLASHMLA_MEGA_ATTN_DSV41", "B12X", "FLASH_ATTN_MLA", "FLASH_ATTN_MLA_SPARSE",
        "FLASH_ATTN_MLA_SPARSE_FA4", "MINIMAX_M3_SPARSE", "CUTLASS_MSA", "TRITON_MSA", "STEP5_DSA",
        "NO_ATTENTION", "FLEX_ATTENTION", "HPC_ATTN", "ROCM_AITER_UNIFIED_ATTN", "CPU_ATTN",
        "CPU_MLA", "AMX_MLA", "TURBOQUANT", "ROCM_OCTAVE", "ULTRAQUANT", "CUSTOM"]),
    .any_case = true)
FIELD(ENUM, attention_config, "minimax_m3_msa_decode_backend", -INF, INF,
    .default_json = ARG_JSON("triton"), .choices = ARG_JSON(["triton", "cutlass"]))
FIELD(JSON, attention_config, "backend_per_kind", -INF, INF)
FIELD(ENUM, attention_config, "flash_attn_version", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null), .choices = ARG_JSON([2, 3, 4]))
FIELD(INT, attention_config, "flash_attn_max_num_splits_for_cuda_graph", -INF, INF,
    .default_json = ARG_JSON(32))
FIELD(INT, attention_config, "tokenspeed_mla_min_split_kv", 1, 256, .default_json = ARG_JSON(1))
FIELD(INT, attention_config, "tq_max_kv_splits_for_cuda_graph", -INF, INF,
    .default_json = ARG_JSON(32))
FIELD(BOOL, attention_config, "use_trtllm_attention", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, attention_config, "disable_flashinfer_q_quantization", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(ENUM, attention_config, "mla_prefill_backend", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["FLASH_ATTN", "FLASHINFER", "TRTLLM_RAGGED", "TOKENSPEED_MLA",
        "ROCM_AITER_FA", "CPU", "ZEN_CPU", "CUSTOM"]),
    .any_case = true)
FIELD(BOOL, attention_config, "use_prefill_query_quantization", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(ENUM, attention_config, "trtllm_ragged_backend", -INF, INF,
    .default_json = ARG_JSON("trtllm-gen"), .choices = ARG_JSON(["trtllm-gen", "cute-dsl"]))
FIELD(ENUM, attention_config, "indexer_kv_dtype", -INF, INF,
    .default_json = ARG_JSON("auto"),
    .choices = ARG_JSON(["auto", "bf16", "fp8", "mxfp4", "nvfp4"]), .choices_open = true)
FIELD(BOOL, attention_config, "indexer_sparse_logits", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(INT, attention_config, "indexer_tp_shard_min_rows", 1, INF,
    .default_json = ARG_JSON(65536))
FIELD(BOOL, attention_config, "minimax_m3_indexer_cp", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(JSON, attention_config, "hisparse_config", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, attention_config, "hisparse_config.device_buffer_size", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, attention_config, "hisparse_config.eager_host_mirror", -INF, INF,
    .default_json = ARG_JSON(true))
FIELD(BOOL, attention_config, "use_non_causal", -INF, INF, .default_json = ARG_JSON(false))
FIELD(BOOL, attention_config, "sparse_mla_force_mqa", -INF, INF, .default_json = ARG_JSON(false))
FIELD(INT, attention_config, "sparse_mla_prefill_workspace_factor", 2, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, attention_config, "flex_attn_block_m", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, attention_config, "flex_attn_block_n", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, attention_config, "flex_attn_q_block_size", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(INT, attention_config, "flex_attn_kv_block_size", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, reasoning_config, "reasoning_parser", -INF, INF, .default_json = ARG_JSON(""))
FIELD(STRING, reasoning_config, "reasoning_start_str", -INF, INF, .default_json = ARG_JSON(""))
FIELD(STRING, reasoning_config, "reasoning_end_str", -INF, INF, .default_json = ARG_JSON(""))
FIELD(JSON, kernel_config, "ir_op_priority", -INF, INF)
FIELD(LIST, kernel_config, "ir_op_priority.rms_norm", -INF, INF,
    .items = OPTION_STRING, .also_accepts = "string")
FIELD(LIST, kernel_config, "ir_op_priority.fused_add_rms_norm", -INF, INF,
    .items = OPTION_STRING, .also_accepts = "string")
FIELD(LIST, kernel_config, "ir_op_priority.gelu_and_mul_sparse", -INF, INF,
    .items = OPTION_STRING, .also_accepts = "string")
FIELD(BOOL, kernel_config, "enable_flashinfer_autotune", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, kernel_config, "enable_rocm_segmented_attn_autotune", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, kernel_config, "enable_cutedsl_warmup", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(true))
FIELD(BOOL, kernel_config, "enable_jit_warmup", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(true))
FIELD(BOOL, kernel_config, "monokernel", -INF, INF, .default_json = ARG_JSON(false))
FIELD(ENUM, kernel_config, "moe_backend", -INF, INF,
    .default_json = ARG_JSON("auto"),
    .choices = ARG_JSON(["auto", "triton", "batched_triton", "deep_gemm", "deep_gemm_mega_moe",
        "cutlass", "flashinfer_trtllm", "flashinfer_cutlass", "flashinfer_cutedsl",
        "flashinfer_moe_ep_cutedsl", "flashinfer_b12x", "b12x", "flashinfer_moe_ep_mega_deep_gemm",
        "marlin", "humming", "triton_unfused", "aiter", "aiter_mega_moe",
        "aiter_triton_mxfp4_bf16", "aiter_triton_mxfp4_mxfp4", "flydsl", "hpc", "emulation",
        "rdna3"]),
    .any_case = true)
FIELD(ENUM, kernel_config, "sparse_indexer_topk_backend", -INF, INF,
    .default_json = ARG_JSON("auto"),
    .choices = ARG_JSON(["auto", "deep_select", "cooperative", "persistent", "per_row",
        "flashinfer", "torch", "aiter"]),
    .any_case = true)
FIELD(ENUM, kernel_config, "linear_backend", -INF, INF,
    .default_json = ARG_JSON("auto"),
    .choices = ARG_JSON(["auto", "cutlass", "flashinfer_cutlass", "flashinfer_cutedsl",
        "flashinfer_trtllm", "flashinfer_cudnn", "flashinfer_b12x", "b12x", "marlin", "humming",
        "triton", "deep_gemm", "torch", "aiter", "machete", "fbgemm", "conch", "exllama",
        "emulation", "xpu", "xpu_woq"]),
    .any_case = true)
FIELD(JSON, kernel_config, "linear_backend_per_quant", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ENUM, profiler_config, "profiler", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["torch", "cuda", "proton"]))
FIELD(STRING, profiler_config, "torch_profiler_dir", -INF, INF, .default_json = ARG_JSON(""))
FIELD(LIST, profiler_config, "torch_profiler_activities", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(STRING, profiler_config, "proton_profiler_dir", -INF, INF, .default_json = ARG_JSON(""))
FIELD(ENUM, profiler_config, "proton_context", -INF, INF,
    .default_json = ARG_JSON("shadow"), .choices = ARG_JSON(["shadow", "python"]))
FIELD(ENUM, profiler_config, "proton_data", -INF, INF,
    .default_json = ARG_JSON("tree"), .choices = ARG_JSON(["tree", "trace"]))
FIELD(ENUM, profiler_config, "proton_backend", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null), .choices = ARG_JSON(["cupti"]))
FIELD(STRING, profiler_config, "proton_mode", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(ENUM, profiler_config, "proton_hook", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null), .choices = ARG_JSON(["triton"]))
FIELD(ENUM, profiler_config, "proton_output_format", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null),
    .choices = ARG_JSON(["hatchet", "hatchet_msgpack", "chrome_trace"]))
FIELD(BOOL, profiler_config, "proton_graph_attribution", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, profiler_config, "torch_profiler_with_stack", -INF, INF,
    .default_json = ARG_JSON(true))
FIELD(BOOL, profiler_config, "torch_profiler_with_flops", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, profiler_config, "torch_profiler_use_gzip", -INF, INF,
    .default_json = ARG_JSON(true))
FIELD(BOOL, profiler_config, "torch_profiler_dump_cuda_time_total", -INF, INF,
    .default_json = ARG_JSON(true))
FIELD(BOOL, profiler_config, "torch_profiler_record_shapes", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, profiler_config, "torch_profiler_with_memory", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, profiler_config, "capture_torch_profiler", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, profiler_config, "detailed_trace_annotation", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, profiler_config, "ignore_frontend", -INF, INF, .default_json = ARG_JSON(false))
FIELD(INT, profiler_config, "delay_iterations", 0, INF, .default_json = ARG_JSON(0))
FIELD(INT, profiler_config, "max_iterations", 0, INF, .default_json = ARG_JSON(0))
FIELD(INT, profiler_config, "warmup_iterations", 0, INF, .default_json = ARG_JSON(0))
FIELD(INT, profiler_config, "active_iterations", 1, INF, .default_json = ARG_JSON(5))
FIELD(INT, profiler_config, "wait_iterations", 0, INF, .default_json = ARG_JSON(0))
FIELD(ENUM, weight_transfer_config, "backend", -INF, INF,
    .default_json = ARG_JSON("nccl"),
    .choices = ARG_JSON(["nccl", "ipc", "sparse_nccl", "sharded_rdt", "nccl_m2n"]),
    .choices_open = true)
FIELD(ENUM, logging_config, "log_level", -INF, INF,
    .choices = ARG_JSON(["CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG", "NOTSET"]))
FIELD(ENUM, logging_config, "formatter", -INF, INF,
    .default_json = ARG_JSON("text"), .choices = ARG_JSON(["text", "json"]))
FIELD(BOOL, logging_config, "configure_logging", -INF, INF)
FIELD(STRING, logging_config, "pylogging_config_file", -INF, INF, .nullable = true)
FIELD(INT, watermark_config, "key", 0, INF, .default_json = ARG_JSON(null), .required = true)
FIELD(ENUM, watermark_config, "algorithm", -INF, INF,
    .default_json = ARG_JSON("gumbel"), .choices = ARG_JSON(["gumbel", "dual_key_gumbel"]))
FIELD(FLOAT, watermark_config, "alpha", 0, 1, .default_json = ARG_JSON(0.1))
FIELD(INT, watermark_config, "context_width", 1, INF, .default_json = ARG_JSON(4))
FIELD(ENUM, watermark_config, "deduplicate_contexts", -INF, INF,
    .default_json = ARG_JSON("single_turn"), .choices = ARG_JSON(["none", "single_turn", "all"]))
FIELD(INT, watermark_config, "deduplicate_contexts_max_history", 1, INF,
    .nullable = true, .default_json = ARG_JSON(8192))
FIELD(ENUM, watermark_config, "prf", -INF, INF,
    .default_json = ARG_JSON("philox"), .choices = ARG_JSON(["philox"]))
FIELD(BOOL, watermark_config, "allow_target_only_watermarking", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(BOOL, engram_config, "cpu_offload", -INF, INF, .default_json = ARG_JSON(true))
FIELD(BOOL, engram_config, "embedding_across_dp", -INF, INF, .default_json = ARG_JSON(false))
FIELD(BOOL, engram_config, "dp_shared_memory", -INF, INF,
    .nullable = true, .default_json = ARG_JSON(null))
FIELD(BOOL, engram_config, "use_thp", -INF, INF, .default_json = ARG_JSON(false))
FIELD(BOOL, aux_output_config, "enable_return_routed_experts", -INF, INF,
    .default_json = ARG_JSON(false))
FIELD(INT, aux_output_config, "max_bytes", 0, INF,
    .nullable = true, .default_json = ARG_JSON(null), .exclusive = "min")
FIELD(INT, watchdog_config, "timeout", 0, INF,
    .default_json = ARG_JSON(300), .exclusive = "min")
FIELD(INT, watchdog_config, "check_interval", 0, INF,
    .default_json = ARG_JSON(10), .exclusive = "min")
FIELD(STRING, watchdog_config, "dump_dir", -INF, INF, .default_json = ARG_JSON(""))
FIELD(STRING, reasoning_effort_map, "none", -INF, INF)
FIELD(STRING, reasoning_effort_map, "minimal", -INF, INF)
FIELD(STRING, reasoning_effort_map, "low", -INF, INF)
FIELD(STRING, reasoning_effort_map, "medium", -INF, INF)
FIELD(STRING, reasoning_effort_map, "high", -INF, INF)
FIELD(STRING, reasoning_effort_map, "xhigh", -INF, INF)
FIELD(STRING, reasoning_effort_map, "max", -INF, INF)
