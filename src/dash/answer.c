#include "dash/answer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

void dash_shared_release(struct dash_shared *shared)
{
	if (shared == NULL || atomic_fetch_sub(&shared->users, 1) > 1)
		return;
	for (size_t i = 0; i < DASH_CODING_COUNT; i++)
		free(shared->packed[i].bytes);
	pthread_mutex_destroy(&shared->lock);
	free(shared->bytes);
	free(shared);
}

static void drop_bytes(struct dash_answer *answer)
{
	free(answer->bytes);
	dash_shared_release(answer->shared);
	if (answer->stream != NULL)
		answer->stream->free(answer->stream);
	if (answer->has_fd)
		close(answer->fd);
	answer->bytes = NULL;
	answer->fixed = NULL;
	answer->shared = NULL;
	answer->stream = NULL;
	answer->has_fd = false;
	answer->len = 0;
	answer->coding = DASH_CODING_PLAIN;
	answer->encoding = NULL;
}

void dash_answer_done(struct dash_answer *answer)
{
	drop_bytes(answer);
	if (answer->sink != NULL)
		answer->sink->free(answer->sink);
	free(answer->location);
	free(answer->cookie);
	free(answer->user_name);
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
	pthread_mutex_init(&answer->shared->lock, NULL);
	answer->shared->len = answer->len;
	/* the cache counts lengths, so the buffer must not be larger */
	if (answer->bytes != NULL && answer->len > 0)
		answer->shared->bytes = pl_realloc_array(pl_take(answer->bytes), answer->len, 1);
}

size_t dash_answer_held(const struct dash_answer *answer)
{
	size_t bytes = answer->shared->len;

	pthread_mutex_lock(&answer->shared->lock);
	for (size_t i = 0; i < DASH_CODING_COUNT; i++)
		bytes += answer->shared->packed[i].len;
	pthread_mutex_unlock(&answer->shared->lock);
	return bytes;
}

void dash_answer_share(const struct dash_answer *from, struct dash_answer *to)
{
	dash_answer_bytes(to, from->type, NULL, from->shared->len);
	atomic_fetch_add(&from->shared->users, 1);
	to->shared = from->shared;
	to->status = from->status;
	to->retry_s = from->retry_s;
	to->is_partial = from->is_partial;
}

char *dash_disposition(const char *name)
{
	auto_buf value = PL_BUF(16384);
	const char *slash = strrchr(name, '/');

	name = slash != NULL ? slash + 1 : name;
	pl_buf_add_text(&value, "attachment; filename=\"");
	for (const char *c = name; *c != '\0'; c++)
		pl_buf_add_char(&value,
				*c >= ' ' && *c <= '~' && strchr("\"\\%", *c) == NULL ? *c : '_');
	pl_buf_add_text(&value, "\"; filename*=UTF-8''");
	for (const char *c = name; *c != '\0'; c++) {
		bool is_plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
				(*c >= 'a' && *c <= 'z') || strchr("-._", *c) != NULL;
		pl_buf_addf(&value, is_plain ? "%c" : "%%%02X", (unsigned char)*c);
	}
	return pl_buf_take(&value);
}

void dash_answer_unchanged(struct dash_answer *answer)
{
	dash_answer_bytes(answer, NULL, NULL, 0);
	answer->status = 304;
	answer->encoding = NULL;
	answer->range[0] = '\0';
}
