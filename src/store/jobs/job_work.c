/* Processing of jobs: the pending work, the items of a part, and the outcome of each item. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/zst.h"
#include "store/documents/dictionary.h"
#include "store/documents/parts.h"
#include "store/jobs/job_priv.h"

/* items without a part: stored by a program with the former table form */
static STORE_STATEMENT(sql_count_old_items,
		       "SELECT count(*) FROM job_items WHERE job = ?1 AND part IS NULL");
static STORE_STATEMENT(
	sql_next_part,
	"SELECT p.id, p.job, p.kind, p.name, p.media, j.on_known, p.first_item, coalesce(p.items,"
	" 0), p.bytes, j.author FROM job_parts p JOIN jobs j ON j.id = p.job"
	" WHERE p.state = 'queued' ORDER BY p.id LIMIT 1");
static STORE_STATEMENT(sql_waiting_items,
		       "SELECT item FROM job_items WHERE job = ?1 AND item >= ?2 AND item < ?3"
		       " AND state = 'queued' ORDER BY item");
static STORE_STATEMENT(
	sql_next_retry,
	"SELECT i.job, i.item, i.name, i.choice, j.on_known, coalesce(b.bytes, d.bytes), CASE"
	" WHEN i.choice IS NULL THEN j.author ELSE i.chosen_by END, i.expected FROM job_items i"
	" JOIN jobs j ON j.id = i.job LEFT JOIN job_bytes b ON b.job = i.job AND b.item = i.item"
	" LEFT JOIN benchmark_runs r ON r.id = i.result AND r.content_sha256 = i.content LEFT"
	" JOIN benchmark_documents d ON d.id = r.id WHERE i.state = 'again'"
	" ORDER BY i.job, i.item LIMIT ?1");
static STORE_STATEMENT(sql_item_is_retry,
		       "SELECT 1 FROM job_items WHERE job = ?1 AND item = ?2 AND state = 'again'");
static STORE_STATEMENT(sql_run_job,
		       "UPDATE jobs SET state = 'running' WHERE id = ?1 AND state = 'queued'");
static STORE_STATEMENT(sql_cut_part,
		       "UPDATE job_parts SET first_item = ?2, items = ?3 WHERE id = ?1");
static STORE_STATEMENT(
	sql_add_items,
	"INSERT INTO job_items (job, part, item, name, state, faults)"
	" SELECT ?1, ?2, ?3 + key, value, 'queued', '[]' FROM json_each(?4) WHERE true"
	" ON CONFLICT DO NOTHING",
	.postgres =
		"INSERT INTO job_items (job, part, item, name, state, faults)"
		" SELECT CAST(?1 AS BIGINT), CAST(?2 AS BIGINT), CAST(?3 AS BIGINT) + n.at - 1,"
		" n.name, 'queued', '[]'"
		" FROM json_array_elements_text(CAST(?4 AS json)) WITH ORDINALITY AS n (name, at)"
		" ON CONFLICT DO NOTHING");
static STORE_STATEMENT(
	sql_note_firsts,
	"UPDATE job_files SET item = json_extract(?2, '$[' || file || ']') WHERE part = ?1",
	.postgres = "UPDATE job_files SET item ="
		    " CAST(CAST(?2 AS json) ->> CAST(file AS INTEGER) AS BIGINT)"
		    " WHERE part = ?1");
static STORE_STATEMENT(
	sql_note_item,
	"UPDATE job_items SET state = ?3, form = ?4, result = ?5, run_id = ?6, message = ?7,"
	" faults = ?8, near = ?10, is_deleted = ?11, content = ?13, secrets = CASE WHEN ?14 = 0"
	" THEN ?9 ELSE secrets END, bytes = CASE WHEN ?14 = 0 THEN ?12 ELSE bytes END"
	" WHERE job = ?1 AND item = ?2");
static STORE_STATEMENT(sql_keep_bytes,
		       "INSERT INTO job_bytes (job, item, bytes) VALUES (?1, ?2, ?3)"
		       " ON CONFLICT (job, item) DO UPDATE SET bytes = excluded.bytes");
static STORE_STATEMENT(sql_forget_bytes, "DELETE FROM job_bytes WHERE job = ?1 AND item = ?2");
static STORE_STATEMENT(
	sql_end_part,
	"UPDATE job_parts SET state = 'done', bytes = NULL WHERE id = ?1 AND NOT EXISTS (SELECT 1"
	" FROM job_items i WHERE i.job = job_parts.job AND i.item >= job_parts.first_item"
	" AND i.item < job_parts.first_item + job_parts.items"
	" AND i.state IN ('cancelled', 'queued'))");
