/*
 * The measured window: counters of this process, the host and the server between its start and its end. The end reads
 * them in reverse order of the start, so the CPU time of the load covers the innermost span.
 */
#include "run/steps/window.h"

#include <sys/resource.h>

#include "base/clock.h"
#include "run/stop.h"
#include "run/target.h"
#include "run/telemetry.h"

/* How long the server may take to count the requests it has just finished. */
#define SETTLE_TRIES   20
#define SETTLE_WAIT_NS (50 * PL_NS_PER_MS)

static int64_t involuntary_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

void run_window_begin(struct run_window *window, const struct run_telemetry *telemetry)
{
	host_stolen_read(&window->stolen_before);
	/* negative until the end adds the count at that time */
	window->involuntary_switches = -involuntary_switches();
	window->start_ns = host_telemetry_begin(telemetry->host);
	window->cpu_ns = -pl_clock_cpu_process_ns();
}

void run_window_end(struct run_window *window, const struct run_telemetry *telemetry)
{
	struct host_stolen after;

	window->cpu_ns += pl_clock_cpu_process_ns();
	window->end_ns = host_telemetry_end(telemetry->host);
	window->involuntary_switches += involuntary_switches();
	host_stolen_read(&after);
	window->stolen_share = host_stolen_share(&window->stolen_before, &after);
	window->withheld_share = host_withheld_share(&window->stolen_before, &after);
}

void run_window_settled(const struct run_target *target, struct host_metrics_sample *ret,
			struct host_latencies *ret_latencies)
{
	struct host_metrics_source source = run_telemetry_source(target);

	*ret = (struct host_metrics_sample){ .known = false };
	for (int i = 0; i < SETTLE_TRIES; i++) {
		if (host_metrics_fetch(&source, ret, ret_latencies, PL_ERR_IGNORED) < 0)
			return;
		/* NaN is not above 0 */
		if (!(ret->metrics.running + ret->metrics.waiting > 0) ||
		    run_stop_signal(target->stop) != 0)
			return;
		pl_clock_sleep_until(pl_clock_now_ns() + SETTLE_WAIT_NS);
	}
}
