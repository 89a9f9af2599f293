#include "dash/answer.h"

#include <stdlib.h>

#include "base/mem.h"

void dash_shared_release(struct dash_shared *shared)
{
	if (shared == NULL || atomic_fetch_sub(&shared->users, 1) > 1)
		return;
	free(shared->bytes);
	free(shared);
}

static void drop_bytes(struct dash_answer *answer)
{
	free(answer->bytes);
	dash_shared_release(answer->shared);
	if (answer->stream != NULL)
		answer->stream->free(answer->stream);
	answer->bytes = NULL;
	answer->fixed = NULL;
	answer->shared = NULL;
	answer->stream = NULL;
	answer->len = 0;
}

void dash_answer_done(struct dash_answer *answer)
{
	drop_bytes(answer);
	free(answer->location);
	free(answer->disposition);
	*answer = (struct dash_answer){ 0 };
}

void dash_answer_bytes(struct dash_answer *answer, const char *type, char *bytes, size_t len)
{
	drop_bytes(answer);
	answer->type = type;
	answer->bytes = bytes;
	answer->len = len;
}

void dash_answer_make_shared(struct dash_answer *answer)
{
	if (answer->shared != NULL)
		return;
	answer->shared = pl_alloc(sizeof(*answer->shared));
	atomic_init(&answer->shared->users, 1);
	answer->shared->bytes = pl_take(answer->bytes);
}

void dash_answer_share(const struct dash_answer *from, struct dash_answer *to)
{
	dash_answer_bytes(to, from->type, NULL, from->len);
	atomic_fetch_add(&from->shared->users, 1);
	to->shared = from->shared;
	to->status = from->status;
	to->retry_s = from->retry_s;
	to->is_partial = from->is_partial;
}

void dash_answer_unchanged(struct dash_answer *answer)
{
	dash_answer_bytes(answer, NULL, NULL, 0);
	answer->status = 304;
	answer->encoding = NULL;
}
