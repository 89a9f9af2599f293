/*
 * The checks behind the verdict of a result: one row per check, in the order of results.
 *
 * FACT(name, text)  a double that checks use; NaN: unknown, share: 0 to 1, yes or no: 1 or 0
 *
 * QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action)
 *   about   FIGURES: how far the client may have changed a metric; LOAD: how the sent load differs from the configured one;
 *           CLIENT: a possible reason for either, harmless alone; RUN: the server, the sample size and the counting
 *   unit    of value and limit: ms us s count, share (0 to 1), yes (1: it is so, 0: it is not)
 *   sense   MOST: over limit if value > limit; LEAST: if value < limit
 *   limit   the base limit; value_ID() in result/quality.c may widen it
 *   effect  the verdict if the check is over its limit: INFO DEGRADED CLIENT_LIMITED
 *   worse   when worse_effect applies instead: NEVER, ABOVE(x) if value > x, BELOW(x) if value < x
 *   text    definition of the value and the limit; a lowercase fragment
 *   finding what happened if the check is over its limit; a lowercase sentence without a period
 *   action  what the user does then, with keys and flags; a lowercase imperative without a period
 * Undefined macros are skipped; a file that defines a macro undefines it after the include.
 */
#ifndef FACT
#define FACT(name, text)
#define NO_FACT
#endif
#ifndef QUALITY
#define QUALITY(id, about, unit, sense, limit, effect, worse, worse_effect, text, finding, action)
#define NO_QUALITY
#endif

FACT(completed, "completed requests")
FACT(failed, "failed requests")
FACT(retries, "attempts after the first one of each request")
FACT(reasonless, "completed requests whose response has no finish reason")
FACT(lacking_done, "completed requests whose stream had no closing [DONE]")
FACT(output_off_share, "share of completed requests whose output length differs from the requested one")
FACT(output_off, "number of these requests")
FACT(output_counted, "completed requests with a known output length and a known requested length")
FACT(output_asked, "requested tokens of output_counted")
FACT(output_received, "received tokens of output_counted")
FACT(output_exact, "1: each of these requests had to have exactly the requested length; 0: they could end earlier")
FACT(prompt_off_share, "share of completed requests whose prompt length differs from the requested one by a different amount than the median of the run")
FACT(outputless_share, "share of completed streams without an event with output")
FACT(usage_below_share, "share of completed requests whose usage is below their number of events with output")
FACT(buffered_share, "share of completed streams of two or more tokens that arrived in one piece")
FACT(empty_first_share, "share of completed streams whose first event had no output and came well before the output")
FACT(measured_s, "results.duration")
FACT(median_itl_ms, "median ITL, which sets a limit, as the next two facts do")
FACT(median_ttft_ms, "results.median_ttft_ms")
FACT(mean_e2el_ms, "results.mean_e2el_ms")
FACT(median_e2el_ms, "results.median_e2el_ms")
FACT(client_error_share, "client error bound of the worst headline metric, whose name is stored next to the facts")
FACT(client_error_limit, "limit of that share")
FACT(client_error_lo_ms, "largest decrease compared to a perfect client: 0 or less")
FACT(client_error_hi_ms, "largest increase compared to a perfect client: 0 or more")
FACT(closed_loop, "1: free slots of max_concurrency set the sends; 0: a rate, a trace or the start does")
FACT(burst, "1: all requests were planned for the start and none waited; 0: otherwise")
FACT(rate_reached, "planned time span of the sends that did not wait for the concurrency limit, divided by their actual one")
FACT(gap_distance, "distance between the distributions of planned and actual gaps, 0 to 1")
FACT(send_lateness_ms, "p99 (p95 below 100 requests) of (actual - ideal start)")
FACT(mean_gap_ms, "mean gap of the ideal starts")
FACT(in_flight_distance, "integral of |planned - actual in flight| divided by the planned one")
FACT(client_queueing_p99_ms, "p99 of (user - kernel timestamp)")
FACT(schedule_finite, "1: finite rate or trace; 0: otherwise")
FACT(schedule_lateness_p99_ms, "p99 of (actual - planned start) of requests that did not wait for the concurrency limit")
FACT(schedule_lateness_p95_ms, "p95 of (actual - planned start) of requests that did not wait for the concurrency limit")
FACT(schedule_requests, "number of requests in schedule_lateness_p99_ms and schedule_lateness_p95_ms")
FACT(cap_held_share, "share of requests that waited for the concurrency limit; unknown without one")
FACT(worker_cpu_share_max, "CPU share of the busiest worker")
FACT(host_steal_share, "share of CPU time that the host took from this virtual machine")
FACT(host_withheld_share, "share of CPU time that the cgroup of the client withheld")
FACT(clock_step_ms, "change of (realtime - monotonic) during the run")
FACT(inflight_samples, "samples of /metrics with at least 4 requests of the client")
FACT(inflight_disagreement, "median difference of the two counts, divided by the client's count")
FACT(merged_token_share, "share of tokens that arrived in one read with another token")
FACT(output_token_disagreement, "difference between usage and the ids or the tokenizer, as a share")
FACT(prompt_token_disagreement, "difference of prompt tokens as a share, less the median of the run")
FACT(tokens_by_events, "1: the client counts one token per event")
FACT(record_identity_us, "larger error of the two identities")
FACT(littles_law_share, "|∫inflight - Σ durations| / ∫")
FACT(prefix_hit_share, "measured share, 0 to 1")
FACT(prefix_hit_expected, "share in the dataset, 0 to 1")
FACT(foreign_load, "1: other requests or processes seen")
FACT(throttled_share, "share of samples with a thermal or power-brake reason")
FACT(server_restarted, "1: counters decreased or the start time changed")
FACT(preemptions, "preemptions of the server during the run")
FACT(config_mismatch, "arguments set explicitly that the server reports with another value")
FACT(profiled, "1: the server accepted the request to profile the load")
FACT(totals_off_share, "largest difference of a rate or total of a file from its counts and duration, as a share")
FACT(order_off_share, "largest violation of the order of the statistics in a file (such as p50 above p99), as a share")
FACT(impossible_zeros, "number of metrics of a file (such as TTFT) whose times are all 0, although requests were measured")
FACT(lists_off_share, "largest difference between a metric of a file and the same metric computed from the file's lists of requests, as a share")
FACT(requests_missing_share, "share of requests that a file counts neither as completed nor as failed")
FACT(simulated, "1: the engine is a simulator")

