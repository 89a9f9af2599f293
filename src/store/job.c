#include "store/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/zst.h"
#include "store/parts.h"
#include "store/store_priv.h"

#define JOBS_KEPT 10000 /* the newest of the finished ones, which still can be asked for */
/* Where jobs never cease to come, the log is emptied behind so many. */
#define JOBS_IN_LOG_MAX 16

/* ---- whose jobs ---------------------------------------------------------------------------- */

/* "123" of who holds it, or "another". The file stays: to remove it would let two have one each. */
static char *owner_of(int fd)
{
	char text[32] = "";
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);

	text[got > 0 ? (size_t)got : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text[0] != '\0' ? pl_asprintf("process %s", text) : pl_strdup("another process");
}

static int lock_jobs(struct store *store, struct pl_err *err)
{
	/* as SQLite names it: by whatever link it was opened, the database is one */
	auto_free char *path = pl_asprintf("%s-jobs",
					   sqlite3_db_filename(store->writer.db, "main"));
	auto_fd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd < 0)
		return pl_err_errno(err, "cannot open '%s'", path);
	/* flock(2) and not fcntl(2): SQLite's own locks are of that kind, and would be dropped */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		auto_free char *owner = owner_of(fd);
		return pl_err_set(err, PL_ERR_BUSY, "'%s' is served by %s", store->path, owner);
	}
	auto_free char *own = pl_asprintf("%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, own, strlen(own), 0) < 0)
		return pl_err_errno(err, "cannot write '%s'", path);
	store->jobs_fd = pl_take_fd(fd);
	return 0;
}

static int forget_old(struct store *store, struct pl_err *err)
{
	sqlite3_stmt *forget;

	if (store_sql_kept(&store->writer, STORE_FORGET_JOBS, &forget, err) < 0)
		return -1;
	sqlite3_bind_int64(forget, 1, JOBS_KEPT);
	return store_sql_finish(forget, err);
}

static int tidy(struct store *store, struct pl_err *err)
{
	sqlite3_stmt *requeue;

	if (store_sql_kept(&store->writer, STORE_REQUEUE_JOBS, &requeue, err) < 0 ||
	    store_sql_finish(requeue, err) < 0)
		return -1;
	return forget_old(store, err);
}

int store_jobs_open(struct store *store, struct pl_err *err)
{
	if (lock_jobs(store, err) < 0 || store_begin(store, err) < 0)
		return -1;
	/* a process that was killed may have left some */
	store->jobs_in_log = 1;
	return store_end(store, tidy(store, err), err);
}

/* ---- a job --------------------------------------------------------------------------------- */

static int add_job(struct store *store, const char *kind, const char *name, const char *media,
		   const void *packed, size_t packed_len, struct pl_err *err)
{
	sqlite3_stmt *add;
	char now[32];

	store_now(now);
	if (store_sql_kept(&store->writer, STORE_ADD_JOB, &add, err) < 0)
		return -1;
	store_sql_bind_text(add, 1, kind);
	store_sql_bind_text(add, 2, name);
	store_sql_bind_text(add, 3, media);
	store_sql_bind_bytes(add, 4, packed, packed_len);
	store_sql_bind_text(add, 5, now);
	return store_sql_finish(add, err);
}

int store_job_add(struct store *store, const char *kind, const char *name, const char *media,
		  const char *bytes, size_t len, int64_t *ret_id, struct pl_err *err)
{
	size_t packed_len;
	auto_free void *packed = pl_zst_pack(bytes, len, &packed_len);

	if (store_begin(store, err) < 0)
		return -1;
	int result = add_job(store, kind, name, media, packed, packed_len, err);
	int64_t id = sqlite3_last_insert_rowid(store->writer.db);
	result = store_end(store, result, err);
	if (result == 0)
		*ret_id = id;
	return result;
}

