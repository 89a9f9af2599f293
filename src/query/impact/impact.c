#include "query/impact/impact_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "mirror/kernels/kernels.h"
#include "query/facets/tally_priv.h"
#include "query/filter.h"
#include "query/groups/cells_priv.h"
#include "query/groups/keys_priv.h"
#include "query/order.h"
#include "tbl/request_bounds.h"

#define DEFAULT_METRIC "results.output_throughput"
#define ARGUMENT       "server."

/* Inputs that users do not set, or that are no argument. */
static const struct {
	const char *id;
	bool is_host;
	bool is_derived;
} other_inputs[] = {
	{ "environment.engine.name", false, false },
	{ "environment.engine.version", false, false },
	{ "system.hardware_info.gpu_name", false, false },
	{ "derived.gpu_count", false, true },
	{ "environment.hostname", true, false },
	{ "environment.gpu_driver", true, false },
	{ "launch.cpus", false, false },
	{ "launch.other_servers_max", false, false },
};

static void impact_done(struct impact *impact)
{
	res_impact_analysis_done(&impact->analysis);
	for (size_t i = 0; i < impact->inputs.count && impact->factors != NULL; i++)
		free((void *)impact->factors[i].codes);
	free(impact->factors);
	free(impact->inputs.items);
	free(impact->constant.items);
	free(impact->places);
	free(impact->is_set);
	free(impact->row_ids);
	free(impact->values);
	free(impact->vary.items);
	query_configurations_done(&impact->configurations);
	query_filter_free(impact->filter);
	mirror_view_free(impact->view);
	query_pointer_done(&impact->pointer);
	free(impact->ids.items);
}
#define auto_query_impact __attribute__((cleanup(impact_done), unused)) struct impact

/* ---- the request --------------------------------------------------------------------------------- */

static void add_id(struct mirror_ids *ids, const json_t *id)
{
	if (json_is_string(id))
		*PL_PUSH(ids->items, ids->count, ids->room) = json_string_value(id);
}

static int open_view(struct impact *impact, const struct mirror_snapshot *snapshot,
		     const json_t *request, struct pl_err *err)
{
	query_filter_fields(query_request_member(request, "filter"), &impact->ids);
	query_request_ids(query_request_member(request, "vary"), &impact->ids);
	add_id(&impact->ids, json_object_get(request, "metric"));
	add_id(&impact->ids, json_object_get(query_request_member(request, "pairs_of"), "field"));
	*PL_PUSH(impact->ids.items, impact->ids.count, impact->ids.room) = DEFAULT_METRIC;
	for (size_t i = 0; i < PL_ARRAY_SIZE(other_inputs); i++)
		*PL_PUSH(impact->ids.items, impact->ids.count,
			 impact->ids.room) = other_inputs[i].id;
	if (mirror_view_new(snapshot, &impact->ids, &impact->view, err) < 0)
		return -1;
	impact->configurations.view = impact->view;
	return 0;
}

static bool is_number(const struct mirror_column *column)
{
	return column->field->type == RES_FIELD_NUMBER || column->field->type == RES_FIELD_COUNT;
}

static bool read_request(struct impact *impact, const json_t *request)
{
	struct query_pointer *pointer = &impact->pointer;
	const json_t *effect = query_request_member(request, "effect");
	bool fits = query_filter_new(impact->view, query_request_member(request, "filter"),
				     "/filter", &impact->filter, pointer->faults) == 0;

	impact->metric = mirror_view_column(impact->view, DEFAULT_METRIC);
	fits = query_request_field(pointer, impact->view, request, "metric", &impact->metric) &&
	       fits;
	if (fits && !is_number(impact->metric)) {
		size_t before = query_pointer_enter(pointer, "metric");
		fits = query_pointer_fault(pointer, "type", json_object_get(request, "metric"),
					   "a field with numbers", NULL);
		query_pointer_leave(pointer, before);
	}
	fits = query_request_columns(pointer, impact->view, request, "vary", &impact->vary) && fits;
	impact->pairs_of = query_request_member(request, "pairs_of");
	if (impact->pairs_of != NULL) {
		size_t before = query_pointer_enter(pointer, "pairs_of");
		fits = query_request_field(pointer, impact->view, impact->pairs_of, "field",
					   &impact->pairs_column) &&
		       fits;
		query_pointer_leave(pointer, before);
	}
	impact->effect = effect != NULL ? json_number_value(effect) : RES_IMPACT_SMALL_EFFECT;
	impact->limit = (size_t)query_request_number(request, "limit", BOUND_IMPACT_DEFAULT);
	impact->budget_ms = query_request_number(request, "budget_ms", 0);
	return fits;
}

