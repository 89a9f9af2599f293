#include "run/client/profile_window.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"
#include "host/telemetry/metrics_page.h"
#include "run/context.h"
#include "run/target.h"

#define PAGE_TIMEOUT_NS (10 * PL_NS_PER_S)
/* A profiler writes its traces before it responds: minutes for a large model. */
#define FLUSH_TIMEOUT_NS (600 * PL_NS_PER_S)
/* Between two looks at /metrics. */
#define LOOK_NS (100 * PL_NS_PER_MS)

struct run_profile_window {
	const struct run_context *run;
	const struct run_target *target;
	pthread_t thread;
	bool runs;
	struct pl_pause pause;
	bool profiled; /* the thread's until it has ended */
};

static bool is_full(const struct run_profile_window *window)
{
	auto_reply reply = { 0 };
	struct host_metrics metrics;

	if (run_target_fetch(window->target, "/metrics", PAGE_TIMEOUT_NS, &reply, PL_ERR_IGNORED) <
		    0 ||
	    reply.status != 200 ||
	    host_metrics_parse(reply.body, reply.body_len, &metrics, PL_ERR_IGNORED) < 0)
		return false;
	return metrics.running >= (double)window->run->experiment->bench.profile_batch_threshold;
}

static bool ask(const struct run_profile_window *window, const char *path, int64_t timeout_ns)
{
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (run_target_post(window->target, path, timeout_ns, &window->run->stop->hurry, &reply,
			    &err) < 0)
		run_log(window->run, "note: '%s': %s", path, err.text);
	else if (reply.status != 200)
		run_log(window->run,
			"note: '%s' returned status %d; to profile, start the server with a "
			"profiler_config",
			path, reply.status);
	return err.code == PL_ERR_NONE && reply.status == 200;
}

static void *watch(void *data)
{
	struct run_profile_window *window = data;
	int64_t length_ns = (int64_t)(window->run->experiment->bench.profile_duration *
				      PL_NS_PER_S);

	while (!is_full(window)) {
		if (!pl_pause_until(&window->pause, pl_clock_now_ns() + LOOK_NS))
			return NULL;
	}
	if (!ask(window, "/start_profile", PAGE_TIMEOUT_NS))
		return NULL;
	window->profiled = true;
	run_log(window->run, "note: the profiler of the server is running, which affects the "
			     "metrics");
	(void)pl_pause_until(&window->pause, pl_clock_now_ns() + length_ns);
	ask(window, "/stop_profile", FLUSH_TIMEOUT_NS);
	return NULL;
}

int run_profile_window_start(const struct run_context *run, const struct run_target *target,
			     struct run_profile_window **ret, struct pl_err *err)
{
	struct run_profile_window *window = pl_alloc(sizeof(*window));

	window->run = run;
	window->target = target;
	pl_pause_init(&window->pause);
	if (pl_thread_start(&window->thread, watch, window, err) < 0) {
		run_profile_window_free(window);
		return -1;
	}
	window->runs = true;
	*ret = window;
	return 0;
}

bool run_profile_window_stop(struct run_profile_window *window)
{
	if (window == NULL || !window->runs)
		return false;
	pl_pause_end(&window->pause);
	pthread_join(window->thread, NULL);
	window->runs = false;
	if (!window->profiled)
		run_log(window->run,
			"note: the server never ran profile_batch_threshold (%lld) requests at "
			"once, so nothing was profiled",
			(long long)window->run->experiment->bench.profile_batch_threshold);
	return window->profiled;
}

void run_profile_window_free(struct run_profile_window *window)
{
	if (window == NULL)
		return;
	/* a run that ends early did not stop it */
	if (window->runs) {
		pl_pause_end(&window->pause);
		pthread_join(window->thread, NULL);
	}
	pl_pause_done(&window->pause);
	free(window);
}
