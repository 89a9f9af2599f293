/*
 * An input is part of a line's key if it was set, as in query/series/keys.c: an argument only if the user set it, because
 * the defaults of releases differ. If a result does not record which arguments the user set, all of its arguments are.
 * Runs of one configuration have the same inputs, so that one run of each is read.
 */
#include "query/configurations/lines_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "query/groups/keys_priv.h"
#include "query/series/set_priv.h"
#include "result/fields/fields.h"

#define ARGUMENT    "server."
#define KEY_DIGITS  16
#define FIELDS_MAX  12 /* in a label */
#define ARENA_BYTES (64u << 10)

/* ---- axes --------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool multiplies;
} axes[] = {
#define AXIS(id, multiplies) { #id, multiplies },
#include "tbl/scaling_axes.h"
};

static const struct {
	enum lines_axis axis;
	const char *argument;
} apart[] = {
#define APART(axis, argument) { LINES_AXIS_##axis, argument },
#include "tbl/scaling_axes.h"
};

const char *query_lines_axis_name(enum lines_axis axis)
{
	return axes[axis].name;
}

bool query_lines_axis_multiplies(enum lines_axis axis)
{
	return axes[axis].multiplies;
}

enum lines_axis query_lines_axis(const char *name)
{
	for (unsigned i = 0; i < LINES_AXIS_COUNT; i++) {
		if (pl_text_equal(axes[i].name, name))
			return (enum lines_axis)i;
	}
	return LINES_AXIS_gpus;
}

const char *query_lines_source_name(enum lines_source source)
{
	static const char *const names[] = {
		[LINES_SOURCE_UNKNOWN] = "unknown",   [LINES_SOURCE_ARGUMENTS] = "arguments",
		[LINES_SOURCE_RECORDED] = "recorded", [LINES_SOURCE_REMOTE] = "remote",
		[LINES_SOURCE_NONE] = "none",
	};

	return names[source];
}

/* ---- sizes -------------------------------------------------------------------------------------- */

enum fact {
	FACT_TENSOR,
	FACT_PIPELINE,
	FACT_DATA,
	TENSOR,
	PIPELINE,
	DATA,
	DATA_LOCAL,
	CONTEXT,
	NODES,
	EXPERT,
	GPUS,
	URL,
	FACT_COUNT
};

static const char *const fact_fields[] = {
	[FACT_TENSOR] = "launch.facts.tensor_parallel_size",
	[FACT_PIPELINE] = "launch.facts.pipeline_parallel_size",
	[FACT_DATA] = "launch.facts.data_parallel_size",
	[TENSOR] = "server.tensor_parallel_size",
	[PIPELINE] = "server.pipeline_parallel_size",
	[DATA] = "server.data_parallel_size",
	[DATA_LOCAL] = "server.data_parallel_size_local",
	[CONTEXT] = "server.prefill_context_parallel_size",
	[NODES] = "server.nnodes",
	[EXPERT] = "server.enable_expert_parallel",
	[GPUS] = "derived.gpu_count",
	[URL] = "launch.url",
};

void query_lines_ids(struct mirror_ids *ids)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(fact_fields); i++)
		*PL_PUSH(ids->items, ids->count, ids->room) = fact_fields[i];
}

struct work {
	struct lines *lines;
	const struct mirror_view *view;
	const struct mirror_column *facts[FACT_COUNT];
	struct pl_arena *arena;

	/* inputs */
	const struct mirror_column **labels; /* of lines: without those of the axis and of vary */
	size_t label_count;
	const struct mirror_column **explicit_arguments; /* that some result's user set */
	size_t explicit_count;
};

static double number_at(const struct work *work, enum fact fact, size_t place)
{
	struct mirror_value value = query_series_value(work->facts[fact], place);

	return value.class == MIRROR_NUMBER && isfinite(value.number) ? value.number : NAN;
}

static double first_of(double one, double other)
{
	return isnan(one) ? other : one;
}

