/*
 * Two waits with one deadline: for /health, and for a test request like the later ones. A healthy server only reports
 * that it is; a ready one has responded to a request. Between two attempts, the same conditions are checked: a stop
 * request, the server's end, the time.
 */
#include "run/steps/ready.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "bench/media/audio.h"
#include "experiment/kinds.h"
#include "run/context.h"
#include "run/journal/journal.h"
#include "run/redirect.h"
#include "run/route.h"
#include "run/steps/identity.h"
#include "run/steps/server.h"
#include "run/watch/watch.h"

#define POLL_NS           (50 * PL_NS_PER_MS)
#define HEALTH_TIMEOUT_NS (5 * PL_NS_PER_S)
/* The test request gets a stream of some events, like the later ones. */
#define READY_OUTPUT_TOKENS 8

/* Queries each address of the server's name until one responds, and keeps that one. */
static int ask_for_health(struct run_target *target, struct io_reply *ret, char *why, size_t room,
			  struct pl_err *err)
{
	size_t used = 0;

	for (size_t i = 0; i <= target->other_count; i++) {
		if (run_target_fetch(target, "/health", HEALTH_TIMEOUT_NS, ret, err) == 0)
			return 0;
		/* an untrusted certificate means that a server was reached */
		if (err->code == PL_ERR_INVALID)
			used = 0;
		int len = snprintf(why + used, room - used, "%s%.300s", used > 0 ? "; " : ": ",
				   err->text);
		used = (size_t)len < room - used ? used + (size_t)len : room - 1;
		if (err->code == PL_ERR_INVALID || err->code == PL_ERR_INTERRUPTED)
			break;
		run_target_rotate(target);
	}
	return -1;
}

/*
 * Our own server must return 200; one that was already running may lack the path. Returns 1: healthy; 0: not yet; -1:
 * waiting does not help, because its certificate is not trusted. `why`: ": …", if not healthy.
 */
static int look_for_health(struct run_target *target, const struct run_server *server, char *why,
			   size_t room)
{
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (ask_for_health(target, &reply, why, room, &err) < 0)
		return err.code == PL_ERR_INVALID ? -1 : 0;
	snprintf(why, room, ": '/health' returned status %d", reply.status);
	return server->process != NULL ? reply.status == 200
				       : reply.status > 0 && reply.status < 500;
}

/* Returns the deadline. A server that was already running gets the same time as from vLLM's client. */
static int64_t ready_due_ns(const struct run_context *run, const struct run_server *server)
{
	if (server->process != NULL)
		return server->spawned_ns + run->experiment->launch.ready_timeout_ns;
	return run->started_ns + run->experiment->bench.ready_check_timeout_sec * PL_NS_PER_S;
}

static int not_ready(const struct run_context *run, const struct run_server *server,
		     const char *what)
{
	char limit[32];

	if (server->process == NULL)
		return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_UNREACHABLE,
				PL_ERR_NETWORK, "the server at '%s' does not respond%s",
				server->url, what);
	pl_text_from_duration(run->experiment->launch.ready_timeout_ns, limit, sizeof(limit));
	return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_READY_TIMEOUT, PL_ERR_LAUNCH,
			"the server was not ready within ready_timeout (%s)%s", limit, what);
}

static int not_trusted(const struct run_context *run, const struct run_server *server,
		       const char *what)
{
	if (server->process == NULL)
		return not_ready(run, server, what);
	return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_UNREACHABLE, PL_ERR_LAUNCH,
			"the server does not respond%s", what);
}

/*
 * Checks between two attempts; returns 0 to continue. In this order, because the first explains the second, and the
 * second the third.
 */
static int look_around(const struct run_context *run, struct run_server *server, const char *what)
{
	run_journal_alive(run->journal);
	if (run_check_stop(run) < 0)
		return -1;
	if (run_server_ended(server, 0))
		return run_server_died(run, server, RES_STATUS_LAUNCH_FAILED);
	if (pl_clock_now_ns() >= ready_due_ns(run, server))
		return not_ready(run, server, what);
	return 0;
}

int run_ready_wait(const struct run_context *run, struct run_target *target,
		   struct run_server *server)
{
	char why[512] = "";

