/* The grid of some rows: fields that vary, their distinct values, and which combinations of them exist. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "query/groups/cells_priv.h"
#include "query/missing/missing_priv.h"
#include "query/order.h"
#include "result/fields/fields.h"

#define DURATION   "run.duration"
#define SLOTS      1024 /* of the table of distinct values, a power of two above AXIS_VALUES */
#define FIELDS_MAX 64
#define UNSETTABLE 1000 /* distance of cells that differ in a field that a file cannot set */

/* Axes next to the inputs: without them, a grid would mix places that a file cannot change. */
static const char *const environment[] = { "system.hardware_info.gpu_name",
					   "environment.engine.version" };
/* Inputs that are drawn for each run, or that name it. */
static const char *const drawn[] = { "benchmark.seed", "server.seed", "benchmark.request_id_prefix",
				     "benchmark.label", "benchmark.metadata" };

/* These follow a field if both determine each other. */
static const char *const secondary[] = { "benchmark.num_prompts", "benchmark.num_warmups",
					 "benchmark.tokenizer", "server.tokenizer",
					 "server.served_model_name" };

void query_grid_done(struct grid *grid)
{
	for (size_t i = 0; i < grid->field_count; i++) {
		free(grid->fields[i].codes);
		free(grid->fields[i].values);
	}
	free(grid->fields);
	free(grid->places);
	free(grid->seconds);
	free(grid->cell_of);
	free(grid->newest);
	free(grid->median);
	free(grid->runs);
	json_decref(grid->skipped);
}

bool query_grid_is_settable(const struct res_field *field)
{
	return field->option != NULL &&
	       (pl_text_starts(field->id, "server.") || pl_text_starts(field->id, "benchmark."));
}

static bool is_input(const struct res_field *field)
{
	if (PL_TEXT_IS_ONE_OF(field->id, environment))
		return true;
	return field->role == RES_FIELD_INPUT && field->of == NULL &&
	       (pl_text_starts(field->id, "server.") || pl_text_starts(field->id, "benchmark.")) &&
	       !PL_TEXT_IS_ONE_OF(field->id, drawn);
}

/* ---- distinct values -------------------------------------------------------------------------- */

static uint64_t identity_of(const struct mirror_value *value)
{
	uint64_t bits = value->same;

	if (value->class == MIRROR_NUMBER)
		memcpy(&bits, &value->number, sizeof(bits));
	return (bits * 31 + value->class) * 0x9E3779B97F4A7C15u;
}

static bool are_equal(const struct mirror_value *a, const struct mirror_value *b)
{
	if (a->class != b->class)
		return false;
	if (a->class != MIRROR_NUMBER)
		return a->same == b->same || a->class < MIRROR_NUMBER;
	return a->number >= b->number && a->number <= b->number;
}

static bool varies(const struct grid *grid, const struct mirror_column *column)
{
	if (column->distinct < 2)
		return false;
	struct mirror_value first = mirror_column_at(column, grid->places[0]);
	for (size_t i = 1; i < grid->row_count; i++) {
		struct mirror_value value = mirror_column_at(column, grid->places[i]);
		if (!are_equal(&value, &first))
			return true;
	}
	return false;
}

struct ranked {
	struct mirror_value value;
	uint8_t code; /* before sorting */
};

static int compare_ranked(const void *a, const void *b, void *words)
{
	const struct ranked *one = a, *other = b;

	return query_order_values(words, &one->value, &other->value);
}

static void sort_values(struct grid_field *field, size_t row_count)
{
	struct ranked all[AXIS_VALUES];
	uint8_t codes[AXIS_VALUES];

	for (size_t i = 0; i < field->count; i++)
		all[i] = (struct ranked){ field->values[i], (uint8_t)i };
	qsort_r(all, field->count, sizeof(*all), compare_ranked,
		(void *)query_order_words(field->column->field->id));
	for (size_t i = 0; i < field->count; i++) {
		field->values[i] = all[i].value;
		codes[all[i].code] = (uint8_t)i;
	}
	for (size_t i = 0; i < row_count; i++)
		field->codes[i] = codes[field->codes[i]];
}

