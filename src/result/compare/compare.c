#include "result/compare/compare_priv.h"

#include <string.h>

/*
 * Gets the values of the field in the runs of the side; both counts are 0 if there is no such
 * field.
 */
static void look_at(const struct res_compare_source *source, size_t side, const char *id,
		    struct res_compare_values *ret)
{
	const struct res_field *field = res_fields_find(source->fields, id);

	*ret = (struct res_compare_values){ 0 };
	if (field != NULL)
		source->values(source->context, side, field, ret);
}

static json_t *simulated_json(const struct res_compare_source *source, size_t side)
{
	auto_compare_values values = { 0 };

	look_at(source, side, "environment.engine.simulated", &values);
	return json_integer(pl_json_get_i64(values.counts, "true"));
}

/*
 * Counts the runs with the best value and those with another value; runs without a value count as
 * neither. If a key is NULL, its count is not stored.
 */
static void add_counts(json_t *json, const struct res_compare_source *source, size_t side,
		       const char *id, const char *best, const char *best_key,
		       const char *others_key)
{
	auto_compare_values values = { 0 };
	int64_t with_best = 0, others = 0;

	look_at(source, side, id, &values);
	PL_JSON_EACH_MEMBER(text, number, values.counts) {
		int64_t *count = strcmp(text, best) == 0 ? &with_best : &others;
		*count += json_integer_value(number);
	}
	if (best_key != NULL)
		json_object_set_new(json, best_key, json_integer(with_best));
	json_object_set_new(json, others_key, json_integer(others));
}

static json_t *sides_json(const struct res_compare_source *source)
{
	json_t *sides = json_array();

	for (size_t i = 0; i < source->side_count; i++) {
		const struct res_compare_side *side = &source->sides[i];
		json_t *json = json_pack("{s:o, s:I, s:o}", "name", pl_json_text(side->name),
					 "runs", (json_int_t)side->runs, "simulated",
					 simulated_json(source, i));
		add_counts(json, source, i, "quality.verdict", "\"trusted\"", "trusted",
			   "untrusted");
		add_counts(json, source, i, "run.status", "\"completed\"", NULL, "not_completed");
		if (side->about != NULL)
			json_object_update_missing(json, side->about);
		json_array_append_new(sides, json);
	}
	return sides;
}

json_t *res_compare(const struct res_compare_source *source,
		    const struct res_compare_options *options)
{
	struct res_compare_options settled = *options;
	json_t *answer = json_object(), *not_ready = json_array();

	if (!(settled.effect > 0))
		settled.effect = RES_RATIO_SMALL_EFFECT;
	json_object_set_new(answer, "sides", sides_json(source));
	json_object_set_new(answer, "effect", json_real(settled.effect));
	res_compare_alike(source, answer);
	json_object_set_new(answer, "inputs", res_compare_inputs(source, settled.list_equal));
	json_object_set_new(answer, "metrics", res_compare_metrics(source, &settled, not_ready));
	json_object_set_new(answer, "families", res_compare_families(source, not_ready));
	json_object_set_new(answer, "incomplete", not_ready);
	return answer;
}
