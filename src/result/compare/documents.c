#include "result/compare/documents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "result/files.h"
#include "result/read.h"

#define ID_BYTES 512

void res_compare_documents_done(struct res_compare_documents *documents)
{
	for (size_t i = 0; i < documents->count; i++)
		json_decref(documents->items[i]);
	free(documents->items);
	json_decref(documents->side.about);
	*documents = (struct res_compare_documents){ 0 };
}

void res_compare_documents_add(struct res_compare_documents *documents, json_t *document)
{
	*PL_PUSH(documents->items, documents->count, documents->room) = document;
	documents->side.runs = documents->count;
}

/* Splits "SWEEP#ID" unless a file has that name. Returns the id, NULL: the path has none. *ret_folder: free() */
static const char *split_combination(const char *path, char **ret_folder)
{
	const char *mark = strrchr(path, '#');

	*ret_folder = mark != NULL && mark[1] != '\0' && strchr(mark, '/') == NULL &&
				      !pl_file_exists(path)
			      ? pl_strndup(path, (size_t)(mark - path))
			      : NULL;
	return *ret_folder != NULL ? mark + 1 : NULL;
}

/* The first run of a combination is ID.json, the second ID.2.json. */
static bool is_run_of(const char *path, const char *id)
{
	auto_free char *name = pl_file_name(path);
	size_t len = strlen(id);

	return strncmp(name, id, len) == 0 && name[len] == '.';
}

/* Returns whether the file is the summary of a sweep, which has no result. */
static bool is_summary(const char *path)
{
	auto_json json_t *summary = NULL;

	return res_may_be_sweep(path) && pl_json_read_file(path, &summary, PL_ERR_IGNORED) == 0 &&
	       res_sweep_id(summary) != NULL;
}

int res_compare_documents_read(const struct res_fields *fields, const char *path,
			       struct res_compare_documents *ret, struct pl_err *err)
{
	auto_res_files files = { 0 };
	auto_free char *folder = NULL;
	const char *id = split_combination(path, &folder);

	ret->side.name = path;
	if (res_files_add(&files, id != NULL ? folder : path, err) < 0)
		return -1;
	for (size_t i = 0; i < files.count; i++) {
		const char *name = files.items[i].path;
		bool is_named = pl_text_equal(name, path);
		if (!is_named && (files.items[i].side != NULL || !pl_text_ends(name, ".json") ||
				  is_summary(name) || (id != NULL && !is_run_of(name, id))))
			continue;
		json_t *document = NULL;
		if (res_read_file(fields, name, &document, err) < 0)
			return -1;
		res_compare_documents_add(ret, document);
	}
	if (ret->count == 0 && id != NULL)
		return pl_err_invalid(err, "'%s': found no result of combination '%s' in '%s'",
				      path, id, folder);
	if (ret->count == 0)
		return pl_err_invalid(err, "'%s': found no result (.json) in this directory", path);
	return 0;
}

struct source {
	const struct res_fields *fields;
	const struct res_compare_documents *sides;
};

/* NaN: none. */
static double number_of(const struct res_fields *fields, const char *id, const json_t *document)
{
	struct res_field field;
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	if (res_fields_resolve(fields, id, &field, NULL) < 0)
		return NAN;
	res_field_value(fields, &field, document, &value);
	return value.state == RES_VALUE_PRESENT && value.kind == RES_VALUE_NUMBER ? value.number
										  : NAN;
}

static double bound_of(const struct res_fields *fields, const char *id, unsigned bound,
		       const json_t *document)
{
	char name[ID_BYTES];

	snprintf(name, sizeof(name), "%s_ci95.%u", id, bound);
	return number_of(fields, name, document);
}

/*
 * Derived metrics with the relative uncertainty of the metric that they are computed from: it, or
 * its inverse, times a constant.
 */
static const struct derived {
	const char *id;
	const char *from;
	bool is_inverse;
} derived[] = {
	{ "derived.output_throughput_per_gpu", "results.output_throughput", false },
	{ "derived.tokens_per_s_per_user", "results.median_tpot_ms", true },
};

