/*
 * Every check that a result's numbers must pass before they are believed: one row a check, in the
 * order in which results list them.
 *
 * FACT(name, text)  what checks go by, a double each: NaN is "not known", shares are 0 to 1, what is so or not is 1 or 0
 *
 * QUALITY(id, unit, sense, limit, effect, worse, worse_effect, text)
 *   unit    of value and limit: ms us s count, share (0 to 1), yes (1: it is so, 0: it is not)
 *   sense   MOST: beyond when value > limit; LEAST: beyond when value < limit
 *   limit   the base; value_ID() in result/quality.c may widen it by what was measured
 *   effect  of a check that is beyond: INFO DEGRADED CLIENT_LIMITED
 *   worse   NEVER, ABOVE(x): worse_effect when value > x, TIMES(k): when value >= k times the limit
 *   text    what the check says, lower case, no full stop
 * Undefined macros are skipped; who defines one undefines it.
 */
#ifndef FACT
#define FACT(name, text)
#define NO_FACT
#endif
#ifndef QUALITY
#define QUALITY(id, unit, sense, limit, effect, worse, worse_effect, text)
#define NO_QUALITY
#endif

FACT(completed, "finished requests")
FACT(failed, "failed requests")
FACT(retries, "tries beyond a request's first")
FACT(reasonless, "finished requests whose answer named no finish reason")
FACT(measured_s, "results.duration")
FACT(median_itl_ms, "a limit follows from it, as from the next two")
FACT(median_ttft_ms, "results.median_ttft_ms")
FACT(mean_e2el_ms, "results.mean_e2el_ms")
FACT(client_queueing_p99_ms, "user - kernel stamp")
FACT(schedule_finite, "1: finite rate or trace; 0: not")
FACT(schedule_lateness_p99_ms, "acted - planned of requests the cap did not hold")
FACT(schedule_lateness_p95_ms, "the same at p95")
FACT(schedule_requests, "how many the two are over")
FACT(planned_span_s, "start of sending to the last planned send, uncapped requests")
FACT(actual_span_s, "the same to the last actual send")
FACT(cap_held_share, "requests that the cap held; not known without one")
FACT(worker_cpu_share_max, "of the busiest worker")
FACT(host_steal_share, "of the CPU time")
FACT(clock_step_ms, "change of realtime - monotonic over the run")
FACT(inflight_samples, "/metrics samples with ours >= 4")
FACT(inflight_disagreement, "median distance / ours")
FACT(merged_token_share, "tokens that came with another one in their segment")
FACT(output_token_disagreement, "share by usage against ids or tokenizer")
FACT(prompt_token_disagreement, "share, the run's median difference taken off")
FACT(tokens_by_events, "1: tokens are counted by events")
FACT(record_identity_us, "worst of the two identities")
FACT(littles_law_share, "|∫inflight - Σ durations| / ∫")
FACT(prefix_hit_share, "measured, 0..1")
FACT(prefix_hit_expected, "the data set's own")
FACT(foreign_load, "1: other requests or processes seen")
FACT(throttled_share, "samples with a thermal or power-brake reason")
FACT(server_restarted, "1: counters fell or start time moved")
FACT(preemptions, "the server's in the run")
FACT(profiled, "1: the server was asked to profile the load and did not refuse")
FACT(simulated, "1: the engine is a simulator")

QUALITY(client_queueing, "ms", MOST, 3, DEGRADED, TIMES(5), CLIENT_LIMITED,
	"p99 of the time that received bytes waited in this client before they were read; limit 3 ms or 10 % of the median ITL, the larger")
QUALITY(schedule_lateness, "ms", MOST, 2, DEGRADED, TIMES(10), CLIENT_LIMITED,
	"p99 (p95 below 100 requests) of how late requests were sent against the schedule; limit 2 ms or 5 % of the median TTFT, the larger")
