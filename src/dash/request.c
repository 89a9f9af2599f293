#include "dash/request.h"

#include <stdlib.h>

#include "dash/problem.h"

void dash_answer_done(struct dash_answer *answer)
{
	free(answer->bytes);
	free(answer->location);
	free(answer->disposition);
	*answer = (struct dash_answer){ 0 };
}

void dash_answer_bytes(struct dash_answer *answer, const char *type, char *bytes, size_t len)
{
	free(answer->bytes);
	answer->fixed = NULL;
	answer->type = type;
	answer->bytes = bytes;
	answer->len = len;
}

void dash_answer_unchanged(struct dash_answer *answer)
{
	dash_answer_bytes(answer, NULL, NULL, 0);
	answer->status = 304;
	answer->encoding = NULL;
}

void dash_answer_json(struct dash_answer *answer, int status, json_t *json)
{
	auto_json json_t *owned = json;
	auto_buf text = PL_BUF(DASH_ANSWER_BYTES_MAX);

	/* 64 KiB at once: most answers are smaller, and one that is not doubles a few times less */
	if (pl_buf_reserve(&text, 65536) == NULL || !pl_json_write(owned, PL_JSON_COMPACT, &text)) {
		dash_refuse(answer, 500, "the answer is larger than %u bytes: ask for less",
			    DASH_ANSWER_BYTES_MAX);
		return;
	}
	size_t len = text.len;
	answer->status = status;
	dash_answer_bytes(answer, status < 400 ? "application/json" : "application/problem+json",
			  pl_buf_take(&text), len);
}