/* Returns NULL, or the reason why the field is not an axis. */
static const char *read_field(const struct grid *grid, const struct mirror_column *column,
			      bool with_missing, struct grid_field *ret)
{
	uint8_t slots[SLOTS] = { 0 }; /* 1 + index in values */

	*ret = (struct grid_field){ .column = column, .leader = SIZE_MAX };
	ret->codes = pl_alloc_array(grid->row_count + 1, sizeof(*ret->codes));
	ret->values = pl_alloc_array(AXIS_VALUES, sizeof(*ret->values));
	for (size_t i = 0; i < grid->row_count; i++) {
		struct mirror_value value = mirror_column_at(column, grid->places[i]);
		size_t slot = identity_of(&value) >> 54;
		if (value.class == MIRROR_MISSING && !with_missing)
			return "not_recorded";
		while (slots[slot] != 0 && !are_equal(&ret->values[slots[slot] - 1], &value))
			slot = (slot + 1) % SLOTS;
		if (slots[slot] == 0) {
			if (ret->count == AXIS_VALUES)
				return "many_values";
			ret->values[ret->count++] = value;
			slots[slot] = (uint8_t)ret->count;
		}
		ret->codes[i] = slots[slot] - 1;
	}
	sort_values(ret, grid->row_count);
	return NULL;
}

static void add_field(struct grid *grid, const struct mirror_column *column, bool with_missing)
{
	struct grid_field field;
	const char *reason = read_field(grid, column, with_missing, &field);

	if (reason == NULL && grid->field_count == FIELDS_MAX)
		reason = "many_fields";
	if (reason == NULL) {
		*PL_PUSH(grid->fields, grid->field_count, grid->field_room) = field;
		return;
	}
	free(field.codes);
	free(field.values);
	json_array_append_new(grid->skipped,
			      json_pack("{s:s, s:s, s:s}", "field", column->field->id, "label",
					column->field->label, "reason", reason));
}

void query_grid_fields(struct grid *grid, const struct request_fields *chosen)
{
	grid->skipped = json_array();
	for (size_t i = 0; i < chosen->count && grid->row_count > 0; i++)
		add_field(grid, chosen->items[i], true);
	for (size_t i = 0;
	     i < mirror_view_column_count(grid->view) && chosen->count == 0 && grid->row_count > 0;
	     i++) {
		const struct mirror_column *column = mirror_view_at(grid->view, i);
		/* query_grid_make() reports the reason */
		if (mirror_view_goes_on(grid->view, PL_ERR_IGNORED) < 0)
			break;
		if (is_input(column->field) && varies(grid, column))
			add_field(grid, column, false);
	}
}

static bool is_axis(const struct grid *grid, const struct mirror_column *column)
{
	for (size_t i = 0; i < grid->field_count; i++) {
		if (grid->fields[i].column == column)
			return true;
	}
	return false;
}

json_t *query_grid_others(const struct grid *grid)
{
	json_t *others = json_array();

	for (size_t i = 0; i < mirror_view_column_count(grid->view) && grid->row_count > 0; i++) {
		const struct mirror_column *column = mirror_view_at(grid->view, i);
		if (is_input(column->field) && !is_axis(grid, column) && varies(grid, column))
			json_array_append_new(others,
					      json_pack("{s:s, s:s}", "field", column->field->id,
							"label", column->field->label));
	}
	return others;
}

/* ---- axes ------------------------------------------------------------------------------------- */

/* Returns whether rows with equal values of `a` have equal values of `b`. */
static bool determines(const struct grid *grid, const struct grid_field *a,
		       const struct grid_field *b)
{
	uint8_t of[AXIS_VALUES] = { 0 }; /* 1 + code */

	if (a->count < b->count)
		return false;
	for (size_t i = 0; i < grid->row_count; i++) {
		uint8_t *code = &of[a->codes[i]];
		if (*code != 0 && *code != b->codes[i] + 1)
			return false;
		*code = b->codes[i] + 1;
	}
	return true;
}