/* items that were retried while the others were processed: the part is processed once more */
static STORE_STATEMENT(
	sql_leave_part,
	"UPDATE job_parts SET state = 'cancelled' WHERE id = ?1 AND state = 'queued'"
	" AND NOT EXISTS (SELECT 1 FROM job_items i WHERE i.job = job_parts.job"
	" AND i.item >= job_parts.first_item AND i.item < job_parts.first_item + job_parts.items"
	" AND i.state = 'queued')");

/* Limits of items that are read again, per group. */
#define RETRY_MAX       100
#define RETRY_BYTES_MAX (16u << 20)

/* ---- pending work -------------------------------------------------------------------------- */

void store_job_release(struct store_job_work *work)
{
	for (size_t i = 0; i < work->count; i++) {
		free(work->pending[i].author);
		free(work->pending[i].expected);
		free(work->pending[i].name);
		free(work->pending[i].bytes);
	}
	free(work->pending);
	free(work->kind);
	free(work->name);
	free(work->media);
	free(work->bytes);
	free(work->fault);
	free(work->author);
	*work = (struct store_job_work){ 0 };
}

void store_job_lay_out(struct store_job_work *work, size_t count)
{
	size_t done = work->done < count ? work->done : count;

	work->count = count - done;
	work->pending = pl_alloc_array(work->count, sizeof(*work->pending));
	for (size_t i = 0; i < work->count; i++)
		work->pending[i] = (struct store_job_pending){ .index = work->first + done + i,
							       .on_conflict = work->on_conflict,
							       .author = pl_strdup(work->author) };
}

static int read_part(struct store *store, struct store_job_work *work, int64_t *ret_items,
		     struct pl_err *err)
{
	auto_borrowed next = NULL;
	bool is_row = false;

	if (store_sql_cached(&store->writer, &sql_next_part, &next, err) < 0 ||
	    store_sql_step(next, &is_row, err) < 0)
		return -1;
	if (!is_row)
		return 0;
	work->part = store_sql_i64(next, 0);
	work->job = store_sql_i64(next, 1);
	work->kind = pl_strdup(store_sql_text(next, 2));
	work->name = pl_strdup(store_sql_text(next, 3));
	work->media = pl_strdup(store_sql_text(next, 4));
	work->on_conflict = store_conflict_policy_of(store_sql_text(next, 5));
	work->is_cut = !store_sql_is_null(next, 6);
	work->first = work->is_cut ? (size_t)store_sql_i64(next, 6) : 0;
	*ret_items = store_sql_i64(next, 7);
	work->author = pl_strdup(store_sql_text(next, 9));
	/* Corrupt bytes must not block all later jobs: the part reports them as its fault. */
	struct store_stmt *row = next;
	auto_free char *name = pl_asprintf("job %lld", (long long)work->job);
	size_t len = 0;
	const void *packed = store_sql_bytes(row, 8, &len);
	if (pl_zst_unpack(packed, len, STORE_PARTS_BYTES_MAX, name, &work->bytes, &work->len,
			  err) == 0)
		return 0;
	if (err->code != PL_ERR_INVALID)
		return -1;
	work->fault = pl_strdup(err->text);
	return 0;
}

static int ask_done(struct store *store, struct store_job_work *work, struct pl_err *err)
{
	struct store_stmt *count;
	int64_t done = 0;

	if (store_sql_cached(&store->writer, &sql_count_old_items, &count, err) < 0)
		return -1;
	store_sql_bind_i64(count, 1, work->job);
	if (store_sql_number(count, &done, err) < 0)
		return -1;
	work->done = (size_t)done;
	return 0;
}

/* Reads the first index of a part that was not cut yet. */
static int ask_first(struct store *store, struct store_job_work *work, struct pl_err *err)
{
	auto_borrowed items = NULL;
	bool is_row = false;

	if (store_sql_cached(&store->writer, &store_job_sql_ask, &items, err) < 0)
		return -1;
	store_sql_bind_i64(items, 1, work->job);
	if (store_sql_step(items, &is_row, err) < 0)
		return -1;
	work->first = is_row ? (size_t)store_sql_i64(items, 1) : 0;
	return work->first == 0 ? ask_done(store, work, err) : 0;
}

static int read_pending(struct store *store, struct store_job_work *work, int64_t items,
			struct pl_err *err)
{
	auto_borrowed waiting = NULL;
	int result;
	size_t room = 0;

