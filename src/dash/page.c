#include "dash/page.h"

#include <stdio.h>
#include <string.h>

#include "dash/coding.h"
#include "dash/page_files.h"
#include "dash/problem.h"

#define INDEX "/index.html"

/* "/experiments/7" is a route of the web UI, "/logo.svg" would have to be a file. */
static bool names_file(const char *path)
{
	return strchr(strrchr(path, '/'), '.') != NULL;
}

static void give(const struct dash_page_file *file, const char *accept_coding,
		 struct dash_answer *answer)
{
	const unsigned offered = 1u << DASH_CODING_GZIP | 1u << DASH_CODING_BROTLI;
	enum dash_coding coding = file->gzip != NULL ? dash_coding_choose(accept_coding, offered)
						     : DASH_CODING_PLAIN;
	const struct {
		const unsigned char *bytes;
		size_t len;
	} forms[DASH_CODING_COUNT] = { [DASH_CODING_PLAIN] = { file->bytes, file->len },
				       [DASH_CODING_GZIP] = { file->gzip, file->gzip_len },
				       [DASH_CODING_BROTLI] = { file->brotli, file->brotli_len } };

	answer->status = 200;
	answer->type = file->content_type;
	answer->fixed = (const char *)forms[coding].bytes;
	answer->len = forms[coding].len;
	answer->encoding = dash_coding_name(coding);
	answer->varies = file->gzip != NULL;
	if (file->is_hashed)
		answer->cache = "public, max-age=31536000, immutable";
	snprintf(answer->tag, sizeof(answer->tag), "W/\"%s\"", file->etag);
}

void dash_page_answer(const char *path, const char *accept_coding, struct dash_answer *answer)
{
	const struct dash_page_file *file = dash_page_find(path);

	if (file == NULL && !names_file(path))
		file = dash_page_find(INDEX);
	if (file != NULL)
		give(file, accept_coding, answer);
	else
		dash_refuse(answer, 404, "'%s' does not exist", path);
}
