#include "query/series/set_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mirror/instant.h"
#include "query/groups/cells_priv.h"
#include "query/groups/keys_priv.h"

#define WHOLE_MAX 9e15

static uint64_t identity_of(unsigned char class, uint32_t code, double number)
{
	uint64_t bits = code;

	if (class <= MIRROR_NULL)
		return 0;
	number += 0.0; /* -0 is 0 */
	if (class == MIRROR_NUMBER)
		memcpy(&bits, &number, sizeof(bits));
	return query_keys_mix(query_keys_mix(0, class), bits) | 1;
}

uint64_t query_series_identity(const struct mirror_value *value, double number)
{
	return identity_of(value->class, value->same, number);
}

void query_series_identities(const struct series_set *set, const struct mirror_column *column,
			     uint64_t *ret)
{
	auto_free struct cell *cells = pl_alloc_array(set->bitmap_count, sizeof(*cells));

	query_cells_read(set->view, column, set->bitmap, cells);
	for (size_t i = 0; i < set->bitmap_count; i++)
		ret[i] = identity_of(cells[i].class, cells[i].code, cells[i].number);
}

void query_series_numbers(const struct series_set *set, const struct mirror_column *column,
			  double *ret)
{
	auto_free struct cell *cells = pl_alloc_array(set->bitmap_count, sizeof(*cells));

	if (column != NULL)
		query_cells_read(set->view, column, set->bitmap, cells);
	for (size_t i = 0; i < set->bitmap_count; i++)
		ret[i] = column != NULL && cells[i].class == MIRROR_NUMBER &&
					 isfinite(cells[i].number)
				 ? cells[i].number
				 : NAN;
}

json_t *query_series_value_json(const struct mirror_value *value)
{
	switch ((enum mirror_class)value->class) {
	case MIRROR_NUMBER:
		if (isinf(value->number))
			return json_string(value->number > 0 ? "inf" : "-inf");
		return fabs(value->number) < WHOLE_MAX && trunc(value->number) == value->number
			       ? json_integer((json_int_t)value->number)
			       : pl_json_number(value->number);
	case MIRROR_NO:
	case MIRROR_YES:
		return json_boolean(value->class == MIRROR_YES);
	case MIRROR_TEXT:
		return pl_json_text(value->text);
	case MIRROR_JSON:
		return pl_json_or_null(pl_json_of_text(value->text));
	default:
		return json_null();
	}
}

bool query_series_value_is(const struct mirror_value *value, const json_t *json)
{
	auto_json json_t *own = value->class > MIRROR_NULL ? query_series_value_json(value) : NULL;

	if (json_is_number(json) && json_is_number(own))
		return !(json_number_value(json) < json_number_value(own)) &&
		       !(json_number_value(json) > json_number_value(own));
	return json_equal(json, own);
}

char *query_series_value_text(const struct mirror_value *value)
{
	auto_json json_t *json = query_series_value_json(value);

	return value->class == MIRROR_NULL      ? pl_strdup("unset")
	       : value->class == MIRROR_MISSING ? pl_strdup("not recorded")
						: pl_json_to_plain(json);
}

struct mirror_value query_series_value(const struct mirror_column *column, size_t place)
{
	return column != NULL ? mirror_column_at(column, place)
			      : (struct mirror_value){ .class = MIRROR_MISSING };
}

char *query_series_label(const struct series_set *set, const struct series_row *row)
{
	char text[MIRROR_INSTANT_BYTES];

	if (set->is_by_version)
		return pl_strdup(set->versions[row->version - 1].label);
	mirror_instant_format(row->time_us, text);
	return pl_strdup(text);
}

json_t *query_series_order_json(const struct series_set *set)
{
	return json_pack("{s:s, s:s}", "by", set->is_by_version ? "version" : "time", "field",
			 set->version_id);
}

json_t *query_series_excluded_json(const struct series_set *set, size_t no_metric)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "simulated", (json_int_t)set->simulated,
			 "no_time", (json_int_t)set->no_time, "no_version",
			 (json_int_t)set->no_version, "no_metric", (json_int_t)no_metric, "older",
			 (json_int_t)set->older);
}
