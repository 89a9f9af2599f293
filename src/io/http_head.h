/*
 * The head of a message, apart from how its bytes came together: io/http.c collects it,
 * io/http_head.c takes it apart.
 */
#pragma once

#include "io/http.h"

/*
 * Parses a whole head (up to and with its empty line) in place. ret->headers points to `headers`
 * (room for IO_HTTP_HEADERS_MAX), all texts into `text`. ret->keep_alive is what the headers say;
 * a body that runs until the end is not considered. On failure *ret_status is what a server should
 * answer with.
 */
int io_http_head_parse(enum io_http_kind kind, char *text, size_t len,
		       struct io_http_header *headers, struct io_http_head *ret, int *ret_status,
		       struct pl_err *err) PL_MUST_CHECK;

/* May not stand in a head or trailer: control bytes but TAB (CR and LF are line ends). */
static inline bool io_http_is_control(unsigned char c)
{
	return (c < 0x20 && c != '\t') || c == 0x7f;
}

/* "malformed HTTP request: text"; returns -1. */
int io_http_fail(enum io_http_kind kind, struct pl_err *err, const char *text);
