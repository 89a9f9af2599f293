/*
 * Errors: a code from tbl/errors.h and one line of text that says what was being done.
 *
 * - Functions that can fail return 0 or -1 and take `struct pl_err *err` last; on failure their
 *   results are untouched and err is set. err may not be NULL.
 * - Text: lower case start, subject in single quotes, no full stop, one line.
 * - pl_err_wrap() puts what the caller was doing in front: "plan 'x.yaml': line 3: unknown key".
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
	/* Where in a file, for those who tell it their own way: 0 but behind pl_err_set_at(). */
	int line;
	int column;
	size_t reason; /* where in the text what is behind the place begins */
};

#define PL_ERR_INIT                 \
	{                           \
		.code = PL_ERR_NONE \
	}
/* For a call whose failure is seen and whose reason nobody reads; it goes with the block. */
#define PL_ERR_IGNORED (&(struct pl_err)PL_ERR_INIT)

/* Sets the error; always returns -1, so that `return pl_err_set(err, …)` reads well. */
int pl_err_set(struct pl_err *err, enum pl_err_code code, const char *format, ...) PL_PRINTF(3, 4);
/* The same of what was asked for: PL_ERR_INVALID. */
#define pl_err_invalid(err, ...) pl_err_set(err, PL_ERR_INVALID, __VA_ARGS__)
/* As pl_err_set(PL_ERR_IO), or FULL, with ": strerror(errno)" behind it. */
int pl_err_errno(struct pl_err *err, const char *format, ...) PL_PRINTF(2, 3);
/* "SOURCE:LINE:COLUMN: reason" of a file that cannot be read. */
int pl_err_set_at(struct pl_err *err, enum pl_err_code code, const char *source, int line,
		  int column, const char *reason);
/* Puts "text: " in front of what err says; keeps the code; returns -1. */
int pl_err_wrap(struct pl_err *err, const char *format, ...) PL_PRINTF(2, 3);

int pl_err_exit_status(enum pl_err_code code);
int pl_err_http_status(enum pl_err_code code);
/* "INVALID" */
const char *pl_err_name(enum pl_err_code code);
