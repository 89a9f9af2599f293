#include "dash/upload/ingest.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "dash/observe/counters.h"
#include "dash/upload/documents.h"
#include "dash/upload/readers.h"
#include "store/jobs/job.h"

/* A disk may stay full for long, and each attempt costs a failed transaction. */
#define RETRY_NS (2 * PL_NS_PER_S)
/*
 * On a shared database, nothing reports uploads to other processes, or the end of the owner of the jobs, so it is
 * polled.
 */
#define SHARED_NS (PL_NS_PER_S / 4)
/*
 * The limits of one transaction: the sync is most of the cost of a small document. While one group is stored, the next
 * is read, so two must fit into the prefetched documents.
 */
#define GROUP_MAX   (DASH_READ_MAX / 2)
#define GROUP_BYTES (DASH_READ_BYTES / 2)

struct dash_ingest {
	struct store *store;
	struct dash_readers *readers;
	struct dash_counters *counters; /* or NULL */
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

/* Waits after a failed write. Returns false if the server is stopping. */
static bool wait_after(struct dash_ingest *ingest, const struct pl_err *err)
{
	pl_log(PL_LOG_WARNING, "uploads wait: %s", err->text);
	return pl_pause_until(&ingest->pause, pl_clock_now_ns() + RETRY_NS);
}

/* Returns whether waiting cannot help, so that the item must not block later jobs. */
static bool is_lasting(const struct pl_err *err)
{
	return err->code == PL_ERR_INVALID || err->code == PL_ERR_INTERNAL;
}

/* ---- storing ------------------------------------------------------------------------------- */

/* The current work: for a part, its documents, indexed like its items. */
struct task {
	struct dash_ingest *ingest;
	const struct store_job_work *work;
	struct dash_documents documents;
	bool is_cut;
	size_t at;    /* first turn of the current group */
	size_t count; /* number of turns in the group */
	struct dash_read *read[GROUP_MAX];
	enum store_outcome outcomes[GROUP_MAX]; /* of the current transaction */
};

enum outcome {
	COMMITTED,
	CANCELLED, /* the job was cancelled */
	REFUSED,   /* it can never be stored */
	ENDS,      /* the server is stopping */
};

static struct dash_source source_of(const void *context, size_t pending_at)
{
	static const char gone[] = "its content is no longer available; upload it again";
	const struct task *task = context;
	const struct store_job_pending *pending = &task->work->pending[pending_at];
	size_t slot = pending->index - task->work->first;

	if (task->work->part == 0)
		return (struct dash_source){ .bytes = pending->bytes,
					     .len = pending->len,
					     .name = pending->name,
					     .fault = pending->bytes == NULL ? gone : NULL };
	/* another program version may split the bytes into fewer documents */
	if (slot >= task->documents.count)
		return (struct dash_source){ .name = task->work->name, .fault = gone };
	const struct dash_document *document = &task->documents.items[slot];
	return (struct dash_source){ .bytes = document->bytes,
				     .len = document->len,
				     .name = document->name,
				     .line = document->line,
				     .fault = document->fault };
}

static int store_one(const struct task *task, size_t i, const struct dash_read *read,
		     enum store_outcome *ret_outcome, struct pl_err *err)
{
	const struct store_job_pending *pending = &task->work->pending[task->at + i];
	struct store_put_result result;
	const struct store_job_item item = { .index = pending->index,
					     .choice = { .on_conflict = pending->on_conflict,
							 .author = pending->author,
							 .expected = pending->expected },
					     .prepared = read->prepared,
					     .message = read->message,
					     .faults = read->is_rejected ? read->faults : NULL,
					     .len = read->len,
					     .retained = read->retained };

