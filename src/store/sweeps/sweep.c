#include "store/sweeps/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/zst.h"
#include "schema/former.h"
#include "store/store_priv.h"
#include "store/sweeps/sweep_priv.h"

static STORE_STATEMENT(
	sql_put_sweep,
	"INSERT INTO sweeps (id, created, changed, head, content) VALUES (?1, ?2, ?2, ?3, ?4)"
	" ON CONFLICT (id) DO UPDATE"
	" SET changed = excluded.changed, head = excluded.head, content = excluded.content");
static STORE_STATEMENT(sql_get_sweep, "SELECT created, changed, content FROM sweeps WHERE id = ?1");
static STORE_STATEMENT(
	sql_list_sweeps,
	"SELECT id, created, changed, head FROM sweeps ORDER BY created DESC, id DESC LIMIT ?1");
static STORE_STATEMENT(sql_count_other_sweeps, "SELECT count(*) FROM sweeps WHERE id <> ?1");
static STORE_STATEMENT(sql_remove_sweep,
		       "DELETE FROM sweeps WHERE id = ?1 RETURNING CAST(1 AS BIGINT)");

#define PLAN_BYTES_MAX (256u << 20)
#define ID_LEN_MAX     100

/* The stored keys of a plan and of its runs; metrics come from the results. */
static const char *const plan_keys[] = { "name",    "state",      "file",     "servers_started",
					 "running", "experiment", "redacted", "runs" };
static const char *const run_keys[] = { "run",   "combination", "repeat",     "server",
					"set",   "label",       "parameters", "status",
					"cause", "message",     "run_id",     "removed" };

static json_t *picked(const json_t *from, const char *const *keys, size_t count)
{
	json_t *some = json_object();

	for (size_t i = 0; i < count; i++) {
		json_t *value = json_object_get(from, keys[i]);
		if (value != NULL)
			json_object_set(some, keys[i], value);
	}
	return some;
}

bool store_sweep_is_id(const char *id)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

	return id[0] != '\0' && strlen(id) <= ID_LEN_MAX && strspn(id, letters) == strlen(id);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Returns the data for the list, so that it need not decompress all plans. */
static json_t *head_of(const json_t *plan)
{
	int64_t runs = 0, falls_out = 0, gone = 0, without_result = 0;

	PL_JSON_EACH(run, json_object_get(plan, "runs")) {
		const char *status = pl_json_get_text(run, "status");
		bool is_gone = pl_json_get_true(run, "removed");
		bool falls = pl_text_equal(status, "skipped");
		bool is_over = !falls && !pl_text_equal(status, "missing") &&
			       !pl_text_equal(status, "interrupted");
		gone += is_gone;
		falls_out += falls;
		runs += !is_gone && !falls;
		without_result += !is_gone && is_over && pl_json_get_text(run, "run_id") == NULL;
	}
	return json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "name",
			 pl_json_text(pl_json_get_text(plan, "name")), "state",
			 pl_json_text(pl_json_get_text(plan, "state")), "file",
			 pl_json_text(pl_json_get_text(plan, "file")), "runs", (json_int_t)runs,
			 "skipped", (json_int_t)falls_out, "without_result",
			 (json_int_t)without_result, "removed", (json_int_t)gone);
}

static int put(struct store *store, const char *id, const json_t *plan, bool *ret_fits,
	       struct pl_err *err)
{
	struct store_stmt *statement;
	int64_t others = 0;
	size_t len;
	char now[32];