static struct res_interval interval_derived(const struct res_fields *fields,
					    const struct derived *row, const json_t *document)
{
	double value = number_of(fields, row->id, document);
	double from = number_of(fields, row->from, document);
	double low = bound_of(fields, row->from, 0, document) / from;
	double high = bound_of(fields, row->from, 1, document) / from;

	return row->is_inverse ? (struct res_interval){ value / high, value / low }
			       : (struct res_interval){ value * low, value * high };
}

bool res_compare_within(const struct res_fields *fields, const struct res_field *field,
			const json_t *document, struct res_interval *ret)
{
	struct res_interval interval = { bound_of(fields, field->id, 0, document),
					 bound_of(fields, field->id, 1, document) };

	for (size_t i = 0; i < PL_ARRAY_SIZE(derived); i++) {
		if (pl_text_equal(field->id, derived[i].id))
			interval = interval_derived(fields, &derived[i], document);
	}
	if (!isfinite(interval.low) || !isfinite(interval.high))
		return false;
	*ret = interval;
	return true;
}

static void sample_of(void *context, size_t side, const struct res_field *field,
		      struct res_sample *ret)
{
	const struct source *source = context;
	const struct res_compare_documents *documents = &source->sides[side];

	*ret = (struct res_sample){ 0 };
	for (size_t i = 0; i < documents->count; i++) {
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		res_field_value(source->fields, field, documents->items[i], &value);
		res_sample_add(ret, &value);
	}
	res_sample_settle(ret);
	if (documents->count == 1)
		ret->has_within = res_compare_within(source->fields, field, documents->items[0],
						     &ret->within);
}

static void values_of(void *context, size_t side, const struct res_field *field,
		      struct res_compare_values *ret)
{
	const struct source *source = context;
	const struct res_compare_documents *documents = &source->sides[side];

	for (size_t i = 0; i < documents->count; i++) {
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		res_field_value(source->fields, field, documents->items[i], &value);
		if (value.state == RES_VALUE_NOT_RECORDED)
			ret->not_recorded++;
		else if (value.state == RES_VALUE_NULL)
			ret->null++;
		else if (value.kind == RES_VALUE_NUMBER)
			res_compare_add_number(ret, value.number, 1);
		else if (value.kind == RES_VALUE_YES)
			res_compare_add_yes(ret, value.yes, 1);
		else if (value.kind == RES_VALUE_TEXT)
			res_compare_add_text(ret, value.text, 1);
		else
			res_compare_add_json(ret, value.text, 1);
	}
}

static bool has_document(const struct res_compare_documents *side, const json_t *document)
{
	const char *id = pl_json_get_text(document, "run_id");

	for (size_t i = 0; i < side->count; i++) {
		if (pl_text_equal(pl_json_get_text(side->items[i], "run_id"), id) &&
		    json_equal(side->items[i], document))
			return true;
	}
	return false;
}

/* A copy of a file is the same run. */
static size_t count_shared(const struct res_compare_documents *one,
			   const struct res_compare_documents *other)
{
	size_t count = 0;

	for (size_t i = 0; i < other->count; i++)
		count += has_document(one, other->items[i]);
	return count;
}

json_t *res_compare_of_documents(const struct res_fields *fields,
				 struct res_compare_documents *sides, size_t count,
				 const struct res_compare_options *options)
{
	struct res_compare_side about[RES_COMPARE_SIDES_MAX];
	size_t shared[RES_COMPARE_SIDES_MAX][RES_COMPARE_SIDES_MAX] = { 0 };
	struct source context = { fields, sides };

	for (size_t i = 0; i < count; i++) {
		about[i] = sides[i].side;
		for (size_t k = i + 1; k < count; k++)
			shared[i][k] = count_shared(&sides[i], &sides[k]);
	}
	return res_compare(&(struct res_compare_source){ .context = &context,
							 .fields = fields,
							 .sides = about,
							 .side_count = count,
							 .sample = sample_of,
							 .values = values_of,
							 .shared = shared },
			   options);
}