static int count_items(struct store *store, int64_t id, size_t *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->writer, STORE_COUNT_ITEMS, &statement, err) < 0)
		return -1;
	sqlite3_bind_int64(statement, 1, id);
	if (store_sql_step(statement, &is_row, err) < 0)
		return -1;
	*ret = is_row ? (size_t)sqlite3_column_int64(statement, 0) : 0;
	return 0;
}

/* Bytes that are broken would stand in the way of all jobs behind them: that is the job's to tell. */
static int unpack_job(sqlite3_stmt *row, int at, struct store_job *job, struct pl_err *err)
{
	auto_free char *name = pl_asprintf("job %lld", (long long)job->id);

	if (pl_zst_unpack(sqlite3_column_blob(row, at), (size_t)sqlite3_column_bytes(row, at),
			  STORE_PARTS_BYTES_MAX, name, &job->bytes, &job->len, err) == 0)
		return 0;
	if (err->code != PL_ERR_INVALID)
		return -1;
	job->fault = pl_strdup(err->text);
	return 0;
}

static int read_job(struct store *store, struct store_job *job, struct pl_err *err)
{
	auto_borrowed next = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->writer, STORE_NEXT_JOB, &next, err) < 0 ||
	    store_sql_step(next, &is_row, err) < 0)
		return -1;
	if (!is_row)
		return 0;
	job->id = sqlite3_column_int64(next, 0);
	job->kind = pl_strdup(store_sql_text(next, 1));
	job->name = pl_strdup(store_sql_text(next, 2));
	job->media = pl_strdup(store_sql_text(next, 3));
	return unpack_job(next, 4, job, err);
}

/* A statement whose only parameter is the job. */
static int run_for_job(struct store *store, enum store_statement which, int64_t id,
		       struct pl_err *err)
{
	sqlite3_stmt *statement;

	if (store_sql_kept(&store->writer, which, &statement, err) < 0)
		return -1;
	sqlite3_bind_int64(statement, 1, id);
	return store_sql_finish(statement, err);
}

static int take_job(struct store *store, struct store_job *job, struct pl_err *err)
{
	if (read_job(store, job, err) < 0 || job->id == 0)
		return job->id == 0 ? 0 : -1;
	if (count_items(store, job->id, &job->items_done, err) < 0)
		return -1;
	return run_for_job(store, STORE_RUN_JOB, job->id, err);
}

int store_job_next(struct store *store, struct store_job *ret, struct pl_err *err)
{
	auto_store_job job = { .id = 0 };

	if (store->jobs_fd < 0)
		return pl_err_set(err, PL_ERR_INTERNAL, "'%s' was not opened to work on its jobs",
				  store->path);
	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, take_job(store, &job, err), err) < 0)
		return -1;
	*ret = job;
	job = (struct store_job){ 0 };
	return 0;
}

void store_job_release(struct store_job *job)
{
	free(job->kind);
	free(job->name);
	free(job->media);
	free(job->bytes);
	free(job->fault);
	*job = (struct store_job){ 0 };
}

static int expect(struct store *store, int64_t id, size_t count, struct pl_err *err)
{
	sqlite3_stmt *statement;

	if (store_sql_kept(&store->writer, STORE_EXPECT_ITEMS, &statement, err) < 0)
		return -1;
	sqlite3_bind_int64(statement, 1, id);
	sqlite3_bind_int64(statement, 2, (sqlite3_int64)count);
	return store_sql_finish(statement, err);
}

int store_job_expect(struct store *store, int64_t id, size_t count, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, expect(store, id, count, err), err);
}

/* ---- items --------------------------------------------------------------------------------- */

