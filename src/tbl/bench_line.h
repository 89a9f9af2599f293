/*
 * Flags that `bench serve` has not, and what to write instead.
 *
 * OLD(flag, hint)                of older releases, or of nobody's
 * CLIENT(flag, verdict, hint)    only vLLM's other client, vllm-bench, has it (verdict as in
 *                                tbl/bench_notes.h)
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef OLD
#define OLD(flag, hint)
#endif
#ifndef CLIENT
#define CLIENT(flag, verdict, hint)
#endif

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
CLIENT("--compare", DIFFERENT, "profllm compare A B, of result files")
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

#undef OLD
#undef CLIENT
