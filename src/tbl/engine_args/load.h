/* LoadConfig: how model weights are found and read. Rows: see tbl/engine_args.h. */
ARG(ENUM, VALUE, CURRENT, load_format, "--load-format", "auto", -INF, INF,
    "Weight file format to load; plugins may add more",
    .choices = ARG_JSON(["auto", "pt", "safetensors", "npcache", "dummy", "tensorizer",
        "runai_streamer", "bitsandbytes", "sharded_state", "gguf", "mistral"]),
    .choices_open = true, .choices_origin = "help",
    .choices_note = "not checked by vLLM's parser")
ARG(STRING, VALUE, CURRENT, download_dir, "--download-dir", null, -INF, INF,
    "Folder for downloaded weights; the Hugging Face cache when unset",
    .nullable = true, .aside = true)
ARG(JSON, VALUE, CURRENT, model_loader_extra_config, "--model-loader-extra-config", {}, -INF, INF,
    "Extra settings for the loader of the chosen load_format")
ARG(LIST_STRING, LIST, CURRENT, ignore_patterns,
    "--ignore-patterns", ["original/**/*"], -INF, INF,
    "File patterns to skip while loading weights",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, use_tqdm_on_load, "--use-tqdm-on-load", true, -INF, INF,
    "Show a progress bar while loading weights",
    .negative_flag = "--no-use-tqdm-on-load", .aside = true)
ARG(STRING, VALUE, CURRENT, pt_load_map_location, "--pt-load-map-location", "cpu", -INF, INF,
    "Device, or device-to-device JSON map, for loading PyTorch checkpoints",
    .also_accepts = "json")
ARG(ENUM, VALUE, CURRENT, safetensors_load_strategy,
    "--safetensors-load-strategy", null, -INF, INF,
    "Map safetensors files lazily or read them whole up front",
    .nullable = true, .choices = ARG_JSON(["eager", "lazy", "prefetch", "torchao"]),
    .choices_origin = "flag")
ARG(INT, VALUE, CURRENT, safetensors_prefetch_num_threads,
    "--safetensors-prefetch-num-threads", 8, 1, INF,
    "Threads that read safetensors files ahead")
ARG(HUMAN_INT, VALUE, CURRENT, safetensors_prefetch_block_size,
    "--safetensors-prefetch-block-size", 16777216, 1, INF,
    "Bytes per read when reading safetensors files ahead")
