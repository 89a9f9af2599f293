/* One result: its metadata, its document, all its fields; and the edits of users. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "dash/all_fields.h"
#include "dash/problem.h"
#include "dash/records/records.h"
#include "dash/request.h"
#include "result/report.h"
#include "store/analysis/prices.h"
#include "store/change.h"

/* A document's names of metrics and checks may be of any length. */
#define SENTENCE_BYTES_MAX (1u << 20)

/*
 * Overwrites *ret. Returns false if there is none, or it is unreadable; the response is set then. Also finds deleted
 * results.
 */
static bool find_any(const struct dash_request *request, struct store_entry *ret,
		     struct dash_answer *answer)
{
	struct store *store = request->context->store;
	const char *word = request->words[0];
	struct pl_err err = PL_ERR_INIT;
	int64_t id = 0;

	*ret = (struct store_entry){ 0 };
	bool is_number = strspn(word, "0123456789") == strlen(word) && pl_text_to_i64(word, &id);
	/* a number that is not the id of a row may be a run_id */
	if ((is_number && id > 0 && store_get(store, id, ret, &err) < 0) ||
	    (ret->id == 0 && store_find(store, word, &id, &err) < 0) ||
	    (ret->id == 0 && id > 0 && store_get(store, id, ret, &err) < 0)) {
		dash_refuse_stored(answer, &err);
		return false;
	}
	if (ret->id > 0)
		return true;
	dash_refuse(answer, 404, "experiment '%s' does not exist", word);
	return false;
}

