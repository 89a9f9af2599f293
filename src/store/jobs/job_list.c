/* Jobs and their items as JSON: Upload, Uploads and KnownAnswer of api/openapi.yaml. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/documents/dictionary.h"
#include "store/jobs/job_priv.h"

#define JOB_COLUMNS                                                                           \
	"id, kind, name, state, created, finished, on_known, expected_files, expected_bytes," \
	" received_files, received_bytes"
/* The last column: whether bytes are kept to read the item again. For a duplicate, those of the stored result count. */
#define ITEM_COLUMNS                                                                            \
	"i.item, i.name, i.state, i.form, i.result, i.run_id, i.message, i.faults, i.secrets,"  \
	" i.near, i.is_deleted, i.choice, i.bytes,"                                             \
	" CASE WHEN EXISTS (SELECT 1 FROM job_bytes b WHERE b.job = i.job AND b.item = i.item)" \
	" OR (i.state = 'cancelled' AND EXISTS"                                                 \
	" (SELECT 1 FROM job_parts p WHERE p.id = i.part AND p.bytes IS NOT NULL))"             \
	" OR (i.state = 'duplicate' AND EXISTS"                                                 \
	" (SELECT 1 FROM benchmark_runs r WHERE r.id = i.result AND r.content_sha256 = "        \
	"i.content))"                                                                           \
	" THEN 1 ELSE 0 END"

static STORE_STATEMENT(sql_get_job, "SELECT " JOB_COLUMNS " FROM jobs WHERE id = ?1");
static STORE_STATEMENT(sql_list_jobs, "SELECT " JOB_COLUMNS
				      " FROM jobs WHERE ?1 = '' OR state = ?1 ORDER BY id DESC"
				      " LIMIT ?3 OFFSET ?2");
static STORE_STATEMENT(sql_count_jobs, "SELECT count(*) FROM jobs WHERE ?1 = '' OR state = ?1");
static STORE_STATEMENT(sql_count_items,
		       "SELECT state, count(*) FROM job_items WHERE job = ?1 GROUP BY state");
static STORE_STATEMENT(
	sql_count_uncut,
	"SELECT state, CAST(sum(files) AS BIGINT) FROM job_parts WHERE job = ?1"
	" AND state IN ('queued', 'cancelled') AND first_item IS NULL GROUP BY state");
static STORE_STATEMENT(sql_get_items,
		       "SELECT " ITEM_COLUMNS " FROM job_items i WHERE i.job = ?1 AND i.item >= ?2"
		       " ORDER BY i.item LIMIT ?3");
static STORE_STATEMENT(sql_get_items_of,
		       "SELECT " ITEM_COLUMNS
		       " FROM job_items i WHERE i.job = ?1 AND i.state IN (?4, ?5)"
		       " ORDER BY i.item LIMIT ?3 OFFSET ?2");
static STORE_STATEMENT(
	sql_get_rival,
	"SELECT i.state, i.result, b.bytes FROM job_items i LEFT"
	" JOIN job_bytes b ON b.job = i.job AND b.item = i.item WHERE i.job = ?1 AND i.item = ?2");
static STORE_STATEMENT(
	sql_find_file,
	"SELECT p.job, f.item, coalesce(i.state, p.state), i.result FROM job_files f"
	" JOIN job_parts p ON p.id = f.part LEFT JOIN job_items i ON i.job = p.job"
	" AND i.item = f.item WHERE f.sha256 = ?1 AND (i.result IS NULL OR EXISTS (SELECT 1"
	" FROM benchmark_runs r WHERE r.id = i.result)) AND (i.state IS NOT NULL"
	" OR p.state <> 'done') AND (p.job = ?2 OR ?2 = 0) ORDER BY f.part DESC LIMIT 1");

static json_t *text_json(struct store_stmt *statement, int at)
{
	return pl_json_text(store_sql_text(statement, at));
}

static json_t *number_json(struct store_stmt *statement, int at)
{
	return store_sql_is_null(statement, at) ? json_null()
						: json_integer(store_sql_i64(statement, at));
}

/* ---- items --------------------------------------------------------------------------------- */

static int list_json(struct store_stmt *row, int at, const char *name, json_t **ret,
		     struct pl_err *err)
{
	const char *text = store_sql_text(row, at);

	return pl_json_parse(text, strlen(text), name, ret, err);
}

/* Returns the state of a queued item that may be in progress. */
static const char *shown_state(const char *state, int64_t index,
			       const struct store_job_marks *marks)
{
	if (strcmp(state, STORE_ITEM_RETRY) == 0)
		state = store_item_state_name(STORE_ITEM_QUEUED);
	if (strcmp(state, store_item_state_name(STORE_ITEM_QUEUED)) != 0)
		return state;
	for (size_t i = 0; i < marks->count; i++) {
		if (marks->items[i] == (size_t)index)
			return store_item_state_name(marks->state);
	}
	return state;
}

