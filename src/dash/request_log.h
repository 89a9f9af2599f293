/*
 * Lines in the log of the dashboard about a request that has ended: one for each request, if they are wanted, and the
 * audit log. Texts of clients are cleaned first: they cannot add lines or escape sequences.
 */
#pragma once

#include "dash/routes.h"

/* A request that has ended; all borrowed. */
struct dash_request_record {
	const char *id;     /* "": refused before it had one */
	const char *method; /* NULL: not received */
	const char *target; /* as received */
	const char *from;   /* address of the client; "": not recorded */
	const char *end; /* added to the line if the client left: ", which was complete"; or "" */
	const struct dash_match *match;
	const struct dash_answer *answer;
	int status;  /* 0: the client left before the response */
	size_t sent; /* bytes of the response's body */
	int64_t duration_ns;
	bool is_requested; /* a handler was called */
};

/* Writes a line with method, target, status, bytes and duration. */
void dash_log_request(const struct dash_request_record *record);
/*
 * Writes an audit line if the request is a change by a user, or had a token that is invalid or lacks the role. Others are
 * not logged, because their number has no limit: any client can send them.
 */
void dash_log_audit(const struct dash_request_record *record);
