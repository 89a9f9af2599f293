/*
 * Constraints between vLLM's arguments, the host and the model. A rule is violated if WHEN is true and REQUIRE
 * is false; an unknown value violates no rule. docs/reference/constraints.md is made from this file.
 *
 * RULE(id, severity, scope, since, until, reference, WHEN(…), REQUIRE(…), message, …)
 *   severity   ERROR: vLLM refuses it; WARNING: it warns, ignores it, or works badly
 *   scope      ENGINE: the server and every other command; BENCH_THROUGHPUT, BENCH_LATENCY: that command only
 *   since      it holds where since <= release < until; NULL: no limit known
 *   reference  what vLLM 0.33.0 does: HOLDS (refuses an error, warns about or ignores a warning), CHANGED (another
 *              rule took its place), GONE (accepts it or lacks the argument), ADVICE (never enforced)
 *   …          further members of struct vllm_rule, by name: .source (file and function of vLLM 0.33.0),
 *              .reference_note, .note
 *
 * Expressions (vllm/expr.h) are written as they are read: names of arguments, object.key, env.fact, literals,
 * and or not, comparisons, in, not in, + - * / %, is_set(), any_set(), starts_with().
 */
#ifndef RULE_WHEN
#define RULE_WHEN
#define WHEN(...) #__VA_ARGS__
#define REQUIRE(...) #__VA_ARGS__
#endif

RULE(world_fits_gpus, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(not is_set(data_parallel_rank) and not is_set(data_parallel_size_local)
         and (not is_set(distributed_executor_backend)
         or distributed_executor_backend in ["mp", "uni"]) and data_parallel_backend != "ray"),
    REQUIRE(tensor_parallel_size * pipeline_parallel_size * prefill_context_parallel_size *
            data_parallel_size <= env.gpus * nnodes),
    "tensor, pipeline and data parallelism together need more GPUs than the server has",
    .source = "config/parallel.py ParallelConfig.__post_init__, v1/worker/gpu_worker.py "
              "Worker.init_device",
    .reference_note = "prefill_context_parallel_size and nnodes count (both 1 in older "
                      "releases); Ray and external_launcher use other GPUs",
    .note = "older documents compare only TP x PP with the GPUs; the source code also multiplies by DP "
            "for the world size across replicas")
RULE(world_fits_gpus_local_dp, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(not is_set(data_parallel_rank) and is_set(data_parallel_size_local)
         and (not is_set(distributed_executor_backend)
         or distributed_executor_backend in ["mp", "uni"]) and data_parallel_backend != "ray"),
    REQUIRE(tensor_parallel_size * pipeline_parallel_size * prefill_context_parallel_size *
            data_parallel_size_local <= env.gpus * nnodes),
    "tensor, pipeline and local data parallelism together need more GPUs than the server has on this host",
    .source = "v1/worker/gpu_worker.py Worker.init_device",
    .reference_note = "prefill_context_parallel_size and nnodes count (both 1 in older "
                      "releases); Ray and external_launcher use other GPUs")
RULE(world_fits_gpus_one_rank, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(data_parallel_rank) and (not is_set(distributed_executor_backend)
         or distributed_executor_backend in ["mp", "uni"]) and data_parallel_backend != "ray"),
    REQUIRE(tensor_parallel_size * pipeline_parallel_size * prefill_context_parallel_size <=
            env.gpus * nnodes),
    "tensor and pipeline parallelism together need more GPUs than the server has",
    .source = "config/parallel.py ParallelConfig.__post_init__",
    .reference_note = "prefill_context_parallel_size and nnodes count (both 1 in older "
                      "releases); Ray and external_launcher use other GPUs")
RULE(world_fits_gpus_ray, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(distributed_executor_backend) and distributed_executor_backend == "ray"),
    REQUIRE(tensor_parallel_size * pipeline_parallel_size * prefill_context_parallel_size <=
            env.gpus),
    "tensor and pipeline parallelism together need more GPUs than the server has; Ray waits for them",
    .source = "v1/executor/ray_utils.py initialize_ray_cluster")
RULE(tp_divisible_by_dcp, ERROR, ENGINE, NULL, "0.26.0", CHANGED,
    WHEN(true),
    REQUIRE(tensor_parallel_size % decode_context_parallel_size == 0),
    "tensor_parallel_size must be a multiple of decode_context_parallel_size",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config",
    .reference_note = "from 0.26.0 on it depends on prefill_context_parallel_size: "
                      "dcp_divides_tp, dcp_fits_pcp")
RULE(dcp_divides_tp, ERROR, ENGINE, "0.26.0", NULL, HOLDS,
    WHEN(prefill_context_parallel_size == 1),
    REQUIRE(tensor_parallel_size % decode_context_parallel_size == 0),
    "tensor_parallel_size must be a multiple of decode_context_parallel_size",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config")
RULE(dcp_fits_pcp, ERROR, ENGINE, "0.26.0", NULL, HOLDS,
    WHEN(prefill_context_parallel_size > 1),
    REQUIRE(decode_context_parallel_size == 1
            or decode_context_parallel_size == prefill_context_parallel_size
            or decode_context_parallel_size == tensor_parallel_size *
            prefill_context_parallel_size),
    "with prefill context parallelism, decode_context_parallel_size must be 1, the prefill "
    "size, or TP x the prefill size",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config")
RULE(dp_local_within_dp, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(data_parallel_size_local)),
    REQUIRE(data_parallel_size_local <= data_parallel_size),
    "data_parallel_size_local cannot exceed data_parallel_size",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config")
RULE(dp_rank_in_range, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(data_parallel_rank) and data_parallel_size > 1),
    REQUIRE(data_parallel_rank < data_parallel_size),
    "data_parallel_rank must be below data_parallel_size",
    .source = "config/parallel.py ParallelConfig.__post_init__")
RULE(dp_start_rank_in_range, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(data_parallel_start_rank) and is_set(data_parallel_size_local)
         and not is_set(data_parallel_rank) and data_parallel_size > 1),
    REQUIRE(data_parallel_start_rank < data_parallel_size),
    "data_parallel_start_rank must be below data_parallel_size",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config, config/parallel.py "
              "ParallelConfig.__post_init__",
    .reference_note = "the start rank is read only with data_parallel_size_local and without "
                      "data_parallel_rank")
RULE(dp_rank_means_one_local, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(data_parallel_rank) and is_set(data_parallel_size_local)),
    REQUIRE(data_parallel_size_local == 1),
    "with data_parallel_rank set, data_parallel_size_local must be 1 or unset",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config")
RULE(hybrid_lb_needs_start_rank, WARNING, ENGINE, NULL, NULL, ADVICE,
    WHEN(data_parallel_hybrid_lb),
    REQUIRE(is_set(data_parallel_start_rank)),
    "hybrid load balancing needs data_parallel_start_rank",
    .source = "config/parallel.py ParallelConfig.data_parallel_hybrid_lb",
    .reference_note = "documented only; unset, the first local rank is 0 or follows from "
                      "node_rank")
RULE(hybrid_lb_needs_local_size, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(data_parallel_hybrid_lb and not is_set(data_parallel_rank)
         and not data_parallel_external_lb and nnodes == 1),
    REQUIRE(is_set(data_parallel_size_local)),
    "hybrid load balancing needs data_parallel_size_local",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config",
    .reference_note = "with nnodes above 1 the local size is inferred; external balancing has "
                      "its own rule")
RULE(hybrid_lb_not_with_rank, WARNING, ENGINE, NULL, "0.22.0", CHANGED,
    WHEN(is_set(data_parallel_rank)),
    REQUIRE(not data_parallel_hybrid_lb),
    "data_parallel_rank turns on external load balancing, which overrides the hybrid mode",
    .source = "entrypoints/cli/serve.py ServeSubcommand.cmd",
    .reference_note = "an error from 0.22.0 on, and about all three modes: one_dp_lb_mode")