static int item_json(struct store_stmt *row, const struct store_job_marks *marks, json_t **ret,
		     struct pl_err *err)
{
	auto_json json_t *faults = NULL;
	auto_json json_t *secrets = NULL;
	auto_json json_t *duplicates = NULL;
	int64_t index = store_sql_i64(row, 0);

	if (list_json(row, 7, "faults", &faults, err) < 0 ||
	    list_json(row, 8, "secrets", &secrets, err) < 0 ||
	    list_json(row, 9, "near", &duplicates, err) < 0)
		return -1;
	*ret = json_pack("{s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:O, s:O, s:O, s:b, s:o, s:I, s:b}",
			 "index", (json_int_t)index, "name", text_json(row, 1), "state",
			 shown_state(store_sql_text(row, 2), index, marks), "form",
			 text_json(row, 3), "id", number_json(row, 4), "run_id", text_json(row, 5),
			 "message", text_json(row, 6), "faults", faults, "secrets", secrets,
			 "possible_duplicates", duplicates, "deleted", store_sql_i64(row, 10) != 0,
			 "choice", text_json(row, 11), "bytes", (json_int_t)store_sql_i64(row, 12),
			 "retryable", store_sql_i64(row, 13) != 0);
	return 0;
}

/* Without a state the offset is an index, which needs no search. */
static int ask_items(struct store *store, int64_t id, const struct store_job_page *page,
		     struct store_stmt **ret, struct pl_err *err)
{
	if (store_sql_cached(&store->reader,
			     page->state != NULL ? &sql_get_items_of : &sql_get_items, ret,
			     err) < 0)
		return -1;
	store_sql_bind_i64(*ret, 1, id);
	store_sql_bind_i64(*ret, 2, page->offset);
	store_sql_bind_i64(*ret, 3, page->limit);
	if (page->state == NULL)
		return 0;
	store_sql_bind_text(*ret, 4, page->state);
	store_sql_bind_text(*ret, 5,
			    strcmp(page->state, store_item_state_name(STORE_ITEM_QUEUED)) == 0
				    ? STORE_ITEM_RETRY
				    : page->state);
	return 0;
}

static int items_json(struct store *store, int64_t id, const struct store_job_page *page,
		      const struct store_job_marks *marks, json_t *list, struct pl_err *err)
{
	auto_borrowed items = NULL;
	int result;

	if (ask_items(store, id, page, &items, err) < 0)
		return -1;
	while ((result = store_sql_next(items, err)) > 0) {
		json_t *item;
		if (item_json(items, marks, &item, err) < 0)
			return -1;
		json_array_append_new(list, item);
	}
	return result;
}

/* ---- counts -------------------------------------------------------------------------------- */

static void count_up(json_t *counts, const char *key, json_int_t by)
{
	json_int_t before = json_integer_value(json_object_get(counts, key));

	json_object_set_new(counts, key, json_integer(before + by));
}

/* Adds rows of state and count: of items, and of files in parts that were not cut yet. */
static int count_rows(struct store *store, const struct store_statement *which, int64_t id,
		      json_t *counts, struct pl_err *err)
{
	auto_borrowed states = NULL;
	int result;

	if (store_sql_cached(&store->reader, which, &states, err) < 0)
		return -1;
	store_sql_bind_i64(states, 1, id);
	while ((result = store_sql_next(states, err)) > 0) {
		const char *state = store_sql_text(states, 0);
		count_up(counts,
			 strcmp(state, STORE_ITEM_RETRY) == 0
				 ? store_item_state_name(STORE_ITEM_QUEUED)
				 : state,
			 store_sql_i64(states, 1));
	}
	return result;
}

static json_int_t total_of(const json_t *items, const char *state)
{
	json_int_t total = 0;

	if (state != NULL)
		return json_integer_value(json_object_get(items, state));
	PL_JSON_EACH_MEMBER(name, count, items)
		total += json_integer_value(count);
	return total;
}

