/* Arguments that the reference release no longer has, most of them since before 0.11.0. Rows: see
 * tbl/engine_args.h. */
ARG(ENUM, VALUE, GONE, chat_template_text_format,
    "--chat-template-text-format", "string", -INF, INF,
    "How message content is given to the chat template",
    .choices = ARG_JSON(["openai", "string"]), .choices_origin = "flag")
ARG(ENUM, VALUE, GONE, device, "--device", "auto", -INF, INF,
    "Kind of device the engine runs on",
    .choices = ARG_JSON(["auto", "cpu", "cuda", "hpu", "neuron", "tpu", "xpu"]),
    .choices_origin = "flag", .deprecated = true)
ARG(BOOL, FLAG, GONE, disable_image_processor, "--disable-image-processor", false, -INF, INF,
    "Leave out the image processor even where the model has one")
ARG(BOOL, OPTIONAL_VALUE, GONE, disable_logprobs_during_spec_decoding,
    "--disable-logprobs-during-spec-decoding", null, -INF, INF,
    "Return no log probabilities of speculated tokens",
    .const_json = ARG_JSON(true), .nullable = true)
ARG(BOOL, TOGGLE, GONE, enable_mamba_fine_grained_prefix_cache,
    "--enable-mamba-fine-grained-prefix-cache", false, -INF, INF,
    "Share Mamba states at finer steps than a block",
    .negative_flag = "--no-enable-mamba-fine-grained-prefix-cache")
ARG(BOOL, FLAG, GONE, enable_prompt_adapter, "--enable-prompt-adapter", false, -INF, INF,
    "Serve prompt adapters",
    .nullable = true, .deprecated = true)
ARG(BOOL, TOGGLE, GONE, enable_reasoning, "--enable-reasoning", null, -INF, INF,
    "Split reasoning from the answer; needs reasoning_parser",
    .negative_flag = "--no-enable-reasoning", .nullable = true, .deprecated = true)
ARG(BOOL, FLAG, GONE, engine_use_ray, "--engine-use-ray", false, -INF, INF,
    "Run the engine in a Ray process of its own",
    .deprecated = true)
ARG(BOOL, FLAG, GONE, expand_tools_even_if_tool_choice_none,
    "--expand-tools-even-if-tool-choice-none", false, -INF, INF,
    "Give tool definitions to the model though tool_choice is none",
    .deprecated = true)
ARG(INT, VALUE, GONE, forced_num_gpu_blocks, "--forced-num-gpu-blocks", null, -INF, INF,
    "Number of KV cache blocks in place of the profiled one",
    .nullable = true)
ARG(INT, VALUE, GONE, image_feature_size, "--image-feature-size", null, -INF, INF,
    "Tokens that one image becomes",
    .nullable = true)
ARG(STRING, VALUE, GONE, image_input_shape, "--image-input-shape", null, -INF, INF,
    "Shape of an image, as the model takes it",
    .nullable = true)
ARG(ENUM, VALUE, GONE, image_input_type, "--image-input-type", null, -INF, INF,
    "Input of a vision model: pixels or features",
    .nullable = true, .choices = ARG_JSON(["image_features", "pixel_values"]),
    .choices_origin = "flag")
ARG(STRING, VALUE, GONE, image_processor, "--image-processor", null, -INF, INF,
    "Image processor id or path; the model's when unset",
    .nullable = true)
ARG(STRING, VALUE, GONE, image_processor_revision, "--image-processor-revision", null, -INF, INF,
    "Image processor version: branch, tag or commit",
    .nullable = true)
ARG(INT, VALUE, GONE, image_token_id, "--image-token-id", null, -INF, INF,
    "Token that stands for an image",
    .nullable = true)
ARG(LIST_FLOAT, LIST, GONE, long_lora_scaling_factors,
    "--long-lora-scaling-factors", null, -INF, INF,
    "Context scaling factors of long-context LoRA adapters",
    .nullable = true)
ARG(INT, VALUE, GONE, max_context_len_to_capture, "--max-context-len-to-capture", null, -INF, INF,
    "Longest context that CUDA graphs cover",
    .nullable = true, .deprecated = true)
ARG(INT, VALUE, GONE, max_prompt_adapter_token, "--max-prompt-adapter-token", 0, -INF, INF,
    "Most tokens of one prompt adapter")
ARG(INT, VALUE, GONE, max_prompt_adapters, "--max-prompt-adapters", 1, -INF, INF,
    "Prompt adapters that may share one batch")
ARG(BOOL, FLAG, GONE, mm_cache_preprocessor, "--mm-cache-preprocessor", false, -INF, INF,
    "Keep preprocessed multimodal inputs")
ARG(BOOL, TOGGLE, GONE, multi_step_stream_outputs, "--multi-step-stream-outputs", true, -INF, INF,
    "Stream the tokens of several steps as they come",
    .negative_flag = "--no-multi-step-stream-outputs")
ARG(INT, VALUE, GONE, ngram_prompt_lookup_max, "--ngram-prompt-lookup-max", null, -INF, INF,
    "Longest n-gram looked up in the prompt",
    .nullable = true)
