#include "store/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/artifacts/artifact.h"
#include "store/field_index/index.h"
#include "store/prune/hold.h"
#include "store/store_priv.h"
#include "vllm/secret.h"

static STORE_STATEMENT(
	sql_put_edits,
	"INSERT INTO benchmark_edits (id, tags, notes) VALUES (?1, ?2, ?3)"
	" ON CONFLICT (id) DO UPDATE SET tags = excluded.tags, notes = excluded.notes");
static STORE_STATEMENT(sql_touch,
		       "UPDATE benchmark_runs SET changed = ?2, deleted = ?3 WHERE id = ?1");
static STORE_STATEMENT(sql_note_change,
		       "INSERT INTO benchmark_changes (id, time, author, kind, name, before, after)"
		       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
static STORE_STATEMENT(
	sql_list_changes,
	"SELECT time, author, kind, name, before, after FROM benchmark_changes WHERE id = ?1"
	" ORDER BY number DESC");
/*
 * The last change of each is its deletion. If the clock was set, its date may be wrong by years, so the order of the
 * changes counts, too. A deletion is not old if it follows a change between ?1 and ?2 (now), or if its result was
 * stored then. One dated in the future is old if an old change follows it.
 */
static STORE_STATEMENT(
	sql_list_deleted,
	"SELECT r.id, r.changed FROM benchmark_runs r JOIN benchmark_changes c ON c.number ="
	" (SELECT max(l.number) FROM benchmark_changes l WHERE l.id = r.id)"
	" WHERE r.deleted = 1"
	" AND (c.time < ?1 OR (c.time > ?2 AND c.number <"
	" (SELECT max(o.number) FROM benchmark_changes o WHERE o.time < ?1)))"
	" AND NOT (r.stored_at >= ?1 AND r.stored_at <= ?2)"
	" AND c.number < (SELECT coalesce(min(n.number), 9223372036854775807)"
	" FROM benchmark_changes n WHERE n.time >= ?1 AND n.time <= ?2) ORDER BY r.id");
static STORE_STATEMENT(sql_list_all_deleted,
		       "SELECT id, changed FROM benchmark_runs WHERE deleted = 1 ORDER BY id");
static STORE_STATEMENT(sql_prune, "DELETE FROM benchmark_runs WHERE id = ?1");
static STORE_STATEMENT(sql_note_pruned, "UPDATE store_state SET pruned = data_version");

static const char *const kind_names[] = {
#define STORE_CHANGE(NAME, name, text) #name,
#include "tbl/store_words.h"
};

/* ---- changes ------------------------------------------------------------------------------- */

int store_change_note(struct store *store, int64_t id, const struct store_change *change,
		      struct pl_err *err)
{
	struct store_stmt *note;
	char now[32];

	if (change->kind == STORE_CHANGE_DELETED)
		store_aging_now(store, now);
	else
		store_now(now);
	if (store_sql_cached(&store->writer, &sql_note_change, &note, err) < 0)
		return -1;
	store_sql_bind_i64(note, 1, id);
	store_sql_bind_text(note, 2, now);
	store_sql_bind_text(note, 3, change->author);
	store_sql_bind_text(note, 4, kind_names[change->kind]);
	store_sql_bind_text(note, 5, change->name);
	store_sql_bind_text(note, 6, change->from);
	store_sql_bind_text(note, 7, change->to);
	return store_sql_finish(note, err);
}

/* ---- changes by users ------------------------------------------------------------------------ */

/* A change in progress: the current state, and the author. */
struct changing {
	struct store *store;
	int64_t id;
	const char *author;
	struct store_edits edits;
	json_t *document; /* NULL: not read yet */
};

static int note(struct changing *changing, enum store_change_kind kind, const char *name,
		const char *from, const char *to, struct pl_err *err)
{
	return store_change_note(changing->store, changing->id,
				 &(struct store_change){ .author = changing->author,
							 .kind = kind,
							 .name = name,
							 .from = from,
							 .to = to },
				 err);
}

/* Tags in a document may be any JSON value. */
static char *shown_tag(const json_t *value)
{
	if (value == NULL || json_is_null(value))
		return NULL;
	if (json_is_string(value))
		return pl_strdup(json_string_value(value));
	return pl_json_to_text(value, PL_JSON_COMPACT);
}

static int set_tag(struct changing *changing, const json_t *tags, const char *name, json_t *value,
		   bool *ret_any, struct pl_err *err)
{
	const json_t *before = json_object_get(tags, name);
	auto_free char *from = shown_tag(before);
	auto_free char *to = shown_tag(value);

	if (pl_text_equal(from, to) && (before == NULL || json_is_string(before)))
		return 0;
	*ret_any = true;
	if (changing->edits.tags == NULL)
		changing->edits.tags = json_object();
	json_object_set(changing->edits.tags, name, value);
	return note(changing, STORE_CHANGE_TAG, name, from, to, err);
}

static int set_tags(struct changing *changing, const json_t *tags, bool *ret_any,
		    enum store_change_answer *ret, struct pl_err *err)
{
	auto_json json_t *now = NULL;
	auto_json json_t *then = NULL;
	json_t *shown_json;

	if (json_object_size(tags) == 0)
		return 0;
	if (store_read_bare(changing->store, &changing->store->writer, changing->id, NULL,
			    &changing->document, err) < 0)
		return -1;
	shown_json = json_object_get(changing->document, "tags");
	now = store_tags_over(changing->edits.tags, shown_json);
	PL_JSON_EACH_MEMBER(name, value, tags) {
		if (set_tag(changing, now, name, value, ret_any, err) < 0)
			return -1;
	}
	then = store_tags_over(changing->edits.tags, shown_json);
	/* tags of a document that came with more can be removed */
	if (json_object_size(then) > STORE_TAGS_MAX &&
	    json_object_size(then) > json_object_size(now))
		*ret = STORE_CHANGE_FULL;
	return 0;
}

static int set_notes(struct changing *changing, const json_t *notes, bool *ret_any,
		     struct pl_err *err)
{
	const char *to = json_string_value(notes);
	auto_free char *from = changing->edits.notes;

	if (notes == NULL || pl_text_equal(from, to)) {
		from = NULL; /* unchanged */
		return 0;
	}
	changing->edits.notes = pl_strdup(to);
	*ret_any = true;
	return note(changing, STORE_CHANGE_NOTES, NULL, from, to, err);
}

/* Records fields that no document has had. */
static int put_paths(struct changing *changing, struct pl_err *err)
{
	auto_json json_t *none = json_object();
	auto_json json_t *edited = store_edits_over(&changing->edits, none);
	auto_path_index paths = { 0 };

	store_path_index_of(changing->store, edited, &paths);
	return store_path_index_put(changing->store, &paths, err);
}

static int put_leaves(struct changing *changing, struct pl_err *err)
{
	struct store *store = changing->store;
	struct pl_err why = PL_ERR_INIT;

	if (changing->document == NULL && store_read_bare(store, &store->writer, changing->id, NULL,
							  &changing->document, &why) < 0) {
		if (why.code == PL_ERR_INVALID)
			return store_field_index_put_unknown(store, changing->id, err);
		*err = why;
		return -1;
	}
	auto_json json_t *edited = store_edits_over(&changing->edits, changing->document);
	return store_field_index_put_document(store, changing->id, edited, err);
}

/* Marks the row as changed, so that the mirror reads it again. */
static int touch(struct store *store, int64_t id, bool is_deleted, struct pl_err *err)
{
	struct store_stmt *touch;
	int64_t version;

	store_results_change(store);
	if (store_next_version(store, &version, err) < 0 ||
	    store_sql_cached(&store->writer, &sql_touch, &touch, err) < 0)
		return -1;
	store_sql_bind_i64(touch, 1, id);
	store_sql_bind_i64(touch, 2, version);
	store_sql_bind_i64(touch, 3, is_deleted);
	return store_sql_finish(touch, err);
}

static int write_edits(struct changing *changing, struct pl_err *err)
{
	auto_free char *tags = changing->edits.tags != NULL
				       ? pl_json_to_text(changing->edits.tags, PL_JSON_COMPACT)
				       : pl_strdup("{}");
	struct store *store = changing->store;
	struct store_stmt *write;

	if (store_sql_cached(&store->writer, &sql_put_edits, &write, err) < 0)
		return -1;
	store_sql_bind_i64(write, 1, changing->id);
	store_sql_bind_text(write, 2, tags);
	store_sql_bind_text(write, 3, changing->edits.notes);
	if (store_sql_finish(write, err) < 0 || put_paths(changing, err) < 0 ||
	    put_leaves(changing, err) < 0)
		return -1;
	return touch(store, changing->id, false, err);
}

typedef int changing_fn(struct changing *changing, const json_t *change,
			enum store_change_answer *ret, struct pl_err *err);

/* Runs in one transaction, which is rolled back for any answer other than OK. */
static int change_row(struct changing *changing, changing_fn *change_it, const json_t *change,
		      enum store_change_answer *ret, struct pl_err *err)
{
	struct store *store = changing->store;
	bool is_there = false;

	if (store_begin(store, err) < 0)
		return -1;
	int result = store_edits_read(&store->writer, changing->id, &changing->edits, &is_there,
				      err);
	*ret = is_there ? STORE_CHANGE_OK : STORE_CHANGE_NONE;
	if (result == 0 && is_there)
		result = change_it(changing, change, ret, err);
	store_edits_done(&changing->edits);
	json_decref(changing->document);
	if (result < 0 || *ret == STORE_CHANGE_OK)
		return store_end(store, result, err);
	store_undo(store);
	return 0;
}

static int change_edits(struct changing *changing, const json_t *change,
			enum store_change_answer *ret, struct pl_err *err)
{
	if (!changing->edits.is_deleted) {
		bool any = false;
		if (set_tags(changing, json_object_get(change, "tags"), &any, ret, err) < 0 ||
		    set_notes(changing, json_object_get(change, "notes"), &any, err) < 0)
			return -1;
		return any && *ret == STORE_CHANGE_OK ? write_edits(changing, err) : 0;
	}
	*ret = STORE_CHANGE_GONE;
	return 0;
}

int store_change(struct store *store, int64_t id, const json_t *change,
		 enum store_change_answer *ret, struct pl_err *err)
{
	/* as in an incoming document */
	auto_json json_t *shown = vllm_secret_json_shown(change);
	struct changing changing = { .store = store,
				     .id = id,
				     .author = json_string_value(
					     json_object_get(shown, "author")) };

	return change_row(&changing, change_edits, shown, ret, err);
}

static int set_deleted(struct changing *changing, enum store_change_kind kind, bool is_deleted,
		       struct pl_err *err)
{
	if (changing->edits.is_deleted == is_deleted)
		return 0;
	if (note(changing, kind, NULL, NULL, NULL, err) < 0 ||
	    touch(changing->store, changing->id, is_deleted, err) < 0)
		return -1;
	/* Updates the marks after the result was deleted or restored. */
	char key[65];
	if (store_duplicates_key_of(changing->store, changing->id, key, err) < 0)
		return -1;
	return store_duplicates_settle(changing->store, key, err);
}

static int delete_it(struct changing *changing, const json_t *change, enum store_change_answer *ret,
		     struct pl_err *err)
{
	(void)change;
	(void)ret;
	return set_deleted(changing, STORE_CHANGE_DELETED, true, err);
}

static int restore_it(struct changing *changing, const json_t *change,
		      enum store_change_answer *ret, struct pl_err *err)
{
	(void)change;
	(void)ret;
	return set_deleted(changing, STORE_CHANGE_RESTORED, false, err);
}

int store_delete(struct store *store, int64_t id, const char *author, enum store_change_answer *ret,
		 struct pl_err *err)
{
	struct changing changing = { .store = store, .id = id, .author = author };

	return change_row(&changing, delete_it, NULL, ret, err);
}

int store_restore(struct store *store, int64_t id, const char *author,
		  enum store_change_answer *ret, struct pl_err *err)
{
	struct changing changing = { .store = store, .id = id, .author = author };

	return change_row(&changing, restore_it, NULL, ret, err);
}

/* ---- reporting ----------------------------------------------------------------------------- */

static json_t *text_json(struct store_stmt *row, int at)
{
	return pl_json_text(store_sql_text(row, at));
}

static int list_changes(struct store *store, int64_t id, json_t *list, struct pl_err *err)
{
	auto_borrowed rows = NULL;
	int result;

	if (store_sql_cached(&store->reader, &sql_list_changes, &rows, err) < 0)
		return -1;
	store_sql_bind_i64(rows, 1, id);
	while ((result = store_sql_next(rows, err)) > 0) {
		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "changed_at",
					text_json(rows, 0), "author", text_json(rows, 1), "kind",
					text_json(rows, 2), "name", text_json(rows, 3), "from",
					text_json(rows, 4), "to", text_json(rows, 5)));
	}
	return result;
}

