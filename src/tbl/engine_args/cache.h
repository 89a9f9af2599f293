/* CacheConfig: KV cache size, format and prefix reuse. Rows: see tbl/engine_args.h. */
ARG(INT, VALUE, CURRENT, block_size, "--block-size", null, -INF, INF,
    "Tokens per KV cache block; CUDA takes at most 32",
    .nullable = true, .no_null_on_cli = true, .choices = ARG_JSON([1, 8, 16, 32, 64, 128]),
    .choices_open = true, .choices_origin = "flag",
    .choices_note = "not checked by vLLM's parser")
ARG(FLOAT, VALUE, CURRENT, gpu_memory_utilization, "--gpu-memory-utilization", 0.92, 0, 1,
    "Share of GPU memory this instance may use",
    .aliases = "--device-memory-utilization", .exclusive = "min")
ARG(FLOAT, VALUE, GONE, swap_space, "--swap-space", 4.0, 0, INF,
    "CPU swap space per GPU, in GiB")
ARG(ENUM, VALUE, CURRENT, kv_cache_dtype, "--kv-cache-dtype", "auto", -INF, INF,
    "Storage type of the KV cache",
    .choices = ARG_JSON(["auto", "bfloat16", "float16", "fp8", "fp8_ds_mla", "fp8_e4m3",
        "fp8_e5m2", "fp8_inc", "fp8_per_token_head", "int4_per_token_head", "int8_per_token_head",
        "nvfp4", "nvfp4_4over6", "nvfp4_ds_mla", "octave_k3v3", "octave_k3v3_compact",
        "octave_k3v4", "turboquant_3bit_nc", "turboquant_4bit_nc", "turboquant_k3v4_nc",
        "turboquant_k8v4", "ultraquant_4bit"]),
    .choices_origin = "flag",
    .note = "checked when the configuration is made; plugins of a platform add names")
ARG(INT, VALUE, CURRENT, num_gpu_blocks_override, "--num-gpu-blocks-override", null, 0, INF,
    "Use this many GPU blocks and ignore the profiled count",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, enable_prefix_caching, "--enable-prefix-caching", null, -INF, INF,
    "Reuse KV cache across prompts that share a prefix",
    .negative_flag = "--no-enable-prefix-caching",
    .negative_aliases = "--disable-prefix-caching", .nullable = true,
    .note = "unset is on with V1; bench latency switches it off by itself")
ARG(ENUM, VALUE, CURRENT, prefix_caching_hash_algo,
    "--prefix-caching-hash-algo", "sha256", -INF, INF,
    "Hash used to key cached prefixes",
    .choices = ARG_JSON(["sha256", "sha256_cbor", "xxhash", "xxhash_cbor"]),
    .choices_origin = "flag")
ARG(FLOAT, VALUE, CURRENT, cpu_offload_gb, "--cpu-offload-gb", 0.0, 0, INF,
    "Weights kept in CPU memory per GPU, in GiB; 0 means none",
    .reference_group = "OffloadConfig")
ARG(BOOL, TOGGLE, GONE, calculate_kv_scales, "--calculate-kv-scales", false, -INF, INF,
    "Compute FP8 KV scales on the fly rather than load them",
    .negative_flag = "--no-calculate-kv-scales")
ARG(BOOL, TOGGLE, CURRENT, kv_sharing_fast_prefill, "--kv-sharing-fast-prefill", false, -INF, INF,
    "Skip prefill tokens in layers that share KV cache; unfinished feature",
    .negative_flag = "--no-kv-sharing-fast-prefill")
ARG(ENUM, VALUE, CURRENT, mamba_cache_dtype, "--mamba-cache-dtype", "auto", -INF, INF,
    "Storage type of the whole Mamba cache",
    .choices = ARG_JSON(["auto", "bfloat16", "float16", "float32"]), .choices_origin = "flag")
ARG(ENUM, VALUE, CURRENT, mamba_ssm_cache_dtype, "--mamba-ssm-cache-dtype", "auto", -INF, INF,
    "Storage type of the Mamba SSM state alone",
    .choices = ARG_JSON(["auto", "bfloat16", "float16", "float32"]), .choices_origin = "flag")
ARG(HUMAN_INT, VALUE, CURRENT, kv_cache_memory_bytes, "--kv-cache-memory-bytes", null, 1, INF,
    "KV cache bytes per GPU; overrides gpu_memory_utilization",
    .nullable = true)
ARG(INT, VALUE, CURRENT, prefix_cache_retention_interval,
    "--prefix-cache-retention-interval", 0, -INF, INF,
    "How sparsely cached prefixes are kept",
    .nullable = true, .note = "meaning and unit taken from the name")
ARG(LIST_STRING, LIST, CURRENT, kv_cache_dtype_skip_layers,
    "--kv-cache-dtype-skip-layers", [], -INF, INF,
    "Layers whose KV cache is not quantized",
    .note = "layer names, or attention kinds such as sliding_window")
ARG(INT, VALUE, CURRENT, mamba_block_size, "--mamba-block-size", null, 1, INF,
    "Tokens in one Mamba cache block",
    .nullable = true, .note = "a multiple of 8; only with prefix caching")
ARG(INT, VALUE, CURRENT, prefix_match_unit, "--prefix-match-unit", null, -INF, INF,
    "Tokens by which prefix matching steps",
    .nullable = true,
    .note = "its unit is not known")
ARG(ENUM, VALUE, CURRENT, mamba_cache_mode, "--mamba-cache-mode", null, -INF, INF,
    "Which Mamba states prefix caching keeps",
    .nullable = true, .choices = ARG_JSON(["align", "none"]), .choices_origin = "flag",
    .deprecated = true,
    .note = "no effect since 0.33.0: Mamba prefix caching follows enable_prefix_caching")
ARG(INT, VALUE, CURRENT, replayssm_buffer_len, "--replayssm-buffer-len", 16, 0, INF,
    "Length of the ReplaySSM buffer")
ARG(BOOL, TOGGLE, CURRENT, use_replayssm, "--use-replayssm", false, -INF, INF,
    "Use ReplaySSM for state-space layers",
    .negative_flag = "--no-use-replayssm")
ARG(FLOAT, VALUE, CURRENT, kv_offloading_size, "--kv-offloading-size", null, 0, INF,
    "GiB of CPU memory for offloaded KV cache, over all TP ranks; off when unset",
    .nullable = true, .exclusive = "min")
ARG(ENUM, VALUE, CURRENT, kv_offloading_backend, "--kv-offloading-backend", "native", -INF, INF,
    "Backend of KV cache offloading",
    .choices = ARG_JSON(["lmcache", "native"]), .choices_origin = "flag",
    .note = "used with kv_offloading_size")
ARG(BOOL, TOGGLE, CURRENT, swa_bounded_replay, "--swa-bounded-replay", true, -INF, INF,
    "Bound the replay of sliding-window layers",
    .negative_flag = "--no-swa-bounded-replay")
ARG(BOOL, TOGGLE, CURRENT, enable_mamba_shared_prefix_checkpoint,
    "--enable-mamba-shared-prefix-checkpoint", false, -INF, INF,
    "Share prefix checkpoints of Mamba state",
    .negative_flag = "--no-enable-mamba-shared-prefix-checkpoint",
    .negative_aliases = "--disable-mamba-shared-prefix-checkpoint")
