/*
 *	/start_profile ─> requests ─> /stop_profile ─> files complete        (while the server runs)
 *	                                                     ─> files moved  (after its end)
 *
 * The first ^C ends the requests, and leaves the server time to write what it has; the second ends all waits.
 */
#include "run/profile/profile.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "experiment/profiling.h"
#include "run/client/client.h"
#include "run/client/silence.h"
#include "run/context.h"
#include "run/launch.h"
#include "run/route.h"
#include "run/steps/identity.h"
#include "run/steps/plan.h"
#include "run/steps/server.h"
#include "run/watch/watch.h"

#define START_TIMEOUT_NS (30 * PL_NS_PER_S)
/* A profiler writes its traces before it responds: minutes for a large model. */
#define STOP_TIMEOUT_NS (600 * PL_NS_PER_S)
#define HURRY_NS        (10 * PL_NS_PER_S) /* after ^C */
#define LOOK_NS         (100 * PL_NS_PER_MS)
#define QUIET_NS        PL_NS_PER_S /* without a change, while all files are complete */
#define REQUESTS_NS     (600 * PL_NS_PER_S)

static void note(const struct run_context *run, struct run_profile *profile, const char *format,
		 ...) PL_PRINTF(3, 4);

/* Records an error; the first one is the cause of the others. */
static void note(const struct run_context *run, struct run_profile *profile, const char *format,
		 ...)
{
	va_list args;

	va_start(args, format);
	auto_free char *text = pl_vasprintf(format, args);
	va_end(args);
	run_log(run, "note: profiling: %s", text);
	if (profile->error == NULL)
		profile->error = pl_take(text);
}

/* ---- the server's profiler ---- */

static void start_profiler(const struct run_client_input *in, struct run_profile *profile)
{
	const struct run_target *target = &in->route->target;
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (run_target_post(target, "/start_profile", START_TIMEOUT_NS, &in->run->stop->reason,
			    &reply, &err) < 0) {
		/* it may have started anyway, and must be stopped then */
		profile->has_started = err.code == PL_ERR_TIMEOUT;
		note(in->run, profile, "could not start the profiler: %s", err.text);
	} else if (reply.status == 404 || reply.status == 405) {
		note(in->run, profile,
		     "the server has no profiler (POST /start_profile returned status %d); start "
		     "it "
		     "with %s",
		     reply.status,
		     exp_profiling_has_argument(in->run->experiment) ? "--profiler-config"
								     : "VLLM_TORCH_PROFILER_DIR");
	} else if (reply.status != 200) {
		note(in->run, profile,
		     "could not start the profiler: POST /start_profile returned status %d",
		     reply.status);
	} else {
		profile->has_started = true;
	}
}

static void stop_profiler(const struct run_client_input *in, struct run_profile *profile)
{
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (run_target_post(&in->route->target, "/stop_profile", STOP_TIMEOUT_NS,
			    &in->run->stop->hurry, &reply, &err) < 0)
		note(in->run, profile, "could not stop the profiler: %s", err.text);
	else if (reply.status != 200)
		note(in->run, profile,
		     "could not stop the profiler: POST /stop_profile returned status %d",
		     reply.status);
}

/* ---- the requests ---- */

/* Turned prompts, as in warm-ups: a prefix cache has seen the measured ones. */
static void send_requests(const struct run_client_input *in, const struct run_measured *measured,
			  size_t count, struct run_profile *profile)
{
	const struct run_context *run = in->run;
	struct run_plan_input input = {
		.bench = &run->experiment->bench,
		.adapter = in->route->adapter,
		.model = in->identity->model,
	};
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	struct bench_load load = run_route_load(run, in->route);
	auto_free struct bench_request *requests = NULL;
	char **bodies = NULL;
	struct pl_err err = PL_ERR_INIT;

	int done = run_plan_warmups(measured->plan, &input, count, &requests, &bodies, &err);
	load.requests = requests;
	load.count = count;
	load.run_timeout_ns = REQUESTS_NS;
	if (done == 0)
		done = run_silence_load(&in->route->target, &load, &outcome, &err);
	for (size_t i = 0; i < count; i++)
		free(bodies[i]);
	free(bodies);
	if (done < 0) {
		note(run, profile, "could not send the requests: %s", err.text);
		return;
	}
	size_t failed = count;
	for (size_t i = 0; i < outcome->count; i++)
		failed -= outcome->records[i].ok;
	if (failed > 0)
		note(run, profile, "%zu of %zu requests failed while the profiler was running",
		     failed, count);
}

/* ---- the files ---- */