/* docs/reference/scaling.md has the rules. */
static void count_gpus(const struct work *work, size_t place, struct lines_sizes *ret)
{
	double product = res_scaling_gpus(&ret->layout);
	bool is_remote = query_series_value(work->facts[URL], place).class == MIRROR_TEXT;

	ret->gpus_recorded = number_at(work, GPUS, place);
	if (isnan(ret->gpus_recorded) && is_remote) {
		ret->source = LINES_SOURCE_REMOTE;
	} else if (ret->gpus_recorded <= 0) {
		ret->source = LINES_SOURCE_NONE;
	} else if (!is_remote && !isnan(product)) {
		ret->gpus = product;
		ret->source = LINES_SOURCE_ARGUMENTS;
	} else if (!isnan(ret->gpus_recorded)) {
		ret->gpus = ret->gpus_recorded;
		ret->source = LINES_SOURCE_RECORDED;
	}
}

static struct lines_sizes sizes_at(const struct work *work, size_t place)
{
	struct lines_sizes ret = { .gpus = NAN };
	struct res_scaling_layout *layout = &ret.layout;

	/* the log of the server says what ran */
	layout->tensor = first_of(number_at(work, FACT_TENSOR, place),
				  number_at(work, TENSOR, place));
	layout->pipeline = first_of(number_at(work, FACT_PIPELINE, place),
				    number_at(work, PIPELINE, place));
	layout->data = first_of(number_at(work, FACT_DATA, place), number_at(work, DATA, place));
	layout->data_local = number_at(work, DATA_LOCAL, place);
	layout->prefill_context = number_at(work, CONTEXT, place);
	layout->nodes = number_at(work, NODES, place);
	layout->is_expert = query_series_value(work->facts[EXPERT], place).class == MIRROR_YES;
	count_gpus(work, place, &ret);

	bool is_known = !isnan(layout->tensor);
	ret.of[LINES_AXIS_gpus] = ret.gpus;
	ret.of[LINES_AXIS_tensor] = layout->tensor;
	ret.of[LINES_AXIS_pipeline] = is_known ? first_of(layout->pipeline, 1) : NAN;
	ret.of[LINES_AXIS_data] = is_known ? first_of(layout->data, 1) : NAN;
	ret.of[LINES_AXIS_expert] = res_scaling_experts(layout);
	ret.of[LINES_AXIS_nodes] = is_known ? res_scaling_nodes(layout) : NAN;
	return ret;
}

/* ---- inputs ------------------------------------------------------------------------------------- */

static bool is_argument(const struct mirror_column *column)
{
	return pl_text_starts(column->field->id, ARGUMENT);
}

static bool is_apart(const struct lines *lines, const struct mirror_column *column)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(apart); i++) {
		if (apart[i].axis == lines->axis &&
		    pl_text_equal(apart[i].argument, column->field->id))
			return true;
	}
	for (size_t i = 0; i < lines->vary.count; i++) {
		if (lines->vary.items[i] == column)
			return true;
	}
	return false;
}

static bool is_explicit_somewhere(const struct mirror_column *column)
{
	for (uint32_t code = 0; code < column->distinct; code++) {
		if (mirror_column_value(column, code)->is_explicit)
			return true;
	}
	return false;
}

static void add_label(struct work *work, const struct mirror_column *column)
{
	if (column == NULL || is_apart(work->lines, column))
		return;
	for (size_t i = 0; i < work->label_count; i++) {
		if (work->labels[i] == column)
			return;
	}
	work->labels[work->label_count++] = column;
}