	if (store_sql_cached(&store->writer, &sql_waiting_items, &waiting, err) < 0)
		return -1;
	store_sql_bind_i64(waiting, 1, work->job);
	store_sql_bind_i64(waiting, 2, (int64_t)work->first);
	store_sql_bind_i64(waiting, 3, (int64_t)work->first + items);
	while ((result = store_sql_next(waiting, err)) > 0) {
		*PL_PUSH(work->pending, work->count, room) = (struct store_job_pending){
			.index = (size_t)store_sql_i64(waiting, 0),
			.on_conflict = work->on_conflict,
			.author = pl_strdup(work->author),
		};
	}
	return result;
}

/*
 * A duplicate to keep in addition has the bytes of the stored result. An unreadable one is reported when it is
 * processed.
 */
static void read_bytes(struct store *store, struct store_stmt *row, int at,
		       struct store_job_pending *pending)
{
	size_t len = 0;
	const void *packed = store_sql_bytes(row, at, &len);

	if (len == 0 || store_document_unpack(store->dictionaries, packed, len, pending->name,
					      &pending->bytes, &pending->len, PL_ERR_IGNORED) < 0)
		pending->bytes = NULL;
}

/* Reads items of one job that are to be read again. */
static int reread(struct store *store, struct store_job_work *work, struct pl_err *err)
{
	auto_borrowed retry = NULL;
	size_t room = 0, bytes = 0;
	bool is_row = false;

	if (store_sql_cached(&store->writer, &sql_next_retry, &retry, err) < 0)
		return -1;
	store_sql_bind_i64(retry, 1, RETRY_MAX);
	while (bytes < RETRY_BYTES_MAX) {
		if (store_sql_step(retry, &is_row, err) < 0)
			return -1;
		if (!is_row)
			break;
		int64_t job = store_sql_i64(retry, 0);
		if (work->job != 0 && job != work->job)
			break;
		work->job = job;
		const char *choice = store_sql_text(retry, 3);
		struct store_job_pending *pending = PL_PUSH(work->pending, work->count, room);
		*pending = (struct store_job_pending){
			.index = (size_t)store_sql_i64(retry, 1),
			.name = pl_strdup(store_sql_text(retry, 2)),
			.on_conflict = store_conflict_policy_of(
				choice != NULL ? choice : store_sql_text(retry, 4)),
			.author = pl_strdup(store_sql_text(retry, 6)),
			.expected = pl_strdup(store_sql_text(retry, 7)),
		};
		read_bytes(store, retry, 5, pending);
		bytes += pending->len;
	}
	work->is_cut = work->job != 0;
	return 0;
}

static int read_part_and_pending(struct store *store, struct store_job_work *work,
				 struct pl_err *err)
{
	int64_t items = 0;

	if (read_part(store, work, &items, err) < 0)
		return -1;
	if (work->job == 0)
		return 0;
	return work->is_cut ? read_pending(store, work, items, err) : ask_first(store, work, err);
}

/* Parts and items that are read again alternate, so a constant flow of one does not delay the other. */
static int read_work(struct store *store, struct store_job_work *work, struct pl_err *err)
{
	bool was_part = store->last_was_part;

	if (was_part && reread(store, work, err) < 0)
		return -1;
	if (work->job == 0 && read_part_and_pending(store, work, err) < 0)
		return -1;
	if (work->job == 0 && !was_part && reread(store, work, err) < 0)
		return -1;
	store->last_was_part = work->part != 0;
	return 0;
}

int store_job_next(struct store *store, struct store_job_work *ret, struct pl_err *err)
{
	auto_store_job_work work = { .job = 0 };

	bool is_mine;

	if (!store->with_jobs)
		return pl_err_set(err, PL_ERR_INTERNAL, "'%s' was opened without job processing",
				  store->path);
	if (store_jobs_claim(store, &is_mine, err) < 0)
		return -1;
	if (!is_mine) {
		*ret = work;
		return 0;
	}
	/* only one process works on jobs, so no other takes what is read here */
	pthread_mutex_lock(&store->write_lock);
	work.hold = store_sql_jobs_hold(&store->writer);
	int result = read_work(store, &work, err);
	pthread_mutex_unlock(&store->write_lock);
	if (result < 0)
		return -1;
	*ret = work;
	work = (struct store_job_work){ 0 };
	return 0;
}

/* ---- the items of a part ------------------------------------------------------------------- */

static int note_firsts(struct store *store, const struct store_job_work *work, const json_t *firsts,
		       struct pl_err *err)
{
	auto_free char *text = pl_json_to_text(firsts, PL_JSON_COMPACT);
	struct store_stmt *note;

