/* One event: the members that the sums need, in any order. */
#include <stdlib.h>
#include <string.h>

#include "io/jwalk.h"
#include "trace/trace_priv.h"

#define NS_PER_US    1000
#define WHOLE_MAX    ((int64_t)1 << 52) /* µs: 142 years; the sum of two, in ns, fits */
#define NUMBER_BYTES 64

/* With an exponent, which no known profiler writes. */
static bool ns_of_number(const char *text, size_t len, int64_t *ret)
{
	char number[NUMBER_BYTES];

	if (len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	double us = strtod(number, NULL);
	if (!(us >= 0 && us < (double)WHOLE_MAX))
		return false;
	*ret = (int64_t)(us * NS_PER_US);
	return true;
}

/* Exactly: microseconds since 1970 with three decimals do not fit a double. Digits after the third are dropped. */
bool trace_ns_of_us(const char *text, size_t len, int64_t *ret)
{
	int64_t whole = 0, part = 0;
	size_t at = 0;

	if (memchr(text, 'e', len) != NULL || memchr(text, 'E', len) != NULL)
		return ns_of_number(text, len, ret);
	for (; at < len && text[at] >= '0' && text[at] <= '9'; at++) {
		whole = whole * 10 + (text[at] - '0');
		if (whole > WHOLE_MAX)
			return false;
	}
	if (at < len && text[at] == '.') {
		int64_t weight = NS_PER_US / 10;
		for (at++; at < len && text[at] >= '0' && text[at] <= '9'; at++) {
			part += weight * (text[at] - '0');
			weight /= 10;
		}
	}
	if (at != len || len == 0)
		return false;
	*ret = whole * NS_PER_US + part;
	return true;
}

static bool take_number(struct io_jwalk *walk, int64_t *ret)
{
	enum io_jwalk_token token = io_jwalk_next(walk);

	/* some writers quote numbers */
	return (token == IO_JWALK_NUMBER || token == IO_JWALK_STRING) &&
	       trace_ns_of_us(walk->text, walk->len, ret);
}

static bool take_name(struct io_jwalk *walk, struct pl_buf *scratch, struct trace_event *event)
{
	if (io_jwalk_next(walk) != IO_JWALK_STRING)
		return false;
	pl_buf_clear(scratch);
	char *room = pl_buf_reserve(scratch, walk->len + 1);
	size_t len = room != NULL ? io_jwalk_decode(walk, room, walk->len + 1) : (size_t)-1;
	if (len == (size_t)-1)
		return false;
	event->name = room;
	event->name_len = len;
	return true;
}

static void take_category(struct io_jwalk *walk, struct trace_event *event)
{
	size_t room = sizeof(event->category) - 1, len = 0;

	if (io_jwalk_next(walk) == IO_JWALK_STRING)
		len = io_jwalk_decode(walk, event->category, room);
	if (len == (size_t)-1)
		memcpy(event->category, "other", sizeof("other"));
	else
		event->category[len] = '\0';
}

/* Skips a value that was not taken. */
static enum io_jwalk_token skip_rest(struct io_jwalk *walk, enum io_jwalk_token token)
{
	return token == IO_JWALK_OBJECT || token == IO_JWALK_ARRAY ? io_jwalk_skip(walk) : token;
}

bool trace_event_read(const char *text, size_t len, struct pl_buf *scratch, struct trace_event *ret)
{
	enum { PHASE = 1, NAME = 2, BEGIN = 4, DURATION = 8, ALL = 15 };
	enum io_jwalk_token token = IO_JWALK_ERROR;
	struct io_jwalk walk;
	unsigned found = 0;

	*ret = (struct trace_event){ .device = -1 };
	io_jwalk_init(&walk, text, len);
	if (io_jwalk_next(&walk) != IO_JWALK_OBJECT)
		return false;
	while ((token = io_jwalk_next(&walk)) == IO_JWALK_KEY) {
		if (io_jwalk_is(&walk, "ph")) {
			token = io_jwalk_next(&walk);
			if (token == IO_JWALK_STRING && io_jwalk_is(&walk, "X"))
				found |= PHASE;
			else
				skip_rest(&walk, token);
		} else if (io_jwalk_is(&walk, "name")) {
			found |= take_name(&walk, scratch, ret) ? NAME : 0;
		} else if (io_jwalk_is(&walk, "cat")) {
			take_category(&walk, ret);
		} else if (io_jwalk_is(&walk, "ts")) {
			found |= take_number(&walk, &ret->begin_ns) ? BEGIN : 0;
		} else if (io_jwalk_is(&walk, "dur")) {
			found |= take_number(&walk, &ret->duration_ns) ? DURATION : 0;
		} else if (io_jwalk_is(&walk, "pid")) {
			token = io_jwalk_next(&walk);
			if (token != IO_JWALK_NUMBER || !io_jwalk_to_i64(&walk, &ret->device))
				skip_rest(&walk, token);
		} else {
			io_jwalk_skip_value(&walk);
		}
	}
	ret->is_complete = found == ALL && ret->duration_ns >= 0;
	/* some profilers write NaN into the arguments, which come last */
	return token == IO_JWALK_END || ret->is_complete;
}