static void choose_inputs(struct work *work)
{
	static const char *const others[] = { "environment.engine.name",
					      "environment.engine.version",
					      "system.hardware_info.gpu_name" };
	const struct request_fields *by = &work->lines->configurations->by;
	size_t count = mirror_view_column_count(work->view);

	work->labels = pl_alloc_array(count + by->count + PL_ARRAY_SIZE(others),
				      sizeof(struct mirror_column *));
	work->explicit_arguments = pl_alloc_array(count + 1, sizeof(struct mirror_column *));
	for (size_t i = 0; i < by->count; i++)
		add_label(work, by->items[i]);
	for (size_t i = 0; i < count; i++) {
		const struct mirror_column *column = mirror_view_at(work->view, i);
		if (!mirror_column_is_recorded(column))
			continue;
		if (is_argument(column) && is_explicit_somewhere(column))
			work->explicit_arguments[work->explicit_count++] = column;
		if (column->field->role == RES_FIELD_INPUT && column->field->of == NULL)
			add_label(work, column);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++)
		add_label(work, mirror_view_column(work->view, others[i]));
}

/* Returns whether the result at the place records some argument that the user set. */
static bool has_explicit(const struct work *work, size_t place)
{
	for (size_t i = 0; i < work->explicit_count; i++) {
		if (mirror_column_at(work->explicit_arguments[i], place).is_explicit)
			return true;
	}
	return false;
}

static bool is_chosen(const struct mirror_column *column, const struct mirror_value *value,
		      bool has_explicit_arguments)
{
	return value->class > MIRROR_NULL &&
	       (!is_argument(column) || value->is_explicit || !has_explicit_arguments);
}

static uint64_t identity_of(const struct mirror_value *value)
{
	return query_series_identity(value, value->class == MIRROR_NUMBER ? value->number : 0);
}

/* ---- lines -------------------------------------------------------------------------------------- */

/* A configuration while lines are made. */
struct part {
	uint64_t line;    /* hash of what a line has in common */
	const char *vary; /* canonical values; NULL: no fields vary */
	struct lines_sizes sizes;
	double size;
	size_t at; /* in the configurations */
	size_t row;
};

static uint64_t line_hash(const struct work *work, size_t group, size_t row)
{
	bool is_set = has_explicit(work, row);
	uint64_t hash = query_keys_mix(0, group);

	for (size_t i = 0; i < work->label_count; i++) {
		struct mirror_value value = mirror_column_at(work->labels[i], row);
		if (is_chosen(work->labels[i], &value, is_set))
			hash = query_keys_mix(hash, query_keys_mix(i + 1, identity_of(&value)));
	}
	return hash;
}

/* Returns the values of `vary`, in the arena. */
static const char *vary_text(const struct work *work, size_t row)
{
	if (work->lines->vary.count == 0)
		return NULL;
	auto_json json_t *varied = query_lines_varied(work->lines, row);
	auto_free char *text = res_field_canonical(varied);
	return pl_arena_strndup(work->arena, text, strlen(text));
}

static int compare_f64(double one, double other)
{
	if (isnan(one) || isnan(other))
		return isnan(one) - isnan(other);
	return (one > other) - (one < other);
}

static int compare_layouts(const struct lines_sizes *one, const struct lines_sizes *other)
{
	const struct res_scaling_layout *a = &one->layout, *b = &other->layout;
	const double pairs[][2] = {
		{ first_of(one->gpus, INFINITY), first_of(other->gpus, INFINITY) },
		{ one->gpus_recorded, other->gpus_recorded },
		{ a->tensor, b->tensor },
		{ first_of(a->pipeline, 1), first_of(b->pipeline, 1) },
		{ first_of(a->data, 1), first_of(b->data, 1) },
		{ first_of(a->prefill_context, 1), first_of(b->prefill_context, 1) },
		{ res_scaling_nodes(a), res_scaling_nodes(b) },
		{ a->is_expert, b->is_expert },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(pairs); i++) {
		int difference = compare_f64(pairs[i][0], pairs[i][1]);
		if (difference != 0)
			return difference;
	}
	return 0;
}