	if (store_sql_cached(&store->writer, &sql_count_other_sweeps, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, id);
	int counted = store_sql_number(statement, &others, err);
	store_sql_clear(statement);
	*ret_fits = others < STORE_SWEEPS_MAX;
	if (counted < 0 || !*ret_fits)
		return counted;
	if (store_sql_cached(&store->writer, &sql_put_sweep, &statement, err) < 0)
		return -1;
	auto_json json_t *head = head_of(plan);
	auto_free char *head_text = pl_json_to_text(head, PL_JSON_COMPACT);
	auto_json json_t *retained = picked(plan, plan_keys, PL_ARRAY_SIZE(plan_keys));
	json_t *runs = json_array();
	PL_JSON_EACH(run, json_object_get(plan, "runs"))
		json_array_append_new(runs, picked(run, run_keys, PL_ARRAY_SIZE(run_keys)));
	json_object_set_new(retained, "runs", runs);
	auto_free char *text = pl_json_to_text(retained, PL_JSON_COMPACT);
	auto_free void *packed = pl_zst_pack(text, strlen(text), &len);
	store_now(now);
	store_sql_bind_text(statement, 1, id);
	store_sql_bind_text(statement, 2, now);
	store_sql_bind_text(statement, 3, head_text);
	store_sql_bind_bytes(statement, 4, packed, len);
	int result = store_sql_finish(statement, err);
	store_sql_clear(statement);
	return result;
}

int store_sweep_put(struct store *store, const char *id, const json_t *plan, bool *ret_fits,
		    struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, put(store, id, plan, ret_fits, err), err);
}

