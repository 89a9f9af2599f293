/* A field's values in the rows: its cells, and its values as a few distinguishable kinds. */
#include "query/points/points_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "query/facets/histogram.h"
#include "query/order.h"

#define RANGES_MAX     6   /* per field: the number of distinguishable shades */
#define GRID_KINDS_MAX 100 /* per side: more do not fit on a screen */
#define US_PER_MS      1000.0

void query_points_cells_done(struct points_cells *cells)
{
	free(cells->codes);
	free(cells->numbers);
	*cells = (struct points_cells){ 0 };
}

void query_points_kinds_done(struct points_kinds *kinds)
{
	free(kinds->items);
	free(kinds->of);
	*kinds = (struct points_kinds){ 0 };
}

/* ---- cells ----------------------------------------------------------------------------------------- */

static double number_of(const struct mirror_value *value)
{
	if (value->class == MIRROR_NUMBER)
		return value->number;
	return value->is_time ? (double)value->time_us / US_PER_MS : NAN;
}

void query_points_cells_read(const struct points *points, const struct mirror_column *column,
			     struct points_cells *ret)
{
	auto_free uint32_t *codes = pl_alloc_array(MIRROR_SEGMENT_ROWS, sizeof(*codes));
	size_t segment = SIZE_MAX;

	ret->column = column;
	ret->codes = pl_alloc_array(points->row_count, sizeof(*ret->codes));
	ret->numbers = pl_alloc_array(points->row_count, sizeof(*ret->numbers));
	for (size_t i = 0; i < points->row_count; i++) {
		size_t row = points->rows[i], at = row % MIRROR_SEGMENT_ROWS;
		const struct chunk *chunk = mirror_column_chunk(column, row / MIRROR_SEGMENT_ROWS);
		if (row / MIRROR_SEGMENT_ROWS != segment) {
			segment = row / MIRROR_SEGMENT_ROWS;
			mirror_chunk_decode(chunk, mirror_view_rows(points->view, segment), codes);
		}
		const struct mirror_value *value = mirror_column_value(column, codes[at]);
		ret->codes[i] = value->same;
		ret->numbers[i] = value->is_elsewhere ? chunk->numbers[at] : number_of(value);
	}
}

/* ---- kinds ----------------------------------------------------------------------------------------- */

/* Counts a field's values in the rows: finite numbers individually, all others by code. */
struct counted {
	const struct points_cells *cells;
	size_t rows;
	struct query_counted *numbers; /* rising */
	size_t number_count;
	size_t *codes; /* rows by code */
	size_t finite; /* rows with such a number */
};

static bool is_finite_number(const struct points_cells *cells, size_t row)
{
	const struct mirror_value *value = mirror_column_value(cells->column, cells->codes[row]);

	return value->class == MIRROR_NUMBER && isfinite(cells->numbers[row]);
}

struct list {
	struct points_kind *items;
	size_t count;
	size_t room;
};

/* Makes bins with readable edges, merged until each has its share of the rows. */
static void add_ranges(const struct counted *counted, struct list *list)
{
	struct query_histogram histogram;
	size_t begin = 0, rows = 0;

	query_histogram(counted->numbers, counted->number_count, NULL, &histogram);
	for (size_t bin = 0; bin < histogram.bins; bin++) {
		rows += histogram.counts[bin];
		if (bin + 1 < histogram.bins && rows * RANGES_MAX < counted->finite)
			continue;
		if (rows > 0)
			*PL_PUSH(list->items, list->count, list->room) =
				(struct points_kind){ .state = POINTS_RANGE,
						      .low = histogram.edges[begin],
						      .high = histogram.edges[bin + 1],
						      .count = rows,
						      .rank = SIZE_MAX };
		begin = bin + 1;
		rows = 0;
	}
}

static void add_codes(const struct counted *counted, struct list *list)
{
	const struct mirror_column *column = counted->cells->column;

	for (uint32_t code = 0; code < column->distinct; code++) {
		const struct mirror_value *value = mirror_column_value(column, code);
		if (counted->codes[code] == 0)
			continue;
		enum points_state state = value->class == MIRROR_MISSING ? POINTS_MISSING
					  : value->class == MIRROR_NULL  ? POINTS_NULL
									 : POINTS_VALUE;
		*PL_PUSH(list->items, list->count,
			 list->room) = (struct points_kind){ .state = state,
							     .code = code,
							     .value = *value,
							     .count = counted->codes[code],
							     .rank = SIZE_MAX };
	}
}

