/*
 * Errors of requests as HTTP problems (RFC 9457), with location, found, expected and nearest value (Problem in
 * api/openapi.yaml). The problem's instance is the response's path, which the dispatcher sets.
 */
#pragma once

#include "base/json.h"
#include "dash/answer.h"
#include "schema/schema.h"

/* Members that are NULL or 0 are omitted. */
struct dash_problem {
	int status;
	const char *detail; /* one line */
	const char *pointer;
	int line;
	int column;
	const char *found;
	const char *expected;
	const char *nearest;
	const json_t *faults;
};

/* Texts may contain anything: control characters and invalid UTF-8 are replaced. */
void dash_problem_answer(struct dash_answer *answer, const struct dash_problem *problem);
/* The same with only a line of text. */
void dash_refuse(struct dash_answer *answer, int status, const char *format, ...) PL_PRINTF(3, 4);
/* The status follows from the error's code. Includes the line if it is known. */
void dash_refuse_error(struct dash_answer *answer, const struct pl_err *err);
/*
 * For errors of the store: 503 with a retry if others write for long or the server is shutting down; 507 if the disk is
 * full; else 500, because unreadable stored data is not the client's fault.
 */
void dash_refuse_stored(struct dash_answer *answer, const struct pl_err *err);
/* 422: the first fault, and all of them if there are several. */
void dash_refuse_faults(struct dash_answer *answer, const struct schema_faults *faults);
/*
 * Adds the id of the request (answer->request_id) to a problem that is about to be sent. Responses without one, and those
 * that are not problems, stay as they are.
 */
void dash_problem_sign(struct dash_answer *answer);
