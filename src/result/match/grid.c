#include "result/match/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/stats.h"
#include "base/text.h"
#include "result/change/change.h"
#include "result/change/rank.h"
#include "result/match/nearest.h"
#include "result/match/paired.h"

#define EQUAL        1e-9 /* logarithms of ratios this near to 0 are equal values */
#define SENTENCE_MAX 512

/* The runs of one side with the same inputs. */
struct cell {
	char *key;
	json_t *inputs;     /* those of the key */
	double **values;    /* [metric][run] */
	size_t *room;       /* [metric] */
	size_t *with_value; /* [metric] */
	size_t count;       /* runs */
	int64_t *ids;       /* of runs, in the order in which they were added */
	size_t id_count, id_room;
};

struct side {
	struct cell *cells;
	json_t *index; /* {key: index of the cell} */
	size_t count;
	size_t room;
	size_t runs;
};

struct res_grid {
	const struct res_fields *fields;
	struct res_grid_options options;
	struct side sides[RES_GRID_SIDES];
};

/* A cell of both sides. */
struct match {
	const struct cell *sides[RES_GRID_SIDES];
};

struct res_grid *res_grid_new(const struct res_fields *fields,
			      const struct res_grid_options *options)
{
	struct res_grid *grid = pl_alloc_array(1, sizeof(*grid));

	grid->fields = fields;
	grid->options = *options;
	for (size_t s = 0; s < RES_GRID_SIDES; s++)
		grid->sides[s].index = json_object();
	return grid;
}

void res_grid_free(struct res_grid *grid)
{
	for (size_t s = 0; grid != NULL && s < RES_GRID_SIDES; s++) {
		for (size_t i = 0; i < grid->sides[s].count; i++) {
			struct cell *cell = &grid->sides[s].cells[i];
			for (size_t k = 0; k < grid->options.metric_count; k++)
				free(cell->values[k]);
			free(cell->values);
			free(cell->room);
			free(cell->with_value);
			free(cell->ids);
			free(cell->key);
			json_decref(cell->inputs);
		}
		free(grid->sides[s].cells);
		json_decref(grid->sides[s].index);
	}
	free(grid);
}

static struct cell *find_cell(const struct side *side, const char *key)
{
	const json_t *index = json_object_get(side->index, key);

	return index != NULL ? &side->cells[json_integer_value(index)] : NULL;
}

size_t res_grid_cell(struct res_grid *grid, enum res_grid_side at, json_t *inputs)
{
	const struct res_grid_options *options = &grid->options;
	struct side *side = &grid->sides[at];
	char *key = res_match_key(inputs, options->vary, options->vary_count);
	struct cell *cell = find_cell(side, key);

	if (cell == NULL) {
		json_object_set_new(side->index, key, json_integer((json_int_t)side->count));
		cell = PL_PUSH(side->cells, side->count, side->room);
		*cell = (struct cell){
			.key = key,
			.inputs = pl_json_of_text(key),
			.values = pl_alloc_array(options->metric_count, sizeof(double *)),
			.room = pl_alloc_array(options->metric_count, sizeof(size_t)),
			.with_value = pl_alloc_array(options->metric_count, sizeof(size_t)),
		};
	} else {
		free(key);
	}
	json_decref(inputs);
	return (size_t)(cell - side->cells);
}

void res_grid_add_run(struct res_grid *grid, enum res_grid_side at, size_t index,
		      const double *values)
{
	struct cell *cell = &grid->sides[at].cells[index];

	cell->count++;
	grid->sides[at].runs++;
	for (size_t k = 0; k < grid->options.metric_count; k++) {
		if (isfinite(values[k]))
			*PL_PUSH(cell->values[k], cell->with_value[k], cell->room[k]) = values[k];
	}
}

void res_grid_add_id(struct res_grid *grid, enum res_grid_side at, size_t index, int64_t id)
{
	struct cell *cell = &grid->sides[at].cells[index];

	*PL_PUSH(cell->ids, cell->id_count, cell->id_room) = id;
}

void res_grid_add(struct res_grid *grid, enum res_grid_side side, json_t *inputs,
		  const double *values)
{
	res_grid_add_run(grid, side, res_grid_cell(grid, side, inputs), values);
}

void res_grid_add_document(struct res_grid *grid, enum res_grid_side side, const json_t *document)
{
	size_t count = grid->options.metric_count;
	auto_free double *values = pl_alloc_array(count, sizeof(values[0]));

	for (size_t k = 0; k < count; k++) {
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		res_field_value(grid->fields, &grid->options.metrics[k], document, &value);
		values[k] = value.state == RES_VALUE_PRESENT && value.kind == RES_VALUE_NUMBER
				    ? value.number
				    : NAN;
	}
	res_grid_add(grid, side, res_match_inputs(grid->fields, document), values);
}

