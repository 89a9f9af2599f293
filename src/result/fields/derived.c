/*
 * Fields derived from others, one function per DERIVED row of tbl/result_fields.h. The input key
 * must be stable for an experiment: of the server's arguments it includes those that were set,
 * because defaults belong to the engine's release; of the load options those that differ from this
 * program's defaults; null is ignored. So neither another release nor a new row of a table changes
 * the key of an old experiment.
 */
#include "result/fields/fields_priv.h"
#include "result/fields/tree.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

#define KEY_DIGITS 32

/*
 * Returns the number of another field; NaN: none. *ret_recorded stays true only if the field is
 * recorded.
 */
static double number_at(const json_t *document, const char *path, bool *ret_recorded)
{
	const json_t *json = pl_json_get_path(document, path);

	*ret_recorded = *ret_recorded && json != NULL;
	return json_is_number(json) ? json_number_value(json) : NAN;
}

static json_t *derive_gpu_count(const struct res_values *values)
{
	const json_t *document = res_values_document(values);
	const json_t *count = pl_json_get_path(document, "system.hardware_info.gpu_count");
	const json_t *gpus = pl_json_get_path(document, "launch.gpus");

	if (json_is_number(count))
		return json_incref((json_t *)count);
	/* the list does not include the GPUs of a server that was already running */
	if (json_is_array(gpus) && !json_is_string(pl_json_get_path(document, "launch.url")))
		return json_integer((json_int_t)json_array_size(gpus));
	return count != NULL || gpus != NULL ? json_null() : NULL;
}

static json_t *derive_output_throughput_per_gpu(const struct res_values *values)
{
	auto_json json_t *gpus = derive_gpu_count(values);
	bool recorded = gpus != NULL;
	double rate = number_at(res_values_document(values), "results.output_throughput",
				&recorded);
	double count = json_is_number(gpus) ? json_number_value(gpus) : NAN;

	if (!recorded)
		return NULL;
	return count > 0 ? pl_json_number(rate / count) : json_null();
}

static json_t *derive_tokens_per_s_per_user(const struct res_values *values)
{
	bool recorded = true;
	double tpot_ms = number_at(res_values_document(values), "results.median_tpot_ms",
				   &recorded);

	if (!recorded)
		return NULL;
	return tpot_ms > 0 ? pl_json_number(1000 / tpot_ms) : json_null();
}

/* Uses the requested length if the file has no sums. */
static json_t *tokens_per_request(const json_t *document, const char *sum, const char *requested)
{
	const json_t *completed = pl_json_get_path(document, "results.completed");
	const json_t *length = pl_json_get_path(document, requested);
	bool recorded = true;
	double tokens = number_at(document, sum, &recorded);

	if (completed == NULL)
		completed = pl_json_get_path(document, "results.num_requests");
	if (recorded && json_is_number(completed))
		return json_number_value(completed) > 0
			       ? pl_json_number(tokens / json_number_value(completed))
			       : json_null();
	return json_is_number(length) ? json_incref((json_t *)length) : NULL;
}

static json_t *derive_input_tokens_per_request(const struct res_values *values)
{
	return tokens_per_request(res_values_document(values), "results.total_input_tokens",
				  "config.benchmark.random_input_len");
}

static json_t *derive_output_tokens_per_request(const struct res_values *values)
{
	return tokens_per_request(res_values_document(values), "results.total_output_tokens",
				  "config.benchmark.random_output_len");
}

static json_t *derive_failed_share(const struct res_values *values)
{
	const json_t *document = res_values_document(values);
	bool recorded = true;
	double completed = number_at(document, "results.completed", &recorded);
	double failed = number_at(document, "results.failed", &recorded);

	if (!recorded)
		return NULL;
	return completed + failed > 0 ? pl_json_number(failed / (completed + failed)) : json_null();
}

/* ---- what was chosen ----------------------------------------------------------------------- */

static bool is_default(const struct res_value *before, const struct res_value *value)
{
	if (before == NULL || before->state != value->state || before->kind != value->kind)
		return false;
	if (value->kind == RES_VALUE_NUMBER)
		return !(value->number < before->number) && !(value->number > before->number);
	return json_equal(value->json, before->json);
}

/* before: the value of the option if it is not set, or NULL. */
static bool is_chosen(const struct res_field *field, const struct res_value *before,
		      const struct res_value *value)
{
	if (value->state != RES_VALUE_PRESENT)
		return false;
	if (pl_text_starts(field->id, "server."))
		return value->is_explicit || value->source == NULL;
	return !is_default(before, value);
}

/* 10 and 10.0 are one number. New reference. */
static json_t *chosen_json(const struct res_value *value)
{
	double number = value->number;

	if (value->kind != RES_VALUE_NUMBER)
		return json_incref(value->json);
	if (isinf(number))
		return json_string(number > 0 ? "inf" : "-inf");
	return number == floor(number) && fabs(number) < WHOLE_MAX
		       ? json_integer((json_int_t)number)
		       : json_real(number);
}

/* An argument that is newer than the rows. */
static void add_unlisted(const struct res_values *values, const char *name, json_t *chosen)
{
	auto_free char *id = pl_asprintf("server.%s", name);
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };
	struct res_field unlisted;

	res_field_unlisted(id, &unlisted);
	res_field_value(res_values_fields(values), &unlisted, res_values_document(values), &value);
	if (is_chosen(&unlisted, NULL, &value))
		json_object_set_new(chosen, id, chosen_json(&value));
}

static bool is_listed(const struct res_tree *tree, const char *name)
{
	res_tree_at at = res_tree_below(tree, RES_TREE_SERVER, name);

	return at != 0 && res_tree_node(tree, at)->field != 0;
}

static bool is_input(const struct res_field *field)
{
	return field->role == RES_FIELD_INPUT && field->of == NULL;
}

static void add_listed(const struct res_values *values, const struct res_field *field,
		       json_t *chosen)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	res_values_get(values, field, &value);
	if (is_chosen(field, res_fields_default(res_values_fields(values), field), &value))
		json_object_set_new(chosen, field->id, chosen_json(&value));
}

json_t *res_values_inputs(const struct res_values *values)
{
	const struct res_fields *fields = res_values_fields(values);
	const json_t *arguments = pl_json_get_path(res_values_document(values), "config.server");
	json_t *chosen = json_object();

	/* a document has few inputs among more than a thousand fields */
	const struct res_field *field = res_fields_at(fields, 0);
	for (size_t left = res_fields_count(fields); left > 0; left--, field++) {
		if (is_input(field) && !res_values_lacks(values, field))
			add_listed(values, field, chosen);
	}
	PL_JSON_EACH_MEMBER(name, ignored, arguments) {
		if (!is_listed(res_fields_tree(fields), name))
			add_unlisted(values, name, chosen);
	}
	return chosen;
}

static json_t *derive_input_key(const struct res_values *values)
{
	auto_json json_t *chosen = res_values_inputs(values);
	char hex[65];

	if (json_object_size(chosen) == 0)
		return NULL;
	auto_free char *text = res_field_canonical(chosen);
	pl_sha256(text, strlen(text), hex);
	return json_stringn(hex, KEY_DIGITS);
}

json_t *res_field_derive(const struct res_values *values, const char *key)
{
	static const struct {
		const char *key;
		json_t *(*derive)(const struct res_values *values);
	} derived[] = {
#define DERIVED(key, type, unit, direction, role, text) { #key, derive_##key },
#include "tbl/result_fields.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(derived); i++) {
		if (pl_text_equal(derived[i].key, key))
			return derived[i].derive(values);
	}
	return NULL;
}