QUALITY(rate_shortfall, "share", LEAST, 0.98, CLIENT_LIMITED, NEVER, CLIENT_LIMITED,
	"planned span of the sends against the actual span: below the limit the asked rate was not reached")
QUALITY(cap_held_rate, "share", MOST, 0.05, INFO, NEVER, INFO,
	"requests that waited for max_concurrency: the asked rate is not the offered one")
QUALITY(client_cpu, "share", MOST, 0.80, DEGRADED, ABOVE(0.95), CLIENT_LIMITED,
	"CPU share of the busiest load worker")
QUALITY(host_steal, "share", MOST, 0.05, DEGRADED, NEVER, DEGRADED,
	"CPU time stolen from this host or withheld by its control group")
QUALITY(clock_step, "ms", MOST, 1, DEGRADED, NEVER, DEGRADED,
	"change of the wall clock against the monotonic clock during the run: kernel receive stamps are off by it")
QUALITY(inflight_agreement, "share", MOST, 0.10, DEGRADED, NEVER, DEGRADED,
	"median distance of the server's running and waiting requests from the client's own count")
QUALITY(merged_events, "share", MOST, 0.05, INFO, ABOVE(0.20), DEGRADED,
	"tokens that arrived in one segment or event with another: gaps between them are not seen")
QUALITY(token_agreement, "share", MOST, 0.01, DEGRADED, NEVER, DEGRADED,
	"disagreement of the server's token counts with ids, tokenizer or the lengths asked, the larger of output and prompt")
QUALITY(token_source, "yes", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"tokens are counted by events, which the server may merge")
QUALITY(record_identity, "us", MOST, 1, DEGRADED, NEVER, DEGRADED,
	"worst request by the identities TTFT + gaps = E2EL and TTFT + TPOT (n - 1) = E2EL")
QUALITY(littles_law, "share", MOST, 0.001, DEGRADED, NEVER, DEGRADED,
	"time integral of the in-flight counter against the sum of the records' durations")
QUALITY(prefix_hits, "share", MOST, 0.02, DEGRADED, NEVER, DEGRADED,
	"prefix-cache hits above those that the data set itself brings: prompts were seen before; another seed or an emptied cache avoids it")
QUALITY(foreign_load, "yes", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"other requests at the server or other processes on the run's GPUs")
QUALITY(throttling, "share", MOST, 0.01, DEGRADED, NEVER, DEGRADED,
	"GPU samples with a thermal or power-brake reason")
QUALITY(profiled, "yes", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"the server's profiler ran with the load: these are figures of a server that is slower than it is without")
QUALITY(server_restart, "yes", MOST, 0, DEGRADED, NEVER, DEGRADED,
	"the server's counters fell or its start time moved")
QUALITY(preemptions, "count", MOST, 0, INFO, NEVER, INFO,
	"requests that the server preempted during the run")
QUALITY(sample_size, "count", LEAST, 0, INFO, NEVER, INFO,
	"finished requests against what the most demanding reported percentile needs for a 95 % interval")
QUALITY(short_run, "s", LEAST, 10, INFO, NEVER, INFO,
	"measured time; limit 10 s or 3 times the mean E2EL, the larger")
QUALITY(failures, "count", MOST, 0, INFO, NEVER, INFO,
	"failed requests")
QUALITY(finish_reasons, "count", MOST, 0, INFO, NEVER, INFO,
	"finished requests whose answer named no finish reason: its last word and its count of tokens alone say that it is whole")
QUALITY(retries, "count", MOST, 0, INFO, NEVER, INFO,
	"tries beyond the first: the latencies of requests that were tried again hold the failed tries and the pauses")
QUALITY(simulated, "yes", MOST, 0, INFO, NEVER, INFO,
	"the engine is a simulator: these are no figures of real hardware")

#ifdef NO_FACT
#undef FACT
#undef NO_FACT
#endif
#ifdef NO_QUALITY
#undef QUALITY
#undef NO_QUALITY
#endif