/* ---- matched and unmatched ----------------------------------------------------------------- */

static int compare_cells(const void *a, const void *b)
{
	const struct cell *const *one = a, *const *other = b;

	return strcmp((*one)->key, (*other)->key);
}

/* Returns the cells of side A, or of B, with or without one on the other side, sorted by key. */
static const struct cell **pick(const struct res_grid *grid, enum res_grid_side at, bool is_matched,
				size_t *ret_count)
{
	const struct side *side = &grid->sides[at], *other = &grid->sides[1 - at];
	const struct cell **cells = pl_alloc_array(side->count, sizeof(cells[0]));

	*ret_count = 0;
	for (size_t i = 0; i < side->count; i++) {
		if ((find_cell(other, side->cells[i].key) != NULL) == is_matched)
			cells[(*ret_count)++] = &side->cells[i];
	}
	qsort(cells, *ret_count, sizeof(cells[0]), compare_cells);
	return cells;
}

static json_t *inputs_of(const struct cell *const *cells, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append(list, cells[i]->inputs);
	return list;
}

static void add_ids(const struct res_grid *grid, const struct cell *cell, const char *key,
		    json_t *json)
{
	size_t max = grid->options.ids_max;
	json_t *ids = max > 0 ? json_array() : NULL;

	for (size_t i = 0; i < cell->id_count && i < max; i++)
		json_array_append_new(ids, json_integer(cell->ids[cell->id_count - 1 - i]));
	if (ids != NULL)
		json_object_set_new(json, key, ids);
}

/* ---- unmatched cells ----------------------------------------------------------------------- */

static bool is_over(const struct res_grid *grid)
{
	return grid->options.goes_on != NULL && !grid->options.goes_on(grid->options.data);
}

/* Returns the cells of a side, sorted by key: of equally similar ones the first key counts, not the first run. */
static const struct cell **sort_cells(const struct side *side)
{
	const struct cell **cells = pl_alloc_array(side->count + 1, sizeof(*cells));

	for (size_t i = 0; i < side->count; i++)
		cells[i] = &side->cells[i];
	qsort(cells, side->count, sizeof(*cells), compare_cells);
	return cells;
}

/* Returns the index of the most similar one for each; SIZE_MAX: none. */
static size_t *find_nearest(const struct cell *const *cells, size_t count,
			    const struct cell *const *others, size_t other_count)
{
	auto_free const json_t **inputs = pl_alloc_array(count + other_count + 1, sizeof(*inputs));

	for (size_t i = 0; i < count + other_count; i++)
		inputs[i] = i < count ? cells[i]->inputs : others[i - count]->inputs;
	return res_match_nearest(inputs, count, inputs + count, other_count, NULL);
}

/* Stores the number of all unmatched cells in *ret_total. */
static json_t *unmatched_json(const struct res_grid *grid, enum res_grid_side at, size_t *ret_total)
{
	size_t max = grid->options.unmatched_max, count;
	auto_free const struct cell **cells = pick(grid, at, false, &count);
	*ret_total = count;
	count = max > 0 && count > max ? max : count;
	count = is_over(grid) ? 0 : count;
	auto_json json_t *list = inputs_of(cells, count);
	const struct side *other = &grid->sides[1 - at];
	auto_free const struct cell **others = sort_cells(other);
	auto_free size_t *nearest = find_nearest(cells, count, others, other->count);
	json_t *answer = json_array();

	/* the label of a single one has inputs, too: those in which it differs from the nearest one */
	for (size_t i = 0; i < count && nearest[i] != SIZE_MAX; i++)
		json_array_append(list, others[nearest[i]]->inputs);
	auto_json json_t *axes = res_match_axes(list);
	for (size_t i = 0; i < count; i++) {
		auto_free char *label = res_match_label(cells[i]->inputs, axes);
		json_t *differs = nearest[i] == SIZE_MAX
					  ? json_array()
					  : res_match_differences(cells[i]->inputs,
								  others[nearest[i]]->inputs);
		json_t *item = json_pack("{s:s, s:s, s:I, s:o}", "key", cells[i]->key, "label",
					 label, "count", (json_int_t)cells[i]->count, "differs",
					 differs);
		add_ids(grid, cells[i], "ids", item);
		json_array_append_new(answer, item);
	}
	return answer;
}

