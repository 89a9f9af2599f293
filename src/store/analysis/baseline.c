#include "store/analysis/baseline.h"

#include <string.h>

#include "store/store_priv.h"

static STORE_STATEMENT(sql_list_baselines, "SELECT id FROM baselines ORDER BY id");
static STORE_STATEMENT(sql_get_baseline,
		       "SELECT name, created, changed, content FROM baselines WHERE id = ?1");
static STORE_STATEMENT(sql_count_other_baselines,
		       "SELECT count(*) FROM baselines WHERE name <> ?1");
static STORE_STATEMENT(sql_put_baseline,
		       "INSERT INTO baselines (name, created, changed, content)"
		       " VALUES (?1, ?2, ?2, ?3) ON CONFLICT (name) DO UPDATE SET"
		       " changed = excluded.changed, content = excluded.content RETURNING id");
static STORE_STATEMENT(sql_remove_baseline, "DELETE FROM baselines WHERE id = ?1 RETURNING id");

static int count_change(struct store *store, struct pl_err *err)
{
	int64_t version;

	if (store_next_version(store, &version, err) < 0)
		return -1;
	store_results_change(store);
	return 0;
}

static int count_others(struct store *store, const char *name, int64_t *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;

	if (store_sql_cached(&store->writer, &sql_count_other_baselines, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, name);
	return store_sql_number(statement, ret, err);
}

/* Within a transaction. */
static int put(struct store *store, const char *name, const json_t *rows, int64_t *ret_id,
	       struct pl_err *err)
{
	auto_free char *text = pl_json_to_text(rows, PL_JSON_COMPACT);
	struct store_stmt *statement;
	int64_t others = 0;
	char now[32];

	*ret_id = 0;
	if (count_others(store, name, &others, err) < 0)
		return -1;
	if (others >= STORE_BASELINES_MAX)
		return 0;
	store_now(now);
	if (store_sql_cached(&store->writer, &sql_put_baseline, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, name);
	store_sql_bind_text(statement, 2, now);
	store_sql_bind_text(statement, 3, text);
	int result = store_sql_number(statement, ret_id, err);
	/* release the pointers to the arguments */
	store_sql_clear(statement);
	return result < 0 ? -1 : count_change(store, err);
}

int store_baseline_put(struct store *store, const char *name, const json_t *rows, int64_t *ret_id,
		       struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, put(store, name, rows, ret_id, err), err);
}

static int list_ids(struct store_sql *sql, json_t *ids, struct pl_err *err)
{
	auto_borrowed row = NULL;
	int result;

	if (store_sql_cached(sql, &sql_list_baselines, &row, err) < 0)
		return -1;
	while ((result = store_sql_next(row, err)) > 0)
		json_array_append_new(ids, json_integer((json_int_t)store_sql_i64(row, 0)));
	return result;
}

int store_baseline_ids(struct store *store, json_t **ret, struct pl_err *err)
{
	auto_json json_t *ids = json_array();

	pthread_mutex_lock(&store->read_lock);
	int result = list_ids(&store->reader, ids, err);
	pthread_mutex_unlock(&store->read_lock);
	if (result < 0)
		return -1;
	*ret = pl_take(ids);
	return 0;
}

/* Sets *ret to the set without its rows and *ret_content to their text; both to NULL: none has the id. */
static int read_one(struct store_sql *sql, int64_t id, json_t **ret, char **ret_content,
		    struct pl_err *err)
{
	auto_borrowed row = NULL;

	if (store_sql_cached(sql, &sql_get_baseline, &row, err) < 0)
		return -1;
	store_sql_bind_i64(row, 1, id);
	int result = store_sql_next(row, err);
	if (result <= 0)
		return result;
	*ret = json_pack("{s:I, s:o, s:s, s:s}", "id", (json_int_t)id, "name",
			 pl_json_text(store_sql_text(row, 0)), "created_at", store_sql_text(row, 1),
			 "changed_at", store_sql_text(row, 2));
	*ret_content = pl_strdup(store_sql_text(row, 3));
	return 0;
}

int store_baseline_get(struct store *store, int64_t id, json_t **ret, struct pl_err *err)
{
	auto_json json_t *baseline = NULL;
	auto_free char *content = NULL;
	json_t *rows = NULL;

	*ret = NULL;
	pthread_mutex_lock(&store->read_lock);
	int result = read_one(&store->reader, id, &baseline, &content, err);
	pthread_mutex_unlock(&store->read_lock);
	/* parsing takes long: others read meanwhile */
	if (result < 0 || (content != NULL &&
			   pl_json_parse(content, strlen(content), "baseline", &rows, err) < 0))
		return -1;
	if (content == NULL)
		return 0;
	json_object_set_new(baseline, "rows", rows);
	*ret = pl_take(baseline);
	return 0;
}

/* Within a transaction. */
static int remove_row(struct store *store, int64_t id, bool *ret_found, struct pl_err *err)
{
	auto_borrowed statement = NULL;

	if (store_sql_cached(&store->writer, &sql_remove_baseline, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	int result = store_sql_next(statement, err);
	if (result < 0)
		return -1;
	*ret_found = result > 0;
	return *ret_found ? count_change(store, err) : 0;
}

int store_baseline_remove(struct store *store, int64_t id, bool *ret_found, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, remove_row(store, id, ret_found, err), err);
}
