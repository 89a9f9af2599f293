/* Incidents, and the fields that change at their place. Codes of fields are hashes of 31 bits: two values may share one. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "query/series/analysis_priv.h"

#define CODES_MAX  (32u << 20) /* of all rows and fields together */
#define CAUSES_MAX 10
#define ID_DIGITS  12

static bool may_cause(const struct series_set *set, const struct mirror_column *column)
{
	static const char *const others[] = { "environment.profllm", "environment.client.version" };
	const struct res_field *field = column->field;

	return column == set->version || field->role == RES_FIELD_ENGINE ||
	       field->role == RES_FIELD_HOST ||
	       (field->role == RES_FIELD_INPUT && field->of == NULL) ||
	       PL_TEXT_IS_ONE_OF(field->id, others);
}

static bool varies(const struct series_set *set, const uint64_t *identities)
{
	uint64_t first = 0;

	for (size_t i = 0; i < set->row_count; i++) {
		uint64_t identity = identities[set->rows[i].index];
		if (identity != 0 && first != 0 && identity != first)
			return true;
		first = identity != 0 ? identity : first;
	}
	return false;
}

static void add_suspect(struct analysis *analysis, const struct mirror_column *column,
			uint32_t **columns, size_t *room)
{
	const struct series_set *set = &analysis->set;
	auto_free uint64_t *identities = pl_alloc_array(set->bitmap_count + 1, sizeof(*identities));

	query_series_identities(set, column, identities);
	if (!varies(set, identities) ||
	    (analysis->suspect_count + 1) * set->bitmap_count > CODES_MAX)
		return;
	uint32_t *codes = pl_alloc_array(set->bitmap_count + 1, sizeof(*codes));
	for (size_t i = 0; i < set->bitmap_count; i++)
		codes[i] = identities[i] == 0 ? 0 : (uint32_t)(identities[i] >> 32) | 1;
	columns[analysis->suspect_count] = codes;
	*PL_PUSH(analysis->suspects, analysis->suspect_count, *room) = column;
}

/* Sets the codes of all points. */
static void spread_codes(struct analysis *analysis, uint32_t *const *columns)
{
	size_t rows = analysis->set.bitmap_count, count = analysis->suspect_count;

	analysis->suspect_codes = pl_alloc_array(rows * count + 1, sizeof(uint32_t));
	for (size_t field = 0; field < count; field++) {
		for (size_t row = 0; row < rows; row++)
			analysis->suspect_codes[row * count + field] = columns[field][row];
	}
	for (size_t i = 0; i < analysis->count; i++) {
		struct res_change_series *series = &analysis->series[i];
		for (size_t k = 0; k < series->count; k++)
			series->points[k].fields = analysis->suspect_codes +
						   query_analysis_row(analysis, i, k)->index *
							   count;
	}
}

static int find_suspects(struct analysis *analysis, struct pl_err *err)
{
	const struct series_set *set = &analysis->set;
	size_t most = mirror_view_column_count(set->view) + 1, room = 0;
	uint32_t **columns = pl_alloc_array(most, sizeof(*columns));
	bool has_version = false;
	int result = 0;

	for (size_t i = 0; i < mirror_view_column_count(set->view) && result == 0; i++) {
		const struct mirror_column *column = mirror_view_at(set->view, i);
		result = mirror_view_goes_on(set->view, err);
		if (result < 0 || !mirror_column_is_recorded(column) || !may_cause(set, column))
			continue;
		has_version |= column == set->version;
		add_suspect(analysis, column, columns, &room);
	}
	if (set->version != NULL && !has_version && result == 0)
		add_suspect(analysis, set->version, columns, &room);
	spread_codes(analysis, columns);
	for (size_t i = 0; i < analysis->suspect_count; i++)
		free(columns[i]);
	free(columns);
	return result;
}

/* ---- causes -------------------------------------------------------------------------------------- */

