/*
 * The page (web/) as it lies in the program: its files by their paths, ready to be sent. Built with
 * -DPROFLLM_PAGE=OFF there is one file, an index.html that says so.
 *
 * Constant data; any thread may read them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct dash_page_file {
	const char *path; /* "/index.html", "/assets/index-B3kd.js": as in a URL */
	const char *content_type;
	const char
		*etag; /* SHA-256 of the plain bytes, 64 hexadecimal digits, no quotes around it */
	const unsigned char *bytes;
	size_t len;
	const unsigned char
		*gzip; /* the same, compressed; NULL, as brotli: it would not be much smaller */
	size_t gzip_len;
	const unsigned char *brotli;
	size_t brotli_len;
	bool is_hashed; /* its name changes with its bytes, so it may be cached for ever */
};

/* NULL: there is no such file. "/" is no file: the index is "/index.html". */
const struct dash_page_file *dash_page_find(const char *path);

/* All of them; NULL from `i` = their count on. */
const struct dash_page_file *dash_page_at(size_t i);