int store_changes_json(struct store *store, int64_t id, json_t **ret, struct pl_err *err)
{
	auto_json json_t *list = json_array();
	auto_edits edits = { .repeat = 1 };
	bool is_there = false;

	*ret = NULL;
	pthread_mutex_lock(&store->read_lock);
	int result = store_edits_read(&store->reader, id, &edits, &is_there, err);
	if (result == 0 && is_there)
		result = list_changes(store, id, list, err);
	pthread_mutex_unlock(&store->read_lock);
	if (result == 0 && is_there)
		*ret = json_pack("{s:O}", "changes", list);
	return result;
}

/* ---- pruning ------------------------------------------------------------------------------- */

struct ids {
	int64_t *items;
	size_t count;
	size_t room;
};

struct deleted {
	int64_t now_ns;
	int64_t older_than_ns; /* 0: all */
	struct store_held held;
};

static int list_deleted(struct store *store, const struct deleted *which, struct ids *ret,
			struct pl_err *err)
{
	char before[32], now[32];
	auto_borrowed list = NULL;
	int result;
	bool all = which->older_than_ns == 0;

	if (store_sql_cached(&store->writer, all ? &sql_list_all_deleted : &sql_list_deleted, &list,
			     err) < 0)
		return -1;
	pl_clock_rfc3339(which->now_ns - which->older_than_ns, before);
	pl_clock_rfc3339(which->now_ns, now);
	if (!all) {
		store_sql_bind_text(list, 1, before);
		store_sql_bind_text(list, 2, now);
	}
	while ((result = store_sql_next(list, err)) > 0) {
		/* one that changed later may have got a tag that is held */
		if (!store_held_has_id(&which->held, store_sql_i64(list, 0)) &&
		    store_sql_i64(list, 1) <= which->held.data_version)
			*PL_PUSH(ret->items, ret->count, ret->room) = store_sql_i64(list, 0);
	}
	return result;
}