	/* the name could not be resolved at the start, and is not tried again */
	if (target->unknown != NULL) {
		snprintf(why, sizeof(why), ": %s", target->unknown);
		return not_ready(run, server, why);
	}
	run_log(run, "waiting for the server");
	for (;;) {
		int health = look_for_health(target, server, why, sizeof(why));
		if (health > 0)
			break;
		run_server_follow_log(server);
		run_watch_server(run->watch, server);
		if (look_around(run, server, why) < 0)
			return -1;
		if (health < 0)
			return not_trusted(run, server, why);
		run_server_pause(server, POLL_NS);
	}
	run_server_follow_log(server);
	/* ours may have died because another server uses its port */
	if (run_server_ended(server, 0))
		return run_server_died(run, server, RES_STATUS_LAUNCH_FAILED);
	server->healthy_ns = pl_clock_now_ns();
	return 0;
}

/*
 * Returns 1: a response, with *ret_status; 0: retry, with the reason in *why; -1: the request cannot be sent. Only
 * failures that may pass are retried: no connection, 429, 5xx.
 */
static int try_request(const struct run_context *run, const struct run_route *route,
		       const struct run_server *server, const struct pl_buf *body, char *why,
		       size_t room, int32_t *ret_status, struct pl_err *err)
{
	struct bench_request request = {
		.body = body->data,
		.body_len = body->len,
		.prompt_tokens = RES_NO_COUNT,
		.output_tokens = READY_OUTPUT_TOKENS,
	};
	struct bench_load load = run_route_load(run, route);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;

	request.input_sequences = route->adapter->pools;
	load.requests = &request;
	load.count = 1;
	load.threads = 1;
	load.run_timeout_ns = ready_due_ns(run, server) - pl_clock_now_ns();
	if (server->process == NULL || load.run_timeout_ns < PL_NS_PER_S)
		load.run_timeout_ns = run->experiment->launch.ready_timeout_ns;
	if (bench_load_run(&load, &outcome, err) < 0)
		return -1;
	const struct res_record *record = &outcome->records[0];
	snprintf(why, room, ": %s", record->error != NULL ? record->error : "no response");
	*ret_status = record->status;
	/* a refusal is a response: the later requests will report it */
	return record->ok || run_redirect_is(record->status) ||
	       (record->status >= 400 && record->status < 500 && record->status != 429);
}

static int redirected(const struct run_context *run, const struct run_route *route,
		      const struct run_server *server, const char *what)
{
	return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_UNREACHABLE, PL_ERR_NETWORK,
			"the server at '%s' does not respond to '%s'%s as {launch.url}",
			server->url != NULL ? server->url : "its port", route->endpoint, what);
}

int run_ready_request(const struct run_context *run, const struct run_identity *identity,
		      const struct run_route *route, struct run_server *server)
{
	char prompt[] = "Hello";
	struct bench_sample sample = { .prompt = prompt,
				       .prompt_tokens = RES_NO_COUNT,
				       .output_tokens = READY_OUTPUT_TOKENS };
	/* a query and a document */
	auto_json json_t *pair = json_pack("[s, s]", prompt, prompt);
	if (exp_backend_has(run->experiment->bench.backend, EXP_BACKEND_PAIRS))
		sample.inputs = pair;
	auto_json json_t *silence = bench_audio_silence();
	if (exp_backend_has(run->experiment->bench.backend, EXP_BACKEND_FORM))
		sample.audio = silence;
	struct bench_encode how = { .bench = &run->experiment->bench, .model = identity->model };
	struct pl_err err = PL_ERR_INIT;
	char what[512] = "";
	auto_buf body = PL_BUF(1u << 20);
	int32_t status = 0;

	/* a backend that only vLLM's client supports, or no test request: being healthy must suffice */
	if (route->adapter == NULL ||
	    (server->process == NULL && run->experiment->bench.ready_check_timeout_sec == 0)) {
		run_server_set_ready(server);
		return 0;
	}
	if (route->adapter->encode(&how, &sample, &body, &err) < 0)
		return run_fail_err(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_INTERNAL, &err);
	for (;;) {
		int answered = try_request(run, route, server, &body, what, sizeof(what), &status,
					   &err);
		if (answered < 0)
			return run_fail_err(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_INTERNAL,
					    &err);
		if (answered > 0)
			break;
		if (look_around(run, server, what) < 0)
			return -1;
		run_server_pause(server, POLL_NS);
	}
	if (run_redirect_is(status))
		return redirected(run, route, server, what);
	if (status >= 400 && run_identity_check_model(run, identity, what) < 0)
		return -1;
	run_server_set_ready(server);
	run_server_follow_log(server);
	if (server->log != NULL)
		host_server_log_set_ready(server->log);
	return 0;
}
