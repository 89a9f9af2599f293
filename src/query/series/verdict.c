#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "mirror/instant.h"
#include "query/series/analysis_priv.h"

#define IDS_MAX 1000

static const struct series_configuration *configuration_of(const struct analysis *analysis,
							   size_t item)
{
	return &analysis->set.configurations[analysis->items[item].configuration];
}

static bool has_value(const struct analysis *analysis, size_t item, size_t point)
{
	return isfinite(analysis->series[item].points[point].value);
}

/* ---- changes ------------------------------------------------------------------------------------- */

/* Returns the first point of the part that ends before `point`. */
static size_t part_before(const struct analysis *analysis, size_t item, size_t point)
{
	const struct res_change_analysis *found = &analysis->analyses[item];
	size_t from = 0;

	for (size_t i = 0; i < found->change_count; i++) {
		if (found->changes[i].index < point && found->changes[i].index > from)
			from = found->changes[i].index;
	}
	for (size_t i = 0; i < found->marker_count; i++) {
		if (found->markers[i] < point && found->markers[i] > from)
			from = found->markers[i];
	}
	return from;
}

/* Returns the end of the part that begins at `point`. */
static size_t part_after(const struct analysis *analysis, size_t item, size_t point)
{
	const struct res_change_analysis *found = &analysis->analyses[item];
	size_t end = analysis->series[item].count;

	for (size_t i = 0; i < found->change_count; i++) {
		if (found->changes[i].index > point && found->changes[i].index < end)
			end = found->changes[i].index;
	}
	for (size_t i = 0; i < found->marker_count; i++) {
		if (found->markers[i] > point && found->markers[i] < end)
			end = found->markers[i];
	}
	return end;
}

static json_t *ids_json(const struct analysis *analysis, size_t item, size_t from, size_t end)
{
	json_t *ids = json_array();

	for (size_t i = from; i < end; i++) {
		if (has_value(analysis, item, i))
			json_array_append_new(
				ids, json_integer(query_analysis_row(analysis, item, i)->id));
	}
	return ids;
}

/* Returns the last point before `point` with a value; the point before it if there is none. */
static size_t value_before(const struct analysis *analysis, size_t item, size_t point)
{
	for (size_t i = point; i-- > 0;) {
		if (has_value(analysis, item, i))
			return i;
	}
	return point > 0 ? point - 1 : 0;
}

/* Sets PREFIXat and PREFIXlabel to those of a point. */
static void set_place(const struct analysis *analysis, size_t item, size_t point,
		      const char *prefix, json_t *json)
{
	const struct series_row *row = query_analysis_row(analysis, item, point);
	auto_free char *label = query_series_label(&analysis->set, row);
	auto_free char *at_key = pl_asprintf("%sat", prefix);
	auto_free char *label_key = pl_asprintf("%slabel", prefix);

	json_object_set_new(json, at_key, json_integer(row->at));
	json_object_set_new(json, label_key, json_string(label));
}

static void extend_change(const struct analysis *analysis, size_t item, size_t at, json_t *json)
{
	const struct res_change *change = &analysis->analyses[item].changes[at];
	size_t from = part_before(analysis, item, change->index);
	size_t end = part_after(analysis, item, change->index);
	size_t incident = query_analysis_incident_of(analysis, item, at);
	const json_t *about = incident != SIZE_MAX
				      ? json_array_get(analysis->incident_json, incident)
				      : NULL;

	from = change->index - from > IDS_MAX ? change->index - IDS_MAX : from;
	end = end - change->index > IDS_MAX ? change->index + IDS_MAX : end;
	set_place(analysis, item, change->index, "", json);
	set_place(analysis, item, change->low - 1, "from_", json);
	set_place(analysis, item, change->high, "to_", json);
	json_object_set_new(
		json, "id_before",
		json_integer(query_analysis_row(analysis, item,
						value_before(analysis, item, change->index))
				     ->id));
	json_object_set_new(json, "id_after",
			    json_integer(query_analysis_row(analysis, item, change->index)->id));
	json_object_set_new(json, "before_ids", ids_json(analysis, item, from, change->index));
	json_object_set_new(json, "after_ids", ids_json(analysis, item, change->index, end));
	json_object_set_new(json, "incident",
			    pl_json_or_null(json_incref(json_object_get(about, "id"))));
	json_object_set_new(json, "causes",
			    about != NULL ? json_incref(json_object_get(about, "causes"))
					  : json_array());
}