static json_t *axes_json(const struct res_grid *grid, const json_t *axes)
{
	json_t *list = json_array();

	PL_JSON_EACH_MEMBER(id, values, axes) {
		const struct res_field *field = res_fields_find(grid->fields, id);
		json_array_append_new(list, json_pack("{s:s, s:s, s:O}", "field", id, "label",
						      field != NULL ? field->label : id, "values",
						      values));
	}
	return list;
}

static json_t *cells_json(const struct res_grid *grid, const struct match *matches, size_t count,
			  const json_t *axes)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct cell *a = matches[i].sides[RES_GRID_A];
		const struct cell *b = matches[i].sides[RES_GRID_B];
		auto_free char *label = res_match_label(a->inputs, axes);
		json_t *inputs = json_object();
		PL_JSON_EACH_MEMBER(id, ignored, axes)
			json_object_set_new(
				inputs, id,
				pl_json_or_null(json_incref(json_object_get(a->inputs, id))));
		json_t *item = json_pack("{s:s, s:s, s:o, s:I, s:I}", "key", a->key, "label", label,
					 "inputs", inputs, "a_count", (json_int_t)a->count,
					 "b_count", (json_int_t)b->count);
		add_ids(grid, a, "a_ids", item);
		add_ids(grid, b, "b_ids", item);
		json_array_append_new(list, item);
	}
	return list;
}

/* ---- one metric ---------------------------------------------------------------------------- */

/* The differences of the cells that have a value above 0 on both sides. */
struct differences {
	double *x;
	size_t count;
	size_t above, below;
	json_t *values[RES_GRID_SIDES], *logs; /* per cell, with null */
};

static void differences_done(struct differences *differences)
{
	free(differences->x);
}
#define auto_differences __attribute__((cleanup(differences_done))) struct differences

static struct differences differences_of(const struct match *matches, size_t count, size_t metric)
{
	struct differences found = { .x = pl_alloc_array(count, sizeof(double)),
				     .values = { json_array(), json_array() },
				     .logs = json_array() };

	for (size_t i = 0; i < count; i++) {
		double value[RES_GRID_SIDES], x = NAN;
		for (size_t s = 0; s < RES_GRID_SIDES; s++) {
			const struct cell *cell = matches[i].sides[s];
			value[s] = res_rank_median(cell->values[metric], cell->with_value[metric]);
			json_array_append_new(found.values[s], pl_json_number(value[s]));
		}
		if (value[RES_GRID_A] > 0 && value[RES_GRID_B] > 0) {
			x = log(value[RES_GRID_B] / value[RES_GRID_A]);
			if (fabs(x) < EQUAL)
				x = 0;
			found.x[found.count++] = x;
			found.above += x > 0;
			found.below += x < 0;
		}
		json_array_append_new(found.logs, pl_json_number(x));
	}
	return found;
}

static const char *finding_of(const struct res_field *field, size_t count, bool has_interval,
			      struct res_interval interval)
{
	bool is_higher = interval.low > 0;

	if (count == 0)
		return "no_value";
	if (!has_interval)
		return "no_interval";
	if (!is_higher && !(interval.high < 0))
		return "no_difference";
	if (field->direction == RES_FIELD_NEITHER)
		return is_higher ? "higher" : "lower";
	return is_higher == (field->direction == RES_FIELD_HIGHER) ? "better" : "worse";
}

static void add_share(struct pl_buf *text, double ratio)
{
	pl_buf_addf(text, "%+.1f %%", 100 * (ratio - 1));
}

/* "B is worse in 11 of 12 configurations: +6.1 % (+4.0 % to +8.3 %)" */
static json_t *sentence_of(const struct res_grid *grid, const struct res_field *field,
			   const struct differences *differences, double mean, bool has_interval,
			   struct res_interval interval)
{
	const char *b = grid->options.names[RES_GRID_B];
	auto_buf text = PL_BUF(SENTENCE_MAX);
	bool is_rate = field->direction == RES_FIELD_HIGHER;
	size_t worse = is_rate ? differences->below : differences->above;

	if (differences->count == 0)
		return json_string("no configuration has a value on both sides");
	if (field->direction == RES_FIELD_NEITHER)
		pl_buf_addf(&text, "'%s' is higher in %zu of %zu configurations: ", b,
			    differences->above, differences->count);
	else
		pl_buf_addf(&text, "'%s' is worse in %zu of %zu configurations: ", b, worse,
			    differences->count);
	add_share(&text, exp(mean));
	if (has_interval) {
		pl_buf_add_text(&text, " (");
		add_share(&text, exp(interval.low));
		pl_buf_add_text(&text, " to ");
		add_share(&text, exp(interval.high));
		pl_buf_add_text(&text, ")");
	}
	return json_string(pl_buf_text(&text));
}

