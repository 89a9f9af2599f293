/* Parsing of a complete head; io/http.c collects its bytes. */
#pragma once

#include "io/http.h"

/*
 * Parses a whole head (including its empty line) in place. ret->headers points to `headers`
 * (IO_HTTP_HEADERS_MAX entries), all texts into `text`. ret->keep_alive is what the headers say; a
 * body that lasts until the end of the connection is not considered.
 */
int io_http_head_parse(enum io_http_kind kind, char *text, size_t len,
		       struct io_http_header *headers, struct io_http_head *ret,
		       struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns whether the byte is invalid in a head or trailer: control bytes except TAB (CR and LF are
 * line ends).
 */
static inline bool io_http_is_control(unsigned char c)
{
	return (c < 0x20 && c != '\t') || c == 0x7f;
}

/* Sets "malformed HTTP request: text"; returns -1. */
int io_http_fail(enum io_http_kind kind, struct pl_err *err, const char *text);
