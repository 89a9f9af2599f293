#include "dash/log/indexes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define INDEXES_MAX    16 /* of 32 KiB each */
#define LARGE_BYTES    (4 << 20)
#define LARGE_LOGS_MAX 2 /* of four threads (dash/server.c) */
#define MAKERS_MAX     4 /* one per thread */

struct entry {
	char *sha256;
	char *cause;
	struct dash_log_index *index;
};

struct dash_log_indexes {
	pthread_mutex_t lock;
	struct entry entries[INDEXES_MAX]; /* a ring: the oldest one is replaced */
	size_t next;
	const char
		*made[MAKERS_MAX]; /* the SHA-256 of each index that a thread makes; NULL: free */
	pthread_cond_t is_made;
	atomic_uint large_logs;
};

struct dash_log_indexes *dash_log_indexes_new(void)
{
	struct dash_log_indexes *indexes = pl_alloc(sizeof(*indexes));

	pthread_mutex_init(&indexes->lock, NULL);
	pthread_cond_init(&indexes->is_made, NULL);
	return indexes;
}

static void entry_done(struct entry *entry)
{
	free(entry->sha256);
	free(entry->cause);
	free(entry->index);
}

void dash_log_indexes_free(struct dash_log_indexes *indexes)
{
	if (indexes == NULL)
		return;
	for (size_t i = 0; i < INDEXES_MAX; i++)
		entry_done(&indexes->entries[i]);
	pthread_cond_destroy(&indexes->is_made);
	pthread_mutex_destroy(&indexes->lock);
	free(indexes);
}

bool dash_log_indexes_find(struct dash_log_indexes *indexes, const char *sha256, const char *cause,
			   struct dash_log_index *ret)
{
	bool is_found = false;

	pthread_mutex_lock(&indexes->lock);
	for (size_t i = 0; i < INDEXES_MAX && !is_found; i++) {
		const struct entry *entry = &indexes->entries[i];
		is_found = entry->index != NULL && strcmp(entry->sha256, sha256) == 0 &&
			   strcmp(entry->cause, cause != NULL ? cause : "") == 0;
		if (is_found)
			*ret = *entry->index;
	}
	pthread_mutex_unlock(&indexes->lock);
	return is_found;
}

void dash_log_indexes_add(struct dash_log_indexes *indexes, const char *sha256, const char *cause,
			  const struct dash_log_index *index)
{
	struct entry entry = {
		.sha256 = pl_strdup(sha256),
		.cause = pl_strdup(cause != NULL ? cause : ""),
		.index = (struct dash_log_index *)pl_memdup(index, sizeof(*index)),
	};

	pthread_mutex_lock(&indexes->lock);
	struct entry oldest = indexes->entries[indexes->next];
	indexes->entries[indexes->next] = entry;
	indexes->next = (indexes->next + 1) % INDEXES_MAX;
	pthread_mutex_unlock(&indexes->lock);
	entry_done(&oldest);
}

/* Returns a free place, or NULL if there is none or a thread makes this index. */
static const char **place_for(struct dash_log_indexes *indexes, const char *sha256)
{
	const char **place = NULL;

	for (size_t i = 0; i < MAKERS_MAX; i++) {
		if (indexes->made[i] == NULL)
			place = &indexes->made[i];
		else if (strcmp(indexes->made[i], sha256) == 0)
			return NULL;
	}
	return place;
}

void dash_log_indexes_begin(struct dash_log_indexes *indexes, const char *sha256)
{
	const char **place;

	pthread_mutex_lock(&indexes->lock);
	while ((place = place_for(indexes, sha256)) == NULL)
		pthread_cond_wait(&indexes->is_made, &indexes->lock);
	*place = sha256;
	pthread_mutex_unlock(&indexes->lock);
}

void dash_log_indexes_end(struct dash_log_indexes *indexes, const char *sha256)
{
	pthread_mutex_lock(&indexes->lock);
	for (size_t i = 0; i < MAKERS_MAX; i++) {
		if (indexes->made[i] == sha256)
			indexes->made[i] = NULL;
	}
	pthread_cond_broadcast(&indexes->is_made);
	pthread_mutex_unlock(&indexes->lock);
}

bool dash_log_indexes_enter(struct dash_log_indexes *indexes, int64_t bytes)
{
	if (bytes < LARGE_BYTES || atomic_fetch_add(&indexes->large_logs, 1) < LARGE_LOGS_MAX)
		return true;
	atomic_fetch_sub(&indexes->large_logs, 1);
	return false;
}

void dash_log_indexes_leave(struct dash_log_indexes *indexes, int64_t bytes)
{
	if (bytes >= LARGE_BYTES)
		atomic_fetch_sub(&indexes->large_logs, 1);
}