RULE(one_dp_lb_mode, ERROR, ENGINE, "0.22.0", NULL, HOLDS,
    WHEN(data_parallel_external_lb or is_set(data_parallel_rank)
         or data_parallel_multi_port_external_lb),
    REQUIRE(not data_parallel_hybrid_lb and (data_parallel_multi_port_external_lb
            or not is_set(data_parallel_start_rank)) and not (data_parallel_multi_port_external_lb
            and (data_parallel_external_lb or is_set(data_parallel_rank)))),
    "only one load-balancing mode can be on: external (data_parallel_external_lb or "
    "data_parallel_rank), multi-port external (data_parallel_multi_port_external_lb), or hybrid "
    "(data_parallel_hybrid_lb or data_parallel_start_rank)",
    .source = "entrypoints/cli/serve.py ServeSubcommand.cmd")
RULE(hybrid_lb_single_local, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(data_parallel_hybrid_lb and is_set(data_parallel_size_local)),
    REQUIRE(data_parallel_size_local != 1),
    "with one local replica, vLLM replaces hybrid by external load balancing",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config")
RULE(eplb_needs_expert_parallel, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(enable_eplb),
    REQUIRE(enable_expert_parallel),
    "enable_eplb needs enable_expert_parallel",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config")
RULE(eplb_needs_ranks, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(enable_eplb),
    REQUIRE(tensor_parallel_size * prefill_context_parallel_size * data_parallel_size > 1),
    "enable_eplb needs tensor, prefill context or data parallelism above 1",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config",
    .reference_note = "prefill context parallelism counts too (0.26.0)")
RULE(eplb_needs_gpu_platform, ERROR, ENGINE, NULL, "0.31.0", CHANGED,
    WHEN(enable_eplb),
    REQUIRE(env.platform in ["cuda", "rocm"]),
    "enable_eplb works on CUDA and ROCm only",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config",
    .reference_note = "XPU is accepted from 0.31.0 on: eplb_platform")
RULE(eplb_platform, ERROR, ENGINE, "0.31.0", NULL, HOLDS,
    WHEN(enable_eplb),
    REQUIRE(env.platform in ["cuda", "rocm", "xpu"]),
    "enable_eplb works on CUDA, ROCm and XPU only",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config")
RULE(redundant_experts_need_eplb, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(not enable_eplb),
    REQUIRE(eplb_config.num_redundant_experts == 0),
    "redundant experts need enable_eplb",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config")
RULE(redundant_experts_flag_needs_eplb, ERROR, ENGINE, NULL, "0.12.0", GONE,
    WHEN(is_set(num_redundant_experts) and not enable_eplb),
    REQUIRE(num_redundant_experts == 0),
    "redundant experts need enable_eplb",
    .reference_note = "the argument was removed; redundant_experts_need_eplb covers the key of "
                      "eplb_config")
RULE(eplb_old_and_new, WARNING, ENGINE, NULL, "0.12.0", GONE,
    WHEN(any_set(num_redundant_experts, eplb_window_size, eplb_step_interval,
         eplb_log_balancedness)),
    REQUIRE(not is_set(eplb_config)),
    "the deprecated EPLB flags override eplb_config; use only one form",
    .reference_note = "the deprecated arguments were removed")
RULE(pp_executor, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(pipeline_parallel_size > 1 and is_set(distributed_executor_backend)),
    REQUIRE(distributed_executor_backend in ["ray", "mp", "external_launcher"]),
    "pipeline parallelism needs the ray, mp or external_launcher executor",
    .source = "engine/arg_utils.py EngineArgs._check_feature_supported")
RULE(nsight_needs_ray, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(ray_workers_use_nsight and is_set(distributed_executor_backend)),
    REQUIRE(distributed_executor_backend == "ray"),
    "Nsight profiling of workers needs the ray executor",
    .source = "config/parallel.py ParallelConfig._verify_args")
RULE(loading_workers_ignored, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(true),
    REQUIRE(not is_set(max_parallel_loading_workers)),
    "newer engines ignore max_parallel_loading_workers",
    .source = "config/parallel.py ParallelConfig.__post_init__")
RULE(dbo_thresholds_need_dbo, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(any_set(dbo_decode_token_threshold, dbo_prefill_token_threshold)),
    REQUIRE(enable_dbo or ubatch_size > 1),
    "the dual-batch thresholds have no effect without enable_dbo or ubatch_size above 1",
    .source = "v1/worker/ubatch_utils.py check_ubatch_thresholds",
    .reference_note = "ubatch_size above 1 turns batch splitting on as well")
RULE(expert_placement_needs_ep, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(expert_placement_strategy == "round_robin"),
    REQUIRE(enable_expert_parallel),
    "expert_placement_strategy has no effect without enable_expert_parallel",
    .source = "model_executor/layers/fused_moe/expert_map_manager.py ExpertMapManager.__init__")
RULE(round_robin_no_redundant, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(expert_placement_strategy == "round_robin"),
    REQUIRE(eplb_config.num_redundant_experts == 0 and not enable_eplb),
    "round-robin placement falls back to linear with redundant experts or EPLB",
    .source = "model_executor/layers/fused_moe/expert_map_manager.py "
              "determine_expert_placement_strategy",
    .reference_note = "enable_eplb makes it fall back to linear too, since 0.11.0")
RULE(cuda_block_size, WARNING, ENGINE, NULL, "0.18.0", CHANGED,
    WHEN(env.platform == "cuda" and is_set(block_size)),
    REQUIRE(block_size <= 32),
    "on CUDA, block_size can be at most 32",
    .source = "platforms/cuda.py CudaPlatformBase.get_attn_backend_cls",
    .reference_note = "documented before 0.18.0, not enforced (0.11.0 itself sets 64 and 128): "
                      "now a warning; 0.32.0 asks the attention backends: "
                      "cuda_block_size_multiple")
RULE(cuda_block_size_multiple, ERROR, ENGINE, "0.32.0", NULL, HOLDS,
    WHEN(env.platform == "cuda" and is_set(block_size)),
    REQUIRE(block_size % 16 == 0),
    "on CUDA, block_size must be a multiple of 16; some attention backends need 32, 64 or 128",
    .source = "platforms/cuda.py CudaPlatformBase.get_attn_backend_cls, "
              "v1/attention/backend.py AttentionBackend.supports_block_size",
    .reference_note = "models without attention are not checked")
RULE(kv_scales_need_fp8, WARNING, ENGINE, NULL, "0.28.0", GONE,
    WHEN(calculate_kv_scales),
    REQUIRE(starts_with(kv_cache_dtype, "fp8")),
    "calculate_kv_scales has no effect without an FP8 kv_cache_dtype",
    .reference_note = "the argument was removed")
RULE(kv_bytes_override_utilization, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(kv_cache_memory_bytes)),
    REQUIRE(not is_set(gpu_memory_utilization)),
    "kv_cache_memory_bytes makes the engine ignore gpu_memory_utilization",
    .source = "v1/worker/gpu_worker.py Worker.determine_available_memory",
    .reference_note = "ignored for the cache size; the startup check of free memory still "
                      "uses it")
RULE(fp8_inc_is_hpu, WARNING, ENGINE, NULL, "0.32.0", CHANGED,
    WHEN(kv_cache_dtype == "fp8_inc"),
    REQUIRE(env.platform == "hpu"),
    "fp8_inc is the Intel Gaudi format",
    .source = "v1/attention/backend.py AttentionBackend.supports_kv_cache_dtype",
    .reference_note = "no attention backend for CUDA or ROCm supports it: fp8_inc_not_on_gpu")
RULE(fp8_inc_not_on_gpu, ERROR, ENGINE, "0.32.0", NULL, HOLDS,
    WHEN(kv_cache_dtype == "fp8_inc"),
    REQUIRE(env.platform not in ["cuda", "rocm"]),
    "fp8_inc is the Intel Gaudi format; no attention backend for CUDA or ROCm supports it",
    .source = "v1/attention/backend.py AttentionBackend.supports_kv_cache_dtype")
RULE(kv_cache_float_is_model_dtype, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(kv_cache_dtype in ["float16", "bfloat16"] and dtype != "auto"),
    REQUIRE(kv_cache_dtype == "float16" and dtype in ["float16", "half"] or kv_cache_dtype ==
            "bfloat16" and dtype == "bfloat16"),
    "kv_cache_dtype float16 or bfloat16 must be the dtype of the model; auto follows it",
    .source = "config/vllm.py VllmConfig._reject_mismatched_float_kv_cache",
    .note = "with dtype auto the dtype of config.json counts, which this form cannot ask for")
RULE(rocm_no_e5m2, WARNING, ENGINE, NULL, NULL, ADVICE,
    WHEN(env.platform == "rocm"),
    REQUIRE(kv_cache_dtype != "fp8_e5m2"),
    "ROCm supports the e4m3 FP8 cache, not e5m2",
    .source = "config/cache.py CacheConfig.cache_dtype",
    .reference_note = "documented only; the ROCm attention backends list fp8_e5m2 as accepted")
RULE(hash_algo_needs_prefix_caching, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(prefix_caching_hash_algo)),
    REQUIRE(enable_prefix_caching != false or any_set(kv_transfer_config, kv_offloading_size)),
    "prefix_caching_hash_algo has no effect without prefix caching",
    .source = "v1/engine/core.py EngineCore.__init__",
    .reference_note = "a KV connector uses the hashes too")
RULE(kv_sharing_unfinished, WARNING, ENGINE, NULL, "0.26.0", CHANGED,
    WHEN(true),
    REQUIRE(not kv_sharing_fast_prefill),
    "kv_sharing_fast_prefill is documented as having no effect yet",
    .source = "config/vllm.py VllmConfig.__post_init__",
    .reference_note = "implemented by 0.26.0; vLLM still warns that the model must support it: "
                      "kv_sharing_model_side")
RULE(kv_sharing_model_side, WARNING, ENGINE, "0.26.0", NULL, HOLDS,
    WHEN(true),
    REQUIRE(not kv_sharing_fast_prefill),
    "kv_sharing_fast_prefill is correct and saves time only if the model supports it",
    .source = "config/vllm.py VllmConfig.__post_init__")
RULE(host_memory_per_gpu, WARNING, ENGINE, NULL, "0.18.0", CHANGED,
    WHEN(true),
    REQUIRE((swap_space + cpu_offload_gb) * tensor_parallel_size * pipeline_parallel_size <=
            env.host_memory_gib),
    "swap and offload space are per GPU and together exceed host memory",
    .source = "config/offload.py UVAOffloadConfig.cpu_offload_gb",
    .reference_note = "swap_space was removed in 0.18.0: host_memory_offload")
RULE(host_memory_offload, WARNING, ENGINE, "0.18.0", NULL, ADVICE,
    WHEN(cpu_offload_gb > 0),
    REQUIRE(cpu_offload_gb * tensor_parallel_size * pipeline_parallel_size <= env.host_memory_gib),
    "the offload space of all GPUs together exceeds the host memory",
    .source = "config/offload.py UVAOffloadConfig.cpu_offload_gb",
    .reference_note = "documented as space per GPU, not checked beforehand")
RULE(shm_object_size_needs_shm, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(mm_shm_cache_max_object_size_mb) and mm_shm_cache_max_object_size_mb != 128),
    REQUIRE(mm_processor_cache_type == "shm"),
    "mm_shm_cache_max_object_size_mb needs mm_processor_cache_type shm",
    .source = "config/multimodal.py MultiModalConfig._validate_multimodal_config",
    .reference_note = "checked only for models that take media")
RULE(mm_data_mode_needs_tp, WARNING, ENGINE, NULL, NULL, ADVICE,
    WHEN(mm_encoder_tp_mode == "data"),
    REQUIRE(tensor_parallel_size > 1),
    "mm_encoder_tp_mode data differs from weights only with tensor parallelism",
    .source = "config/multimodal.py MultiModalConfig.mm_encoder_tp_mode",
    .reference_note = "documented as an optimization of tensor parallelism, never checked")
RULE(mm_cache_host_memory, WARNING, ENGINE, NULL, NULL, ADVICE,
    WHEN(true),
    REQUIRE(mm_processor_cache_gb * (env.api_servers + data_parallel_size) <= env.host_memory_gib),
    "the multimodal caches of all processes together exceed the host memory",
    .source = "config/multimodal.py MultiModalConfig.mm_processor_cache_gb",
    .reference_note = "the formula is documented, never checked")
RULE(mm_cache_off, WARNING, ENGINE, NULL, NULL, ADVICE,
    WHEN(is_set(mm_processor_cache_gb)),
    REQUIRE(mm_processor_cache_gb > 0),
    "turning the multimodal cache off is not recommended",
    .source = "config/multimodal.py MultiModalConfig.mm_processor_cache_gb",
    .reference_note = "documented as not recommended")
RULE(chunked_mm_needs_chunked, WARNING, ENGINE, NULL, NULL, ADVICE,
    WHEN(disable_chunked_mm_input),
    REQUIRE(enable_chunked_prefill != false),
    "disable_chunked_mm_input has no effect without chunked prefill",
    .source = "config/scheduler.py SchedulerConfig.disable_chunked_mm_input",
    .reference_note = "documented only")
RULE(local_media_risk, WARNING, ENGINE, NULL, NULL, ADVICE,
    WHEN(is_set(allowed_local_media_path)),
    REQUIRE(allowed_local_media_path == ""),
    "serving local media files is a security risk outside trusted networks",
    .source = "config/model.py ModelConfig.allowed_local_media_path",
    .reference_note = "documented as a security risk")
RULE(lora_args_need_lora, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(any_set(max_loras, max_lora_rank, lora_extra_vocab_size, lora_dtype, max_cpu_loras,
         fully_sharded_loras, default_mm_loras, enable_lora_bias, lora_target_modules,
         enable_tower_connector_lora, specialize_active_lora, enable_mixed_moe_lora_format,
         enable_moe_shared_loras, max_lora_cls_labels)),
    REQUIRE(is_set(enable_lora) and enable_lora),
    "LoRA settings are ignored unless enable_lora is on",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config",
    .reference_note = "with the LoRA arguments of 0.32.0",
    .note = "enable_lora unset (null) counts as false for this rule")
RULE(cpu_loras_ge_loras, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(enable_lora and is_set(max_cpu_loras) and max_cpu_loras > 0),
    REQUIRE(max_cpu_loras >= max_loras),
    "max_cpu_loras must be at least max_loras",
    .source = "config/lora.py LoRAConfig._validate_lora_config")
RULE(lora_rank_values, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(enable_lora),
    REQUIRE(max_lora_rank in [1, 8, 16, 32, 64, 128, 256, 320, 512]),
    "max_lora_rank must be one of the supported ranks",
    .source = "config/lora.py LoRAConfig.max_lora_rank",
    .note = "rank 1 is accepted by newer engines only")
RULE(lora_vocab_values, ERROR, ENGINE, NULL, "0.12.0", GONE,
    WHEN(enable_lora),
    REQUIRE(lora_extra_vocab_size in [256, 512]),
    "lora_extra_vocab_size must be 256 or 512",
    .reference_note = "the argument was removed")
RULE(mm_loras_need_mm_model, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(default_mm_loras)),
    REQUIRE(env.model_is_multimodal),
    "default_mm_loras needs a multimodal model",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config",
    .reference_note = "refused without enable_lora too, since 0.11.0")
