/*
 * All metrics of `results`: one row per family of statistics or single metric. The keys, the schema,
 * the docs page (docs/reference/metrics.md) and the console labels are made from these rows.
 *
 * FAMILY(id, key, title, label, direction, origin, headline, formula, text)
 *   key        mean_KEY, median_KEY, std_KEY, p<N>_KEY
 *   title      of its section in the console table
 *   label      in "Mean LABEL (ms):"; "" where the console table never has such a section
 *   direction  LOWER or HIGHER is better, or NEITHER
 *   origin     VLLM (vLLM's name and formula), OFFLINE (vLLM's, only of its offline benchmarks), OURS, or KIND
 *              (ours, over the requests that have output of this kind; its keys are missing if no request has)
 *              FIGURE only: POOLING (vLLM's, of its pooling backends; results of earlier versions lack the key, and no
 *              column of a database holds it), LATE (ours; the same is true of it)
 *   headline   true: each of its STATISTICs has a client error bound, which determines the verdict
 *              (result/metrics/client_error.h); else false
 *   formula    of one sample, in symbols of docs/reference/metrics.md
 * FIGURE(key, unit, type, direction, origin, formula, text)
 *   type       INT or NUM; each may be null
 * STATISTIC(name, percentile)  of headline families
 *   percentile in percent; NAN: the mean
 * RATE(id, key)  the FIGUREs that are a number of requests or tokens divided by the run's duration: each has
 *   a confidence interval (result/metrics/rates.h)
 * Undefined macros are skipped; they are undefined again at the end.
 */
#ifndef FAMILY
#define FAMILY(id, key, title, label, direction, origin, headline, formula, text)
#endif
#ifndef FIGURE
#define FIGURE(key, unit, type, direction, origin, formula, text)
#endif
#ifndef STATISTIC
#define STATISTIC(name, percentile)
#endif
#ifndef RATE
#define RATE(id, key)
#endif

FIGURE(duration, "s", NUM, NEITHER, VLLM, "T",
       "time from the start of sending to the last response")
FIGURE(completed_requests, "req", INT, HIGHER, OURS, "|S|",
       "completed requests")
FIGURE(failed_requests, "req", INT, LOWER, OURS, "|F|",
       "requests that were sent or attempted, but did not complete")
FIGURE(completed, "req", INT, HIGHER, VLLM, "|S|",
       "completed_requests under vLLM's name")
FIGURE(failed, "req", INT, LOWER, VLLM, "|F|",
       "failed_requests under vLLM's name")
FIGURE(retries, "count", INT, NEITHER, OURS, "sum over requests of (tries - 1)",
       "attempts after the first one of each request; null if the client does not report them")
FIGURE(retried_requests, "req", INT, NEITHER, OURS, "|{r: tries > 1}|",
       "requests with more than one attempt, completed or not")
FIGURE(total_input_tokens, "tok", INT, NEITHER, VLLM, "sum over S of p",
       "prompt tokens of the completed requests, from usage, or else as requested")
FIGURE(total_output_tokens, "tok", INT, NEITHER, VLLM, "sum over S of n",
       "output tokens of the completed requests; null for pooling backends")
FIGURE(total_input_sequences, "count", INT, NEITHER, POOLING, "sum over S of the prompts of a request",
       "pooling backends: prompts of the completed requests, or documents of a rerank; null for other backends")
FIGURE(request_throughput, "req/s", NUM, HIGHER, VLLM, "|S| / T",
       "completed requests per second")
FIGURE(request_goodput, "req/s", NUM, HIGHER, VLLM, "|{r in S: all limits kept}| / T",
       "completed requests per second that met every limit of `goodput`; null without limits")
FIGURE(input_throughput, "tok/s", NUM, HIGHER, OURS, "total_input_tokens / T",
       "prompt tokens per second")
FIGURE(input_sequence_throughput, "1/s", NUM, HIGHER, POOLING, "total_input_sequences / T",
       "pooling backends: prompts or documents per second; null for other backends")
FIGURE(output_throughput, "tok/s", NUM, HIGHER, VLLM, "total_output_tokens / T",
       "output tokens per second; null for pooling backends")
FIGURE(total_token_throughput, "tok/s", NUM, HIGHER, VLLM,
       "(total_input_tokens + total_output_tokens) / T",
       "prompt and output tokens per second")
FIGURE(max_output_tokens_per_s, "chunks/s", NUM, NEITHER, VLLM,
       "largest count of chunks in a second counted from the first start",
       "vLLM's peak rate, which counts chunks, not tokens")
FIGURE(max_concurrent_requests, "req", INT, NEITHER, VLLM,
       "largest count of requests that touch a second counted from the first start",
       "vLLM's peak concurrency, which counts more requests than are open at once")
