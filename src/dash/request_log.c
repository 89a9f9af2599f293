#include "dash/request_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

/* The name of the user who sent the request, or who has signed in with it. "": unknown. */
static const char *name_of(const struct dash_request_record *record)
{
	return record->answer->user_name != NULL ? record->answer->user_name
						 : record->match->user.name;
}

static const char *route_of(const struct dash_request_record *record)
{
	const char *method, *path;

	dash_route_at(dash_route_index(record->match, record->answer->status), &method, &path);
	return path;
}

/* The members of a line about a request, for the format JSON. */
static json_t *describe(const struct dash_request_record *record, double ms)
{
	const char *user = name_of(record);
	json_t *object = json_pack("{s:s, s:o, s:o, s:s, s:I, s:f}", "request_id", record->id,
				   "method", pl_json_text(record->method), "target",
				   pl_json_text(record->target), "route", route_of(record), "bytes",
				   (json_int_t)record->sent, "duration_ms", ms);

	json_object_set_new(object, "status",
			    record->status != 0 ? json_integer(record->status) : json_null());
	json_object_set_new(object, "user", user[0] != '\0' ? json_string(user) : json_null());
	json_object_set_new(object, "from",
			    record->from[0] != '\0' ? json_string(record->from) : json_null());
	return object;
}

void dash_log_request(const struct dash_request_record *record)
{
	auto_free char *target = pl_clean_line(record->target);
	auto_free char *method = record->method != NULL ? pl_clean_line(record->method) : NULL;
	double ms = (double)record->duration_ns / 1e6;
	auto_free char *answer = record->status != 0
					 ? pl_asprintf("%d %zu bytes", record->status, record->sent)
					 : pl_asprintf("disconnected before the response%s",
						       record->end);

	if (pl_log_format() == PL_LOG_JSON)
		pl_log_object(PL_LOG_INFO, record->status != 0 ? "request" : answer,
			      describe(record, ms));
	else
		fprintf(stderr, "%.40s %.500s %s in %.1f ms%s%s\n", method != NULL ? method : "?",
			target, answer, ms, record->id[0] != '\0' ? ", id " : "", record->id);
}

/*
 * Returns the status that was sent or, if the client disconnected before, the one of the response that was made; 0: none
 * was made. A change counts either way, and a client must not hide one by disconnecting.
 */
static int status_of(const struct dash_request_record *record)
{
	return record->status != 0 ? record->status : record->answer->status;
}

static bool is_audited(const struct dash_request_record *record)
{
	const char *challenge = record->answer->challenge;

	if (status_of(record) == 0)
		return false;
	return (challenge != NULL && strstr(challenge, "error=") != NULL) ||
	       (record->match->operation != NULL && record->is_requested &&
		name_of(record)[0] != '\0' && dash_operation_is_audited(record->match->operation));
}

/* Writes the path without its query. No part of a header or body is logged. */
void dash_log_audit(const struct dash_request_record *record)
{
	if (!is_audited(record))
		return;
	auto_free char *path = pl_strndup(record->target, strcspn(record->target, "?"));
	auto_free char *text = pl_clean_shown(path);
	/* clients may send any bytes but spaces as the method */
	auto_free char *method = pl_clean_shown(record->method);
	const char *name = name_of(record)[0] != '\0' ? name_of(record) : "-";
	const char *role = dash_role_name(record->match->user.role);
	char time[32];

	pl_clock_rfc3339(pl_clock_real_ns(), time);
	if (pl_log_format() == PL_LOG_JSON)
		pl_log_object(PL_LOG_INFO, "audit",
			      json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o}", "request_id",
					record->id, "user", name, "role", role, "from",
					record->from, "status", status_of(record), "method",
					pl_json_text(method), "path", pl_json_text(text)));
	else
		pl_log(PL_LOG_INFO,
		       "audit: %s user=%s role=%s from=%s id=%s status=%d %.40s %.500s", time, name,
		       role, record->from, record->id, status_of(record), method, text);
}