QUALITY(client_error, FIGURES, "share", MOST, 0.02, DEGRADED, ABOVE(0.10), CLIENT_LIMITED,
	"how much the load generator may have changed the most affected metric; limit: 2 % of the metric or 0.1 ms, whichever is more",
	"the load generator may have changed a latency by more than the limit",
	"run the client on idle CPU cores, raise benchmark.threads (--threads), or send less load")
QUALITY(rate_shortfall, LOAD, "share", LEAST, 0.98, DEGRADED, BELOW(0.95), CLIENT_LIMITED,
	"planned time span of the sends divided by the actual one; below the limit, the requested rate was not reached",
	"the load generator sent requests more slowly than the configured rate",
	"raise benchmark.threads (--threads), give the client idle CPU cores, or lower benchmark.request_rate (--request-rate)")
QUALITY(gap_distance, LOAD, "share", MOST, 0.10, DEGRADED, NEVER, DEGRADED,
	"distance between the distributions of planned and actual gaps between sends; above the limit, the arrivals differ from the requested ones",
	"the gaps between sent requests differ from the configured arrivals",
	"run the client on idle CPU cores, raise benchmark.threads (--threads), or lower benchmark.request_rate (--request-rate)")
QUALITY(send_lateness, LOAD, "share", MOST, 0.05, DEGRADED, NEVER, DEGRADED,
	"p99 (p95 below 100 requests) of the send lateness, as a share of the median E2EL; limit 0.05 or half of the mean gap, whichever is larger; 0.10 if all requests start at once",
	"the load generator sent requests late",
	"run the client on idle CPU cores, raise benchmark.threads (--threads), or lower benchmark.request_rate (--request-rate)")
