#include "result/match/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* An axis of the heat map: one of `axes` of the grid; NULL: none. */
struct heat_map {
	const json_t *x, *y;
};

static size_t value_count(const json_t *axis)
{
	return axis != NULL ? json_array_size(json_object_get(axis, "values")) : 1;
}

static const char *id_of(const json_t *axis)
{
	return axis != NULL ? pl_json_get_text(axis, "field") : NULL;
}

/* Returns the position of a cell on the axis. */
static size_t position_on(const json_t *axis, const json_t *cell)
{
	const json_t *values = axis != NULL ? json_object_get(axis, "values") : NULL;
	const json_t *value = axis != NULL ? json_object_get(json_object_get(cell, "inputs"),
							     id_of(axis))
					   : NULL;

	PL_JSON_EACH(item, values) {
		if (json_equal(item, value))
			return item_at;
	}
	return 0;
}

static size_t *positions_on(const json_t *axis, const json_t *cells)
{
	size_t *positions = pl_alloc_array(json_array_size(cells) + 1, sizeof(*positions));

	PL_JSON_EACH(cell, cells)
		positions[cell_at] = position_on(axis, cell);
	return positions;
}

static const json_t *find_axis(const json_t *axes, const char *id)
{
	PL_JSON_EACH(axis, axes) {
		if (strcmp(id_of(axis), id) == 0 && value_count(axis) <= RES_HEAT_AXIS_MAX)
			return axis;
	}
	return NULL;
}

/* Returns whether two inputs only repeat each other, such as server.model and benchmark.model. */
static bool repeats(const json_t *one, const json_t *other, const json_t *cells)
{
	auto_free size_t *x = positions_on(one, cells), *y = positions_on(other, cells);
	size_t width = value_count(one), pairs = 0;
	auto_free bool *seen = pl_alloc_array(width * value_count(other), sizeof(*seen));

	for (size_t i = 0; i < json_array_size(cells); i++) {
		bool *is_seen = &seen[y[i] * width + x[i]];
		pairs += !*is_seen;
		*is_seen = true;
	}
	return pairs == width && pairs == value_count(other);
}

/* Derived fields repeat inputs: the number of GPUs follows from the parallelism. */
static bool is_derived(const json_t *axis)
{
	return strncmp(id_of(axis), "derived.", strlen("derived.")) == 0;
}

static bool is_longer(const json_t *axis, const json_t *than)
{
	size_t one = value_count(axis), other = value_count(than);

	return than == NULL || one > other ||
	       (one == other && is_derived(than) && !is_derived(axis));
}

/* Returns the axis with the most values that does not repeat `other`; of equal ones an input, and the first. */
static const json_t *longest(const json_t *axes, const json_t *other, const json_t *cells)
{
	const json_t *found = NULL;

	PL_JSON_EACH(axis, axes) {
		if (axis != other && value_count(axis) <= RES_HEAT_AXIS_MAX &&
		    is_longer(axis, found) && (other == NULL || !repeats(other, axis, cells)))
			found = axis;
	}
	return found;
}

static struct heat_map choose_axes(const json_t *grid, const char *const *chosen, size_t count)
{
	const json_t *axes = json_object_get(grid, "axes"), *cells = json_object_get(grid, "cells");
	struct heat_map map = { NULL, NULL };

	if (chosen == NULL) {
		map.x = longest(axes, NULL, cells);
		map.y = map.x != NULL ? longest(axes, map.x, cells) : NULL;
		return map;
	}
	if (count > 0)
		map.x = find_axis(axes, chosen[0]);
	if (count > 1 && strcmp(chosen[0], chosen[1]) != 0)
		map.y = find_axis(axes, chosen[1]);
	return map;
}

/* Adds the means of the cells with equal values on both axes. */
static void add_map(const struct heat_map *map, const size_t *x, const size_t *y, json_t *metric)
{
	const json_t *logs = json_object_get(json_object_get(metric, "cells"), "log_ratio");
	size_t columns = value_count(map->x), rows = value_count(map->y);
	auto_free double *sums = pl_alloc_array(columns * rows, sizeof(*sums));
	auto_free size_t *counts = pl_alloc_array(columns * rows, sizeof(*counts));
	json_t *log_ratio = json_array(), *count = json_array();

	PL_JSON_EACH(item, logs) {
		size_t at = y[item_at] * columns + x[item_at];
		if (json_is_null(item))
			continue;
		sums[at] += json_number_value(item);
		counts[at]++;
	}
	for (size_t row = 0; row < rows; row++) {
		json_t *means = json_array(), *numbers = json_array();
		for (size_t at = row * columns; at < (row + 1) * columns; at++) {
			json_array_append_new(
				means, pl_json_number(counts[at] > 0 ? sums[at] / (double)counts[at]
								     : NAN));
			json_array_append_new(numbers, json_integer((json_int_t)counts[at]));
		}
		json_array_append_new(log_ratio, means);
		json_array_append_new(count, numbers);
	}
	json_object_set_new(metric, "heat_map",
			    json_pack("{s:o, s:o}", "log_ratio", log_ratio, "count", count));
}

void res_heat_add(json_t *grid, const char *const *chosen, size_t count)
{
	struct heat_map map = choose_axes(grid, chosen, count);
	const json_t *cells = json_object_get(grid, "cells");
	auto_free size_t *x = positions_on(map.x, cells), *y = positions_on(map.y, cells);

	PL_JSON_EACH(metric, json_object_get(grid, "metrics"))
		add_map(&map, x, y, metric);
	json_object_set_new(grid, "heat_map",
			    json_pack("{s:s?, s:s?}", "x", id_of(map.x), "y", id_of(map.y)));
}
