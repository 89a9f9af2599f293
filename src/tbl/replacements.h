/*
 * Replacements of single values: for arguments and keys without a rule for all values
 * (tbl/engine_args_history.h, tbl/engine_fields_history.h), and for choices that were removed while their
 * argument was not.
 *
 * REPLACED_VALUE(key, value, by, why)
 *   key    argument, or "argument.key"
 *   value  JSON; ANY_VALUE: each value without a row of its own
 *   by     JSON: {key: value, …} to set instead, {}: nothing, because it is the default; THIS_VALUE keeps the
 *          value, null means that the user must choose it
 *   why    the message or behavior of vLLM, in one clause
 *
 * A row applies to releases that lack the key, or the value among its choices. A newer release may lack a
 * replacement in `by`, too: then its own row applies. Undefined again at the end.
 */
#define ANY_VALUE  NULL
#define THIS_VALUE "\"*\""

/* task: the runner and the conversion that vLLM 0.10.1 to 0.12.0 made of it. */
REPLACED_VALUE("task", ARG_JSON("auto"), ARG_JSON({}),
    "if runner and convert are not set, the model decides")
REPLACED_VALUE("task", ARG_JSON("generate"), ARG_JSON({"runner": "generate"}),
    "the tasks of the runner 'generate' are generate and transcription")
REPLACED_VALUE("task", ARG_JSON("transcription"), ARG_JSON({"runner": "generate"}),
    "the tasks of the runner 'generate' are generate and transcription")
REPLACED_VALUE("task", ARG_JSON("draft"), ARG_JSON({"runner": "draft"}), "the runner of draft models")
REPLACED_VALUE("task", ARG_JSON("embed"), ARG_JSON({"runner": "pooling", "convert": "embed"}),
    "a pooling task; it converts other models to embedding models")
REPLACED_VALUE("task", ARG_JSON("embedding"), ARG_JSON({"runner": "pooling", "convert": "embed"}),
    "another name of embed")
REPLACED_VALUE("task", ARG_JSON("classify"), ARG_JSON({"runner": "pooling", "convert": "classify"}),
    "a pooling task; it converts other models to classifiers")
REPLACED_VALUE("task", ARG_JSON("reward"), ARG_JSON({"runner": "pooling", "convert": "embed"}),
    "a pooling task; --convert reward became --convert embed")
REPLACED_VALUE("task", ARG_JSON("score"), ARG_JSON({"runner": "pooling"}),
    "a pooling task; the model decides between embedding and classifying, as it does if convert is unset")

/* Choices that went. */
REPLACED_VALUE("convert", ARG_JSON("reward"), ARG_JSON({"convert": "embed"}),
    "stated by vLLM since 0.13.0")
REPLACED_VALUE("convert", ARG_JSON("mm_encoder_only"), ARG_JSON({"mm_encoder_only": true}),
    "stated by vLLM since 0.15.0")
REPLACED_VALUE("prefix_caching_hash_algo", ARG_JSON("builtin"),
    ARG_JSON({"prefix_caching_hash_algo": "sha256"}),
    "Python's own hash was removed in 0.10.2, whose default is sha256")
REPLACED_VALUE("prefix_caching_hash_algo", ARG_JSON("sha256_cbor_64bit"),
    ARG_JSON({"prefix_caching_hash_algo": "sha256_cbor"}),
    "since 0.10.2, vLLM keeps the complete hash, and the name has no length")
REPLACED_VALUE("reasoning_parser", ARG_JSON("glm4_moe"), ARG_JSON({"reasoning_parser": "glm45"}),
    "renamed in 0.10.1")
REPLACED_VALUE("reasoning_parser", ARG_JSON("GptOss"), ARG_JSON({"reasoning_parser": "openai_gptoss"}),
    "renamed in 0.10.2")
REPLACED_VALUE("quantization", ARG_JSON("nvfp4"), ARG_JSON({"quantization": "modelopt_fp4"}),
    "renamed in 0.9.0")

/* Booleans whose other value was what happens anyway. */
REPLACED_VALUE("compilation_config.full_cuda_graph", ARG_JSON(false), ARG_JSON({}),
    "if it is not set, cudagraph_mode decides")
REPLACED_VALUE("compilation_config.use_cudagraph", ARG_JSON(true), ARG_JSON({}),
    "if it is not set, cudagraph_mode decides")
REPLACED_VALUE("enable_reasoning", ARG_JSON(false), ARG_JSON({}),
    "without reasoning_parser, vLLM does not parse reasoning")
REPLACED_VALUE("use_v2_block_manager", ANY_VALUE, ARG_JSON({}),
    "block manager v2 is the only one since 0.6.4")

REPLACED_VALUE("structured_outputs_config.disable_fallback", ARG_JSON(false), ARG_JSON({}),
    "only the backend auto falls back to another one")
REPLACED_VALUE("structured_outputs_config.disable_fallback", ARG_JSON(true),
    ARG_JSON({"structured_outputs_config.backend": null}), "only the backend auto falls back")

/* Keys whose successor vLLM's own messages name. */
REPLACED_VALUE("pooler_config.normalize", ANY_VALUE,
    ARG_JSON({"pooler_config.use_activation": "*"}), "one key for every task since 0.11.1")
REPLACED_VALUE("pooler_config.softmax", ANY_VALUE,
    ARG_JSON({"pooler_config.use_activation": "*"}), "one key for every task since 0.11.1")
REPLACED_VALUE("pooler_config.activation", ANY_VALUE,
    ARG_JSON({"pooler_config.use_activation": "*"}), "one key for every task since 0.11.1")
REPLACED_VALUE("pooler_config.logit_bias", ANY_VALUE, ARG_JSON({"pooler_config.logit_mean": "*"}),
    "stated by vLLM since 0.20.0")
REPLACED_VALUE("pooler_config.logit_scale", ANY_VALUE, ARG_JSON({"pooler_config.logit_sigma": null}),
    "logit_sigma is 1 / logit_scale")

#undef ANY_VALUE
#undef THIS_VALUE
#undef REPLACED_VALUE
