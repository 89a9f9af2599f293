/* VllmConfig: whole-engine settings given as JSON objects. Rows: see tbl/engine_args.h. */
ARG(JSON, VALUE, CURRENT, speculative_config, "--speculative-config", null, -INF, INF,
    "Speculative decoding settings",
    .aliases = "-sc", .nullable = true)
ARG(JSON, VALUE, CURRENT, kv_transfer_config, "--kv-transfer-config", null, -INF, INF,
    "Settings for moving KV cache between instances",
    .nullable = true)
ARG(JSON, VALUE, CURRENT, kv_events_config, "--kv-events-config", null, -INF, INF,
    "Settings for publishing KV cache events",
    .nullable = true)
ARG(JSON, VALUE, CURRENT, compilation_config, "--compilation-config", {}, -INF, INF,
    "torch.compile and CUDA graph settings",
    .aliases = "-cc", .also_accepts = "int",
    .note = "older releases: -O<n> or a bare integer sets the level, -O.key=value one key; "
            "0.32.0 refuses a bare integer")
ARG(JSON, VALUE, CURRENT, additional_config, "--additional-config", {}, -INF, INF,
    "Extra platform-specific settings")
ARG(JSON, VALUE, CURRENT, structured_outputs_config, "--structured-outputs-config", {}, -INF, INF,
    "Structured output settings")
ARG(ENUM, VALUE, CURRENT, spec_method, "--spec-method", null, -INF, INF,
    "Speculative decoding method; short for speculative_config.method",
    .nullable = true,
    .choices = ARG_JSON(["bailing_hybrid_mtp", "bailing_hybrid_v3_mtp", "custom_class",
        "deepseek_mtp", "dflash", "dots3_note_mtp", "draft_model", "dspark", "eagle", "eagle3",
        "ernie_mtp", "exaone4_5_mtp", "exaone_moe_mtp", "extract_hidden_states", "gemma4_mtp",
        "glm4_moe_lite_mtp", "glm4_moe_mtp", "glm5_next_mtp", "glm_ocr_mtp", "hy_v3_mtp",
        "hy_v4_mtp", "inkling_mtp", "kimi_k3_mtp", "longcat_flash_mtp", "mimo_mtp", "mimo_v2_mtp",
        "minimax_m3_mtp", "mtp", "nemotron_h_mtp", "ngram", "ngram_gpu", "pangu_ultra_moe_mtp",
        "qwen3_5_mtp", "qwen3_next_mtp", "qwen4_exp_mtp", "step3p5_mtp", "step5_mtp", "suffix"]),
    .choices_origin = "flag", .note = "not together with that key of speculative_config")
ARG(STRING, VALUE, CURRENT, spec_model, "--spec-model", null, -INF, INF,
    "Draft model; short for speculative_config.model",
    .nullable = true, .note = "not together with that key of speculative_config")
ARG(INT, VALUE, CURRENT, spec_tokens, "--spec-tokens", null, 1, INF,
    "Tokens drafted; short for speculative_config.num_speculative_tokens",
    .nullable = true, .no_null_on_cli = true,
    .note = "not together with that key of speculative_config")
ARG(JSON, VALUE, CURRENT, diffusion_config, "--diffusion-config", null, -INF, INF,
    "Settings of diffusion models",
    .aliases = "-dc", .nullable = true)
ARG(JSON, VALUE, CURRENT, ec_transfer_config, "--ec-transfer-config", null, -INF, INF,
    "Encoder cache transfer between instances",
    .nullable = true)
ARG(JSON, VALUE, CURRENT, ec_manager_config, "--ec-manager-config", {}, -INF, INF,
    "Encoder cache manager settings",
    .note = "{} stands for the defaults of vLLM's own settings class")
ARG(JSON, VALUE, CURRENT, attention_config, "--attention-config", {}, -INF, INF,
    "Attention settings",
    .aliases = "-ac", .note = "{} stands for the defaults of vLLM's own settings class")
ARG(JSON, VALUE, CURRENT, reasoning_config, "--reasoning-config", null, -INF, INF,
    "Reasoning settings",
    .nullable = true, .note = "{} stands for the defaults of vLLM's own settings class")
ARG(JSON, VALUE, CURRENT, kernel_config, "--kernel-config", {}, -INF, INF,
    "Kernel selection and warm-up settings",
    .note = "{} stands for the defaults of vLLM's own settings class")
ARG(JSON, VALUE, CURRENT, profiler_config, "--profiler-config", {}, -INF, INF,
    "Profiler settings",
    .note = "{} stands for the defaults of vLLM's own settings class")
ARG(INT, VALUE, CURRENT, optimization_level, "--optimization-level", 2, -INF, INF,
    "Startup time against speed: 0 starts fastest, 3 runs fastest",
    .aliases = "-O", .choices = ARG_JSON([0, 1, 2, 3]), .choices_origin = "flag",
    .choices_note = "not checked by vLLM's parser",
    .note = "-O<n> sets this; in older releases it set compilation_config")
ARG(ENUM, VALUE, CURRENT, performance_mode, "--performance-mode", "balanced", -INF, INF,
    "Tune for latency, for throughput, or in between",
    .choices = ARG_JSON(["balanced", "interactivity", "throughput"]), .choices_origin = "flag")
ARG(JSON, VALUE, CURRENT, weight_transfer_config, "--weight-transfer-config", null, -INF, INF,
    "Transfer of new weights into a running engine",
    .nullable = true)
ARG(JSON, VALUE, CURRENT, watermark_config, "--watermark-config", null, -INF, INF,
    "Watermarking of generated text as JSON",
    .nullable = true)
ARG(JSON, VALUE, CURRENT, engram_config, "--engram-config", null, -INF, INF,
    "Engram memory settings as JSON",
    .nullable = true)
ARG(JSON, VALUE, CURRENT, aux_output_config, "--aux-output-config", {}, -INF, INF,
    "Auxiliary outputs as JSON")
ARG(JSON, VALUE, CURRENT, watchdog_config, "--watchdog-config", {}, -INF, INF,
    "Watchdog that writes stack traces of a process that hangs",
    .note = "{} stands for the defaults of vLLM's own settings class", .aside = true)