/* Parts of one point are equal but for their position in the configurations. */
static int compare_points(const struct part *one, const struct part *other)
{
	int difference;

	if (one->line != other->line)
		return one->line < other->line ? -1 : 1;
	difference = compare_f64(one->size, other->size);
	if (difference == 0)
		difference = compare_layouts(&one->sizes, &other->sizes);
	if (difference == 0 && one->vary != NULL)
		difference = strcmp(one->vary, other->vary);
	return difference;
}

static int compare_parts(const void *a, const void *b)
{
	const struct part *one = a, *other = b;
	int difference = compare_points(one, other);

	return difference != 0 ? difference : (one->at > other->at) - (one->at < other->at);
}

static int compare_sizes(const void *a, const void *b)
{
	return compare_f64(*(const double *)a, *(const double *)b);
}

/* Keeps the smallest distinct sizes of an axis, and counts the others. Sorts `sizes`. */
static void list_sizes(struct lines *lines, unsigned axis, double *sizes, size_t count)
{
	double last = 0;

	if (count > 0)
		qsort(sizes, count, sizeof(*sizes), compare_sizes);
	for (size_t i = 0; i < count; i++) {
		if (!(sizes[i] > last) || isinf(sizes[i]))
			continue;
		last = sizes[i];
		if (lines->sizes_count[axis] < LINES_SIZES_MAX)
			lines->sizes[axis][lines->sizes_count[axis]++] = last;
		else
			lines->more_sizes_count[axis]++;
	}
}

static int read_parts(struct work *work, struct part *parts, size_t *ret_count, struct pl_err *err)
{
	struct lines *lines = work->lines;
	const struct configurations *configurations = lines->configurations;
	size_t count = 0, all = configurations->parts.count;
	auto_free double *sizes = pl_alloc_array(all * LINES_AXIS_COUNT + 1, sizeof(*sizes));

	for (size_t i = 0; i < all; i++) {
		struct part *part = &parts[count];
		if (i % 1024 == 0 && mirror_view_goes_on(work->view, err) < 0)
			return -1;
		part->at = i;
		part->row = configurations->places[configurations->starts[i + 1] - 1];
		part->sizes = sizes_at(work, part->row);
		part->size = part->sizes.of[lines->axis];
		for (unsigned axis = 0; axis < LINES_AXIS_COUNT; axis++)
			sizes[axis * all + i] = part->sizes.of[axis];
		if (!(part->size > 0)) {
			lines->unsized += configurations_runs(configurations, i);
			continue;
		}
		part->line = line_hash(work, configurations->group_of[i], part->row);
		part->vary = vary_text(work, part->row);
		count++;
	}
	for (unsigned axis = 0; axis < LINES_AXIS_COUNT; axis++)
		list_sizes(lines, axis, sizes + axis * all, all);
	*ret_count = count;
	return 0;
}

/* The hash of the names and values that a line has in common, which other databases compute, too. */
static char *key_of(const struct work *work, size_t row)
{
	auto_json json_t *values = json_object();
	bool is_set = has_explicit(work, row);
	char hex[PL_SHA256_HEX_BYTES];

	for (size_t i = 0; i < work->label_count; i++) {
		const struct mirror_column *column = work->labels[i];
		struct mirror_value value = mirror_column_at(column, row);
		if (is_chosen(column, &value, is_set))
			json_object_set_new(values, column->field->id,
					    query_series_value_json(&value));
	}
	auto_free char *text = res_field_canonical(values);
	pl_sha256(text, strlen(text), hex);
	return pl_strndup(hex, KEY_DIGITS);
}

struct run {
	int64_t id;
	size_t index, place;
};

static int compare_runs(const void *a, const void *b)
{
	const struct run *one = a, *other = b;

	return (one->id > other->id) - (one->id < other->id);
}

