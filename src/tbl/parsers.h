/*
 * The parsers that vLLM registers itself; plugins add more. They were read in 0.6.6, 0.7.0, 0.7.3, 0.8.0, 0.8.5, 0.9.0,
 * 0.9.2 and every later minor release but 0.15.0, up to 0.33.0: vllm/tool_parsers/__init__.py,
 * vllm/reasoning/__init__.py and the places that they had before.
 *
 * PARSERS(first, last)   the releases that are checked
 * PARSER(kind, name, since, until)
 *   kind   TOOL: a value of tool_call_parser; REASONING: of reasoning_parser
 *   since  the first release that may have it: the one after the last that was read without it; NULL: the first
 *   until  the first release that was read and lacks it; NULL: the last has it
 * PARSER_ARGUMENT(kind, name, key, noun, plugin)   an argument whose value is such a parser
 *   key     of structured_outputs_config, which has it as a member, or NULL
 *   plugin  the argument that names a file with more parsers
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef PARSERS
#define PARSERS(first, last)
#endif
#ifndef PARSER
#define PARSER(kind, name, since, until)
#endif
#ifndef PARSER_ARGUMENT
#define PARSER_ARGUMENT(kind, name, key, noun, plugin)
#endif

PARSERS("0.6.6", "0.33.0")

PARSER_ARGUMENT(TOOL, tool_call_parser, NULL, "tool parser", "tool_parser_plugin")
PARSER_ARGUMENT(REASONING, reasoning_parser, NULL, "reasoning parser", "reasoning_parser_plugin")
PARSER_ARGUMENT(REASONING, structured_outputs_config, "reasoning_parser", "reasoning parser", "reasoning_parser_plugin")

PARSER(TOOL, "apertus", "0.22.0", NULL)
PARSER(TOOL, "beam", "0.33.0", NULL)
PARSER(TOOL, "cohere_command3", "0.20.1", NULL)
PARSER(TOOL, "cohere_command4", "0.20.1", NULL)
PARSER(TOOL, "deepseek_v3", "0.8.5.post1", NULL)
PARSER(TOOL, "deepseek_v31", "0.10.2", NULL)
PARSER(TOOL, "deepseek_v32", "0.13.0", NULL)
PARSER(TOOL, "deepseek_v4", "0.19.1", NULL)
PARSER(TOOL, "deepseek_v41", "0.30.0", NULL)
PARSER(TOOL, "dots", "0.27.1", NULL)
PARSER(TOOL, "ernie45", "0.11.1", NULL)
PARSER(TOOL, "functiongemma", "0.14.0", NULL)
PARSER(TOOL, "gemma4", "0.18.1", NULL)
PARSER(TOOL, "gigachat3", "0.13.0", NULL)
PARSER(TOOL, "glm45", "0.10.1", NULL)
PARSER(TOOL, "glm47", "0.14.0", NULL)
PARSER(TOOL, "glm4_moe", "0.10.0", "0.10.1")
PARSER(TOOL, "granite", NULL, NULL)
PARSER(TOOL, "granite-20b-fc", NULL, NULL)
PARSER(TOOL, "granite4", "0.17.1", NULL)
PARSER(TOOL, "hermes", NULL, NULL)
PARSER(TOOL, "hf", "0.32.0", NULL)
PARSER(TOOL, "hunyuan_a13b", "0.10.0", NULL)
PARSER(TOOL, "hy_v3", "0.19.1", NULL)
PARSER(TOOL, "hy_v4", "0.29.0", NULL)
PARSER(TOOL, "inkling", "0.25.1", NULL)
PARSER(TOOL, "internlm", NULL, NULL)
PARSER(TOOL, "jamba", NULL, NULL)
PARSER(TOOL, "k2_horizon", "0.30.0", NULL)
PARSER(TOOL, "kimi_k2", "0.10.0", NULL)
PARSER(TOOL, "kimi_k3", "0.27.0", NULL)
PARSER(TOOL, "lfm2", "0.20.1", NULL)
PARSER(TOOL, "ling3", "0.27.1", NULL)
PARSER(TOOL, "llama3_json", NULL, NULL)
PARSER(TOOL, "llama4_json", "0.8.1", NULL)
PARSER(TOOL, "llama4_pythonic", "0.8.5.post1", NULL)
PARSER(TOOL, "longcat", "0.11.0", NULL)
PARSER(TOOL, "mimo", "0.19.1", NULL)
PARSER(TOOL, "minicpm5", "0.22.1", NULL)
PARSER(TOOL, "minimax", "0.9.1", "0.24.0")
PARSER(TOOL, "minimax_m2", "0.11.1", NULL)
PARSER(TOOL, "minimax_m3", "0.24.0", NULL)
PARSER(TOOL, "mistral", NULL, NULL)
PARSER(TOOL, "muse", "0.33.0", NULL)
PARSER(TOOL, "muse_glimmer", "0.27.1", NULL)
PARSER(TOOL, "musespark1x", "0.33.0", NULL)
PARSER(TOOL, "olmo3", "0.11.1", NULL)
PARSER(TOOL, "openai", "0.10.2", NULL)
PARSER(TOOL, "phi4_mini_json", "0.8.1", NULL)
PARSER(TOOL, "plamo3", "0.32.0", NULL)
PARSER(TOOL, "poolside_v1", "0.20.1", NULL)
PARSER(TOOL, "pythonic", NULL, NULL)
PARSER(TOOL, "qwen3_coder", "0.10.0", NULL)
PARSER(TOOL, "qwen3_json", "0.32.0", NULL)
PARSER(TOOL, "qwen3_xml", "0.11.0", NULL)
PARSER(TOOL, "seed_oss", "0.10.2", NULL)
PARSER(TOOL, "step3", "0.10.1", NULL)
PARSER(TOOL, "step3p5", "0.14.1", NULL)
PARSER(TOOL, "step5", "0.33.0", NULL)
PARSER(TOOL, "xlam", "0.9.1", NULL)
PARSER(REASONING, "GptOss", "0.10.1", "0.10.2")
PARSER(REASONING, "beam", "0.33.0", NULL)
PARSER(REASONING, "cohere_command3", "0.20.1", NULL)
PARSER(REASONING, "cohere_command4", "0.20.1", NULL)
PARSER(REASONING, "deepseek_r1", "0.7.1", NULL)
PARSER(REASONING, "deepseek_v3", "0.11.1", NULL)
PARSER(REASONING, "deepseek_v4", "0.19.1", NULL)
PARSER(REASONING, "deepseek_v41", "0.30.0", NULL)
PARSER(REASONING, "ernie45", "0.11.1", NULL)
PARSER(REASONING, "gemma4", "0.18.1", NULL)
PARSER(REASONING, "glm45", "0.10.1", NULL)
PARSER(REASONING, "glm47", "0.24.0", NULL)
PARSER(REASONING, "glm4_moe", "0.10.0", "0.10.1")
PARSER(REASONING, "granite", "0.8.1", NULL)
PARSER(REASONING, "granite_thinking_parser", "0.31.0", NULL)
PARSER(REASONING, "hf", "0.32.0", NULL)
PARSER(REASONING, "holo2", "0.13.0", NULL)
PARSER(REASONING, "hunyuan_a13b", "0.10.0", NULL)
PARSER(REASONING, "hy_v3", "0.19.1", NULL)
PARSER(REASONING, "hy_v4", "0.29.0", NULL)
PARSER(REASONING, "inkling", "0.25.1", NULL)
PARSER(REASONING, "k2_horizon", "0.30.0", NULL)
PARSER(REASONING, "kimi_k2", "0.11.1", NULL)
PARSER(REASONING, "kimi_k3", "0.27.0", NULL)
PARSER(REASONING, "ling3", "0.27.1", NULL)
PARSER(REASONING, "mimo", "0.19.1", NULL)
PARSER(REASONING, "minicpmv", "0.32.0", NULL)
PARSER(REASONING, "minimax_m2", "0.11.1", NULL)
PARSER(REASONING, "minimax_m2_append_think", "0.11.1", NULL)
PARSER(REASONING, "minimax_m3", "0.24.0", NULL)
PARSER(REASONING, "mistral", "0.10.0", NULL)
PARSER(REASONING, "muse", "0.33.0", NULL)
PARSER(REASONING, "muse_glimmer", "0.27.1", NULL)
PARSER(REASONING, "musespark1x", "0.33.0", NULL)
PARSER(REASONING, "nemotron_v3", "0.17.1", NULL)
PARSER(REASONING, "olmo3", "0.11.1", NULL)
PARSER(REASONING, "openai_gptoss", "0.10.2", NULL)
PARSER(REASONING, "plamo3", "0.32.0", NULL)
PARSER(REASONING, "poolside_v1", "0.20.1", NULL)
PARSER(REASONING, "qwen3", "0.8.5.post1", NULL)
PARSER(REASONING, "seed_oss", "0.11.0", NULL)
PARSER(REASONING, "step3", "0.10.1", NULL)
PARSER(REASONING, "step3p5", "0.14.1", NULL)
PARSER(REASONING, "step5", "0.33.0", NULL)

#undef PARSERS
#undef PARSER
#undef PARSER_ARGUMENT
