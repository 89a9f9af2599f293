/* Compares an uploaded document with the stored one: the fields that differ. */
#include <string.h>

#include "dash/all_fields.h"
#include "dash/problem.h"
#include "dash/request.h"
#include "dash/upload/jobs.h"
#include "result/read.h"
#include "store/jobs/job.h"

#define DIFFERING_MAX 500

/* Two documents with all their fields. */
struct sides {
	const struct res_fields *fields;
	const json_t *there_document;
	const json_t *new_document;
	json_t *there;
	json_t *new;
	json_t *differing;
	json_int_t equal;
	json_int_t total;
};

static bool is_same(const json_t *one, const json_t *other)
{
	return json_equal(json_object_get(one, "state"), json_object_get(other, "state")) &&
	       json_equal(json_object_get(one, "value"), json_object_get(other, "value"));
}

static json_t *value_or_none(json_t *value)
{
	return value != NULL ? json_incref(value) : json_pack("{s:s}", "state", "not_recorded");
}

static json_t *pointer_of(const struct sides *sides, const char *id)
{
	json_t *pointer = dash_field_pointer(id, sides->new_document);

	if (!json_is_null(pointer))
		return pointer;
	return dash_field_pointer(id, sides->there_document);
}

static void compare(struct sides *sides, const char *id)
{
	json_t *there = json_object_get(sides->there, id), *new = json_object_get(sides->new, id);
	const struct res_field *field = res_fields_find(sides->fields, id);

	if (there == NULL && new == NULL)
		return;
	sides->total++;
	if (there != NULL && new != NULL && is_same(there, new)) {
		sides->equal++;
		return;
	}
	if (json_array_size(sides->differing) >= DIFFERING_MAX)
		return;
	json_array_append_new(sides->differing,
			      json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "field", id, "label",
					field != NULL ? field->label : id, "unit",
					field != NULL ? field->unit : "", "stored",
					value_or_none(there), "uploaded", value_or_none(new),
					"pointer", pointer_of(sides, id)));
}

/* Compares the listed fields in order, followed by the others. */
static void compare_all(struct sides *sides)
{
	for (size_t i = 0; i < res_fields_count(sides->fields); i++)
		compare(sides, res_fields_at(sides->fields, i)->id);
	PL_JSON_EACH_MEMBER(there_id, there, sides->there) {
		if (res_fields_find(sides->fields, there_id) == NULL)
			compare(sides, there_id);
	}
	PL_JSON_EACH_MEMBER(new_id, new, sides->new) {
		if (res_fields_find(sides->fields, new_id) == NULL &&
		    json_object_get(sides->there, new_id) == NULL)
			compare(sides, new_id);
	}
}

static json_t *diff_of(const struct res_fields *fields, const struct store_entry *entry,
		       json_t *new)
{
	struct sides sides = { .fields = fields,
			       .there_document = entry->document,
			       .new_document = new,
			       .there = dash_fields_of(fields, entry->document),
			       .new = dash_fields_of(fields, new),
			       .differing = json_array() };

	compare_all(&sides);
	json_decref(sides.there);
	json_decref(sides.new);
	return json_pack("{s:I, s:o, s:s, s:b, s:o, s:I, s:I}", "id", (json_int_t)entry->id,
			 "run_id", pl_json_text(entry->run_id), "sha256", entry->sha256, "deleted",
			 (int)entry->is_deleted, "differing", sides.differing, "equal", sides.equal,
			 "total", sides.total);
}

/* The document of a duplicate is the stored one. *ret NULL: nothing to compare. */
static int read_new(const struct dash_context *context, const struct store_job_rival *rival,
		    const struct store_entry *entry, json_t **ret, struct pl_err *err)
{
	*ret = NULL;
	if (rival->bytes != NULL)
		return res_read_text(context->fields, rival->bytes, rival->len, "the uploaded file",
				     ret, err);
	if (strcmp(rival->state, store_item_state_name(STORE_ITEM_DUPLICATE)) == 0)
		*ret = json_incref(entry->document);
	return 0;
}

static int make_diff(const struct dash_context *context, int64_t job, int64_t item, json_t **ret,
		     struct pl_err *err)
{
	auto_job_rival rival = { .found = false };
	auto_store_entry entry = { .id = 0 };
	auto_json json_t *new = NULL;

	if (store_job_rival(context->store, job, item, &rival, err) < 0)
		return -1;
	if (!rival.found || rival.id == 0)
		return 0;
	if (store_get(context->store, rival.id, &entry, err) < 0)
		return -1;
	if (entry.id == 0)
		return 0;
	if (read_new(context, &rival, &entry, &new, err) < 0)
		return -1;
	if (new != NULL)
		*ret = diff_of(context->fields, &entry, new);
	return 0;
}

void dash_diff_item(const struct dash_request *request, struct dash_answer *answer)
{
	const char *job_word = request->words[0], *item_word = request->words[1];
	struct pl_err err = PL_ERR_INIT;
	json_t *diff = NULL;
	int64_t job = dash_job_id(job_word), item = dash_job_id(item_word);
	bool is_item = item > 0 || strcmp(item_word, "0") == 0;

	if (job > 0 && is_item && make_diff(request->context, job, item, &diff, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (diff == NULL)
		dash_refuse(answer, 404,
			    "upload '%s': cannot compare item '%s': the uploaded or the stored "
			    "result is no longer available",
			    job_word, item_word);
	else
		dash_answer_json(answer, 200, diff);
}