static int prune(struct store *store, const struct deleted *which, struct ids *ids,
		 struct pl_err *err)
{
	struct store_stmt *note;
	int64_t version;

	if (store_held_check(store, &which->held, err) < 0 ||
	    list_deleted(store, which, ids, err) < 0)
		return -1;
	for (size_t i = 0; i < ids->count; i++) {
		/* No mark refers to a deleted result, so no marks change. */
		int64_t id = ids->items[i];
		struct store_stmt *prune;
		if (store_artifacts_forget(store, id, err) < 0 ||
		    store_sql_cached(&store->writer, &sql_prune, &prune, err) < 0)
			return -1;
		store_sql_bind_i64(prune, 1, id);
		if (store_sql_finish(prune, err) < 0)
			return -1;
	}
	if (ids->count == 0)
		return 0;
	if (store_field_index_forget(store, ids->items, ids->count, err) < 0)
		return -1;
	if (store_next_version(store, &version, err) < 0 || store_write_version(store, err) < 0 ||
	    store_sql_cached(&store->writer, &sql_note_pruned, &note, err) < 0)
		return -1;
	return store_sql_finish(note, err);
}

int store_prune(struct store *store, int64_t now_ns, int64_t older_than_ns, int64_t *ret_count,
		struct pl_err *err)
{
	struct deleted which = { .now_ns = now_ns, .older_than_ns = older_than_ns };
	struct ids ids = { 0 };

	if (store_held_read(store, &which.held, err) < 0)
		return -1;
	int result = store_begin(store, err);
	if (result == 0)
		result = store_end(store, prune(store, &which, &ids, err), err);
	*ret_count = (int64_t)ids.count;
	store_held_done(&which.held);
	free(ids.items);
	return result;
}
