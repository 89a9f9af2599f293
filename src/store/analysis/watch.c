#include "store/analysis/watch.h"

#include <string.h>

#include "query/needle.h"
#include "store/saved/name.h"
#include "store/saved/rows.h"
#include "store/store_priv.h"

static STORE_STATEMENT(sql_list_watches,
		       "SELECT id, revision, created, changed, name, content, data_version, state"
		       " FROM watches WHERE id >= ?1 ORDER BY id LIMIT ?2");
static STORE_STATEMENT(sql_add_watch,
		       "INSERT INTO watches (revision, created, changed, name, content)"
		       " VALUES (1, ?1, ?1, ?2, ?3) RETURNING id");
static STORE_STATEMENT(sql_replace_watch,
		       "UPDATE watches SET revision = revision + 1, changed = ?1, name = ?2,"
		       " content = ?3 WHERE id = ?4 RETURNING id");
static STORE_STATEMENT(sql_remove_watch, "DELETE FROM watches WHERE id = ?1 RETURNING id");
static STORE_STATEMENT(sql_set_watch_state,
		       "UPDATE watches SET data_version = ?1, state = ?2 WHERE id = ?3"
		       " RETURNING id");
static STORE_STATEMENT(sql_list_watch_states,
		       "SELECT time, state, failed, counts FROM watch_states WHERE watch = ?1"
		       " ORDER BY id DESC LIMIT ?2");
static STORE_STATEMENT(sql_add_watch_state,
		       "INSERT INTO watch_states (watch, time, state, failed, counts)"
		       " VALUES (?1, ?2, ?3, ?4, ?5)");
static STORE_STATEMENT(sql_forget_watch_states,
		       "DELETE FROM watch_states WHERE watch = ?1 AND id <= (SELECT id FROM"
		       " watch_states WHERE watch = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)");
static STORE_STATEMENT(
	sql_list_watch_news,
	"SELECT s.id, s.watch, w.name, w.content, s.time, s.state, s.failed, s.counts"
	" FROM watch_states s JOIN watches w ON w.id = s.watch WHERE s.id > ?1"
	" ORDER BY s.id");
static STORE_STATEMENT(sql_newest_watch_state,
		       "SELECT id FROM watch_states ORDER BY id DESC LIMIT 1");

/* The members in the column `content`. */
static const char *const content_keys[] = { "question", "fail_on", "author" };

/* ---- rows ------------------------------------------------------------------------------------ */

static int parse(const char *text, const char *what, json_t **ret, struct pl_err *err)
{
	return pl_json_parse(text, strlen(text), what, ret, err);
}

/* The columns of sql_list_watches. */
static int row_to_json(struct store_stmt *row, json_t **ret, struct pl_err *err)
{
	auto_json json_t *rest = NULL;
	auto_json json_t *state = NULL;
	const char *state_text = store_sql_text(row, 7);

	if (parse(store_sql_text(row, 5), "watch", &rest, err) < 0 ||
	    (state_text != NULL && parse(state_text, "state of a watch", &state, err) < 0))
		return -1;
	if (state != NULL)
		json_object_set_new(state, "data_version",
				    json_integer((json_int_t)store_sql_i64(row, 6)));
	json_t *watch = json_pack("{s:I, s:I, s:s}", "id", (json_int_t)store_sql_i64(row, 0),
				  "revision", (json_int_t)store_sql_i64(row, 1), "name",
				  store_sql_text(row, 4));
	json_object_update(watch, rest);
	json_object_set_new(watch, "created_at", json_string(store_sql_text(row, 2)));
	json_object_set_new(watch, "changed_at", json_string(store_sql_text(row, 3)));
	json_object_set_new(watch, "state", pl_json_or_null(json_incref(state)));
	*ret = watch;
	return 0;
}

static const struct store_saved watch_rows = { &sql_list_watches, row_to_json };

/* The columns of sql_list_watch_states. */
static int state_to_json(struct store_stmt *row, json_t **ret, struct pl_err *err)
{
	json_t *counts = NULL;

	if (parse(store_sql_text(row, 3), "counts of a watch", &counts, err) < 0)
		return -1;
	*ret = json_pack("{s:s, s:s, s:b, s:o}", "changed_at", store_sql_text(row, 0), "state",
			 store_sql_text(row, 1), "failed", (int)store_sql_i64(row, 2), "counts",
			 counts);
	return 0;
}