/* *ret_total: number of items with rows. */
static int counts_json(struct store *store, int64_t id, const struct store_job_page *page,
		       const struct store_job_marks *marks, json_t *counts, json_int_t *ret_total,
		       struct pl_err *err)
{
	if (count_rows(store, &sql_count_items, id, counts, err) < 0)
		return -1;
	*ret_total = total_of(counts, page->state);
	if (count_rows(store, &sql_count_uncut, id, counts, err) < 0)
		return -1;
	const char *queued = store_item_state_name(STORE_ITEM_QUEUED);
	json_int_t waiting = json_integer_value(json_object_get(counts, queued));
	json_int_t marked = (json_int_t)marks->count;
	/* some may be stored meanwhile */
	if (marked > waiting)
		marked = waiting;
	count_up(counts, queued, -marked);
	count_up(counts, store_item_state_name(marks->state), marked);
	return 0;
}

/* ---- a job --------------------------------------------------------------------------------- */

/* Reads two columns of a job's row, from column `at` on. */
static json_t *amount_json(struct store_stmt *row, int at)
{
	if (store_sql_is_null(row, at) && store_sql_is_null(row, at + 1))
		return json_null();
	return json_pack("{s:o, s:o}", "files", number_json(row, at), "bytes",
			 number_json(row, at + 1));
}

/*
 * Takes the items in progress before the database is read: if one is no longer queued by then, its row has the state.
 */
static void take_marks(struct store *store, int64_t id, struct store_job_marks *ret)
{
	pthread_mutex_lock(&store->marks_lock);
	*ret = store->marks;
	pthread_mutex_unlock(&store->marks_lock);
	if (ret->job != id)
		ret->count = 0;
}

/* Converts a row of sql_get_job. */
static int job_row_json(struct store *store, struct store_stmt *job,
			const struct store_job_page *page, json_t **ret, struct pl_err *err)
{
	auto_json json_t *list = json_array();
	auto_json json_t *counts = json_object();
	for (int i = 0; i < STORE_ITEM_STATE_COUNT; i++)
		json_object_set_new(counts, store_item_state_name((enum store_item_state)i),
				    json_integer(0));
	int64_t id = store_sql_i64(job, 0);
	auto_free char *name = pl_asprintf("%lld", (long long)id);
	struct store_job_marks marks;
	json_int_t total = 0;

	take_marks(store, id, &marks);
	if (counts_json(store, id, page, &marks, counts, &total, err) < 0 ||
	    (page->limit > 0 && items_json(store, id, page, &marks, list, err) < 0))
		return -1;
	*ret = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:O, s:O, s:I}", "job_id",
			 name, "kind", text_json(job, 1), "name", text_json(job, 2), "state",
			 text_json(job, 3), "created_at", text_json(job, 4), "finished_at",
			 text_json(job, 5), "on_conflict", text_json(job, 6), "expected",
			 amount_json(job, 7), "received", amount_json(job, 9), "counts", counts,
			 "items", list, "total", total);
	return 0;
}

static int job_json(struct store *store, int64_t id, const struct store_job_page *page,
		    json_t **ret, struct pl_err *err)
{
	auto_borrowed job = NULL;
	bool is_row = false;

	*ret = NULL;
	if (store_sql_cached(&store->reader, &sql_get_job, &job, err) < 0)
		return -1;
	store_sql_bind_i64(job, 1, id);
	if (store_sql_step(job, &is_row, err) < 0)
		return -1;
	return is_row ? job_row_json(store, job, page, ret, err) : 0;
}

/* ---- jobs ---------------------------------------------------------------------------------- */

static int jobs_json(struct store *store, int64_t ignored, const struct store_job_page *page,
		     json_t **ret, struct pl_err *err)
{
	const struct store_job_page no_items = { .limit = 0 };
	auto_json json_t *list = json_array();
	auto_borrowed jobs = NULL;
	int64_t total = 0;
	int result;

	(void)ignored;
	struct store_stmt *count;
	if (store_sql_cached(&store->reader, &sql_count_jobs, &count, err) < 0)
		return -1;
	store_sql_bind_text(count, 1, page->state != NULL ? page->state : "");
	if (store_sql_number(count, &total, err) < 0)
		return -1;
	if (store_sql_cached(&store->reader, &sql_list_jobs, &jobs, err) < 0)
		return -1;
	store_sql_bind_text(jobs, 1, page->state != NULL ? page->state : "");
	store_sql_bind_i64(jobs, 2, page->offset);
	store_sql_bind_i64(jobs, 3, page->limit);
	while ((result = store_sql_next(jobs, err)) > 0) {
		json_t *job;
		if (job_row_json(store, jobs, &no_items, &job, err) < 0)
			return -1;
		json_array_append_new(list, job);
	}
	if (result < 0)
		return -1;
	*ret = json_pack("{s:O, s:I}", "jobs", list, "total", (json_int_t)total);
	return 0;
}

/* ---- consistent reads ---------------------------------------------------------------------- */

typedef int report_fn(struct store *store, int64_t id, const struct store_job_page *page,
		      json_t **ret, struct pl_err *err);