static bool may_wait(const struct run_client_input *in, int64_t *due_ns)
{
	const struct run_stop *stop = in->run->stop;
	int64_t now_ns = pl_clock_now_ns();

	if (run_stop_signal(stop) != 0 && *due_ns > now_ns + HURRY_NS)
		*due_ns = now_ns + HURRY_NS;
	return now_ns < *due_ns && atomic_load(&stop->hurry) == 0 &&
	       !run_server_ended(in->server, 0);
}

/* All files are complete, and for a second nothing has changed: ranks finish at different times. */
static void wait_for_files(const struct run_client_input *in, int64_t timeout_ns,
			   struct run_profile *profile)
{
	struct run_traces *traces = &profile->traces;
	int64_t due_ns = pl_clock_now_ns() + timeout_ns, changed_ns = pl_clock_now_ns();
	const char *incomplete = NULL;
	char limit[32];

	for (;;) {
		bool has_changed = run_traces_look(traces);
		if (has_changed)
			changed_ns = pl_clock_now_ns();
		/* read only what has stopped growing */
		incomplete = has_changed ? "" : run_traces_find_incomplete(traces);
		if (incomplete == NULL && traces->count > 0 &&
		    pl_clock_now_ns() - changed_ns >= QUIET_NS)
			return;
		if (!may_wait(in, &due_ns))
			break;
		run_server_pause(in->server, LOOK_NS);
	}
	incomplete = run_traces_find_incomplete(traces);
	pl_text_from_duration(timeout_ns, limit, sizeof(limit));
	if (run_server_ended(in->server, 0))
		note(in->run, profile, "the server ended before the traces were complete");
	else if (run_stop_signal(in->run->stop) != 0 && (incomplete != NULL || traces->count == 0))
		note(in->run, profile, "the run was stopped before the traces were complete");
	else if (traces->count == 0)
		note(in->run, profile, "the server wrote no trace to '%s' within %s", traces->dir,
		     limit);
	else if (incomplete != NULL)
		note(in->run, profile, "trace '%s' was not complete after %s", incomplete, limit);
}

static void profile(const struct run_client_input *in, const struct run_measured *measured,
		    const struct exp_profiling *profiling, struct run_profile *ret)
{
	const struct run_context *run = in->run;

	start_profiler(in, ret);
	if (!ret->has_started)
		return;
	send_requests(in, measured, (size_t)profiling->num_prompts, ret);
	run_log(run, "waiting for the server to write its traces");
	run_watch_profiling(run->watch, "waiting for the traces");
	stop_profiler(in, ret);
	if (in->launch->trace_dir != NULL)
		wait_for_files(in, profiling->flush_timeout_ns, ret);
	else
		note(run, ret,
		     "the traces are where the server writes them; set profiling.dir to collect "
		     "them from a directory of this host");
}

int run_profile_take(const struct run_client_input *in, const struct run_measured *measured,
		     struct run_profile *ret)
{
	const struct run_context *run = in->run;
	struct exp_profiling profiling;

	exp_profiling_read(run->experiment, &profiling);
	if (!profiling.enabled || measured->plan == NULL || run_stop_signal(run->stop) != 0)
		return 0;
	ret->is_requested = true;
	run_log(run, "profiling %lld requests", (long long)profiling.num_prompts);
	if (in->launch->trace_dir != NULL)
		run_traces_begin(in->launch->trace_dir, &ret->traces);
	run_watch_profiling(run->watch, "profiling a few requests");
	profile(in, measured, &profiling, ret);
	run_watch_profiling(run->watch, NULL);
	return 0;
}

void run_profile_collect(const char *result, const char *run_id, bool copies,
			 struct run_profile *profile)
{
	struct run_traces *traces = &profile->traces;
	struct pl_err err = PL_ERR_INIT;

	if (traces->dir == NULL)
		return;
	if (profile->has_started) {
		(void)run_traces_look(traces);
		if (run_traces_move(traces, result, run_id, copies, &err) < 0 &&
		    profile->error == NULL)
			profile->error = pl_strdup(err.text);
		if (traces->is_full && profile->error == NULL)
			profile->error = pl_asprintf("the server wrote more than %d traces",
						     RUN_TRACES_MAX);
	}
}

void run_profile_remove_dir(const char *dir, const char *mark)
{
	auto_free char *name = dir != NULL ? pl_file_name(dir) : NULL;

	/* only what run_profile_setup() made; fails if a file is left in it */
	if (pl_text_equal(name, mark))
		(void)!rmdir(dir);
}

void run_profile_done(struct run_profile *profile)
{
	run_traces_done(&profile->traces);
	free(profile->error);
	profile->error = NULL;
}