/* ---- points -------------------------------------------------------------------------------------- */

static bool is_outlier(const struct res_change_analysis *found, size_t point)
{
	for (size_t i = 0; i < found->outlier_count; i++) {
		if (found->outliers[i] == point)
			return true;
	}
	return false;
}

/* "NVIDIA H200, 8, 580.95"; null if nothing is recorded. */
static json_t *hardware_json(const struct analysis *analysis, const struct series_row *row)
{
	auto_buf text = PL_BUF(1u << 16);

	for (size_t i = 0; i < SERIES_HARDWARE_FIELDS; i++) {
		struct mirror_value value = query_series_value(analysis->hardware[i], row->place);
		if (value.class <= MIRROR_NULL)
			continue;
		auto_free char *part = query_series_value_text(&value);
		pl_buf_addf(&text, "%s%s", text.len > 0 ? ", " : "", part);
	}
	return text.len > 0 ? pl_json_text(pl_buf_text(&text)) : json_null();
}

static json_t *point_json(const struct analysis *analysis, size_t item, size_t point)
{
	const struct series_row *row = query_analysis_row(analysis, item, point);
	auto_free char *label = query_series_label(&analysis->set, row);
	struct mirror_value host = query_series_value(analysis->host, row->place);
	char time[MIRROR_INSTANT_BYTES];

	mirror_instant_format(row->time_us, time);
	return json_pack("{s:I, s:I, s:s, s:s, s:o, s:o, s:b, s:o, s:o}", "id", (json_int_t)row->id,
			 "at", (json_int_t)row->at, "label", label, "time", time, "version",
			 pl_json_text(row->version > 0
					      ? analysis->set.versions[row->version - 1].label
					      : NULL),
			 "value", pl_json_number(analysis->series[item].points[point].value),
			 "outlier", is_outlier(&analysis->analyses[item], point), "host",
			 pl_json_text(host.class == MIRROR_TEXT ? host.text : NULL), "hardware",
			 hardware_json(analysis, row));
}

static json_t *segment_json(const struct analysis *analysis, size_t item, size_t from, size_t end)
{
	auto_free double *values = pl_alloc_array(end - from + 1, sizeof(*values));
	size_t count = 0;

	for (size_t i = from; i < end; i++) {
		if (has_value(analysis, item, i))
			values[count++] = analysis->series[item].points[i].value;
	}
	pl_stats_sort(values, count);
	return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o}", "from_index", (json_int_t)from,
			 "to_index", (json_int_t)(end - 1), "count", (json_int_t)count, "median",
			 pl_json_number(pl_stats_percentile_sorted(values, count, 50)), "low",
			 pl_json_number(pl_stats_percentile_sorted(values, count, 10)), "high",
			 pl_json_number(pl_stats_percentile_sorted(values, count, 90)));
}

static bool begins_segment(const struct res_change_analysis *found, size_t point)
{
	for (size_t i = 0; i < found->change_count; i++) {
		if (found->changes[i].index == point &&
		    found->changes[i].state != RES_CHANGE_STABLE)
			return true;
	}
	for (size_t i = 0; i < found->marker_count; i++) {
		if (found->markers[i] == point)
			return true;
	}
	return false;
}

static json_t *segments_json(const struct analysis *analysis, size_t item)
{
	size_t from = 0, count = analysis->series[item].count;
	json_t *list = json_array();

	for (size_t i = 1; i <= count; i++) {
		if (i < count && !begins_segment(&analysis->analyses[item], i))
			continue;
		json_array_append_new(list, segment_json(analysis, item, from, i));
		from = i;
	}
	return list;
}

