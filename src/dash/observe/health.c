/*
 * Information about the server itself. No handler here waits for the database: everything is known to the monitor
 * (observe/monitor.h).
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "dash/access/access.h"
#include "dash/contract.h"
#include "dash/live/live.h"
#include "dash/observe/monitor.h"
#include "dash/observe/process.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "query/series/cache.h"
#include "store/store.h"

static double seconds(int64_t ns)
{
	return (double)(ns / PL_NS_PER_MS) / 1000;
}

/* For load balancers, which have no token; the rest is for users. */
static bool is_stranger(const struct dash_request *request)
{
	return request->context->access != NULL && request->user->role < DASH_ROLE_READ;
}

static json_t *reasons_of(const struct dash_state *state)
{
	json_t *reasons = json_array();

	for (enum dash_unready i = 0; i < DASH_UNREADY_COUNT; i++) {
		if (state->unready[i])
			json_array_append_new(reasons, json_string(dash_unready_name(i)));
	}
	return reasons;
}

static json_t *database_of(const struct dash_request *request, const struct dash_state *state)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:f, s:I, s:f}", "kind",
			 store_database_kind(request->context->store), "state",
			 state->is_lost ? "lost" : "available", "message",
			 state->message[0] != '\0' ? pl_json_text(state->message) : json_null(),
			 "checked_seconds",
			 state->age_ns >= 0 ? json_real(seconds(state->age_ns)) : json_null(),
			 "query_seconds", seconds(state->query_ns), "behind_count",
			 (json_int_t)state->behind, "behind_seconds", seconds(state->behind_ns));
}

static json_t *disks_of(const struct dash_state *state)
{
	json_t *disks = json_array();

	for (size_t i = 0; i < state->disk_count; i++)
		json_array_append_new(
			disks, json_pack("{s:s, s:I, s:I}", "directory", state->disks[i].directory,
					 "free_bytes", (json_int_t)state->disks[i].free_bytes,
					 "size_bytes", (json_int_t)state->disks[i].size_bytes));
	return disks;
}

static json_t *uploads_of(const struct dash_state *state)
{
	return json_pack("{s:I, s:f}", "unfinished_count", (json_int_t)state->job_count,
			 "oldest_seconds", seconds(state->oldest_job_ns));
}

/* Where the results in memory came from at the start; changes since then are from the database. */
static const char *source_of(const struct dash_request *request)
{
	return store_memory_state(request->context->store).from_snapshot > 0 ? "column_snapshot"
									     : "database";
}

static json_t *analysis_of(const struct dash_request *request)
{
	struct query_series_counts counts = query_series_cache_counts(request->context->series);

	return json_pack("{s:I, s:I}", "analyzed_count", (json_int_t)counts.analyzed,
			 "cached_count", (json_int_t)counts.cached);
}

void dash_get_health(const struct dash_request *request, struct dash_answer *answer)
{
	struct dash_state state;

	answer->cache = "no-store";
	if (is_stranger(request)) {
		dash_answer_json(answer, 200, json_pack("{s:s}", "status", "ok"));
		return;
	}
	dash_monitor_get(request->context->monitor, &state);
	dash_answer_json(answer, 200,
			 json_pack("{s:s, s:s, s:I, s:s, s:I, s:b, s:o, s:o, s:o, s:o, s:o}",
				   "status", "ok", "version", PROFLLM_VERSION, "total",
				   (json_int_t)state.live, "results_source", source_of(request),
				   "data_version", (json_int_t)state.data_version, "ready",
				   (int)state.is_ready, "reasons", reasons_of(&state), "database",
				   database_of(request, &state), "disks", disks_of(&state),
				   "uploads", uploads_of(&state), "analysis",
				   analysis_of(request)));
}

void dash_get_readiness(const struct dash_request *request, struct dash_answer *answer)
{
	struct dash_state state;
	json_t *body;

	dash_monitor_get(request->context->monitor, &state);
	body = json_pack("{s:b, s:o}", "ready", (int)state.is_ready, "reasons", reasons_of(&state));
	if (!is_stranger(request) && state.unready[DASH_UNREADY_DATABASE])
		json_object_set_new(body, "message", pl_json_text(state.message));
	answer->cache = "no-store";
	answer->retry_s = state.is_ready ? 0 : 1;
	dash_answer_json(answer, state.is_ready ? 200 : 503, body);
}

void dash_get_contract(const struct dash_request *request, struct dash_answer *answer)
{
	(void)request;
	answer->status = 200;
	answer->type = "application/yaml";
	answer->fixed = dash_contract_text(&answer->len);
}

/* ---- status ---------------------------------------------------------------------------------- */

