/*
 * Stores results, and finds duplicates and conflicts. A put does not change the columns in memory (memory.c): they are
 * read from the database, so they never contain a row that is not on disk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/fields/values.h"
#include "result/read.h"
#include "store/documents/dictionary.h"
#include "store/field_index/index.h"
#include "store/possible_duplicates.h"
#include "store/store_priv.h"

/* a deleted row only if there is no other */
static STORE_STATEMENT(
	sql_find_content,
	"SELECT id, deleted, content_sha256, upload FROM benchmark_runs WHERE content_sha256 = ?1"
	" ORDER BY deleted, repeat LIMIT 1");
static STORE_STATEMENT(
	sql_find_run_id_all,
	"SELECT id, deleted, content_sha256, upload FROM benchmark_runs WHERE run_id = ?1"
	" ORDER BY deleted, repeat LIMIT 1");
/* the rule of store/possible_duplicates.h between the stored rows and a candidate */
static STORE_STATEMENT(
	sql_find_duplicates,
	"SELECT id FROM benchmark_runs WHERE near_key = ?1 AND id <> ?2 AND deleted = 0"
	" AND (form <> ?4 OR near_inputs IS NULL OR CAST(?5 AS TEXT) IS NULL OR near_inputs = ?5)"
	" ORDER BY id LIMIT ?3");
static STORE_STATEMENT(
	sql_set_upload,
	"UPDATE benchmark_runs"
	" SET upload = ?2, \"stored.upload\" = CAST(?2 AS BIGINT), changed = ?3 WHERE id = ?1");
static STORE_STATEMENT(
	sql_last_repeat,
	"SELECT max(repeat) FROM benchmark_runs WHERE content_sha256 = ?1 OR run_id = ?2");

static STORE_STATEMENT(sql_add_document,
		       "INSERT INTO benchmark_documents (id, bytes, notes) VALUES (?1, ?2, ?3)");
static STORE_STATEMENT(sql_replace_document,
		       "UPDATE benchmark_documents SET bytes = ?2, notes = ?3 WHERE id = ?1");

static const char *const outcome_names[] = {
#define STORE_OUTCOME(NAME, name, text) #name,
#include "tbl/store_words.h"
};

const char *store_outcome_name(enum store_outcome outcome)
{
	return outcome_names[outcome];
}

/* ---- prepared ------------------------------------------------------------------------------ */

/* Returns the ids of the fields that the user set, as a JSON array; free(). */
static char *explicit_fields_of(const struct store *store, const struct mirror_row *row)
{
	auto_json json_t *ids = json_array();

	for (size_t i = 0; i < store->columns.count; i++) {
		if (row->cells[i].is_explicit)
			json_array_append_new(ids, json_string(store->columns.items[i]->id));
	}
	return pl_json_to_text(ids, PL_JSON_COMPACT);
}

/*
 * Returns the row's derived.input_key, which distinguishes results of the same key (store/possible_duplicates.h); NULL:
 * none.
 */
static const char *duplicate_inputs(const struct store *store, const struct mirror_row *row)
{
	size_t at = store_column_find(&store->columns, "derived.input_key");

	return at != SIZE_MAX && row->cells[at].state == RES_VALUE_PRESENT ? row->cells[at].text
									   : NULL;
}

static void prepare_leaves(const struct store *store, const struct res_values *values,
			   struct store_prepared *prepared)
{
	const struct store_edits none = { .repeat = 1 };

	prepared->leaves = store_field_index_row(store, values, &prepared->leaves_len);
	/* `stored` of a document is not data of this store */
	if (json_object_get(res_values_document(values), "stored") == NULL)
		return;
	auto_free void *leaves = prepared->leaves;
	prepared->leaves = store_field_index_edited(store, leaves, prepared->leaves_len,
						    prepared->tags, &none, &prepared->leaves_len);
}