RULE(lora_no_mega_moe, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(enable_lora),
    REQUIRE(moe_backend not in ["deep_gemm_mega_moe", "flashinfer_moe_ep_cutedsl",
            "flashinfer_moe_ep_mega_deep_gemm", "aiter_mega_moe"] and not
            (is_set(kernel_config.moe_backend) and kernel_config.moe_backend in
            ["deep_gemm_mega_moe", "flashinfer_moe_ep_cutedsl",
            "flashinfer_moe_ep_mega_deep_gemm", "aiter_mega_moe"])),
    "LoRA does not work with the MegaMoE backends",
    .source = "config/lora.py LoRAConfig.verify_with_kernel_config")
RULE(lora_spec_budget, ERROR, ENGINE, "0.11.1", NULL, HOLDS,
    WHEN(enable_lora and is_set(speculative_config)),
    REQUIRE(max_num_batched_tokens >= max_num_seqs * (speculative_config.num_speculative_tokens +
            1)),
    "with LoRA and speculation the token budget must cover max_num_seqs x (speculative tokens "
    "+ 1)",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config",
    .reference_note = "not in 0.11.0",
    .note = "newer engines only")
RULE(budget_ge_seqs, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(true),
    REQUIRE(max_num_batched_tokens >= max_num_seqs),
    "max_num_batched_tokens must be at least max_num_seqs",
    .source = "config/scheduler.py SchedulerConfig.verify_max_model_len")