static int add_item(struct store *store, int64_t id, const struct store_job_item *item,
		    const struct store_put_result *result, struct pl_err *err)
{
	const struct store_document *document = item->prepared != NULL ? item->prepared->document
								       : NULL;
	const json_t *faults = document != NULL ? document->notes : item->faults;
	auto_free char *text = faults != NULL ? pl_json_to_text(faults, PL_JSON_COMPACT)
					      : pl_strdup("[]");
	sqlite3_stmt *add;

	if (store_sql_kept(&store->writer, STORE_ADD_ITEM, &add, err) < 0)
		return -1;
	sqlite3_bind_int64(add, 1, id);
	sqlite3_bind_int64(add, 2, (sqlite3_int64)item->index);
	store_sql_bind_text(add, 3, item->name);
	store_sql_bind_text(add, 4, store_outcome_name(result->outcome));
	if (document != NULL) {
		store_sql_bind_text(add, 5, store_form_name(document->form));
		sqlite3_bind_int64(add, 6, result->id);
		store_sql_bind_text(add, 7, document->run_id);
	}
	store_sql_bind_text(add, 8, item->message);
	store_sql_bind_text(add, 9, text);
	return store_sql_finish(add, err);
}

static int put_item(struct store *store, int64_t id, const struct store_job_item *item,
		    struct store_put_result *result, struct pl_err *err)
{
	if (item->prepared != NULL && store_put_within(store, item->prepared, result, err) < 0)
		return -1;
	return add_item(store, id, item, result, err);
}

int store_job_item(struct store *store, int64_t id, const struct store_job_item *item,
		   struct store_put_result *ret, struct pl_err *err)
{
	struct store_put_result result = { .outcome = STORE_REJECTED };

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, put_item(store, id, item, &result, err), err) < 0)
		return -1;
	*ret = result;
	return 0;
}

static int finish(struct store *store, int64_t id, struct pl_err *err)
{
	sqlite3_stmt *statement;
	char now[32];

	store_now(now);
	if (store_sql_kept(&store->writer, STORE_FINISH_JOB, &statement, err) < 0)
		return -1;
	sqlite3_bind_int64(statement, 1, id);
	store_sql_bind_text(statement, 2, now);
	return store_sql_finish(statement, err) < 0 ? -1 : forget_old(store, err);
}

/* `least`: fewer jobs than so many are not worth it. */
static int empty_log(struct store *store, unsigned least, struct pl_err *err)
{
	int result = 0;

	pthread_mutex_lock(&store->write_lock);
	if (store->jobs_in_log >= least && (result = store_sql_empty_log(&store->writer, err)) == 0)
		store->jobs_in_log = 0;
	pthread_mutex_unlock(&store->write_lock);
	return result;
}

int store_jobs_wipe(struct store *store, struct pl_err *err)
{
	return empty_log(store, 1, err);
}

int store_job_finish(struct store *store, int64_t id, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	int result = finish(store, id, err);
	store->jobs_in_log++;
	if (store_end(store, result, err) < 0)
		return -1;
	/* the job is done whatever comes of this, which is tried again behind the next one */
	(void)empty_log(store, JOBS_IN_LOG_MAX, PL_ERR_IGNORED);
	return 0;
}

/* ---- as JSON ------------------------------------------------------------------------------- */

static json_t *text_json(sqlite3_stmt *statement, int at)
{
	return pl_json_text(store_sql_text(statement, at));
}

static int item_json(sqlite3_stmt *items, json_t **ret, struct pl_err *err)
{
	const char *text = store_sql_text(items, 7);
	json_t *faults = NULL;

	if (pl_json_parse(text, strlen(text), "faults", &faults, err) < 0)
		return -1;
	json_t *id = sqlite3_column_type(items, 4) == SQLITE_NULL
			     ? json_null()
			     : json_integer(sqlite3_column_int64(items, 4));
	*ret = json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "index",
			 (json_int_t)sqlite3_column_int64(items, 0), "name", text_json(items, 1),
			 "state", text_json(items, 2), "form", text_json(items, 3), "id", id,
			 "run_id", text_json(items, 5), "message", text_json(items, 6), "faults",
			 faults);
	return 0;
}

static void count_up(json_t *counts, const char *key, json_int_t by)
{
	json_int_t before = json_integer_value(json_object_get(counts, key));

	json_object_set_new(counts, key, json_integer(before + by));
}