/* ---- rows ---------------------------------------------------------------------------------------- */

/* Removes rows without a finite number above 0 in the metric, and reads the others. */
static void read_rows(struct impact *impact)
{
	uint64_t *rows = impact->configurations.rows;
	size_t words = mirror_view_words(impact->view), at = 0;
	size_t before = mirror_kernels()->count(rows, words);
	auto_free struct cell *cells = pl_alloc_array(before + 1, sizeof(*cells));

	impact->places = pl_alloc_array(before + 1, sizeof(*impact->places));
	impact->row_ids = pl_alloc_array(before + 1, sizeof(*impact->row_ids));
	impact->values = pl_alloc_array(before + 1, sizeof(*impact->values));
	query_cells_read(impact->view, impact->metric, rows, cells);
	for (size_t word = 0; word < words; word++) {
		for (uint64_t bits = rows[word]; bits != 0; bits &= bits - 1) {
			const struct cell *cell = &cells[at++];
			size_t place = word * MIRROR_WORD_ROWS + (size_t)__builtin_ctzll(bits);
			if (cell->class != MIRROR_NUMBER || !isfinite(cell->number) ||
			    cell->number <= 0) {
				rows[word] &= ~(bits & -bits);
				continue;
			}
			impact->places[impact->row_count] = place;
			impact->row_ids[impact->row_count] = mirror_view_id(impact->view, place);
			impact->values[impact->row_count++] = cell->number;
		}
	}
	impact->unmeasured = before - impact->row_count;
}

/* ---- inputs -------------------------------------------------------------------------------------- */

static bool is_varied(const struct impact *impact, const struct mirror_column *column)
{
	for (size_t i = 0; i < impact->vary.count; i++) {
		if (impact->vary.items[i] == column)
			return true;
	}
	return column == impact->metric;
}

static bool is_argument(const struct mirror_column *column)
{
	return pl_text_starts(column->field->id, ARGUMENT);
}

static bool has_explicit(const struct mirror_column *column)
{
	for (uint32_t code = 0; code < column->distinct; code++) {
		if (mirror_column_value(column, code)->is_explicit)
			return true;
	}
	return false;
}

/*
 * Marks the arguments that some row sets: defaults of releases differ, and are no choice of a user. If a row does not
 * record which arguments were set, all of its arguments are, as in query/series/keys.c.
 */
static void find_explicit(struct impact *impact)
{
	size_t columns = mirror_view_column_count(impact->view);
	auto_free bool *knows = pl_alloc_array(impact->row_count + 1, sizeof(*knows));

	impact->is_set = pl_alloc_array(columns + 1, sizeof(*impact->is_set));
	for (size_t i = 0; i < columns; i++) {
		const struct mirror_column *column = mirror_view_at(impact->view, i);
		if (!is_argument(column) || !has_explicit(column))
			continue;
		for (size_t row = 0; row < impact->row_count; row++) {
			if (mirror_column_at(column, impact->places[row]).is_explicit)
				impact->is_set[i] = knows[row] = true;
		}
	}
	for (size_t row = 0; row < impact->row_count; row++) {
		for (size_t i = 0; i < columns && !knows[row]; i++) {
			const struct mirror_column *column = mirror_view_at(impact->view, i);
			if (is_argument(column) && !impact->is_set[i])
				impact->is_set[i] =
					mirror_column_at(column, impact->places[row]).class !=
					MIRROR_MISSING;
		}
	}
}

