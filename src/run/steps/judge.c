/*
 * Evaluates failed requests. If the server has ended or is unreachable, that is why the run failed, whatever the errors
 * of the requests. Only if it is healthy do failures count individually, against max_error_share.
 */
#include "run/steps/judge.h"

#include "base/clock.h"
#include "base/text.h"
#include "result/outcome.h"
#include "run/context.h"
#include "run/steps/server.h"
#include "run/target.h"

/* After failures that a dying server causes: how long, and how often, it is checked. */
#define AFTER_WAIT_NS  (2 * PL_NS_PER_S)
#define AFTER_LOOK_NS  (50 * PL_NS_PER_MS)
#define AFTER_FETCH_NS PL_NS_PER_S

/* Returns whether it is a failure that a dying server causes. */
static bool is_broken(const struct res_record *record)
{
	static const char *const kinds[] = { "connect", "send", "reset", "truncated",
					     "stream_error" };

	if (record->ok || record->error_kind == NULL)
		return false;
	return PL_TEXT_IS_ONE_OF(record->error_kind, kinds) || record->status >= 500;
}

static bool any_broken(const struct res_outcome *outcome)
{
	for (size_t i = 0; i < outcome->count; i++) {
		if (is_broken(&outcome->records[i]))
			return true;
	}
	return false;
}

/* Returns whether the server reports that it is healthy. One that is not ours only has to respond. */
static bool is_well(const struct run_target *target, const struct run_server *server)
{
	auto_reply reply = { 0 };

	if (run_target_fetch(target, "/health", AFTER_FETCH_NS, &reply, PL_ERR_IGNORED) < 0)
		return false;
	return server->process != NULL ? reply.status == 200 : reply.status > 0;
}

static int fail_unreachable(const struct run_context *run, const struct run_server *server,
			    const struct res_outcome *outcome)
{
	size_t finished = 0;

	for (size_t i = 0; i < outcome->count; i++)
		finished += outcome->records[i].ok;
	return run_fail(run, RES_STATUS_FAILED, RES_CAUSE_UNREACHABLE, PL_ERR_FAILED,
			"the server at '%s' stopped responding after %zu of %zu requests",
			server->url, finished, outcome->count);
}

/*
 * The connections of a dying server break before its process ends, so a single check of the process would find it
 * alive.
 */
int run_judge_server(const struct run_context *run, const struct run_target *target,
		     struct run_server *server, const struct res_outcome *outcome)
{
	int64_t due_ns = pl_clock_now_ns() + AFTER_WAIT_NS;

	if (run_server_ended(server, 0))
		return run_server_died(run, server, RES_STATUS_FAILED);
	if (!any_broken(outcome))
		return 0;
	while (!is_well(target, server)) {
		run_server_pause(server, AFTER_LOOK_NS);
		if (run_server_ended(server, 0))
			return run_server_died(run, server, RES_STATUS_FAILED);
		if (pl_clock_now_ns() < due_ns && run_stop_signal(run->stop) == 0)
			continue;
		/* ours is alive without being healthy: the failures of its requests count individually */
		return server->process == NULL ? fail_unreachable(run, server, outcome) : 0;
	}
	return 0;
}

int run_judge(const struct run_context *run, const struct run_target *target,
	      struct run_server *server, const struct res_outcome *outcome, size_t completed,
	      size_t count)
{
	if (run_judge_server(run, target, server, outcome) < 0)
		return -1;
	/* COMPLETED: within the limit; PARTIAL: over it, with metrics; FAILED: no metrics possible */
	double share = (double)(count - completed) / (double)count;
	if (completed > 0 && share <= run->experiment->bench.max_error_share) {
		run->ending->status = RES_STATUS_COMPLETED;
		return 0;
	}
	return run_fail(run, completed == 0 ? RES_STATUS_FAILED : RES_STATUS_PARTIAL,
			completed == 0 ? RES_CAUSE_ALL_FAILED : RES_CAUSE_COUNT, PL_ERR_FAILED,
			"%zu of %zu requests failed", count - completed, count);
}
