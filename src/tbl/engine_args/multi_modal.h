/* MultiModalConfig: images, video and audio inputs. Rows: see tbl/engine_args.h. */
ARG(JSON, VALUE, CURRENT, limit_mm_per_prompt, "--limit-mm-per-prompt", {}, -INF, INF,
    "Most items of each modality one prompt may carry")
ARG(JSON, VALUE, CURRENT, media_io_kwargs, "--media-io-kwargs", {}, -INF, INF,
    "Media decoding options, keyed by modality")
ARG(JSON, VALUE, CURRENT, mm_processor_kwargs, "--mm-processor-kwargs", null, -INF, INF,
    "Options passed on to the model's multimodal processor",
    .nullable = true)
ARG(FLOAT, VALUE, CURRENT, mm_processor_cache_gb, "--mm-processor-cache-gb", 4.0, 0, INF,
    "Multimodal processor cache in GiB, per process; 0 turns it off",
    .special_values = ARG_JSON([0]))
ARG(BOOL, FLAG, GONE, disable_mm_preprocessor_cache,
    "--disable-mm-preprocessor-cache", false, -INF, INF,
    "Turn off the multimodal processor cache; an old switch",
    .deprecated = true,
    .note = "mm_processor_cache_gb=0 turns the cache off")
ARG(ENUM, VALUE, CURRENT, mm_encoder_tp_mode, "--mm-encoder-tp-mode", "weights", -INF, INF,
    "Under TP, split the multimodal encoder by weights or by data",
    .choices = ARG_JSON(["data", "weights"]), .choices_origin = "flag")
ARG(BOOL, TOGGLE, CURRENT, interleave_mm_strings, "--interleave-mm-strings", false, -INF, INF,
    "Keep media placeholders interleaved with text in string prompts",
    .negative_flag = "--no-interleave-mm-strings")
ARG(BOOL, TOGGLE, CURRENT, skip_mm_profiling, "--skip-mm-profiling", false, -INF, INF,
    "Leave multimodal memory out of startup profiling",
    .negative_flag = "--no-skip-mm-profiling")
ARG(ENUM, VALUE, CURRENT, mm_processor_cache_type, "--mm-processor-cache-type", "lru", -INF, INF,
    "Processor cache kind: mirrored LRU or shared memory",
    .choices = ARG_JSON(["lru", "shm"]), .choices_origin = "flag")
ARG(INT, VALUE, CURRENT, mm_shm_cache_max_object_size_mb,
    "--mm-shm-cache-max-object-size-mb", 128, 0, INF,
    "Largest object, in MiB, the shared-memory cache will hold")
ARG(FLOAT, VALUE, CURRENT, video_pruning_rate, "--video-pruning-rate", null, 0, 1,
    "Fraction of each video's tokens to drop",
    .nullable = true, .exclusive = "max")
ARG(BOOL, TOGGLE, CURRENT, language_model_only, "--language-model-only", false, -INF, INF,
    "Use only the language part of a multi-modal model",
    .negative_flag = "--no-language-model-only")
ARG(BOOL, TOGGLE, CURRENT, enable_mm_embeds, "--enable-mm-embeds", false, -INF, INF,
    "Accept ready-made embeddings of media in requests",
    .negative_flag = "--no-enable-mm-embeds",
    .negative_aliases = "--disable-mm-embeds",
    .note = "wrong shapes can crash the engine; trusted users only")
ARG(ENUM, VALUE, CURRENT, mm_hasher_algorithm, "--mm-hasher-algorithm", "blake3", -INF, INF,
    "Hash used to recognize media seen before",
    .choices = ARG_JSON(["blake3", "sha256", "sha512"]), .choices_origin = "flag")
ARG(BOOL, TOGGLE, CURRENT, mm_encoder_only, "--mm-encoder-only", false, -INF, INF,
    "Load only the media encoder, not the language model",
    .negative_flag = "--no-mm-encoder-only")
