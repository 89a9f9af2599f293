/*
 * What the command line of `bench serve` has beside the rows of tbl/bench_args.h.
 *
 * WORDS(name, least)             an option that takes several words, at least so many
 * COMMAS(name)                   an option whose one word is a list with commas
 * LITERAL(name)                  an option written as a Python literal: {(256, 256, 1): 0.5}
 * SERVE_DEFAULT(name, text)      the default of the command where the experiment file has none
 * OLD(flag, hint)                a flag of older releases, or of nobody's, and what it is today
 * OLD_VALUE(name, value, hint)   a value of older releases
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
#ifndef SERVE_DEFAULT
#define SERVE_DEFAULT(name, text)
#endif
#ifndef OLD
#define OLD(flag, hint)
#endif
#ifndef OLD_VALUE
#define OLD_VALUE(name, value, hint)
#endif

WORDS(header, 0)
WORDS(metadata, 0)
WORDS(goodput, 1)
WORDS(lora_modules, 1)
COMMAS(bfcl_categories)
LITERAL(random_mm_bucket_config)

SERVE_DEFAULT(host, "127.0.0.1")
SERVE_DEFAULT(port, "8000")

OLD("--endpoint-type", "today's name is --backend")
OLD("--dataset", "today: --dataset-name sharegpt --dataset-path FILE")
OLD("--sonnet-input-len", "the data set is gone; nearest: --dataset-name random with --random-input-len (less the prefix)")
OLD("--sonnet-output-len", "the data set is gone; nearest: --dataset-name random with --random-output-len")
OLD("--sonnet-prefix-len", "the data set is gone; nearest: --dataset-name random with --random-prefix-len")
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
OLD_VALUE(dataset_name, "sonnet", "gone since vLLM 0.32; nearest: --dataset-name random without --dataset-path")
OLD_VALUE(dataset_name, "custom_mm", "today's name is custom_image")
OLD_VALUE(backend, "sglang", "it takes the same requests as --backend openai")
OLD_VALUE(backend, "lmdeploy", "it takes the same requests as --backend openai")
OLD_VALUE(backend, "scalellm", "it takes the same requests as --backend openai")
OLD_VALUE(backend, "openai-completions", "today's name is openai")
OLD_VALUE(backend, "vllm-chat", "today: --backend openai-chat")
OLD_VALUE(backend, "tgi", "gone from vLLM, as its protocol is another one")
OLD_VALUE(backend, "tensorrt-llm", "gone from vLLM; its server's OpenAI API is reached with --backend openai")
OLD_VALUE(backend, "deepspeed-mii", "gone from vLLM, as its protocol is another one")

#undef WORDS
#undef COMMAS
#undef LITERAL
#undef SERVE_DEFAULT
#undef OLD
#undef OLD_VALUE