	if (store_job_item(task->ingest->store, task->work, &item, &result, err) < 0)
		return -1;
	*ret_outcome = read->is_rejected ? STORE_REJECTED : result.outcome;
	return 0;
}

static int cut_part(const struct task *task, struct pl_err *err)
{
	const struct dash_documents *documents = &task->documents;
	auto_free struct store_job_cut *items = pl_alloc_array(documents->count, sizeof(*items));

	for (size_t i = 0; i < documents->count; i++)
		items[i] = (struct store_job_cut){ .name = documents->items[i].name,
						   .file = documents->items[i].file };
	return store_job_cut(task->ingest->store, task->work, items, documents->count, err);
}

/* The content of one transaction: items of the group from a turn on, and whether the work is done after them. */
struct write {
	size_t from;
	size_t count;
	struct dash_read *const *read;
	bool is_last;
};

static int write_within(struct task *task, const struct write *write, struct pl_err *err)
{
	if (!task->is_cut && cut_part(task, err) < 0)
		return -1;
	for (size_t i = 0; i < write->count; i++) {
		if (store_one(task, write->from + i, write->read[i], &task->outcomes[i], err) < 0)
			return -1;
	}
	return write->is_last ? store_job_done(task->ingest->store, task->work, err) : 0;
}

/* After the commit. */
static void count_documents(const struct task *task, const struct write *write)
{
	for (size_t i = 0; i < write->count; i++) {
		const struct dash_read *read = write->read[i];
		dash_counters_document(task->ingest->counters,
				       read->is_rejected ? -1 : (int)read->document.form,
				       task->outcomes[i]);
	}
}

static int write_once(struct task *task, const struct write *write, bool *ret_goes_on,
		      struct pl_err *err)
{
	struct store *store = task->ingest->store;
	struct pl_err later = PL_ERR_INIT;

	if (store_job_group_begin(store, task->work, ret_goes_on, err) < 0)
		return -1;
	if (!*ret_goes_on)
		return 0;
	int rc = write_within(task, write, err);
	if (store_job_group_end(store, rc < 0 ? &later : err) < 0 || rc < 0)
		return -1;
	task->is_cut = true;
	count_documents(task, write);
	return 0;
}

/* Runs the transaction, waiting while the store cannot be written to. */
static enum outcome transact(struct task *task, const struct write *write, struct pl_err *err)
{
	bool goes_on = true;

	while (write_once(task, write, &goes_on, err) < 0) {
		if (is_lasting(err))
			return REFUSED;
		if (!wait_after(task->ingest, err))
			return ENDS;
	}
	return goes_on ? COMMITTED : CANCELLED;
}

/* Rejects an item that cannot be stored. */
static enum outcome store_or_reject(struct task *task, size_t i, struct pl_err *err)
{
	struct write write = { .from = i, .count = 1, .read = &task->read[i] };
	enum outcome outcome = transact(task, &write, err);

	if (outcome != REFUSED || task->read[i]->is_rejected)
		return outcome;
	struct dash_read refused = { .is_rejected = true,
				     .message = pl_strdup(err->text),
				     .len = task->read[i]->len };
	write.read = &(struct dash_read *){ &refused };
	outcome = transact(task, &write, err);
	dash_read_done(&refused);
	return outcome;
}

/* Stores a group; if one of its items cannot be stored, each in a transaction of its own. */
static enum outcome store_group(struct task *task, struct pl_err *err)
{
	bool is_last = task->at + task->count == task->work->count;
	struct write write = { .count = task->count, .read = task->read, .is_last = is_last };
	enum outcome outcome = transact(task, &write, err);

	if (outcome != REFUSED)
		return outcome;
	outcome = COMMITTED;
	for (size_t i = 0; i < task->count && outcome == COMMITTED; i++)
		outcome = store_or_reject(task, i, err);
	if (outcome != COMMITTED || !is_last)
		return outcome;
	write.count = 0;
	return transact(task, &write, err);
}

/* ---- work ---------------------------------------------------------------------------------- */

static enum outcome do_group(struct task *task, struct pl_err *err)
{
	struct store *store = task->ingest->store;