static json_t *metric_json(const struct res_grid *grid, const struct match *matches, size_t count,
			   size_t metric)
{
	const struct res_field *field = &grid->options.metrics[metric];
	auto_differences found = differences_of(matches, count, metric);
	struct res_signed_rank rank = res_paired_rank(found.x, found.count);
	struct res_interval interval = { NAN, NAN };
	double effect = grid->options.effect, mean = pl_stats_mean(found.x, found.count);
	uint64_t seed = pl_hash_text(PL_HASH_NONE, field->id);
	bool is_lower_better = field->direction == RES_FIELD_LOWER;

	seed = pl_hash_bytes(seed, found.x, found.count * sizeof(found.x[0]));
	bool has_interval = res_paired_interval(found.x, found.count, seed, &interval);
	if (effect <= 0)
		effect = expm1(res_change_effect_default(field));
	json_t *answer = json_pack(
		"{s:s, s:s, s:s, s:s, s:f, s:I, s:I, s:I, s:I}", "field", field->id, "label",
		field->label, "unit", field->unit, "direction",
		is_lower_better                        ? "lower"
		: field->direction == RES_FIELD_HIGHER ? "higher"
						       : "neither",
		"effect", effect, "count", (json_int_t)found.count, "faster",
		(json_int_t)(is_lower_better ? found.below : found.above), "slower",
		(json_int_t)(is_lower_better ? found.above : found.below), "equal",
		(json_int_t)(found.count - found.above - found.below));
	json_object_set_new(answer, "ratio", pl_json_number(exp(mean)));
	json_object_set_new(answer, "low", pl_json_number(exp(interval.low)));
	json_object_set_new(answer, "high", pl_json_number(exp(interval.high)));
	json_object_set_new(answer, "signed_rank",
			    json_pack("{s:o, s:o, s:b}", "w", pl_json_number(rank.w), "p",
				      pl_json_number(rank.p), "exact", rank.exact));
	json_object_set_new(answer, "sign_p",
			    pl_json_number(res_paired_sign(found.below, found.above)));
	json_object_set_new(answer, "finding",
			    json_string(finding_of(field, found.count, has_interval, interval)));
	json_object_set_new(answer, "sentence",
			    sentence_of(grid, field, &found, mean, has_interval, interval));
	json_object_set_new(answer, "cells",
			    json_pack("{s:o, s:o, s:o}", "a", found.values[RES_GRID_A], "b",
				      found.values[RES_GRID_B], "log_ratio", found.logs));
	return answer;
}

json_t *res_grid_json(const struct res_grid *grid)
{
	const struct res_grid_options *options = &grid->options;
	size_t count;
	auto_free const struct cell **cells = pick(grid, RES_GRID_A, true, &count);
	auto_free struct match *matches = pl_alloc_array(count, sizeof(matches[0]));
	auto_json json_t *list = inputs_of(cells, count);
	auto_json json_t *axes = res_match_axes(list);
	json_t *metrics = json_array(), *unmatched[RES_GRID_SIDES];
	size_t unmatched_count[RES_GRID_SIDES];

	for (size_t i = 0; i < count; i++)
		matches[i] = (struct match){ { cells[i], find_cell(&grid->sides[RES_GRID_B],
								   cells[i]->key) } };
	for (size_t k = 0; k < options->metric_count && !is_over(grid); k++)
		json_array_append_new(metrics, metric_json(grid, matches, count, k));
	for (int side = 0; side < RES_GRID_SIDES; side++)
		unmatched[side] = unmatched_json(grid, side, &unmatched_count[side]);
	return json_pack(
		"{s:{s:s?, s:I}, s:{s:s?, s:I}, s:o, s:o, s:o, s:{s:o, s:o, s:I, s:I}, s:o}", "a",
		"name", options->names[RES_GRID_A], "runs",
		(json_int_t)grid->sides[RES_GRID_A].runs, "b", "name", options->names[RES_GRID_B],
		"runs", (json_int_t)grid->sides[RES_GRID_B].runs, "effect",
		options->effect > 0 ? json_real(options->effect) : json_null(), "axes",
		axes_json(grid, axes), "cells", cells_json(grid, matches, count, axes), "unmatched",
		"a", unmatched[RES_GRID_A], "b", unmatched[RES_GRID_B], "a_count",
		(json_int_t)unmatched_count[RES_GRID_A], "b_count",
		(json_int_t)unmatched_count[RES_GRID_B], "metrics", metrics);
}