RULE(budget_ge_len_unchunked, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(enable_chunked_prefill == false),
    REQUIRE(max_num_batched_tokens >= max_model_len),
    "without chunked prefill, max_num_batched_tokens must be at least max_model_len",
    .source = "config/scheduler.py SchedulerConfig.verify_max_model_len")
RULE(budget_le_capacity, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(true),
    REQUIRE(max_num_batched_tokens <= max_num_seqs * max_model_len),
    "max_num_batched_tokens exceeds max_num_seqs x max_model_len",
    .source = "config/scheduler.py SchedulerConfig.verify_max_model_len")
RULE(partial_prefills_need_chunked, ERROR, ENGINE, NULL, "0.27.0", GONE,
    WHEN(max_num_partial_prefills > 1),
    REQUIRE(enable_chunked_prefill != false),
    "max_num_partial_prefills above 1 needs chunked prefill",
    .reference_note = "the argument was removed")
RULE(long_threshold_le_len, ERROR, ENGINE, NULL, "0.27.0", CHANGED,
    WHEN(max_num_partial_prefills > 1),
    REQUIRE(long_prefill_token_threshold <= max_model_len),
    "long_prefill_token_threshold cannot exceed max_model_len",
    .source = "config/scheduler.py SchedulerConfig.verify_max_model_len",
    .reference_note = "from 0.27.0 on always checked: long_prefill_threshold_le_len")
RULE(long_prefill_threshold_le_len, ERROR, ENGINE, "0.27.0", NULL, HOLDS,
    WHEN(long_prefill_token_threshold > 0),
    REQUIRE(long_prefill_token_threshold <= max_model_len),
    "long_prefill_token_threshold cannot exceed max_model_len",
    .source = "config/scheduler.py SchedulerConfig.verify_max_model_len")
RULE(long_partials_le_partials, ERROR, ENGINE, NULL, "0.27.0", GONE,
    WHEN(true),
    REQUIRE(max_long_partial_prefills <= max_num_partial_prefills),
    "max_long_partial_prefills cannot exceed max_num_partial_prefills",
    .reference_note = "both arguments were removed")
RULE(partial_prefills_v1, WARNING, ENGINE, NULL, "0.27.0", GONE,
    WHEN(max_num_partial_prefills > 1 or max_long_partial_prefills > 1),
    REQUIRE(false),
    "the V1 engine does not support concurrent partial prefills",
    .reference_note = "both arguments were removed")
RULE(async_no_pp, ERROR, ENGINE, NULL, "0.15.0", CHANGED,
    WHEN(async_scheduling),
    REQUIRE(pipeline_parallel_size == 1),
    "async_scheduling does not work with pipeline parallelism",
    .source = "config/vllm.py VllmConfig._get_v1_model_runner_unsupported_features",
    .reference_note = "accepted from 0.15.0 on; 0.31.0 and later refuse it with model runner "
                      "V1 only: async_pp_needs_v2_runner")
RULE(async_pp_needs_v2_runner, ERROR, ENGINE, "0.31.0", NULL, HOLDS,
    WHEN(async_scheduling and pipeline_parallel_size > 1),
    REQUIRE(not enable_dbo and ubatch_size <= 1 and (not is_set(distributed_executor_backend)
            or distributed_executor_backend != "external_launcher")),
    "async_scheduling with pipeline parallelism needs model runner V2, which excludes "
    "external_launcher and batch splitting",
    .source = "config/vllm.py VllmConfig._validate_v1_model_runner")
RULE(async_no_spec, ERROR, ENGINE, NULL, "0.11.1", CHANGED,
    WHEN(async_scheduling),
    REQUIRE(not is_set(speculative_config)),
    "async_scheduling does not work with speculative decoding",
    .source = "config/vllm.py VllmConfig.__post_init__",
    .reference_note = "from 0.11.1 on only some methods are refused: async_spec_methods")
RULE(async_spec_methods, ERROR, ENGINE, "0.11.1", "0.33.0", CHANGED,
    WHEN(async_scheduling and any_set(speculative_config, spec_method)),
    REQUIRE(not (is_set(speculative_config.method)
            and speculative_config.method in ["ngram", "medusa", "mlp_speculator", "suffix",
            "custom_class"]) and not (is_set(spec_method)
            and spec_method in ["ngram", "medusa", "mlp_speculator", "suffix", "custom_class"])
            and not (is_set(speculative_config.disable_padded_drafter_batch)
            and speculative_config.disable_padded_drafter_batch)),
    "async_scheduling works with EAGLE, MTP, draft-model, ngram_gpu, DSpark and DFlash "
    "speculation only, and with padded drafter batches",
    .source = "config/vllm.py VllmConfig.__post_init__",
    .reference_note = "0.33.0 refuses it with model runner V1 only, which suffix and custom_class "
                      "still need: async_spec_v1_only")
RULE(async_spec_v1_only, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(async_scheduling and any_set(speculative_config, spec_method)),
    REQUIRE(not (is_set(speculative_config.method) and speculative_config.method in ["suffix",
            "custom_class"]) and not (is_set(spec_method) and spec_method in ["suffix",
            "custom_class"])),
    "async_scheduling does not work with suffix or custom_class speculation, which run on model "
    "runner V1",
    .source = "config/vllm.py VllmConfig.__post_init__",
    .note = "where model runner V1 is forced (VLLM_USE_V2_MODEL_RUNNER=0, no Triton) ngram and "
            "disable_padded_drafter_batch are refused too")
RULE(async_no_structured, WARNING, ENGINE, NULL, "0.11.1", GONE,
    WHEN(async_scheduling),
    REQUIRE(not any_set(structured_outputs_config, guided_decoding_backend)),
    "async_scheduling does not work with structured outputs",
    .reference_note = "structured outputs work with it",
    .note = "structured outputs are chosen per request, so only a hint can be checked at launch")
RULE(async_executor, ERROR, ENGINE, NULL, "0.24.0", GONE,
    WHEN(async_scheduling and is_set(distributed_executor_backend)),
    REQUIRE(distributed_executor_backend in ["mp", "uni", "external_launcher"]),
    "async_scheduling needs the mp, uni or external_launcher executor",
    .reference_note = "Ray's V2 executor, the default by 0.24.0, works with it; "
                      "VLLM_USE_RAY_V2_EXECUTOR_BACKEND=0 does not")
RULE(eager_makes_graph_args_moot, WARNING, ENGINE, NULL, NULL, HOLDS,
    WHEN(enforce_eager),
    REQUIRE(not any_set(cuda_graph_sizes, max_seq_len_to_capture, cudagraph_capture_sizes,
            max_cudagraph_capture_size)),
    "enforce_eager turns CUDA graphs off, so graph settings have no effect",
    .source = "config/vllm.py VllmConfig.__post_init__",
    .reference_note = "with the successors of the two arguments")
RULE(graph_sizes_once, WARNING, ENGINE, NULL, "0.13.0", CHANGED,
    WHEN(is_set(cuda_graph_sizes)),
    REQUIRE(not is_set(compilation_config.cudagraph_capture_sizes)),
    "set the CUDA graph sizes only here or only in compilation_config",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config",
    .reference_note = "cuda_graph_sizes was removed; the same about its successors: "
                      "capture_sizes_once",
    .note = "an error in newer engines")
