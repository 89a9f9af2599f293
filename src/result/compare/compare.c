#include "result/compare/compare_priv.h"

#include <string.h>

/* What the runs of the side have there; both counts are 0 where there is no such field. */
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

/* Runs that have something there, and not the best. */
static json_t *others_json(const struct res_compare_source *source, size_t side, const char *id,
			   const char *best)
{
	auto_compare_values values = { 0 };
	int64_t count = 0;

	look_at(source, side, id, &values);
	PL_JSON_EACH_MEMBER(text, number, values.counts)
		count += strcmp(text, best) != 0 ? json_integer_value(number) : 0;
	return json_integer(count);
}

static json_t *sides_json(const struct res_compare_source *source)
{
	json_t *sides = json_array();

	for (size_t i = 0; i < source->side_count; i++) {
		const struct res_compare_side *side = &source->sides[i];
		json_t *json = json_pack(
			"{s:o, s:I, s:o, s:o, s:o}", "name", pl_json_text(side->name), "runs",
			(json_int_t)side->runs, "simulated", simulated_json(source, i), "untrusted",
			others_json(source, i, "quality.verdict", "\"trusted\""), "not_completed",
			others_json(source, i, "run.status", "\"completed\""));
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
	compare_alike(source, answer);
	json_object_set_new(answer, "inputs", compare_inputs(source, settled.list_equal));
	json_object_set_new(answer, "metrics", compare_metrics(source, &settled, not_ready));
	json_object_set_new(answer, "families", compare_families(source, not_ready));
	json_object_set_new(answer, "not_ready", not_ready);
	return answer;
}
