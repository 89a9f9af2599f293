#include "dash/upload/ingest.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "dash/upload/documents.h"
#include "store/job.h"

/* A disk that is full may be so for long; each look costs a transaction that fails. */
#define AGAIN_NS (2 * PL_NS_PER_S)
/* Of one document: a job may have thousands of documents, and its status tells of all of them. */
#define FAULTS_MAX 20
/* What one transaction takes: its way to the disk is most of what a small document costs. */
#define GROUP_MAX   64
#define GROUP_BYTES ((size_t)4 << 20)

struct dash_ingest {
	struct store *store;
	const struct store_reader *reader;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool has_work; /* under lock: there may be a job */
	bool is_over;  /* under lock */
	struct pl_pause pause;
};

static bool is_over(struct dash_ingest *ingest)
{
	pthread_mutex_lock(&ingest->lock);
	bool over = ingest->is_over;
	pthread_mutex_unlock(&ingest->lock);
	return over;
}

/* The store cannot be written to. False: the server ends. */
static bool wait_after(struct dash_ingest *ingest, const struct pl_err *err)
{
	pl_log(PL_LOG_WARNING, "uploads wait: %s", err->text);
	return pl_pause_until(&ingest->pause, pl_clock_now_ns() + AGAIN_NS);
}

/* What waiting does not mend: it must not stand in the way of all jobs behind it. */
static bool is_lasting(const struct pl_err *err)
{
	return err->code == PL_ERR_INVALID || err->code == PL_ERR_INTERNAL;
}

/* After a failure. False: it is not to be tried again; with *goes_on false the server ends. */
static bool try_again(struct dash_ingest *ingest, const struct pl_err *err, bool *goes_on)
{
	if (is_lasting(err)) {
		pl_log(PL_LOG_WARNING, "an upload is passed over: %s", err->text);
		return false;
	}
	*goes_on = wait_after(ingest, err);
	return *goes_on;
}

/* A document that was read, or why it cannot be. It stays where it is: prepared borrows from it. */
struct ready {
	struct store_document document;
	struct store_prepared *prepared;
	bool is_rejected;
	json_t *faults;
	char *message;
};

static void ready_done(struct ready *ready)
{
	store_prepared_free(ready->prepared);
	store_document_done(&ready->document);
	json_decref(ready->faults);
	free(ready->message);
	*ready = (struct ready){ 0 };
}

static void read_one(const struct dash_ingest *ingest, const struct dash_document *from,
		     struct ready *ret)
{
	struct pl_err why = PL_ERR_INIT;

	*ret = (struct ready){ .is_rejected = true };
	if (from->fault != NULL) {
		ret->message = pl_strdup(from->fault);
		return;
	}
	if (store_document_read(ingest->reader, from->bytes, from->len, from->name, &ret->document,
				&ret->faults, &why) == 0) {
		ret->is_rejected = false;
		ret->prepared = store_prepare(ingest->store, &ret->document, from->name);
		return;
	}
	ret->document = (struct store_document){ 0 };
	ret->message = pl_strdup(why.text);
	while (json_array_size(ret->faults) > FAULTS_MAX)
		json_array_remove(ret->faults, json_array_size(ret->faults) - 1);
}

static int store_one(struct dash_ingest *ingest, int64_t id, size_t index, const char *name,
		     const struct ready *ready, struct pl_err *err)
{
	struct store_put_result result;
	struct store_job_item item = { .index = index,
				       .name = name,
				       .prepared = ready->prepared,
				       .message = ready->message,
				       .faults = ready->is_rejected ? ready->faults : NULL };

	return store_job_item(ingest->store, id, &item, &result, err);
}

/* A group of documents, from `first` on, in one transaction: all or none. */
static int store_group(struct dash_ingest *ingest, int64_t id, size_t first, size_t count,
		       const struct dash_document *documents, const struct ready *ready,
		       struct pl_err *err)
{
	struct pl_err later = PL_ERR_INIT;
	int rc = 0;

