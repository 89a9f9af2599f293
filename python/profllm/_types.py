"""The types of experiments and results. tools/make-python-types writes this file from the JSON schemas in api/."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class ExperimentPoolerConfig(TypedDict, total=False):
    task: Union[Literal['embed', 'classify', 'token_embed', 'token_classify', 'plugin', 'embed&token_classify'], None]
    pooling_type: Union[Literal['CLS', 'LAST', 'MEAN', 'ALL', 'STEP'], None]
    seq_pooling_type: Union[Literal['CLS', 'LAST', 'MEAN'], None]
    tok_pooling_type: Union[Literal['ALL', 'STEP'], None]
    use_activation: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    enable_flash_late_interaction: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    dimensions: Union[int, str, bool, None]
    enable_chunked_processing: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    max_embed_len: Union[int, str, bool, None]
    logit_mean: Union[float, str, None]
    logit_sigma: Union[float, str, None]
    step_tag_id: Union[int, str, bool, None]
    returned_token_ids: Union[List[Union[int, str, bool]], int, str, bool, None]
    activation: Any
    logit_bias: Any
    logit_scale: Any
    normalize: Any
    softmax: Any


class ExperimentQuantizationConfigLinear(TypedDict, total=False):
    weight: Any
    activation: Any


class ExperimentQuantizationConfigMoe(TypedDict, total=False):
    weight: Any
    activation: Any


class ExperimentQuantizationConfig(TypedDict, total=False):
    linear: Union[ExperimentQuantizationConfigLinear, str, None]
    moe: Union[ExperimentQuantizationConfigMoe, str, None]
    ignore: Union[List[str], str]
    targets: Union[Dict[str, Any], str, None]


class ExperimentEplbConfig(TypedDict, total=False):
    window_size: Union[int, str, bool]
    step_interval: Union[int, str, bool]
    num_redundant_experts: Union[int, str, bool]
    log_balancedness: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    log_balancedness_interval: Union[int, str, bool]
    use_async: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    policy: Literal['default']
    communicator: Union[Literal['torch_nccl', 'torch_gloo', 'torch_xccl', 'nixl', 'pynccl'], None]
    enable_migration_batching: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]


class ExperimentFaultToleranceConfig(TypedDict, total=False):
    engine_recovery_timeout_sec: Union[int, str, bool]


class ExperimentSpeculativeConfig(TypedDict, total=False):
    enforce_eager: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    num_speculative_tokens: Union[int, str, bool]
    model: Union[str, None]
    method: Union[Literal['ngram', 'draft_model', 'suffix', 'custom_class', 'eagle', 'eagle3', 'extract_hidden_states', 'deepseek_mtp', 'dots3_note_mtp', 'mimo_mtp', 'mimo_v2_mtp', 'glm4_moe_mtp', 'glm4_moe_lite_mtp', 'glm_ocr_mtp', 'ernie_mtp', 'nemotron_h_mtp', 'exaone_moe_mtp', 'exaone4_5_mtp', 'qwen3_next_mtp', 'qwen4_exp_mtp', 'qwen3_5_mtp', 'longcat_flash_mtp', 'bailing_hybrid_v3_mtp', 'minimax_m3_mtp', 'bailing_hybrid_mtp', 'mtp', 'kimi_k3_mtp', 'pangu_ultra_moe_mtp', 'step3p5_mtp', 'step5_mtp', 'hy_v3_mtp', 'hy_v4_mtp', 'gemma4_mtp', 'inkling_mtp', 'glm5_next_mtp', 'dflash', 'ngram_gpu', 'dspark'], None]
    draft_tensor_parallel_size: Union[int, str, bool, None]
    tensor_parallel_size: Union[int, str, bool, None]
    quantization: Union[str, None]
    moe_backend: Union[Literal['auto', 'triton', 'batched_triton', 'deep_gemm', 'deep_gemm_mega_moe', 'cutlass', 'flashinfer_trtllm', 'flashinfer_cutlass', 'flashinfer_cutedsl', 'flashinfer_moe_ep_cutedsl', 'flashinfer_b12x', 'b12x', 'flashinfer_moe_ep_mega_deep_gemm', 'marlin', 'humming', 'triton_unfused', 'aiter', 'aiter_mega_moe', 'aiter_triton_mxfp4_bf16', 'aiter_triton_mxfp4_mxfp4', 'flydsl', 'hpc', 'emulation', 'rdna3'], None]
    attention_backend: Union[Literal['auto', 'FLASH_ATTN', 'FLASH_ATTN_DIFFKV', 'TRITON_ATTN', 'TRITON_ATTN_DIFFKV', 'TRITON_FLASH_ATTN', 'ROCM_ATTN', 'ROCM_SEGMENTED_ATTN', 'ROCM_AITER_MLA', 'ROCM_AITER_TRITON_MLA', 'ROCM_AITER_FA', 'ROCM_AITER_MLA_SPARSE', 'XPU_MLA_SPARSE', 'TORCH_SDPA', 'FLASHINFER', 'TRITON_FLASHINFER', 'FLASHINFER_MLA', 'TOKENSPEED_MLA', 'FLASHINFER_MLA_SPARSE', 'FLASHINFER_MLA_SPARSE_SM120', 'FLASHINFER_MLA_SPARSE_SM90', 'TRITON_MLA', 'CUTLASS_MLA', 'FLASHMLA', 'FLASHMLA_SPARSE', 'FLASHMLA_SPARSE_DSV4', 'FLASHINFER_MLA_SPARSE_DSV4', 'ROCM_FLASHMLA_SPARSE_DSV4', 'FLASHMLA_SPARSE_DSV41', 'FLASHINFER_MLA_SPARSE_DSV41', 'ROCM_FLASHMLA_SPARSE_DSV41', 'FLASHMLA_MEGA_ATTN_DSV41', 'B12X', 'FLASH_ATTN_MLA', 'FLASH_ATTN_MLA_SPARSE', 'FLASH_ATTN_MLA_SPARSE_FA4', 'MINIMAX_M3_SPARSE', 'CUTLASS_MSA', 'TRITON_MSA', 'STEP5_DSA', 'NO_ATTENTION', 'FLEX_ATTENTION', 'HPC_ATTN', 'ROCM_AITER_UNIFIED_ATTN', 'CPU_ATTN', 'CPU_MLA', 'AMX_MLA', 'TURBOQUANT', 'ROCM_OCTAVE', 'ULTRAQUANT', 'CUSTOM'], str, None]
    kv_cache_dtype: Union[Literal['auto', 'float16', 'bfloat16', 'fp8', 'fp8_e4m3', 'fp8_e5m2', 'fp8_inc', 'fp8_ds_mla', 'nvfp4_ds_mla', 'turboquant_k8v4', 'turboquant_4bit_nc', 'turboquant_k3v4_nc', 'turboquant_3bit_nc', 'octave_k3v4', 'octave_k3v3', 'octave_k3v3_compact', 'ultraquant_4bit', 'int4_per_token_head', 'int8_per_token_head', 'fp8_per_token_head', 'nvfp4', 'nvfp4_4over6'], None]
    max_model_len: Union[int, str, bool, None]
    revision: Union[str, None]
    code_revision: Union[str, None]
    index_share_for_mtp_iteration: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    disable_padded_drafter_batch: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    disable_eagle_block_drop: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    disable_lookahead_block_hashes: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    draft_lm_head_quantization: Union[Literal['fp8', 'nvfp4'], None]
    use_local_argmax_reduction: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    use_heterogeneous_vocab: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    prompt_lookup_max: Union[int, str, bool, None]
    prompt_lookup_min: Union[int, str, bool, None]
    parallel_drafting: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    target_model_config: Any
    target_parallel_config: Any
    num_speculative_tokens_per_batch_size: Union[List[Any], Union[str, float, bool], None]
    draft_model_config: Any
    draft_parallel_config: Any
    suffix_decoding_max_tree_depth: Union[int, str, bool]
    suffix_decoding_max_cached_requests: Union[int, str, bool]
    suffix_decoding_max_spec_factor: Union[float, str]
    suffix_decoding_min_token_prob: Union[float, str]
    draft_load_config: Union[Dict[str, Any], str, None]
    rejection_sample_method: Literal['standard', 'synthetic', 'block', 'fly']
    synthetic_acceptance_rates: Union[List[Union[float, str]], float, str, None]
    synthetic_acceptance_length: Union[float, str, None]
    enable_adaptive_verification: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    draft_sample_method: Literal['greedy', 'probabilistic']
    dspark_draft_topk: Union[int, str, bool, None]
    xpress_topc: Union[int, str, bool, None]
    fly_window_size: Union[int, str, bool, None]
    fly_entropy_threshold: Union[float, str]
    fly_entropy_top_k: Union[int, str, bool]
    acceptance_method: Any
    disable_by_batch_size: Any
    disable_log_stats: Any
    disable_logprobs: Any
    disable_mqa_scorer: Any
    enable_chunked_prefill: Any
    posterior_alpha: Any
    posterior_threshold: Any
    speculative_token_tree: Any
    synthetic_acceptance_rate: Any


class ExperimentKvTransferConfig(TypedDict, total=False):
    kv_connector: Union[str, None]
    engine_id: Union[str, None]
    kv_buffer_device: str
    kv_role: Union[Literal['kv_producer', 'kv_both', 'kv_consumer'], None]
    kv_port: Union[int, str, bool]
    kv_connector_extra_config: Union[Dict[str, Any], str]
    kv_connector_module_path: Union[str, None]
    enable_permute_local_kv: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    kv_load_failure_policy: Literal['recompute', 'fail']
    kv_buffer_size: Any
    kv_ip: Any
    kv_parallel_size: Any
    kv_rank: Any


class ExperimentKvEventsConfig(TypedDict, total=False):
    enable_kv_cache_events: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    publisher: Literal['null', 'zmq']
    endpoint: str
    replay_endpoint: Union[str, None]
    buffer_steps: Union[int, str, bool]
    hwm: Union[int, str, bool]
    max_queue_size: Union[int, str, bool]
    topic: str


class ExperimentCompilationConfigPassConfig(TypedDict, total=False):
    fuse_norm_quant: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    fuse_act_quant: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    fuse_attn_quant: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    eliminate_noops: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    fuse_allreduce_rms: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    enable_qk_norm_rope_fusion: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    fuse_rope_kvcache_cat_mla: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    fuse_act_padding: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    fuse_mla_dual_rms_norm: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    fuse_rope_kvcache: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    fuse_qk_norm_rope_kvcache: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    rope_kvcache_fusion_max_token_num: Union[int, str, bool]
    fi_allreduce_fusion_max_size_mb: Union[float, str, None]
    dump_graph_dir: Any
    dump_graph_stages: Any
    enable_async_tp: Any
    enable_attn_fusion: Any
    enable_fi_allreduce_fusion: Any
    enable_fusion: Any
    enable_noop: Any
    enable_sequence_parallelism: Any
    enable_sp: Any
    fi_allreduce_fusion_max_token_num: Any
    fuse_gemm_comms: Any
    fuse_minimax_qk_norm: Any
    sp_min_token_num: Any


class ExperimentCompilationConfigDynamicShapesConfig(TypedDict, total=False):
    type: Literal['backed', 'unbacked', 'backed_size_oblivious']
    evaluate_guards: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    assume_32_bit_indexing: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]


class ExperimentCompilationConfig(TypedDict, total=False):
    mode: Union[Literal['NONE', 'STOCK_TORCH_COMPILE', 'DYNAMO_TRACE_ONCE', 'VLLM_COMPILE', 0, 1, 2, 3], str, None]
    debug_dump_path: Union[str, None]
    cache_dir: str
    compile_cache_save_format: Literal['binary', 'unpacked']
    backend: str
    custom_ops: Union[List[str], str]
    ir_enable_torch_wrap: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    splitting_ops: Union[List[str], str, None]
    compile_mm_encoder: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    cudagraph_mm_encoder: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    encoder_cudagraph_token_budgets: Union[List[Union[int, str, bool]], int, str, bool]
    encoder_cudagraph_max_vision_items_per_batch: Union[int, str, bool]
    encoder_cudagraph_max_frames_per_batch: Union[int, str, bool, None]
    cudagraph_decoder_replay: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    decoder_replay_cudagraph_capture_sizes: Union[List[Union[int, str, bool]], int, str, bool]
    decoder_replay_trim_threshold: Union[int, str, bool]
    compile_sizes: Union[List[Any], Union[str, float, bool], None]
    compile_ranges_endpoints: Union[List[Union[int, str, bool]], int, str, bool, None]
    inductor_compile_config: Union[Dict[str, Any], str]
    inductor_passes: Union[Dict[str, Any], str]
    cudagraph_mode: Union[Literal['NONE', 'PIECEWISE', 'FULL', 'FULL_DECODE_ONLY', 'FULL_AND_PIECEWISE', 0, 1, 2], str, None]
    cudagraph_num_of_warmups: Union[int, str, bool]
    cudagraph_capture_sizes: Union[List[Union[int, str, bool]], int, str, bool]
    cudagraph_copy_inputs: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    cudagraph_specialize_lora: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    use_inductor_graph_partition: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    pass_config: Union[ExperimentCompilationConfigPassConfig, str]
    max_cudagraph_capture_size: Union[int, str, bool, None]
    dynamic_shapes_config: Union[ExperimentCompilationConfigDynamicShapesConfig, str]
    fast_moe_cold_start: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    candidate_compile_sizes: Any
    compile_ranges_split_points: Any
    encoder_cudagraph_max_images_per_batch: Any
    full_cuda_graph: Any
    level: Any
    use_cudagraph: Any
    use_inductor: Any


class ExperimentStructuredOutputsConfig(TypedDict, total=False):
    backend: Literal['auto', 'xgrammar', 'guidance', 'outlines', 'lm-format-enforcer']
    disable_any_whitespace: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    disable_additional_properties: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    reasoning_parser: str
    reasoning_parser_plugin: str
    enable_in_reasoning: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    disable_fallback: Any


class ExperimentDiffusionConfig(TypedDict, total=False):
    canvas_length: Union[int, str, bool]
    max_denoising_steps: Union[int, str, bool, None]


class ExperimentEcTransferConfig(TypedDict, total=False):
    ec_connector: Union[str, None]
    engine_id: Union[str, None]
    ec_buffer_device: Union[str, None]
    ec_buffer_size: Union[float, str]
    ec_role: Union[Literal['ec_producer', 'ec_both', 'ec_consumer'], None]
    ec_ip: str
    ec_port: Union[int, str, bool]
    ec_connector_extra_config: Union[Dict[str, Any], str]
    ec_connector_module_path: Union[str, None]
    ec_parallel_size: Any
    ec_rank: Any


class ExperimentEcManagerConfig(TypedDict, total=False):
    encoder_cache_manager_cls: Union[str, None]
    manager_config: Union[Dict[str, Any], str]


class ExperimentAttentionConfigHisparseConfig(TypedDict, total=False):
    device_buffer_size: Union[int, str, bool, None]
    eager_host_mirror: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]


class ExperimentAttentionConfig(TypedDict, total=False):
    backend: Union[Literal['auto', 'FLASH_ATTN', 'FLASH_ATTN_DIFFKV', 'TRITON_ATTN', 'TRITON_ATTN_DIFFKV', 'TRITON_FLASH_ATTN', 'ROCM_ATTN', 'ROCM_SEGMENTED_ATTN', 'ROCM_AITER_MLA', 'ROCM_AITER_TRITON_MLA', 'ROCM_AITER_FA', 'ROCM_AITER_MLA_SPARSE', 'XPU_MLA_SPARSE', 'TORCH_SDPA', 'FLASHINFER', 'TRITON_FLASHINFER', 'FLASHINFER_MLA', 'TOKENSPEED_MLA', 'FLASHINFER_MLA_SPARSE', 'FLASHINFER_MLA_SPARSE_SM120', 'FLASHINFER_MLA_SPARSE_SM90', 'TRITON_MLA', 'CUTLASS_MLA', 'FLASHMLA', 'FLASHMLA_SPARSE', 'FLASHMLA_SPARSE_DSV4', 'FLASHINFER_MLA_SPARSE_DSV4', 'ROCM_FLASHMLA_SPARSE_DSV4', 'FLASHMLA_SPARSE_DSV41', 'FLASHINFER_MLA_SPARSE_DSV41', 'ROCM_FLASHMLA_SPARSE_DSV41', 'FLASHMLA_MEGA_ATTN_DSV41', 'B12X', 'FLASH_ATTN_MLA', 'FLASH_ATTN_MLA_SPARSE', 'FLASH_ATTN_MLA_SPARSE_FA4', 'MINIMAX_M3_SPARSE', 'CUTLASS_MSA', 'TRITON_MSA', 'STEP5_DSA', 'NO_ATTENTION', 'FLEX_ATTENTION', 'HPC_ATTN', 'ROCM_AITER_UNIFIED_ATTN', 'CPU_ATTN', 'CPU_MLA', 'AMX_MLA', 'TURBOQUANT', 'ROCM_OCTAVE', 'ULTRAQUANT', 'CUSTOM'], str, None]
    minimax_m3_msa_decode_backend: Literal['triton', 'cutlass']
    backend_per_kind: Union[Dict[str, Any], str]
    flash_attn_version: Union[Literal[2, 3, 4], None]
    flash_attn_max_num_splits_for_cuda_graph: Union[int, str, bool]
    tokenspeed_mla_min_split_kv: Union[int, str, bool]
    tq_max_kv_splits_for_cuda_graph: Union[int, str, bool]
    use_trtllm_attention: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    disable_flashinfer_q_quantization: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    mla_prefill_backend: Union[Literal['FLASH_ATTN', 'FLASHINFER', 'TRTLLM_RAGGED', 'TOKENSPEED_MLA', 'ROCM_AITER_FA', 'CPU', 'ZEN_CPU', 'CUSTOM'], str, None]
    use_prefill_query_quantization: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    trtllm_ragged_backend: Literal['trtllm-gen', 'cute-dsl']
    indexer_kv_dtype: Union[Literal['auto', 'bf16', 'fp8', 'mxfp4', 'nvfp4'], str]
    indexer_sparse_logits: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    indexer_tp_shard_min_rows: Union[int, str, bool]
    minimax_m3_indexer_cp: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    hisparse_config: Union[ExperimentAttentionConfigHisparseConfig, str, None]
    use_non_causal: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    sparse_mla_force_mqa: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    sparse_mla_prefill_workspace_factor: Union[int, str, bool, None]
    flex_attn_block_m: Union[int, str, bool, None]
    flex_attn_block_n: Union[int, str, bool, None]
    flex_attn_q_block_size: Union[int, str, bool, None]
    flex_attn_kv_block_size: Union[int, str, bool, None]
    disable_flashinfer_prefill: Any
    use_cudnn_prefill: Any
    use_fp4_indexer_cache: Any
    use_prefill_decode_attention: Any
    use_trtllm_ragged_deepseek_prefill: Any


class ExperimentReasoningConfig(TypedDict, total=False):
    reasoning_parser: str
    reasoning_start_str: str
    reasoning_end_str: str


class ExperimentKernelConfigIrOpPriority(TypedDict, total=False):
    rms_norm: Union[List[str], str]
    fused_add_rms_norm: Union[List[str], str]
    gelu_and_mul_sparse: Union[List[str], str]


class ExperimentKernelConfig(TypedDict, total=False):
    ir_op_priority: Union[ExperimentKernelConfigIrOpPriority, str]
    enable_flashinfer_autotune: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    enable_rocm_segmented_attn_autotune: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    enable_cutedsl_warmup: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    enable_jit_warmup: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    monokernel: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    moe_backend: Union[Literal['auto', 'triton', 'batched_triton', 'deep_gemm', 'deep_gemm_mega_moe', 'cutlass', 'flashinfer_trtllm', 'flashinfer_cutlass', 'flashinfer_cutedsl', 'flashinfer_moe_ep_cutedsl', 'flashinfer_b12x', 'b12x', 'flashinfer_moe_ep_mega_deep_gemm', 'marlin', 'humming', 'triton_unfused', 'aiter', 'aiter_mega_moe', 'aiter_triton_mxfp4_bf16', 'aiter_triton_mxfp4_mxfp4', 'flydsl', 'hpc', 'emulation', 'rdna3'], str]
    sparse_indexer_topk_backend: Union[Literal['auto', 'deep_select', 'cooperative', 'persistent', 'per_row', 'flashinfer', 'torch', 'aiter'], str]
    linear_backend: Union[Literal['auto', 'cutlass', 'flashinfer_cutlass', 'flashinfer_cutedsl', 'flashinfer_trtllm', 'flashinfer_cudnn', 'flashinfer_b12x', 'b12x', 'marlin', 'humming', 'triton', 'deep_gemm', 'torch', 'aiter', 'machete', 'fbgemm', 'conch', 'exllama', 'emulation', 'xpu', 'xpu_woq'], str]
    linear_backend_per_quant: Union[Dict[str, Any], str, None]
    enable_bf16x3_router_gemm: Any


class ExperimentProfilerConfig(TypedDict, total=False):
    profiler: Union[Literal['torch', 'cuda', 'proton'], None]
    torch_profiler_dir: str
    torch_profiler_activities: Union[List[Any], Union[str, float, bool], None]
    proton_profiler_dir: str
    proton_context: Literal['shadow', 'python']
    proton_data: Literal['tree', 'trace']
    proton_backend: Union[Literal['cupti'], None]
    proton_mode: Union[str, None]
    proton_hook: Union[Literal['triton'], None]
    proton_output_format: Union[Literal['hatchet', 'hatchet_msgpack', 'chrome_trace'], None]
    proton_graph_attribution: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    torch_profiler_with_stack: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    torch_profiler_with_flops: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    torch_profiler_use_gzip: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    torch_profiler_dump_cuda_time_total: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    torch_profiler_record_shapes: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    torch_profiler_with_memory: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    capture_torch_profiler: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    detailed_trace_annotation: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    ignore_frontend: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    delay_iterations: Union[int, str, bool]
    max_iterations: Union[int, str, bool]
    warmup_iterations: Union[int, str, bool]
    active_iterations: Union[int, str, bool]
    wait_iterations: Union[int, str, bool]


class ExperimentWeightTransferConfig(TypedDict, total=False):
    backend: Union[Literal['nccl', 'ipc', 'sparse_nccl', 'sharded_rdt', 'nccl_m2n'], str]


class ExperimentWatermarkConfig(TypedDict, total=False):
    key: Union[int, str, bool]
    algorithm: Literal['gumbel', 'dual_key_gumbel']
    alpha: Union[float, str]
    context_width: Union[int, str, bool]
    deduplicate_contexts: Literal['none', 'single_turn', 'all']
    deduplicate_contexts_max_history: Union[int, str, bool, None]
    prf: Literal['philox']
    allow_target_only_watermarking: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]


class ExperimentEngramConfig(TypedDict, total=False):
    cpu_offload: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    embedding_across_dp: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    dp_shared_memory: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0], None]
    use_thp: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]


class ExperimentAuxOutputConfig(TypedDict, total=False):
    enable_return_routed_experts: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    max_bytes: Union[int, str, bool, None]


class ExperimentWatchdogConfig(TypedDict, total=False):
    timeout: Union[int, str, bool]
    check_interval: Union[int, str, bool]
    dump_dir: str


class ExperimentServerLoraModulesItem(TypedDict, total=False):
    name: str
    path: str


class ExperimentReasoningEffortMap(TypedDict, total=False):
    none: str
    minimal: str
    low: str
    medium: str
    high: str
    xhigh: str
    max: str


class ExperimentIrOpPriority(TypedDict, total=False):
    rms_norm: Union[List[str], str]
    fused_add_rms_norm: Union[List[str], str]
    gelu_and_mul_sparse: Union[List[str], str]


class ExperimentLoggingConfig(TypedDict, total=False):
    log_level: Literal['CRITICAL', 'ERROR', 'WARNING', 'INFO', 'DEBUG', 'NOTSET']
    formatter: Literal['text', 'json']
    configure_logging: Union[bool, Literal['yes', 'no', 'on', 'off', 'true', 'false', '1', '0', 1, 0]]
    pylogging_config_file: Union[str, None]


class ExperimentServer(TypedDict, total=False):
    model: str
    runner: Literal['auto', 'draft', 'generate', 'pooling']
    convert: Union[Literal['auto', 'classify', 'embed', 'none'], Literal['reward', 'mm_encoder_only']]
    task: Union[Literal['auto', 'classify', 'draft', 'embed', 'embedding', 'generate', 'reward', 'score', 'transcription'], None]
    tokenizer: Union[str, None]
    tokenizer_mode: Union[Literal['alpamayo2_super', 'auto', 'cohere', 'deepseek_v32', 'deepseek_v4', 'hf', 'inkling', 'kimi_k3', 'mistral'], Literal['slow', 'custom', 'fastokens'], str]
    trust_remote_code: Union[bool, Literal['yes', 'no', 'on', 'off']]
    dtype: Literal['auto', 'bfloat16', 'float', 'float16', 'float32', 'half']
    seed: Union[int, None]
    hf_config_path: Union[str, None]
    allowed_local_media_path: Union[str, None]
    revision: Union[str, None]
    code_revision: Union[str, None]
    rope_scaling: Union[Dict[str, Any], str, None]
    rope_theta: Union[float, None]
    tokenizer_revision: Union[str, None]
    max_model_len: Union[int, str, Literal[-1, 'auto'], None]
    quantization: Union[str, None]
    enforce_eager: Union[bool, Literal['yes', 'no', 'on', 'off']]
    max_seq_len_to_capture: int
    max_logprobs: Union[int, Literal[-1]]
    logprobs_mode: Literal['processed_logits', 'processed_logprobs', 'raw_logits', 'raw_logprobs']
    disable_sliding_window: Union[bool, Literal['yes', 'no', 'on', 'off']]
    disable_cascade_attn: Union[bool, Literal['yes', 'no', 'on', 'off']]
    skip_tokenizer_init: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_prompt_embeds: Union[bool, Literal['yes', 'no', 'on', 'off']]
    served_model_name: Union[List[str], str, None]
    disable_async_output_proc: Union[bool, Literal['yes', 'no', 'on', 'off']]
    config_format: Union[Literal['auto', 'hf', 'mistral'], str]
    hf_token: Union[str, bool, None]
    hf_overrides: Union[Dict[str, Any], str, None]
    override_neuron_config: Union[Dict[str, Any], str, None]
    override_pooler_config: Union[Dict[str, Any], str, None]
    logits_processor_pattern: Union[str, None]
    generation_config: Union[str, Literal['auto', 'vllm'], None]
    override_generation_config: Union[Dict[str, Any], str, None]
    enable_sleep_mode: Union[bool, Literal['yes', 'no', 'on', 'off']]
    model_impl: Union[Literal['auto', 'terratorch', 'transformers', 'vllm'], str]
    override_attention_dtype: Union[str, None]
    logits_processors: Union[List[str], str, None]
    allowed_media_domains: Union[List[str], str, None]
    io_processor_plugin: Union[str, None]
    pooler_config: Union[ExperimentPoolerConfig, str, None]
    quantization_config: Union[ExperimentQuantizationConfig, str, None]
    allow_deprecated_quantization: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_return_routed_experts: Union[bool, Literal['yes', 'no', 'on', 'off']]
    return_sampling_mask: Union[bool, Literal['yes', 'no', 'on', 'off']]
    use_fp64_gumbel: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_trace_replay: Union[bool, Literal['yes', 'no', 'on', 'off']]
    model_class_overrides: Union[Dict[str, Any], str]
    enable_cumem_allocator: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_nccl_comm_suspend: Union[bool, Literal['yes', 'no', 'on', 'off']]
    renderer_num_workers: int
    sleep_mode_offload_cudagraph: Union[bool, Literal['yes', 'no', 'on', 'off']]
    sleep_preserve_parameter_names: Union[List[str], str]
    sleep_mode_backend: str
    load_format: Union[Literal['auto', 'pt', 'safetensors', 'npcache', 'dummy', 'tensorizer', 'runai_streamer', 'bitsandbytes', 'sharded_state', 'gguf', 'mistral'], Literal['fastsafetensors', 'runai_streamer_sharded'], str]
    download_dir: Union[str, None]
    model_loader_extra_config: Union[Dict[str, Any], str, None]
    ignore_patterns: Union[List[str], str, None]
    use_tqdm_on_load: Union[bool, Literal['yes', 'no', 'on', 'off']]
    pt_load_map_location: Union[str, Dict[str, Any]]
    safetensors_load_strategy: Union[Literal['eager', 'lazy', 'prefetch', 'torchao'], str, None]
    safetensors_prefetch_num_threads: int
    safetensors_prefetch_block_size: Union[int, str]
    guided_decoding_backend: Union[Literal['auto', 'guidance', 'lm-format-enforcer', 'outlines', 'xgrammar'], str, None]
    guided_decoding_disable_fallback: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    guided_decoding_disable_any_whitespace: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    guided_decoding_disable_additional_properties: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    reasoning_parser: Union[Literal['deepseek_r1', 'glm45', 'openai_gptoss', 'granite', 'hunyuan_a13b', 'mistral', 'qwen3', 'seed_oss', 'step3'], Literal['glm4_moe', 'GptOss'], str, Literal['', 'none'], None]
    reasoning_parser_plugin: Union[str, None]
    distributed_executor_backend: Union[Literal['external_launcher', 'mp', 'ray', 'uni'], str, None]
    pipeline_parallel_size: int
    tensor_parallel_size: int
    data_parallel_size: int
    data_parallel_rank: Union[int, None]
    data_parallel_start_rank: Union[int, None]
    data_parallel_size_local: Union[int, None]
    data_parallel_address: Union[str, None]
    data_parallel_rpc_port: Union[int, None]
    data_parallel_backend: Union[Literal['mp', 'ray'], str]
    data_parallel_hybrid_lb: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_expert_parallel: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_eplb: Union[bool, Literal['yes', 'no', 'on', 'off']]
    eplb_config: Union[ExperimentEplbConfig, str]
    num_redundant_experts: Union[int, None]
    eplb_window_size: Union[int, None]
    eplb_step_interval: Union[int, None]
    eplb_log_balancedness: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    max_parallel_loading_workers: Union[int, str, None]
    ray_workers_use_nsight: Union[bool, Literal['yes', 'no', 'on', 'off']]
    disable_custom_all_reduce: Union[bool, Literal['yes', 'no', 'on', 'off']]
    worker_cls: Union[str, Literal['auto']]
    worker_extension_cls: str
    enable_multimodal_encoder_data_parallel: Union[bool, Literal['yes', 'no', 'on', 'off']]
    dbo_decode_token_threshold: int
    dbo_prefill_token_threshold: int
    decode_context_parallel_size: int
    enable_dbo: Union[bool, Literal['yes', 'no', 'on', 'off']]
    expert_placement_strategy: Literal['linear', 'round_robin']
    master_addr: str
    master_port: int
    nnodes: int
    node_rank: int
    distributed_timeout_seconds: Union[int, None]
    cpu_distributed_timeout_seconds: Union[int, None]
    numa_bind: Union[bool, Literal['yes', 'no', 'on', 'off']]
    numa_bind_nodes: Union[List[int], int, None]
    numa_bind_cpus: Union[List[str], str, None]
    device_ids: Union[str, None]
    prefill_context_parallel_size: int
    dcp_comm_backend: Union[Literal['a2a', 'ag_rs'], None]
    dcp_q_replicate: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    dcp_kv_cache_interleave_size: int
    cp_kv_cache_interleave_size: Union[int, None]
    data_parallel_external_lb: Union[bool, Literal['yes', 'no', 'on', 'off']]
    data_parallel_multi_port_external_lb: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_batch_sharded_sampling: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    enable_ep_weight_filter: Union[bool, Literal['yes', 'no', 'on', 'off']]
    all2all_backend: Union[Literal['allgather_reducescatter', 'deepep_high_throughput', 'deepep_low_latency', 'deepep_v2', 'flashinfer_all2allv', 'flashinfer_nvlink_one_sided', 'flashinfer_nvlink_two_sided', 'moonep', 'mori_high_throughput', 'mori_low_latency', 'naive', 'nixl_ep', 'pplx'], Literal['mori'], None]
    enable_elastic_ep: Union[bool, Literal['yes', 'no', 'on', 'off']]
    ubatch_size: int
    dp_sync_interval: int
    disable_nccl_for_dp_synchronization: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    enable_fault_tolerance: Union[bool, Literal['yes', 'no', 'on', 'off']]
    fault_tolerance_config: Union[ExperimentFaultToleranceConfig, str]
    enable_hc_sp: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_shm_tensor_arena: Union[bool, Literal['yes', 'no', 'on', 'off']]
    elastic_ep_max_dp_size: Union[int, None]
    block_size: Union[Literal[1, 8, 16, 32, 64, 128], Literal[256, 512, 1024, 2048], int, None]
    gpu_memory_utilization: float
    swap_space: float
    kv_cache_dtype: Literal['auto', 'bfloat16', 'float16', 'fp8', 'fp8_ds_mla', 'fp8_e4m3', 'fp8_e5m2', 'fp8_inc', 'fp8_per_token_head', 'int4_per_token_head', 'int8_per_token_head', 'nvfp4', 'nvfp4_4over6', 'nvfp4_ds_mla', 'octave_k3v3', 'octave_k3v3_compact', 'octave_k3v4', 'turboquant_3bit_nc', 'turboquant_4bit_nc', 'turboquant_k3v4_nc', 'turboquant_k8v4', 'ultraquant_4bit']
    num_gpu_blocks_override: Union[int, None]
    enable_prefix_caching: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    prefix_caching_hash_algo: Union[Literal['sha256', 'sha256_cbor', 'xxhash', 'xxhash_cbor'], Literal['builtin', 'sha256_cbor_64bit']]
    cpu_offload_gb: float
    calculate_kv_scales: Union[bool, Literal['yes', 'no', 'on', 'off']]
    kv_sharing_fast_prefill: Union[bool, Literal['yes', 'no', 'on', 'off']]
    mamba_cache_dtype: Literal['auto', 'bfloat16', 'float16', 'float32']
    mamba_ssm_cache_dtype: Literal['auto', 'bfloat16', 'float16', 'float32']
    kv_cache_memory_bytes: Union[int, str, None]
    prefix_cache_retention_interval: Union[int, None]
    kv_cache_dtype_skip_layers: Union[List[str], str]
    mamba_block_size: Union[int, None]
    prefix_match_unit: Union[int, None]
    mamba_cache_mode: Union[Literal['align', 'none'], Literal['all'], None]
    replayssm_buffer_len: int
    use_replayssm: Union[bool, Literal['yes', 'no', 'on', 'off']]
    kv_offloading_size: Union[float, None]
    kv_offloading_backend: Union[Literal['lmcache', 'native'], None]
    swa_bounded_replay: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_mamba_shared_prefix_checkpoint: Union[bool, Literal['yes', 'no', 'on', 'off']]
    limit_mm_per_prompt: Union[Dict[str, Any], str, None]
    media_io_kwargs: Union[Dict[str, Any], str]
    mm_processor_kwargs: Union[Dict[str, Any], str, None]
    mm_processor_cache_gb: Union[float, Literal[0]]
    disable_mm_preprocessor_cache: Union[bool, Literal['yes', 'no', 'on', 'off']]
    mm_encoder_tp_mode: Literal['data', 'weights']
    interleave_mm_strings: Union[bool, Literal['yes', 'no', 'on', 'off']]
    skip_mm_profiling: Union[bool, Literal['yes', 'no', 'on', 'off']]
    mm_processor_cache_type: Literal['lru', 'shm']
    mm_shm_cache_max_object_size_mb: int
    video_pruning_rate: Union[float, None]
    language_model_only: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_mm_embeds: Union[bool, Literal['yes', 'no', 'on', 'off']]
    mm_hasher_algorithm: Literal['blake3', 'sha256', 'sha512']
    mm_encoder_only: Union[bool, Literal['yes', 'no', 'on', 'off']]
    mm_encoder_attn_backend: Union[Literal['AMX_MLA', 'B12X', 'CPU_ATTN', 'CPU_MLA', 'CUSTOM', 'CUTLASS_MLA', 'CUTLASS_MSA', 'FLASHINFER', 'FLASHINFER_MLA', 'FLASHINFER_MLA_SPARSE', 'FLASHINFER_MLA_SPARSE_DSV4', 'FLASHINFER_MLA_SPARSE_DSV41', 'FLASHINFER_MLA_SPARSE_SM120', 'FLASHINFER_MLA_SPARSE_SM90', 'FLASHMLA', 'FLASHMLA_MEGA_ATTN_DSV41', 'FLASHMLA_SPARSE', 'FLASHMLA_SPARSE_DSV4', 'FLASHMLA_SPARSE_DSV41', 'FLASH_ATTN', 'FLASH_ATTN_DIFFKV', 'FLASH_ATTN_MLA', 'FLASH_ATTN_MLA_SPARSE', 'FLASH_ATTN_MLA_SPARSE_FA4', 'FLEX_ATTENTION', 'HPC_ATTN', 'MINIMAX_M3_SPARSE', 'NO_ATTENTION', 'ROCM_AITER_FA', 'ROCM_AITER_MLA', 'ROCM_AITER_MLA_SPARSE', 'ROCM_AITER_TRITON_MLA', 'ROCM_AITER_UNIFIED_ATTN', 'ROCM_ATTN', 'ROCM_FLASHMLA_SPARSE_DSV4', 'ROCM_FLASHMLA_SPARSE_DSV41', 'ROCM_OCTAVE', 'ROCM_SEGMENTED_ATTN', 'STEP5_DSA', 'TOKENSPEED_MLA', 'TORCH_SDPA', 'TRITON_ATTN', 'TRITON_ATTN_DIFFKV', 'TRITON_FLASHINFER', 'TRITON_FLASH_ATTN', 'TRITON_MLA', 'TRITON_MSA', 'TURBOQUANT', 'ULTRAQUANT', 'XPU_MLA_SPARSE'], Literal['TREE_ATTN', 'TRITON_MLA_SPARSE'], str, None]
    mm_encoder_attn_dtype: Union[Literal['fp8'], None]
    mm_encoder_fp8_scale_path: Union[str, None]
    mm_encoder_fp8_scale_save_path: Union[str, None]
    mm_encoder_fp8_scale_save_margin: float
    video_pruning_method: Literal['evs', 'vidcom2']
    mm_tensor_ipc: Literal['direct_rpc', 'torch_shm']
    mm_processor_device: Union[Literal['auto', 'cpu'], str]
    mm_ipc_gpu_memory_gb: float
    mm_device_do_normalize: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    enable_lora: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    enable_lora_bias: Union[bool, Literal['yes', 'no', 'on', 'off']]
    max_loras: int
    max_lora_rank: Union[Literal[1, 8, 16, 32, 64, 128, 256, 320, 512], int]
    lora_extra_vocab_size: int
    lora_dtype: Union[Literal['auto', 'bfloat16', 'float16'], Literal['float32']]
    max_cpu_loras: Union[int, None]
    fully_sharded_loras: Union[bool, Literal['yes', 'no', 'on', 'off']]
    default_mm_loras: Union[Dict[str, Any], str, None]
    enable_tower_connector_lora: Union[bool, Literal['yes', 'no', 'on', 'off']]
    lora_target_modules: Union[List[str], str, None]
    specialize_active_lora: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_mixed_moe_lora_format: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_moe_shared_loras: Union[bool, Literal['yes', 'no', 'on', 'off']]
    max_lora_cls_labels: Union[int, None]
    show_hidden_metrics_for_version: Union[str, None]
    otlp_traces_endpoint: Union[str, None]
    collect_detailed_traces: Union[List[Union[Literal['all', 'model', 'worker'], Literal['all,model', 'all,worker', 'model,all', 'model,worker', 'worker,all', 'worker,model']]], Literal['all', 'model', 'worker'], Literal['all,model', 'all,worker', 'model,all', 'model,worker', 'worker,all', 'worker,model'], str, None]
    per_request_spec_decode_metrics: Literal['detailed', 'none', 'summary']
    kv_cache_metrics: Union[bool, Literal['yes', 'no', 'on', 'off']]
    kv_cache_metrics_sample: float
    cudagraph_metrics: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_layerwise_nvtx_tracing: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_mfu_metrics: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_logging_iteration_details: Union[bool, Literal['yes', 'no', 'on', 'off']]
    jit_monitor_mode: Literal['error', 'warn']
    jit_monitor_verbose: Union[bool, Literal['yes', 'no', 'on', 'off']]
    custom_histogram_buckets: Union[Dict[str, Any], str, None]
    max_num_batched_tokens: Union[int, str, None]
    max_num_seqs: Union[int, None]
    max_num_partial_prefills: int
    max_long_partial_prefills: int
    cuda_graph_sizes: Union[List[int], int, None]
    long_prefill_token_threshold: float
    num_lookahead_slots: int
    scheduler_delay_factor: float
    preemption_mode: Union[Literal['recompute', 'swap'], str, None]
    scheduling_policy: Literal['fcfs', 'priority']
    enable_chunked_prefill: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    disable_chunked_mm_input: Union[bool, Literal['yes', 'no', 'on', 'off']]
    scheduler_cls: Union[str, None]
    disable_hybrid_kv_cache_manager: Union[bool, Literal['yes', 'no', 'on', 'off']]
    async_scheduling: Union[bool, Literal['yes', 'no', 'on', 'off']]
    max_num_scheduled_tokens: Union[int, str, None]
    max_num_queued_reqs: Union[int, None]
    max_num_queued_tokens: Union[int, str, None]
    scheduler_reserve_full_isl: Union[bool, Literal['yes', 'no', 'on', 'off']]
    watermark: float
    prefill_schedule_interval: int
    stream_interval: int
    max_num_active_seqs: Union[int, None]
    long_prefill_token_threshold_adaptive: Union[bool, Literal['yes', 'no', 'on', 'off']]
    speculative_config: Union[ExperimentSpeculativeConfig, str, None]
    kv_transfer_config: Union[ExperimentKvTransferConfig, str, None]
    kv_events_config: Union[ExperimentKvEventsConfig, str, None]
    compilation_config: Union[ExperimentCompilationConfig, str, int, None]
    additional_config: Union[Dict[str, Any], str, None]
    structured_outputs_config: Union[ExperimentStructuredOutputsConfig, str]
    spec_method: Union[Literal['bailing_hybrid_mtp', 'bailing_hybrid_v3_mtp', 'custom_class', 'deepseek_mtp', 'dflash', 'dots3_note_mtp', 'draft_model', 'dspark', 'eagle', 'eagle3', 'ernie_mtp', 'exaone4_5_mtp', 'exaone_moe_mtp', 'extract_hidden_states', 'gemma4_mtp', 'glm4_moe_lite_mtp', 'glm4_moe_mtp', 'glm5_next_mtp', 'glm_ocr_mtp', 'hy_v3_mtp', 'hy_v4_mtp', 'inkling_mtp', 'kimi_k3_mtp', 'longcat_flash_mtp', 'mimo_mtp', 'mimo_v2_mtp', 'minimax_m3_mtp', 'mtp', 'nemotron_h_mtp', 'ngram', 'ngram_gpu', 'pangu_ultra_moe_mtp', 'qwen3_5_mtp', 'qwen3_next_mtp', 'qwen4_exp_mtp', 'step3p5_mtp', 'step5_mtp', 'suffix'], Literal['medusa', 'mlp_speculator'], None]
    spec_model: Union[str, None]
    spec_tokens: Union[int, None]
    diffusion_config: Union[ExperimentDiffusionConfig, str, None]
    ec_transfer_config: Union[ExperimentEcTransferConfig, str, None]
    ec_manager_config: Union[ExperimentEcManagerConfig, str]
    attention_config: Union[ExperimentAttentionConfig, str]
    reasoning_config: Union[ExperimentReasoningConfig, str, None]
    kernel_config: Union[ExperimentKernelConfig, str]
    profiler_config: Union[ExperimentProfilerConfig, str]
    optimization_level: Union[Literal[0, 1, 2, 3], int]
    performance_mode: Literal['balanced', 'interactivity', 'throughput']
    weight_transfer_config: Union[ExperimentWeightTransferConfig, str, None]
    watermark_config: Union[ExperimentWatermarkConfig, str, None]
    engram_config: Union[ExperimentEngramConfig, str, None]
    aux_output_config: Union[ExperimentAuxOutputConfig, str]
    watchdog_config: Union[ExperimentWatchdogConfig, str]
    disable_log_stats: Union[bool, Literal['yes', 'no', 'on', 'off']]
    aggregate_engine_logging: Union[bool, Literal['yes', 'no', 'on', 'off']]
    fail_on_environ_validation: Union[bool, Literal['yes', 'no', 'on', 'off']]
    shutdown_timeout: int
    gdn_prefill_backend: Union[Literal['flashinfer', 'triton', 'cutedsl', 'aiter_flydsl', 'sycl'], None]
    kda_prefill_backend: Union[Literal['auto', 'triton', 'flashkda', 'flashinfer', 'fused'], None]
    enable_log_requests: Union[bool, Literal['yes', 'no', 'on', 'off']]
    disable_log_requests: Union[bool, Literal['yes', 'no', 'on', 'off']]
    headless: Union[bool, Literal['yes', 'no', 'on', 'off']]
    api_server_count: Union[int, None]
    config: Union[str, None]
    grpc: Union[bool, Literal['yes', 'no', 'on', 'off']]
    kda_decode_backend: Union[Literal['auto', 'native', 'flashinfer', 'triton'], None]
    host: Union[str, None]
    port: int
    uds: Union[str, None]
    data_parallel_supervisor_port: int
    dp_supervisor_probe_interval_s: float
    dp_supervisor_probe_timeout_s: float
    dp_supervisor_probe_failure_threshold: int
    uvicorn_log_level: Literal['critical', 'debug', 'error', 'info', 'trace', 'warning']
    disable_uvicorn_access_log: Union[bool, Literal['yes', 'no', 'on', 'off']]
    disable_access_log_for_endpoints: Union[str, None]
    allow_credentials: Union[bool, Literal['yes', 'no', 'on', 'off']]
    allowed_origins: Union[List[str], str]
    allowed_methods: Union[List[str], str]
    allowed_headers: Union[List[str], str]
    api_key: Union[List[str], str, None]
    ssl_keyfile: Union[str, None]
    ssl_certfile: Union[str, None]
    ssl_ca_certs: Union[str, None]
    enable_ssl_refresh: Union[bool, Literal['yes', 'no', 'on', 'off']]
    ssl_cert_reqs: int
    ssl_ciphers: Union[str, None]
    root_path: Union[str, None]
    middleware: Union[List[str], str]
    enable_request_id_headers: Union[bool, Literal['yes', 'no', 'on', 'off']]
    disable_fastapi_docs: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_offline_docs: Union[bool, Literal['yes', 'no', 'on', 'off']]
    h11_max_incomplete_event_size: int
    h11_max_header_count: int
    enable_flash_late_interaction: Union[bool, Literal['yes', 'no', 'on', 'off']]
    lora_modules: Union[List[Union[str, ExperimentServerLoraModulesItem]], str, None]
    chat_template: Union[str, None]
    chat_template_content_format: Literal['auto', 'openai', 'string']
    trust_request_chat_template: Union[bool, Literal['yes', 'no', 'on', 'off']]
    default_chat_template_kwargs: Union[Dict[str, Any], str, None]
    reasoning_effort_map: Union[ExperimentReasoningEffortMap, str, None]
    response_role: str
    return_tokens_as_token_ids: Union[bool, Literal['yes', 'no', 'on', 'off']]
    disable_frontend_multiprocessing: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_auto_tool_choice: Union[bool, Literal['yes', 'no', 'on', 'off']]
    exclude_tools_when_tool_choice_none: Union[bool, Literal['yes', 'no', 'on', 'off']]
    tool_call_parser: Union[str, None]
    tool_parser_plugin: str
    tool_server: Union[str, Literal['demo'], None]
    cohere_is_reasoning_model: Union[bool, Literal['yes', 'no', 'on', 'off']]
    cohere_format: Union[Literal['cmd3', 'cmd4'], str]
    log_config_file: Union[str, None]
    max_log_len: Union[int, None]
    enable_prompt_tokens_details: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_per_request_metrics: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_server_load_tracking: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_force_include_usage: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_tokenizer_info_endpoint: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_log_outputs: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_log_deltas: Union[bool, Literal['yes', 'no', 'on', 'off']]
    log_error_stack: Union[bool, Literal['yes', 'no', 'on', 'off']]
    tokens_only: Union[bool, Literal['yes', 'no', 'on', 'off']]
    fingerprint_mode: Literal['custom', 'full', 'hash', 'none']
    fingerprint_value: Union[str, None]
    trust_request_mm_kwargs: Union[bool, Literal['yes', 'no', 'on', 'off']]
    tool_strict_level: Union[Literal['auto', 'function', 'parameter'], None]
    sse_keep_alive_interval: int
    anthropic_disabled_thinking_effort: Literal['auto', 'high', 'low', 'max', 'medium', 'none', 'xhigh']
    enable_scale_out: Union[bool, Literal['yes', 'no', 'on', 'off']]
    grpc_port: Union[int, None]
    attention_backend: Union[Literal['AMX_MLA', 'B12X', 'CPU_ATTN', 'CPU_MLA', 'CUSTOM', 'CUTLASS_MLA', 'CUTLASS_MSA', 'FLASHINFER', 'FLASHINFER_MLA', 'FLASHINFER_MLA_SPARSE', 'FLASHINFER_MLA_SPARSE_DSV4', 'FLASHINFER_MLA_SPARSE_DSV41', 'FLASHINFER_MLA_SPARSE_SM120', 'FLASHINFER_MLA_SPARSE_SM90', 'FLASHMLA', 'FLASHMLA_MEGA_ATTN_DSV41', 'FLASHMLA_SPARSE', 'FLASHMLA_SPARSE_DSV4', 'FLASHMLA_SPARSE_DSV41', 'FLASH_ATTN', 'FLASH_ATTN_DIFFKV', 'FLASH_ATTN_MLA', 'FLASH_ATTN_MLA_SPARSE', 'FLASH_ATTN_MLA_SPARSE_FA4', 'FLEX_ATTENTION', 'HPC_ATTN', 'MINIMAX_M3_SPARSE', 'NO_ATTENTION', 'ROCM_AITER_FA', 'ROCM_AITER_MLA', 'ROCM_AITER_MLA_SPARSE', 'ROCM_AITER_TRITON_MLA', 'ROCM_AITER_UNIFIED_ATTN', 'ROCM_ATTN', 'ROCM_FLASHMLA_SPARSE_DSV4', 'ROCM_FLASHMLA_SPARSE_DSV41', 'ROCM_OCTAVE', 'ROCM_SEGMENTED_ATTN', 'STEP5_DSA', 'TOKENSPEED_MLA', 'TORCH_SDPA', 'TRITON_ATTN', 'TRITON_ATTN_DIFFKV', 'TRITON_FLASHINFER', 'TRITON_FLASH_ATTN', 'TRITON_MLA', 'TRITON_MSA', 'TURBOQUANT', 'ULTRAQUANT', 'XPU_MLA_SPARSE'], Literal['TREE_ATTN', 'TRITON_MLA_SPARSE'], str, Literal['auto'], None]
    mamba_backend: str
    mamba_ssu_algorithm: Union[Literal['auto', 'horizontal', 'simple', 'vertical'], None]
    enable_mamba_cache_stochastic_rounding: Union[bool, Literal['yes', 'no', 'on', 'off']]
    mamba_cache_philox_rounds: int
    offload_backend: Literal['auto', 'prefetch', 'uva']
    cpu_offload_params: Union[List[str], str]
    offload_group_size: int
    offload_num_in_group: int
    offload_prefetch_step: int
    offload_params: Union[List[str], str]
    cudagraph_capture_sizes: Union[List[int], int, None]
    max_cudagraph_capture_size: Union[int, None]
    ir_op_priority: Union[ExperimentIrOpPriority, str]
    enable_flashinfer_autotune: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    enable_bf16x3_router_gemm: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    moe_backend: Union[Literal['aiter', 'aiter_mega_moe', 'aiter_triton_mxfp4_bf16', 'aiter_triton_mxfp4_mxfp4', 'auto', 'b12x', 'batched_triton', 'cutlass', 'deep_gemm', 'deep_gemm_mega_moe', 'emulation', 'flashinfer_b12x', 'flashinfer_cutedsl', 'flashinfer_cutlass', 'flashinfer_moe_ep_cutedsl', 'flashinfer_moe_ep_mega_deep_gemm', 'flashinfer_trtllm', 'flydsl', 'hpc', 'humming', 'marlin', 'rdna3', 'triton', 'triton_unfused'], Literal['flashinfer_moe_ep_mega_cutedsl'], str]
    linear_backend: Union[Literal['aiter', 'auto', 'b12x', 'conch', 'cutlass', 'deep_gemm', 'emulation', 'exllama', 'fbgemm', 'flashinfer_b12x', 'flashinfer_cudnn', 'flashinfer_cutedsl', 'flashinfer_cutlass', 'flashinfer_trtllm', 'humming', 'machete', 'marlin', 'torch', 'triton', 'xpu', 'xpu_woq'], str]
    sparse_indexer_topk_backend: Union[Literal['aiter', 'auto', 'cooperative', 'deep_select', 'flashinfer', 'per_row', 'persistent', 'torch'], str]
    monokernel: Union[bool, Literal['yes', 'no', 'on', 'off']]
    logging_config: Union[ExperimentLoggingConfig, str, None]
    log_level: Union[Literal['CRITICAL', 'ERROR', 'WARNING', 'INFO', 'DEBUG', 'NOTSET'], None]
    chat_template_text_format: Literal['openai', 'string']
    device: Union[Literal['auto', 'cpu', 'cuda', 'hpu', 'neuron', 'tpu', 'xpu'], Literal['openvino']]
    disable_image_processor: Union[bool, Literal['yes', 'no', 'on', 'off']]
    disable_logprobs_during_spec_decoding: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    enable_mamba_fine_grained_prefix_cache: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_prompt_adapter: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    enable_reasoning: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    engine_use_ray: Union[bool, Literal['yes', 'no', 'on', 'off']]
    expand_tools_even_if_tool_choice_none: Union[bool, Literal['yes', 'no', 'on', 'off']]
    forced_num_gpu_blocks: Union[int, None]
    image_feature_size: Union[int, None]
    image_input_shape: Union[str, None]
    image_input_type: Union[Literal['image_features', 'pixel_values'], None]
    image_processor: Union[str, None]
    image_processor_revision: Union[str, None]
    image_token_id: Union[int, None]
    long_lora_scaling_factors: Union[List[float], float, str, None]
    max_context_len_to_capture: Union[int, None]
    max_prompt_adapter_token: int
    max_prompt_adapters: int
    mm_cache_preprocessor: Union[bool, Literal['yes', 'no', 'on', 'off']]
    multi_step_stream_outputs: Union[bool, Literal['yes', 'no', 'on', 'off']]
    ngram_prompt_lookup_max: Union[int, None]
    ngram_prompt_lookup_min: Union[int, None]
    num_scheduler_steps: int
    num_speculative_tokens: Union[int, None]
    prompt_adapters: Union[List[str], str, None]
    qlora_adapter_name_or_path: Union[str, None]
    quantization_param_path: Union[str, None]
    spec_decoding_acceptance_method: Literal['rejection_sampler', 'typical_acceptance_sampler']
    speculative_disable_by_batch_size: Union[int, None]
    speculative_disable_mqa_scorer: Union[bool, Literal['yes', 'no', 'on', 'off']]
    speculative_draft_tensor_parallel_size: Union[int, None]
    speculative_max_model_len: Union[int, str, None]
    speculative_model: Union[str, None]
    speculative_model_quantization: Union[Literal['aqlm', 'awq', 'awq_marlin', 'bitsandbytes', 'compressed-tensors', 'deepspeedfp', 'experts_int8', 'fbgemm_fp8', 'fp8', 'gguf', 'gptq', 'gptq_marlin', 'gptq_marlin_24', 'hqq', 'ipex', 'marlin', 'modelopt', 'moe_wna16', 'neuron_quant', 'nvfp4', 'ptpc_fp8', 'qqq', 'quark', 'tpu_int8'], Literal['squeezellm'], None]
    tokenizer_pool_extra_config: Union[Dict[str, Any], str, None]
    tokenizer_pool_size: int
    tokenizer_pool_type: str
    typical_acceptance_sampler_posterior_alpha: Union[float, None]
    typical_acceptance_sampler_posterior_threshold: Union[float, None]
    use_gpu_for_pooling_score: Union[bool, Literal['yes', 'no', 'on', 'off']]
    use_v2_block_manager: Union[bool, Literal['yes', 'no', 'on', 'off']]
    worker_use_ray: Union[bool, Literal['yes', 'no', 'on', 'off']]


class ExperimentLaunch(TypedDict, total=False):
    command: Union[List[Union[str, float, bool]], Union[str, float, bool], None]
    url: Union[Union[str, float, bool], None]
    hardware: Union[Union[str, float, bool], None]
    vllm_version: Union[Union[str, float, bool], None]
    platform: Literal['auto', 'cuda', 'rocm', 'cpu', 'xpu', 'tpu', 'hpu']
    container: Union[Dict[str, Any], None]
    env: Dict[str, Union[str, float, bool]]
    gpus: Union[Literal['auto', 'all'], List[Union[int, str]]]
    port: Union[Literal['auto'], int]
    host: Union[str, float, bool]
    ready_timeout: Union[str, float]
    run_timeout: Union[Union[str, float], None]
    stop_timeout: Union[str, float]
    extra_args: Union[List[Union[str, float, bool]], Union[str, float, bool]]


class ExperimentBenchmark(TypedDict, total=False):
    trust_remote_code: Union[bool, Literal['yes', 'no', 'on', 'off']]
    seed: int
    num_prompts: int
    dataset_name: Literal['sharegpt', 'burstgpt', 'random', 'random-mm', 'random-rerank', 'hf', 'custom', 'custom_audio', 'custom_image', 'prefix_repetition', 'spec_bench', 'speed_bench', 'timed_trace']
    no_stream: Union[bool, Literal['yes', 'no', 'on', 'off']]
    dataset_path: Union[Union[str, float, bool], None]
    no_oversample: Union[bool, Literal['yes', 'no', 'on', 'off']]
    skip_chat_template: Union[bool, Literal['yes', 'no', 'on', 'off']]
    enable_multimodal_chat: Union[bool, Literal['yes', 'no', 'on', 'off']]
    disable_shuffle: Union[bool, Literal['yes', 'no', 'on', 'off']]
    custom_output_len: int
    custom_ensure_client_side_data: Union[bool, Literal['yes', 'no', 'on', 'off']]
    spec_bench_output_len: int
    spec_bench_category: Union[Union[str, float, bool], None]
    sonnet_input_len: int
    sonnet_output_len: int
    sonnet_prefix_len: int
    sharegpt_output_len: Union[int, None]
    timed_trace_chunk_hash_size: int
    timed_trace_sec_multiplier: Union[float, Literal['inf', '-inf']]
    timed_trace_label_timestamp: Union[str, float, bool]
    timed_trace_label_input_length: Union[str, float, bool]
    timed_trace_label_output_length: Union[str, float, bool]
    timed_trace_label_hash_ids: Union[str, float, bool]
    blazedit_min_distance: Union[float, Literal['inf', '-inf']]
    blazedit_max_distance: Union[float, Literal['inf', '-inf']]
    asr_max_audio_len_sec: Union[float, Literal['inf', '-inf']]
    asr_min_audio_len_sec: Union[float, Literal['inf', '-inf']]
    random_input_len: int
    random_output_len: int
    random_range_ratio: Union[Union[str, float, bool], Dict[str, Any]]
    random_prefix_len: int
    random_batch_size: int
    no_reranker: Union[bool, Literal['yes', 'no', 'on', 'off']]
    random_mm_base_items_per_request: int
    random_mm_num_mm_items_range_ratio: Union[float, Literal['inf', '-inf']]
    random_mm_limit_mm_per_prompt: Union[Dict[str, Any], str]
    random_mm_bucket_config: Union[Dict[str, Any], str]
    hf_subset: Union[Union[str, float, bool], None]
    hf_split: Union[Union[str, float, bool], None]
    hf_name: Union[Union[str, float, bool], None]
    hf_output_len: Union[int, None]
    bfcl_categories: Union[List[Union[str, float, bool]], Union[str, float, bool], None]
    prefix_repetition_prefix_len: int
    prefix_repetition_suffix_len: int
    prefix_repetition_num_prefixes: int
    prefix_repetition_output_len: int
    speed_bench_dataset_subset: Literal['throughput_8k', 'qualitative', 'throughput_1k', 'throughput_32k', 'throughput_16k', 'throughput_2k']
    speed_bench_output_len: int
    speed_bench_category: Union[Union[str, float, bool], None]
    speed_bench_max_input_len: Union[int, None]
    label: Union[Union[str, float, bool], None]
    backend: Literal['vllm', 'openai', 'openai-chat', 'openai-responses', 'openai-audio', 'openai-embeddings', 'openai-embeddings-chat', 'openai-embeddings-clip', 'openai-embeddings-vlm2vec', 'infinity-embeddings', 'infinity-embeddings-clip', 'vllm-pooling', 'vllm-rerank']
    base_url: Union[Union[str, float, bool], None]
    host: Union[Union[str, float, bool], None]
    port: Union[int, None]
    endpoint: Union[Union[str, float, bool], None]
    header: Union[List[Union[str, float, bool]], Union[str, float, bool], Dict[str, Union[str, float, bool]], None]
    max_concurrency: Union[int, None]
    model: Union[Union[str, float, bool], None]
    input_len: Union[int, None]
    output_len: Union[int, None]
    tokenizer: Union[Union[str, float, bool], None]
    tokenizer_mode: Union[str, float, bool]
    use_beam_search: Union[bool, Literal['yes', 'no', 'on', 'off']]
    logprobs: Union[int, None]
    request_rate: Union[float, Literal['inf', '-inf']]
    burstiness: Union[float, Literal['inf', '-inf']]
    probe_request_rate: Union[float, Literal['inf', '-inf']]
    disable_tqdm: Union[bool, Literal['yes', 'no', 'on', 'off']]
    num_warmups: int
    profile: Union[bool, Literal['yes', 'no', 'on', 'off']]
    save_result: Union[bool, Literal['yes', 'no', 'on', 'off']]
    save_detailed: Union[bool, Literal['yes', 'no', 'on', 'off']]
    append_result: Union[bool, Literal['yes', 'no', 'on', 'off']]
    metadata: Union[List[Union[str, float, bool]], Union[str, float, bool], Dict[str, Union[str, float, bool]], None]
    result_dir: Union[Union[str, float, bool], None]
    result_filename: Union[Union[str, float, bool], None]
    ignore_eos: Union[bool, Literal['yes', 'no', 'on', 'off']]
    self_timed: Union[bool, Literal['yes', 'no', 'on', 'off'], None]
    timed_trace_speed: Union[float, Literal['inf', '-inf']]
    timed_trace_max_gap: Union[Union[str, float], None]
    cache_bust: Literal['none', 'run', 'request']
    timed_trace_schedule: Literal['timestamps', 'gaps']
    multi_turn: Union[bool, Literal['yes', 'no', 'on', 'off']]
    multi_turn_num_turns: int
    multi_turn_min_turns: int
    multi_turn_max_turns: int
    multi_turn_concurrency: Union[int, None]
    multi_turn_delay_ms: int
    multi_turn_prefix_global_ratio: Union[float, Literal['inf', '-inf']]
    multi_turn_prefix_conversation_ratio: Union[float, Literal['inf', '-inf']]
    per_turn_input_len: int
    reset_prefix_cache: Union[bool, Literal['yes', 'no', 'on', 'off']]
    percentile_metrics: Union[Union[str, float, bool], List[Union[str, float, bool]], None]
    metric_percentiles: Union[Union[str, float, bool], List[Union[str, float, bool]]]
    goodput: Union[List[Union[str, float, bool]], Union[str, float, bool], Dict[str, Union[str, float, bool]], None]
    request_id_prefix: Union[Union[str, float, bool], None]
    top_p: Union[float, Literal['inf', '-inf'], None]
    top_k: Union[int, None]
    min_p: Union[float, Literal['inf', '-inf'], None]
    temperature: Union[float, Literal['inf', '-inf'], None]
    frequency_penalty: Union[float, Literal['inf', '-inf'], None]
    presence_penalty: Union[float, Literal['inf', '-inf'], None]
    repetition_penalty: Union[float, Literal['inf', '-inf'], None]
    served_model_name: Union[Union[str, float, bool], None]
    lora_modules: Union[List[Union[str, float, bool]], Union[str, float, bool], None]
    lora_assignment: Literal['random', 'round-robin']
    ramp_up_strategy: Union[Literal['linear', 'exponential'], None]
    ramp_up_start_rps: Union[int, None]
    ramp_up_end_rps: Union[int, None]
    ramp_up_by: Literal['index', 'time']
    ready_check_timeout_sec: int
    chat_template_kwargs: Union[Dict[str, Any], str, None]
    extra_body: Union[Dict[str, Any], str, None]
    skip_tokenizer_init: Union[bool, Literal['yes', 'no', 'on', 'off']]
    insecure: Union[bool, Literal['yes', 'no', 'on', 'off']]
    plot_timeline: Union[bool, Literal['yes', 'no', 'on', 'off']]
    timeline_itl_thresholds: Union[Union[str, float, bool], List[Union[str, float, bool]]]
    plot_dataset_stats: Union[bool, Literal['yes', 'no', 'on', 'off']]
    kind: Literal['serve', 'latency', 'throughput', 'startup', 'mm-processor']
    mode: Union[Literal['in_process', 'server'], None]
    client: Literal['native', 'vllm']
    request_timeout: Union[str, float]
    stall_timeout: Union[str, float]
    retries: int
    retry_delay: Union[str, float]
    source_addresses: Union[List[Union[str, float, bool]], Union[str, float, bool], None]
    vllm_metrics: Union[Literal['0.32', '0.33'], None]
    profile_batch_threshold: Union[int, None]
    profile_duration: Union[float, Literal['inf', '-inf']]
    steady_state_threshold: Union[float, Literal['inf', '-inf']]
    steady_state_min_window: Union[float, Literal['inf', '-inf']]
    max_error_share: Union[float, Literal['inf', '-inf']]
    repeats: int
    stop_when: Union[Dict[str, Any], str, None]
    threads: int
    realtime: Union[bool, Literal['yes', 'no', 'on', 'off']]
    immediate_acks: Union[bool, Literal['yes', 'no', 'on', 'off']]
    continuous_usage: Union[bool, Literal['yes', 'no', 'on', 'off']]
    prompt_token_ids: Union[bool, Literal['yes', 'no', 'on', 'off']]
    random_cache_hit_fraction: Union[float, Literal['inf', '-inf']]
    random_cache_ratio: Union[float, Literal['inf', '-inf']]
    vocab_size: Union[int, None]
    batch_size: Union[int, None]
    n: Union[int, None]
    num_iters_warmup: Union[int, None]
    num_iters: Union[int, None]
    num_iters_cold: Union[int, None]
    num_iters_warm: Union[int, None]
    disable_detokenize: Union[bool, Literal['yes', 'no', 'on', 'off']]
    prefix_len: Union[int, None]
    async_engine: Union[bool, Literal['yes', 'no', 'on', 'off']]
    prequeue_requests: Union[bool, Literal['yes', 'no', 'on', 'off']]
    lora_path: Union[Union[str, float, bool], None]
    hf_max_batch_size: Union[int, None]
    hf_enable_torch_compile: Union[bool, Literal['yes', 'no', 'on', 'off']]
    output_json: Union[Union[str, float, bool], None]


class ExperimentTelemetry(TypedDict, total=False):
    interval: Union[str, float]
    gpu: Union[bool, Literal['yes', 'no', 'on', 'off']]
    host: Union[bool, Literal['yes', 'no', 'on', 'off']]
    server_metrics: Union[Union[str, float], None]


class ExperimentProfiling(TypedDict, total=False):
    enabled: Union[bool, Literal['yes', 'no', 'on', 'off']]
    profiler: Literal['torch', 'cuda']
    dir: Union[str, float, bool]
    num_prompts: int
    flush_timeout: Union[str, float]


class ExperimentOutput(TypedDict, total=False):
    requests: Union[bool, Literal['yes', 'no', 'on', 'off']]
    series: Union[bool, Literal['yes', 'no', 'on', 'off']]
    server_log_tail: int


class ExperimentSweepSample(TypedDict, total=False):
    method: Literal['random', 'latin_hypercube', 'sobol']
    count: int
    seed: int
    over: List[str]


class ExperimentSweepSetsValueSample(TypedDict, total=False):
    method: Literal['random', 'latin_hypercube', 'sobol']
    count: int
    seed: int
    over: List[str]


class ExperimentSweepSetsValue(TypedDict, total=False):
    server: Dict[str, Any]
    benchmark: Dict[str, Any]
    launch: Dict[str, Any]
    zip: Union[Dict[str, Any], List[Any]]
    lengths: Union[Dict[str, Any], List[Any]]
    points: List[Dict[str, Any]]
    where: Union[str, bool, List[Any]]
    sample: ExperimentSweepSetsValueSample


class ExperimentSweep(TypedDict, total=False):
    server: Dict[str, Any]
    benchmark: Dict[str, Any]
    launch: Dict[str, Any]
    zip: Union[Dict[str, Any], List[Any]]
    lengths: Union[Dict[str, Any], List[Any]]
    points: List[Dict[str, Any]]
    where: Union[str, bool, List[Any]]
    sample: ExperimentSweepSample
    sets: Dict[str, ExperimentSweepSetsValue]


class Experiment(TypedDict, total=False):
    suite: Union[Union[str, float, bool], None]
    name: Union[Union[str, float, bool], None]
    tags: Dict[str, Union[str, float, bool]]
    server: Union[ExperimentServer, None]
    launch: Union[ExperimentLaunch, None]
    benchmark: Union[ExperimentBenchmark, None]
    telemetry: Union[ExperimentTelemetry, None]
    profiling: Union[ExperimentProfiling, None]
    output: Union[ExperimentOutput, None]
    sweep: ExperimentSweep


class ResultBenchmark(TypedDict, total=False):
    trust_remote_code: bool
    seed: Union[int, None]
    num_prompts: Union[int, None]
    dataset_name: Literal['sharegpt', 'burstgpt', 'random', 'random-mm', 'random-rerank', 'hf', 'custom', 'custom_audio', 'custom_image', 'prefix_repetition', 'spec_bench', 'speed_bench', 'timed_trace', 'sonnet']
    no_stream: bool
    dataset_path: Union[str, None]
    no_oversample: bool
    skip_chat_template: bool
    enable_multimodal_chat: bool
    disable_shuffle: bool
    custom_output_len: Union[int, None]
    custom_ensure_client_side_data: bool
    spec_bench_output_len: Union[int, None]
    spec_bench_category: Union[str, None]
    sonnet_input_len: Union[int, None]
    sonnet_output_len: Union[int, None]
    sonnet_prefix_len: Union[int, None]
    sharegpt_output_len: Union[int, None]
    timed_trace_chunk_hash_size: Union[int, None]
    timed_trace_sec_multiplier: Union[float, None]
    timed_trace_label_timestamp: Union[str, None]
    timed_trace_label_input_length: Union[str, None]
    timed_trace_label_output_length: Union[str, None]
    timed_trace_label_hash_ids: Union[str, None]
    blazedit_min_distance: Union[Union[float, None], Literal['inf', '-inf']]
    blazedit_max_distance: Union[Union[float, None], Literal['inf', '-inf']]
    asr_max_audio_len_sec: Union[Union[float, None], Literal['inf', '-inf']]
    asr_min_audio_len_sec: Union[Union[float, None], Literal['inf', '-inf']]
    random_input_len: Union[int, None]
    random_output_len: Union[int, None]
    random_range_ratio: Union[str, None]
    random_prefix_len: Union[int, None]
    random_batch_size: Union[int, None]
    no_reranker: bool
    random_mm_base_items_per_request: Union[int, None]
    random_mm_num_mm_items_range_ratio: Union[float, None]
    random_mm_limit_mm_per_prompt: Union[Dict[str, Any], List[Any], None]
    random_mm_bucket_config: Union[Dict[str, Any], List[Any], None]
    hf_subset: Union[str, None]
    hf_split: Union[str, None]
    hf_name: Union[str, None]
    hf_output_len: Union[int, None]
    bfcl_categories: Union[List[str], None]
    prefix_repetition_prefix_len: Union[int, None]
    prefix_repetition_suffix_len: Union[int, None]
    prefix_repetition_num_prefixes: Union[int, None]
    prefix_repetition_output_len: Union[int, None]
    speed_bench_dataset_subset: Literal['throughput_8k', 'qualitative', 'throughput_1k', 'throughput_32k', 'throughput_16k', 'throughput_2k']
    speed_bench_output_len: Union[int, None]
    speed_bench_category: Union[str, None]
    speed_bench_max_input_len: Union[int, None]
    label: Union[str, None]
    backend: Literal['vllm', 'openai', 'openai-chat', 'openai-responses', 'openai-audio', 'openai-embeddings', 'openai-embeddings-chat', 'openai-embeddings-clip', 'openai-embeddings-vlm2vec', 'infinity-embeddings', 'infinity-embeddings-clip', 'vllm-pooling', 'vllm-rerank', 'vllm-chat', 'hf', 'mii']
    base_url: Union[str, None]
    host: Union[str, None]
    port: Union[int, None]
    endpoint: Union[str, None]
    header: Union[List[str], None]
    max_concurrency: Union[int, None]
    model: Union[str, None]
    input_len: Union[int, None]
    output_len: Union[int, None]
    tokenizer: Union[str, None]
    tokenizer_mode: Union[str, None]
    use_beam_search: bool
    logprobs: Union[int, None]
    request_rate: Union[Union[float, None], Literal['inf', '-inf']]
    burstiness: Union[Union[float, None], Literal['inf', '-inf']]
    probe_request_rate: Union[float, None]
    disable_tqdm: bool
    num_warmups: Union[int, None]
    profile: bool
    save_result: bool
    save_detailed: bool
    append_result: bool
    metadata: Union[List[str], None]
    result_dir: Union[str, None]
    result_filename: Union[str, None]
    ignore_eos: bool
    self_timed: Union[bool, None]
    timed_trace_speed: Union[float, None]
    timed_trace_max_gap: Union[str, None]
    cache_bust: Literal['none', 'run', 'request']
    timed_trace_schedule: Literal['timestamps', 'gaps']
    multi_turn: bool
    multi_turn_num_turns: Union[int, None]
    multi_turn_min_turns: Union[int, None]
    multi_turn_max_turns: Union[int, None]
    multi_turn_concurrency: Union[int, None]
    multi_turn_delay_ms: Union[int, None]
    multi_turn_prefix_global_ratio: Union[float, None]
    multi_turn_prefix_conversation_ratio: Union[float, None]
    per_turn_input_len: Union[int, None]
    reset_prefix_cache: bool
    percentile_metrics: Union[str, None]
    metric_percentiles: Union[str, None]
    goodput: Union[List[str], None]
    request_id_prefix: Union[str, None]
    top_p: Union[Union[float, None], Literal['inf', '-inf']]
    top_k: Union[int, None]
    min_p: Union[Union[float, None], Literal['inf', '-inf']]
    temperature: Union[Union[float, None], Literal['inf', '-inf']]
    frequency_penalty: Union[Union[float, None], Literal['inf', '-inf']]
    presence_penalty: Union[Union[float, None], Literal['inf', '-inf']]
    repetition_penalty: Union[Union[float, None], Literal['inf', '-inf']]
    served_model_name: Union[str, None]
    lora_modules: Union[List[str], None]
    lora_assignment: Literal['random', 'round-robin']
    ramp_up_strategy: Literal['linear', 'exponential', None]
    ramp_up_start_rps: Union[int, None]
    ramp_up_end_rps: Union[int, None]
    ramp_up_by: Literal['index', 'time']
    ready_check_timeout_sec: Union[int, None]
    chat_template_kwargs: Union[Dict[str, Any], List[Any], None]
    extra_body: Union[Dict[str, Any], List[Any], None]
    skip_tokenizer_init: bool
    insecure: bool
    plot_timeline: bool
    timeline_itl_thresholds: Union[str, None]
    plot_dataset_stats: bool
    kind: Literal['serve', 'latency', 'throughput', 'startup', 'mm-processor']
    mode: Literal['in_process', 'server', None]
    client: Literal['native', 'vllm']
    request_timeout: Union[str, None]
    stall_timeout: Union[str, None]
    retries: Union[int, None]
    retry_delay: Union[str, None]
    source_addresses: Union[List[str], None]
    vllm_metrics: Literal['0.32', '0.33', None]
    profile_batch_threshold: Union[int, None]
    profile_duration: Union[float, None]
    steady_state_threshold: Union[float, None]
    steady_state_min_window: Union[float, None]
    max_error_share: Union[float, None]
    repeats: Union[int, None]
    stop_when: Union[Dict[str, Any], List[Any], None]
    threads: Union[int, None]
    realtime: bool
    immediate_acks: bool
    continuous_usage: bool
    prompt_token_ids: bool
    random_cache_hit_fraction: Union[float, None]
    random_cache_ratio: Union[float, None]
    vocab_size: Union[int, None]
    batch_size: Union[int, None]
    n: Union[int, None]
    num_iters_warmup: Union[int, None]
    num_iters: Union[int, None]
    num_iters_cold: Union[int, None]
    num_iters_warm: Union[int, None]
    disable_detokenize: bool
    prefix_len: Union[int, None]
    async_engine: bool
    prequeue_requests: bool
    lora_path: Union[str, None]
    hf_max_batch_size: Union[int, None]
    hf_enable_torch_compile: bool
    output_json: Union[str, None]
    prompt_form: Literal['text', 'token_ids', None]
    chat_template: Literal['server', 'none', None]
    dataset_sha256: Union[str, None]


class ResultConfig(TypedDict, total=False):
    server: Dict[str, Any]
    server_source: Dict[str, Literal['explicit', 'default', 'unknown', 'not_in_release']]
    server_explicit: List[str]
    params_overlay: Union[List[str], None]
    benchmark: ResultBenchmark
    experiment: Union[Dict[str, Union[Dict[str, Any], str, None]], None]


class ResultFailureCount(TypedDict, total=False):
    kind: Literal['connect', 'send', 'reset', 'http_status', 'protocol', 'stream_error', 'truncated', 'no_output', 'timeout', 'stalled', 'abandoned', 'not_sent', 'unknown']
    status: Union[int, None]
    count: int
    retried: int
    sample: Union[str, None]


ResultSteady = TypedDict('ResultSteady', {
    'start_s': float,
    'end_s': float,
    'completed': int,
    'mean_ttft_ms': Union[float, None],
    'median_ttft_ms': Union[float, None],
    'std_ttft_ms': Union[float, None],
    'p1_ttft_ms': Union[float, None],
    'p5_ttft_ms': Union[float, None],
    'p10_ttft_ms': Union[float, None],
    'p25_ttft_ms': Union[float, None],
    'p50_ttft_ms': Union[float, None],
    'p75_ttft_ms': Union[float, None],
    'p90_ttft_ms': Union[float, None],
    'p95_ttft_ms': Union[float, None],
    'p99_ttft_ms': Union[float, None],
    'p99.9_ttft_ms': Union[float, None],
    'mean_tpot_ms': Union[float, None],
    'median_tpot_ms': Union[float, None],
    'std_tpot_ms': Union[float, None],
    'p1_tpot_ms': Union[float, None],
    'p5_tpot_ms': Union[float, None],
    'p10_tpot_ms': Union[float, None],
    'p25_tpot_ms': Union[float, None],
    'p50_tpot_ms': Union[float, None],
    'p75_tpot_ms': Union[float, None],
    'p90_tpot_ms': Union[float, None],
    'p95_tpot_ms': Union[float, None],
    'p99_tpot_ms': Union[float, None],
    'p99.9_tpot_ms': Union[float, None],
    'mean_itl_ms': Union[float, None],
    'median_itl_ms': Union[float, None],
    'std_itl_ms': Union[float, None],
    'p1_itl_ms': Union[float, None],
    'p5_itl_ms': Union[float, None],
    'p10_itl_ms': Union[float, None],
    'p25_itl_ms': Union[float, None],
    'p50_itl_ms': Union[float, None],
    'p75_itl_ms': Union[float, None],
    'p90_itl_ms': Union[float, None],
    'p95_itl_ms': Union[float, None],
    'p99_itl_ms': Union[float, None],
    'p99.9_itl_ms': Union[float, None],
    'mean_e2el_ms': Union[float, None],
    'median_e2el_ms': Union[float, None],
    'std_e2el_ms': Union[float, None],
    'p1_e2el_ms': Union[float, None],
    'p5_e2el_ms': Union[float, None],
    'p10_e2el_ms': Union[float, None],
    'p25_e2el_ms': Union[float, None],
    'p50_e2el_ms': Union[float, None],
    'p75_e2el_ms': Union[float, None],
    'p90_e2el_ms': Union[float, None],
    'p95_e2el_ms': Union[float, None],
    'p99_e2el_ms': Union[float, None],
    'p99.9_e2el_ms': Union[float, None],
    'mean_first_token_ms': Union[float, None],
    'median_first_token_ms': Union[float, None],
    'std_first_token_ms': Union[float, None],
    'p1_first_token_ms': Union[float, None],
    'p5_first_token_ms': Union[float, None],
    'p10_first_token_ms': Union[float, None],
    'p25_first_token_ms': Union[float, None],
    'p50_first_token_ms': Union[float, None],
    'p75_first_token_ms': Union[float, None],
    'p90_first_token_ms': Union[float, None],
    'p95_first_token_ms': Union[float, None],
    'p99_first_token_ms': Union[float, None],
    'p99.9_first_token_ms': Union[float, None],
    'mean_token_gap_ms': Union[float, None],
    'median_token_gap_ms': Union[float, None],
    'std_token_gap_ms': Union[float, None],
    'p1_token_gap_ms': Union[float, None],
    'p5_token_gap_ms': Union[float, None],
    'p10_token_gap_ms': Union[float, None],
    'p25_token_gap_ms': Union[float, None],
    'p50_token_gap_ms': Union[float, None],
    'p75_token_gap_ms': Union[float, None],
    'p90_token_gap_ms': Union[float, None],
    'p95_token_gap_ms': Union[float, None],
    'p99_token_gap_ms': Union[float, None],
    'p99.9_token_gap_ms': Union[float, None],
    'mean_time_per_token_ms': Union[float, None],
    'median_time_per_token_ms': Union[float, None],
    'std_time_per_token_ms': Union[float, None],
    'p1_time_per_token_ms': Union[float, None],
    'p5_time_per_token_ms': Union[float, None],
    'p10_time_per_token_ms': Union[float, None],
    'p25_time_per_token_ms': Union[float, None],
    'p50_time_per_token_ms': Union[float, None],
    'p75_time_per_token_ms': Union[float, None],
    'p90_time_per_token_ms': Union[float, None],
    'p95_time_per_token_ms': Union[float, None],
    'p99_time_per_token_ms': Union[float, None],
    'p99.9_time_per_token_ms': Union[float, None],
    'mean_ttft_planned_ms': Union[float, None],
    'median_ttft_planned_ms': Union[float, None],
    'std_ttft_planned_ms': Union[float, None],
    'p1_ttft_planned_ms': Union[float, None],
    'p5_ttft_planned_ms': Union[float, None],
    'p10_ttft_planned_ms': Union[float, None],
    'p25_ttft_planned_ms': Union[float, None],
    'p50_ttft_planned_ms': Union[float, None],
    'p75_ttft_planned_ms': Union[float, None],
    'p90_ttft_planned_ms': Union[float, None],
    'p95_ttft_planned_ms': Union[float, None],
    'p99_ttft_planned_ms': Union[float, None],
    'p99.9_ttft_planned_ms': Union[float, None],
    'mean_first_token_planned_ms': Union[float, None],
    'median_first_token_planned_ms': Union[float, None],
    'std_first_token_planned_ms': Union[float, None],
    'p1_first_token_planned_ms': Union[float, None],
    'p5_first_token_planned_ms': Union[float, None],
    'p10_first_token_planned_ms': Union[float, None],
    'p25_first_token_planned_ms': Union[float, None],
    'p50_first_token_planned_ms': Union[float, None],
    'p75_first_token_planned_ms': Union[float, None],
    'p90_first_token_planned_ms': Union[float, None],
    'p95_first_token_planned_ms': Union[float, None],
    'p99_first_token_planned_ms': Union[float, None],
    'p99.9_first_token_planned_ms': Union[float, None],
    'mean_e2el_planned_ms': Union[float, None],
    'median_e2el_planned_ms': Union[float, None],
    'std_e2el_planned_ms': Union[float, None],
    'p1_e2el_planned_ms': Union[float, None],
    'p5_e2el_planned_ms': Union[float, None],
    'p10_e2el_planned_ms': Union[float, None],
    'p25_e2el_planned_ms': Union[float, None],
    'p50_e2el_planned_ms': Union[float, None],
    'p75_e2el_planned_ms': Union[float, None],
    'p90_e2el_planned_ms': Union[float, None],
    'p95_e2el_planned_ms': Union[float, None],
    'p99_e2el_planned_ms': Union[float, None],
    'p99.9_e2el_planned_ms': Union[float, None],
    'mean_client_queue_time_ms': Union[float, None],
    'median_client_queue_time_ms': Union[float, None],
    'std_client_queue_time_ms': Union[float, None],
    'p1_client_queue_time_ms': Union[float, None],
    'p5_client_queue_time_ms': Union[float, None],
    'p10_client_queue_time_ms': Union[float, None],
    'p25_client_queue_time_ms': Union[float, None],
    'p50_client_queue_time_ms': Union[float, None],
    'p75_client_queue_time_ms': Union[float, None],
    'p90_client_queue_time_ms': Union[float, None],
    'p95_client_queue_time_ms': Union[float, None],
    'p99_client_queue_time_ms': Union[float, None],
    'p99.9_client_queue_time_ms': Union[float, None],
    'mean_e2el_including_client_queue_ms': Union[float, None],
    'median_e2el_including_client_queue_ms': Union[float, None],
    'std_e2el_including_client_queue_ms': Union[float, None],
    'p1_e2el_including_client_queue_ms': Union[float, None],
    'p5_e2el_including_client_queue_ms': Union[float, None],
    'p10_e2el_including_client_queue_ms': Union[float, None],
    'p25_e2el_including_client_queue_ms': Union[float, None],
    'p50_e2el_including_client_queue_ms': Union[float, None],
    'p75_e2el_including_client_queue_ms': Union[float, None],
    'p90_e2el_including_client_queue_ms': Union[float, None],
    'p95_e2el_including_client_queue_ms': Union[float, None],
    'p99_e2el_including_client_queue_ms': Union[float, None],
    'p99.9_e2el_including_client_queue_ms': Union[float, None],
    'mean_first_role_ms': Union[float, None],
    'median_first_role_ms': Union[float, None],
    'std_first_role_ms': Union[float, None],
    'p1_first_role_ms': Union[float, None],
    'p5_first_role_ms': Union[float, None],
    'p10_first_role_ms': Union[float, None],
    'p25_first_role_ms': Union[float, None],
    'p50_first_role_ms': Union[float, None],
    'p75_first_role_ms': Union[float, None],
    'p90_first_role_ms': Union[float, None],
    'p95_first_role_ms': Union[float, None],
    'p99_first_role_ms': Union[float, None],
    'p99.9_first_role_ms': Union[float, None],
    'mean_first_reasoning_ms': Union[float, None],
    'median_first_reasoning_ms': Union[float, None],
    'std_first_reasoning_ms': Union[float, None],
    'p1_first_reasoning_ms': Union[float, None],
    'p5_first_reasoning_ms': Union[float, None],
    'p10_first_reasoning_ms': Union[float, None],
    'p25_first_reasoning_ms': Union[float, None],
    'p50_first_reasoning_ms': Union[float, None],
    'p75_first_reasoning_ms': Union[float, None],
    'p90_first_reasoning_ms': Union[float, None],
    'p95_first_reasoning_ms': Union[float, None],
    'p99_first_reasoning_ms': Union[float, None],
    'p99.9_first_reasoning_ms': Union[float, None],
    'mean_first_text_ms': Union[float, None],
    'median_first_text_ms': Union[float, None],
    'std_first_text_ms': Union[float, None],
    'p1_first_text_ms': Union[float, None],
    'p5_first_text_ms': Union[float, None],
    'p10_first_text_ms': Union[float, None],
    'p25_first_text_ms': Union[float, None],
    'p50_first_text_ms': Union[float, None],
    'p75_first_text_ms': Union[float, None],
    'p90_first_text_ms': Union[float, None],
    'p95_first_text_ms': Union[float, None],
    'p99_first_text_ms': Union[float, None],
    'p99.9_first_text_ms': Union[float, None],
    'mean_first_tool_call_ms': Union[float, None],
    'median_first_tool_call_ms': Union[float, None],
    'std_first_tool_call_ms': Union[float, None],
    'p1_first_tool_call_ms': Union[float, None],
    'p5_first_tool_call_ms': Union[float, None],
    'p10_first_tool_call_ms': Union[float, None],
    'p25_first_tool_call_ms': Union[float, None],
    'p50_first_tool_call_ms': Union[float, None],
    'p75_first_tool_call_ms': Union[float, None],
    'p90_first_tool_call_ms': Union[float, None],
    'p95_first_tool_call_ms': Union[float, None],
    'p99_first_tool_call_ms': Union[float, None],
    'p99.9_first_tool_call_ms': Union[float, None],
}, total=False)


class ResultTtftParts(TypedDict, total=False):
    total_ms: Union[float, None]
    client_low_ms: Union[float, None]
    client_high_ms: Union[float, None]
    network_low_ms: Union[float, None]
    network_high_ms: Union[float, None]
    front_end_low_ms: Union[float, None]
    front_end_high_ms: Union[float, None]
    queue_low_ms: Union[float, None]
    queue_high_ms: Union[float, None]
    prefill_low_ms: Union[float, None]
    prefill_high_ms: Union[float, None]
    unattributed_ms: Union[float, None]


class ResultE2elParts(TypedDict, total=False):
    total_ms: Union[float, None]
    client_low_ms: Union[float, None]
    client_high_ms: Union[float, None]
    network_low_ms: Union[float, None]
    network_high_ms: Union[float, None]
    front_end_low_ms: Union[float, None]
    front_end_high_ms: Union[float, None]
    queue_low_ms: Union[float, None]
    queue_high_ms: Union[float, None]
    prefill_low_ms: Union[float, None]
    prefill_high_ms: Union[float, None]
    decode_low_ms: Union[float, None]
    decode_high_ms: Union[float, None]
    unattributed_ms: Union[float, None]


class ResultServerLatency(TypedDict, total=False):
    count: Union[float, None]
    mean_ms: Union[float, None]
    median_low_ms: Union[float, None]
    median_high_ms: Union[float, None]
    p99_low_ms: Union[float, None]
    p99_high_ms: Union[float, None]


class ResultServerLatencies(TypedDict, total=False):
    ttft: ResultServerLatency
    e2el: ResultServerLatency
    queue: ResultServerLatency
    prefill: ResultServerLatency
    decode: ResultServerLatency
    inference: ResultServerLatency


class ResultLatencyBreakdown(TypedDict, total=False):
    state: Literal['exact', 'bounded', 'none']
    reason: Literal['counted_more', 'no_requests', 'no_page', 'no_histograms', 'restarted', 'not_settled', 'choices', 'counted_less', 'contradiction', None]
    source: Literal['histograms', 'requests', None]
    requests: Union[float, None]
    busy_before: Union[bool, None]
    same_host: Union[bool, None]
    round_trip_ms: Union[float, None]
    ttft: ResultTtftParts
    e2el: ResultE2elParts
    server: ResultServerLatencies


class ResultModality(TypedDict, total=False):
    modality: Literal['text', 'image', 'video', 'audio', 'mixed']
    images: int
    videos: int
    audio_s: Union[float, None]
    completed: int
    failed: int
    not_sent: int
    cached_prompt_share: Union[float, None]
    mean_prompt_tokens: Union[float, None]
    mean_output_tokens: Union[float, None]
    mean_ttft_ms: Union[float, None]
    median_ttft_ms: Union[float, None]
    p90_ttft_ms: Union[float, None]
    p99_ttft_ms: Union[float, None]
    mean_tpot_ms: Union[float, None]
    median_tpot_ms: Union[float, None]
    p90_tpot_ms: Union[float, None]
    p99_tpot_ms: Union[float, None]
    mean_e2el_ms: Union[float, None]
    median_e2el_ms: Union[float, None]
    p90_e2el_ms: Union[float, None]
    p99_e2el_ms: Union[float, None]


class ResultTurn(TypedDict, total=False):
    turn: int
    completed: int
    failed: int
    not_sent: int
    cached_prompt_share: Union[float, None]
    mean_prompt_tokens: Union[float, None]
    mean_output_tokens: Union[float, None]
    mean_ttft_ms: Union[float, None]
    median_ttft_ms: Union[float, None]
    p90_ttft_ms: Union[float, None]
    p99_ttft_ms: Union[float, None]
    mean_tpot_ms: Union[float, None]
    median_tpot_ms: Union[float, None]
    p90_tpot_ms: Union[float, None]
    p99_tpot_ms: Union[float, None]
    mean_e2el_ms: Union[float, None]
    median_e2el_ms: Union[float, None]
    p90_e2el_ms: Union[float, None]
    p99_e2el_ms: Union[float, None]


class ResultSessions(TypedDict, total=False):
    count: Union[float, None]
    completed: Union[float, None]
    failed: Union[float, None]
    mean_turns: Union[float, None]
    mean_duration_ms: Union[float, None]
    median_duration_ms: Union[float, None]
    p90_duration_ms: Union[float, None]
    p99_duration_ms: Union[float, None]
    mean_wait_share: Union[float, None]
    median_wait_share: Union[float, None]
    p90_wait_share: Union[float, None]
    p99_wait_share: Union[float, None]


ResultResultsPercentiles = TypedDict('ResultResultsPercentiles', {
    '10': Union[float, None],
    '25': Union[float, None],
    '50': Union[float, None],
    '75': Union[float, None],
    '90': Union[float, None],
    '99': Union[float, None],
}, total=False)


ResultResults = TypedDict('ResultResults', {
    'duration': Union[float, None],
    'completed_requests': int,
    'failed_requests': int,
    'completed': int,
    'failed': int,
    'retries': Union[int, None],
    'retried_requests': Union[int, None],
    'total_input_tokens': Union[int, None],
    'total_output_tokens': Union[int, None],
    'request_throughput': Union[float, None],
    'request_goodput': Union[float, None],
    'input_throughput': Union[float, None],
    'output_throughput': Union[float, None],
    'total_token_throughput': Union[float, None],
    'max_output_tokens_per_s': Union[float, None],
    'max_concurrent_requests': Union[int, None],
    'peak_in_flight': Union[int, None],
    'peak_output_tokens_per_s_sliding': Union[float, None],
    'rtfx': Union[float, None],
    'probe_completed': Union[int, None],
    'probe_failed': Union[int, None],
    'probe_median_e2el_ms': Union[float, None],
    'probe_p99_e2el_ms': Union[float, None],
    'probe_max_e2el_ms': Union[float, None],
    'spec_decode_acceptance_rate': Union[float, None],
    'spec_decode_acceptance_length': Union[float, None],
    'spec_decode_num_drafts': Union[int, None],
    'spec_decode_draft_tokens': Union[int, None],
    'spec_decode_accepted_tokens': Union[int, None],
    'energy_per_token_j': Union[float, None],
    'energy_per_token_idle_subtracted_j': Union[float, None],
    'prompt_token_offset_median': Union[float, None],
    'mean_ttft_ms': Union[float, None],
    'mean_ttft_ms_ci95': Union[List[Any], None],
    'median_ttft_ms': Union[float, None],
    'median_ttft_ms_ci95': Union[List[Any], None],
    'std_ttft_ms': Union[float, None],
    'std_ttft_ms_ci95': None,
    'p1_ttft_ms': Union[float, None],
    'p1_ttft_ms_ci95': Union[List[Any], None],
    'p5_ttft_ms': Union[float, None],
    'p5_ttft_ms_ci95': Union[List[Any], None],
    'p10_ttft_ms': Union[float, None],
    'p10_ttft_ms_ci95': Union[List[Any], None],
    'p25_ttft_ms': Union[float, None],
    'p25_ttft_ms_ci95': Union[List[Any], None],
    'p50_ttft_ms': Union[float, None],
    'p50_ttft_ms_ci95': Union[List[Any], None],
    'p75_ttft_ms': Union[float, None],
    'p75_ttft_ms_ci95': Union[List[Any], None],
    'p90_ttft_ms': Union[float, None],
    'p90_ttft_ms_ci95': Union[List[Any], None],
    'p95_ttft_ms': Union[float, None],
    'p95_ttft_ms_ci95': Union[List[Any], None],
    'p99_ttft_ms': Union[float, None],
    'p99_ttft_ms_ci95': Union[List[Any], None],
    'p99.9_ttft_ms': Union[float, None],
    'p99.9_ttft_ms_ci95': Union[List[Any], None],
    'mean_tpot_ms': Union[float, None],
    'mean_tpot_ms_ci95': Union[List[Any], None],
    'median_tpot_ms': Union[float, None],
    'median_tpot_ms_ci95': Union[List[Any], None],
    'std_tpot_ms': Union[float, None],
    'std_tpot_ms_ci95': None,
    'p1_tpot_ms': Union[float, None],
    'p1_tpot_ms_ci95': Union[List[Any], None],
    'p5_tpot_ms': Union[float, None],
    'p5_tpot_ms_ci95': Union[List[Any], None],
    'p10_tpot_ms': Union[float, None],
    'p10_tpot_ms_ci95': Union[List[Any], None],
    'p25_tpot_ms': Union[float, None],
    'p25_tpot_ms_ci95': Union[List[Any], None],
    'p50_tpot_ms': Union[float, None],
    'p50_tpot_ms_ci95': Union[List[Any], None],
    'p75_tpot_ms': Union[float, None],
    'p75_tpot_ms_ci95': Union[List[Any], None],
    'p90_tpot_ms': Union[float, None],
    'p90_tpot_ms_ci95': Union[List[Any], None],
    'p95_tpot_ms': Union[float, None],
    'p95_tpot_ms_ci95': Union[List[Any], None],
    'p99_tpot_ms': Union[float, None],
    'p99_tpot_ms_ci95': Union[List[Any], None],
    'p99.9_tpot_ms': Union[float, None],
    'p99.9_tpot_ms_ci95': Union[List[Any], None],
    'mean_itl_ms': Union[float, None],
    'mean_itl_ms_ci95': Union[List[Any], None],
    'median_itl_ms': Union[float, None],
    'median_itl_ms_ci95': Union[List[Any], None],
    'std_itl_ms': Union[float, None],
    'std_itl_ms_ci95': None,
    'p1_itl_ms': Union[float, None],
    'p1_itl_ms_ci95': Union[List[Any], None],
    'p5_itl_ms': Union[float, None],
    'p5_itl_ms_ci95': Union[List[Any], None],
    'p10_itl_ms': Union[float, None],
    'p10_itl_ms_ci95': Union[List[Any], None],
    'p25_itl_ms': Union[float, None],
    'p25_itl_ms_ci95': Union[List[Any], None],
    'p50_itl_ms': Union[float, None],
    'p50_itl_ms_ci95': Union[List[Any], None],
    'p75_itl_ms': Union[float, None],
    'p75_itl_ms_ci95': Union[List[Any], None],
    'p90_itl_ms': Union[float, None],
    'p90_itl_ms_ci95': Union[List[Any], None],
    'p95_itl_ms': Union[float, None],
    'p95_itl_ms_ci95': Union[List[Any], None],
    'p99_itl_ms': Union[float, None],
    'p99_itl_ms_ci95': Union[List[Any], None],
    'p99.9_itl_ms': Union[float, None],
    'p99.9_itl_ms_ci95': Union[List[Any], None],
    'mean_e2el_ms': Union[float, None],
    'mean_e2el_ms_ci95': Union[List[Any], None],
    'median_e2el_ms': Union[float, None],
    'median_e2el_ms_ci95': Union[List[Any], None],
    'std_e2el_ms': Union[float, None],
    'std_e2el_ms_ci95': None,
    'p1_e2el_ms': Union[float, None],
    'p1_e2el_ms_ci95': Union[List[Any], None],
    'p5_e2el_ms': Union[float, None],
    'p5_e2el_ms_ci95': Union[List[Any], None],
    'p10_e2el_ms': Union[float, None],
    'p10_e2el_ms_ci95': Union[List[Any], None],
    'p25_e2el_ms': Union[float, None],
    'p25_e2el_ms_ci95': Union[List[Any], None],
    'p50_e2el_ms': Union[float, None],
    'p50_e2el_ms_ci95': Union[List[Any], None],
    'p75_e2el_ms': Union[float, None],
    'p75_e2el_ms_ci95': Union[List[Any], None],
    'p90_e2el_ms': Union[float, None],
    'p90_e2el_ms_ci95': Union[List[Any], None],
    'p95_e2el_ms': Union[float, None],
    'p95_e2el_ms_ci95': Union[List[Any], None],
    'p99_e2el_ms': Union[float, None],
    'p99_e2el_ms_ci95': Union[List[Any], None],
    'p99.9_e2el_ms': Union[float, None],
    'p99.9_e2el_ms_ci95': Union[List[Any], None],
    'mean_first_token_ms': Union[float, None],
    'mean_first_token_ms_ci95': Union[List[Any], None],
    'median_first_token_ms': Union[float, None],
    'median_first_token_ms_ci95': Union[List[Any], None],
    'std_first_token_ms': Union[float, None],
    'std_first_token_ms_ci95': None,
    'p1_first_token_ms': Union[float, None],
    'p1_first_token_ms_ci95': Union[List[Any], None],
    'p5_first_token_ms': Union[float, None],
    'p5_first_token_ms_ci95': Union[List[Any], None],
    'p10_first_token_ms': Union[float, None],
    'p10_first_token_ms_ci95': Union[List[Any], None],
    'p25_first_token_ms': Union[float, None],
    'p25_first_token_ms_ci95': Union[List[Any], None],
    'p50_first_token_ms': Union[float, None],
    'p50_first_token_ms_ci95': Union[List[Any], None],
    'p75_first_token_ms': Union[float, None],
    'p75_first_token_ms_ci95': Union[List[Any], None],
    'p90_first_token_ms': Union[float, None],
    'p90_first_token_ms_ci95': Union[List[Any], None],
    'p95_first_token_ms': Union[float, None],
    'p95_first_token_ms_ci95': Union[List[Any], None],
    'p99_first_token_ms': Union[float, None],
    'p99_first_token_ms_ci95': Union[List[Any], None],
    'p99.9_first_token_ms': Union[float, None],
    'p99.9_first_token_ms_ci95': Union[List[Any], None],
    'mean_token_gap_ms': Union[float, None],
    'mean_token_gap_ms_ci95': Union[List[Any], None],
    'median_token_gap_ms': Union[float, None],
    'median_token_gap_ms_ci95': Union[List[Any], None],
    'std_token_gap_ms': Union[float, None],
    'std_token_gap_ms_ci95': None,
    'p1_token_gap_ms': Union[float, None],
    'p1_token_gap_ms_ci95': Union[List[Any], None],
    'p5_token_gap_ms': Union[float, None],
    'p5_token_gap_ms_ci95': Union[List[Any], None],
    'p10_token_gap_ms': Union[float, None],
    'p10_token_gap_ms_ci95': Union[List[Any], None],
    'p25_token_gap_ms': Union[float, None],
    'p25_token_gap_ms_ci95': Union[List[Any], None],
    'p50_token_gap_ms': Union[float, None],
    'p50_token_gap_ms_ci95': Union[List[Any], None],
    'p75_token_gap_ms': Union[float, None],
    'p75_token_gap_ms_ci95': Union[List[Any], None],
    'p90_token_gap_ms': Union[float, None],
    'p90_token_gap_ms_ci95': Union[List[Any], None],
    'p95_token_gap_ms': Union[float, None],
    'p95_token_gap_ms_ci95': Union[List[Any], None],
    'p99_token_gap_ms': Union[float, None],
    'p99_token_gap_ms_ci95': Union[List[Any], None],
    'p99.9_token_gap_ms': Union[float, None],
    'p99.9_token_gap_ms_ci95': Union[List[Any], None],
    'mean_time_per_token_ms': Union[float, None],
    'mean_time_per_token_ms_ci95': Union[List[Any], None],
    'median_time_per_token_ms': Union[float, None],
    'median_time_per_token_ms_ci95': Union[List[Any], None],
    'std_time_per_token_ms': Union[float, None],
    'std_time_per_token_ms_ci95': None,
    'p1_time_per_token_ms': Union[float, None],
    'p1_time_per_token_ms_ci95': Union[List[Any], None],
    'p5_time_per_token_ms': Union[float, None],
    'p5_time_per_token_ms_ci95': Union[List[Any], None],
    'p10_time_per_token_ms': Union[float, None],
    'p10_time_per_token_ms_ci95': Union[List[Any], None],
    'p25_time_per_token_ms': Union[float, None],
    'p25_time_per_token_ms_ci95': Union[List[Any], None],
    'p50_time_per_token_ms': Union[float, None],
    'p50_time_per_token_ms_ci95': Union[List[Any], None],
    'p75_time_per_token_ms': Union[float, None],
    'p75_time_per_token_ms_ci95': Union[List[Any], None],
    'p90_time_per_token_ms': Union[float, None],
    'p90_time_per_token_ms_ci95': Union[List[Any], None],
    'p95_time_per_token_ms': Union[float, None],
    'p95_time_per_token_ms_ci95': Union[List[Any], None],
    'p99_time_per_token_ms': Union[float, None],
    'p99_time_per_token_ms_ci95': Union[List[Any], None],
    'p99.9_time_per_token_ms': Union[float, None],
    'p99.9_time_per_token_ms_ci95': Union[List[Any], None],
    'mean_ttft_planned_ms': Union[float, None],
    'mean_ttft_planned_ms_ci95': Union[List[Any], None],
    'median_ttft_planned_ms': Union[float, None],
    'median_ttft_planned_ms_ci95': Union[List[Any], None],
    'std_ttft_planned_ms': Union[float, None],
    'std_ttft_planned_ms_ci95': None,
    'p1_ttft_planned_ms': Union[float, None],
    'p1_ttft_planned_ms_ci95': Union[List[Any], None],
    'p5_ttft_planned_ms': Union[float, None],
    'p5_ttft_planned_ms_ci95': Union[List[Any], None],
    'p10_ttft_planned_ms': Union[float, None],
    'p10_ttft_planned_ms_ci95': Union[List[Any], None],
    'p25_ttft_planned_ms': Union[float, None],
    'p25_ttft_planned_ms_ci95': Union[List[Any], None],
    'p50_ttft_planned_ms': Union[float, None],
    'p50_ttft_planned_ms_ci95': Union[List[Any], None],
    'p75_ttft_planned_ms': Union[float, None],
    'p75_ttft_planned_ms_ci95': Union[List[Any], None],
    'p90_ttft_planned_ms': Union[float, None],
    'p90_ttft_planned_ms_ci95': Union[List[Any], None],
    'p95_ttft_planned_ms': Union[float, None],
    'p95_ttft_planned_ms_ci95': Union[List[Any], None],
    'p99_ttft_planned_ms': Union[float, None],
    'p99_ttft_planned_ms_ci95': Union[List[Any], None],
    'p99.9_ttft_planned_ms': Union[float, None],
    'p99.9_ttft_planned_ms_ci95': Union[List[Any], None],
    'mean_first_token_planned_ms': Union[float, None],
    'mean_first_token_planned_ms_ci95': Union[List[Any], None],
    'median_first_token_planned_ms': Union[float, None],
    'median_first_token_planned_ms_ci95': Union[List[Any], None],
    'std_first_token_planned_ms': Union[float, None],
    'std_first_token_planned_ms_ci95': None,
    'p1_first_token_planned_ms': Union[float, None],
    'p1_first_token_planned_ms_ci95': Union[List[Any], None],
    'p5_first_token_planned_ms': Union[float, None],
    'p5_first_token_planned_ms_ci95': Union[List[Any], None],
    'p10_first_token_planned_ms': Union[float, None],
    'p10_first_token_planned_ms_ci95': Union[List[Any], None],
    'p25_first_token_planned_ms': Union[float, None],
    'p25_first_token_planned_ms_ci95': Union[List[Any], None],
    'p50_first_token_planned_ms': Union[float, None],
    'p50_first_token_planned_ms_ci95': Union[List[Any], None],
    'p75_first_token_planned_ms': Union[float, None],
    'p75_first_token_planned_ms_ci95': Union[List[Any], None],
    'p90_first_token_planned_ms': Union[float, None],
    'p90_first_token_planned_ms_ci95': Union[List[Any], None],
    'p95_first_token_planned_ms': Union[float, None],
    'p95_first_token_planned_ms_ci95': Union[List[Any], None],
    'p99_first_token_planned_ms': Union[float, None],
    'p99_first_token_planned_ms_ci95': Union[List[Any], None],
    'p99.9_first_token_planned_ms': Union[float, None],
    'p99.9_first_token_planned_ms_ci95': Union[List[Any], None],
    'mean_e2el_planned_ms': Union[float, None],
    'mean_e2el_planned_ms_ci95': Union[List[Any], None],
    'median_e2el_planned_ms': Union[float, None],
    'median_e2el_planned_ms_ci95': Union[List[Any], None],
    'std_e2el_planned_ms': Union[float, None],
    'std_e2el_planned_ms_ci95': None,
    'p1_e2el_planned_ms': Union[float, None],
    'p1_e2el_planned_ms_ci95': Union[List[Any], None],
    'p5_e2el_planned_ms': Union[float, None],
    'p5_e2el_planned_ms_ci95': Union[List[Any], None],
    'p10_e2el_planned_ms': Union[float, None],
    'p10_e2el_planned_ms_ci95': Union[List[Any], None],
    'p25_e2el_planned_ms': Union[float, None],
    'p25_e2el_planned_ms_ci95': Union[List[Any], None],
    'p50_e2el_planned_ms': Union[float, None],
    'p50_e2el_planned_ms_ci95': Union[List[Any], None],
    'p75_e2el_planned_ms': Union[float, None],
    'p75_e2el_planned_ms_ci95': Union[List[Any], None],
    'p90_e2el_planned_ms': Union[float, None],
    'p90_e2el_planned_ms_ci95': Union[List[Any], None],
    'p95_e2el_planned_ms': Union[float, None],
    'p95_e2el_planned_ms_ci95': Union[List[Any], None],
    'p99_e2el_planned_ms': Union[float, None],
    'p99_e2el_planned_ms_ci95': Union[List[Any], None],
    'p99.9_e2el_planned_ms': Union[float, None],
    'p99.9_e2el_planned_ms_ci95': Union[List[Any], None],
    'mean_client_queue_time_ms': Union[float, None],
    'mean_client_queue_time_ms_ci95': Union[List[Any], None],
    'median_client_queue_time_ms': Union[float, None],
    'median_client_queue_time_ms_ci95': Union[List[Any], None],
    'std_client_queue_time_ms': Union[float, None],
    'std_client_queue_time_ms_ci95': None,
    'p1_client_queue_time_ms': Union[float, None],
    'p1_client_queue_time_ms_ci95': Union[List[Any], None],
    'p5_client_queue_time_ms': Union[float, None],
    'p5_client_queue_time_ms_ci95': Union[List[Any], None],
    'p10_client_queue_time_ms': Union[float, None],
    'p10_client_queue_time_ms_ci95': Union[List[Any], None],
    'p25_client_queue_time_ms': Union[float, None],
    'p25_client_queue_time_ms_ci95': Union[List[Any], None],
    'p50_client_queue_time_ms': Union[float, None],
    'p50_client_queue_time_ms_ci95': Union[List[Any], None],
    'p75_client_queue_time_ms': Union[float, None],
    'p75_client_queue_time_ms_ci95': Union[List[Any], None],
    'p90_client_queue_time_ms': Union[float, None],
    'p90_client_queue_time_ms_ci95': Union[List[Any], None],
    'p95_client_queue_time_ms': Union[float, None],
    'p95_client_queue_time_ms_ci95': Union[List[Any], None],
    'p99_client_queue_time_ms': Union[float, None],
    'p99_client_queue_time_ms_ci95': Union[List[Any], None],
    'p99.9_client_queue_time_ms': Union[float, None],
    'p99.9_client_queue_time_ms_ci95': Union[List[Any], None],
    'mean_e2el_including_client_queue_ms': Union[float, None],
    'mean_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'median_e2el_including_client_queue_ms': Union[float, None],
    'median_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'std_e2el_including_client_queue_ms': Union[float, None],
    'std_e2el_including_client_queue_ms_ci95': None,
    'p1_e2el_including_client_queue_ms': Union[float, None],
    'p1_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'p5_e2el_including_client_queue_ms': Union[float, None],
    'p5_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'p10_e2el_including_client_queue_ms': Union[float, None],
    'p10_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'p25_e2el_including_client_queue_ms': Union[float, None],
    'p25_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'p50_e2el_including_client_queue_ms': Union[float, None],
    'p50_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'p75_e2el_including_client_queue_ms': Union[float, None],
    'p75_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'p90_e2el_including_client_queue_ms': Union[float, None],
    'p90_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'p95_e2el_including_client_queue_ms': Union[float, None],
    'p95_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'p99_e2el_including_client_queue_ms': Union[float, None],
    'p99_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'p99.9_e2el_including_client_queue_ms': Union[float, None],
    'p99.9_e2el_including_client_queue_ms_ci95': Union[List[Any], None],
    'mean_ttft_ms_client_error': Union[List[Any], None],
    'median_ttft_ms_client_error': Union[List[Any], None],
    'p90_ttft_ms_client_error': Union[List[Any], None],
    'p99_ttft_ms_client_error': Union[List[Any], None],
    'mean_tpot_ms_client_error': Union[List[Any], None],
    'median_tpot_ms_client_error': Union[List[Any], None],
    'p90_tpot_ms_client_error': Union[List[Any], None],
    'p99_tpot_ms_client_error': Union[List[Any], None],
    'mean_itl_ms_client_error': Union[List[Any], None],
    'median_itl_ms_client_error': Union[List[Any], None],
    'p90_itl_ms_client_error': Union[List[Any], None],
    'p99_itl_ms_client_error': Union[List[Any], None],
    'mean_e2el_ms_client_error': Union[List[Any], None],
    'median_e2el_ms_client_error': Union[List[Any], None],
    'p90_e2el_ms_client_error': Union[List[Any], None],
    'p99_e2el_ms_client_error': Union[List[Any], None],
    'mean_first_token_ms_client_error': Union[List[Any], None],
    'median_first_token_ms_client_error': Union[List[Any], None],
    'p90_first_token_ms_client_error': Union[List[Any], None],
    'p99_first_token_ms_client_error': Union[List[Any], None],
    'errors': List[ResultFailureCount],
    'repeats': List[Any],
    'steady': Union[ResultSteady, None],
    'latency_breakdown': Union[ResultLatencyBreakdown, None],
    'by_modality': List[ResultModality],
    'by_turn': List[ResultTurn],
    'sessions': ResultSessions,
    'spec_decode_per_position_acceptance_rates': Union[List[float], None],
    'total_input_sequences': Union[int, None],
    'input_sequence_throughput': Union[float, None],
    'prefix_cache_hit_rate': Union[float, None],
    'expected_prefix_cache_hit_rate': Union[float, None],
    'request_throughput_ci95': Union[List[Any], None],
    'request_goodput_ci95': Union[List[Any], None],
    'input_throughput_ci95': Union[List[Any], None],
    'input_sequence_throughput_ci95': Union[List[Any], None],
    'output_throughput_ci95': Union[List[Any], None],
    'total_token_throughput_ci95': Union[List[Any], None],
    'avg_latency': Union[float, None],
    'elapsed_time': Union[float, None],
    'num_requests': Union[int, None],
    'total_num_tokens': Union[int, None],
    'requests_per_second': Union[float, None],
    'tokens_per_second': Union[float, None],
    'avg_cold_startup_time': Union[float, None],
    'avg_cold_compilation_time': Union[float, None],
    'avg_cold_encoder_compilation_time': Union[float, None],
    'avg_warm_startup_time': Union[float, None],
    'avg_warm_compilation_time': Union[float, None],
    'avg_warm_encoder_compilation_time': Union[float, None],
    'latencies': Union[List[Any], Dict[str, Any], None],
    'percentiles': Union[ResultResultsPercentiles, None],
    'cold_startup_times': Union[List[Any], Dict[str, Any], None],
    'cold_startup_percentiles': Union[List[Any], Dict[str, Any], None],
    'cold_compilation_times': Union[List[Any], Dict[str, Any], None],
    'cold_compilation_percentiles': Union[List[Any], Dict[str, Any], None],
    'cold_encoder_compilation_times': Union[List[Any], Dict[str, Any], None],
    'cold_encoder_compilation_percentiles': Union[List[Any], Dict[str, Any], None],
    'warm_startup_times': Union[List[Any], Dict[str, Any], None],
    'warm_startup_percentiles': Union[List[Any], Dict[str, Any], None],
    'warm_compilation_times': Union[List[Any], Dict[str, Any], None],
    'warm_compilation_percentiles': Union[List[Any], Dict[str, Any], None],
    'warm_encoder_compilation_times': Union[List[Any], Dict[str, Any], None],
    'warm_encoder_compilation_percentiles': Union[List[Any], Dict[str, Any], None],
    'starts': Union[List[Any], Dict[str, Any], None],
    'percentiles_e2el_ms': Union[List[Any], Dict[str, Any], None],
    'mm_processor_stats': Union[List[Any], Dict[str, Any], None],
    'encoder_summary': Union[List[Any], Dict[str, Any], None],
    'mean_first_role_ms': Union[float, None],
    'mean_first_role_ms_ci95': Union[List[Any], None],
    'median_first_role_ms': Union[float, None],
    'median_first_role_ms_ci95': Union[List[Any], None],
    'std_first_role_ms': Union[float, None],
    'std_first_role_ms_ci95': None,
    'p1_first_role_ms': Union[float, None],
    'p1_first_role_ms_ci95': Union[List[Any], None],
    'p5_first_role_ms': Union[float, None],
    'p5_first_role_ms_ci95': Union[List[Any], None],
    'p10_first_role_ms': Union[float, None],
    'p10_first_role_ms_ci95': Union[List[Any], None],
    'p25_first_role_ms': Union[float, None],
    'p25_first_role_ms_ci95': Union[List[Any], None],
    'p50_first_role_ms': Union[float, None],
    'p50_first_role_ms_ci95': Union[List[Any], None],
    'p75_first_role_ms': Union[float, None],
    'p75_first_role_ms_ci95': Union[List[Any], None],
    'p90_first_role_ms': Union[float, None],
    'p90_first_role_ms_ci95': Union[List[Any], None],
    'p95_first_role_ms': Union[float, None],
    'p95_first_role_ms_ci95': Union[List[Any], None],
    'p99_first_role_ms': Union[float, None],
    'p99_first_role_ms_ci95': Union[List[Any], None],
    'p99.9_first_role_ms': Union[float, None],
    'p99.9_first_role_ms_ci95': Union[List[Any], None],
    'mean_first_reasoning_ms': Union[float, None],
    'mean_first_reasoning_ms_ci95': Union[List[Any], None],
    'median_first_reasoning_ms': Union[float, None],
    'median_first_reasoning_ms_ci95': Union[List[Any], None],
    'std_first_reasoning_ms': Union[float, None],
    'std_first_reasoning_ms_ci95': None,
    'p1_first_reasoning_ms': Union[float, None],
    'p1_first_reasoning_ms_ci95': Union[List[Any], None],
    'p5_first_reasoning_ms': Union[float, None],
    'p5_first_reasoning_ms_ci95': Union[List[Any], None],
    'p10_first_reasoning_ms': Union[float, None],
    'p10_first_reasoning_ms_ci95': Union[List[Any], None],
    'p25_first_reasoning_ms': Union[float, None],
    'p25_first_reasoning_ms_ci95': Union[List[Any], None],
    'p50_first_reasoning_ms': Union[float, None],
    'p50_first_reasoning_ms_ci95': Union[List[Any], None],
    'p75_first_reasoning_ms': Union[float, None],
    'p75_first_reasoning_ms_ci95': Union[List[Any], None],
    'p90_first_reasoning_ms': Union[float, None],
    'p90_first_reasoning_ms_ci95': Union[List[Any], None],
    'p95_first_reasoning_ms': Union[float, None],
    'p95_first_reasoning_ms_ci95': Union[List[Any], None],
    'p99_first_reasoning_ms': Union[float, None],
    'p99_first_reasoning_ms_ci95': Union[List[Any], None],
    'p99.9_first_reasoning_ms': Union[float, None],
    'p99.9_first_reasoning_ms_ci95': Union[List[Any], None],
    'mean_first_text_ms': Union[float, None],
    'mean_first_text_ms_ci95': Union[List[Any], None],
    'median_first_text_ms': Union[float, None],
    'median_first_text_ms_ci95': Union[List[Any], None],
    'std_first_text_ms': Union[float, None],
    'std_first_text_ms_ci95': None,
    'p1_first_text_ms': Union[float, None],
    'p1_first_text_ms_ci95': Union[List[Any], None],
    'p5_first_text_ms': Union[float, None],
    'p5_first_text_ms_ci95': Union[List[Any], None],
    'p10_first_text_ms': Union[float, None],
    'p10_first_text_ms_ci95': Union[List[Any], None],
    'p25_first_text_ms': Union[float, None],
    'p25_first_text_ms_ci95': Union[List[Any], None],
    'p50_first_text_ms': Union[float, None],
    'p50_first_text_ms_ci95': Union[List[Any], None],
    'p75_first_text_ms': Union[float, None],
    'p75_first_text_ms_ci95': Union[List[Any], None],
    'p90_first_text_ms': Union[float, None],
    'p90_first_text_ms_ci95': Union[List[Any], None],
    'p95_first_text_ms': Union[float, None],
    'p95_first_text_ms_ci95': Union[List[Any], None],
    'p99_first_text_ms': Union[float, None],
    'p99_first_text_ms_ci95': Union[List[Any], None],
    'p99.9_first_text_ms': Union[float, None],
    'p99.9_first_text_ms_ci95': Union[List[Any], None],
    'mean_first_tool_call_ms': Union[float, None],
    'mean_first_tool_call_ms_ci95': Union[List[Any], None],
    'median_first_tool_call_ms': Union[float, None],
    'median_first_tool_call_ms_ci95': Union[List[Any], None],
    'std_first_tool_call_ms': Union[float, None],
    'std_first_tool_call_ms_ci95': None,
    'p1_first_tool_call_ms': Union[float, None],
    'p1_first_tool_call_ms_ci95': Union[List[Any], None],
    'p5_first_tool_call_ms': Union[float, None],
    'p5_first_tool_call_ms_ci95': Union[List[Any], None],
    'p10_first_tool_call_ms': Union[float, None],
    'p10_first_tool_call_ms_ci95': Union[List[Any], None],
    'p25_first_tool_call_ms': Union[float, None],
    'p25_first_tool_call_ms_ci95': Union[List[Any], None],
    'p50_first_tool_call_ms': Union[float, None],
    'p50_first_tool_call_ms_ci95': Union[List[Any], None],
    'p75_first_tool_call_ms': Union[float, None],
    'p75_first_tool_call_ms_ci95': Union[List[Any], None],
    'p90_first_tool_call_ms': Union[float, None],
    'p90_first_tool_call_ms_ci95': Union[List[Any], None],
    'p95_first_tool_call_ms': Union[float, None],
    'p95_first_tool_call_ms_ci95': Union[List[Any], None],
    'p99_first_tool_call_ms': Union[float, None],
    'p99_first_tool_call_ms_ci95': Union[List[Any], None],
    'p99.9_first_tool_call_ms': Union[float, None],
    'p99.9_first_tool_call_ms_ci95': Union[List[Any], None],
}, total=False)


class ResultHardware(TypedDict, total=False):
    gpu_name: Union[str, None]
    gpu_count: Union[int, None]
    gpu_memory_gb: Union[float, None]
    cpu: Union[str, None]
    cpu_count: Union[int, None]
    memory_gb: Union[float, None]
    simulated: Union[bool, None]
    source: Union[str, None]


class ResultGpuUsage(TypedDict, total=False):
    index: Union[int, None]
    uuid: Union[str, None]
    name: Union[str, None]
    simulated: Union[bool, None]
    memory_total_bytes: Union[int, None]
    memory_peak_bytes: Union[int, None]
    memory_mean_bytes: Union[int, None]
    utilization_mean: Union[float, None]
    utilization_max: Union[float, None]
    memory_utilization_mean: Union[float, None]
    power_mean_w: Union[float, None]
    power_max_w: Union[float, None]
    power_idle_before_w: Union[float, None]
    power_idle_after_w: Union[float, None]
    power_idle_w: Union[float, None]
    energy_j: Union[float, None]
    energy_above_idle_j: Union[float, None]
    energy_counter_j: Union[float, None]
    power_coverage_share: Union[float, None]
    sm_clock_mean_mhz: Union[float, None]
    sm_clock_min_mhz: Union[float, None]
    memory_clock_mean_mhz: Union[float, None]
    temperature_max_c: Union[float, None]
    throttle_reasons: Union[List[str], None]
    throttled_share: Union[float, None]
    throttled_power_share: Union[float, None]
    throttled_thermal_share: Union[float, None]
    throttled_brake_share: Union[float, None]
    ecc_uncorrected: Union[int, None]
    pcie_sent_bytes: Union[int, None]
    pcie_received_bytes: Union[int, None]
    nvlink_sent_bytes: Union[int, None]
    nvlink_received_bytes: Union[int, None]


class ResultHostUsage(TypedDict, total=False):
    cpu_share_mean: Union[float, None]
    cpu_share_max: Union[float, None]
    iowait_share_mean: Union[float, None]
    load_1m_max: Union[float, None]
    steal_share: Union[float, None]
    memory_peak_bytes: Union[int, None]
    memory_mean_bytes: Union[int, None]
    swap_peak_bytes: Union[int, None]
    disk_read_bytes: Union[int, None]
    disk_written_bytes: Union[int, None]
    network_received_bytes: Union[int, None]
    network_sent_bytes: Union[int, None]


class ResultServerUsage(TypedDict, total=False):
    cpu_s: Union[float, None]
    cpu_share_mean: Union[float, None]
    cpu_share_max: Union[float, None]
    memory_peak_bytes: Union[int, None]
    memory_mean_bytes: Union[int, None]
    processes_max: Union[int, None]
    threads_max: Union[int, None]
    open_files_max: Union[int, None]
    disk_read_bytes: Union[int, None]
    disk_written_bytes: Union[int, None]


class ResultClientUsage(TypedDict, total=False):
    cpu_s: Union[float, None]
    cpu_share_mean: Union[float, None]
    cpu_share_max: Union[float, None]
    worker_cpu_share_max: Union[float, None]
    cpu_us_per_token: Union[float, None]
    memory_peak_bytes: Union[int, None]
    memory_mean_bytes: Union[int, None]
    threads: Union[int, None]
    realtime: Union[bool, None]
    delayed_acks: Union[bool, None]
    connections: Union[int, None]
    voluntary_switches: Union[int, None]
    involuntary_switches: Union[int, None]


class ResultTelemetryCost(TypedDict, total=False):
    interval_ms: Union[float, None]
    ticks: Union[int, None]
    ticks_missed: Union[int, None]
    lateness_p50_ms: Union[float, None]
    lateness_p99_ms: Union[float, None]
    lateness_max_ms: Union[float, None]
    metrics_requested: Union[int, None]
    metrics_gaps: Union[int, None]
    cpu_s: Union[float, None]
    cpu_share: Union[float, None]


class ResultSystem(TypedDict, total=False):
    peak_gpu_memory_gb: Union[float, None]
    avg_gpu_utilization: Union[float, None]
    hardware_info: Union[ResultHardware, None]
    gpus: List[ResultGpuUsage]
    host: ResultHostUsage
    server: ResultServerUsage
    client: ResultClientUsage
    telemetry: Union[ResultTelemetryCost, None]


class ResultTraceFile(TypedDict, total=False):
    path: Union[str, None]
    rank: Union[int, None]
    size_mb: Union[float, None]
    size_bytes: Union[int, None]
    sha256: Union[str, None]


class ResultProfiling(TypedDict, total=False):
    enabled: bool
    scope: Union[str, None]
    profiler: Union[str, None]
    trace_dir: Union[str, None]
    trace_file_path: Union[str, None]
    trace_file_size_mb: Union[float, None]
    trace_files: Union[List[ResultTraceFile], None]
    error: Union[str, None]


class ResultLaunchGpu(TypedDict, total=False):
    index: Union[int, None]
    uuid: Union[str, None]
    name: Union[str, None]
    memory_bytes: Union[int, None]
    simulated: Union[bool, None]


class ResultTarget(TypedDict, total=False):
    version: Union[str, None]
    assumed: Union[bool, None]
    note: str


class ResultPhases(TypedDict, total=False):
    begin_ns: Union[int, None]
    spawn_s: Union[float, None]
    first_line_s: Union[float, None]
    engine_init_s: Union[float, None]
    weights_begin_s: Union[float, None]
    weights_loaded_s: Union[float, None]
    compiled_s: Union[float, None]
    kv_cache_s: Union[float, None]
    graph_capture_s: Union[float, None]
    engine_ready_s: Union[float, None]
    listening_s: Union[float, None]
    healthy_s: Union[float, None]
    ready_s: Union[float, None]


class ResultFacts(TypedDict, total=False):
    vllm_version: Union[str, None]
    model: Union[str, None]
    architecture: Union[str, None]
    dtype: Union[str, None]
    quantization: Union[str, None]
    kv_cache_dtype: Union[str, None]
    max_model_len: Union[int, None]
    tensor_parallel_size: Union[int, None]
    pipeline_parallel_size: Union[int, None]
    data_parallel_size: Union[int, None]
    device: Union[str, None]
    executor: Union[str, None]
    attention_backend: Union[str, None]
    enforce_eager: Union[bool, None]
    prefix_caching: Union[bool, None]
    chunked_prefill: Union[bool, None]
    max_num_batched_tokens: Union[int, None]
    weights_gb: Union[float, None]
    weights_download_s: Union[float, None]
    weights_load_s: Union[float, None]
    model_load_s: Union[float, None]
    compile_s: Union[float, None]
    kv_cache_tokens: Union[int, None]
    kv_cache_gb: Union[float, None]
    gpu_blocks: Union[int, None]
    block_size: Union[int, None]
    max_concurrency: Union[float, None]
    graph_capture_s: Union[float, None]
    graph_gb: Union[float, None]
    init_engine_s: Union[float, None]
    non_default_args: Union[str, None]


class ResultServerExit(TypedDict, total=False):
    status: Union[int, None]
    signal: Union[int, None]
    killed: Union[bool, None]
    stop_s: Union[float, None]


class ResultLaunch(TypedDict, total=False):
    argv: Union[List[str], None]
    env: Union[Dict[str, str], None]
    secret_env: Union[List[str], None]
    url: Union[str, None]
    host: Union[str, None]
    port: Union[int, None]
    port_tries: Union[int, None]
    waited_s: Union[float, None]
    numa_node: Union[int, None]
    cpus: Union[str, None]
    other_servers_max: Union[int, None]
    pid: Union[int, None]
    gpus: List[ResultLaunchGpu]
    target: ResultTarget
    forced: Union[bool, None]
    phases: ResultPhases
    facts: ResultFacts
    models: Any
    version: Any
    server_info: Any
    exit: ResultServerExit


class ResultEngine(TypedDict, total=False):
    name: Union[str, None]
    version: Union[str, None]
    simulated: Union[bool, None]


class ResultContainer(TypedDict, total=False):
    image: Union[str, None]
    digest: Union[str, None]
    image_id: str
    runtime: Union[str, None]
    runtime_version: str
    name: str


class ResultLoadClient(TypedDict, total=False):
    name: Union[str, None]
    version: Union[str, None]
    program: Union[str, None]
    argv: Union[List[str], None]
    cpu_share: Union[float, None]
    per_request: Union[bool, None]
    summary_difference: Union[float, None]
    summary_difference_metric: Union[str, None]


class ResultDifference(TypedDict, total=False):
    key: Union[str, None]
    original: Any
    current: Any


class ResultRepeat(TypedDict, total=False):
    run_id: Union[str, None]
    timestamp: Union[str, None]
    differences: List[ResultDifference]


class ResultEnvironment(TypedDict, total=False):
    host_role: Union[str, None]
    hostname: Union[str, None]
    os: Union[str, None]
    kernel: Union[str, None]
    cpu: Union[str, None]
    cpu_count: Union[int, None]
    numa_nodes: Union[int, None]
    memory_bytes: Union[int, None]
    gpu_models: Union[List[str], None]
    gpu_driver: Union[str, None]
    cuda: Union[str, None]
    engine: ResultEngine
    torch: Union[str, None]
    python: Union[str, None]
    profllm: Union[str, None]
    container: Union[ResultContainer, None]
    client: Union[ResultLoadClient, None]
    repeat_of: Union[ResultRepeat, None]


class ResultMeasurement(TypedDict, total=False):
    metric: str
    share: float
    lo: float
    hi: float


class ResultValueAndLimit(TypedDict, total=False):
    value: float
    limit: float


class ResultOfferedLoad(TypedDict, total=False):
    rate_reached: Union[ResultValueAndLimit, None]
    gap_distance: Union[ResultValueAndLimit, None]
    lateness_p99_of_mean_gap: Union[ResultValueAndLimit, None]
    lateness_p99_of_median_e2el: Union[ResultValueAndLimit, None]
    in_flight_distance: Union[ResultValueAndLimit, None]


class ResultQuality(TypedDict, total=False):
    verdict: Literal['trusted', 'degraded', 'client_limited', None]
    measurement: Union[ResultMeasurement, None]
    load: ResultOfferedLoad
    checks: List[Any]


class ResultError(TypedDict, total=False):
    stage: Literal['prepare', 'launch', 'warmup', 'measure', 'stop']
    code: Literal['FAILED', 'INVALID', 'IO', 'FULL', 'NOT_FOUND', 'LAUNCH', 'TIMEOUT', 'BUSY', 'VERDICT', 'REGRESSION', 'NOT_UPLOADED', 'NETWORK', 'INTERRUPTED', 'INTERNAL']
    message: str
    cause: Literal['out_of_memory', 'kv_cache_too_small', 'memory_changed', 'invalid_argument', 'invalid_configuration', 'port_in_use', 'model_not_found', 'hub_unreachable', 'gated_model', 'broken_weights', 'unsupported_model', 'remote_code', 'tokenizer_error', 'quantization_mismatch', 'missing_dependency', 'version_clash', 'permission_denied', 'process_limit', 'kernel_compilation', 'no_gpu', 'gpu_too_old', 'cuda_error', 'driver_mismatch', 'nccl_error', 'cluster_error', 'shm_too_small', 'disk_full', 'host_memory', 'job_limit', 'container_engine', 'killed', 'crashed', 'hang', 'ready_timeout', 'engine_timeout', 'not_executable', 'unreachable', 'all_failed', 'run_timeout', 'signal', 'internal', 'unknown', None]
    hint: Union[str, None]
    log_line: Union[str, None]
    log_tail: Union[List[str], None]


class ResultArtifact(TypedDict, total=False):
    kind: Literal['requests', 'series', 'server_log', 'client_log', 'client_plot', 'timeline', 'dataset_stats', 'trace', 'capture']
    name: str
    size: int
    sha256: str


class ResultSeries(TypedDict, total=False):
    file: Union[str, None]
    interval_ms: Union[float, None]
    server_interval_ms: Union[float, None]
    samples: Union[int, None]
    measured_begin_ns: Union[int, None]
    measured_end_ns: Union[int, None]
    overhead_share: Union[float, None]


class ResultDocument(TypedDict, total=False):
    schema_version: Literal[3]
    run_id: str
    suite: Union[str, None]
    name: Union[str, None]
    tags: Dict[str, str]
    timestamp: str
    duration: float
    config: ResultConfig
    results: Union[ResultResults, None]
    system: ResultSystem
    profiling: ResultProfiling
    status: Literal['completed', 'partial', 'failed', 'launch_failed', 'timeout', 'interrupted']
    launch: ResultLaunch
    environment: ResultEnvironment
    quality: ResultQuality
    error: Union[ResultError, None]
    artifacts: List[ResultArtifact]
    series: Union[ResultSeries, None]