struct store_prepared *store_prepare(struct store *store, const struct store_document *document,
				     const char *name)
{
	struct store_prepared *prepared = pl_alloc(sizeof(*prepared));

	store_document_set_name(document->json, name);
	auto_values struct res_values *values = res_values_new(store->fields, document->json);
	/* first: what is known of the database may change meanwhile */
	prepared->generation = atomic_load(&store->generation);
	prepared->document = document;
	prepared->name = name;
	mirror_row_of_values(values, &prepared->row);
	prepared->packed = store_document_pack(store->dictionaries, document, &prepared->packed_len,
					       &prepared->is_dictionary);
	prepared->explicit_fields = explicit_fields_of(store, &prepared->row);
	prepared->notes = pl_json_to_text(document->notes, PL_JSON_COMPACT);
	store_path_index_of(store, document->json, &prepared->paths);
	prepared->tags = json_incref(json_object_get(document->json, "tags"));
	prepare_leaves(store, values, prepared);
	store_duplicates_key(values, prepared->duplicate_key);
	prepared->duplicate_inputs = duplicate_inputs(store, &prepared->row);
	return prepared;
}

void store_prepared_free(struct store_prepared *prepared)
{
	if (prepared == NULL)
		return;
	mirror_row_done(&prepared->row);
	free(prepared->packed);
	free(prepared->explicit_fields);
	free(prepared->notes);
	free(prepared->leaves);
	json_decref(prepared->tags);
	store_path_index_done(&prepared->paths);
	free(prepared);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* In the order of bind_row(). */
static const char *const fixed_names[] = {
	"run_id",   "content_sha256",  "form",    "name", "stored_at",   "changed", "repeat",
	"near_key", "explicit_fields", "deleted", "near", "near_inputs", "upload"
};
static const struct store_runs_fixed fixed = { fixed_names, PL_ARRAY_SIZE(fixed_names) };

/* Preparing a statement for all columns takes long enough to wait for the first result that needs it. */
static int prepare_add(struct store *store, struct pl_err *err)
{
	auto_free char *text = store_runs_add_text(&store->writer, &fixed, &store->columns);

	return store_sql_prepare(&store->writer, text, &store->add_row, err);
}

static int prepare_replace(struct store *store, struct pl_err *err)
{
	auto_free char *text = store_runs_replace_text(&store->writer, &fixed, &store->columns);

	return store_sql_prepare(&store->writer, text, &store->replace_row, err);
}

/* The destination of a row. */
struct row_target {
	int64_t id; /* row to replace; 0: a new row */
	struct store_edits edits;
};

static void bind_row(struct store_stmt *statement, const struct store_prepared *prepared,
		     const struct row_target *target, int64_t version, const char *now)
{
	const struct store_document *document = prepared->document;

	store_sql_bind_text(statement, 1, document->run_id);
	store_sql_bind_text(statement, 2, document->sha256);
	store_sql_bind_text(statement, 3, store_form_name(document->form));
	store_sql_bind_text(statement, 4, prepared->name);
	store_sql_bind_text(statement, 5, now);
	store_sql_bind_i64(statement, 6, version);
	store_sql_bind_i64(statement, 7, target->edits.repeat);
	store_sql_bind_text(statement, 8,
			    prepared->duplicate_key[0] != '\0' ? prepared->duplicate_key : NULL);
	store_sql_bind_text(statement, 9, prepared->explicit_fields);
	store_sql_bind_i64(statement, 10, 0);
	store_sql_bind_i64(statement, 11, target->edits.possible_duplicate);
	store_sql_bind_text(statement, 12, prepared->duplicate_inputs);
	store_sql_bind_i64(statement, 13, target->edits.upload);
	if (target->id > 0)
		store_sql_bind_i64(statement, (int)fixed.count + 1, target->id);
}

static int write_row(struct store *store, const struct store_prepared *prepared,
		     const struct row_target *target, int64_t *ret_id, struct pl_err *err)
{
	int64_t version;
	char now[32];

	store_now(now);
	store_results_change(store);
	if (target->id > 0 && store->replace_row == NULL && prepare_replace(store, err) < 0)
		return -1;
	if (target->id == 0 && store->add_row == NULL && prepare_add(store, err) < 0)
		return -1;
	if (store_next_version(store, &version, err) < 0)
		return -1;
	struct store_stmt *statement = target->id > 0 ? store->replace_row : store->add_row;
	auto_free struct mirror_cell *cells = pl_alloc_array(store->columns.count, sizeof(*cells));
	memcpy(cells, prepared->row.cells, store->columns.count * sizeof(*cells));
	store_stored_cells(store, &target->edits, cells);
	bind_row(statement, prepared, target, version, now);
	store_runs_bind(statement, (int)fixed.count + (target->id > 0 ? 2 : 1), &store->columns,
			cells);
	int result = target->id > 0 ? store_sql_finish(statement, err)
				    : store_sql_number(statement, ret_id, err);
	/* release the pointers to the row */
	store_sql_clear(statement);
	return result;
}

static int write_document(struct store *store, const struct store_statement *which,
			  const struct store_prepared *prepared, int64_t id, struct pl_err *err)
{
	struct store_stmt *write;

	if (store_sql_cached(&store->writer, which, &write, err) < 0)
		return -1;
	store_sql_bind_i64(write, 1, id);
	store_sql_bind_bytes(write, 2, prepared->packed, prepared->packed_len);
	store_sql_bind_text(write, 3, prepared->notes);
	if (store_sql_finish_later(write, err) < 0)
		return -1;
	return prepared->is_dictionary ? store_dictionary_offer(store, prepared->document, id, err)
				       : 0;
}

/* ---- stored rows with the same content or run ------------------------------------------------ */

/* The existing row with the same content or run_id; id 0: none. */
struct rival {
	int64_t id;
	bool is_same; /* the content is the same */
	bool is_deleted;
	char sha256[65];
	int64_t upload; /* as of struct store_edits */
};

/* Queries that a put may need, sent together. */
struct lookups {
	struct store_stmt *content;
	struct store_stmt *run_id;              /* NULL: it has none */
	struct store_stmt *possible_duplicates; /* NULL: it has no key */
};

static void lookups_done(struct lookups *lookups)
{
	struct store_stmt *const statements[] = { lookups->content, lookups->run_id,
						  lookups->possible_duplicates };

	for (size_t i = 0; i < PL_ARRAY_SIZE(statements); i++) {
		if (statements[i] != NULL)
			store_sql_reset(statements[i]);
	}
}
#define auto_lookups __attribute__((cleanup(lookups_done), unused)) struct lookups

static int ask_text(struct store *store, const struct store_statement *which, const char *text,
		    struct store_stmt **ret, struct pl_err *err)
{
	if (store_sql_cached(&store->writer, which, ret, err) < 0)
		return -1;
	store_sql_bind_text(*ret, 1, text);
	return store_sql_ask(*ret, err);
}

/* `own`: the row to ignore. */
static int ask_duplicates(struct store *store, const struct store_prepared *prepared,
			  int64_t except, struct store_stmt **ret, struct pl_err *err)
{
	if (prepared->duplicate_key[0] == '\0')
		return 0;
	if (store_sql_cached(&store->writer, &sql_find_duplicates, ret, err) < 0)
		return -1;
	store_sql_bind_text(*ret, 1, prepared->duplicate_key);
	store_sql_bind_i64(*ret, 2, except);
	store_sql_bind_i64(*ret, 3, STORE_POSSIBLE_DUPLICATES_MAX);
	store_sql_bind_text(*ret, 4, store_form_name(prepared->document->form));
	store_sql_bind_text(*ret, 5, prepared->duplicate_inputs);
	return store_sql_ask(*ret, err);
}

static int read_rival(struct store_stmt *find, struct rival *ret, struct pl_err *err)
{
	bool is_row = false;

	if (store_sql_step(find, &is_row, err) < 0)
		return -1;
	if (!is_row)
		return 0;
	ret->id = store_sql_i64(find, 0);
	ret->is_deleted = store_sql_i64(find, 1) != 0;
	snprintf(ret->sha256, sizeof(ret->sha256), "%s", store_sql_text(find, 2));
	ret->upload = store_sql_i64(find, 3);
	return 0;
}

static int find_rival(const struct lookups *lookups, struct rival *ret, struct pl_err *err)
{
	*ret = (struct rival){ .id = 0 };
	if (read_rival(lookups->content, ret, err) < 0)
		return -1;
	ret->is_same = ret->id > 0;
	if (ret->id > 0 || lookups->run_id == NULL)
		return 0;
	return read_rival(lookups->run_id, ret, err);
}

static int read_subject(struct store_stmt *find, struct store_put_result *ret, struct pl_err *err)
{
	bool is_row = find != NULL;

	while (is_row) {
		if (store_sql_step(find, &is_row, err) < 0)
			return -1;
		if (is_row)
			ret->possible_duplicates[ret->possible_duplicate_count++] = store_sql_i64(
				find, 0);
	}
	return 0;
}

/* Returns the last repeat number of that content or run_id plus 1. */
static int next_repeat(struct store *store, const struct store_document *document, int64_t *ret,
		       struct pl_err *err)
{
	struct store_stmt *last;

	if (store_sql_cached(&store->writer, &sql_last_repeat, &last, err) < 0)
		return -1;
	store_sql_bind_text(last, 1, document->sha256);
	store_sql_bind_text(last, 2, document->run_id != NULL ? document->run_id : "");
	if (store_sql_number(last, ret, err) < 0)
		return -1;
	(*ret)++;
	return 0;
}

/* ---- a put --------------------------------------------------------------------------------- */

static int add(struct store *store, const struct store_prepared *prepared, struct row_target target,
	       struct store_stmt *possible_duplicates, struct store_put_result *ret,
	       struct pl_err *err)
{

	ret->outcome = STORE_STORED;
	if (read_subject(possible_duplicates, ret, err) < 0)
		return -1;
	target.edits.possible_duplicate = ret->possible_duplicate_count > 0
						  ? ret->possible_duplicates[0]
						  : 0;
	if (write_row(store, prepared, &target, &ret->id, err) < 0 ||
	    write_document(store, &sql_add_document, prepared, ret->id, err) < 0 ||
	    store_field_index_put(store, ret->id, prepared->leaves, prepared->leaves_len, err) < 0)
		return -1;
	return store_path_index_put(store, &prepared->paths, err);
}

static int replace_leaves(struct store *store, const struct store_prepared *prepared, int64_t id,
			  const struct store_edits *edits, struct pl_err *err)
{
	size_t len;

	if (edits->tags == NULL && edits->notes == NULL)
		return store_field_index_put(store, id, prepared->leaves, prepared->leaves_len,
					     err);
	auto_free void *leaves = store_field_index_edited(
		store, prepared->leaves, prepared->leaves_len, prepared->tags, edits, &len);
	return store_field_index_put(store, id, leaves, len, err);
}

/* Keeps the edits of users and the repeat number. */
static int replace_row(struct store *store, const struct store_prepared *prepared,
		       const struct rival *rival, int64_t upload, struct row_target *target,
		       struct store_put_result *ret, struct pl_err *err)
{
	struct store_stmt *possible_duplicates = NULL;
	int64_t id;
	bool is_there;

	if (store_edits_read(&store->writer, rival->id, &target->edits, &is_there, err) < 0 ||
	    ask_duplicates(store, prepared, rival->id, &possible_duplicates, err) < 0 ||
	    read_subject(possible_duplicates, ret, err) < 0)
		return -1;
	/* only an older result can be the mark of a younger one */
	target->edits.possible_duplicate = ret->possible_duplicate_count > 0 &&
							   ret->possible_duplicates[0] < rival->id
						   ? ret->possible_duplicates[0]
						   : 0;
	if (upload > 0)
		target->edits.upload = upload;
	if (write_row(store, prepared, target, &id, err) < 0)
		return -1;
	return replace_leaves(store, prepared, rival->id, &target->edits, err);
}

/* Marks again the duplicates of the run that the row had, and of the run that it has now. */
static int settle_duplicates(struct store *store, const char *key_before, const char *key,
			     struct pl_err *err)
{
	if (store_duplicates_settle(store, key_before, err) < 0)
		return -1;
	return strcmp(key_before, key) == 0 ? 0 : store_duplicates_settle(store, key, err);
}

static int replace(struct store *store, const struct store_prepared *prepared,
		   const struct rival *rival, const struct store_choice *choice,
		   struct store_put_result *ret, struct pl_err *err)
{
	const struct store_change change = {
		.author = choice->author,
		.kind = rival->is_same ? STORE_CHANGE_RESTORED : STORE_CHANGE_REPLACED,
		.from = rival->is_same ? NULL : rival->sha256,
		.to = rival->is_same ? NULL : prepared->document->sha256
	};
	struct row_target target = { .id = rival->id };
	char duplicates_before[65];

	ret->outcome = STORE_STORED;
	ret->id = rival->id;
	if (store_duplicates_key_of(store, rival->id, duplicates_before, err) < 0)
		return -1;
	int result = replace_row(store, prepared, rival, choice->upload, &target, ret, err);
	store_edits_done(&target.edits);
	if (result < 0 ||
	    write_document(store, &sql_replace_document, prepared, rival->id, err) < 0 ||
	    settle_duplicates(store, duplicates_before, prepared->duplicate_key, err) < 0 ||
	    store_change_note(store, rival->id, &change, err) < 0)
		return -1;
	return store_path_index_put(store, &prepared->paths, err);
}

static bool is_kept(const struct store_choice *choice, const struct rival *rival)
{
	return choice->on_conflict == STORE_KEEP && !(choice->same_stays && rival->is_same);
}

/* Whether the new result replaces the rival: its content differs or it was deleted, and the user chose it. */
static bool is_replaced(const struct store_choice *choice, const struct rival *rival)
{
	return choice->on_conflict == STORE_REPLACE &&
	       (rival->is_deleted ? !choice->deleted_stays : !rival->is_same) &&
	       (choice->expected == NULL || strcmp(choice->expected, rival->sha256) == 0);
}

/* Adds a duplicate to the results of its upload. */
static int set_upload(struct store *store, const struct rival *rival, int64_t upload,
		      struct pl_err *err)
{
	struct store_stmt *set;
	int64_t version;

	if (upload == 0 || rival->upload == upload || rival->is_deleted)
		return 0;
	store_results_change(store);
	if (store_next_version(store, &version, err) < 0 ||
	    store_sql_cached(&store->writer, &sql_set_upload, &set, err) < 0)
		return -1;
	store_sql_bind_i64(set, 1, rival->id);
	store_sql_bind_i64(set, 2, upload);
	store_sql_bind_i64(set, 3, version);
	return store_sql_finish_later(set, err);
}

static int put(struct store *store, const struct store_prepared *prepared,
	       const struct store_choice *choice, struct store_put_result *ret, struct pl_err *err)
{
	struct store_put_result result = { .outcome = STORE_STORED };
	auto_lookups lookups = { .content = NULL };
	struct rival rival;
	int64_t repeat = 1;

	const struct store_document *document = prepared->document;
	if (ask_text(store, &sql_find_content, document->sha256, &lookups.content, err) < 0)
		return -1;
	if (document->run_id != NULL &&
	    ask_text(store, &sql_find_run_id_all, document->run_id, &lookups.run_id, err) < 0)
		return -1;
	if (ask_duplicates(store, prepared, 0, &lookups.possible_duplicates, err) < 0)
		return -1;
	if (find_rival(&lookups, &rival, err) < 0)
		return -1;
	result.id = rival.id;
	result.is_deleted = rival.is_deleted;
	if (rival.id == 0 || is_kept(choice, &rival)) {
		if (rival.id > 0 && next_repeat(store, prepared->document, &repeat, err) < 0)
			return -1;
		result.is_deleted = false;
		const struct row_target target = { .edits = { .repeat = repeat,
							      .upload = choice->upload } };
		if (add(store, prepared, target, lookups.possible_duplicates, &result, err) < 0)
			return -1;
	} else if (is_replaced(choice, &rival)) {
		result.is_deleted = false;
		if (replace(store, prepared, &rival, choice, &result, err) < 0)
			return -1;
	} else {
		result.outcome = rival.is_same ? STORE_DUPLICATE : STORE_CONFLICT;
		if (rival.is_same && set_upload(store, &rival, choice->upload, err) < 0)
			return -1;
	}
	*ret = result;
	return 0;
}

/* A document that was prepared for a former database may name a dictionary, or lack paths, of it. Prepares it again. */
static int put_again(struct store *store, const struct store_prepared *prepared,
		     const struct store_choice *choice, struct store_put_result *ret,
		     struct pl_err *err)
{
	struct store_document document = *prepared->document;
	auto_json json_t *json = NULL;

	/* the former one may have been freed */
	if (res_read_text(store->fields, document.bytes, document.len,
			  prepared->name != NULL ? prepared->name : "document", &json, err) < 0)
		return -1;
	document.json = json;
	auto_prepared struct store_prepared *again = store_prepare(store, &document,
								   prepared->name);
	return put(store, again, choice, ret, err);
}

int store_put_within(struct store *store, const struct store_prepared *prepared,
		     const struct store_choice *choice, struct store_put_result *ret,
		     struct pl_err *err)
{
	if (prepared->generation == atomic_load(&store->generation))
		return put(store, prepared, choice, ret, err);
	return put_again(store, prepared, choice, ret, err);
}

int store_put(struct store *store, const struct store_prepared *prepared,
	      struct store_put_result *ret, struct pl_err *err)
{
	return store_put_as(store, prepared, &(struct store_choice){ .on_conflict = STORE_SKIP },
			    ret, err);
}

int store_put_as(struct store *store, const struct store_prepared *prepared,
		 const struct store_choice *choice, struct store_put_result *ret,
		 struct pl_err *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_end(store, store_put_within(store, prepared, choice, ret, err), err);
}

/* ---- rebuilding ---------------------------------------------------------------------------- */

static const char *const refilled_names[] = { "changed", "explicit_fields", "near_key",
					      "near_inputs", "form" };
static const struct store_runs_fixed refilled = { refilled_names, PL_ARRAY_SIZE(refilled_names) };

char *store_refill_text(const struct store *store)
{
	return store_runs_replace_text(&store->writer, &refilled, &store->columns);
}

int store_refill(struct store *store, struct store_stmt *replace, int64_t id,
		 const json_t *document, struct pl_err *err)
{
	auto_edits edits = { .repeat = 1 };
	auto_row row = { .id = 0 };
	auto_values struct res_values *values = res_values_new(store->fields, document);
	int64_t version = 0;
	bool is_there;
	char duplicate_key[65];

	mirror_row_of_values(values, &row);
	auto_free char *explicit_fields = explicit_fields_of(store, &row);
	store_results_change(store);
	store_duplicates_key(values, duplicate_key);
	if (store_next_version(store, &version, err) < 0 ||
	    store_edits_read(&store->writer, id, &edits, &is_there, err) < 0)
		return -1;
	store_stored_cells(store, &edits, row.cells);
	store_sql_bind_i64(replace, 1, version);
	store_sql_bind_text(replace, 2, explicit_fields);
	store_sql_bind_text(replace, 3, duplicate_key[0] != '\0' ? duplicate_key : NULL);
	store_sql_bind_text(replace, 4, duplicate_inputs(store, &row));
	store_sql_bind_text(replace, 5, store_form_name(store_form_of(document)));
	store_sql_bind_i64(replace, 6, id);
	store_runs_bind(replace, 7, &store->columns, row.cells);
	int result = store_sql_finish(replace, err);
	store_sql_clear(replace);
	if (result < 0)
		return -1;
	auto_json json_t *edited = store_edits_over(&edits, (json_t *)document);
	return store_field_index_put_document(store, id, edited, err);
}