	size_t count = 0, bytes = 0;
	for (; task->at + count < task->work->count && count < GROUP_MAX; count++) {
		bytes += source_of(task, task->at + count).len;
		if (count > 0 && bytes > GROUP_BYTES)
			break;
	}
	task->count = count;
	store_job_mark(store, task->work, task->at, task->count, STORE_ITEM_PARSED);
	for (size_t i = 0; i < task->count; i++)
		task->read[i] = dash_readers_wait(task->ingest->readers, task->at + i);
	store_job_mark(store, task->work, task->at, task->count, STORE_ITEM_VALID);
	enum outcome outcome = store_group(task, err);
	store_job_mark(store, task->work, 0, 0, STORE_ITEM_QUEUED);
	dash_readers_release(task->ingest->readers, task->count);
	task->at += task->count;
	return outcome;
}

/* A part with unreadable bytes becomes one item with an error. */
static void find_documents(struct task *task, struct store_job_work *work)
{
	struct dash_documents *documents = &task->documents;

	if (work->part == 0)
		return;
	if (work->fault == NULL)
		dash_documents_of(work->kind, work->media, work->name, work->bytes, work->len,
				  documents);
	else
		*PL_PUSH(documents->items, documents->count,
			 documents->room) = (struct dash_document){
			.bytes = "", .name = work->name, .fault = pl_strdup(work->fault)
		};
	if (!work->is_cut)
		store_job_lay_out(work, documents->count);
}

/* Returns false if the server is stopping; the next one continues. */
static bool work_on(struct dash_ingest *ingest, struct store_job_work *work)
{
	struct pl_err err = PL_ERR_INIT;
	enum outcome outcome = COMMITTED;
	struct task *task = pl_alloc(sizeof(*task));

	*task = (struct task){ .ingest = ingest, .work = work, .is_cut = work->is_cut };
	find_documents(task, work);
	dash_readers_begin(ingest->readers, source_of, task, work->count);
	do
		outcome = do_group(task, &err);
	while (outcome == COMMITTED && task->at < work->count && !is_over(ingest));
	dash_readers_end(ingest->readers);
	dash_documents_done(&task->documents);
	free(task);
	/* it cannot be read now, and would be returned again at once */
	return outcome == REFUSED ? wait_after(ingest, &err) : outcome != ENDS && !is_over(ingest);
}

/* Waits until there may be a job, or unfinished work. Returns false if the server is stopping. */
static bool await(struct dash_ingest *ingest)
{
	struct pl_err err = PL_ERR_INIT;
	bool is_wiped = store_jobs_wipe(ingest->store, &err) == 0;
	bool is_shared = is_wiped && store_is_shared(ingest->store);
	struct timespec retry = pl_clock_timespec(pl_clock_now_ns() +
						  (is_shared ? SHARED_NS : RETRY_NS));
	int status = 0;

	if (!is_wiped && err.code != PL_ERR_BUSY)
		pl_log(PL_LOG_WARNING, "uploaded content remains in the log of the database: %s",
		       err.text);
	pthread_mutex_lock(&ingest->lock);
	while (!ingest->has_work && !ingest->is_over && status != ETIMEDOUT)
		status = is_wiped && !is_shared
				 ? pthread_cond_wait(&ingest->wake, &ingest->lock)
				 : pthread_cond_timedwait(&ingest->wake, &ingest->lock, &retry);
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
		auto_store_job_work found = { 0 };
		if (store_job_next(ingest->store, &found, &err) < 0)
			goes_on = wait_after(ingest, &err);
		else if (found.job == 0)
			goes_on = await(ingest);
		else
			goes_on = work_on(ingest, &found);
	}
	return NULL;
}

int dash_ingest_start(struct store *store, const struct store_reader *reader,
		      struct dash_counters *counters, struct dash_ingest **ret, struct pl_err *err)
{
	struct dash_ingest *ingest = pl_alloc(sizeof(*ingest));
	pthread_condattr_t monotonic;

	ingest->store = store;
	ingest->counters = counters;
	if (dash_readers_new(store, reader, &ingest->readers, err) < 0) {
		free(ingest);
		return -1;
	}
	pthread_mutex_init(&ingest->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&ingest->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pl_pause_init(&ingest->pause);
	if (pl_thread_start(&ingest->thread, work, ingest, err) < 0) {
		dash_readers_free(ingest->readers);
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
	dash_readers_free(ingest->readers);
	pl_pause_done(&ingest->pause);
	pthread_cond_destroy(&ingest->wake);
	pthread_mutex_destroy(&ingest->lock);
	free(ingest);
}