ARG(ENUM, VALUE, CURRENT, mm_encoder_attn_backend, "--mm-encoder-attn-backend", null, -INF, INF,
    "Attention implementation of the media encoder",
    .nullable = true,
    .choices = ARG_JSON(["AMX_MLA", "B12X", "CPU_ATTN", "CPU_MLA", "CUSTOM", "CUTLASS_MLA",
        "CUTLASS_MSA", "FLASHINFER", "FLASHINFER_MLA", "FLASHINFER_MLA_SPARSE",
        "FLASHINFER_MLA_SPARSE_DSV4", "FLASHINFER_MLA_SPARSE_DSV41", "FLASHINFER_MLA_SPARSE_SM120",
        "FLASHINFER_MLA_SPARSE_SM90", "FLASHMLA", "FLASHMLA_MEGA_ATTN_DSV41", "FLASHMLA_SPARSE",
        "FLASHMLA_SPARSE_DSV4", "FLASHMLA_SPARSE_DSV41", "FLASH_ATTN", "FLASH_ATTN_DIFFKV",
        "FLASH_ATTN_MLA", "FLASH_ATTN_MLA_SPARSE", "FLASH_ATTN_MLA_SPARSE_FA4", "FLEX_ATTENTION",
        "HPC_ATTN", "MINIMAX_M3_SPARSE", "NO_ATTENTION", "ROCM_AITER_FA", "ROCM_AITER_MLA",
        "ROCM_AITER_MLA_SPARSE", "ROCM_AITER_TRITON_MLA", "ROCM_AITER_UNIFIED_ATTN", "ROCM_ATTN",
        "ROCM_FLASHMLA_SPARSE_DSV4", "ROCM_FLASHMLA_SPARSE_DSV41", "ROCM_OCTAVE",
        "ROCM_SEGMENTED_ATTN", "STEP5_DSA", "TOKENSPEED_MLA", "TORCH_SDPA", "TRITON_ATTN",
        "TRITON_ATTN_DIFFKV", "TRITON_FLASHINFER", "TRITON_FLASH_ATTN", "TRITON_MLA", "TRITON_MSA",
        "TURBOQUANT", "ULTRAQUANT", "XPU_MLA_SPARSE"]),
    .choices_open = true, .choices_origin = "source",
    .choices_note = "not checked by vLLM's parser", .any_case = true,
    .older_choices = ARG_JSON(["TREE_ATTN", "TRITON_MLA_SPARSE"]),
    .note = "names of AttentionBackendEnum, any case")
ARG(ENUM, VALUE, CURRENT, mm_encoder_attn_dtype, "--mm-encoder-attn-dtype", null, -INF, INF,
    "Number type of attention in the media encoder",
    .nullable = true, .choices = ARG_JSON(["fp8"]), .choices_origin = "flag")
ARG(STRING, VALUE, CURRENT, mm_encoder_fp8_scale_path,
    "--mm-encoder-fp8-scale-path", null, -INF, INF,
    "File with FP8 scales for the media encoder",
    .nullable = true)
ARG(STRING, VALUE, CURRENT, mm_encoder_fp8_scale_save_path,
    "--mm-encoder-fp8-scale-save-path", null, -INF, INF,
    "File to which measured FP8 scales are written",
    .nullable = true, .aside = true)
ARG(FLOAT, VALUE, CURRENT, mm_encoder_fp8_scale_save_margin,
    "--mm-encoder-fp8-scale-save-margin", 1.5, -INF, INF,
    "Safety margin of the written FP8 scales")
ARG(ENUM, VALUE, CURRENT, video_pruning_method, "--video-pruning-method", "evs", -INF, INF,
    "How video tokens to drop are chosen",
    .choices = ARG_JSON(["evs", "vidcom2"]), .choices_origin = "flag")
ARG(ENUM, VALUE, CURRENT, mm_tensor_ipc, "--mm-tensor-ipc", "direct_rpc", -INF, INF,
    "How media tensors pass between processes",
    .choices = ARG_JSON(["direct_rpc", "torch_shm"]), .choices_origin = "flag")
ARG(ENUM, VALUE, CURRENT, mm_processor_device, "--mm-processor-device", "auto", -INF, INF,
    "Device on which images and videos are prepared",
    .choices = ARG_JSON(["auto", "cpu"]), .choices_open = true, .choices_origin = "flag",
    .note = "also the platform's own device type, such as cuda")
ARG(FLOAT, VALUE, CURRENT, mm_ipc_gpu_memory_gb, "--mm-ipc-gpu-memory-gb", 0, 0, INF,
    "GPU memory in GB for passing media tensors")
ARG(BOOL, TOGGLE, CURRENT, mm_device_do_normalize, "--mm-device-do-normalize", null, -INF, INF,
    "Normalize media on the device instead of in the processor",
    .negative_flag = "--no-mm-device-do-normalize", .nullable = true)
