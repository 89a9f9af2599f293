/*
 * Answers as text: JSON is written straight into the buffer, without a tree of it. What does not fit the
 * buffer's ceiling is told by its `full` in the end.
 */
#pragma once

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "mirror/value.h"

/* "name": with the comma before, where something stands in front of it. */
void query_out_key(struct pl_buf *out, const char *name);
/* The comma alone. */
void query_out_next(struct pl_buf *out);
void query_out_text(struct pl_buf *out, const char *text);
void query_out_text_or_null(struct pl_buf *out, const char *text);
void query_out_i64(struct pl_buf *out, int64_t number);
/* Whole ones without a point, infinite ones "inf" and "-inf", what is none null. */
void query_out_f64(struct pl_buf *out, double number);
/* The same; a number that is not whole is rounded to at most digits_max significant digits. */
void query_out_f64_rounded(struct pl_buf *out, double number, int digits_max);
/* What is not recorded: null. */
void query_out_value(struct pl_buf *out, const struct mirror_value *value);

/* A double is exact to here; trunc() is a call where a processor need not know it. */
#define OUT_WHOLE_MAX 9e15
static inline bool out_is_whole(double number)
{
	if (!(fabs(number) < OUT_WHOLE_MAX))
		return false;
	double whole = (double)(int64_t)number;
	return whole >= number && whole <= number;
}

/* Most of an answer are a few bytes that have room: so much costs no call. */
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

/* A name that stands in JSON as it is written. */
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
