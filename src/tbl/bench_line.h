/*
 * Flags that `bench serve` does not have, and their replacements.
 *
 * OLD(flag, hint)                from older releases, or commonly mistaken
 * CLIENT(flag, verdict, hint)    only in vLLM's Rust client, vllm-bench (verdict as in
 *                                tbl/bench_notes.h)
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef OLD
#define OLD(flag, hint)
#endif
#ifndef CLIENT
#define CLIENT(flag, verdict, hint)
#endif

OLD("--endpoint-type", "renamed to --backend")
OLD("--dataset", "use --dataset-name sharegpt --dataset-path FILE")
OLD("--sonnet-input-len", "removed in vLLM 0.32; use an experiment file (profllm run) with benchmark.sonnet_input_len")
OLD("--sonnet-output-len", "removed in vLLM 0.32; use an experiment file (profllm run) with benchmark.sonnet_output_len")
OLD("--sonnet-prefix-len", "removed in vLLM 0.32; use an experiment file (profllm run) with benchmark.sonnet_prefix_len")
OLD("--custom-skip-chat-template", "renamed to --skip-chat-template")
OLD("--best-of", "removed in vLLM 0.8; remove the flag")
OLD("--input-tokens", "vLLM's name is --input-len")
OLD("--output-tokens", "vLLM's name is --output-len")
OLD("--server-url", "vLLM's name is --base-url")
OLD("--arrival-rate", "vLLM's name is --request-rate")
OLD("--trace-dataset-path", "use --dataset-name timed_trace --dataset-path FILE")
OLD("--prot", "did you mean --port?")
OLD("--skip-initial-test", "remove it; no test request is sent unless --ready-check-timeout-sec is set")
OLD("--device", "remove it; it is an argument of the server")
OLD("--num-scheduler-steps", "remove it; vLLM removed the flag")

CLIENT("--max-model-len", NOT_YET, "no request is skipped for its length; choose lengths that fit")
CLIENT("--prompt-token-ids", EQUAL, "the same flag")
CLIENT("--random-cache-hit-fraction", EQUAL, "the same flag")
CLIENT("--random-cache-ratio", EQUAL, "the same flag")
CLIENT("--steady-state-threshold", EQUAL, "the same flag")
CLIENT("--steady-state-min-window", MORE, "the same flag; the default is 10, not a tenth of the run")
CLIENT("--no-steady-state", DIFFERENT, "remove it; the steady state is an additional key of the result")
CLIENT("--profile-batch-threshold", EQUAL, "the same flag")
CLIENT("--profile-duration", EQUAL, "the same flag")
CLIENT("--dry-run", MORE, "the same flag; --json prints it for programs")
CLIENT("--num-runs", NOT_YET, "run the command several times, each with its own --output FILE")
CLIENT("--compare", DIFFERENT, "use profllm compare A B with result files")
CLIENT("--sweep-max-concurrency", NOT_YET, "use profllm sweep run, or one run per value of --max-concurrency")
CLIENT("--sweep-request-rate", NOT_YET, "use profllm sweep run, or one run per value of --request-rate")
CLIENT("--sweep-num-prompts-factor", NOT_YET, "use profllm sweep run, with benchmark.num_prompts in a zip")
CLIENT("--sweep-summary-percentiles", NOT_YET, "use profllm sweep run, which writes a summary of all runs")
CLIENT("--reset-prefix-cache", MORE, "the same flag, for a single run too")
CLIENT("--multi-turn", EQUAL, "the same flag")
CLIENT("--multi-turn-num-turns", EQUAL, "the same flag")
CLIENT("--multi-turn-min-turns", EQUAL, "the same flag")
CLIENT("--multi-turn-max-turns", EQUAL, "the same flag")
CLIENT("--multi-turn-concurrency", EQUAL, "the same flag")
CLIENT("--multi-turn-delay-ms", EQUAL, "the same flag")
CLIENT("--multi-turn-prefix-global-ratio", EQUAL, "the same flag")
CLIENT("--multi-turn-prefix-conversation-ratio", EQUAL, "the same flag")
CLIENT("--per-turn-input-len", EQUAL, "the same flag")
CLIENT("--speed-bench-config", EQUAL, "the same flag")
CLIENT("--speed-bench-max-input-len", EQUAL, "the same flag")
CLIENT("--hf-text-column", NOT_YET, "a dataset of the hub is read by the rules of its class; write other columns to a file for --dataset-name custom")

#undef OLD
#undef CLIENT
