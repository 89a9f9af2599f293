#include "dash/answer.h"

#include <stdlib.h>

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
