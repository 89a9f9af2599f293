/*
 * Writes responses as JSON text directly into the buffer, without building a tree. On overflow, the buffer's `full` is
 * set.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "mirror/value.h"

/* Writes "name": with a comma before it, unless it is the first member. */
void query_out_key(struct pl_buf *out, const char *name);
/* Writes only the comma. */
void query_out_next(struct pl_buf *out);
void query_out_text(struct pl_buf *out, const char *text);
void query_out_text_or_null(struct pl_buf *out, const char *text);
void query_out_i64(struct pl_buf *out, int64_t number);
/* Whole numbers without a point; infinite ones "inf" and "-inf"; NaN as null. */
void query_out_f64(struct pl_buf *out, double number);
/* The same; a number that is not whole is rounded to at most digits_max significant digits. */
void query_out_f64_rounded(struct pl_buf *out, double number, int digits_max);
/*
 * Writes the last member, data_version, and closes the object. INVALID: `out` is full; `remedy`: the end of the message,
 * "; request fewer columns".
 */
int query_out_end(struct pl_buf *out, int64_t data_version, const char *remedy,
		  struct pl_err *err) PL_MUST_CHECK;
/* A value that is not recorded is written as null. */
void query_out_value(struct pl_buf *out, const struct mirror_value *value);

/* Doubles are exact up to here; trunc() would be a function call on some processors. */
#define OUT_WHOLE_MAX 9e15
static inline bool out_is_whole(double number)
{
	if (!(fabs(number) < OUT_WHOLE_MAX))
		return false;
	double whole = (double)(int64_t)number;
	return whole >= number && whole <= number;
}

/* Most additions are a few bytes that fit, so these cost no call. */
static inline void out_add(struct pl_buf *out, const char *text, size_t len)
{
	if (len >= out->room - out->len) {
		pl_buf_add(out, text, len);
		return;
	}
	memcpy(out->data + out->len, text, len);
	out->len += len;
	out->data[out->len] = '\0';
}
#define out_literal(out, text) out_add(out, text, sizeof(text) - 1)

/* Writes a key that needs no escaping. */
static inline void out_plain_key(struct pl_buf *out, const char *name)
{
	query_out_next(out);
	out_literal(out, "\"");
	out_add(out, name, strlen(name));
	out_literal(out, "\":");
}

static inline void out_count(struct pl_buf *out, const char *name, size_t count)
{
	out_plain_key(out, name);
	query_out_i64(out, (int64_t)count);
}