static bool is_before(const struct grid *grid, size_t a, size_t b)
{
	bool one = PL_TEXT_IS_ONE_OF(grid->fields[a].column->field->id, secondary);
	bool other = PL_TEXT_IS_ONE_OF(grid->fields[b].column->field->id, secondary);

	return one != other ? other : a < b;
}

/* A field follows the first one that determines it; of two that determine each other, only one follows. */
static void find_leaders(struct grid *grid)
{
	for (size_t i = 0; i < grid->field_count; i++) {
		for (size_t k = 0; k < grid->field_count; k++) {
			struct grid_field *field = &grid->fields[i], *other = &grid->fields[k];
			if (i == k || other->leader != SIZE_MAX ||
			    !determines(grid, other, field) ||
			    (is_before(grid, i, k) && determines(grid, field, other)))
				continue;
			field->leader = k;
			break;
		}
	}
	/* the leader may have got a leader itself, which then determines both */
	for (size_t i = 0; i < grid->field_count; i++) {
		size_t *leader = &grid->fields[i].leader;
		while (*leader != SIZE_MAX && grid->fields[*leader].leader != SIZE_MAX)
			*leader = grid->fields[*leader].leader;
	}
}

static void list_axes(struct grid *grid)
{
	grid->size = grid->row_count > 0 ? 1 : 0;
	for (size_t i = 0; i < grid->field_count; i++) {
		const struct grid_field *field = &grid->fields[i];
		if (field->leader != SIZE_MAX)
			continue;
		if (grid->axis_count < AXES_MAX)
			grid->axes[grid->axis_count++] = i;
		else
			grid->size = INFINITY;
		grid->size *= (double)field->count;
	}
	for (size_t i = grid->axis_count; i-- > 0;)
		grid->strides[i] = i + 1 == grid->axis_count
					   ? 1
					   : grid->strides[i + 1] *
						     grid->fields[grid->axes[i + 1]].count;
}

static void read_seconds(struct grid *grid)
{
	const struct mirror_column *column = mirror_view_column(grid->view, DURATION);

	grid->seconds = pl_alloc_array(grid->row_count + 1, sizeof(*grid->seconds));
	for (size_t i = 0; i < grid->row_count; i++) {
		grid->seconds[i] = NAN;
		if (column == NULL)
			continue;
		struct mirror_value value = mirror_column_at(column, grid->places[i]);
		if (value.class == MIRROR_NUMBER && isfinite(value.number) && value.number >= 0)
			grid->seconds[i] = value.number;
	}
}

static double median_of(double *numbers, size_t count)
{
	if (count == 0)
		return NAN;
	pl_stats_sort(numbers, count);
	return count % 2 != 0 ? numbers[count / 2]
			      : numbers[count / 2 - 1] / 2 + numbers[count / 2] / 2;
}

struct timed {
	size_t cell;
	double seconds;
};

static int compare_timed(const void *a, const void *b)
{
	const struct timed *one = a, *other = b;

	return (one->cell > other->cell) - (one->cell < other->cell);
}

static void take_medians(struct grid *grid)
{
	auto_free struct timed *all = pl_alloc_array(grid->row_count + 1, sizeof(*all));
	auto_free double *numbers = pl_alloc_array(grid->row_count + 1, sizeof(*numbers));
	size_t count = 0;

	for (size_t i = 0; i < grid->row_count; i++) {
		if (!isnan(grid->seconds[i]))
			all[count++] = (struct timed){ grid->cell_of[i], grid->seconds[i] };
	}
	qsort(all, count, sizeof(*all), compare_timed);
	for (size_t start = 0, end; start < count; start = end) {
		for (end = start; end < count && all[end].cell == all[start].cell; end++)
			numbers[end - start] = all[end].seconds;
		grid->runs[all[start].cell] = end - start;
		grid->median[all[start].cell] = median_of(numbers, end - start);
	}
}

