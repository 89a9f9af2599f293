/*
 * Which bytes of a file a client asks for: Range of RFC 9110, 14.2. One range; where several are asked for,
 * or in other units, the whole is an answer that every client takes.
 */
#pragma once

#include <stdint.h>

enum dash_range {
	DASH_RANGE_WHOLE,         /* none is asked for, or not so that it counts */
	DASH_RANGE_PART,          /* *ret_from and *ret_len, one byte at least */
	DASH_RANGE_UNSATISFIABLE, /* nothing of it is there */
};
/* `text` NULL: none. */
enum dash_range dash_range_read(const char *text, int64_t bytes, int64_t *ret_from,
				int64_t *ret_len);
