#include "dash/request.h"

#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "dash/access/user.h"
#include "dash/problem.h"
#include "dash/routes.h"

static int64_t number_of(const char *text)
{
	int64_t number = 0;

	return text[0] != '0' && strspn(text, "0123456789") == strlen(text) &&
			       pl_text_to_i64(text, &number)
		       ? number
		       : 0;
}

int64_t dash_request_id(const struct dash_request *request)
{
	return number_of(request->words[0]);
}

int64_t dash_request_revision(const struct dash_request *request)
{
	const char *text = request->head->if_match;
	size_t len = text != NULL ? strlen(text) : 0;

	if (text == NULL || strcmp(text, "*") == 0)
		return 0;
	bool is_quoted = len >= 2 && text[0] == '"' && text[len - 1] == '"';
	auto_free char *bare = is_quoted ? pl_strndup(text + 1, len - 2) : pl_strdup(text);
	int64_t revision = number_of(bare);
	return revision > 0 ? revision : -1;
}

const char *dash_request_author(const struct dash_request *request)
{
	return request->user->name[0] != '\0' ? request->user->name : NULL;
}

void dash_answer_json(struct dash_answer *answer, int status, json_t *json)
{
	auto_json json_t *owned = json;
	auto_buf text = PL_BUF(DASH_ANSWER_BYTES_MAX);

	/* 64 KiB at once: most responses are smaller, and larger ones need fewer doublings */
	if (pl_buf_reserve(&text, 65536) == NULL || !pl_json_write(owned, PL_JSON_COMPACT, &text)) {
		dash_refuse(answer, 500, "the response is larger than %u bytes; request less",
			    DASH_ANSWER_BYTES_MAX);
		return;
	}
	size_t len = text.len;
	answer->status = status;
	dash_answer_bytes(answer, "application/json", pl_buf_take(&text), len);
}