/* Reads a job and its items, or all jobs, in one transaction. */
static int at_once(struct store *store, report_fn *reported, int64_t id,
		   const struct store_job_page *page, json_t **ret, struct pl_err *err)
{
	if (store_sql_begin(&store->reader, STORE_SQL_READ, err) < 0)
		return -1;
	auto_json json_t *answer = NULL;
	if (reported(store, id, page, &answer, err) < 0) {
		store_sql_rollback(&store->reader);
		return -1;
	}
	if (store_sql_commit(&store->reader, err) < 0)
		return -1;
	*ret = pl_take(answer);
	return 0;
}

static int report(struct store *store, report_fn *reported, int64_t id,
		  const struct store_job_page *page, json_t **ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = at_once(store, reported, id, page, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	/* a stored result that a client reads about here must also be in memory */
	store_memory_follow(store, false);
	return result;
}

int store_job_json(struct store *store, int64_t id, const struct store_job_page *page, json_t **ret,
		   struct pl_err *err)
{
	return report(store, job_json, id, page, ret, err);
}

int store_jobs_json(struct store *store, const struct store_job_page *page, json_t **ret,
		    struct pl_err *err)
{
	return report(store, jobs_json, 0, page, ret, err);
}

/* ---- received files ------------------------------------------------------------------------ */

/* Finds a file in a job, or in the latest job that contains it (0). */
static int find_file(struct store *store, const char *sha256, int64_t job_id, json_t *list,
		     struct pl_err *err)
{
	auto_borrowed find = NULL;
	bool is_row = false;

	if (store_sql_cached(&store->reader, &sql_find_file, &find, err) < 0)
		return -1;
	store_sql_bind_text(find, 1, sha256);
	store_sql_bind_i64(find, 2, job_id);
	if (store_sql_step(find, &is_row, err) < 0)
		return -1;
	if (!is_row)
		return job_id != 0 ? find_file(store, sha256, 0, list, err) : 0;
	auto_free char *job = pl_asprintf("%lld", (long long)store_sql_i64(find, 0));
	const char *state = store_sql_text(find, 2);
	const struct store_job_marks none = { .count = 0 };
	json_array_append_new(list,
			      json_pack("{s:s, s:s, s:o, s:s, s:o}", "sha256", sha256, "job_id",
					job, "index", number_json(find, 1), "state",
					shown_state(state, -1, &none), "id", number_json(find, 3)));
	return 0;
}

int store_jobs_known(struct store *store, const json_t *sha256, int64_t job, json_t **ret,
		     struct pl_err *err)
{
	auto_json json_t *list = json_array();
	int result = 0;

	pthread_mutex_lock(&store->read_lock);
	PL_JSON_EACH(item, sha256) {
		if (result == 0)
			result = find_file(store, json_string_value(item), job, list, err);
	}
	pthread_mutex_unlock(&store->read_lock);
	if (result == 0)
		*ret = json_pack("{s:O}", "known", list);
	return result;
}

/* ---- duplicates and conflicts -------------------------------------------------------------- */

void store_job_rival_done(struct store_job_rival *rival)
{
	free(rival->bytes);
	free(rival->state);
	*rival = (struct store_job_rival){ 0 };
}

static int read_rival(struct store *store, int64_t job, int64_t item, struct store_job_rival *ret,
		      struct pl_err *err)
{
	auto_borrowed row = NULL;
	bool is_row = false;
	size_t len = 0;

	if (store_sql_cached(&store->reader, &sql_get_rival, &row, err) < 0)
		return -1;
	store_sql_bind_i64(row, 1, job);
	store_sql_bind_i64(row, 2, item);
	if (store_sql_step(row, &is_row, err) < 0)
		return -1;
	if (!is_row)
		return 0;
	ret->found = true;
	ret->state = pl_strdup(store_sql_text(row, 0));
	ret->id = store_sql_i64(row, 1);
	const void *packed = store_sql_bytes(row, 2, &len);
	if (len == 0)
		return 0;
	return store_document_unpack(store->dictionaries, packed, len, "uploaded document",
				     &ret->bytes, &ret->len, err);
}

int store_job_rival(struct store *store, int64_t job, int64_t item, struct store_job_rival *ret,
		    struct pl_err *err)
{
	auto_job_rival rival = { .found = false };

	pthread_mutex_lock(&store->read_lock);
	int result = read_rival(store, job, item, &rival, err);
	pthread_mutex_unlock(&store->read_lock);
	if (result < 0)
		return -1;
	*ret = rival;
	rival = (struct store_job_rival){ 0 };
	return 0;
}
