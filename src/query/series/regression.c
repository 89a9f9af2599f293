#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "query/series/analysis_priv.h"

#define LIMIT_DEFAULT 200
#define SCORE_Q_MIN   1e-6 /* smaller q do not raise the score */

void query_analysis_done(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->done; i++)
		res_change_analysis_done(&analysis->analyses[i]);
	for (size_t i = 0; i < analysis->count; i++) {
		free(analysis->items[i].key);
		free(analysis->items[i].decisions);
		json_decref(analysis->items[i].placed);
		free(analysis->series[i].points);
	}
	for (size_t i = 0; i < analysis->metric_count; i++)
		json_decref(analysis->metrics[i].about);
	free(analysis->metrics);
	free(analysis->items);
	free(analysis->series);
	free(analysis->analyses);
	free(analysis->hashes);
	free(analysis->hardware_of);
	free(analysis->host_of);
	free(analysis->suspects);
	free(analysis->suspect_codes);
	json_decref(analysis->incident_json);
	json_decref(analysis->decisions);
	res_incidents_free(analysis->incidents, analysis->incident_count);
	query_series_set_done(&analysis->set);
}

/* ---- the request --------------------------------------------------------------------------------- */

static void add_metric(struct analysis *analysis, const struct mirror_column *column,
		       bool is_optional)
{
	struct series_metric *metric = &analysis->metrics[analysis->metric_count++];

	*metric = (struct series_metric){ .column = column,
					  .field = column->field,
					  .is_optional = is_optional,
					  .about = res_field_to_json(column->field) };
	metric->effect_min = isnan(analysis->effect_min) ? res_change_effect_default(metric->field)
							 : analysis->effect_min;
	if (analysis->is_sensitive)
		metric->effect_min /= 2;
}

static bool has_metric(const struct analysis *analysis, const struct mirror_column *column)
{
	for (size_t i = 0; i < analysis->metric_count; i++) {
		if (analysis->metrics[i].column == column)
			return true;
	}
	return false;
}

static bool read_metrics(struct analysis *analysis, const json_t *request)
{
	const struct res_field *fields[RES_COMPARE_HEADLINE_MAX];
	struct series_set *set = &analysis->set;
	struct request_fields chosen = { 0 };
	bool fits = true;

	if (query_request_member(request, "metrics") != NULL) {
		fits = query_request_columns(&set->pointer, set->view, request, "metrics", &chosen);
		analysis->metrics = pl_alloc_array(chosen.count + 1, sizeof(*analysis->metrics));
		for (size_t i = 0; fits && i < chosen.count; i++) {
			if (!has_metric(analysis, chosen.items[i]))
				add_metric(analysis, chosen.items[i], false);
		}
		free(chosen.items);
		return fits;
	}
	size_t count = res_compare_headline(mirror_view_fields(set->view), fields);
	analysis->metrics = pl_alloc_array(count + 1, sizeof(*analysis->metrics));
	for (size_t i = 0; i < count; i++) {
		const struct mirror_column *column = mirror_view_column(set->view, fields[i]->id);
		if (column != NULL && fields[i]->direction != RES_FIELD_NEITHER)
			add_metric(analysis, column, true);
	}
	return true;
}

/* ---- analyses ------------------------------------------------------------------------------------ */

static bool is_in_time(const struct analysis *analysis)
{
	int64_t used_ns = pl_clock_now_ns() - analysis->set.began_ns;

	return mirror_view_has_time(analysis->set.view) &&
	       (analysis->set.budget_ms == 0 || used_ns < analysis->set.budget_ms * PL_NS_PER_MS);
}

/* At least one series that is not cached is analyzed by each call. */
static int analyze(struct analysis *analysis, struct pl_err *err)
{
	struct query_series_cache *cache = analysis->inputs->cache;
	bool has_analyzed = false;

	for (; analysis->done < analysis->count; analysis->done++) {
		size_t i = analysis->done;
		if (cache != NULL &&
		    query_series_cache_find(cache, analysis->hashes[i], &analysis->series[i],
					    &analysis->analyses[i]))
			continue;
		if (has_analyzed && !is_in_time(analysis)) {
			analysis->is_incomplete = true;
			return 0;
		}
		if (mirror_view_goes_on(analysis->set.view, err) < 0)
			return -1;
		res_change_analyze(&analysis->series[i], &analysis->options,
				   &analysis->analyses[i]);
		has_analyzed = true;
		if (cache != NULL)
			query_series_cache_add(cache, analysis->hashes[i], &analysis->analyses[i]);
	}
	res_change_family(analysis->analyses, analysis->count, &analysis->options);
	for (size_t i = 0; cache != NULL && i < analysis->count; i++) {
		if (analysis->analyses[i].change_count > 0)
			query_series_cache_keep_tests(cache, analysis->hashes[i],
						      &analysis->analyses[i]);
	}
	return 0;
}

