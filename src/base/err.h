/*
 * Errors: a code from tbl/errors.h and one line of text that describes the failed action.
 *
 * - Functions that can fail return 0 or -1 and take `struct pl_err *err` last. On failure they set
 *   err and leave their results untouched. err may not be NULL.
 * - The text starts in lower case, has its subject in single quotes and no period, and is one line.
 * - pl_err_wrap() prepends the caller's action: "plan 'x.yaml': line 3: unknown key".
 */
#pragma once

#include "base/mem.h"

enum pl_err_code {
#define ERR(name, exit, http, text) PL_ERR_##name,
#include "tbl/errors.h"
#undef ERR
	PL_ERR_COUNT
};

struct pl_err {
	enum pl_err_code code;
	char text[2048];
	/*
	 * Location in a file, for callers that format it themselves. Both are 0 unless
	 * pl_err_set_at() was called.
	 */
	int line;
	int column;
	size_t reason; /* offset in the text of the part after the location */
};

#define PL_ERR_INIT                 \
	{                           \
		.code = PL_ERR_NONE \
	}
/*
 * For a call whose failure matters but whose reason is not reported. Valid until the end of the
 * block.
 */
#define PL_ERR_IGNORED (&(struct pl_err)PL_ERR_INIT)

/* Sets the error; always returns -1, so that `return pl_err_set(err, …)` reads well. */
int pl_err_set(struct pl_err *err, enum pl_err_code code, const char *format, ...) PL_PRINTF(3, 4);
/* Reports invalid input: PL_ERR_INVALID. */
#define pl_err_invalid(err, ...) pl_err_set(err, PL_ERR_INVALID, __VA_ARGS__)
/* Like pl_err_set(PL_ERR_IO), or FULL if the disk is full, with ": strerror(errno)" appended. */
int pl_err_errno(struct pl_err *err, const char *format, ...) PL_PRINTF(2, 3);
/* Reports a malformed file as "SOURCE:LINE:COLUMN: reason". */
int pl_err_set_at(struct pl_err *err, enum pl_err_code code, const char *source, int line,
		  int column, const char *reason);
/* Prepends "text: " to the error text; keeps the code; returns -1. */
int pl_err_wrap(struct pl_err *err, const char *format, ...) PL_PRINTF(2, 3);

int pl_err_exit_status(enum pl_err_code code);
int pl_err_http_status(enum pl_err_code code);
/* "INVALID" */
const char *pl_err_name(enum pl_err_code code);
