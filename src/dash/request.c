#include "dash/request.h"

#include "base/buf.h"
#include "dash/problem.h"

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
