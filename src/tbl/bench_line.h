/*
 * What the command line of `bench serve` has beside the rows of tbl/bench_args.h.
 *
 * WORDS(name, least)             an option that takes several words, at least so many
 * COMMAS(name)                   an option whose one word is a list with commas
 * LITERAL(name)                  an option written as a Python literal: {(256, 256, 1): 0.5}
 * ALSO(name, flag)               another flag of the option
 * SERVE_DEFAULT(name, text)      the default of the command where the experiment file has none
 * OLD(flag, hint)                a flag of older releases, or of nobody's, and what it is today
 * OLD_VALUE(name, value, hint)   a value of older releases
 * FILE_VALUE(name, value)        one of those that an experiment file takes still
 * CLIENT(flag, verdict, hint)    a flag that only vLLM's other client, vllm-bench, has, and what to write here
 *                                (verdict as in tbl/bench_notes.h)
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef WORDS
#define WORDS(name, least)
#endif
#ifndef COMMAS
#define COMMAS(name)
#endif
#ifndef LITERAL
#define LITERAL(name)
#endif
#ifndef ALSO
#define ALSO(name, flag)
#endif
#ifndef SERVE_DEFAULT
#define SERVE_DEFAULT(name, text)
#endif
#ifndef OLD
#define OLD(flag, hint)
#endif
#ifndef OLD_VALUE
#define OLD_VALUE(name, value, hint)
#endif
#ifndef FILE_VALUE
#define FILE_VALUE(name, value)
#endif
#ifndef CLIENT
#define CLIENT(flag, verdict, hint)
#endif

WORDS(header, 0)
WORDS(metadata, 0)
WORDS(goodput, 1)
WORDS(lora_modules, 1)
COMMAS(bfcl_categories)
COMMAS(source_addresses)
LITERAL(random_mm_bucket_config)

ALSO(source_addresses, "--source-address")

SERVE_DEFAULT(host, "127.0.0.1")
SERVE_DEFAULT(port, "8000")

OLD("--endpoint-type", "today's name is --backend")
OLD("--dataset", "today: --dataset-name sharegpt --dataset-path FILE")
OLD("--sonnet-input-len", "gone since vLLM 0.32; an experiment file (profllm run) has it: benchmark.sonnet_input_len")
OLD("--sonnet-output-len", "gone since vLLM 0.32; an experiment file (profllm run) has it: benchmark.sonnet_output_len")
OLD("--sonnet-prefix-len", "gone since vLLM 0.32; an experiment file (profllm run) has it: benchmark.sonnet_prefix_len")
OLD("--custom-skip-chat-template", "today's name is --skip-chat-template")
OLD("--best-of", "gone since vLLM 0.8: leave it out")
OLD("--input-tokens", "vLLM's name is --input-len")
OLD("--output-tokens", "vLLM's name is --output-len")
OLD("--server-url", "vLLM's name is --base-url")
OLD("--arrival-rate", "vLLM's name is --request-rate")
OLD("--trace-dataset-path", "today: --dataset-name timed_trace --dataset-path FILE")
OLD("--prot", "did you mean --port?")
OLD("--skip-initial-test", "leave it out: no test request is sent unless --ready-check-timeout-sec asks for one")
OLD("--device", "leave it out: that is the server's")
OLD("--num-scheduler-steps", "leave it out: gone from vLLM")
OLD_VALUE(dataset_name, "sonnet", "gone since vLLM 0.32; an experiment file (profllm run) takes it; nearest here: --dataset-name random without --dataset-path")
FILE_VALUE(dataset_name, "sonnet")
OLD_VALUE(dataset_name, "custom_mm", "today's name is custom_image")
OLD_VALUE(backend, "sglang", "it takes the same requests as --backend openai")
OLD_VALUE(backend, "lmdeploy", "it takes the same requests as --backend openai")
OLD_VALUE(backend, "scalellm", "it takes the same requests as --backend openai")
OLD_VALUE(backend, "openai-completions", "today's name is openai")
OLD_VALUE(backend, "vllm-chat", "today: --backend openai-chat")
OLD_VALUE(backend, "tgi", "gone from vLLM, as its protocol is another one")
OLD_VALUE(backend, "tensorrt-llm", "gone from vLLM; its server's OpenAI API is reached with --backend openai")
OLD_VALUE(backend, "deepspeed-mii", "gone from vLLM, as its protocol is another one")

CLIENT("--max-model-len", NOT_YET, "no request is left out for its length: choose the lengths so that they fit")
CLIENT("--prompt-token-ids", EQUAL, "the same flag")
CLIENT("--random-cache-hit-fraction", NOT_YET, "nearest: --dataset-name prefix_repetition, or --random-prefix-len")
CLIENT("--random-cache-ratio", NOT_YET, "nearest: --dataset-name prefix_repetition, or --random-prefix-len")
CLIENT("--steady-state-threshold", DIFFERENT, "leave it out: 'steady' of the whole result always holds the steady state, at 0.95 of the cap")
CLIENT("--steady-state-min-window", DIFFERENT, "leave it out: 'steady' of the whole result always holds the steady state, of 10 s or more")
CLIENT("--no-steady-state", DIFFERENT, "leave it out: the steady state is another key of the whole result and costs nothing")
CLIENT("--profile-batch-threshold", NOT_YET, "nearest: --profile, over the whole run")
CLIENT("--profile-duration", NOT_YET, "nearest: --profile, over the whole run")
CLIENT("--dry-run", MORE, "the same flag; with --json for programs")
CLIENT("--num-runs", NOT_YET, "run it several times: each --output FILE keeps one")
CLIENT("--compare", NOT_YET, "comparing results is not in this version")
CLIENT("--sweep-max-concurrency", NOT_YET, "one run for each value of --max-concurrency")
CLIENT("--sweep-request-rate", NOT_YET, "one run for each value of --request-rate")
CLIENT("--sweep-num-prompts-factor", NOT_YET, "sweeps are not in this version")
CLIENT("--sweep-summary-percentiles", NOT_YET, "sweeps are not in this version")
CLIENT("--reset-prefix-cache", NOT_YET, "POST /reset_prefix_cache to the server before each run")
CLIENT("--multi-turn", NOT_YET, "conversations of several turns are not in this version")
CLIENT("--multi-turn-num-turns", NOT_YET, "conversations of several turns are not in this version")
CLIENT("--multi-turn-min-turns", NOT_YET, "conversations of several turns are not in this version")
CLIENT("--multi-turn-max-turns", NOT_YET, "conversations of several turns are not in this version")
CLIENT("--multi-turn-concurrency", NOT_YET, "conversations of several turns are not in this version")
CLIENT("--multi-turn-delay-ms", NOT_YET, "conversations of several turns are not in this version")
CLIENT("--multi-turn-prefix-global-ratio", NOT_YET, "conversations of several turns are not in this version")
CLIENT("--multi-turn-prefix-conversation-ratio", NOT_YET, "conversations of several turns are not in this version")
CLIENT("--per-turn-input-len", NOT_YET, "conversations of several turns are not in this version")
CLIENT("--speed-bench-config", NOT_YET, "its name in vllm bench serve is --speed-bench-dataset-subset, which is not in this version")
CLIENT("--speed-bench-max-input-len", NOT_YET, "data set speed_bench is not in this version")
CLIENT("--hf-text-column", NOT_YET, "data set hf is not in this version")

#undef WORDS
#undef COMMAS
#undef LITERAL
#undef ALSO
#undef SERVE_DEFAULT
#undef OLD
#undef OLD_VALUE
#undef FILE_VALUE
#undef CLIENT