/* The next point from `point` at which the field has another recorded value than before; *last: the point with that. */
static size_t next_change(const struct res_change_series *series, size_t field, size_t point,
			  size_t *last)
{
	for (; point < series->count; point++) {
		uint32_t code = series->points[point].fields[field];
		if (code == 0)
			continue;
		size_t before = *last;
		*last = point;
		if (before != SIZE_MAX && series->points[before].fields[field] != code) {
			*last = before;
			return point;
		}
	}
	return SIZE_MAX;
}

static json_t *field_json(const struct mirror_column *column, size_t before, size_t after)
{
	struct mirror_value old = mirror_column_at(column, before);
	struct mirror_value new = mirror_column_at(column, after);

	return json_pack("{s:s, s:s, s:o, s:o}", "field", column->field->id, "label",
			 column->field->label, "before", query_series_value_json(&old), "after",
			 query_series_value_json(&new));
}

/* The values before and after, in the first member in which the field changes there. */
static json_t *cause_field(const struct analysis *analysis, const struct res_incident *incident,
			   size_t field)
{
	for (size_t i = 0; i < incident->count; i++) {
		size_t item = incident->members[i].analysis, last = SIZE_MAX, point = 0;
		const struct res_change_series *series = &analysis->series[item];
		const struct res_change *change =
			&analysis->analyses[item].changes[incident->members[i].change];
		int64_t from = series->points[change->low - 1].at;
		int64_t to = series->points[change->high].at;
		while ((point = next_change(series, field, point, &last)) != SIZE_MAX) {
			int64_t at = series->points[point].at;
			if (at > from && at <= to)
				return field_json(analysis->suspects[field],
						  query_analysis_row(analysis, item, last)->place,
						  query_analysis_row(analysis, item, point)->place);
			last = point++;
		}
	}
	return json_pack("{s:s, s:s, s:n, s:n}", "field", analysis->suspects[field]->field->id,
			 "label", analysis->suspects[field]->field->label, "before", "after");
}

static json_t *cause_json(const struct analysis *analysis, const struct res_incident *incident,
			  const struct res_cause *cause)
{
	json_t *json = cause_field(analysis, incident, cause->field);

	json_object_update_new(json, json_pack("{s:I, s:I, s:I, s:o}", "affected_count",
					       (json_int_t)cause->affected, "series_count",
					       (json_int_t)incident->count, "elsewhere_count",
					       (json_int_t)cause->elsewhere, "score",
					       pl_json_number(cause->score)));
	return json;
}

/* Equal for fields that change at the same points of all members. */
static uint64_t pattern_of(const struct analysis *analysis, const struct res_incident *incident,
			   size_t field)
{
	uint64_t hash = PL_HASH_NONE;

	for (size_t i = 0; i < incident->count; i++) {
		size_t item = incident->members[i].analysis, last = SIZE_MAX, point = 0;
		hash = pl_hash_bytes(hash, &item, sizeof(item));
		while ((point = next_change(&analysis->series[item], field, point, &last)) !=
		       SIZE_MAX) {
			hash = pl_hash_bytes(hash, &point, sizeof(point));
			last = point++;
		}
	}
	return hash;
}

static json_t *inseparable_json(const struct analysis *analysis,
				const struct res_incident *incident, const struct res_cause *causes,
				size_t count)
{
	uint64_t patterns[CAUSES_MAX];
	json_t *groups = json_array();

	for (size_t i = 0; i < count; i++)
		patterns[i] = pattern_of(analysis, incident, causes[i].field);
	for (size_t i = 0; i < count; i++) {
		auto_json json_t *group = json_array();
		for (size_t k = 0; k < count; k++) {
			if (patterns[k] != patterns[i])
				continue;
			if (k < i) /* listed with that one */
				break;
			json_array_append_new(
				group, json_string(analysis->suspects[causes[k].field]->field->id));
		}
		if (json_array_size(group) > 1)
			json_array_append(groups, group);
	}
	return groups;
}

/* ---- incidents ----------------------------------------------------------------------------------- */

static char *label_at(const struct series_set *set, int64_t position)
{
	int64_t at = query_series_at(set, position);
	const struct series_row row = { .time_us = at, .version = (uint32_t)(at + 1) };

	return query_series_label(set, &row);
}