static json_t *queues_of(const struct dash_server_counts *counts)
{
	json_t *queues = json_array();

	for (size_t i = 0; i < DASH_QUEUE_COUNT; i++) {
		const struct dash_work_counts *work = &counts->queues[i].work;
		json_t *cache = json_null();
		if (counts->queues[i].has_cache)
			cache = json_pack("{s:I, s:I, s:I}", "hit_count", (json_int_t)work->hits,
					  "miss_count", (json_int_t)work->misses, "bytes",
					  (json_int_t)work->cache_bytes);
		json_array_append_new(queues, json_pack("{s:s, s:I, s:I, s:f, s:I, s:o}", "name",
							counts->queues[i].name, "waiting_count",
							(json_int_t)work->waiting, "running_count",
							(json_int_t)work->running, "oldest_seconds",
							seconds(work->oldest_ns), "refused_count",
							(json_int_t)work->refused, "cache", cache));
	}
	return queues;
}

/* Requests that have ended, by the class of their status. */
static json_t *requests_of(const struct dash_request *request,
			   const struct dash_server_counts *counts)
{
	const struct dash_counters *counters = request->context->counters;
	json_int_t all = 0, client_errors = 0, server_errors = 0, busy = 0, gone = 0;

	for (size_t i = 0; i < counters->route_count; i++) {
		for (size_t k = 0; k < DASH_STATUS_COUNT; k++) {
			json_int_t count = (json_int_t)counters->routes[i].statuses[k];
			int status = dash_counters_status(k);
			all += count;
			client_errors += status >= 400 && status < 500 ? count : 0;
			server_errors += status >= 500 && status != 503 ? count : 0;
			busy += status == 503 ? count : 0;
			gone += status == 0 ? count : 0;
		}
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:i, s:i, s:I}", "total_count", all,
			 "client_error_count", client_errors, "server_error_count", server_errors,
			 "unavailable_count", busy, "disconnected_count", gone, "in_flight_count",
			 counts->in_flight, "connection_count", (int)counts->connections,
			 "body_bytes", (json_int_t)counts->body_bytes);
}

static json_t *results_of(const struct dash_state *state)
{
	return json_pack(
		"{s:I, s:o, s:I, s:I}", "live_count", (json_int_t)state->live, "deleted_count",
		state->deleted >= 0 ? json_integer(state->deleted) : json_null(), "data_version",
		(json_int_t)state->data_version, "memory_bytes", (json_int_t)state->memory_bytes);
}

static json_t *process_of(const struct dash_state *state)
{
	struct dash_process process;
	char started[32];

	dash_process_read(&process);
	pl_clock_rfc3339(state->started_real_ns, started);
	return json_pack(
		"{s:i, s:s, s:I, s:f, s:I, s:o}", "pid", (int)getpid(), "started_at", started,
		"resident_bytes", (json_int_t)process.resident_bytes, "cpu_seconds", process.cpu_s,
		"file_count", (json_int_t)process.files, "file_limit",
		process.files_max == UINT64_MAX ? json_null()
						: json_integer((json_int_t)process.files_max));
}

static json_t *tokens_of(const struct dash_request *request)
{
	auto_free struct dash_access_entry *entries = NULL;
	size_t count = dash_access_list(request->context->access, &entries);
	int64_t now_s = pl_clock_real_ns() / PL_NS_PER_S;
	json_t *tokens = json_array();

	for (size_t i = 0; i < count; i++) {
		char expires[32];
		bool is_limited = entries[i].expires_s != INT64_MAX;
		if (is_limited)
			pl_clock_rfc3339(entries[i].expires_s * PL_NS_PER_S, expires);
		json_array_append_new(
			tokens, json_pack("{s:s, s:s, s:o, s:b, s:I}", "name", entries[i].name,
					  "role", dash_role_name(entries[i].role), "expires_at",
					  is_limited ? json_string(expires) : json_null(),
					  "expired", (int)(entries[i].expires_s <= now_s),
					  "session_count", (json_int_t)entries[i].sessions));
	}
	return tokens;
}

void dash_get_status(const struct dash_request *request, struct dash_answer *answer)
{
	struct dash_monitor *monitor = request->context->monitor;
	struct dash_server_counts counts;
	struct dash_state state;
	unsigned runs, streams;

	dash_monitor_get(monitor, &state);
	dash_monitor_count(monitor, &counts);
	dash_live_count(request->context->live, &runs, &streams);
	answer->cache = "no-store";
	dash_answer_json(
		answer, 200,
		json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:i, s:i}, s:b, "
			  "s:o, s:{s:I, s:I}, s:o}",
			  "version", PROFLLM_VERSION, "ready", (int)state.is_ready, "reasons",
			  reasons_of(&state), "process", process_of(&state), "database",
			  database_of(request, &state), "results", results_of(&state), "disks",
			  disks_of(&state), "uploads", uploads_of(&state), "requests",
			  requests_of(request, &counts), "queues", queues_of(&counts), "live",
			  "run_count", (int)runs, "stream_count", (int)streams, "guarded",
			  request->context->access != NULL, "tokens", tokens_of(request),
			  "log_counts", "error_count", (json_int_t)dash_log_count(PL_LOG_ERROR),
			  "warning_count", (json_int_t)dash_log_count(PL_LOG_WARNING), "log",
			  dash_log_recent()));
}