const struct res_change *query_analysis_last_change(const struct res_change_analysis *analysis)
{
	for (size_t i = analysis->change_count; i-- > 0;) {
		if (analysis->changes[i].state != RES_CHANGE_STABLE)
			return &analysis->changes[i];
	}
	return NULL;
}

const char *query_analysis_trend(const struct analysis *analysis, size_t item)
{
	const struct res_change_analysis *found = &analysis->analyses[item];
	const struct res_change *change = query_analysis_last_change(found);
	enum res_field_direction direction = analysis->series[item].direction;
	double ratio = change != NULL ? change->ratio : found->tail.ratio;

	if (found->state == RES_CHANGE_NOISIER)
		return "worse";
	if ((found->state != RES_CHANGE_REGRESSION && found->state != RES_CHANGE_IMPROVEMENT &&
	     found->state != RES_CHANGE_SUSPECT) ||
	    direction == RES_FIELD_NEITHER)
		return NULL;
	return (ratio > 1) == (direction == RES_FIELD_HIGHER) ? "better" : "worse";
}

static double score_of(const struct res_change_analysis *found)
{
	const struct res_change *change = query_analysis_last_change(found);
	double ratio = 1, q = 1;

	if (change != NULL) {
		ratio = change->state == RES_CHANGE_NOISIER
				? change->after.spread / change->before.spread
				: change->ratio;
		q = change->q;
	} else if (found->tail.is_hit) {
		ratio = found->tail.ratio;
		q = found->tail.q;
	}
	double score = fabs(log(ratio)) * -log10(fmax(q, SCORE_Q_MIN));
	return isfinite(score) && score > 0 ? score : 0;
}

static int class_of(enum res_change_state state, bool is_sensitive)
{
	switch (state) {
	case RES_CHANGE_REGRESSION:
	case RES_CHANGE_IMPROVEMENT:
	case RES_CHANGE_SHIFTED:
		return 0;
	case RES_CHANGE_NOISIER:
		return 1;
	case RES_CHANGE_SUSPECT:
		return is_sensitive ? 0 : 2;
	case RES_CHANGE_STABLE:
		return 3;
	case RES_CHANGE_INSUFFICIENT:
		return 4;
	default:
		return 5;
	}
}

/* ---- the response -------------------------------------------------------------------------------- */

static bool is_listed(const struct analysis *analysis, const json_t *request, size_t item)
{
	const json_t *states = query_request_member(request, "states");
	const char *direction = json_string_value(query_request_member(request, "direction"));
	const char *series = json_string_value(query_request_member(request, "series"));

	if (series != NULL)
		return strcmp(series, analysis->items[item].key) == 0;
	if (states != NULL &&
	    !pl_json_has_text(states, res_change_state_name(analysis->analyses[item].state)))
		return false;
	return direction == NULL || pl_text_equal(direction, query_analysis_trend(analysis, item));
}

static int compare_listed(const void *a, const void *b, void *context)
{
	const struct analysis *analysis = context;
	const struct series_item *one = &analysis->items[*(const size_t *)a];
	const struct series_item *other = &analysis->items[*(const size_t *)b];

	if (one->class != other->class)
		return one->class - other->class;
	if (one->score > other->score || one->score < other->score)
		return one->score > other->score ? -1 : 1;
	int difference = strcmp(analysis->set.configurations[one->configuration].label,
				analysis->set.configurations[other->configuration].label);
	if (difference != 0)
		return difference;
	return strcmp(one->key, other->key);
}