static void add_numbers(const struct counted *counted, struct list *list)
{
	for (size_t i = 0; i < counted->number_count; i++)
		*PL_PUSH(list->items, list->count, list->room) = (struct points_kind){
			.state = POINTS_VALUE,
			.value = { .class = MIRROR_NUMBER, .number = counted->numbers[i].number },
			.count = counted->numbers[i].count,
			.rank = SIZE_MAX
		};
}

static int compare_kinds(const void *a, const void *b, void *words)
{
	const struct points_kind *one = a, *other = b;
	bool is_value = one->state <= POINTS_RANGE, is_other_value = other->state <= POINTS_RANGE;

	if (!is_value || !is_other_value)
		return (one->state > other->state) - (one->state < other->state);
	struct mirror_value low = { .class = MIRROR_NUMBER, .number = one->low };
	struct mirror_value high = { .class = MIRROR_NUMBER, .number = other->low };
	return query_order_positions(words, one->state == POINTS_RANGE ? &low : &one->value,
				     other->state == POINTS_RANGE ? &high : &other->value);
}

static int compare_counts(const void *a, const void *b, void *kinds)
{
	const struct points_kind *one = (const struct points_kind *)kinds + *(const size_t *)a;
	const struct points_kind *other = (const struct points_kind *)kinds + *(const size_t *)b;

	if (one->count != other->count)
		return one->count > other->count ? -1 : 1;
	return (one > other) - (one < other);
}

/* Keeps the most frequent kinds in their order; all others become one. */
static void cut(struct list *list, size_t kinds_max)
{
	auto_free size_t *order = pl_alloc_array(list->count, sizeof(*order));
	auto_free bool *stays = pl_alloc(list->count);
	struct points_kind other = { .state = POINTS_OTHER, .rank = SIZE_MAX };
	size_t retained = 0;

	if (list->count <= kinds_max)
		return;
	for (size_t i = 0; i < list->count; i++)
		order[i] = i;
	qsort_r(order, list->count, sizeof(*order), compare_counts, list->items);
	for (size_t i = 0; i < list->count; i++)
		stays[order[i]] = i < kinds_max - 1 || list->items[order[i]].state > POINTS_RANGE;
	for (size_t i = 0; i < list->count; i++) {
		if (stays[i])
			list->items[retained++] = list->items[i];
		else
			other.count += list->items[i].count;
	}
	list->items[retained++] = other;
	list->count = retained;
}

/* Returns the last kind of number that begins at or below it, between `first` and `end`. */
static uint32_t kind_of_number(const struct points_kinds *kinds, size_t first, size_t end,
			       double number)
{
	size_t low = first;

	while (low + 1 < end) {
		size_t middle = low + (end - low) / 2;
		const struct points_kind *kind = &kinds->items[middle];
		double begin = kind->state == POINTS_RANGE ? kind->low : kind->value.number;
		if (begin <= number)
			low = middle;
		else
			end = middle;
	}
	if (low >= end)
		return POINTS_NO_KIND;
	const struct points_kind *kind = &kinds->items[low];
	bool is_it = kind->state == POINTS_RANGE
			     ? kind->low <= number
			     : !(kind->value.number < number) && !(kind->value.number > number);
	return is_it ? (uint32_t)low : POINTS_NO_KIND;
}

static bool is_finite_kind(const struct points_kind *kind)
{
	return kind->state == POINTS_RANGE ||
	       (kind->state == POINTS_VALUE && kind->value.class == MIRROR_NUMBER &&
		isfinite(kind->value.number));
}

/* Finds the kinds of numbers: [*ret_first, *ret_end). */
static void find_numbers(const struct points_kinds *kinds, size_t *ret_first, size_t *ret_end)
{
	size_t first = 0;

	while (first < kinds->count && !is_finite_kind(&kinds->items[first]))
		first++;
	*ret_first = *ret_end = first;
	while (*ret_end < kinds->count && is_finite_kind(&kinds->items[*ret_end]))
		(*ret_end)++;
}

/*
 * Numbers the values in the order in which results first had them. A later result adds values at the end, and a filter
 * changes nothing. Numbers that have no code have no rank.
 */