	if (store_sql_cached(&store->writer, &sql_note_firsts, &note, err) < 0)
		return -1;
	store_sql_bind_i64(note, 1, work->part);
	store_sql_bind_text(note, 2, text);
	return store_sql_finish(note, err);
}

static int cut(struct store *store, const struct store_job_work *work,
	       const struct store_job_cut *items, size_t count, struct pl_err *err)
{
	auto_json json_t *names = json_array();
	auto_json json_t *firsts = json_array();
	struct store_stmt *statement;

	/* Lists the names, and per file the index of its first item (null: none), as JSON for one statement each. */
	for (size_t i = 0; i < count; i++) {
		json_array_append_new(names, pl_json_text(items[i].name));
		while (json_array_size(firsts) < items[i].file)
			json_array_append_new(firsts, json_null());
		if (json_array_size(firsts) == items[i].file)
			json_array_append_new(firsts, json_integer((json_int_t)(work->first + i)));
	}
	if (store_sql_cached(&store->writer, &sql_cut_part, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, work->part);
	store_sql_bind_i64(statement, 2, (int64_t)work->first);
	store_sql_bind_i64(statement, 3, (int64_t)count);
	if (store_sql_finish(statement, err) < 0)
		return -1;
	auto_free char *text = pl_json_to_text(names, PL_JSON_COMPACT);
	struct store_stmt *add;
	if (store_sql_cached(&store->writer, &sql_add_items, &add, err) < 0)
		return -1;
	store_sql_bind_i64(add, 1, work->job);
	store_sql_bind_i64(add, 2, work->part);
	store_sql_bind_i64(add, 3, (int64_t)work->first);
	store_sql_bind_text(add, 4, text);
	if (store_sql_finish(add, err) < 0)
		return -1;
	if (note_firsts(store, work, firsts, err) < 0)
		return -1;
	return store_job_run(store, &sql_run_job, work->job, err);
}

int store_job_cut(struct store *store, const struct store_job_work *work,
		  const struct store_job_cut *items, size_t count, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, cut(store, work, items, count, err), err);
}

/* ---- the outcome of an item ---------------------------------------------------------------- */

