/*
 * Rows as lines over several axes: every row, or with too many rows the unique ones and one for each lot of similar
 * rows.
 */
#include "query/points/points_priv.h"

#include <stdlib.h>
#include <string.h>

#include "query/out_priv.h"

#define CELLS_MAX    64 /* per axis; a position or a gap fits into BITS_OF_AXIS */
#define BITS_OF_AXIS 7
#define COLORS_MAX   255 /* limited by the remaining bits of a key */
#define FEW          3

/* Rows whose lines pass through the same cells in the same color. */
struct alike {
	uint64_t key;
	uint32_t count;
	uint32_t left; /* rows that are not assigned yet */
};

/* Hash table by key, with open addressing. */
struct lot {
	struct alike *items;
	size_t room;    /* a power of two, at least twice the rows */
	uint64_t *keys; /* by row */
};

static void lot_done(struct lot *lot)
{
	free(lot->items);
	free(lot->keys);
}
#define auto_lot __attribute__((cleanup(lot_done), unused)) struct lot

/* The resolution at which rows are distinguished. */
struct sight {
	size_t cells;  /* per axis */
	size_t few;    /* maximum of similar rows that are drawn individually */
	bool is_blind; /* ignores colors */
};

static struct alike *find(const struct lot *lot, uint64_t key)
{
	/* a multiplicative hash, which spreads adjacent keys */
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (lot->room - 1);

	while (lot->items[at].count > 0 && lot->items[at].key != key)
		at = (at + 1) & (lot->room - 1);
	return &lot->items[at];
}

/* Counts the lines at this resolution. */
static size_t count_alike(const struct points *points, const uint32_t *weight,
			  const struct sight *sight, struct lot *lot)
{
	size_t lines = 0;

	memset(lot->items, 0, lot->room * sizeof(*lot->items));
	for (size_t row = 0; row < points->row_count; row++) {
		if (weight[row] > 0) {
			lines++;
			continue;
		}
		bool has_color = points->colors.column != NULL && !sight->is_blind;
		uint64_t key = has_color ? points->colors.of[row] : 0;
		key = key < COLORS_MAX ? key : COLORS_MAX;
		for (size_t i = 0; i < points->axis_count; i++) {
			const struct points_axis *axis = &points->axes[i];
			double at = axis->at[row];
			key = key << BITS_OF_AXIS |
			      (isnan(at) ? 0 : 1 + query_points_cell_along(axis, at, sight->cells));
		}
		lot->keys[row] = key;
		struct alike *alike = find(lot, lot->keys[row]);
		alike->key = lot->keys[row];
		alike->left = ++alike->count;
	}
	for (size_t i = 0; i < lot->room; i++)
		lines += lot->items[i].count > sight->few ? 1 : lot->items[i].count;
	return lines;
}

/*
 * Reduces the resolution. The last one fits all: with one cell per axis there are as many lots as combinations of gaps,
 * at most 256, and one line each plus BOUND_SELECTED_MAX is below every limit.
 */
static void worsen(struct sight *sight)
{
	if (sight->cells > 1)
		sight->cells = sight->cells * 2 / 3;
	else if (sight->few > 1)
		sight->few = 1;
	else
		sight->is_blind = true;
}

static void thin(const struct points *points, uint32_t *weight)
{
	struct sight sight = { .cells = CELLS_MAX, .few = FEW };
	auto_lot lot = { .room = 64 };

	while (lot.room < points->row_count * 2)
		lot.room *= 2;
	lot.items = pl_alloc_array(lot.room, sizeof(*lot.items));
	lot.keys = pl_alloc_array(points->row_count, sizeof(*lot.keys));
	while (count_alike(points, weight, &sight, &lot) > points->limit && !sight.is_blind)
		worsen(&sight);
	/* starting with the newest */
	for (size_t row = points->row_count; row-- > 0;) {
		if (weight[row] > 0)
			continue;
		struct alike *alike = find(&lot, lot.keys[row]);
		bool is_few = alike->count <= sight.few;
		weight[row] = is_few ? 1 : alike->left;
		alike->left = is_few ? alike->left : 0;
	}
}

static size_t choose(const struct points *points, uint32_t *weight)
{
	bool is_thinned = points_are_thinned(points);
	size_t count = 0;

	for (size_t row = 0; row < points->row_count; row++) {
		int64_t id = mirror_view_id(points->view, points->rows[row]);
		weight[row] = !is_thinned || query_points_is_selected(points, id);
	}
	if (is_thinned)
		thin(points, weight);
	for (size_t row = 0; row < points->row_count; row++)
		count += weight[row] > 0;
	return count;
}

static void write_axes(const struct points *points, struct pl_buf *out)
{
	static const char *const gaps[POINTS_AXIS_REASONS] = { "missing", "null", "word",
							       "infinite", "other" };

	query_out_key(out, "axes");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < points->axis_count; i++) {
		query_out_next(out);
		query_points_write_axis(&points->axes[i], out);
	}
	pl_buf_add_char(out, ']');
	query_out_key(out, "gaps");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < points->axis_count; i++) {
		query_out_next(out);
		query_points_write_reasons(gaps, points->axes[i].gaps, POINTS_AXIS_REASONS, out);
	}
	pl_buf_add_char(out, ']');
}

void query_points_write_parallel(struct points *points, struct pl_buf *out)
{
	auto_free uint32_t *weight = pl_alloc_array(points->row_count, sizeof(*weight));
	size_t count = choose(points, weight), at = 0;
	auto_free uint32_t *rows = pl_alloc_array(count, sizeof(*rows));

	for (size_t row = 0; row < points->row_count; row++) {
		if (weight[row] > 0)
			rows[at++] = (uint32_t)row;
	}
	write_axes(points, out);
	query_out_key(out, "lines");
	pl_buf_add_char(out, '{');
	query_points_write_ids(points, rows, count, out);
	query_out_key(out, "at");
	pl_buf_add_char(out, '[');
	for (size_t i = 0; i < points->axis_count; i++) {
		query_out_next(out);
		pl_buf_add_char(out, '[');
		for (size_t k = 0; k < count; k++) {
			query_out_next(out);
			query_out_f64_rounded(out, points->axes[i].at[rows[k]], points->digits);
		}
		pl_buf_add_char(out, ']');
	}
	pl_buf_add_char(out, ']');
	query_points_write_positions("color", points->colors.of, rows, count, out);
	query_points_write_positions("count", weight, rows, count, out);
	query_points_write_about(points, rows, count, out);
	pl_buf_add_char(out, '}');
}