static json_t *hardware_changes_json(const struct analysis *analysis, size_t item)
{
	const struct res_change_analysis *found = &analysis->analyses[item];
	json_t *list = json_array();

	for (size_t i = 0; i < found->marker_count; i++) {
		size_t after = query_analysis_row(analysis, item, found->markers[i])->place;
		size_t before = query_analysis_row(analysis, item,
						   value_before(analysis, item, found->markers[i]))
					->place;
		json_t *changes = json_array();
		for (size_t k = 0; k < SERIES_HARDWARE_FIELDS; k++) {
			const struct mirror_column *column = analysis->hardware[k];
			struct mirror_value old = query_series_value(column, before);
			struct mirror_value new = query_series_value(column, after);
			if (query_series_identity(&old,
						  old.class == MIRROR_NUMBER ? old.number : 0) ==
			    query_series_identity(&new,
						  new.class == MIRROR_NUMBER ? new.number : 0))
				continue;
			json_array_append_new(
				changes, json_pack("{s:s, s:s, s:o, s:o}", "field",
						   column->field->id, "label", column->field->label,
						   "before", query_series_value_json(&old), "after",
						   query_series_value_json(&new)));
		}
		json_array_append_new(list,
				      json_pack("{s:I, s:o}", "index",
						(json_int_t)found->markers[i], "changes", changes));
	}
	return list;
}

/* ---- the verdict --------------------------------------------------------------------------------- */

static size_t count_hosts(const struct res_change_series *series)
{
	size_t hosts = 0;

	/* codes are in order of appearance */
	for (size_t i = 0; i < series->count; i++) {
		if (series->points[i].host > hosts)
			hosts = series->points[i].host;
	}
	return hosts;
}

static json_t *experiments_json(const struct analysis *analysis, size_t item)
{
	const struct series_configuration *configuration = configuration_of(analysis, item);

	return json_pack("{s:I, s:I, s:I}", "count", (json_int_t)configuration->count, "first_id",
			 (json_int_t)configuration->rows[0]->id, "last_id",
			 (json_int_t)configuration->rows[configuration->count - 1]->id);
}

json_t *query_analysis_verdict(const struct analysis *analysis, size_t item, bool with_points)
{
	const struct series_item *about = &analysis->items[item];
	const struct series_metric *metric = &analysis->metrics[about->metric];
	const struct series_configuration *configuration = configuration_of(analysis, item);
	const struct res_change_series *series = &analysis->series[item];
	const char *trend = query_analysis_trend(analysis, item);
	json_t *json = res_change_json(&analysis->analyses[item], &analysis->options);

	PL_JSON_EACH(change, json_object_get(json, "changes"))
		extend_change(analysis, item, change_at, change);
	json_object_update_new(
		json, json_pack("{s:s, s:s, s:O, s:O, s:O, s:s, s:O, s:o, s:o}", "configuration",
				configuration->key, "metric", metric->field->id, "metric_label",
				json_object_get(metric->about, "label"), "unit",
				json_object_get(metric->about, "unit"), "direction",
				json_object_get(metric->about, "direction"), "label",
				configuration->label, "fields", configuration->fields, "trend",
				pl_json_text(trend), "score", pl_json_number(about->score)));
	json_object_update_new(
		json, json_pack("{s:o, s:I, s:I, s:f, s:O}", "experiments",
				experiments_json(analysis, item), "run_count",
				(json_int_t)(configuration->count + configuration->older),
				"host_count", (json_int_t)count_hosts(series), "min_effect",
				metric->effect_min, "decisions", about->placed));
	if (!with_points)
		return json;
	json_t *points = json_array();
	for (size_t i = 0; i < series->count; i++)
		json_array_append_new(points, point_json(analysis, item, i));
	json_object_set_new(json, "points", points);
	json_object_set_new(json, "segments", segments_json(analysis, item));
	json_object_set_new(json, "hardware_changes", hardware_changes_json(analysis, item));
	return json;
}
