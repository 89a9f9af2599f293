/*
 * The build writes PAGE_FOLDER/page_table.h, one row per file (tools/web build), and embeds the files. Without a web UI
 * there are no rows, and the index explains how to get one, instead of a bare "not found".
 */
#include "dash/page_files.h"

#include <string.h>

#ifdef PAGE_FOLDER

#define BYTES(number, kind, file)                        \
	__asm__(".pushsection .rodata\n"                 \
		"dash_page_" #kind "_" #number ":\n"     \
		".incbin \"" PAGE_FOLDER "/" file "\"\n" \
		".popsection\n");                        \
	extern const unsigned char dash_page_##kind##_##number[]
#define PLAIN(number, path, type, etag, hashed, file, len) BYTES(number, plain, file);
#define PACKED(number, path, type, etag, hashed, file, len, gz, gz_len, br, br_len) \
	BYTES(number, plain, file);                                                 \
	BYTES(number, gzip, gz);                                                    \
	BYTES(number, brotli, br);
#include PAGE_TABLE
#undef PLAIN
#undef PACKED

#define PLAIN(number, path, type, etag, hashed, file, len) \
	{ path, type, etag, dash_page_plain_##number, len, NULL, 0, NULL, 0, hashed },
#define PACKED(number, path, type, etag, hashed, file, len, gz, gz_len, br, br_len) \
	{ path,   type,                                                             \
	  etag,   dash_page_plain_##number,                                         \
	  len,    dash_page_gzip_##number,                                          \
	  gz_len, dash_page_brotli_##number,                                        \
	  br_len, hashed },
static const struct dash_page_file files[] = {
#include PAGE_TABLE
};

#else

#define NO_PAGE                                                                              \
	"<!doctype html>\n<html lang=\"en-GB\"><head><meta charset=\"utf-8\"><title>ProfLLM" \
	"</title></head>\n<body><h1>ProfLLM</h1>\n<p>This profllm-dashboard was built "      \
	"without its page (-DPROFLLM_PAGE=OFF). Its API answers: <a href=\"/api/health\">"   \
	"/api/health</a>, <a href=\"/api/data/experiments\">/api/data/experiments</a>."      \
	"</p></body></html>\n"

static const struct dash_page_file files[] = {
	{ "/index.html", "text/html; charset=utf-8",
	  "b6dbb54136593526cf4a753dc3cc8609d01ddc64a2013e1fe109776d944a5477",
	  (const unsigned char *)NO_PAGE, sizeof(NO_PAGE) - 1, NULL, 0, NULL, 0, false },
};

#endif

#define FILE_COUNT (sizeof(files) / sizeof(files[0]))

const struct dash_page_file *dash_page_find(const char *path)
{
	for (size_t i = 0; i < FILE_COUNT; i++) {
		if (strcmp(files[i].path, path) == 0)
			return &files[i];
	}
	return NULL;
}

const struct dash_page_file *dash_page_at(size_t i)
{
	return i < FILE_COUNT ? &files[i] : NULL;
}
