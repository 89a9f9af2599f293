/* LoRAConfig: loRA adapters. Rows: see tbl/engine_args.h. */
ARG(BOOL, TOGGLE, CURRENT, enable_lora, "--enable-lora", null, -INF, INF,
    "Serve LoRA adapters",
    .negative_flag = "--no-enable-lora",
    .negative_aliases = "--disable-lora", .nullable = true)
ARG(BOOL, TOGGLE, GONE, enable_lora_bias, "--enable-lora-bias", false, -INF, INF,
    "Allow bias terms in LoRA adapters",
    .negative_flag = "--no-enable-lora-bias", .deprecated = true)
ARG(INT, VALUE, CURRENT, max_loras, "--max-loras", 1, 1, INF,
    "Adapters that may share one batch")
ARG(INT, VALUE, CURRENT, max_lora_rank, "--max-lora-rank", 16, 1, 512,
    "Highest adapter rank supported",
    .choices = ARG_JSON([1, 8, 16, 32, 64, 128, 256, 320, 512]), .choices_origin = "flag")
ARG(INT, VALUE, GONE, lora_extra_vocab_size, "--lora-extra-vocab-size", 256, 256, 512,
    "Extra vocabulary an adapter may add",
    .deprecated = true)
ARG(ENUM, VALUE, CURRENT, lora_dtype, "--lora-dtype", "auto", -INF, INF,
    "Data type of adapters; auto follows the base model",
    .choices = ARG_JSON(["auto", "bfloat16", "float16"]), .choices_origin = "flag")
ARG(INT, VALUE, CURRENT, max_cpu_loras, "--max-cpu-loras", null, -INF, INF,
    "Adapters kept in CPU memory; no fewer than max_loras",
    .nullable = true,
    .note = "0 and below count as unset")
ARG(BOOL, TOGGLE, CURRENT, fully_sharded_loras, "--fully-sharded-loras", false, -INF, INF,
    "Shard LoRA computation fully across tensor parallel ranks",
    .negative_flag = "--no-fully-sharded-loras")
ARG(JSON, VALUE, CURRENT, default_mm_loras, "--default-mm-loras", null, -INF, INF,
    "Adapter to apply for each modality",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, enable_tower_connector_lora,
    "--enable-tower-connector-lora", false, -INF, INF,
    "Apply LoRA to vision tower and connector as well",
    .negative_flag = "--no-enable-tower-connector-lora",
    .negative_aliases = "--disable-tower-connector-lora")
ARG(LIST_STRING, LIST, CURRENT, lora_target_modules, "--lora-target-modules", null, -INF, INF,
    "Modules to which LoRA is applied",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, specialize_active_lora, "--specialize-active-lora", false, -INF, INF,
    "Build kernels per number of active adapters",
    .negative_flag = "--no-specialize-active-lora")
ARG(BOOL, TOGGLE, CURRENT, enable_mixed_moe_lora_format,
    "--enable-mixed-moe-lora-format", false, -INF, INF,
    "Allow MoE adapters of different formats together",
    .negative_flag = "--no-enable-mixed-moe-lora-format",
    .negative_aliases = "--disable-mixed-moe-lora-format")
ARG(BOOL, TOGGLE, CURRENT, enable_moe_shared_loras, "--enable-moe-shared-loras", false, -INF, INF,
    "Allow adapters shared between MoE experts",
    .negative_flag = "--no-enable-moe-shared-loras",
    .negative_aliases = "--disable-moe-shared-loras", .note = "meaning taken from the name")
ARG(INT, VALUE, CURRENT, max_lora_cls_labels, "--max-lora-cls-labels", null, -INF, INF,
    "Largest number of labels of a classification LoRA head",
    .nullable = true)
