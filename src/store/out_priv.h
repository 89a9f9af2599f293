/*
 * Answers as text: JSON is written straight into the buffer, without a tree of it. What does not fit the
 * buffer's ceiling is told by its `full` in the end.
 */
#pragma once

#include "base/buf.h"
#include "store/mirror/value.h"

/* "name": with the comma before, where something stands in front of it. */
void out_key(struct pl_buf *out, const char *name);
/* The comma alone. */
void out_next(struct pl_buf *out);
void out_text(struct pl_buf *out, const char *text);
void out_text_or_null(struct pl_buf *out, const char *text);
void out_i64(struct pl_buf *out, int64_t number);
/* Whole ones without a point, infinite ones "inf" and "-inf", what is none null. */
void out_f64(struct pl_buf *out, double number);
/* What is not recorded: null. */
void out_value(struct pl_buf *out, const struct store_value *value);

static inline void out_count(struct pl_buf *out, const char *name, size_t count)
{
	out_key(out, name);
	out_i64(out, (int64_t)count);
}