/* An item that is read again may have been cancelled meanwhile. A part is checked as a whole. */
static int is_wanted(struct store *store, const struct store_job_work *work, size_t index,
		     bool *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;

	*ret = true;
	if (work->part != 0)
		return 0;
	if (store_sql_cached(&store->writer, &sql_item_is_retry, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, work->job);
	store_sql_bind_i64(statement, 2, (int64_t)index);
	return store_sql_step(statement, ret, err);
}

/* Returns NULL if there is no message. The caller frees it. */
static char *message_of(const struct store_job_item *item, const struct store_put_result *result)
{
	if (result->outcome != STORE_CONFLICT)
		return pl_strdup(item->message);
	/* for a choice that could not be applied */
	if (item->choice.on_conflict == STORE_REPLACE)
		return pl_strdup("not replaced: the stored result changed after you reviewed it");
	return pl_asprintf("run_id '%s' is already stored with other content: experiment %lld%s",
			   item->prepared->document->run_id, (long long)result->id,
			   result->is_deleted ? ", which is deleted" : "");
}

/* The bytes of an item that is read again were already redacted, so its secrets and length are known. */
static int note_item(struct store *store, const struct store_job_work *work,
		     const struct store_job_item *item, const struct store_put_result *result,
		     struct pl_err *err)
{
	const struct store_document *document = item->prepared != NULL ? item->prepared->document
								       : NULL;
	const json_t *faults = document != NULL ? document->notes : item->faults;
	const json_t *secrets = document != NULL ? document->secrets : NULL;
	auto_json json_t *duplicates = json_array();
	for (size_t i = 0; i < result->possible_duplicate_count; i++)
		json_array_append_new(duplicates,
				      json_integer((json_int_t)result->possible_duplicates[i]));
	auto_free char *faults_text = faults != NULL ? pl_json_to_text(faults, PL_JSON_COMPACT)
						     : pl_strdup("[]");
	auto_free char *secrets_text = secrets != NULL ? pl_json_to_text(secrets, PL_JSON_COMPACT)
						       : pl_strdup("[]");
	auto_free char *message = message_of(item, result);
	auto_free char *duplicates_text = pl_json_to_text(duplicates, PL_JSON_COMPACT);
	struct store_stmt *note;

	if (store_sql_cached(&store->writer, &sql_note_item, &note, err) < 0)
		return -1;
	store_sql_bind_i64(note, 1, work->job);
	store_sql_bind_i64(note, 2, (int64_t)item->index);
	store_sql_bind_text(note, 3, store_outcome_name(result->outcome));
	store_sql_bind_text(note, 4, document != NULL ? store_form_name(document->form) : NULL);
	if (document != NULL)
		store_sql_bind_i64(note, 5, result->id);
	else
		store_sql_bind_null(note, 5);
	store_sql_bind_text(note, 6, document != NULL ? document->run_id : NULL);
	store_sql_bind_text(note, 7, message);
	store_sql_bind_text(note, 8, faults_text);
	store_sql_bind_text(note, 9, secrets_text);
	store_sql_bind_text(note, 10, duplicates_text);
	store_sql_bind_i64(note, 11, result->is_deleted);
	store_sql_bind_i64(note, 12, (int64_t)item->len);
	store_sql_bind_text(note, 13, document != NULL ? document->sha256 : NULL);
	store_sql_bind_i64(note, 14, work->part == 0);
	return store_sql_finish_later(note, err);
}

static int keep(struct store *store, int64_t job, size_t index, const void *packed, size_t len,
		struct pl_err *err)
{
	struct store_stmt *statement;

	if (store_sql_cached(&store->writer, &sql_keep_bytes, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, job);
	store_sql_bind_i64(statement, 2, (int64_t)index);
	store_sql_bind_bytes(statement, 3, packed, len);
	return store_sql_finish_later(statement, err);
}

/* Keeps the bytes of an item that may be retried. Stored items and duplicates need none. */
static int keep_or_forget(struct store *store, const struct store_job_work *work,
			  const struct store_job_item *item, enum store_outcome outcome,
			  struct pl_err *err)
{
	if (outcome == STORE_CONFLICT)
		return keep(store, work->job, item->index, item->prepared->packed,
			    item->prepared->packed_len, err);
	if (outcome == STORE_REJECTED && item->retained != NULL) {
		size_t len;
		auto_free void *packed = pl_zst_pack(item->retained, strlen(item->retained), &len);
		return keep(store, work->job, item->index, packed, len, err);
	}
	if (work->part != 0) /* it has no bytes of its own */
		return 0;
	struct store_stmt *forget;
	if (store_sql_cached(&store->writer, &sql_forget_bytes, &forget, err) < 0)
		return -1;
	store_sql_bind_i64(forget, 1, work->job);
	store_sql_bind_i64(forget, 2, (int64_t)item->index);
	return store_sql_finish_later(forget, err);
}

static int put_item(struct store *store, const struct store_job_work *work,
		    const struct store_job_item *item, struct store_put_result *result,
		    struct pl_err *err)
{
	struct store_choice choice = item->choice;
	bool is_still = false;

	choice.upload = work->job;
	if (is_wanted(store, work, item->index, &is_still, err) < 0)
		return -1;
	if (!is_still)
		return 0;
	if (item->prepared != NULL &&
	    store_put_within(store, item->prepared, &choice, result, err) < 0)
		return -1;
	return note_item(store, work, item, result, err) < 0
		       ? -1
		       : keep_or_forget(store, work, item, result->outcome, err);
}

int store_job_item(struct store *store, const struct store_job_work *work,
		   const struct store_job_item *item, struct store_put_result *ret,
		   struct pl_err *err)
{
	struct store_put_result result = { .outcome = STORE_REJECTED };

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, put_item(store, work, item, &result, err), err) < 0)
		return -1;
	*ret = result;
	return 0;
}

static int end_work(struct store *store, const struct store_job_work *work, struct pl_err *err)
{
	if (work->part != 0) {
		/* its cancelled items may be retried */
		if (store_job_run(store, &sql_end_part, work->part, err) < 0 ||
		    store_job_run(store, &sql_leave_part, work->part, err) < 0)
			return -1;
		store->parts_in_log++;
	}
	return store_job_settle(store, work->job, err) < 0 ? -1 : store_jobs_look(store, err);
}

int store_job_done(struct store *store, const struct store_job_work *work, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, end_work(store, work, err), err);
}

/* ---- items in progress --------------------------------------------------------------------- */

void store_job_mark(struct store *store, const struct store_job_work *work, size_t first_pending,
		    size_t count, enum store_item_state state)
{
	struct store_job_marks *marks = &store->marks;

	if (count > STORE_MARKS_MAX)
		count = STORE_MARKS_MAX;
	pthread_mutex_lock(&store->marks_lock);
	marks->job = work->job;
	marks->state = state;
	marks->count = count;
	for (size_t i = 0; i < count; i++)
		marks->items[i] = work->pending[first_pending + i].index;
	pthread_mutex_unlock(&store->marks_lock);
}