/* Adds the history, the newest entry first. */
static int add_history(struct store_sql *sql, json_t *watch, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	json_t *history = NULL;

	if (store_sql_cached(sql, &sql_list_watch_states, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, pl_json_get_i64(watch, "id"));
	store_sql_bind_i64(rows, 2, STORE_WATCH_STATES_MAX);
	if (store_saved_rows(rows, state_to_json, &history, err) < 0)
		return -1;
	json_object_set_new(watch, "history", history);
	return 0;
}

static int list_with_history(struct store_sql *sql, json_t **ret, struct pl_err *err)
{
	auto_json json_t *watches = NULL;

	if (store_saved_list(sql, &watch_rows, 1, STORE_WATCHES_MAX, &watches, err) < 0)
		return -1;
	PL_JSON_EACH(watch, watches) {
		if (add_history(sql, watch, err) < 0)
			return -1;
	}
	*ret = pl_take(watches);
	return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* id 0: a new watch. *ret_before: the watch `id`, if the outcome is OK. */
static int judge(struct store *store, int64_t id, int64_t revision, const char *name,
		 enum store_saved_outcome *ret, json_t **ret_before, struct pl_err *err)
{
	auto_needle struct query_needle *needle = query_needle_new(name != NULL ? name : "", true);
	auto_json json_t *watches = NULL;
	const json_t *before = NULL;
	bool is_named = false;

	if (store_saved_list(&store->writer, &watch_rows, 1, STORE_WATCHES_MAX, &watches, err) < 0)
		return -1;
	PL_JSON_EACH(watch, watches) {
		if (pl_json_get_i64(watch, "id") == id)
			before = watch;
		else if (name != NULL &&
			 store_name_is(needle, name, pl_json_get_text(watch, "name")))
			is_named = true;
	}
	if (id != 0 && before == NULL)
		*ret = STORE_SAVED_NONE;
	else if (revision != 0 && pl_json_get_i64(before, "revision") != revision)
		*ret = STORE_SAVED_CHANGED;
	else if (is_named)
		*ret = STORE_SAVED_NAMED;
	else if (id == 0 && json_array_size(watches) >= STORE_WATCHES_MAX)
		*ret = STORE_SAVED_FULL;
	else
		*ret = STORE_SAVED_OK;
	*ret_before = json_incref((json_t *)before);
	return 0;
}

/* Returns all members of the content: those of `change`, otherwise those of `before`, which may be NULL. */
static json_t *content_of(const json_t *before, const json_t *change)
{
	json_t *content = json_object();

	for (size_t i = 0; i < PL_ARRAY_SIZE(content_keys); i++) {
		json_t *value = json_object_get(change, content_keys[i]);
		if (value == NULL)
			value = json_object_get(before, content_keys[i]);
		json_object_set_new(content, content_keys[i], pl_json_or_null(json_incref(value)));
	}
	if (pl_json_get_text(content, "fail_on") == NULL)
		json_object_set_new(content, "fail_on", json_string("regression"));
	return content;
}

/* state NULL: unknown. */
static int set_state(struct store *store, int64_t id, int64_t version, const json_t *state,
		     struct pl_err *err)
{
	auto_free char *text = state != NULL ? pl_json_to_text(state, PL_JSON_COMPACT) : NULL;
	struct store_stmt *statement;

	if (store_sql_cached(&store->writer, &sql_set_watch_state, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, version);
	store_sql_bind_text(statement, 2, text);
	store_sql_bind_i64(statement, 3, id);
	int result = store_sql_finish(statement, err);
	/* release the pointers to the arguments */
	store_sql_clear(statement);
	return result;
}

/* id 0: adds a row. */
static int write_row(struct store *store, int64_t *id, const char *name, const json_t *content,
		     struct pl_err *err)
{
	auto_free char *text = pl_json_to_text(content, PL_JSON_COMPACT);
	struct store_stmt *statement;
	char now[32];

	store_now(now);
	if (store_sql_cached(&store->writer, *id == 0 ? &sql_add_watch : &sql_replace_watch,
			     &statement, err) < 0)
		return -1;
	store_sql_bind_text(statement, 1, now);
	store_sql_bind_text(statement, 2, name);
	store_sql_bind_text(statement, 3, text);
	if (*id != 0)
		store_sql_bind_i64(statement, 4, *id);
	int result = store_sql_number(statement, id, err);
	/* release the pointers to the arguments */
	store_sql_clear(statement);
	return result;
}

static bool asks_the_same(const json_t *before, const json_t *content)
{
	return json_equal(json_object_get(before, "question"),
			  json_object_get(content, "question")) &&
	       json_equal(json_object_get(before, "fail_on"), json_object_get(content, "fail_on"));
}

/* id 0: a new watch. */
static int put(struct store *store, int64_t id, int64_t revision, const json_t *change,
	       enum store_saved_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	const char *name = pl_json_get_text(change, "name");
	auto_json json_t *before = NULL;

	if (judge(store, id, revision, name, ret_outcome, &before, err) < 0)
		return -1;
	if (*ret_outcome != STORE_SAVED_OK)
		return 0;
	auto_json json_t *content = content_of(before, change);
	bool is_known = before != NULL && asks_the_same(before, content);
	if (name == NULL)
		name = pl_json_get_text(before, "name");
	if (write_row(store, &id, name, content, err) < 0 ||
	    (!is_known && set_state(store, id, -1, NULL, err) < 0))
		return -1;
	auto_json json_t *watch = NULL;
	if (store_saved_get(&store->writer, &watch_rows, id, &watch, err) < 0 ||
	    add_history(&store->writer, watch, err) < 0)
		return -1;
	*ret = pl_take(watch);
	return 0;
}

static int put_whole(struct store *store, int64_t id, int64_t revision, const json_t *change,
		     enum store_saved_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	auto_json json_t *written = NULL;

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, put(store, id, revision, change, ret_outcome, &written, err), err) < 0)
		return -1;
	*ret = pl_take(written);
	return 0;
}

int store_watch_add(struct store *store, const json_t *watch, enum store_saved_outcome *ret_outcome,
		    json_t **ret, struct pl_err *err)
{
	return put_whole(store, 0, 0, watch, ret_outcome, ret, err);
}

int store_watch_change(struct store *store, int64_t id, int64_t revision, const json_t *change,
		       enum store_saved_outcome *ret_outcome, json_t **ret, struct pl_err *err)
{
	return put_whole(store, id, revision, change, ret_outcome, ret, err);
}

static int remove_row(struct store *store, int64_t id, int64_t revision,
		      enum store_saved_outcome *ret_outcome, struct pl_err *err)
{
	auto_json json_t *before = NULL;
	auto_borrowed statement = NULL;

	if (judge(store, id, revision, NULL, ret_outcome, &before, err) < 0)
		return -1;
	if (*ret_outcome != STORE_SAVED_OK)
		return 0;
	if (store_sql_cached(&store->writer, &sql_remove_watch, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	return store_sql_finish(statement, err);
}

int store_watch_remove(struct store *store, int64_t id, int64_t revision,
		       enum store_saved_outcome *ret_outcome, struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, remove_row(store, id, revision, ret_outcome, err), err);
}

/* ---- states ---------------------------------------------------------------------------------- */

static int add_entry(struct store *store, int64_t id, const json_t *state, const char *now,
		     struct pl_err *err)
{
	const json_t *counts = json_object_get(state, "counts");
	auto_free char *text = pl_json_to_text(counts, PL_JSON_COMPACT);
	struct store_stmt *statement;

	if (store_sql_cached(&store->writer, &sql_add_watch_state, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	store_sql_bind_text(statement, 2, now);
	store_sql_bind_text(statement, 3, pl_json_get_text(state, "state"));
	store_sql_bind_i64(statement, 4, pl_json_get_true(state, "failed"));
	store_sql_bind_text(statement, 5, text);
	int result = store_sql_finish(statement, err);
	/* release the pointers to the arguments */
	store_sql_clear(statement);
	if (result < 0 ||
	    store_sql_cached(&store->writer, &sql_forget_watch_states, &statement, err) < 0)
		return -1;
	store_sql_bind_i64(statement, 1, id);
	store_sql_bind_i64(statement, 2, STORE_WATCH_STATES_MAX);
	return store_sql_finish(statement, err);
}

static int settle(struct store *store, int64_t id, int64_t revision, int64_t version,
		  const json_t *state, bool *ret_changed, struct pl_err *err)
{
	auto_json json_t *watch = NULL;
	auto_json json_t *whole = json_copy((json_t *)state);
	char now[32];

	if (store_saved_get(&store->writer, &watch_rows, id, &watch, err) < 0)
		return -1;
	const json_t *before = json_object_get(watch, "state");
	if (watch == NULL || pl_json_get_i64(watch, "revision") != revision ||
	    (json_is_object(before) && pl_json_get_i64(before, "data_version") > version))
		return 0;
	bool is_same =
		json_is_object(before) &&
		json_equal(json_object_get(before, "state"), json_object_get(state, "state")) &&
		json_equal(json_object_get(before, "failed"), json_object_get(state, "failed"));
	store_now(now);
	json_object_set_new(whole, "checked_at", json_string(now));
	if (is_same)
		json_object_set(whole, "since_at", json_object_get(before, "since_at"));
	else
		json_object_set_new(whole, "since_at", json_string(now));
	if (set_state(store, id, version, whole, err) < 0 ||
	    (!is_same && add_entry(store, id, state, now, err) < 0))
		return -1;
	*ret_changed = !is_same;
	return 0;
}

int store_watch_settle(struct store *store, int64_t id, int64_t revision, int64_t version,
		       const json_t *state, bool *ret_changed, struct pl_err *err)
{
	bool changed = false;

	if (store_begin(store, err) < 0)
		return -1;
	if (store_end(store, settle(store, id, revision, version, state, &changed, err), err) < 0)
		return -1;
	*ret_changed = changed;
	return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

int store_watch_list(struct store *store, bool with_history, json_t **ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = with_history ? list_with_history(&store->reader, ret, err)
				  : store_saved_list(&store->reader, &watch_rows, 1,
						     STORE_WATCHES_MAX, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}

int store_watch_find(struct store *store, const char *name, json_t **ret, struct pl_err *err)
{
	auto_needle struct query_needle *needle = query_needle_new(name, true);
	auto_json json_t *watches = NULL;

	if (store_watch_list(store, false, &watches, err) < 0)
		return -1;
	*ret = NULL;
	PL_JSON_EACH(watch, watches) {
		if (store_name_is(needle, name, pl_json_get_text(watch, "name")))
			*ret = json_incref(watch);
	}
	return 0;
}

static int entry_to_json(struct store_stmt *row, json_t **ret, struct pl_err *err)
{
	auto_json json_t *content = NULL;
	json_t *counts = NULL;

	if (parse(store_sql_text(row, 3), "watch", &content, err) < 0 ||
	    parse(store_sql_text(row, 7), "counts of a watch", &counts, err) < 0)
		return -1;
	*ret = json_pack("{s:I, s:I, s:s, s:O, s:s, s:s, s:b, s:o}", "entry",
			 (json_int_t)store_sql_i64(row, 0), "id", (json_int_t)store_sql_i64(row, 1),
			 "name", store_sql_text(row, 2), "fail_on",
			 json_object_get(content, "fail_on"), "changed_at", store_sql_text(row, 4),
			 "state", store_sql_text(row, 5), "failed", (int)store_sql_i64(row, 6),
			 "counts", counts);
	return 0;
}

static int read_news(struct store_sql *sql, int64_t last, json_t **ret, struct pl_err *err)
{
	auto_borrowed newest = NULL;
	auto_borrowed rows = NULL;

	if (last < 0) {
		if (store_sql_cached(sql, &sql_newest_watch_state, &newest, err) < 0 ||
		    store_sql_number(newest, &last, err) < 0)
			return -1;
		last--;
	}
	if (store_sql_cached(sql, &sql_list_watch_news, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, last);
	return store_saved_rows(rows, entry_to_json, ret, err);
}

int store_watch_news(struct store *store, int64_t last, json_t **ret, struct pl_err *err)
{
	pthread_mutex_lock(&store->read_lock);
	int result = read_news(&store->reader, last, ret, err);
	pthread_mutex_unlock(&store->read_lock);
	return result;
}
