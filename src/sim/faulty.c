#include "sim/faulty.h"

#include <stdlib.h>

#include "base/clock.h"
#include "sim/answer.h"
#include "sim/conn.h"
#include "sim/event_form.h"
#include "sim/events.h"
#include "sim/job.h"
#include "sim/pooled_answer.h"
#include "sim/serve_log.h"
#include "sim/server_priv.h"
#include "sim/startup.h"

#define EVENTS_MAX (64u << 20)
#define DEAD_TEXT  "EngineCore encountered an issue. See stack trace (above) for the root cause."
#define LAST_CHUNK "0\r\n\r\n"

static const char *error_type(int64_t status)
{
	return status == 400   ? "BadRequestError"
	       : status == 401 ? "AuthenticationError"
	       : status == 403 ? "PermissionDeniedError"
	       : status == 404 ? "NotFoundError"
	       : status == 429 ? "TooManyRequestsError"
	       : status == 503 ? "ServiceUnavailableError"
	       : status < 500  ? "BadRequestError"
			       : "InternalServerError";
}

/* Logged as a request that ended with an error: the log shows what was received, whatever the response. */
bool sim_fault_refuse(struct sim_conn *conn, const struct sim_request *request,
		      enum sim_fault fault)
{
	struct sim_server *server = conn->server;
	int64_t status = server->options->faults.error_status;
	auto_refusal refusal = SIM_REFUSAL_INIT;

	if (fault != SIM_FAULT_ERROR)
		return false;
	struct sim_event_id *id = sim_event_log_request(server->log, conn->arrival_ns,
							conn->request_id, request->prompt_tokens,
							request->media_tokens);
	sim_event_log_end(server->log, id, pl_clock_now_ns(), 0, 0, "error");
	sim_event_log_flush(server->log);
	sim_refuse(&refusal, (int)status, error_type(status), NULL, "Internal server error");
	sim_answer_refusal(conn, &refusal);
	return true;
}

/* Ends the job with this message, as an error of the server. */
static void fail_job(struct sim_job *job, const char *words)
{
	struct sim_conn *conn = job->conn;
	auto_refusal refusal = SIM_REFUSAL_INIT;
	auto_buf out = PL_BUF(EVENTS_MAX);

	sim_job_leave_engine(job);
	/* As in vLLM: after status 200 and the start of the stream, the error can only be an event. */
	sim_refuse(&refusal, 500, error_type(500), NULL, "%s", words);
	if (!job->request.stream) {
		sim_job_close(job, "error");
		sim_answer_refusal(conn, &refusal);
	} else {
		sim_event_error(&refusal, job->request.api, &out);
		if (sim_conn_send(conn, out.data, out.len)) {
			sim_job_close(job, "error");
			sim_conn_end_request(conn);
		}
	}
	if (!conn->dead)
		sim_conn_resume(conn);
}

static void truncate_job(struct sim_job *job)
{
	struct sim_conn *conn = job->conn;
	auto_buf body = PL_BUF(EVENTS_MAX);

	sim_job_leave_engine(job);
	if (job->request.stream) {
		if (!sim_conn_send(conn, LAST_CHUNK, sizeof(LAST_CHUNK) - 1))
			return;
		sim_job_close(job, "error");
		sim_conn_end_request(conn);
		sim_conn_resume(conn);
		return;
	}
	struct sim_pooled_form form = { .type = "application/json" };
	if (job->request.pooled)
		sim_pooled_answer_write(job, &body, &form);
	else
		sim_answer_write(job, &body);
	sim_job_close(job, "error");
	/* The full length is announced, half is sent, and the connection ends. */
	conn->halve = true;
	sim_conn_answer_with(conn, 200, form.type, form.headers, pl_buf_text(&body), body.len);
	free(form.headers);
}

/* The time is taken before the send(), once for all: the earliest time at which the client can see them. */
static bool send_held(struct sim_job *job)
{
	int64_t now_ns = pl_clock_now_ns();
	uint32_t count = job->held_count;

	job->held_count = 0;
	if (!sim_conn_send(job->conn, job->held.data, job->held.len))
		return false;
	int64_t took_ns = pl_clock_now_ns() - now_ns;
	for (uint32_t i = 0; i < count; i++)
		sim_event_log_token(job->server->log, job->log_id, now_ns, took_ns,
				    job->held_events[i].choice, job->held_events[i].tokens,
				    job->held_events[i].bytes);
	pl_buf_clear(&job->held);
	return true;
}

