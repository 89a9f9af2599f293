/*
 * The log of a server by lines: an index of where lines begin, the text of some lines, and a search. A log may have
 * gigabytes, lines of any length, and any bytes; memory and responses are bounded. Numbers of lines start at 1. A line
 * ends at '\n'; a '\r' before it is not part of its text.
 */
#pragma once

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mirror_cancel_token;

#define DASH_LOG_TEXT_BYTES   2000 /* of a line in a response */
#define DASH_LOG_ROWS_MAX     1000
#define DASH_LOG_MATCHES_MAX  10000
#define DASH_LOG_NEEDLE_BYTES 500
#define DASH_LOG_SEARCH_BYTES ((int64_t)256 << 20) /* of one search; the next one continues */
#define DASH_LOG_UNPACKED_MAX ((int64_t)4 << 30)   /* what follows in a compressed log is ignored */
#define DASH_LOG_OFFSETS_MAX  4096

/* An open log. Belongs to one thread. */
struct dash_log;
/* Takes the descriptor of a file, which may be compressed (base/unpack.h). */
int dash_log_open(int fd, const char *name, struct mirror_cancel_token *cancel_token,
		  struct dash_log **ret, struct pl_err *err) PL_MUST_CHECK;
/* Borrows the text. */
struct dash_log *dash_log_open_text(const char *text, size_t len);
void dash_log_close(struct dash_log *log);
/* Whether the file is compressed: its log may be much larger. */
bool dash_log_is_packed(const struct dash_log *log);
PL_AUTO_DEFINE(struct dash_log, dash_log_close);
#define auto_dash_log PL_AUTO(dash_log_close)

/* Where lines begin: offsets[i] is the first byte of line 1 + i * stride. */
struct dash_log_index {
	int64_t lines;
	int64_t bytes; /* after decompression */
	int64_t cause; /* the first line that contains the cause; 0: none */
	bool is_cut;   /* it has more than DASH_LOG_UNPACKED_MAX bytes */
	int64_t stride;
	size_t count;
	int64_t offsets[DASH_LOG_OFFSETS_MAX];
};
/* Reads the whole log. cause: what the line contains; NULL or "": unknown. INTERRUPTED: the client has left. */
int dash_log_index_make(struct dash_log *log, const char *cause, struct dash_log_index *ret,
			struct pl_err *err) PL_MUST_CHECK;

/* A line to return. */
struct dash_log_wanted {
	int64_t line; /* 1 to index.lines */
	int64_t from; /* the first byte of the line that must be in the text; 0: its start */
};
/*
 * *ret: new reference to an array of {line, text, from, bytes}: the text is at most DASH_LOG_TEXT_BYTES of a line of
 * `bytes` bytes, starting at its byte `from`. Bytes that are not UTF-8 become U+FFFD. wanted: ascending, without
 * duplicates.
 */
int dash_log_rows(struct dash_log *log, const struct dash_log_index *index,
		  const struct dash_log_wanted *wanted, size_t count, json_t **ret,
		  struct pl_err *err) PL_MUST_CHECK;

struct dash_log_matches {
	size_t count;
	int64_t next; /* the line to continue at; 0: the search reached the end */
	struct dash_log_wanted
		items[DASH_LOG_MATCHES_MAX]; /* `from`: of the first match of the line */
};
/*
 * Searches from the beginning of `line`; letters match in either case (query/needle.h). needle: UTF-8, 1 to
 * DASH_LOG_NEEDLE_BYTES bytes without a line break. Stops after DASH_LOG_MATCHES_MAX lines, or at the end of a line after search_bytes.
 */
int dash_log_search(struct dash_log *log, const struct dash_log_index *index, const char *needle,
		    int64_t line, int64_t search_bytes, struct dash_log_matches *ret,
		    struct pl_err *err) PL_MUST_CHECK;
