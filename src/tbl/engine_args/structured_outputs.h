/* StructuredOutputsConfig: structured output and reasoning parsing (DecodingConfig in older documents). Rows: see tbl/engine_args.h. */
ARG(ENUM, VALUE, GONE, guided_decoding_backend, "--guided-decoding-backend", null, -INF, INF,
    "Structured output engine used by default",
    .nullable = true,
    .choices = ARG_JSON(["auto", "guidance", "lm-format-enforcer", "outlines", "xgrammar"]),
    .choices_origin = "flag", .deprecated = true)
ARG(BOOL, VALUE, GONE, guided_decoding_disable_fallback,
    "--guided-decoding-disable-fallback", null, -INF, INF,
    "Fail instead of trying another structured output engine",
    .negative_flag = "--no-guided-decoding-disable-fallback", .nullable = true,
    .deprecated = true)
ARG(BOOL, VALUE, GONE, guided_decoding_disable_any_whitespace,
    "--guided-decoding-disable-any-whitespace", null, -INF, INF,
    "No whitespace in structured output; xgrammar and guidance only",
    .negative_flag = "--no-guided-decoding-disable-any-whitespace", .nullable = true,
    .deprecated = true)
ARG(BOOL, VALUE, GONE, guided_decoding_disable_additional_properties,
    "--guided-decoding-disable-additional-properties", null, -INF, INF,
    "Guidance only: ignore additionalProperties in JSON schemas",
    .negative_flag = "--no-guided-decoding-disable-additional-properties", .nullable = true,
    .deprecated = true)
ARG(ENUM, VALUE, CURRENT, reasoning_parser, "--reasoning-parser", "", -INF, INF,
    "Parser that splits reasoning text out of answers; empty means none",
    .choices = ARG_JSON(["deepseek_r1", "glm45", "openai_gptoss", "granite", "hunyuan_a13b",
        "mistral", "qwen3", "seed_oss", "step3"]),
    .choices_open = true, .choices_origin = "flag",
    .choices_note = "not checked by vLLM's parser", .special_values = ARG_JSON(["", "none"]),
    .note = "the parsers depend on the build; plugins add more; since 0.33.0 none is the empty "
            "default")
ARG(STRING, VALUE, CURRENT, reasoning_parser_plugin, "--reasoning-parser-plugin", "", -INF, INF,
    "Plugin file that registers further reasoning parsers",
    .nullable = true, .aside = true)