QUALITY(in_flight_distance, LOAD, "share", MOST, 0.05, DEGRADED, NEVER, DEGRADED,
	"planned requests in flight that late sends removed, as a share of the planned ones over time",
	"late sends left fewer requests in flight than configured",
	"run the client on idle CPU cores, raise benchmark.threads (--threads), or lower benchmark.request_rate (--request-rate)")
QUALITY(idle_slots, LOAD, "share", MOST, 0.05, DEGRADED, ABOVE(0.10), CLIENT_LIMITED,
	"share of the time of all max_concurrency request slots that was empty because the client sent requests late; over the limit, the server received less load than requested",
	"the load generator kept fewer requests in flight than max_concurrency",
	"raise benchmark.threads (--threads), give the client idle CPU cores, or lower benchmark.max_concurrency (--max-concurrency)")
QUALITY(concurrency_limited, RUN, "share", MOST, 0.05, INFO, NEVER, INFO,
	"requests that waited for max_concurrency at a finite rate; above the limit, the offered rate was below the requested one",
	"max_concurrency delayed requests, so the server received a lower rate than configured",
	"raise benchmark.max_concurrency (--max-concurrency), or lower benchmark.request_rate (--request-rate)")
QUALITY(client_queueing, CLIENT, "ms", MOST, 3, INFO, NEVER, INFO,
	"p99 of the time that received bytes waited before the client read them; limit 3 ms or 10 % of the median ITL, whichever is larger",
	"received bytes waited before the client read them",
	"run the client on idle CPU cores, or raise benchmark.threads (--threads)")
QUALITY(schedule_lateness, CLIENT, "ms", MOST, 2, INFO, NEVER, INFO,
	"p99 (p95 below 100 requests) of the schedule lateness; limit 2 ms or 5 % of the median TTFT, whichever is larger",
	"requests left the client after their planned times",
	"run the client on idle CPU cores, or raise benchmark.threads (--threads)")
QUALITY(client_cpu, CLIENT, "share", MOST, 0.80, INFO, NEVER, INFO,
	"CPU share of the busiest worker",
	"a worker of the load generator used most of its CPU core",
	"raise benchmark.threads (--threads), or run the client on faster CPU cores")
QUALITY(host_steal, CLIENT, "share", MOST, 0.05, INFO, ABOVE(0.10), DEGRADED,
	"CPU time that the host took from this virtual machine; it also delays the timestamps of the kernel",
	"the hypervisor took CPU time from the client's machine",
	"run the client on a machine with dedicated CPU cores")
QUALITY(host_withheld, CLIENT, "share", MOST, 0.05, INFO, NEVER, INFO,
	"CPU time that the cgroup of this process withheld",
	"the CPU quota of the cgroup throttled the client",
	"raise the CPU limit of the client's container")
QUALITY(clock_step, CLIENT, "ms", MOST, 1, INFO, NEVER, INFO,
	"change of the wall clock relative to the monotonic clock during the run; until the clock offset is measured again, kernel receive timestamps are off by this change",
	"the wall clock of the client's machine jumped during the run",
	"wait until the time synchronization has settled, then repeat the run")
QUALITY(merged_events, CLIENT, "share", MOST, 0.05, INFO, NEVER, INFO,
	"tokens that arrived in one read or event with another token, because the server merged them or the client read late; the gaps between them are unknown",
	"several tokens arrived at once, so the gaps between them are unknown",
	"set server.stream_interval to 1, and run the client on idle CPU cores")
QUALITY(inflight_agreement, RUN, "share", MOST, 0.10, DEGRADED, NEVER, DEGRADED,
	"median difference between the server's count of running and waiting requests and the client's count",
	"the server counts a different number of requests in flight than the client",
	"stop the other clients of the server, or connect without the proxy between them")
QUALITY(token_agreement, RUN, "share", MOST, 0.01, DEGRADED, NEVER, DEGRADED,
	"difference between the server's token counts and the token ids, the tokenizer or the requested lengths; the larger of output and prompt",
	"the token counts of the server differ from those of the client",
	"check that benchmark.tokenizer (--tokenizer) is the tokenizer of the model")
