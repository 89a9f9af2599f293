/* ModelConfig: model, tokenizer, precision and context length. Rows: see tbl/engine_args.h. */
ARG(STRING, VALUE, CURRENT, model, "--model", "Qwen/Qwen3-0.6B", -INF, INF,
    "Model to serve: a Hub repository id or a local path")
ARG(ENUM, VALUE, CURRENT, runner, "--runner", "auto", -INF, INF,
    "Which model runner drives this instance; only one runner per instance",
    .choices = ARG_JSON(["auto", "draft", "generate", "pooling"]), .choices_origin = "flag")
ARG(ENUM, VALUE, CURRENT, convert, "--convert", "auto", -INF, INF,
    "Adapter that turns a model into another kind, mostly for pooling use",
    .choices = ARG_JSON(["auto", "classify", "embed", "none"]), .choices_origin = "flag")
ARG(ENUM, VALUE, GONE, task, "--task", null, -INF, INF,
    "Old way to pick what the model is used for; prefer runner and convert",
    .nullable = true,
    .choices = ARG_JSON(["auto", "classify", "draft", "embed", "embedding", "generate", "reward",
        "score", "transcription"]),
    .choices_origin = "flag", .deprecated = true,
    .note = "superseded by runner and convert")
ARG(STRING, VALUE, CURRENT, tokenizer, "--tokenizer", null, -INF, INF,
    "Tokenizer id or path; taken from the model when unset",
    .nullable = true)
ARG(ENUM, VALUE, CURRENT, tokenizer_mode, "--tokenizer-mode", "auto", -INF, INF,
    "Which tokenizer implementation to load",
    .choices = ARG_JSON(["alpamayo2_super", "auto", "cohere", "deepseek_v32", "deepseek_v4", "hf",
        "inkling", "kimi_k3", "mistral"]), .choices_open = true,
    .choices_origin = "flag", .choices_note = "not checked by vLLM's parser")
ARG(BOOL, TOGGLE, CURRENT, trust_remote_code, "--trust-remote-code", false, -INF, INF,
    "Allow executing code shipped with the model or tokenizer repository",
    .negative_flag = "--no-trust-remote-code")
ARG(ENUM, VALUE, CURRENT, dtype, "--dtype", "auto", -INF, INF,
    "Numeric type of weights and activations",
    .choices = ARG_JSON(["auto", "bfloat16", "float", "float16", "float32", "half"]),
    .choices_origin = "flag")
ARG(INT, VALUE, CURRENT, seed, "--seed", 0, -INF, INF,
    "Random seed; when unset the engine version decides (0 on V1)",
    .nullable = true, .no_null_on_cli = true)
ARG(STRING, VALUE, CURRENT, hf_config_path, "--hf-config-path", null, -INF, INF,
    "Alternative id or path to read the Hugging Face config from",
    .nullable = true)
ARG(STRING, VALUE, CURRENT, allowed_local_media_path, "--allowed-local-media-path", "", -INF, INF,
    "Directory requests may read local media from; unsafe unless trusted",
    .aside = true)
ARG(STRING, VALUE, CURRENT, revision, "--revision", null, -INF, INF,
    "Model version: branch, tag or commit",
    .nullable = true)
ARG(STRING, VALUE, CURRENT, code_revision, "--code-revision", null, -INF, INF,
    "Version of the model code on the Hub: branch, tag or commit",
    .nullable = true)
ARG(JSON, VALUE, GONE, rope_scaling, "--rope-scaling", {}, -INF, INF,
    "RoPE scaling settings as a JSON object")
ARG(FLOAT, VALUE, GONE, rope_theta, "--rope-theta", null, -INF, INF,
    "RoPE base frequency; meant to go with rope_scaling",
    .nullable = true)
ARG(STRING, VALUE, CURRENT, tokenizer_revision, "--tokenizer-revision", null, -INF, INF,
    "Tokenizer version: branch, tag or commit",
    .nullable = true)
ARG(HUMAN_INT, VALUE, CURRENT, max_model_len, "--max-model-len", null, 1, INF,
    "Context length, prompt plus output; derived from the model when unset",
    .nullable = true, .no_null_on_cli = true, .special_values = ARG_JSON([-1, "auto"]),
    .note = "-1 and auto take the longest that fits the GPU memory")
ARG(STRING, VALUE, CURRENT, quantization, "--quantization", null, -INF, INF,
    "Weight quantization method; read from the model config when unset",
    .aliases = "-q", .nullable = true,
    .note = "open: plugins add methods")
