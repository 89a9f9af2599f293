/*
 * Parses Range (RFC 9110, 14.2). Only a single range is supported. For several ranges or other units the complete file
 * is sent, which every client accepts.
 */
#pragma once

#include <stdint.h>

enum dash_range {
	DASH_RANGE_WHOLE,         /* no range, or one to ignore */
	DASH_RANGE_PART,          /* *ret_from and *ret_len, at least one byte */
	DASH_RANGE_UNSATISFIABLE, /* the file has no such bytes */
};
/* `text` NULL: no header. */
enum dash_range dash_range_read(const char *text, int64_t bytes, int64_t *ret_from,
				int64_t *ret_len);
