#include "result/change/change_priv.h"

#include <math.h>

static const double effects[] = { 0.05, 0.1, 0.2 };

static json_t *side_json(const struct res_change_side *side)
{
	return json_pack("{s:I, s:o, s:o}", "count", (json_int_t)side->count, "median",
			 pl_json_number(side->median), "spread", pl_json_number(side->spread));
}

static json_t *change_json(const struct res_change_analysis *analysis,
			   const struct res_change *change)
{
	const struct res_change_point *points = analysis->series->points;
	json_t *answer = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "state",
				   res_change_state_name(change->state), "index",
				   (json_int_t)change->index, "low_index", (json_int_t)change->low,
				   "high_index", (json_int_t)change->high, "at",
				   (json_int_t)points[change->index].at, "from_at",
				   (json_int_t)points[change->low - 1].at, "to_at",
				   (json_int_t)points[change->high].at, "before",
				   side_json(&change->before), "after", side_json(&change->after));

	json_object_update_new(
		answer,
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:b, s:b, s:I, s:s}",
			  "ratio", pl_json_number(change->ratio), "low",
			  pl_json_number(change->interval.low), "high",
			  pl_json_number(change->interval.high), "min_effect",
			  pl_json_number(change->effect_min), "p", pl_json_number(change->p), "q",
			  pl_json_number(change->q), "rank_p", pl_json_number(change->rank_p),
			  "delta", pl_json_number(change->delta), "permutation_count",
			  (json_int_t)change->permutations, "correlated", change->is_correlated,
			  "other_host", change->is_other_host, "seen_count",
			  (json_int_t)change->seen, "decision",
			  res_change_decision_name(change->decision)));
	return answer;
}

static json_t *indexes_json(const size_t *indexes, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_integer((json_int_t)indexes[i]));
	return list;
}

static json_t *tail_json(const struct res_change_tail *tail)
{
	if (!tail->is_tested)
		return json_pack("{s:b, s:I}", "tested", false, "missing_count",
				 (json_int_t)tail->missing);
	return json_pack("{s:b, s:b, s:I, s:o, s:o, s:o, s:o}", "tested", true, "suspect",
			 tail->is_hit, "index", (json_int_t)tail->index, "ratio",
			 pl_json_number(tail->ratio), "p", pl_json_number(tail->p), "q",
			 pl_json_number(tail->q), "min_effect", pl_json_number(tail->effect_min));
}

static json_t *power_json(const struct res_change_analysis *analysis,
			  const struct res_change_options *options)
{
	json_t *list = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(effects); i++) {
		double points = res_change_points_needed(
			analysis->series->scale, analysis->current.spread, analysis->current.count,
			effects[i], options);
		json_array_append_new(list, json_pack("{s:f, s:o}", "effect", effects[i],
						      "points_count", pl_json_count(points)));
	}
	return list;
}

json_t *res_change_json(const struct res_change_analysis *analysis,
			const struct res_change_options *options)
{
	json_t *answer = json_pack(
		"{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o}", "key", analysis->series->key, "state",
		res_change_state_name(analysis->state), "count", (json_int_t)analysis->value_count,
		"gap_count", (json_int_t)analysis->gaps, "missing_count",
		(json_int_t)analysis->missing, "since_index", (json_int_t)analysis->since, "p",
		pl_json_number(analysis->p), "q", pl_json_number(analysis->q));
	json_t *changes = json_array();

	for (size_t i = 0; i < analysis->change_count; i++)
		json_array_append_new(changes, change_json(analysis, &analysis->changes[i]));
	json_object_set_new(answer, "changes", changes);
	json_object_set_new(answer, "outliers",
			    indexes_json(analysis->outliers, analysis->outlier_count));
	json_object_set_new(answer, "markers",
			    indexes_json(analysis->markers, analysis->marker_count));
	json_object_set_new(answer, "current", side_json(&analysis->current));
	json_object_set_new(answer, "tail", tail_json(&analysis->tail));
	if (analysis->series->scale != RES_SCALE_LINEAR)
		json_object_set_new(answer, "power", power_json(analysis, options));
	json_object_set(answer, "reasons", analysis->reasons);
	return answer;
}