int query_grid_make(struct grid *grid, bool chosen, struct pl_err *err)
{
	if (mirror_view_goes_on(grid->view, err) < 0)
		return -1;
	if (!chosen)
		find_leaders(grid);
	list_axes(grid);
	if (mirror_view_goes_on(grid->view, err) < 0)
		return -1;
	if (!(grid->size <= GRID_CELLS_MAX))
		return 0;
	size_t size = (size_t)grid->size;
	grid->cell_of = pl_alloc_array(grid->row_count + 1, sizeof(*grid->cell_of));
	grid->newest = pl_alloc_array(size + 1, sizeof(*grid->newest));
	grid->median = pl_alloc_array(size + 1, sizeof(*grid->median));
	grid->runs = pl_alloc_array(size + 1, sizeof(*grid->runs));
	for (size_t i = 0; i < size; i++) {
		grid->newest[i] = NO_CELL;
		grid->median[i] = NAN;
	}
	for (size_t i = 0; i < grid->row_count; i++) {
		size_t cell = 0;
		for (size_t k = 0; k < grid->axis_count; k++)
			cell += grid->strides[k] * grid->fields[grid->axes[k]].codes[i];
		size_t *newest = &grid->newest[cell];
		grid->cell_of[i] = cell;
		grid->present += *newest == NO_CELL;
		if (*newest == NO_CELL || mirror_view_id(grid->view, grid->places[i]) >
						  mirror_view_id(grid->view, grid->places[*newest]))
			*newest = i;
	}
	read_seconds(grid);
	take_medians(grid);
	return mirror_view_goes_on(grid->view, err);
}

/* ---- values ----------------------------------------------------------------------------------- */

json_t *query_grid_value(const struct mirror_value *value)
{
	switch ((enum mirror_class)value->class) {
	case MIRROR_NUMBER:
		if (isinf(value->number))
			return json_string(value->number > 0 ? "inf" : "-inf");
		if (value->number >= -9e15 && value->number <= 9e15 &&
		    !(value->number < floor(value->number)) &&
		    !(value->number > floor(value->number)))
			return json_integer((json_int_t)value->number);
		return json_real(value->number);
	case MIRROR_NO:
		return json_false();
	case MIRROR_YES:
		return json_true();
	case MIRROR_TEXT:
		return pl_json_text(value->text);
	case MIRROR_JSON:
		return pl_json_or_null(json_loads(value->text, JSON_DECODE_ANY, NULL));
	default:
		return json_null();
	}
}

json_t *query_grid_values(const struct grid *grid, size_t cell)
{
	json_t *values = json_array();

	for (size_t k = 0; k < grid->axis_count; k++)
		json_array_append_new(
			values,
			query_grid_value(
				&grid->fields[grid->axes[k]].values[grid_code(grid, cell, k)]));
	return values;
}

static size_t distance(const struct grid *grid, size_t a, size_t b)
{
	size_t sum = 0;

	for (size_t k = 0; k < grid->axis_count; k++) {
		if (grid_code(grid, a, k) != grid_code(grid, b, k))
			sum += query_grid_is_settable(grid->fields[grid->axes[k]].column->field)
				       ? 1
				       : UNSETTABLE;
	}
	return sum;
}

void query_grid_estimate(const struct grid *grid, size_t cell, struct grid_estimate *ret)
{
	auto_free double *medians = pl_alloc_array(grid->present + 1, sizeof(*medians));
	size_t least = SIZE_MAX, timed = SIZE_MAX, count = 0;
	int64_t newest = -1;

	*ret = (struct grid_estimate){ .nearest = NO_CELL, .low = NAN, .high = NAN };
	for (size_t other = 0; other < (size_t)grid->size; other++) {
		size_t row = grid->newest[other];
		if (row == NO_CELL)
			continue;
		size_t far = distance(grid, cell, other);
		int64_t id = mirror_view_id(grid->view, grid->places[row]);
		if (far < least || (far == least && id > newest)) {
			least = far;
			newest = id;
			ret->nearest = row;
		}
		if (isnan(grid->median[other]) || far > timed)
			continue;
		if (far < timed) {
			count = 0;
			ret->runs = 0;
		}
		timed = far;
		medians[count++] = grid->median[other];
		ret->runs += grid->runs[other];
	}
	ret->seconds = median_of(medians, count);
	ret->low = count > 0 ? medians[0] : NAN;
	ret->high = count > 0 ? medians[count - 1] : NAN;
}