RULE(capture_sizes_once, ERROR, ENGINE, "0.11.1", NULL, HOLDS,
    WHEN(any_set(cudagraph_capture_sizes, max_cudagraph_capture_size)),
    REQUIRE(not (is_set(cudagraph_capture_sizes)
            and is_set(compilation_config.cudagraph_capture_sizes))
            and not (is_set(max_cudagraph_capture_size)
            and is_set(compilation_config.max_cudagraph_capture_size))),
    "set the CUDA graph capture sizes only here or only in compilation_config",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config")
RULE(rope_theta_with_scaling, WARNING, ENGINE, NULL, "0.11.1", GONE,
    WHEN(is_set(rope_theta)),
    REQUIRE(is_set(rope_scaling)),
    "rope_theta is intended for use with rope_scaling",
    .reference_note = "both arguments were removed; hf_overrides takes their place")
RULE(custom_tokenizer_needs_name, WARNING, ENGINE, NULL, "0.12.0", GONE,
    WHEN(tokenizer_mode == "custom"),
    REQUIRE(is_set(tokenizer)),
    "tokenizer_mode custom looks up the tokenizer named by tokenizer",
    .reference_note = "the mode custom was removed; a tokenizer's own mode name takes its place")
RULE(convert_is_for_pooling, WARNING, ENGINE, NULL, NULL, ADVICE,
    WHEN(convert in ["classify", "embed", "reward"]),
    REQUIRE(runner in ["auto", "pooling"]),
    "convert is intended for the pooling runner",
    .source = "config/model.py ModelConfig._get_convert_type",
    .reference_note = "never checked for models that can generate; reward was removed in 0.19.0")
RULE(sleep_mode_cuda, ERROR, ENGINE, NULL, "0.11.1", CHANGED,
    WHEN(enable_sleep_mode),
    REQUIRE(env.platform == "cuda"),
    "enable_sleep_mode works on CUDA only",
    .source = "config/model.py ModelConfig.__post_init__, platforms/interface.py "
              "Platform.is_sleep_mode_available",
    .reference_note = "ROCm is accepted from 0.11.1 on, XPU by 0.24.0: sleep_mode_platform")
RULE(sleep_mode_platform, ERROR, ENGINE, "0.11.1", NULL, HOLDS,
    WHEN(enable_sleep_mode),
    REQUIRE(env.platform in ["cuda", "rocm", "xpu"]),
    "enable_sleep_mode works on CUDA, ROCm and XPU only",
    .source = "config/model.py ModelConfig.__post_init__, platforms/interface.py "
              "Platform.is_sleep_mode_available",
    .reference_note = "XPU was not accepted yet in 0.22.0")
RULE(pooler_once, WARNING, ENGINE, NULL, "0.12.0", GONE,
    WHEN(is_set(override_pooler_config)),
    REQUIRE(not is_set(pooler_config)),
    "override_pooler_config is the old name of pooler_config; set only one of them",
    .reference_note = "override_pooler_config was removed")
RULE(logits_pattern_v1, WARNING, ENGINE, NULL, "0.17.0", GONE,
    WHEN(true),
    REQUIRE(not is_set(logits_processor_pattern)),
    "the V1 engine does not support logits_processor_pattern",
    .reference_note = "the argument was removed")
RULE(bitsandbytes_load_format, WARNING, ENGINE, NULL, "0.28.0", GONE,
    WHEN(quantization == "bitsandbytes"),
    REQUIRE(load_format in ["auto", "bitsandbytes"]),
    "bitsandbytes quantization replaces load_format with its own loader",
    .reference_note = "bitsandbytes is no longer a quantization method")
RULE(any_whitespace_backend, ERROR, ENGINE, NULL, "0.12.0", GONE,
    WHEN(guided_decoding_disable_any_whitespace),
    REQUIRE((is_set(guided_decoding_backend)
            and guided_decoding_backend in ["xgrammar", "guidance"])
            or structured_outputs_config.backend in ["xgrammar", "guidance"]),
    "disabling whitespace needs the xgrammar or guidance backend",
    .reference_note = "the argument was removed; so_any_whitespace_backend covers the key")
RULE(additional_properties_backend, ERROR, ENGINE, NULL, "0.12.0", GONE,
    WHEN(guided_decoding_disable_additional_properties),
    REQUIRE((is_set(guided_decoding_backend) and guided_decoding_backend == "guidance")
            or structured_outputs_config.backend == "guidance"),
    "ignoring additionalProperties needs the guidance backend",
    .reference_note = "the argument was removed; so_additional_properties_backend covers the key")
RULE(so_any_whitespace_backend, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(structured_outputs_config.disable_any_whitespace),
    REQUIRE(structured_outputs_config.backend in ["xgrammar", "guidance"]),
    "disabling whitespace needs the xgrammar or guidance backend",
    .source = "config/structured_outputs.py "
              "StructuredOutputsConfig._validate_structured_output_config")
RULE(so_additional_properties_backend, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(structured_outputs_config.disable_additional_properties),
    REQUIRE(structured_outputs_config.backend == "guidance"),
    "ignoring additionalProperties needs the guidance backend",
    .source = "config/structured_outputs.py "
              "StructuredOutputsConfig._validate_structured_output_config")
RULE(so_lm_format_enforcer, WARNING, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(is_set(structured_outputs_config.backend)),
    REQUIRE(structured_outputs_config.backend != "lm-format-enforcer"),
    "the lm-format-enforcer backend is deprecated, and 0.35.0 removes it; use auto, xgrammar or guidance",
    .source = "config/structured_outputs.py "
              "StructuredOutputsConfig._validate_structured_output_config")
RULE(so_old_and_new, WARNING, ENGINE, NULL, "0.12.0", GONE,
    WHEN(any_set(guided_decoding_backend, guided_decoding_disable_fallback,
         guided_decoding_disable_any_whitespace, guided_decoding_disable_additional_properties)),
    REQUIRE(not is_set(structured_outputs_config)),
    "the deprecated guided-decoding flags override structured_outputs_config; use one form",
    .reference_note = "the deprecated arguments were removed")
RULE(traces_need_endpoint, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(collect_detailed_traces)),
    REQUIRE(is_set(otlp_traces_endpoint)),
    "collect_detailed_traces needs otlp_traces_endpoint",
    .source = "config/observability.py ObservabilityConfig._validate_tracing_config")
RULE(log_requests_once, WARNING, ENGINE, NULL, "0.12.0", GONE,
    WHEN(is_set(enable_log_requests) and is_set(disable_log_requests)),
    REQUIRE(enable_log_requests != disable_log_requests),
    "enable_log_requests and disable_log_requests contradict each other",
    .reference_note = "disable_log_requests was removed")
