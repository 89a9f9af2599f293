/*
 * The bytes of a trace as values: the members of the object around the events, and each event. Brackets and quotes
 * alone determine the end of a value, so that a malformed event affects no other.
 */
#include <string.h>

#include "base/scan.h"
#include "trace/trace_priv.h"

#define KEY_MAX 200

void trace_cut_init(struct trace_cut *cut)
{
	pl_buf_init(&cut->key, KEY_MAX);
	pl_buf_init(&cut->item, TRACE_ITEM_MAX);
}

void trace_cut_done(struct trace_cut *cut)
{
	pl_buf_done(&cut->key);
	pl_buf_done(&cut->item);
}

static int refuse(struct pl_err *err, const char *what)
{
	return pl_err_invalid(err, "not a trace in Chrome's format: %s", what);
}

static void begin_value(struct trace_cut *cut, enum trace_place place)
{
	cut->place = place;
	cut->in_text = cut->escaped = cut->too_long = false;
	cut->depth = 0;
	pl_buf_clear(&cut->item);
}

static void add(struct trace_cut *cut, const char *bytes, size_t len)
{
	if (!cut->too_long && len > 0 && !pl_buf_add(&cut->item, bytes, len))
		cut->too_long = true;
}

static void end_value(struct trace_cut *cut)
{
	bool is_event = cut->place == TRACE_IN_EVENT;

	cut->place = is_event ? TRACE_AFTER_EVENT : TRACE_AFTER_VALUE;
	if (!cut->too_long)
		cut->take(cut, is_event ? NULL : pl_buf_text(&cut->key), pl_buf_text(&cut->item),
			  cut->item.len);
	else if (is_event)
		cut->skip(cut);
}

/* Reads within a value; returns the first byte after what it read. A stop on the level of the value is not read. */
static const char *read_value(struct trace_cut *cut, const char *at, const char *end)
{
	const char *from = at;

	for (; at < end; at++) {
		char c = *at;
		if (cut->in_text) {
			if (cut->escaped)
				cut->escaped = false;
			else if (c == '\\')
				cut->escaped = true;
			else if (c == '"')
				cut->in_text = false;
		} else if (c == '"') {
			cut->in_text = true;
		} else if (c == '{' || c == '[') {
			cut->depth++;
		} else if (cut->depth == 0 && (c == ',' || c == '}' || c == ']')) {
			add(cut, from, (size_t)(at - from));
			end_value(cut);
			return at;
		} else if (c == '}' || c == ']') {
			cut->depth--;
		}
	}
	add(cut, from, (size_t)(at - from));
	return at;
}

static const char *read_key(struct trace_cut *cut, const char *at, const char *end)
{
	for (; at < end; at++) {
		char c = *at;
		if (cut->escaped)
			cut->escaped = false;
		else if (c == '\\')
			cut->escaped = true;
		else if (c == '"')
			break;
		/* a longer key is none of those that matter */
		(void)pl_buf_add_char(&cut->key, c);
	}
	if (at == end)
		return at;
	cut->place = TRACE_AFTER_KEY;
	return at + 1;
}

static void begin_key(struct trace_cut *cut)
{
	pl_buf_clear(&cut->key);
	cut->escaped = false;
	cut->place = TRACE_IN_KEY;
}

/* Takes a byte between two values, which is not blank. Returns 1 if the byte belongs to the next value. */
static int take_mark(struct trace_cut *cut, char c, struct pl_err *err)
{
	switch (cut->place) {
	case TRACE_AT_START:
		if (c != '{' && c != '[')
			return refuse(err, "found no object and no array");
		cut->is_bare = cut->has_events = c == '[';
		cut->place = cut->is_bare ? TRACE_BEFORE_EVENT : TRACE_BEFORE_KEY;
		return 0;
	case TRACE_BEFORE_KEY:
		if (c == '}')
			cut->place = TRACE_AT_END;
		else if (c == '"')
			begin_key(cut);
		else
			return refuse(err, "expected a key");
		return 0;
	case TRACE_AFTER_KEY:
		if (c != ':')
			return refuse(err, "expected ':'");
		cut->place = TRACE_BEFORE_VALUE;
		return 0;
	case TRACE_BEFORE_VALUE:
		if (c == '[' && strcmp(pl_buf_text(&cut->key), "traceEvents") == 0) {
			cut->place = TRACE_BEFORE_EVENT;
			cut->has_events = true;
			return 0;
		}
		begin_value(cut, TRACE_IN_VALUE);
		return 1;
	case TRACE_AFTER_VALUE:
		if (c != ',' && c != '}')
			return refuse(err, "expected ',' or '}'");
		cut->place = c == ',' ? TRACE_BEFORE_KEY : TRACE_AT_END;
		return 0;
	case TRACE_BEFORE_EVENT:
		if (c == ']') {
			cut->place = cut->is_bare ? TRACE_AT_END : TRACE_AFTER_VALUE;
			return 0;
		}
		begin_value(cut, TRACE_IN_EVENT);
		return 1;
	case TRACE_AFTER_EVENT:
		if (c != ',' && c != ']')
			return refuse(err, "expected ',' or ']'");
		cut->place = c == ','       ? TRACE_BEFORE_EVENT
			     : cut->is_bare ? TRACE_AT_END
					    : TRACE_AFTER_VALUE;
		return 0;
	case TRACE_AT_END:
		return refuse(err, "found bytes after its end");
	case TRACE_IN_KEY:
	case TRACE_IN_VALUE:
	case TRACE_IN_EVENT:
		break;
	}
	return 0;
}

int trace_cut_add(struct trace_cut *cut, const char *bytes, size_t len, struct pl_err *err)
{
	const char *at = bytes, *end = bytes + len;

	while (at < end) {
		if (cut->place == TRACE_IN_VALUE || cut->place == TRACE_IN_EVENT) {
			at = read_value(cut, at, end);
		} else if (cut->place == TRACE_IN_KEY) {
			at = read_key(cut, at, end);
		} else if (pl_scan_is_blank(*at)) {
			at++;
		} else {
			int taken = take_mark(cut, *at, err);
			if (taken < 0)
				return -1;
			at += taken == 0;
		}
	}
	return 0;
}