QUALITY(token_source, RUN, "yes", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"the client counts one token per event, and the server may send several tokens in one event",
	"the server reported no token counts, so one event counts as one token",
	"remove stream_options from benchmark.extra_body (--extra-body), or use a server that sends usage")
QUALITY(record_identity, RUN, "us", MOST, 1, DEGRADED, NEVER, DEGRADED,
	"largest error of a request in TTFT + gaps = E2EL and TTFT + TPOT (n - 1) = E2EL",
	"the times of a request contradict each other",
	"do not use its latencies; report the result file as a bug of profllm")
QUALITY(littles_law, RUN, "share", MOST, 0.001, DEGRADED, NEVER, DEGRADED,
	"difference between the time integral of the in-flight counter and the sum of the request durations",
	"the requests in flight contradict the durations of the requests",
	"do not use its throughput; report the result file as a bug of profllm")
QUALITY(prefix_hits, RUN, "share", MOST, 0.02, DEGRADED, NEVER, DEGRADED,
	"prefix-cache hits beyond those of the dataset itself: the server had processed these prompts before; use another seed or reset the cache",
	"the prefix cache of the server had prompts that the dataset does not repeat",
	"use another benchmark.seed (--seed), or restart the server to empty its prefix cache")
QUALITY(foreign_load, RUN, "yes", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"other requests at the server, or other processes on the GPUs of the run",
	"other requests or processes used the server or its GPUs during the run",
	"stop them ('profllm gpus' lists the processes), then repeat the run")
QUALITY(throttling, RUN, "share", MOST, 0.01, DEGRADED, NEVER, DEGRADED,
	"GPU samples with a thermal or power-brake reason",
	"a GPU lowered its clock because of heat or a power brake",
	"improve the cooling or the power supply of the GPU, then repeat the run")
QUALITY(profiled, RUN, "yes", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"the profiler of the server ran during the load and made the server slower",
	"the profiler slowed the server down",
	"repeat the run with benchmark.profile false (without --profile)")
QUALITY(server_restart, RUN, "yes", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"counters of the server decreased, or its start time changed",
	"the server restarted during the run",
	"find the cause in the server log, then repeat the run")
QUALITY(config_mismatch, RUN, "count", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"explicit arguments that the server reports with another value; values that vLLM resolves itself (auto, null, -1) do not count",
	"the server runs with other values than the configured arguments",
	"compare the arguments and the server log, correct the configuration, then repeat the run")
QUALITY(preemptions, RUN, "count", MOST, 0, INFO, NEVER, INFO,
	"requests that the server preempted during the run",
	"the server ran out of KV cache and preempted requests",
	"raise server.gpu_memory_utilization, or lower server.max_num_seqs")
QUALITY(sample_size, RUN, "count", LEAST, 0, INFO, NEVER, INFO,
	"finished requests; the limit is the number that a 95 % CI of the most extreme reported percentile needs",
	"too few requests finished for the most extreme percentile",
	"raise benchmark.num_prompts (--num-prompts), or ignore that percentile")
QUALITY(short_run, RUN, "s", LEAST, 10, INFO, NEVER, INFO,
	"measured time; limit 10 s or 3 times the mean E2EL, whichever is larger",
	"the run was short, so its start and end weigh heavily",
	"raise benchmark.num_prompts (--num-prompts) until the run lasts at least 10 s and 3 times the mean E2EL")
QUALITY(failures, RUN, "count", MOST, 0, INFO, NEVER, INFO,
	"failed requests",
	"some requests failed and are not part of the latencies",
	"read the errors of the failed requests, then repeat the run")
QUALITY(finish_reasons, RUN, "count", MOST, 0, INFO, NEVER, INFO,
	"finished requests whose response named no finish reason; only its last event and its token count show that it is complete",
	"responses named no finish reason",
	"check that the server or its proxy sends finish_reason")
QUALITY(stream_end, RUN, "count", MOST, 0, INFO, NEVER, INFO,
	"finished requests whose stream had no closing [DONE] event; a finish reason and the end of the HTTP response are used instead",
	"streams ended without a closing [DONE] event",
	"check whether the server or its proxy closes streams early")