static int count_states(struct store *store, int64_t id, json_t *counts, json_int_t *ret_all,
			struct pl_err *err)
{
	auto_borrowed states = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->reader, STORE_COUNT_STATES, &states, err) < 0)
		return -1;
	sqlite3_bind_int64(states, 1, id);
	for (*ret_all = 0;;) {
		if (store_sql_step(states, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		count_up(counts, store_sql_text(states, 0), sqlite3_column_int64(states, 1));
		*ret_all += sqlite3_column_int64(states, 1);
	}
}

/* Which items of a job are told. */
struct page {
	int64_t offset;
	int64_t limit;
};

static int items_json(struct store *store, int64_t id, const struct page *page, json_t *list,
		      struct pl_err *err)
{
	auto_borrowed items = NULL;
	bool is_row = false;

	if (store_sql_kept(&store->reader, STORE_GET_ITEMS, &items, err) < 0)
		return -1;
	sqlite3_bind_int64(items, 1, id);
	sqlite3_bind_int64(items, 2, page->offset);
	sqlite3_bind_int64(items, 3, page->limit);
	for (;;) {
		json_t *item;
		if (store_sql_step(items, &is_row, err) < 0)
			return -1;
		if (!is_row)
			return 0;
		if (item_json(items, &item, err) < 0)
			return -1;
		json_array_append_new(list, item);
	}
}

/* Before it was looked into, a job counts as one. */
static int job_json(struct store *store, int64_t id, const struct page *page, json_t **ret,
		    struct pl_err *err)
{
	auto_borrowed job = NULL;
	auto_json json_t *list = json_array();
	auto_json json_t *counts = json_pack("{s:i}", "queued", 0);
	auto_free char *name = pl_asprintf("%lld", (long long)id);
	json_int_t count = 0;
	bool is_row = false;

	*ret = NULL;
	if (store_sql_kept(&store->reader, STORE_GET_JOB, &job, err) < 0)
		return -1;
	sqlite3_bind_int64(job, 1, id);
	if (store_sql_step(job, &is_row, err) < 0)
		return -1;
	if (!is_row)
		return 0;
	for (int i = 0; i < STORE_OUTCOME_COUNT; i++)
		count_up(counts, store_outcome_name((enum store_outcome)i), 0);
	if (count_states(store, id, counts, &count, err) < 0 ||
	    items_json(store, id, page, list, err) < 0)
		return -1;
	json_int_t expected = sqlite3_column_type(job, 4) != SQLITE_NULL
				      ? sqlite3_column_int64(job, 4)
				      : sqlite3_column_type(job, 3) == SQLITE_NULL;
	json_int_t waiting = expected - count;
	count_up(counts, "queued", waiting > 0 ? waiting : 0);
	*ret = json_pack("{s:s, s:o, s:o, s:o, s:o, s:O, s:O}", "job_id", name, "kind",
			 text_json(job, 0), "state", text_json(job, 1), "created",
			 text_json(job, 2), "finished", text_json(job, 3), "counts", counts,
			 "items", list);
	return 0;
}

/* The job and its items as they were at one moment. */
static int job_json_at_once(struct store *store, int64_t id, const struct page *page, json_t **ret,
			    struct pl_err *err)
{
	struct pl_err ignored = PL_ERR_INIT;

	if (store_sql_run(&store->reader, "BEGIN", err) < 0)
		return -1;
	int result = job_json(store, id, page, ret, err);
	if (store_sql_run(&store->reader, "COMMIT", &ignored) < 0 && result == 0) {
		json_decref(*ret);
		*err = ignored;
		return -1;
	}
	return result;
}

int store_job_json(struct store *store, int64_t id, int64_t offset, int64_t limit, json_t **ret,
		   struct pl_err *err)
{
	const struct page page = { offset, limit };

	pthread_mutex_lock(&store->read_lock);
	int result = job_json_at_once(store, id, &page, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}