static void add_input(struct impact *impact, const struct mirror_column *column, bool is_host,
		      bool is_derived, struct tally *tally, const struct facet_rows *rows)
{
	struct inputs *inputs = &impact->constant;

	if (column == NULL || !mirror_column_is_recorded(column) || is_varied(impact, column))
		return;
	query_tally_column(tally, column, rows);
	if (query_tally_varies(tally, column, rows))
		inputs = &impact->inputs;
	*PL_PUSH(inputs->items, inputs->count, inputs->room) = (struct input){ column, is_host,
									       is_derived };
}

static int compare_inputs(const void *a, const void *b)
{
	const struct input *one = a, *other = b;

	return strcmp(one->column->field->id, other->column->field->id);
}

static int list_inputs(struct impact *impact, struct pl_err *err)
{
	auto_facet_rows struct facet_rows *rows = query_facet_rows_new(impact->view,
								       impact->configurations.rows);
	auto_tally tally = { 0 };

	for (size_t i = 0; i < mirror_view_column_count(impact->view); i++) {
		const struct mirror_column *column = mirror_view_at(impact->view, i);
		if (column->field->role != RES_FIELD_INPUT || column->field->of != NULL)
			continue;
		if (mirror_view_goes_on(impact->view, err) < 0)
			return -1;
		if (is_argument(column) && !impact->is_set[i])
			continue;
		add_input(impact, column, false, false, &tally, rows);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(other_inputs); i++)
		add_input(impact, mirror_view_column(impact->view, other_inputs[i].id),
			  other_inputs[i].is_host, other_inputs[i].is_derived, &tally, rows);
	if (impact->inputs.count > 0)
		qsort(impact->inputs.items, impact->inputs.count, sizeof(*impact->inputs.items),
		      compare_inputs);
	if (impact->constant.count > 0)
		qsort(impact->constant.items, impact->constant.count,
		      sizeof(*impact->constant.items), compare_inputs);
	return 0;
}

/* ---- codes --------------------------------------------------------------------------------------- */

struct level {
	struct mirror_value value;
	uint32_t at; /* in order of appearance */
};

static int compare_levels(const void *a, const void *b, void *context)
{
	const struct level *one = a, *other = b;
	int order = query_order_values(context, &one->value, &other->value);

	return order != 0 ? order : (one->at > other->at) - (one->at < other->at);
}

struct slot {
	uint64_t identity; /* never 0 */
	uint32_t at;
};

static uint64_t identity_of(const struct cell *cell)
{
	uint64_t bits = cell->code;

	if (cell->class == MIRROR_NUMBER)
		memcpy(&bits, &cell->number, sizeof(bits));
	else if (cell->class == MIRROR_NULL)
		bits = 0;
	return query_keys_mix(query_keys_mix(0, cell->class), bits) | 1;
}

/* Codes the values of a column in their order, from 1; 0: not recorded. */
static void code_input(const struct impact *impact, const struct input *input, struct cell *cells,
		       struct slot *slots, size_t room, struct res_impact_factor *ret)
{
	uint32_t *codes = pl_alloc_array(impact->row_count + 1, sizeof(*codes));
	struct level *levels = NULL;
	size_t count = 0, levels_room = 0;
	bool is_ordered = true;