static int remove_row(struct store *store, const char *id, bool *ret_found, struct pl_err *err)
{
	struct store_stmt *statement;
	int64_t removed = 0;

	if (store_sql_cached(&store->writer, &sql_remove_sweep, &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, id);
	int result = store_sql_number(statement, &removed, err);
	store_sql_clear(statement);
	*ret_found = removed > 0;
	return result;
}

int store_sweep_remove(struct store *store, const char *id, bool *ret_found, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, remove_row(store, id, ret_found, err), err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int malformed(const char *id, struct pl_err *err)
{
	return pl_err_set(err, PL_ERR_IO, "sweep '%s': the stored plan is malformed", id);
}

/* Parses the stored plan of the sweep `id`. */
static int parse_object(const char *text, size_t len, const char *id, json_t **ret,
			struct pl_err *err)
{
	auto_json json_t *json = NULL;

	if (pl_json_parse(text, len, id, &json, err) < 0)
		return -1;
	if (!json_is_object(json))
		return malformed(id, err);
	*ret = pl_take(json);
	return 0;
}

/* Returns the head of a row; one that is damaged has the values of an unknown plan. New reference. */
static json_t *read_head(struct store_stmt *row)
{
	const char *id = store_sql_text(row, 0), *text = store_sql_text(row, 3);
	json_t *head = NULL;

	int result = parse_object(text, strlen(text), id, &head, PL_ERR_IGNORED);
	if (result < 0)
		head = json_pack("{s:n, s:n, s:n, s:n, s:i, s:i, s:i}", "name", "state", "file",
				 "runs", "skipped", 0, "without_result", 0, "removed", 0);
	schema_rename_former(head);
	json_object_set_new(head, "id", pl_json_text(id));
	json_object_set_new(head, "created_at", pl_json_text(store_sql_text(row, 1)));
	json_object_set_new(head, "changed_at", pl_json_text(store_sql_text(row, 2)));
	json_object_set_new(head, "has_plan", json_true());
	json_object_set_new(head, "damaged", json_boolean(result < 0));
	return head;
}

static int list(struct store_sql *sql, json_t *heads, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;

	if (store_sql_cached(sql, &sql_list_sweeps, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, STORE_SWEEPS_MAX);
	while ((result = store_sql_next(rows, err)) > 0)
		json_array_append_new(heads, read_head(rows));
	return result;
}

/* Lists the current plans and results. */
static int list_once(struct store *store, json_t **ret, struct pl_err *err)
{
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	auto_json json_t *heads = json_array();

	pthread_mutex_lock(&store->read_lock);
	int result = list(&store->reader, heads, err);
	pthread_mutex_unlock(&store->read_lock);
	if (result < 0 || store_snapshot_get(store, &snapshot, err) < 0)
		return -1;
	pthread_mutex_lock(&store->sweeps_lock);
	result = store_sweep_list_results(store, snapshot, heads, &store->sweeps_cache, err);
	/* the cached value is only used under the lock */
	if (result == 0)
		*ret = json_deep_copy(heads);
	json_decref(pl_take(heads));
	pthread_mutex_unlock(&store->sweeps_lock);
	return result;
}

int store_sweep_list(struct store *store, json_t **ret, struct pl_err *err)
{
	unsigned tries = 0;
	int result;

	do
		result = list_once(store, ret, err);
	while (result < 0 && store_should_retry(err, &tries));
	return result;
}

/* Parses a stored plan. */
static int unpack(const void *packed, size_t packed_len, const char *id, json_t **ret,
		  struct pl_err *err)
{
	auto_free char *text = NULL;
	auto_json json_t *plan = NULL;
	size_t len;

	if (pl_zst_unpack(packed, packed_len, PLAN_BYTES_MAX, id, &text, &len, err) < 0 ||
	    parse_object(text, len, id, &plan, err) < 0)
		return -1;
	const json_t *runs = json_object_get(plan, "runs");
	if (runs != NULL && !json_is_array(runs))
		return malformed(id, err);
	schema_rename_former(plan);
	*ret = pl_take(plan);
	return 0;
}

static int read_plan(struct store_sql *sql, const char *id, json_t **ret, bool *ret_damaged,
		     struct pl_err *err)
{
	auto_borrowed row = NULL;
	bool is_row = false;
	json_t *plan = NULL;
	size_t len;

	*ret_damaged = false;

	if (store_sql_cached(sql, &sql_get_sweep, &row, err) < 0)
		return -1;
	store_sql_bind_text(row, 1, id);
	if (store_sql_step(row, &is_row, err) < 0)
		return -1;
	if (!is_row) {
		*ret = json_object();
		return 0;
	}
	const void *packed = store_sql_bytes(row, 2, &len);
	if (unpack(packed, len, id, &plan, err) < 0) {
		*ret_damaged = true;
		return -1;
	}
	json_object_set_new(plan, "created_at", json_string(store_sql_text(row, 0)));
	json_object_set_new(plan, "changed_at", json_string(store_sql_text(row, 1)));
	*ret = plan;
	return 0;
}

int store_sweep_read_plan(struct store *store, const char *id, json_t **ret, bool *ret_damaged,
			  struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = read_plan(&store->reader, id, ret, ret_damaged, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

/* Takes the runs. Keys that the plan lacks are null. */
static json_t *whole_of(const char *id, const json_t *plan, json_t *runs, int64_t version)
{
	static const char *const summary[] = {
		"name",       "state",           "file",       "created_at",
		"changed_at", "servers_started", "experiment", "redacted",
	};
	json_t *whole = json_pack("{s:s, s:b}", "id", id, "has_plan", json_object_size(plan) > 0);

	for (size_t i = 0; i < PL_ARRAY_SIZE(summary); i++) {
		json_t *value = json_object_get(plan, summary[i]);
		json_object_set_new(whole, summary[i],
				    value != NULL ? json_incref(value) : json_null());
	}
	json_object_set_new(whole, "data_version", json_integer(version));
	json_object_set_new(whole, "runs", runs);
	return whole;
}

/* Reads the current plan and results; *ret stays NULL if there are none. */
static int get(struct store *store, const char *id, const json_t *metrics, json_t **ret,
	       struct schema_faults *faults, struct pl_err *err)
{
	auto_snapshot struct mirror_snapshot *snapshot = NULL;
	auto_json json_t *plan = NULL;
	json_t *runs = NULL;
	bool is_damaged;

	if (store_sweep_read_plan(store, id, &plan, &is_damaged, err) < 0 ||
	    store_snapshot_get(store, &snapshot, err) < 0 ||
	    store_sweep_runs(snapshot, id, plan, metrics, &runs, faults, err) < 0)
		return -1;
	if (json_object_size(plan) > 0 || json_array_size(runs) > 0)
		*ret = whole_of(id, plan, runs, mirror_snapshot_version(snapshot));
	else
		json_decref(runs);
	return 0;
}

int store_sweep_get(struct store *store, const char *id, const json_t *metrics, json_t **ret,
		    struct schema_faults *faults, struct pl_err *err)
{
	unsigned tries = 0;
	int result;

	*ret = NULL;
	do
		result = get(store, id, metrics, ret, faults, err);
	while (result < 0 && faults->count == 0 && store_should_retry(err, &tries));
	return result;
}
