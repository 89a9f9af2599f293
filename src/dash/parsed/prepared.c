#include "dash/parsed/prepared.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "mirror/cancel_token.h"
#include "store/artifacts/artifact.h"

#define JOBS_MAX 16
#define PRIORITY 10 /* nice value: the next run of a sweep may measure on the same host */
/* The text of fewer bytes is read in a few hundredths of a second. */
#define PARSED_BYTES_LEAST ((size_t)4 << 20)
#define PACKED_BYTES_LEAST ((int64_t)256 << 10)

struct job {
	const struct dash_prepared_kind *kind;
	char *name;
	char sha256[65];
	int64_t bytes;
	bool is_new; /* it may have been stored before, with a prepared file */
};

struct dash_prepared {
	struct store *store;
	struct dash_parsed_cache *cache;
	pthread_t thread;
	struct mirror_cancel_token cancel_token;
	atomic_bool is_over;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t wake;
	struct job jobs[JOBS_MAX]; /* the oldest one first */
	size_t count;
};

/* ---- jobs ------------------------------------------------------------------------------------ */

static bool has_job(const struct dash_prepared *prepared, const struct dash_prepared_kind *kind,
		    const char *sha256)
{
	for (size_t i = 0; i < prepared->count; i++) {
		if (prepared->jobs[i].kind == kind && strcmp(prepared->jobs[i].sha256, sha256) == 0)
			return true;
	}
	return false;
}

static void add_job(struct dash_prepared *prepared, const struct dash_prepared_kind *kind,
		    const struct store_artifact *artifact, bool is_new)
{
	pthread_mutex_lock(&prepared->lock);
	if (prepared->count < JOBS_MAX && !has_job(prepared, kind, artifact->sha256)) {
		struct job *job = &prepared->jobs[prepared->count++];
		*job = (struct job){ .kind = kind,
				     .name = pl_strdup(artifact->name),
				     .bytes = artifact->bytes,
				     .is_new = is_new };
		memcpy(job->sha256, artifact->sha256, sizeof(job->sha256));
		pthread_cond_signal(&prepared->wake);
	}
	pthread_mutex_unlock(&prepared->lock);
}