bool dash_find_experiment(const struct dash_request *request, struct store_entry *ret,
			  struct dash_answer *answer)
{
	if (!find_any(request, ret, answer))
		return false;
	if (!ret->is_deleted)
		return true;
	dash_refuse(
		answer, 410,
		"experiment '%s' was deleted; POST /api/data/experiments/%lld/restore restores it",
		request->words[0], (long long)ret->id);
	store_entry_done(ret);
	return false;
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Returns the three sentences that a run prints below its verdict. */
static json_t *sentences_of(const json_t *document)
{
	auto_buf sentences = PL_BUF(SENTENCE_BYTES_MAX);

	res_report_sentences(document, &sentences);
	return pl_json_text(pl_buf_text(&sentences));
}

static json_t *fields_json(const struct dash_context *context, const struct store_entry *entry)
{
	json_t *all = dash_fields_of(context->fields, entry->fields_of);
	auto_json json_t *prices = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (store_prices_get(context->store, &prices, &err) < 0)
		pl_log(PL_LOG_WARNING, "prices: %s", err.text);
	dash_fields_add_priced(context->fields, prices, all);
	return all;
}

static json_t *entry_json(const struct dash_context *context, const struct store_entry *entry)
{
	const json_t *simulated = pl_json_get_path(entry->document, "environment.engine.simulated");
	const json_t *verdict = pl_json_get_path(entry->document, "quality.verdict");
	json_t *tags = json_object_get(entry->fields_of, "tags");

	return json_pack(
		"{s:I, s:o, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:O, s:o, s:o, s:o, s:I, s:b}", "id",
		(json_int_t)entry->id, "run_id", pl_json_text(entry->run_id), "form",
		store_form_name(entry->form), "name", pl_json_text(entry->name), "stored_at",
		entry->stored_at, "sha256", entry->sha256, "simulated",
		json_is_boolean(simulated) ? json_incref((json_t *)simulated) : json_null(),
		"verdict", json_is_string(verdict) ? json_incref((json_t *)verdict) : json_null(),
		"verdict_sentence", sentences_of(entry->document), "document", entry->document,
		"fields", fields_json(context, entry), "tags",
		json_is_object(tags) ? json_incref(tags) : json_object(), "notes",
		pl_json_text(entry->edit_notes), "repeat", (json_int_t)entry->repeat,
		"has_request_lists", dash_records_has_lists(entry->bytes, entry->len));
}

void dash_get_experiment(const struct dash_request *request, struct dash_answer *answer)
{
	auto_store_entry entry;

	if (dash_find_experiment(request, &entry, answer))
		dash_answer_json(answer, 200, entry_json(request->context, &entry));
}

void dash_get_experiment_raw(const struct dash_request *request, struct dash_answer *answer)
{
	auto_store_entry entry;

	if (!dash_find_experiment(request, &entry, answer))
		return;
	answer->status = 200;
	auto_free char *otherwise = pl_asprintf("experiment-%lld.json", (long long)entry.id);
	bool has_name = entry.name != NULL && entry.name[0] != '\0' &&
			!pl_text_ends(entry.name, "/");
	answer->disposition = dash_disposition(has_name ? entry.name : otherwise);
	dash_answer_bytes(answer, "application/octet-stream", pl_take(entry.bytes), entry.len);
}

/* ---- changing ------------------------------------------------------------------------------ */

static const char *author_of(const json_t *text)
{
	return json_string_value(json_object_get(text, "author"));
}

/* Returns true if the change was made. */
static bool is_done(const struct dash_request *request, int rc, enum store_change_answer came,
		    const struct pl_err *err, struct dash_answer *answer)
{
	if (rc < 0)
		dash_refuse_stored(answer, err);
	else if (came == STORE_CHANGE_NONE)
		dash_refuse(answer, 404, "experiment '%s' does not exist", request->words[0]);
	else if (came == STORE_CHANGE_GONE)
		dash_refuse(answer, 410, "experiment '%s' was deleted", request->words[0]);
	else if (came == STORE_CHANGE_FULL)
		dash_refuse(answer, 422, "/tags: found too many, expected at most %d",
			    STORE_TAGS_MAX);
	return rc == 0 && came == STORE_CHANGE_OK;
}

/* Responds with the current state. */
static void report_repeat(const struct dash_request *request, int64_t id,
			  struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	auto_store_entry entry = { .id = 0 };

	if (store_get(request->context->store, id, &entry, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (entry.id == 0)
		dash_refuse(answer, 404, "experiment '%s' does not exist", request->words[0]);
	else
		dash_answer_json(answer, 200, entry_json(request->context, &entry));
}

void dash_change_experiment(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_change_answer came = STORE_CHANGE_OK;
	struct pl_err err = PL_ERR_INIT;
	auto_store_entry entry = { .id = 0 };

	if (!dash_find_experiment(request, &entry, answer))
		return;
	int rc = store_change(request->context->store, entry.id, request->body, &came, &err);
	if (is_done(request, rc, came, &err, answer))
		report_repeat(request, entry.id, answer);
}

void dash_delete_experiment(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_change_answer came = STORE_CHANGE_OK;
	struct pl_err err = PL_ERR_INIT;
	auto_store_entry entry = { .id = 0 };

	if (!find_any(request, &entry, answer))
		return;
	int rc = store_delete(request->context->store, entry.id, author_of(request->query), &came,
			      &err);
	if (is_done(request, rc, came, &err, answer))
		answer->status = 204;
}

void dash_restore_experiment(const struct dash_request *request, struct dash_answer *answer)
{
	enum store_change_answer came = STORE_CHANGE_OK;
	struct pl_err err = PL_ERR_INIT;
	auto_store_entry entry = { .id = 0 };

	if (!find_any(request, &entry, answer))
		return;
	int rc = store_restore(request->context->store, entry.id, author_of(request->query), &came,
			       &err);
	if (is_done(request, rc, came, &err, answer))
		report_repeat(request, entry.id, answer);
}

void dash_list_changes(const struct dash_request *request, struct dash_answer *answer)
{
	struct pl_err err = PL_ERR_INIT;
	auto_store_entry entry = { .id = 0 };
	json_t *changes = NULL;

	if (!find_any(request, &entry, answer))
		return;
	if (store_changes_json(request->context->store, entry.id, &changes, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (changes == NULL)
		dash_refuse(answer, 404, "experiment '%s' does not exist", request->words[0]);
	else
		dash_answer_json(answer, 200, changes);
}