/* Appends the runs of the parts to lines->runs, by id. Returns the number of runs. */
static size_t add_runs(struct work *work, const struct part *parts, size_t count, size_t first)
{
	struct lines *lines = work->lines;
	const struct configurations *configurations = lines->configurations;
	size_t total = 0, at = 0;

	for (size_t i = 0; i < count; i++)
		total += configurations_runs(configurations, parts[i].at);
	auto_free struct run *runs = pl_alloc_array(total + 1, sizeof(*runs));
	for (size_t i = 0; i < count; i++) {
		for (size_t k = configurations->starts[parts[i].at];
		     k < configurations->starts[parts[i].at + 1]; k++)
			runs[at++] =
				(struct run){ mirror_view_id(work->view, configurations->places[k]),
					      configurations->runs[k], configurations->places[k] };
	}
	qsort(runs, total, sizeof(*runs), compare_runs);
	for (size_t i = 0; i < total; i++) {
		lines->runs[first + i] = runs[i].index;
		lines->places[first + i] = runs[i].place;
	}
	return total;
}

/* Makes the line of parts[0..count), whose points start at lines->points[point] and runs at lines->runs[run]. */
static void make_line(struct work *work, const struct part *parts, size_t count, size_t point,
		      size_t run, struct line *ret)
{
	struct lines *lines = work->lines;

	*ret = (struct line){ .row = parts[0].row,
			      .group = lines->configurations->group_of[parts[0].at],
			      .first = point };
	for (size_t i = 0, end; i < count; i = end) {
		struct lines_point *made = &lines->points[point + ret->count];
		for (end = i + 1; end < count && compare_points(&parts[i], &parts[end]) == 0; end++)
			continue;
		*made = (struct lines_point){ .sizes = parts[i].sizes,
					      .size = parts[i].size,
					      .first = run + ret->run_count };
		made->count = add_runs(work, parts + i, end - i, made->first);
		made->row = lines->places[made->first + made->count - 1];
		if (ret->count == 0 || made->size > lines->points[point + ret->count - 1].size)
			ret->size_count++;
		ret->run_count += made->count;
		ret->count++;
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *one = a, *other = b;

	if (one->size_count != other->size_count)
		return one->size_count > other->size_count ? -1 : 1;
	if (one->run_count != other->run_count)
		return one->run_count > other->run_count ? -1 : 1;
	return strcmp(one->key, other->key);
}

static void make_lines(struct work *work, const struct part *parts, size_t count)
{
	struct lines *lines = work->lines;
	size_t point = 0, run = 0, room = 0, end;

	lines->points = pl_alloc_array(count + 1, sizeof(*lines->points));
	lines->runs = pl_alloc_array(lines->configurations->parts.row_count + 1, sizeof(size_t));
	lines->places = pl_alloc_array(lines->configurations->parts.row_count + 1, sizeof(size_t));
	for (size_t i = 0; i < count; i = end) {
		struct line line;
		for (end = i + 1; end < count && parts[end].line == parts[i].line; end++)
			continue;
		make_line(work, parts + i, end - i, point, run, &line);
		point += line.count;
		run += line.run_count;
		if (line.size_count < 2) {
			lines->single_count++;
			continue;
		}
		line.key = key_of(work, line.row);
		lines->run_count += line.run_count;
		*PL_PUSH(lines->items, lines->count, room) = line;
	}
	if (lines->count > 0)
		qsort(lines->items, lines->count, sizeof(*lines->items), compare_lines);
}

static void open_work(struct work *work, struct lines *lines)
{
	*work = (struct work){ .lines = lines,
			       .view = lines->configurations->view,
			       .arena = pl_arena_new(ARENA_BYTES) };
	for (size_t i = 0; i < FACT_COUNT; i++)
		work->facts[i] = mirror_view_column(work->view, fact_fields[i]);
	choose_inputs(work);
}

static void close_work(struct work *work)
{
	free(work->labels);
	free(work->explicit_arguments);
	pl_arena_free(work->arena);
}

int query_lines_make(struct lines *lines, struct pl_err *err)
{
	struct work work;
	size_t count = 0;
	auto_free struct part *parts = pl_alloc_array(lines->configurations->parts.count + 1,
						      sizeof(*parts));

	open_work(&work, lines);
	int result = read_parts(&work, parts, &count, err);
	if (result == 0) {
		if (count > 0)
			qsort(parts, count, sizeof(*parts), compare_parts);
		make_lines(&work, parts, count);
	}
	close_work(&work);
	return result;
}

void query_lines_done(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->items[i].key);
	free(lines->items);
	free(lines->points);
	free(lines->runs);
	free(lines->places);
	free(lines->vary.items);
}

