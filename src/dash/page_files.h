/*
 * The embedded files of the web UI (web/), by path. Built with -DPROFLLM_PAGE=OFF, there is one file, an index.html
 * that says so. Constant data; any thread may read them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct dash_page_file {
	const char *path; /* as in a URL: "/index.html", "/assets/index-B3kd.js" */
	const char *content_type;
	const char *etag; /* SHA-256 of the plain bytes: 64 hexadecimal digits without quotes */
	const unsigned char *bytes;
	size_t len;
	const unsigned char
		*gzip; /* the same, compressed; NULL, as brotli, if it would not be much smaller */
	size_t gzip_len;
	const unsigned char *brotli;
	size_t brotli_len;
	bool is_hashed; /* its name contains a hash of its bytes, so it may be cached forever */
};

/* Returns NULL if there is no such file. "/" is not a file: the index is "/index.html". */
const struct dash_page_file *dash_page_find(const char *path);

/* Returns file `i`; NULL after the last one. */
const struct dash_page_file *dash_page_at(size_t i);