ARG(INT, VALUE, GONE, ngram_prompt_lookup_min, "--ngram-prompt-lookup-min", null, -INF, INF,
    "Shortest n-gram looked up in the prompt",
    .nullable = true)
ARG(INT, VALUE, GONE, num_scheduler_steps, "--num-scheduler-steps", 1, -INF, INF,
    "Forward steps for one call of the scheduler")
ARG(INT, VALUE, GONE, num_speculative_tokens, "--num-speculative-tokens", null, -INF, INF,
    "Tokens a draft proposes in one step",
    .nullable = true)
ARG(LIST_STRING, LIST, GONE, prompt_adapters, "--prompt-adapters", null, -INF, INF,
    "Prompt adapters to load, as name=path",
    .nullable = true)
ARG(STRING, VALUE, GONE, qlora_adapter_name_or_path,
    "--qlora-adapter-name-or-path", null, -INF, INF,
    "QLoRA adapter id or path",
    .nullable = true, .deprecated = true)
ARG(STRING, VALUE, GONE, quantization_param_path, "--quantization-param-path", null, -INF, INF,
    "JSON file with the KV cache's scales",
    .nullable = true)
ARG(ENUM, VALUE, GONE, spec_decoding_acceptance_method,
    "--spec-decoding-acceptance-method", "rejection_sampler", -INF, INF,
    "How proposed tokens are accepted",
    .choices = ARG_JSON(["rejection_sampler", "typical_acceptance_sampler"]),
    .choices_origin = "flag")
ARG(INT, VALUE, GONE, speculative_disable_by_batch_size,
    "--speculative-disable-by-batch-size", null, -INF, INF,
    "Speculate no more from this many queued requests on",
    .nullable = true)
ARG(BOOL, FLAG, GONE, speculative_disable_mqa_scorer,
    "--speculative-disable-mqa-scorer", false, -INF, INF,
    "Score proposals by expanding the batch")
ARG(INT, VALUE, GONE, speculative_draft_tensor_parallel_size,
    "--speculative-draft-tensor-parallel-size", null, -INF, INF,
    "Tensor parallel group count of the draft model",
    .aliases = "-spec-draft-tp", .nullable = true)
ARG(INT, VALUE, GONE, speculative_max_model_len, "--speculative-max-model-len", null, -INF, INF,
    "Longest sequence that the draft model is used for",
    .nullable = true)
ARG(STRING, VALUE, GONE, speculative_model, "--speculative-model", null, -INF, INF,
    "Draft model id or path",
    .nullable = true)
ARG(ENUM, VALUE, GONE, speculative_model_quantization,
    "--speculative-model-quantization", null, -INF, INF,
    "Quantization method of the draft model",
    .nullable = true, .choices = ARG_JSON(["aqlm", "awq", "awq_marlin", "bitsandbytes",
        "compressed-tensors", "deepspeedfp", "experts_int8", "fbgemm_fp8", "fp8", "gguf", "gptq",
        "gptq_marlin", "gptq_marlin_24", "hqq", "ipex", "marlin", "modelopt", "moe_wna16",
        "neuron_quant", "nvfp4", "ptpc_fp8", "qqq", "quark", "tpu_int8"]), .choices_origin = "flag")
ARG(JSON, VALUE, GONE, tokenizer_pool_extra_config, "--tokenizer-pool-extra-config", {}, -INF, INF,
    "Further settings of the tokenizer pool",
    .nullable = true, .deprecated = true)
ARG(INT, VALUE, GONE, tokenizer_pool_size, "--tokenizer-pool-size", 0, -INF, INF,
    "Tokenizers that run in parallel; 0 tokenizes in the server process",
    .deprecated = true)
ARG(STRING, VALUE, GONE, tokenizer_pool_type, "--tokenizer-pool-type", "ray", -INF, INF,
    "How the tokenizer pool is run",
    .deprecated = true)
ARG(FLOAT, VALUE, GONE, typical_acceptance_sampler_posterior_alpha,
    "--typical-acceptance-sampler-posterior-alpha", null, -INF, INF,
    "Entropy factor of the typical acceptance sampler",
    .nullable = true)
ARG(FLOAT, VALUE, GONE, typical_acceptance_sampler_posterior_threshold,
    "--typical-acceptance-sampler-posterior-threshold", null, -INF, INF,
    "Lower probability bound of the typical acceptance sampler",
    .nullable = true)
ARG(BOOL, TOGGLE, GONE, use_gpu_for_pooling_score, "--use-gpu-for-pooling-score", false, -INF, INF,
    "Compute late interaction scores on the GPU",
    .negative_flag = "--no-use-gpu-for-pooling-score")
ARG(BOOL, FLAG, GONE, use_v2_block_manager, "--use-v2-block-manager", true, -INF, INF,
    "Use the second block manager",
    .deprecated = true)
ARG(BOOL, FLAG, GONE, worker_use_ray, "--worker-use-ray", false, -INF, INF,
    "Run the workers in Ray",
    .deprecated = true)