/* ---- labels ------------------------------------------------------------------------------------- */

static json_t *field_json(const struct mirror_column *column, json_t *value)
{
	const struct res_field *field = column->field;

	return json_pack("{s:s, s:s, s:o}", "field", field->id, "label",
			 field->short_label != NULL ? field->short_label : field->label, "value",
			 value);
}

/* The value of an input that was set; null otherwise. */
static json_t *value_of(const struct mirror_column *column, size_t row, bool is_set)
{
	struct mirror_value value = mirror_column_at(column, row);

	return is_chosen(column, &value, is_set) ? query_series_value_json(&value) : json_null();
}

/* Returns whether each line has the same value in an earlier field; server.model and benchmark.model usually do. */
static bool repeats(const json_t *lists, const json_t *values)
{
	for (size_t k = 0; k < json_array_size(json_array_get(lists, 0)); k++) {
		bool is_same = true;
		for (size_t i = 0; i < json_array_size(values) && is_same; i++)
			is_same = json_equal(
				json_array_get(values, i),
				json_object_get(json_array_get(json_array_get(lists, i), k),
						"value"));
		if (is_same)
			return true;
	}
	return false;
}

json_t *query_lines_fields(const struct lines *lines, size_t count)
{
	struct work work;
	json_t *lists = json_array();
	auto_free bool *is_set = pl_alloc_array(count + 1, sizeof(*is_set));

	open_work(&work, (struct lines *)lines);
	for (size_t i = 0; i < count; i++) {
		json_array_append_new(lists, json_array());
		is_set[i] = has_explicit(&work, lines->items[i].row);
	}
	for (size_t k = 0; k < work.label_count && count > 0; k++) {
		const struct mirror_column *column = work.labels[k];
		auto_json json_t *values = json_array();
		bool differ = false;
		for (size_t i = 0; i < count; i++) {
			json_array_append_new(values,
					      value_of(column, lines->items[i].row, is_set[i]));
			differ = differ ||
				 !json_equal(json_array_get(values, i), json_array_get(values, 0));
		}
		if (!differ || repeats(lists, values) ||
		    json_array_size(json_array_get(lists, 0)) == FIELDS_MAX)
			continue;
		for (size_t i = 0; i < count; i++)
			json_array_append_new(
				json_array_get(lists, i),
				field_json(column, json_incref(json_array_get(values, i))));
	}
	close_work(&work);
	return lists;
}

json_t *query_lines_varied(const struct lines *lines, size_t place)
{
	json_t *ret = json_array();

	for (size_t i = 0; i < lines->vary.count; i++) {
		struct mirror_value value = mirror_column_at(lines->vary.items[i], place);
		json_array_append_new(
			ret, field_json(lines->vary.items[i], query_series_value_json(&value)));
	}
	return ret;
}

char *query_lines_label(const json_t *fields)
{
	auto_buf text = PL_BUF(1u << 20);

	PL_JSON_EACH(field, fields) {
		auto_free char *value = pl_json_to_plain(json_object_get(field, "value"));
		if (!json_is_null(json_object_get(field, "value")))
			pl_buf_addf(&text, "%s%s %s", text.len > 0 ? ", " : "",
				    pl_json_get_text(field, "label"), value);
	}
	if (text.len == 0)
		pl_buf_add_text(&text, "all results");
	return pl_buf_take(&text);
}