static void list_series(struct analysis *analysis, const json_t *request, json_t *answer)
{
	auto_free size_t *listed = pl_alloc_array(analysis->count + 1, sizeof(*listed));
	size_t limit = (size_t)query_request_number(request, "limit", LIMIT_DEFAULT);
	size_t offset = (size_t)query_request_number(request, "offset", 0), total = 0;
	bool with_points = query_request_member(request, "series") != NULL;
	json_t *series = json_array();

	for (size_t i = 0; i < analysis->count && !analysis->is_incomplete; i++) {
		analysis->items[i].score = score_of(&analysis->analyses[i]);
		analysis->items[i].class = class_of(analysis->analyses[i].state,
						    analysis->is_sensitive);
		if (is_listed(analysis, request, i))
			listed[total++] = i;
	}
	qsort_r(listed, total, sizeof(*listed), compare_listed, analysis);
	for (size_t i = offset; i < total && i - offset < limit; i++)
		json_array_append_new(series,
				      query_analysis_verdict(analysis, listed[i], with_points));
	json_object_set_new(answer, "series", series);
	json_object_set_new(answer, "total", json_integer((json_int_t)total));
}

static json_t *counts_json(const struct analysis *analysis)
{
	json_t *by_state = json_object();

	for (int state = RES_CHANGE_STABLE; state <= RES_CHANGE_NOT_COMPARABLE; state++) {
		size_t count = 0;
		for (size_t i = 0; i < analysis->count && !analysis->is_incomplete; i++)
			count += (int)analysis->analyses[i].state == state;
		json_object_set_new(by_state, res_change_state_name((enum res_change_state)state),
				    json_integer((json_int_t)count));
	}
	return json_pack("{s:I, s:I, s:I, s:o}", "experiments", (json_int_t)analysis->set.row_count,
			 "configurations", (json_int_t)analysis->set.configuration_count, "series",
			 (json_int_t)analysis->count, "by_state", by_state);
}

static json_t *answer_json(struct analysis *analysis, const json_t *request)
{
	const json_t *filter = query_request_member(request, "filter");
	json_t *answer = json_object();

	if (filter != NULL)
		json_object_set(answer, "filter", (json_t *)filter);
	json_object_update_new(
		answer,
		json_pack("{s:o, s:s, s:o, s:o}", "order", query_series_order_json(&analysis->set),
			  "mode", analysis->is_sensitive ? "sensitive" : "strict", "counts",
			  counts_json(analysis), "excluded",
			  query_series_excluded_json(&analysis->set, analysis->no_metric)));
	list_series(analysis, request, answer);
	json_object_set_new(answer, "incidents",
			    analysis->incident_json != NULL ? json_incref(analysis->incident_json)
							    : json_array());
	json_object_set_new(answer, "incomplete",
			    analysis->is_incomplete ? json_pack("[s]", "series") : json_array());
	json_object_set_new(answer, "analysis_version", json_integer(QUERY_ANALYSIS_VERSION));
	return answer;
}

int query_regression(const struct mirror_snapshot *snapshot, const json_t *request,
		     const struct query_regression_inputs *inputs, struct pl_buf *ret_json,
		     struct schema_faults *faults, struct pl_err *err)
{
	const json_t *effect = query_request_member(request, "min_effect");
	auto_analysis analysis = { .inputs = inputs,
				   .options = res_change_defaults,
				   .is_sensitive = pl_text_equal(pl_json_get_text(request, "mode"),
								 "sensitive"),
				   .effect_min = effect != NULL ? json_number_value(effect) : NAN };
	struct series_set *set = &analysis.set;

	set->points_max = SERIES_POINTS_MAX;
	set->pointer = (struct query_pointer){ .pointer = PL_BUF(POINTER_BYTES_MAX),
					       .faults = faults };
	if (query_series_set_open(snapshot, request, set, err) < 0)
		return -1;
	bool fits = query_series_set_read(set, request);
	fits = read_metrics(&analysis, request) && fits;
	if (!fits)
		return query_request_refuse(&set->pointer, err);
	if (query_series_set_fill(set, request, err) < 0 ||
	    query_analysis_read_points(&analysis, err) < 0 ||
	    mirror_view_settle(analysis.set.view, err) < 0 || analyze(&analysis, err) < 0 ||
	    (!analysis.is_incomplete && query_analysis_find_incidents(&analysis, err) < 0))
		return -1;
	auto_json json_t *answer = answer_json(&analysis, request);
	json_object_set_new(answer, "data_version",
			    json_integer(mirror_snapshot_version(snapshot)));
	if (!pl_json_write(answer, PL_JSON_COMPACT, ret_json))
		return pl_err_set(err, PL_ERR_INVALID,
				  "the response is larger than %zu bytes; use a smaller limit",
				  ret_json->max);
	return 0;
}