static void rank(const struct points_cells *cells, struct points_kinds *kinds)
{
	const struct mirror_column *column = cells->column;
	auto_free uint32_t *of_code = pl_alloc_array(column->distinct, sizeof(*of_code));
	size_t first, end, position = 0;

	find_numbers(kinds, &first, &end);
	memset(of_code, 0xff, column->distinct * sizeof(*of_code));
	for (size_t i = 0; i < kinds->count; i++) {
		if (kinds->items[i].state == POINTS_VALUE && (i < first || i >= end))
			of_code[kinds->items[i].code] = (uint32_t)i;
	}
	for (uint32_t code = DICTIONARY_NULL + 1; code < column->distinct; code++) {
		const struct mirror_value *value = mirror_column_value(column, code);
		if (value->same != code || value->is_elsewhere)
			continue;
		uint32_t kind = value->class == MIRROR_NUMBER && isfinite(value->number)
					? kind_of_number(kinds, first, end, value->number)
					: of_code[code];
		if (kind != POINTS_NO_KIND && kinds->items[kind].state == POINTS_VALUE)
			kinds->items[kind].rank = position;
		position++;
	}
}

/* Assigns a kind to each row. */
static void settle(const struct points_cells *cells, size_t rows, struct points_kinds *kinds)
{
	auto_free uint32_t *of_code = pl_alloc_array(cells->column->distinct, sizeof(*of_code));
	size_t first, end;
	uint32_t other = POINTS_NO_KIND;

	memset(of_code, 0xff, cells->column->distinct * sizeof(*of_code));
	find_numbers(kinds, &first, &end);
	for (size_t i = 0; i < kinds->count; i++) {
		if (kinds->items[i].state == POINTS_OTHER)
			other = (uint32_t)i;
		else if (i < first || i >= end)
			of_code[kinds->items[i].code] = (uint32_t)i;
	}
	kinds->of = pl_alloc_array(rows, sizeof(*kinds->of));
	for (size_t row = 0; row < rows; row++) {
		uint32_t kind = is_finite_number(cells, row)
					? kind_of_number(kinds, first, end, cells->numbers[row])
					: of_code[cells->codes[row]];
		kinds->of[row] = kind != POINTS_NO_KIND ? kind : other;
	}
}

void query_points_kinds_of_cells(const struct points *points, const struct points_cells *cells,
				 size_t numbers_max, struct points_kinds *ret)
{
	struct counted counted = { .cells = cells, .rows = points->row_count };
	struct list list = { .count = 0 };
	const char *const *words = query_order_words(cells->column->field->id);

	auto_free double *sorted = pl_alloc_array(counted.rows, sizeof(*sorted));
	counted.codes = pl_alloc_array(counted.cells->column->distinct, sizeof(*counted.codes));
	for (size_t i = 0; i < counted.rows; i++) {
		if (is_finite_number(counted.cells, i))
			sorted[counted.finite++] = counted.cells->numbers[i] + 0.0; /* no -0 */
		else
			counted.codes[counted.cells->codes[i]]++;
	}
	pl_stats_sort(sorted, counted.finite);
	counted.numbers = pl_alloc_array(counted.finite, sizeof(*counted.numbers));
	for (size_t i = 0; i < counted.finite; i++) {
		if (i == 0 || sorted[i] > sorted[i - 1])
			counted.numbers[counted.number_count++].number = sorted[i];
		counted.numbers[counted.number_count - 1].count++;
	}
	if (counted.number_count > numbers_max)
		add_ranges(&counted, &list);
	else
		add_numbers(&counted, &list);
	add_codes(&counted, &list);
	if (list.count > 0)
		qsort_r(list.items, list.count, sizeof(*list.items), compare_kinds, (void *)words);
	cut(&list, points->form == POINTS_GRID ? GRID_KINDS_MAX : QUERY_POINTS_KINDS_MAX);
	free(counted.numbers);
	free(counted.codes);
	*ret = (struct points_kinds){ .column = cells->column,
				      .items = list.items,
				      .count = list.count };
	settle(cells, points->row_count, ret);
	rank(cells, ret);
}

void query_points_kinds_make(const struct points *points, const struct mirror_column *column,
			     size_t numbers_max, struct points_kinds *ret)
{
	struct points_cells cells = { 0 };

	query_points_cells_read(points, column, &cells);
	query_points_kinds_of_cells(points, &cells, numbers_max, ret);
	query_points_cells_done(&cells);
}