ARG(BOOL, TOGGLE, CURRENT, enforce_eager, "--enforce-eager", false, -INF, INF,
    "Never use CUDA graphs; always run eagerly",
    .negative_flag = "--no-enforce-eager")
ARG(INT, VALUE, GONE, max_seq_len_to_capture, "--max-seq-len-to-capture", 8192, 1, INF,
    "Longest sequence CUDA graphs cover; longer ones run eagerly")
ARG(INT, VALUE, CURRENT, max_logprobs, "--max-logprobs", 20, -1, INF,
    "Cap on log probabilities per token; -1 lifts the cap",
    .special_values = ARG_JSON([-1]))
ARG(ENUM, VALUE, CURRENT, logprobs_mode, "--logprobs-mode", "raw_logprobs", -INF, INF,
    "Return raw or processed logits or log probabilities",
    .choices = ARG_JSON(["processed_logits", "processed_logprobs", "raw_logits", "raw_logprobs"]),
    .choices_origin = "flag")
ARG(BOOL, TOGGLE, CURRENT, disable_sliding_window, "--disable-sliding-window", false, -INF, INF,
    "Turn off sliding-window attention and cap length to the window",
    .negative_flag = "--no-disable-sliding-window",
    .negative_aliases = "--enable-sliding-window")
ARG(BOOL, TOGGLE, CURRENT, disable_cascade_attn, "--disable-cascade-attn", null, -INF, INF,
    "Turn off cascade attention even where the heuristic would use it",
    .negative_flag = "--no-disable-cascade-attn",
    .negative_aliases = "--enable-cascade-attn")
ARG(BOOL, TOGGLE, CURRENT, skip_tokenizer_init, "--skip-tokenizer-init", false, -INF, INF,
    "Do not load a tokenizer; token ids in, token ids out",
    .negative_flag = "--no-skip-tokenizer-init")
ARG(BOOL, TOGGLE, CURRENT, enable_prompt_embeds, "--enable-prompt-embeds", false, -INF, INF,
    "Accept prompts as embeddings; doubles graph compilation time",
    .negative_flag = "--no-enable-prompt-embeds",
    .negative_aliases = "--disable-prompt-embeds")
ARG(LIST_STRING, LIST, CURRENT, served_model_name, "--served-model-name", null, -INF, INF,
    "Name or names the API answers to; the first one is reported back",
    .nullable = true, .aside = true)
ARG(BOOL, FLAG, GONE, disable_async_output_proc, "--disable-async-output-proc", false, -INF, INF,
    "Turn off asynchronous output processing; may be slower")
ARG(ENUM, VALUE, CURRENT, config_format, "--config-format", "auto", -INF, INF,
    "Which model config file format to read",
    .choices = ARG_JSON(["auto", "hf", "mistral"]), .choices_open = true,
    .choices_origin = "flag", .choices_note = "not checked by vLLM's parser")
ARG(STRING, OPTIONAL_VALUE, CURRENT, hf_token, "--hf-token", null, -INF, INF,
    "Hub access token; bare flag uses the locally stored login",
    .nullable = true, .also_accepts = "bool", .const_json = ARG_JSON(true),
    .secret = true, .variable = "HF_TOKEN", .aside = true)
ARG(JSON, VALUE, CURRENT, hf_overrides, "--hf-overrides", {}, -INF, INF,
    "Values that override the Hugging Face config")
ARG(JSON, VALUE, GONE, override_neuron_config, "--override-neuron-config", {}, -INF, INF,
    "Neuron-device config overrides")
ARG(JSON, VALUE, GONE, override_pooler_config, "--override-pooler-config", null, -INF, INF,
    "Old spelling of pooler_config",
    .nullable = true, .deprecated = true)
ARG(STRING, VALUE, GONE, logits_processor_pattern, "--logits-processor-pattern", null, -INF, INF,
    "Regex of logits processor names a request may ask for",
    .nullable = true)
ARG(STRING, VALUE, CURRENT, generation_config, "--generation-config", "auto", -INF, INF,
    "Where generation defaults come from: auto, vllm, or a folder path",
    .special_values = ARG_JSON(["auto", "vllm"]))
ARG(JSON, VALUE, CURRENT, override_generation_config,
    "--override-generation-config", {}, -INF, INF,
    "Generation settings that override or extend the loaded ones")
ARG(BOOL, TOGGLE, CURRENT, enable_sleep_mode, "--enable-sleep-mode", false, -INF, INF,
    "Let the engine be put to sleep; CUDA only",
    .negative_flag = "--no-enable-sleep-mode",
    .negative_aliases = "--disable-sleep-mode")