bool sim_fault_strikes(struct sim_job *job)
{
	enum sim_fault fault = job->fault;

	/* At half of the requested tokens; a response that ends before is hit at its end. */
	if (job->tokens <= job->fault_at && job->open_choices > 0)
		return false;
	if (job->held_count > 0 && !send_held(job))
		return true;
	/* Only once: the rest of the job, if any, is normal. */
	job->fault = SIM_FAULT_NONE;
	if (fault == SIM_FAULT_BAD_JSON) {
		/* Sends one event that is invalid JSON before the valid ones; truncates a response that is not streamed. */
		static const char text[] =
			"data: {\"id\":\"cmpl-0\",\"choices\":[{\"index\":0,\"te\n\n";
		char chunk[128];
		/* Not logged, because the log lists what a client can count, and this has no tokens. */
		int len = snprintf(chunk, sizeof(chunk), "%zx\r\n%s\r\n", sizeof(text) - 1, text);
		job->spoiled = true;
		return job->request.stream && !sim_conn_send(job->conn, chunk, (size_t)len);
	}
	/* The log counts sent tokens; for a response that is not streamed, all except the current token. */
	uint32_t sent = 0;
	for (uint32_t i = 0; i < job->choice_count; i++)
		sent += job->choices[i].sent;
	job->tokens = job->request.stream ? sent : job->tokens - (job->tokens > 0);
	if (fault == SIM_FAULT_RESET) {
		sim_conn_drop(job->conn, true);
	} else if (fault == SIM_FAULT_STALL) {
		/* Nothing is sent to the client; the server counts it as running until the client gives up. */
		sim_job_leave_engine(job);
		/* at its end all tokens were generated, and the response is still due */
		job->stalled_choices = job->open_choices > 0 ? job->open_choices : 1;
		job->server->stalled += job->stalled_choices;
	} else if (fault == SIM_FAULT_STREAM_ERROR) {
		fail_job(job, "Internal server error");
	} else {
		truncate_job(job);
	}
	return true;
}

bool sim_send_event(struct sim_job *job, const char *bytes, size_t len, uint32_t choice,
		    uint32_t tokens)
{
	static const char ping[] = "8\r\n: ping\n\n\r\n";
	const struct sim_faults *faults = &job->server->options->faults;
	size_t before = job->held.len;

	if (job->held_events == NULL) {
		job->held_events = pl_alloc_array((size_t)faults->merge_sends,
						  sizeof(*job->held_events));
		pl_buf_init(&job->held, EVENTS_MAX);
		before = 0;
	}
	if (faults->event_form == SIM_FORM_COMMENTS &&
	    !sim_conn_send(job->conn, ping, sizeof(ping) - 1))
		return false;
	sim_event_reform((enum sim_event_form)faults->event_form, bytes, len, &job->held);
	if (tokens != SIM_NO_TOKEN)
		job->held_events[job->held_count++] = (struct sim_held_event){
			.choice = choice,
			.tokens = tokens,
			.bytes = (uint32_t)(job->held.len - before),
		};
	/* The end of a stream is sent at once. */
	if (tokens == SIM_NO_TOKEN || job->held_count >= faults->merge_sends)
		return send_held(job);
	return true;
}

/* Only counted requests (with x-request-id), so that a readiness check cannot trigger it before the run. */
static bool is_due(const struct sim_server *server, int64_t after)
{
	return after >= 0 && server->faults.requests > 0 && server->completed >= (uint64_t)after;
}

bool sim_engine_is_due(const struct sim_server *server)
{
	return is_due(server, server->options->faults.crash_after) ||
	       is_due(server, server->options->faults.hang_after);
}

/* Simulates an engine that died, in the log and for the clients; the parent process ends with it. */
static void die(struct sim_server *server)
{
	/* vLLM's own lines, in which host/log finds the cause: tbl/log_lines.h. */
	static const char *const lines[] = {
		"EngineCore encountered a fatal error.",
		"Traceback (most recent call last):",
		"  File \"vllm/v1/engine/core.py\", line 1, in run_engine_core",
		"RuntimeError: Worker failed with error 'simulated death of the engine'",
	};
	struct sim_job *next;

	for (size_t i = 0; i < PL_ARRAY_SIZE(lines); i++)
		sim_log_line("ERROR", "core.py:1512", "%s", lines[i]);
	sim_log_line("ERROR", "async_llm.py:906", "AsyncLLM output_handler failed.");
	sim_log_line("ERROR", "async_llm.py:906",
		     "vllm.v1.engine.exceptions.EngineDeadError: " DEAD_TEXT);
	for (struct sim_job *job = LIST_FIRST(&server->jobs); job != NULL; job = next) {
		next = LIST_NEXT(job, link);
		if (!job->over)
			fail_job(job, DEAD_TEXT);
	}
	sim_log_stop();
	server->exit_status = 1;
	io_loop_stop(server->loop);
}

bool sim_engine_fails(struct sim_server *server)
{
	const struct sim_faults *faults = &server->options->faults;

	if (!sim_engine_is_due(server))
		return false;
	server->engine_stopped = true;
	/* It hangs: connections stay open and accepted, /health responds, and no step ends. */
	if (!is_due(server, faults->crash_after))
		return true;
	if (faults->crash_signal != 0) {
		struct pl_err err = PL_ERR_INIT;
		struct sim_job *job;
		/* The log must be complete, because tests need to know what a killed server had sent. */
		LIST_FOREACH(job, &server->jobs, link)
			sim_job_abort(job);
		if (sim_event_log_close(pl_take(server->log), &err) < 0)
			sim_log_line("ERROR", "core.py:1512", "%s", err.text);
		sim_die_by(server->options->faults.crash_signal);
	}
	die(server);
	return true;
}
