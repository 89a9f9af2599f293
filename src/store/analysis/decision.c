#include "store/analysis/decision.h"

#include <string.h>

#include "store/saved/rows.h"
#include "store/store_priv.h"

#define COLUMNS "id, created, series, metric, position, order_by, experiment, kind, note, author"

static STORE_STATEMENT(sql_list_decisions,
		       "SELECT " COLUMNS " FROM decisions WHERE id >= ?1 ORDER BY id LIMIT ?2");
static STORE_STATEMENT(sql_list_series_decisions,
		       "SELECT " COLUMNS " FROM decisions WHERE series = ?1 ORDER BY id");
static STORE_STATEMENT(sql_count_decisions, "SELECT count(*) FROM decisions");
static STORE_STATEMENT(sql_find_decided,
		       "SELECT id FROM benchmark_runs WHERE id = ?1 AND deleted = 0");
static STORE_STATEMENT(sql_add_decision,
		       "INSERT INTO decisions (created, series, metric, position, order_by,"
		       " experiment, kind, note, author)"
		       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING id");

/* ---- rows ------------------------------------------------------------------------------------ */

/* COLUMNS. */
static int row_to_json(struct store_stmt *row, json_t **ret, struct pl_err *err)
{
	(void)err;
	*ret = json_pack(
		"{s:I, s:s, s:s, s:I, s:s, s:o, s:s, s:o, s:o, s:s}", "id",
		(json_int_t)store_sql_i64(row, 0), "series", store_sql_text(row, 2), "metric",
		store_sql_text(row, 3), "at", (json_int_t)store_sql_i64(row, 4), "order_by",
		store_sql_text(row, 5), "experiment_id",
		store_sql_is_null(row, 6) ? json_null()
					  : json_integer((json_int_t)store_sql_i64(row, 6)),
		"kind", store_sql_text(row, 7), "note", pl_json_text(store_sql_text(row, 8)),
		"author", pl_json_text(store_sql_text(row, 9)), "created_at",
		store_sql_text(row, 1));
	return 0;
}

static const struct store_saved decision_rows = { &sql_list_decisions, row_to_json };

static int list_of_series(struct store_sql *sql, const char *series, json_t **ret,
			  struct pl_err *err)
{
	struct store_stmt *rows;

	if (store_sql_cached(sql, &sql_list_series_decisions, &rows, err) < 0)
		return -1;
	store_sql_bind_text(rows, 1, series);
	int result = store_saved_rows(rows, row_to_json, ret, err);
	/* release the pointer to the argument */
	store_sql_reset(rows);
	store_sql_clear(rows);
	return result;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Runs a statement of one number, whose parameter is `id` if that is not 0. */
static int read_number(struct store *store, const struct store_statement *which, int64_t id,
		       int64_t *ret, struct pl_err *err)
{
	auto_borrowed statement = NULL;

	if (store_sql_cached(&store->writer, which, &statement, err) < 0)
		return -1;
	if (id != 0)
		store_sql_bind_i64(statement, 1, id);
	return store_sql_number(statement, ret, err);
}

static int judge(struct store *store, const json_t *decision, enum store_decision_outcome *ret,
		 struct pl_err *err)
{
	int64_t experiment = pl_json_get_i64(decision, "experiment_id"), count = 0, found = 0;

	if (read_number(store, &sql_count_decisions, 0, &count, err) < 0)
		return -1;
	if (experiment != 0 && read_number(store, &sql_find_decided, experiment, &found, err) < 0)
		return -1;
	*ret = found != experiment            ? STORE_DECISION_UNPLACED
	       : count >= STORE_DECISIONS_MAX ? STORE_DECISION_FULL
					      : STORE_DECISION_ADDED;
	return 0;
}

static int write_row(struct store *store, const json_t *decision, int64_t *ret_id,
		     struct pl_err *err)
{
	int64_t experiment = pl_json_get_i64(decision, "experiment_id");
	const char *order_by = pl_json_get_text(decision, "order_by");
	struct store_stmt *statement;
	char now[32];

	store_now(now);
	if (store_sql_cached(&store->writer, &sql_add_decision, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, now);
	store_sql_bind_text(statement, 2, pl_json_get_text(decision, "series"));
	store_sql_bind_text(statement, 3, pl_json_get_text(decision, "metric"));
	store_sql_bind_i64(statement, 4, pl_json_get_i64(decision, "at"));
	store_sql_bind_text(statement, 5, order_by != NULL ? order_by : "time");
	if (experiment != 0)
		store_sql_bind_i64(statement, 6, experiment);
	store_sql_bind_text(statement, 7, pl_json_get_text(decision, "kind"));
	store_sql_bind_text(statement, 8, pl_json_get_text(decision, "note"));
	store_sql_bind_text(statement, 9, pl_json_get_text(decision, "author"));
	int result = store_sql_number(statement, ret_id, err);
	/* release the pointers to the arguments */
	store_sql_clear(statement);
	return result;
}

static int add(struct store *store, const json_t *decision,
	       enum store_decision_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	auto_json json_t *found = NULL;
	int64_t id = 0, version;

	if (judge(store, decision, ret_outcome, err) < 0)
		return -1;
	if (*ret_outcome != STORE_DECISION_ADDED)
		return 0;
	if (write_row(store, decision, &id, err) < 0 ||
	    store_saved_list(&store->writer, &decision_rows, id, 1, &found, err) < 0 ||
	    store_next_version(store, &version, err) < 0)
		return -1;
	store_results_change(store);
	*ret = json_incref(json_array_get(found, 0));
	return 0;
}

int store_decision_add(struct store *store, const json_t *decision,
		       enum store_decision_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	auto_json json_t *added = NULL;

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, add(store, decision, ret_outcome, &added, err), err) < 0)
		return -1;
	*ret = pl_take(added);
	return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

int store_decision_list(struct store *store, const char *series, json_t **ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = series != NULL ? list_of_series(&store->reader, series, ret, err)
				    : store_saved_list(&store->reader, &decision_rows, 1,
						       STORE_DECISIONS_MAX, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}