ARG(ENUM, VALUE, CURRENT, model_impl, "--model-impl", "auto", -INF, INF,
    "Which model implementation to prefer",
    .choices = ARG_JSON(["auto", "terratorch", "transformers", "vllm"]), .choices_open = true,
    .choices_origin = "flag", .choices_note = "not checked by vLLM's parser")
ARG(STRING, VALUE, GONE, override_attention_dtype, "--override-attention-dtype", null, -INF, INF,
    "Data type to force for attention",
    .nullable = true)
ARG(LIST_STRING, LIST, CURRENT, logits_processors, "--logits-processors", null, -INF, INF,
    "Qualified class names of logits processors to load",
    .nullable = true)
ARG(LIST_STRING, LIST, CURRENT, allowed_media_domains, "--allowed-media-domains", null, -INF, INF,
    "Only fetch media URLs from these domains",
    .nullable = true)
ARG(STRING, VALUE, CURRENT, io_processor_plugin, "--io-processor-plugin", null, -INF, INF,
    "IO processor plugin to load at model start",
    .nullable = true)
ARG(JSON, VALUE, CURRENT, pooler_config, "--pooler-config", null, -INF, INF,
    "Output pooling settings for pooling models",
    .nullable = true)
ARG(JSON, VALUE, CURRENT, quantization_config, "--quantization-config", null, -INF, INF,
    "Quantization settings per kind of layer",
    .nullable = true)
ARG(BOOL, TOGGLE, CURRENT, allow_deprecated_quantization,
    "--allow-deprecated-quantization", false, -INF, INF,
    "Accept quantization methods that are on their way out",
    .negative_flag = "--no-allow-deprecated-quantization")
ARG(BOOL, TOGGLE, CURRENT, enable_return_routed_experts,
    "--enable-return-routed-experts", false, -INF, INF,
    "Return which experts each token was routed to",
    .negative_flag = "--no-enable-return-routed-experts",
    .negative_aliases = "--disable-return-routed-experts")
ARG(BOOL, TOGGLE, CURRENT, return_sampling_mask, "--return-sampling-mask", false, -INF, INF,
    "Return which tokens sampling could choose from",
    .negative_flag = "--no-return-sampling-mask")
ARG(BOOL, TOGGLE, CURRENT, use_fp64_gumbel, "--use-fp64-gumbel", false, -INF, INF,
    "Draw sampling noise in double precision; slower",
    .negative_flag = "--no-use-fp64-gumbel")
ARG(BOOL, TOGGLE, CURRENT, enable_trace_replay, "--enable-trace-replay", false, -INF, INF,
    "Replay recorded traces",
    .negative_flag = "--no-enable-trace-replay",
    .negative_aliases = "--disable-trace-replay")
ARG(JSON, VALUE, CURRENT, model_class_overrides, "--model-class-overrides", {}, -INF, INF,
    "Model architectures mapped to other classes that implement them")
ARG(BOOL, TOGGLE, CURRENT, enable_cumem_allocator, "--enable-cumem-allocator", false, -INF, INF,
    "Use the CUDA virtual-memory allocator",
    .negative_flag = "--no-enable-cumem-allocator",
    .negative_aliases = "--disable-cumem-allocator")
ARG(BOOL, TOGGLE, CURRENT, enable_nccl_comm_suspend,
    "--enable-nccl-comm-suspend", false, -INF, INF,
    "Suspend NCCL communicators in sleep mode instead of ending them",
    .negative_flag = "--no-enable-nccl-comm-suspend",
    .negative_aliases = "--disable-nccl-comm-suspend")
ARG(INT, VALUE, CURRENT, renderer_num_workers, "--renderer-num-workers", 1, 1, INF,
    "Workers that render prompts")
ARG(BOOL, TOGGLE, CURRENT, sleep_mode_offload_cudagraph,
    "--sleep-mode-offload-cudagraph", false, -INF, INF,
    "Offload captured graphs when sleeping",
    .negative_flag = "--no-sleep-mode-offload-cudagraph")
ARG(LIST_STRING, LIST, CURRENT, sleep_preserve_parameter_names,
    "--sleep-preserve-parameter-names", [], -INF, INF,
    "Parameters kept in memory while sleeping")
ARG(STRING, VALUE, CURRENT, sleep_mode_backend, "--sleep-mode-backend", "cumem", -INF, INF,
    "Mechanism that frees and restores GPU memory in sleep mode",
    .note = "cumem is built in; plugins add more")