QUALITY(output_length, RUN, "share", MOST, 0.01, DEGRADED, NEVER, DEGRADED,
	"finished requests whose output length differs from the requested one; no limit if outputs may end earlier",
	"responses do not have the requested length",
	"set benchmark.ignore_eos (--ignore-eos), and check server.max_model_len")
QUALITY(prompt_length, RUN, "share", MOST, 0.01, INFO, NEVER, INFO,
	"finished requests whose prompt tokens by usage differ from the plan by a different number than the median of the run (the chat template)",
	"the server counted prompts of other lengths than planned",
	"check that benchmark.tokenizer (--tokenizer) is the tokenizer of the model")
QUALITY(empty_output, RUN, "share", MOST, 0, INFO, ABOVE(0.999999), DEGRADED,
	"finished requests without any output",
	"responses have no output",
	"send one request by hand, and check the chat template and the reasoning parser of the server")
QUALITY(usage_contradiction, RUN, "share", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"finished requests whose usage counts fewer tokens than their events with output; the events are counted instead",
	"the server counted fewer tokens than it sent events with output",
	"compare token counts only with results of the same server")
QUALITY(buffered_stream, RUN, "share", MOST, 0.50, DEGRADED, NEVER, DEGRADED,
	"streams of two or more tokens that arrived in one piece, as from a buffering proxy; their TTFT, TPOT and ITL are not those of the server",
	"responses arrived in one piece, so TTFT, TPOT and ITL are not those of the server",
	"connect to the server directly, or turn off buffering in the proxy")
QUALITY(empty_first_event, RUN, "share", MOST, 0.01, INFO, NEVER, INFO,
	"streams whose first event had no output and arrived at least 1 ms and 5 % of the time before the first token; TTFT ends at such an event, First Token does not",
	"streams began with an empty event, so TTFT ends before the first token",
	"use First Token instead of TTFT")
QUALITY(retries, RUN, "count", MOST, 0, INFO, NEVER, INFO,
	"attempts after the first; the latencies of retried requests include the failed attempts and the pauses",
	"latencies include failed attempts and the pauses after them",
	"find out why requests failed, or do not configure retries")
QUALITY(totals_agreement, RUN, "share", MOST, 0.01, DEGRADED, NEVER, DEGRADED,
	"largest difference between a rate or total in the file and the same value computed from its counts and duration",
	"the totals of the file contradict its counts and duration",
	"check which program wrote or changed the file; measure again with 'profllm run'")
QUALITY(statistics_order, RUN, "share", MOST, 0.001, DEGRADED, NEVER, DEGRADED,
	"largest contradiction among the statistics of a file: percentiles that decrease, a mean outside the range of the percentiles, or a TTFT above the E2EL",
	"the statistics of the file contradict each other",
	"check which program wrote or changed the file; measure again with 'profllm run'")
QUALITY(impossible_zeros, RUN, "count", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"number of metrics of a file (such as TTFT) whose times are all 0, although requests were measured",
	"the file reports times of 0 for requests that finished",
	"ignore these metrics; vllm bench serve writes them for servers that do not stream")
QUALITY(lists_agreement, RUN, "share", MOST, 0.01, DEGRADED, NEVER, DEGRADED,
	"largest difference between a metric of a file and the same metric computed from the file's lists of requests",
	"the metrics of the file contradict its lists of requests",
	"check which program wrote or changed the file; measure again with 'profllm run'")
QUALITY(request_count, RUN, "share", MOST, 0, INFO, NEVER, INFO,
	"share of planned requests that a file counts neither as finished nor as failed; possible causes: the dataset had too few prompts, or a part of the results is missing",
	"some planned requests are missing from the file",
	"check that the dataset has enough prompts and that the file is complete")
QUALITY(simulated, RUN, "yes", MOST, 0, INFO, NEVER, INFO,
	"the engine is a simulator: the metrics are not those of real hardware",
	"a simulator sent the responses, so the metrics are not those of real hardware",
	"measure a real server before you draw conclusions about hardware")

#ifdef NO_FACT
#undef FACT
#undef NO_FACT
#endif
#ifdef NO_QUALITY
#undef QUALITY
#undef NO_QUALITY
#endif
