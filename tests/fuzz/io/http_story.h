/*
 * Parses any bytes as HTTP messages of one kind: fed whole and in pieces (the first byte is their
 * size), they yield the same callbacks and the same verdict.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "io/http.h"

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int on_head(void *data, const struct io_http_head *head)
{
	struct pl_buf *story = data;

	must(head->header_count <= IO_HTTP_HEADERS_MAX);
	must(!(head->chunked && head->content_length >= 0));
	pl_buf_addf(story, "<%d %s %s %s %lld", head->status, head->method ? head->method : "",
		    head->target ? head->target : "", head->reason ? head->reason : "",
		    (long long)head->content_length);
	for (size_t i = 0; i < head->header_count; i++) {
		must(head->headers[i].name[0] != '\0');
		must(io_http_header_get(head, head->headers[i].name) != NULL);
		pl_buf_addf(story, "\n%s:%s", head->headers[i].name, head->headers[i].value);
	}
	pl_buf_addf(story, "%d>", head->keep_alive);
	return 0;
}

static int on_body(void *data, const char *bytes, size_t len)
{
	must(len > 0);
	pl_buf_add(data, bytes, len);
	return 0;
}

static int on_done(void *data)
{
	pl_buf_add_text(data, "|done|");
	return 0;
}

static void feed(struct pl_buf *story, const char *bytes, size_t len, size_t piece, bool no_body,
		 enum io_http_kind kind)
{
	static const struct io_http_calls calls = { on_head, on_body, on_done };
	struct io_http *http = io_http_new(kind, &calls, story);
	struct pl_err err = PL_ERR_INIT;
	size_t used;
	int rc = 0;

	pl_buf_init(story, 1 << 26);
	io_http_set_no_body(http, no_body);
	for (size_t at = 0; at < len && rc == 0; at += piece) {
		if (piece > len - at)
			piece = len - at;
		char *copy = pl_memdup(bytes + at, piece);
		rc = io_http_feed(http, copy, piece, false, &used, &err);
		must(rc < 0 || used == piece);
		free(copy);
	}
	if (rc == 0)
		rc = io_http_end(http, &err);
	pl_buf_addf(story, "%d %s", rc, err.text);
	io_http_free(http);
}

static inline int http_story_check(const uint8_t *data, size_t size, enum io_http_kind kind)
{
	auto_buf whole = { 0 };
	auto_buf pieces = { 0 };

	if (size < 2)
		return 0;
	const char *bytes = (const char *)data + 1;
	bool no_body = data[0] >= 128;
	feed(&whole, bytes, size - 1, size - 1, no_body, kind);
	feed(&pieces, bytes, size - 1, 1 + data[0] % 32, no_body, kind);
	must(whole.len == pieces.len && memcmp(whole.data, pieces.data, whole.len) == 0);
	return 0;
}