FIGURE(peak_in_flight, "req", INT, NEITHER, OURS, "largest count of requests open at once",
       "exact peak of open requests, including failed ones; at equal times, an end counts before a start")
FIGURE(peak_output_tokens_per_s_sliding, "tok/s", NUM, HIGHER, OURS,
       "largest count of tokens with times in [t, t + 1 s)",
       "output tokens in the busiest second, at any offset")
FIGURE(avg_latency, "s", NUM, LOWER, OFFLINE, "mean over batches of (last answer - start)",
       "kind latency: mean time of one batch")
FIGURE(elapsed_time, "s", NUM, LOWER, OFFLINE, "last answer - first request",
       "kind throughput: total time of all requests")
FIGURE(num_requests, "req", INT, NEITHER, OFFLINE, "|S|",
       "kind throughput: completed requests")
FIGURE(total_num_tokens, "tok", INT, NEITHER, OFFLINE, "sum over S of (p + n)",
       "kind throughput: prompt and output tokens")
FIGURE(requests_per_second, "req/s", NUM, HIGHER, OFFLINE, "num_requests / elapsed_time",
       "kind throughput: requests per second")
FIGURE(tokens_per_second, "tok/s", NUM, HIGHER, OFFLINE, "total_num_tokens / elapsed_time",
       "kind throughput: prompt and output tokens per second")
FIGURE(avg_cold_startup_time, "s", NUM, LOWER, OFFLINE, "mean over cold starts",
       "kind startup: time from the start of the engine until it is ready, with empty caches")
FIGURE(avg_cold_compilation_time, "s", NUM, LOWER, OFFLINE, "mean over cold starts",
       "kind startup: compilation time; null if not reported")
FIGURE(avg_cold_encoder_compilation_time, "s", NUM, LOWER, OFFLINE, "mean over cold starts",
       "kind startup: compilation time of the encoder of a multimodal model")
FIGURE(avg_warm_startup_time, "s", NUM, LOWER, OFFLINE, "mean over warm starts",
       "kind startup: time from the start of the engine until it is ready, with the caches of earlier starts")
FIGURE(avg_warm_compilation_time, "s", NUM, LOWER, OFFLINE, "mean over warm starts",
       "kind startup: compilation time; null if not reported")
FIGURE(avg_warm_encoder_compilation_time, "s", NUM, LOWER, OFFLINE, "mean over warm starts",
       "kind startup: compilation time of the encoder of a multimodal model")
FIGURE(prefix_cache_hit_rate, "share", NUM, HIGHER, LATE, "cached prompt tokens / prompt tokens, by /metrics",
       "prompt tokens that the server found in its prefix cache, of all its clients; null if not reported")
FIGURE(expected_prefix_cache_hit_rate, "share", NUM, NEITHER, LATE, "prompt tokens in whole blocks of an earlier prompt's start / prompt tokens",
       "hit rate of a prefix cache of unlimited size that starts empty; of texts, the share of repeated bytes; null if the prompts are unknown")
FIGURE(rtfx, "s/s", NUM, HIGHER, VLLM, "audio seconds / T",
       "seconds of audio transcribed per second; null without audio")

FAMILY(TTFT, "ttft_ms", "Time to First Token", "TTFT", LOWER, VLLM, true, "e_1 - a",
       "time from sending the request to the first chunk of the response, even if that chunk has no text")
FAMILY(TPOT, "tpot_ms", "Time per Output Token (excl. 1st token)", "TPOT", LOWER, VLLM, true,
       "(L - TTFT) / (n - 1), n > 1",
       "mean time per token after the first chunk")
FAMILY(ITL, "itl_ms", "Inter-token Latency", "ITL", LOWER, VLLM, true, "e_k - e_(k-1)",
       "gaps between chunks, pooled over all requests")
FAMILY(E2EL, "e2el_ms", "End-to-end Latency", "E2EL", LOWER, VLLM, true, "L = e_last - a",
       "time from sending the request to the last chunk of the response")
FAMILY(FIRST_TOKEN, "first_token_ms", "First Token", "", LOWER, OURS, true, "c_1 - a",
       "time to the first event that carries text, reasoning, a tool call or token ids")
FAMILY(FIRST_ROLE, "first_role_ms", "First Role", "", LOWER, KIND, false, "r_1 - a",
       "time to the first event that contains only the role")
FAMILY(FIRST_REASONING, "first_reasoning_ms", "First Reasoning", "", LOWER, KIND, false, "h_1 - a",
       "time to the first event with reasoning")
FAMILY(FIRST_TEXT, "first_text_ms", "First Text", "", LOWER, KIND, false, "x_1 - a",
       "time to the first event with response text")