static char *id_of(const struct analysis *analysis, const struct res_incident *incident)
{
	const struct res_incident_member *first = &incident->members[0];
	const struct res_change *change =
		&analysis->analyses[first->analysis].changes[first->change];
	auto_free char *text = pl_asprintf(
		"%s %lld", analysis->items[first->analysis].key,
		(long long)query_analysis_row(analysis, first->analysis, change->index)->time_us);
	char hex[PL_SHA256_HEX_BYTES];

	pl_sha256(text, strlen(text), hex);
	return pl_strndup(hex, ID_DIGITS);
}

static json_t *member_json(const struct analysis *analysis,
			   const struct res_incident_member *member, const char **state)
{
	const struct series_item *item = &analysis->items[member->analysis];
	const struct res_change *change =
		&analysis->analyses[member->analysis].changes[member->change];
	const char *name = res_change_state_name(change->state);

	if (*state == NULL || change->state == RES_CHANGE_REGRESSION ||
	    (change->state == RES_CHANGE_IMPROVEMENT &&
	     strcmp(*state, res_change_state_name(RES_CHANGE_REGRESSION)) != 0))
		*state = name;
	return json_pack("{s:s, s:s, s:s, s:I, s:s, s:o}", "key", item->key, "metric",
			 analysis->metrics[item->metric].field->id, "label",
			 analysis->set.configurations[item->configuration].label, "change_index",
			 (json_int_t)member->change, "state", name, "ratio",
			 pl_json_number(change->ratio));
}

static json_t *incident_json(const struct analysis *analysis, const struct res_incident *incident)
{
	auto_free struct res_cause *causes = pl_alloc_array(analysis->suspect_count + 1,
							    sizeof(*causes));
	size_t count = res_change_causes(analysis->analyses, analysis->count, incident,
					 analysis->suspect_count, causes);
	auto_free char *from = label_at(&analysis->set, incident->from);
	auto_free char *to = label_at(&analysis->set, incident->to);
	auto_free char *id = id_of(analysis, incident);
	json_t *members = json_array(), *list = json_array();
	const char *state = NULL;

	count = count < CAUSES_MAX ? count : CAUSES_MAX;
	for (size_t i = 0; i < incident->count; i++)
		json_array_append_new(members,
				      member_json(analysis, &incident->members[i], &state));
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, cause_json(analysis, incident, &causes[i]));
	return json_pack("{s:s, s:I, s:I, s:s, s:s, s:s, s:o, s:o, s:o}", "id", id, "from_at",
			 (json_int_t)query_series_at(&analysis->set, incident->from), "to_at",
			 (json_int_t)query_series_at(&analysis->set, incident->to), "from_label",
			 from, "to_label", to, "state", state, "series", members, "causes", list,
			 "inseparable", inseparable_json(analysis, incident, causes, count));
}

int query_analysis_find_incidents(struct analysis *analysis, struct pl_err *err)
{
	analysis->incident_json = json_array();
	res_change_incidents(analysis->analyses, analysis->count, analysis->options.drift,
			     &analysis->incidents, &analysis->incident_count);
	if (analysis->incident_count == 0)
		return 0;
	if (find_suspects(analysis, err) < 0)
		return -1;
	for (size_t i = 0; i < analysis->incident_count; i++) {
		if (mirror_view_goes_on(analysis->set.view, err) < 0)
			return -1;
		json_array_append_new(analysis->incident_json,
				      incident_json(analysis, &analysis->incidents[i]));
	}
	return 0;
}

size_t query_analysis_incident_of(const struct analysis *analysis, size_t item, size_t change)
{
	for (size_t i = 0; i < analysis->incident_count; i++) {
		for (size_t k = 0; k < analysis->incidents[i].count; k++) {
			const struct res_incident_member *member =
				&analysis->incidents[i].members[k];
			if (member->analysis == item && member->change == change)
				return i;
		}
	}
	return SIZE_MAX;
}