	memset(slots, 0, room * sizeof(*slots));
	query_cells_read(impact->view, input->column, impact->configurations.rows, cells);
	for (size_t i = 0; i < impact->row_count; i++) {
		if (cells[i].class == MIRROR_MISSING)
			continue;
		uint64_t identity = identity_of(&cells[i]);
		size_t at = (size_t)(identity * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
		while (slots[at].identity != 0 && slots[at].identity != identity)
			at = (at + 1) & (room - 1);
		if (slots[at].identity == 0) {
			slots[at] = (struct slot){ identity, (uint32_t)count };
			struct level *level = PL_PUSH(levels, count, levels_room);
			*level = (struct level){ mirror_column_at(input->column, impact->places[i]),
						 slots[at].at };
			is_ordered = is_ordered && level->value.class != MIRROR_TEXT &&
				     level->value.class != MIRROR_JSON;
		}
		codes[i] = slots[at].at + 1;
	}
	if (count > 0)
		qsort_r(levels, count, sizeof(*levels), compare_levels,
			(void *)query_order_words(input->column->field->id));
	auto_free uint32_t *code_of = pl_alloc_array(count + 1, sizeof(*code_of));
	for (size_t i = 0; i < count; i++)
		code_of[levels[i].at + 1] = (uint32_t)(i + 1);
	for (size_t i = 0; i < impact->row_count; i++)
		codes[i] = code_of[codes[i]];
	free(levels);
	*ret = (struct res_impact_factor){ .id = input->column->field->id,
					   .codes = codes,
					   .level_count = (uint32_t)(count + 1),
					   .is_host = input->is_host,
					   .is_ordered = is_ordered,
					   .is_derived = input->is_derived };
}

static int code_inputs(struct impact *impact, struct pl_err *err)
{
	size_t room = 16;

	while (room < 2 * impact->row_count)
		room *= 2;
	auto_free struct slot *slots = pl_alloc_array(room, sizeof(*slots));
	auto_free struct cell *cells = pl_alloc_array(impact->row_count + 1, sizeof(*cells));
	impact->factors = pl_alloc_array(impact->inputs.count + 1, sizeof(*impact->factors));
	for (size_t i = 0; i < impact->inputs.count; i++) {
		if (mirror_view_goes_on(impact->view, err) < 0)
			return -1;
		code_input(impact, &impact->inputs.items[i], cells, slots, room,
			   &impact->factors[i]);
	}
	return 0;
}

/* Returns false once the time has ended, or the client has left. */
static bool has_time(void *data)
{
	struct impact *impact = data;
	int64_t used_ns = pl_clock_now_ns() - impact->began_ns;

	return (impact->budget_ms <= 0 || used_ns < impact->budget_ms * PL_NS_PER_MS) &&
	       mirror_view_has_time(impact->view);
}

int query_impact(const struct mirror_snapshot *snapshot, const json_t *request,
		 struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_query_impact impact = { .pointer = { .pointer = PL_BUF(POINTER_BYTES_MAX),
						  .faults = faults },
				     .began_ns = pl_clock_now_ns() };
	struct configurations *configurations = &impact.configurations;

	if (open_view(&impact, snapshot, request, err) < 0)
		return -1;
	if (!read_request(&impact, request))
		return query_request_refuse(&impact.pointer, err);
	size_t bytes = mirror_view_words(impact.view) * sizeof(*configurations->rows);
	configurations->rows = pl_alloc(bytes);
	if (bytes > 0)
		memcpy(configurations->rows, query_filter_rows(impact.filter), bytes);
	query_configurations_choose(configurations,
				    json_is_true(json_object_get(request, "simulated")),
				    json_is_true(json_object_get(request, "untrusted")));
	read_rows(&impact);
	find_explicit(&impact);
	if (list_inputs(&impact, err) < 0 || code_inputs(&impact, err) < 0 ||
	    mirror_view_settle(impact.view, err) < 0)
		return -1;
	res_impact_analyze(&(struct res_impact_question){ .factors = impact.factors,
							  .factor_count = impact.inputs.count,
							  .values = impact.values,
							  .ids = impact.row_ids,
							  .row_count = impact.row_count,
							  .effect = impact.effect,
							  .without_forest = impact.pairs_of != NULL,
							  .goes_on = has_time,
							  .data = &impact },
			   &impact.analysis);
	if (mirror_view_goes_on(impact.view, err) < 0)
		return -1;
	return query_impact_write(&impact, mirror_snapshot_version(snapshot), ret_json, err);
}