FAMILY(FIRST_TOOL_CALL, "first_tool_call_ms", "First Tool Call", "", LOWER, KIND, false, "u_1 - a",
       "time to the first event with a tool call")
FAMILY(TOKEN_GAP, "token_gap_ms", "Token Gap", "", LOWER, OURS, false,
       "k times (t_j - t_(j-1)) / k for a token event of k tokens",
       "gaps between tokens, pooled over all requests")
FAMILY(TIME_PER_TOKEN, "time_per_token_ms", "Time per Token", "", LOWER, OURS, false,
       "(t_last - t_1) / (n - 1), n > 1",
       "mean gap between the tokens of a request")
FAMILY(TTFT_PLANNED, "ttft_planned_ms", "Planned Time to First Token", "Planned TTFT", LOWER, OURS,
       false, "e_1 - planned",
       "time from the planned send to the first chunk")
FAMILY(FIRST_TOKEN_PLANNED, "first_token_planned_ms", "Planned First Token", "", LOWER, OURS, false,
       "c_1 - planned",
       "time from the planned send to the first token")
FAMILY(E2EL_PLANNED, "e2el_planned_ms", "Planned End-to-end Latency", "", LOWER, OURS, false,
       "e_last - planned",
       "time from the planned send to the last chunk")
FAMILY(CLIENT_QUEUE_TIME, "client_queue_time_ms", "Client-side Queueing", "Client Queue Time",
       LOWER, VLLM, false, "a - queued, 0 where it did not wait",
       "time a request waits for max_concurrency; null without it")
FAMILY(E2EL_INCLUDING_CLIENT_QUEUE, "e2el_including_client_queue_ms",
       "Queue-inclusive End-to-end Latency", "E2EL incl. Client Queue", LOWER, VLLM, false,
       "L + client queue time",
       "end-to-end latency plus client queue time; only with max_concurrency and a finite rate")

FIGURE(probe_completed, "req", INT, HIGHER, VLLM, "probes that succeeded",
       "completed probe requests; null if none completed, or none were requested")
FIGURE(probe_failed, "req", INT, LOWER, VLLM, "probes that failed",
       "failed probe requests; null if no probe completed")
FIGURE(probe_median_e2el_ms, "ms", NUM, LOWER, VLLM, "median over probes of L",
       "median end-to-end latency of the probe requests")
FIGURE(probe_p99_e2el_ms, "ms", NUM, LOWER, VLLM, "p99 over probes of L",
       "p99 end-to-end latency of the probe requests")
FIGURE(probe_max_e2el_ms, "ms", NUM, LOWER, VLLM, "largest L of a probe",
       "largest end-to-end latency of the probe requests")
FIGURE(spec_decode_acceptance_rate, "%", NUM, HIGHER, VLLM, "100 accepted / draft tokens",
       "acceptance rate of speculative decoding during the run, from the server counters; null without it")
FIGURE(spec_decode_acceptance_length, "tok", NUM, HIGHER, VLLM, "1 + accepted / drafts",
       "tokens per step of speculative decoding")
FIGURE(spec_decode_num_drafts, "count", INT, NEITHER, VLLM, "growth of the server's counter",
       "number of drafts")
FIGURE(spec_decode_draft_tokens, "tok", INT, NEITHER, VLLM, "growth of the server's counter",
       "draft tokens")
FIGURE(spec_decode_accepted_tokens, "tok", INT, NEITHER, VLLM, "growth of the server's counter",
       "accepted draft tokens")
FIGURE(energy_per_token_j, "J/tok", NUM, LOWER, OURS, "energy / total_output_tokens",
       "energy per output token; null if the power is unknown")
FIGURE(energy_per_token_idle_subtracted_j, "J/tok", NUM, LOWER, OURS,
       "sum over GPUs of (energy - idle power * measured time) / total_output_tokens",
       "energy per output token above idle power; null if the idle power was not measured or is higher")
FIGURE(prompt_token_offset_median, "tok", NUM, NEITHER, OURS, "median over S of (usage - asked)",
       "prompt tokens that the server counts in addition to the requested ones: template and special tokens")

STATISTIC(mean, NAN)
STATISTIC(median, 50)
STATISTIC(p90, 90)
STATISTIC(p99, 99)

RATE(REQUESTS, request_throughput)
RATE(GOOD, request_goodput)
RATE(INPUT, input_throughput)
RATE(SEQUENCES, input_sequence_throughput)
RATE(OUTPUT, output_throughput)
RATE(TOKENS, total_token_throughput)

#undef FAMILY
#undef FIGURE
#undef STATISTIC
#undef RATE
