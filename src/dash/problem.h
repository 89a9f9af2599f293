/*
 * What goes wrong with a request, in the words of HTTP: RFC 9457, with where it is, what was found,
 * what was expected and what was likely meant (Problem in api/openapi.yaml). The answer's path, which
 * the dispatcher sets, is the problem's instance.
 */
#pragma once

#include "base/json.h"
#include "dash/answer.h"
#include "schema/schema.h"

/* Members that are NULL or 0 say nothing. */
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

/* Any text may stand in it: control characters and bytes that are no UTF-8 are replaced. */
void dash_problem_answer(struct dash_answer *answer, const struct dash_problem *problem);
/* The same where there is a line of text and no more. */
void dash_refuse(struct dash_answer *answer, int status, const char *format, ...) PL_PRINTF(3, 4);
/* By the error's code; where a line is known, it is told. */
void dash_refuse_error(struct dash_answer *answer, const struct pl_err *err);
/* The store's: 503 where others write for long, or the server is going down, to be asked again; 507 where the disk is full; else 500, for
 * what is stored and cannot be read is no fault of who asks. */
void dash_refuse_stored(struct dash_answer *answer, const struct pl_err *err);
/* 422: the first fault, and all of them where there are several. */
void dash_refuse_faults(struct dash_answer *answer, const struct schema_faults *faults);
