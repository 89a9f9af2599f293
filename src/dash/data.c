/* One result: what it is, its document, every field that it records. */
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "result/report.h"
#include "store/store.h"

/* Keys within keys of a document that are looked through for fields without a row. */
#define DEPTH_MAX    16
#define ID_BYTES_MAX 4096
/* Names of figures and checks are what a document has. */
#define SENTENCE_BYTES_MAX (1u << 20)

/* Parts of a document whose fields are called otherwise (result/fields/fields.h). */
static const struct {
	const char *place;
	const char *id;
} renamed[] = {
	{ "config.server", "server" },
	{ "config.benchmark", "benchmark" },
	{ "config.experiment", "experiment" },
};

/* *ret is overwritten. False: there is none, or it cannot be read; answered. */
static bool find(const struct dash_request *request, struct store_entry *ret,
		 struct dash_answer *answer)
{
	struct store *store = request->context->store;
	const char *word = request->words[0];
	struct pl_err err = PL_ERR_INIT;
	int64_t id = 0;

	*ret = (struct store_entry){ 0 };
	bool is_number = strspn(word, "0123456789") == strlen(word) && pl_text_to_i64(word, &id);
	/* a number without a row may be a run_id all the same */
	if ((is_number && id > 0 && store_get(store, id, ret, &err) < 0) ||
	    (ret->id == 0 && store_find(store, word, &id, &err) < 0) ||
	    (ret->id == 0 && id > 0 && store_get(store, id, ret, &err) < 0)) {
		dash_refuse_stored(answer, &err);
		return false;
	}
	if (ret->id > 0)
		return true;
	dash_refuse(answer, 404, "there is no experiment '%s'", word);
	return false;
}

/* ---- fields -------------------------------------------------------------------------------- */

static void add_field(const struct res_fields *fields, const struct res_field *field,
		      const json_t *document, json_t *into)
{
	auto_value value;

	res_field_value(fields, field, document, &value);
	if (value.state != RES_VALUE_NOT_RECORDED)
		json_object_set_new(into, field->id, res_value_to_json(&value));
}

/*
 * What stands at a place has a field by its id alone: a percentile that is no row, a tag, a key inside
 * of a JSON argument, an argument that is newer than this program.
 */
static void add_unlisted(const struct res_fields *fields, const char *id, const json_t *document,
			 json_t *into)
{
	struct res_field field;

	if (json_object_get(into, id) != NULL || res_fields_find(fields, id) != NULL)
		return;
	if (res_fields_resolve(fields, id, &field, NULL) < 0) {
		bool is_argument = pl_text_starts(id, "server.") ||
				   pl_text_starts(id, "benchmark.");
		if (!is_argument)
			return;
		res_field_unlisted(id, &field);
	}
	add_field(fields, &field, document, into);
}

static const char *renamed_of(const char *place)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(renamed); i++) {
		if (strcmp(renamed[i].place, place) == 0)
			return renamed[i].id;
	}
	return place;
}

static void walk(const struct res_fields *fields, const json_t *object, const char *place,
		 const json_t *document, json_t *into, unsigned depth)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		auto_buf id = PL_BUF(ID_BYTES_MAX);
		if (!pl_buf_addf(&id, "%s%s%s", place, place[0] != '\0' ? "." : "", key))
			continue;
		const char *name = renamed_of(pl_buf_text(&id));
		if (place[0] != '\0')
			add_unlisted(fields, name, document, into);
		if (json_is_object(value) && depth < DEPTH_MAX)
			walk(fields, value, name, document, into, depth + 1);
	}
}

static json_t *fields_of(const struct res_fields *fields, const json_t *document)
{
	json_t *all = json_object();

	for (size_t i = 0; i < res_fields_count(fields); i++)
		add_field(fields, res_fields_at(fields, i), document, all);
	walk(fields, document, "", document, all, 0);
	return all;
}

/* ---- answers ------------------------------------------------------------------------------- */

/* What a run ends with below its verdict. */
static json_t *sentence_of(const json_t *document)
{
	auto_buf sentence = PL_BUF(SENTENCE_BYTES_MAX);

	res_report_sentence(document, &sentence);
	return pl_json_text(sentence.len > 0 ? pl_buf_text(&sentence) : NULL);
}

void dash_get_experiment(const struct dash_request *request, struct dash_answer *answer)
{
	auto_store_entry entry;

	if (!find(request, &entry, answer))
		return;
	const json_t *simulated = pl_json_get_path(entry.document, "environment.engine.simulated");
	const json_t *verdict = pl_json_get_path(entry.document, "quality.verdict");

	dash_answer_json(
		answer, 200,
		json_pack("{s:I, s:o, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:O, s:o}", "id",
			  (json_int_t)entry.id, "run_id", pl_json_text(entry.run_id), "form",
			  store_form_name(entry.form), "name", pl_json_text(entry.name),
			  "stored_at", entry.stored_at, "sha256", entry.sha256, "simulated",
			  json_is_boolean(simulated) ? json_incref((json_t *)simulated)
						     : json_null(),
			  "verdict",
			  json_is_string(verdict) ? json_incref((json_t *)verdict) : json_null(),
			  "verdict_sentence",
			  json_is_string(verdict) ? sentence_of(entry.document) : json_null(),
			  "document", entry.document, "fields",
			  fields_of(request->context->fields, entry.document)));
}

/* RFC 6266: a name that every client reads, and the name itself. */
static char *disposition_of(const char *name, int64_t id)
{
	auto_buf value = PL_BUF(16384);
	const char *slash = name != NULL ? strrchr(name, '/') : NULL;
	auto_free char *fallback = pl_asprintf("experiment-%lld.json", (long long)id);

	if (slash != NULL)
		name = slash + 1;
	if (name == NULL || name[0] == '\0')
		name = fallback;
	pl_buf_add_text(&value, "attachment; filename=\"");
	for (const char *c = name; *c != '\0'; c++)
		pl_buf_add_char(&value,
				*c >= ' ' && *c <= '~' && strchr("\"\\%", *c) == NULL ? *c : '_');
	pl_buf_add_text(&value, "\"; filename*=UTF-8''");
	for (const char *c = name; *c != '\0'; c++) {
		bool is_plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
				(*c >= 'a' && *c <= 'z') || strchr("-._", *c) != NULL;
		pl_buf_addf(&value, is_plain ? "%c" : "%%%02X", (unsigned char)*c);
	}
	return pl_buf_take(&value);
}

void dash_get_experiment_raw(const struct dash_request *request, struct dash_answer *answer)
{
	auto_store_entry entry;

	if (!find(request, &entry, answer))
		return;
	answer->status = 200;
	answer->disposition = disposition_of(entry.name, entry.id);
	dash_answer_bytes(answer, "application/octet-stream", pl_take(entry.bytes), entry.len);
}
