#include "dash/page.h"

#include <stdio.h>
#include <string.h>

#include "dash/page_files.h"
#include "dash/problem.h"

#define INDEX "/index.html"

/* "/experiments/7" is a place in the page, "/logo.svg" a file that would have to be there. */
static bool names_file(const char *path)
{
	return strchr(strrchr(path, '/'), '.') != NULL;
}

static void give(const struct dash_page_file *file, bool takes_gzip, struct dash_answer *answer)
{
	bool packed = takes_gzip && file->gzip != NULL;

	answer->status = 200;
	answer->type = file->content_type;
	answer->fixed = (const char *)(packed ? file->gzip : file->bytes);
	answer->len = packed ? file->gzip_len : file->len;
	answer->encoding = packed ? "gzip" : NULL;
	answer->varies = file->gzip != NULL;
	if (file->is_hashed)
		answer->cache = "public, max-age=31536000, immutable";
	snprintf(answer->tag, sizeof(answer->tag), "W/\"%s\"", file->etag);
}

void dash_page_answer(const char *path, bool takes_gzip, struct dash_answer *answer)
{
	const struct dash_page_file *file = dash_page_find(path);

	if (file == NULL && !names_file(path))
		file = dash_page_find(INDEX);
	if (file != NULL)
		give(file, takes_gzip, answer);
	else
		dash_refuse(answer, 404, "there is no '%s'", path);
}