/* Waits for a job. Returns false if the thread is to end. */
static bool take_job(struct dash_prepared *prepared, struct job *ret)
{
	pthread_mutex_lock(&prepared->lock);
	while (prepared->count == 0 && !prepared->is_over)
		pthread_cond_wait(&prepared->wake, &prepared->lock);
	bool has = !prepared->is_over;
	if (has) {
		*ret = prepared->jobs[0];
		prepared->count--;
		memmove(&prepared->jobs[0], &prepared->jobs[1],
			prepared->count * sizeof(prepared->jobs[0]));
	}
	pthread_mutex_unlock(&prepared->lock);
	return has;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct source {
	struct dash_prepared *prepared;
	const struct dash_prepared_kind *kind;
	const struct store_artifact *artifact;
	struct mirror_cancel_token *cancel_token;
	bool is_text; /* the text was read */
};

static int load(const struct source *source, size_t bytes_max, void **ret, struct pl_err *err)
{
	auto_fd int fd = -1;

	return store_prepared_open(source->prepared->store, source->artifact->sha256,
				   source->kind->name, &fd, err) < 0
		       ? -1
		       : source->kind->load(fd, bytes_max, ret, err);
}

static int read_source(void *data, size_t bytes_max, void **ret, struct pl_err *err)
{
	struct source *source = data;

	/* whatever is wrong with a prepared file, the text has all of it */
	if (load(source, bytes_max, ret, PL_ERR_IGNORED) == 0)
		return 0;
	source->is_text = true;
	return source->kind->read(source->prepared->store, source->artifact, source->cancel_token,
				  bytes_max, ret, err);
}

int dash_prepared_open(struct dash_prepared *prepared, const struct dash_prepared_kind *kind,
		       const struct store_artifact *artifact,
		       struct mirror_cancel_token *cancel_token, void **ret, struct pl_err *err)
{
	struct source source = { prepared, kind, artifact, cancel_token, false };

	if (dash_parsed_open(prepared->cache, &kind->parsed, artifact->sha256, read_source, &source,
			     ret, err) < 0)
		return -1;
	if (source.is_text && kind->parsed.bytes(*ret) >= PARSED_BYTES_LEAST)
		add_job(prepared, kind, artifact, false);
	return 0;
}

void dash_prepared_add(struct dash_prepared *prepared, const struct dash_prepared_kind *kind,
		       const struct store_artifact *artifact)
{
	/* the disk may have corrupted the file that this one replaces */
	dash_parsed_forget(prepared->cache, &kind->parsed, artifact->sha256);
	if (artifact->bytes >= PACKED_BYTES_LEAST)
		add_job(prepared, kind, artifact, true);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static bool has_file(struct dash_prepared *prepared, const struct job *job)
{
	auto_fd int fd = -1;

	return store_prepared_open(prepared->store, job->sha256, job->kind->name, &fd,
				   PL_ERR_IGNORED) == 0;
}

static int prepare(struct dash_prepared *prepared, const struct job *job, struct pl_err *err)
{
	struct store_artifact artifact = { .name = job->name, .bytes = job->bytes };
	struct source source = { prepared, job->kind, &artifact, &prepared->cancel_token, false };
	void *parsed = NULL;
	int result = 0;

	if (job->is_new && has_file(prepared, job))
		return 0;
	memcpy(artifact.sha256, job->sha256, sizeof(artifact.sha256));
	if (dash_parsed_fill(prepared->cache, &job->kind->parsed, job->sha256, read_source, &source,
			     &parsed, err) < 0)
		return -1;
	if (job->kind->parsed.bytes(parsed) >= PARSED_BYTES_LEAST)
		result = store_prepared_write(prepared->store, job->sha256, job->kind->name,
					      job->kind->save, parsed, err);
	job->kind->parsed.unref(parsed);
	return result;
}

/* A file that cannot be read is reported to who requests it; one that cannot be written only costs time. */
static void report(const struct job *job, const struct pl_err *err)
{
	if (err->code == PL_ERR_IO)
		pl_log(PL_LOG_WARNING, "could not prepare '%s': %s", job->name, err->text);
}

static void *work_on(void *data)
{
	struct dash_prepared *prepared = data;
	struct job job;

	pl_thread_lower(PRIORITY);
	while (take_job(prepared, &job)) {
		struct pl_err err = PL_ERR_INIT;
		if (prepare(prepared, &job, &err) < 0)
			report(&job, &err);
		free(job.name);
	}
	return NULL;
}

static bool is_stopping(struct mirror_cancel_token *cancel_token)
{
	return PL_CONTAINER_OF(cancel_token, struct dash_prepared, cancel_token)->is_over;
}

static void free_all(struct dash_prepared *prepared)
{
	for (size_t i = 0; i < prepared->count; i++)
		free(prepared->jobs[i].name);
	pthread_cond_destroy(&prepared->wake);
	pthread_mutex_destroy(&prepared->lock);
	free(prepared);
}

int dash_prepared_start(struct store *store, struct dash_parsed_cache *cache,
			struct dash_prepared **ret, struct pl_err *err)
{
	struct dash_prepared *prepared = pl_alloc(sizeof(*prepared));

	prepared->store = store;
	prepared->cache = cache;
	prepared->cancel_token.has_left = is_stopping;
	pthread_mutex_init(&prepared->lock, NULL);
	pthread_cond_init(&prepared->wake, NULL);
	if (pl_thread_start(&prepared->thread, work_on, prepared, err) < 0) {
		free_all(prepared);
		return -1;
	}
	*ret = prepared;
	return 0;
}

void dash_prepared_stop(struct dash_prepared *prepared)
{
	if (prepared == NULL)
		return;
	pthread_mutex_lock(&prepared->lock);
	prepared->is_over = true;
	pthread_cond_signal(&prepared->wake);
	pthread_mutex_unlock(&prepared->lock);
	pthread_join(prepared->thread, NULL);
	free_all(prepared);
}