RULE(external_lb_needs_dp, ERROR, ENGINE, "0.11.1", NULL, HOLDS,
    WHEN(data_parallel_external_lb or is_set(data_parallel_rank)),
    REQUIRE(data_parallel_size > 1),
    "external load balancing (data_parallel_external_lb or data_parallel_rank) needs "
    "data_parallel_size above 1",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config")
RULE(external_lb_needs_rank, ERROR, ENGINE, "0.11.1", NULL, HOLDS,
    WHEN(data_parallel_external_lb and nnodes == 1),
    REQUIRE(is_set(data_parallel_rank)),
    "data_parallel_external_lb needs data_parallel_rank, or nnodes and node_rank",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config")
RULE(nnodes_backends, ERROR, ENGINE, "0.11.1", NULL, HOLDS,
    WHEN(nnodes > 1),
    REQUIRE(data_parallel_backend == "mp" and (not is_set(distributed_executor_backend)
            or distributed_executor_backend in ["mp", "uni", "external_launcher"])),
    "nnodes above 1 needs data_parallel_backend mp and the mp, uni or external_launcher executor",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config, config/parallel.py "
              "ParallelConfig.__post_init__")
RULE(nnodes_divide_world, ERROR, ENGINE, "0.11.1", NULL, HOLDS,
    WHEN(nnodes > 1),
    REQUIRE(data_parallel_size * pipeline_parallel_size * tensor_parallel_size *
            prefill_context_parallel_size % nnodes == 0),
    "nnodes must divide DP x PP x TP x prefill context parallelism",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config")
RULE(node_rank_in_range, ERROR, ENGINE, "0.11.1", NULL, HOLDS,
    WHEN(nnodes > 1),
    REQUIRE(node_rank < nnodes),
    "node_rank must be below nnodes",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config")
RULE(numa_lists_need_numa_bind, ERROR, ENGINE, "0.20.0", NULL, HOLDS,
    WHEN(any_set(numa_bind_nodes, numa_bind_cpus)),
    REQUIRE(numa_bind),
    "numa_bind_nodes and numa_bind_cpus need numa_bind",
    .source = "config/parallel.py ParallelConfig._validate_parallel_config")
RULE(eplb_async_communicator, ERROR, ENGINE, "0.24.0", NULL, HOLDS,
    WHEN(is_set(eplb_config.communicator) and eplb_config.communicator in ["torch_nccl", "pynccl"]),
    REQUIRE(eplb_config.use_async == false),
    "the torch_nccl and pynccl communicators need eplb_config.use_async false",
    .source = "config/parallel.py EPLBConfig._validate_eplb_config")
RULE(elastic_ep_lb, ERROR, ENGINE, "0.32.0", "0.33.0", CHANGED,
    WHEN(enable_elastic_ep),
    REQUIRE(not data_parallel_external_lb and not data_parallel_hybrid_lb),
    "enable_elastic_ep does not work with external or hybrid load balancing",
    .source = "config/parallel.py ParallelConfig.__post_init__",
    .reference_note = "external load balancing is accepted from 0.33.0 on: elastic_ep_hybrid_lb; "
                      "releases before 0.32.0 were not examined")
RULE(elastic_ep_hybrid_lb, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(enable_elastic_ep),
    REQUIRE(not data_parallel_hybrid_lb),
    "enable_elastic_ep does not work with hybrid load balancing",
    .source = "config/parallel.py ParallelConfig.__post_init__")
RULE(dbo_all2all, ERROR, ENGINE, "0.16.0", "0.33.0", CHANGED,
    WHEN(enable_dbo or ubatch_size > 1),
    REQUIRE(all2all_backend in ["deepep_low_latency", "deepep_high_throughput", "nixl_ep"]),
    "enable_dbo and ubatch_size need all2all_backend deepep_low_latency, "
    "deepep_high_throughput or nixl_ep",
    .source = "config/vllm.py VllmConfig.__post_init__",
    .reference_note = "ROCm also takes allgather_reducescatter from 0.33.0 on: "
                      "dbo_all2all_platform")
RULE(dbo_all2all_platform, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(enable_dbo or ubatch_size > 1),
    REQUIRE(all2all_backend in ["deepep_low_latency", "deepep_high_throughput", "nixl_ep"] or
            env.platform == "rocm" and all2all_backend == "allgather_reducescatter"),
    "enable_dbo and ubatch_size need all2all_backend deepep_low_latency, deepep_high_throughput or "
    "nixl_ep, or on ROCm allgather_reducescatter",
    .source = "config/vllm.py VllmConfig.__post_init__")
RULE(active_seqs_le_seqs, ERROR, ENGINE, "0.31.0", NULL, HOLDS,
    WHEN(is_set(max_num_active_seqs)),
    REQUIRE(max_num_active_seqs <= max_num_seqs),
    "max_num_active_seqs cannot exceed max_num_seqs",
    .source = "config/scheduler.py SchedulerConfig.verify_max_model_len")
RULE(attention_backend_once, ERROR, ENGINE, "0.13.0", NULL, HOLDS,
    WHEN(is_set(attention_backend)),
    REQUIRE(not is_set(attention_config.backend)),
    "set the attention backend only here or only in attention_config",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config")
RULE(minimax_indexer_cp_dtype, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(is_set(attention_config.minimax_m3_indexer_cp) and attention_config.minimax_m3_indexer_cp),
    REQUIRE(attention_config.indexer_kv_dtype in ["auto", "bf16", "fp8", "fp8_e4m3"]),
    "minimax_m3_indexer_cp needs indexer_kv_dtype auto, bf16, fp8 or fp8_e4m3",
    .source = "config/attention.py AttentionConfig.__post_init__")
RULE(spec_flags_once, ERROR, ENGINE, "0.22.0", NULL, HOLDS,
    WHEN(any_set(spec_method, spec_model, spec_tokens)),
    REQUIRE(not (is_set(spec_method) and is_set(speculative_config.method))
            and not (is_set(spec_model) and is_set(speculative_config.model))
            and not (is_set(spec_tokens) and is_set(speculative_config.num_speculative_tokens))),
    "set method, model and number of speculative tokens only here or only in speculative_config",
    .source = "engine/arg_utils.py EngineArgs.create_speculative_config")
RULE(spec_draft_tp, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(speculative_config.draft_tensor_parallel_size)),
    REQUIRE(speculative_config.draft_tensor_parallel_size == 1
            or speculative_config.draft_tensor_parallel_size == tensor_parallel_size),
    "draft_tensor_parallel_size must be 1 or equal tensor_parallel_size",
    .source = "config/speculative.py SpeculativeConfig._verify_and_get_draft_tp")
RULE(spec_ngram_tokens, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN((is_set(speculative_config.method)
         and speculative_config.method in ["ngram", "ngram_gpu"]) or (is_set(spec_method)
         and spec_method in ["ngram", "ngram_gpu"])),
    REQUIRE(is_set(speculative_config.num_speculative_tokens) or is_set(spec_tokens)),
    "ngram speculation needs num_speculative_tokens",
    .source = "config/speculative.py SpeculativeConfig._verify_args")
RULE(spec_ngram_lookup_order, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(speculative_config.method) and speculative_config.method in ["ngram", "ngram_gpu"]
         and is_set(speculative_config.prompt_lookup_min)
         and is_set(speculative_config.prompt_lookup_max)),
    REQUIRE(speculative_config.prompt_lookup_min <= speculative_config.prompt_lookup_max),
    "prompt_lookup_min cannot exceed prompt_lookup_max",
    .source = "config/speculative.py SpeculativeConfig.__post_init__")
RULE(spec_fly, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(is_set(speculative_config.rejection_sample_method) and
         speculative_config.rejection_sample_method == "fly" and
         is_set(speculative_config.num_speculative_tokens)),
    REQUIRE(speculative_config.num_speculative_tokens >= 2 and (not
            is_set(speculative_config.fly_window_size) or speculative_config.fly_window_size <
            speculative_config.num_speculative_tokens) and not (is_set(speculative_config.method)
            and speculative_config.method == "extract_hidden_states")),
    "rejection_sample_method fly needs at least 2 speculative tokens, a fly_window_size below "
    "them, and a method that speculates",
    .source = "config/speculative.py SpeculativeConfig._verify_args",
    .note = "vLLM warns that it may change the output of the model")
RULE(spec_hetero_vocab_full_logits, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(is_set(speculative_config.use_heterogeneous_vocab) and
         speculative_config.use_heterogeneous_vocab),
    REQUIRE(not (is_set(speculative_config.use_local_argmax_reduction) and
            speculative_config.use_local_argmax_reduction)),
    "use_heterogeneous_vocab does not work with use_local_argmax_reduction",
    .source = "config/speculative.py SpeculativeConfig._verify_args")
RULE(spec_head_quantization_methods, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(is_set(speculative_config.draft_lm_head_quantization) and
         is_set(speculative_config.method)),
    REQUIRE(speculative_config.method not in ["ngram", "ngram_gpu", "draft_model", "suffix",
            "custom_class", "dflash", "dspark", "extract_hidden_states", "gemma4_mtp"]),
    "draft_lm_head_quantization is for EAGLE and MTP only",
    .source = "config/speculative.py SpeculativeConfig._verify_args",
    .note = "and for model runner V2 only")
RULE(offload_group_settings, ERROR, ENGINE, "0.17.0", NULL, HOLDS,
    WHEN(offload_backend == "prefetch" or offload_group_size > 0),
    REQUIRE(offload_num_in_group <= offload_group_size and offload_prefetch_step >= 1),
    "prefetch offloading needs offload_num_in_group at most offload_group_size, and "
    "offload_prefetch_step at least 1",
    .source = "config/offload.py OffloadConfig.validate_offload_config")
RULE(kv_role_needed, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(is_set(kv_transfer_config.kv_connector)),
    REQUIRE(is_set(kv_transfer_config.kv_role)),
    "kv_transfer_config with kv_connector needs kv_role",
    .source = "config/kv_transfer.py KVTransferConfig.__post_init__")
RULE(mamba_rounding_fp16, ERROR, ENGINE, "0.20.0", NULL, HOLDS,
    WHEN(enable_mamba_cache_stochastic_rounding),
    REQUIRE(mamba_ssm_cache_dtype in ["auto", "float16"]),
    "enable_mamba_cache_stochastic_rounding needs mamba_ssm_cache_dtype float16",
    .source = "config/vllm.py VllmConfig.__post_init__",
    .reference_note = "auto passes only where the model's own configuration says float16")
RULE(mamba_cache_mode_ignored, WARNING, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(is_set(mamba_cache_mode)),
    REQUIRE(false),
    "mamba_cache_mode has no effect: Mamba prefix caching follows enable_prefix_caching",
    .source = "engine/arg_utils.py EngineArgs.create_engine_config")
RULE(replayssm_flashinfer_no_prefix_caching, ERROR, ENGINE, "0.33.0", NULL, HOLDS,
    WHEN(use_replayssm and mamba_backend == "flashinfer"),
    REQUIRE(enable_prefix_caching != true),
    "use_replayssm with the FlashInfer Mamba backend does not work with prefix caching",
    .source = "config/vllm.py VllmConfig.validate_mamba_cached_kernel",
    .note = "also if prefix caching is on by default (unset)")
RULE(batch_sharded_sampling_needs, ERROR, ENGINE, "0.30.0", NULL, HOLDS,
    WHEN(enable_batch_sharded_sampling),
    REQUIRE(tensor_parallel_size > 1 and max_num_seqs >= tensor_parallel_size
            and max_logprobs >= 0 and not return_sampling_mask),
    "enable_batch_sharded_sampling needs TP above 1, max_num_seqs of at least TP, max_logprobs "
    "not negative and no return_sampling_mask",
    .source = "config/vllm.py VllmConfig._validate_batch_sharded_sampling")
RULE(deprecated_quantization, ERROR, ENGINE, "0.32.0", NULL, HOLDS,
    WHEN(quantization in ["fbgemm_fp8", "fp_quant"]),
    REQUIRE(allow_deprecated_quantization),
    "this quantization method is deprecated and needs allow_deprecated_quantization",
    .source = "config/model.py ModelConfig._verify_quantization",
    .reference_note = "the list of deprecated methods differs by release")
RULE(profiler_torch_dir, ERROR, ENGINE, "0.16.0", NULL, HOLDS,
    WHEN(is_set(profiler_config.profiler) and profiler_config.profiler == "torch"),
    REQUIRE(is_set(profiler_config.torch_profiler_dir)),
    "the torch profiler needs profiler_config.torch_profiler_dir",
    .source = "config/profiler.py ProfilerConfig._validate_profiler_config")
RULE(auto_tool_needs_parser, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(enable_auto_tool_choice),
    REQUIRE(is_set(tool_call_parser)),
    "enable_auto_tool_choice needs tool_call_parser",
    .source = "entrypoints/common/cli_args.py validate_parsed_serve_args")
RULE(log_outputs_need_log_requests, ERROR, ENGINE, NULL, NULL, HOLDS,
    WHEN(enable_log_outputs),
    REQUIRE(enable_log_requests),
    "enable_log_outputs needs enable_log_requests",
    .source = "entrypoints/common/cli_args.py validate_parsed_serve_args")
RULE(request_metrics_need_stats, ERROR, ENGINE, "0.25.0", NULL, HOLDS,
    WHEN(enable_per_request_metrics),
    REQUIRE(not disable_log_stats),
    "enable_per_request_metrics does not work with disable_log_stats",
    .source = "entrypoints/common/cli_args.py validate_parsed_serve_args")
RULE(bench_hf_batch, ERROR, BENCH_THROUGHPUT, NULL, NULL, HOLDS,
    WHEN(is_set(hf_max_batch_size)),
    REQUIRE(backend == "hf"),
    "hf_max_batch_size works only with the hf backend",
    .source = "benchmarks/throughput.py validate_args",
    .reference_note = "an error, in 0.11.0 already")
RULE(bench_hf_dataset, WARNING, BENCH_THROUGHPUT, NULL, NULL, HOLDS,
    WHEN(any_set(hf_subset, hf_split)),
    REQUIRE(dataset_name == "hf"),
    "hf_subset and hf_split work only with the hf dataset",
    .source = "benchmarks/throughput.py validate_args")
RULE(bench_random_ratio, WARNING, BENCH_THROUGHPUT, NULL, "0.14.0", CHANGED,
    WHEN(is_set(random_range_ratio)),
    REQUIRE(dataset_name == "random"),
    "random_range_ratio works only with the random dataset",
    .source = "benchmarks/throughput.py validate_args",
    .reference_note = "two more datasets from 0.14.0 on, and no dataset path means random: "
                      "bench_random_ratio_datasets")
RULE(bench_random_ratio_datasets, WARNING, BENCH_THROUGHPUT, "0.14.0", NULL, HOLDS,
    WHEN(is_set(random_range_ratio)),
    REQUIRE(dataset_name in ["random", "random-mm", "random-rerank"] or (not is_set(dataset_path)
            and dataset_name != "prefix_repetition")),
    "random_range_ratio works only with the random datasets",
    .source = "benchmarks/throughput.py validate_args")
RULE(bench_prefix_repetition, WARNING, BENCH_THROUGHPUT, NULL, NULL, HOLDS,
    WHEN(any_set(prefix_repetition_prefix_len, prefix_repetition_suffix_len,
         prefix_repetition_num_prefixes, prefix_repetition_output_len)),
    REQUIRE(dataset_name == "prefix_repetition"),
    "these lengths work only with the prefix_repetition dataset",
    .source = "benchmarks/datasets/datasets.py get_samples",
    .reference_note = "ignored without a message")
RULE(bench_frontend_mp, WARNING, BENCH_THROUGHPUT, NULL, "0.19.0", GONE,
    WHEN(disable_frontend_multiprocessing),
    REQUIRE(async_engine),
    "disable_frontend_multiprocessing has no effect without async_engine",
    .reference_note = "the argument was removed")
RULE(bench_dp_external_launcher, ERROR, BENCH_THROUGHPUT, NULL, NULL, HOLDS,
    WHEN(data_parallel_size > 1),
    REQUIRE(is_set(distributed_executor_backend)
            and distributed_executor_backend == "external_launcher" and not async_engine),
    "bench throughput runs data parallel only with the external_launcher executor and without "
    "async_engine",
    .source = "benchmarks/throughput.py validate_args")
RULE(bench_latency_len, ERROR, BENCH_LATENCY, NULL, NULL, HOLDS,
    WHEN(true),
    REQUIRE(max_model_len >= input_len + output_len),
    "input_len plus output_len must fit in max_model_len",
    .source = "benchmarks/latency.py main")
RULE(bench_latency_dp_external_launcher, ERROR, BENCH_LATENCY, NULL, NULL, HOLDS,
    WHEN(data_parallel_size > 1),
    REQUIRE(is_set(distributed_executor_backend)
            and distributed_executor_backend == "external_launcher"),
    "bench latency runs data parallel only with the external_launcher executor",
    .source = "entrypoints/llm.py LLM.__init__")

/*
 * Rules that the specification does not list, about the model and the GPU. env.capability is the compute
 * capability times ten. Its limits are those of get_min_capability() in model_executor/layers/quantization/, read
 * in 0.6.6, 0.7.3, 0.8.5, 0.9.2 and every later minor release but 0.9.1 and 0.15.0. Between
 * two releases that were read, the one that refuses less counts.
 */
RULE(expert_parallel_needs_experts, ERROR, ENGINE, "0.8.5", NULL, HOLDS,
    WHEN(enable_expert_parallel),
    REQUIRE(env.experts > 0),
    "expert parallelism needs a model with experts, and this one is dense",
    .source = "config/model.py ModelConfig._verify_with_expert_parallelism")
RULE(lora_modules_need_lora, ERROR, ENGINE, "0.8.5", NULL, HOLDS,
    WHEN(is_set(lora_modules) and lora_modules != []),
    REQUIRE(is_set(enable_lora) and enable_lora),
    "lora_modules need enable_lora: the server stops when it loads the first adapter",
    .source = "entrypoints/openai/models/serving.py OpenAIServingModels.init_static_loras, "
              "v1/worker/lora_model_runner_mixin.py LoRAModelRunnerMixin.add_lora")
RULE(quantization_capability_70, ERROR, ENGINE, "0.7.3", NULL, HOLDS,
    WHEN(env.platform == "cuda" and
         (quantization in
              ["bitsandbytes", "bitblas", "compressed-tensors",
              "moe_wna16", "quark"]
          or (not is_set(quantization) and env.checkpoint_quantization in
              ["bitsandbytes", "bitblas", "compressed-tensors",
              "moe_wna16", "quark"]))),
    REQUIRE(env.capability >= 70),
    "this quantization needs a GPU of compute capability 7.0 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config")
RULE(quantization_capability_75, ERROR, ENGINE, "0.6.6", NULL, HOLDS,
    WHEN(env.platform == "cuda" and
         (quantization in
              ["awq", "auto_awq", "torchao", "humming", "online",
              "fp8_per_tensor", "fp8_per_block", "fp8_per_channel",
              "int8_per_channel_weight_only", "nvfp4_per_token"]
          or (not is_set(quantization) and env.checkpoint_quantization in
              ["awq", "auto_awq", "torchao", "humming", "online",
              "fp8_per_tensor", "fp8_per_block", "fp8_per_channel",
              "int8_per_channel_weight_only", "nvfp4_per_token"]))),
    REQUIRE(env.capability >= 75),
    "this quantization needs a GPU of compute capability 7.5 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config")
RULE(quantization_capability_fp8_marlin, ERROR, ENGINE, "0.6.6", "0.14.0", CHANGED,
    WHEN(env.platform == "cuda" and
         (quantization in
              ["fp8", "awq_marlin", "gptq_marlin", "modelopt_fp4"]
          or (not is_set(quantization) and env.checkpoint_quantization in
              ["fp8", "awq_marlin", "gptq_marlin", "modelopt_fp4"]))),
    REQUIRE(env.capability >= 80),
    "this quantization needs a GPU of compute capability 8.0 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config",
    .reference_note = "7.5 is enough from 0.14.0 on: quantization_capability_fp8")
RULE(quantization_capability_fp8, ERROR, ENGINE, "0.14.0", NULL, HOLDS,
    WHEN(env.platform == "cuda" and
         (quantization in
              ["fp8", "awq_marlin", "modelopt_fp4"]
          or (not is_set(quantization) and env.checkpoint_quantization in
              ["fp8", "awq_marlin", "modelopt_fp4"]))),
    REQUIRE(env.capability >= 75),
    "this quantization needs a GPU of compute capability 7.5 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config")
RULE(quantization_capability_gptq_marlin, ERROR, ENGINE, "0.14.0", "0.22.0", GONE,
    WHEN(env.platform == "cuda" and
         (quantization in
              ["gptq_marlin"]
          or (not is_set(quantization) and env.checkpoint_quantization in
              ["gptq_marlin"]))),
    REQUIRE(env.capability >= 75),
    "this quantization needs a GPU of compute capability 7.5 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config",
    .reference_note = "auto_gptq takes its place and accepts 6.0")
RULE(quantization_capability_older_marlin, ERROR, ENGINE, "0.6.6", "0.16.0", GONE,
    WHEN(env.platform == "cuda" and
         (quantization in
              ["marlin", "gptq_marlin_24", "hqq", "qqq", "rtn"]
          or (not is_set(quantization) and env.checkpoint_quantization in
              ["marlin", "gptq_marlin_24", "hqq", "qqq", "rtn"]))),
    REQUIRE(env.capability >= 80),
    "this quantization needs a GPU of compute capability 8.0 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config",
    .reference_note = "the methods were removed")
RULE(quantization_capability_80, ERROR, ENGINE, "0.6.6", NULL, HOLDS,
    WHEN(env.platform == "cuda" and
         (quantization in
              ["experts_int8", "fbgemm_fp8", "mxfp4",
              "gpt_oss_mxfp4", "modelopt_mxfp8", "mxfp8"]
          or (not is_set(quantization) and env.checkpoint_quantization in
              ["experts_int8", "fbgemm_fp8", "mxfp4",
              "gpt_oss_mxfp4", "modelopt_mxfp8", "mxfp8"]))),
    REQUIRE(env.capability >= 80),
    "this quantization needs a GPU of compute capability 8.0 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config")
RULE(quantization_capability_modelopt, ERROR, ENGINE, "0.6.6", "0.27.0", CHANGED,
    WHEN(env.platform == "cuda" and env.checkpoint_quantization == "modelopt"
         and (not is_set(quantization) or quantization == "modelopt")),
    REQUIRE(env.capability >= 89),
    "this quantization needs a GPU of compute capability 8.9 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config",
    .reference_note = "8.0 is enough from 0.27.0 on: quantization_capability_modelopt_fp8")
RULE(quantization_capability_modelopt_fp8, ERROR, ENGINE, "0.27.0", NULL, HOLDS,
    WHEN(env.platform == "cuda" and env.checkpoint_quantization == "modelopt"
         and (not is_set(quantization) or quantization == "modelopt")),
    REQUIRE(env.capability >= 80),
    "this quantization needs a GPU of compute capability 8.0 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config")
RULE(quantization_capability_100, ERROR, ENGINE, "0.12.0", NULL, HOLDS,
    WHEN(env.platform == "cuda" and
         (quantization in
              ["fp_quant"]
          or (not is_set(quantization) and env.checkpoint_quantization in
              ["fp_quant"]))),
    REQUIRE(env.capability >= 100),
    "this quantization needs a GPU of compute capability 10.0 or newer",
    .source = "config/vllm.py VllmConfig._get_quantization_config")
RULE(quantization_capability_w8a8, ERROR, ENGINE, "0.6.6", NULL, HOLDS,
    WHEN(env.platform == "cuda" and env.experts == 0 and env.checkpoint_scheme == "w8a8_int8"),
    REQUIRE(env.capability >= 75),
    "the checkpoint is W8A8, which needs a GPU of compute capability 7.5 or newer",
    .source = "model_executor/layers/quantization/compressed_tensors/compressed_tensors.py "
              "CompressedTensorsConfig._check_scheme_supported")
RULE(quantization_capability_wna16_marlin, ERROR, ENGINE, "0.6.6", "0.12.0", CHANGED,
    WHEN(env.platform == "cuda" and env.experts == 0 and env.checkpoint_scheme == "wna16"),
    REQUIRE(env.capability >= 80),
    "the checkpoint is W4A16 or W8A16, which needs a GPU of compute capability 8.0 or newer",
    .source = "model_executor/layers/quantization/compressed_tensors/compressed_tensors.py "
              "CompressedTensorsConfig._check_scheme_supported",
    .reference_note = "7.5 is enough from 0.12.0 on: quantization_capability_wna16")
RULE(quantization_capability_wna16, ERROR, ENGINE, "0.12.0", NULL, HOLDS,
    WHEN(env.platform == "cuda" and env.experts == 0 and env.checkpoint_scheme == "wna16"),
    REQUIRE(env.capability >= 75),
    "the checkpoint is W4A16 or W8A16, which needs a GPU of compute capability 7.5 or newer",
    .source = "model_executor/layers/quantization/compressed_tensors/compressed_tensors.py "
              "CompressedTensorsConfig._check_scheme_supported")