	if (store_batch_begin(ingest->store, err) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = store_one(ingest, id, first + i, documents[i].name, &ready[i], err);
	if (store_batch_end(ingest->store, rc < 0 ? &later : err) < 0)
		return -1;
	return rc;
}

/* How many documents from there on are stored together: reading goes on beside others who write. */
static size_t group_size(const struct dash_documents *documents, size_t first)
{
	size_t count = 0, bytes = 0;

	while (first + count < documents->count && count < GROUP_MAX && bytes < GROUP_BYTES)
		bytes += documents->items[first + count++].len;
	return count;
}

/* What cannot be stored is rejected. False: the server ends. */
static bool store_or_reject(struct dash_ingest *ingest, int64_t id, size_t index, const char *name,
			    const struct ready *ready)
{
	struct pl_err err = PL_ERR_INIT;
	bool goes_on = true;

	while (goes_on && store_one(ingest, id, index, name, ready, &err) < 0) {
		if (!ready->is_rejected && is_lasting(&err)) {
			struct ready refused = { .is_rejected = true,
						 .message = pl_strdup(err.text) };
			goes_on = store_or_reject(ingest, id, index, name, &refused);
			ready_done(&refused);
			break;
		}
		if (!try_again(ingest, &err, &goes_on))
			break;
	}
	return goes_on;
}

/* A group; where one of it cannot be stored each for itself. False: the server ends. */
static bool store_all(struct dash_ingest *ingest, int64_t id, size_t first, size_t count,
		      const struct dash_document *documents, const struct ready *ready)
{
	struct pl_err err = PL_ERR_INIT;
	bool goes_on = true;

	while (goes_on) {
		if (store_group(ingest, id, first, count, documents, ready, &err) == 0)
			return true;
		if (is_lasting(&err))
			break;
		goes_on = wait_after(ingest, &err);
	}
	for (size_t i = 0; goes_on && i < count; i++)
		goes_on = store_or_reject(ingest, id, first + i, documents[i].name, &ready[i]);
	return goes_on;
}

static bool expect(struct dash_ingest *ingest, int64_t id, size_t count)
{
	struct pl_err err = PL_ERR_INIT;
	bool goes_on = true;

	while (store_job_expect(ingest->store, id, count, &err) < 0 &&
	       try_again(ingest, &err, &goes_on))
		continue;
	return goes_on;
}

static bool finish(struct dash_ingest *ingest, int64_t id)
{
	struct pl_err err = PL_ERR_INIT;
	bool goes_on = true;

	while (store_job_finish(ingest->store, id, &err) < 0 && try_again(ingest, &err, &goes_on))
		continue;
	return goes_on;
}

static bool refuse(struct dash_ingest *ingest, const struct store_job *job)
{
	const struct ready refused = { .is_rejected = true, .message = job->fault };

	return expect(ingest, job->id, job->items_done + 1) &&
	       store_or_reject(ingest, job->id, job->items_done, job->name, &refused) &&
	       finish(ingest, job->id);
}

/* False: the server ends, and the job is the next one's. */
static bool work_on(struct dash_ingest *ingest, const struct store_job *job)
{
	auto_documents documents;
	struct ready ready[GROUP_MAX];
	size_t count;

	dash_documents_of(job->kind, job->media, job->name, job->bytes, job->len, &documents);
	bool goes_on = expect(ingest, job->id, documents.count);
	for (size_t i = job->items_done; goes_on && i < documents.count; i += count) {
		count = group_size(&documents, i);
		for (size_t j = 0; j < count; j++)
			read_one(ingest, &documents.items[i + j], &ready[j]);
		goes_on = store_all(ingest, job->id, i, count, &documents.items[i], ready);
		for (size_t j = 0; j < count; j++)
			ready_done(&ready[j]);
		goes_on = goes_on && !is_over(ingest);
	}
	return goes_on && finish(ingest, job->id);
}

/* Until there may be a job, or something left of those before. False: the server ends. */
static bool await(struct dash_ingest *ingest)
{
	struct pl_err err = PL_ERR_INIT;
	bool is_wiped = store_jobs_wipe(ingest->store, &err) == 0;
	struct timespec again = pl_clock_timespec(pl_clock_now_ns() + AGAIN_NS);
	int status = 0;

	if (!is_wiped && err.code != PL_ERR_BUSY)
		pl_log(PL_LOG_WARNING, "what jobs came with stays in the log of the database: %s",
		       err.text);
	pthread_mutex_lock(&ingest->lock);
	while (!ingest->has_work && !ingest->is_over && status != ETIMEDOUT)
		status = is_wiped ? pthread_cond_wait(&ingest->wake, &ingest->lock)
				  : pthread_cond_timedwait(&ingest->wake, &ingest->lock, &again);
	ingest->has_work = false;
	bool over = ingest->is_over;
	pthread_mutex_unlock(&ingest->lock);
	return !over;
}

static void *work(void *data)
{
	struct dash_ingest *ingest = data;
	struct pl_err err = PL_ERR_INIT;
	bool goes_on = true;

	while (goes_on) {
		auto_store_job job = { 0 };
		if (store_job_next(ingest->store, &job, &err) < 0)
			goes_on = wait_after(ingest, &err);
		else if (job.id == 0)
			goes_on = await(ingest);
		else if (job.fault != NULL)
			goes_on = refuse(ingest, &job);
		else
			goes_on = work_on(ingest, &job);
	}
	return NULL;
}

int dash_ingest_start(struct store *store, const struct store_reader *reader,
		      struct dash_ingest **ret, struct pl_err *err)
{
	struct dash_ingest *ingest = pl_alloc(sizeof(*ingest));
	pthread_condattr_t monotonic;

	ingest->store = store;
	ingest->reader = reader;
	pthread_mutex_init(&ingest->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&ingest->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pl_pause_init(&ingest->pause);
	if (pl_thread_start(&ingest->thread, work, ingest, err) < 0) {
		free(ingest);
		return -1;
	}
	*ret = ingest;
	return 0;
}

void dash_ingest_wake(struct dash_ingest *ingest)
{
	pthread_mutex_lock(&ingest->lock);
	ingest->has_work = true;
	pthread_cond_signal(&ingest->wake);
	pthread_mutex_unlock(&ingest->lock);
}

void dash_ingest_stop(struct dash_ingest *ingest)
{
	pthread_mutex_lock(&ingest->lock);
	ingest->is_over = true;
	pthread_cond_signal(&ingest->wake);
	pthread_mutex_unlock(&ingest->lock);
	pl_pause_end(&ingest->pause);
	pthread_join(ingest->thread, NULL);
	pl_pause_done(&ingest->pause);
	pthread_cond_destroy(&ingest->wake);
	pthread_mutex_destroy(&ingest->lock);
	free(ingest);
}
