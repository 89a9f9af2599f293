/* Baselines (store/analysis/baseline.h): their list, and their lines in two metrics next to the results of a filter. */
#include "store/analysis/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "checkpoint/hardware.h"
#include "dash/problem.h"
#include "dash/question.h"
#include "mirror/mirror.h"
#include "query/query.h"
#include "result/frontier/frontier.h"
#include "tbl/request_bounds.h"

#define VALUES_LISTED 5
#define OWN_VALUES    1000
#define TOLERANCE     0.1 /* of numbers that are measured, such as prompt lengths */

/* ---- the list --------------------------------------------------------------------------------- */

/* Adds a text unless it is in the list or NULL. */
static void add_once(json_t *list, const char *text)
{
	if (text != NULL && !pl_json_has_text(list, text))
		json_array_append_new(list, json_string(text));
}

static void add_dates(const json_t *rows, json_t *json)
{
	const char *first = NULL, *last = NULL;

	PL_JSON_EACH(row, rows) {
		const char *date = pl_json_get_text(row, "date");
		if (date == NULL)
			continue;
		first = first == NULL || strcmp(date, first) < 0 ? date : first;
		last = last == NULL || strcmp(date, last) > 0 ? date : last;
	}
	json_object_set_new(json, "first_date", pl_json_text(first));
	json_object_set_new(json, "last_date", pl_json_text(last));
}

static json_t *texts_of(const json_t *rows, const char *key)
{
	json_t *list = json_array();

	PL_JSON_EACH(row, rows)
		add_once(list, pl_json_get_text(row, key));
	return list;
}

static json_t *metrics_of(const json_t *rows)
{
	auto_json json_t *seen = json_object();
	json_t *list = json_array();

	PL_JSON_EACH(row, rows) {
		PL_JSON_EACH_MEMBER(id, number, json_object_get(row, "values"))
			json_object_set_new(seen, id, json_true());
	}
	PL_JSON_EACH_MEMBER(id, ignored, seen)
		json_array_append_new(list, json_string(id));
	return list;
}

static json_t *head_of(const json_t *baseline)
{
	json_t *head = json_copy((json_t *)baseline);
	const json_t *rows = json_object_get(baseline, "rows");

	json_object_del(head, "rows");
	json_object_set_new(head, "row_count", json_integer((json_int_t)json_array_size(rows)));
	json_object_set_new(head, "models", texts_of(rows, "model"));
	json_object_set_new(head, "gpus", texts_of(rows, "gpu"));
	json_object_set_new(head, "sources", texts_of(rows, "source"));
	json_object_set_new(head, "metrics", metrics_of(rows));
	add_dates(rows, head);
	return head;
}

void dash_list_baselines(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *ids = NULL;
	auto_json json_t *heads = json_array();
	struct pl_err err = PL_ERR_INIT;

	if (store_baseline_ids(request->context->store, &ids, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	PL_JSON_EACH(id, ids) {
		auto_json json_t *baseline = NULL;
		if (store_baseline_get(request->context->store, json_integer_value(id), &baseline,
				       &err) < 0) {
			dash_refuse_stored(answer, &err);
			return;
		}
		if (baseline != NULL)
			json_array_append_new(heads, head_of(baseline));
	}
	dash_answer_json(answer, 200, json_pack("{s:O}", "baselines", heads));
}

void dash_get_baseline(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request);
	auto_json json_t *stored = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (id > 0 && store_baseline_get(request->context->store, id, &stored, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (stored == NULL)
		dash_refuse(answer, 404, "baseline '%s' does not exist", request->words[0]);
	else
		dash_answer_json(answer, 200, pl_take(stored));
}

void dash_remove_baseline(const struct dash_request *request, struct dash_answer *answer)
{
	int64_t id = dash_request_id(request);
	struct pl_err err = PL_ERR_INIT;
	bool found = false;

	if (id > 0 && store_baseline_remove(request->context->store, id, &found, &err) < 0)
		dash_refuse_stored(answer, &err);
	else if (!found)
		dash_refuse(answer, 404, "baseline '%s' does not exist", request->words[0]);
	else
		answer->status = 204;
}

/* ---- lines ------------------------------------------------------------------------------------ */

/* Rows of one line have equal values in these. */
static const char *const line_keys[] = { "model",         "gpu",    "precision", "input_length",
					 "output_length", "engine", "note" };

/* Adds the rows of a baseline with both metrics to `lines`: {KEY: {…, rows}}. Returns the number of others. */
static size_t group_rows(const json_t *baseline, const char *x, const char *y, json_t *lines)
{
	size_t unmeasured = 0;

	PL_JSON_EACH(row, json_object_get(baseline, "rows")) {
		const json_t *values = json_object_get(row, "values");
		auto_json json_t *line = json_pack("{s:O, s:O}", "baseline",
						   json_object_get(baseline, "id"), "name",
						   json_object_get(baseline, "name"));
		if (json_object_get(values, x) == NULL || json_object_get(values, y) == NULL) {
			unmeasured++;
			continue;
		}
		for (size_t i = 0; i < PL_ARRAY_SIZE(line_keys); i++)
			json_object_set(line, line_keys[i], json_object_get(row, line_keys[i]));
		auto_free char *key = pl_json_to_text(line, PL_JSON_COMPACT);
		json_t *known = json_object_get(lines, key);
		if (known == NULL) {
			known = json_incref(line);
			json_object_set_new(known, "rows", json_array());
			json_object_set_new(lines, key, known);
		}
		json_array_append(json_object_get(known, "rows"), row);
	}
	return unmeasured;
}

struct point {
	double x, y;
	const json_t *row;
};

static int compare_points(const void *a, const void *b)
{
	const struct point *one = a, *other = b;

	if (one->x < other->x || one->x > other->x)
		return one->x < other->x ? -1 : 1;
	return (one->y > other->y) - (one->y < other->y);
}

static json_t *points_of(const json_t *rows, const char *x, const char *y,
			 const struct res_frontier_space *space)
{
	size_t count = json_array_size(rows);
	auto_free struct point *points = pl_alloc_array(count + 1, sizeof(*points));
	auto_free double *numbers = pl_alloc_array(2 * count + 1, sizeof(*numbers));
	auto_free enum res_frontier_state *states = pl_alloc_array(count + 1, sizeof(*states));
	json_t *list = json_array();

	PL_JSON_EACH(row, rows) {
		const json_t *values = json_object_get(row, "values");
		points[row_at] = (struct point){ json_number_value(json_object_get(values, x)),
						 json_number_value(json_object_get(values, y)),
						 row };
	}
	qsort(points, count, sizeof(*points), compare_points);
	for (size_t i = 0; i < count; i++) {
		numbers[2 * i] = points[i].x;
		numbers[2 * i + 1] = points[i].y;
	}
	res_frontier_find(space, numbers, count, states);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			list,
			json_pack("{s:f, s:f, s:b, s:O, s:O, s:O, s:O}", "x", points[i].x, "y",
				  points[i].y, "frontier", states[i] == RES_FRONTIER_ON,
				  "gpu_count", json_object_get(points[i].row, "gpu_count"),
				  "concurrency", json_object_get(points[i].row, "concurrency"),
				  "source", json_object_get(points[i].row, "source"), "date",
				  json_object_get(points[i].row, "date")));
	return list;
}

/* ---- differences ------------------------------------------------------------------------------ */

enum way { WAY_MODEL, WAY_GPU, WAY_TEXT, WAY_NUMBER, WAY_RANGE };

/* Properties of baselines, and the fields of results with the same meaning. */
static const struct property {
	const char *name;
	const char *field;
	enum way way;
} properties[] = {
	{ "model", "server.model", WAY_MODEL },
	{ "gpu", "system.hardware_info.gpu_name", WAY_GPU },
	{ "gpu_count", "derived.gpu_count", WAY_NUMBER },
	{ "precision", "server.quantization", WAY_TEXT },
	{ "input_length", "derived.input_tokens_per_request", WAY_RANGE },
	{ "output_length", "derived.output_tokens_per_request", WAY_RANGE },
	{ "concurrency", "benchmark.max_concurrency", WAY_NUMBER },
	{ "engine", "environment.engine.name", WAY_TEXT },
};

static json_t *options_request(const json_t *body)
{
	json_t *fields = json_array();
	json_t *request = json_pack("{s:o, s:i}", "fields", fields, "limit", OWN_VALUES);

	for (size_t i = 0; i < PL_ARRAY_SIZE(properties); i++)
		json_array_append_new(fields, json_string(properties[i].field));
	if (json_object_get(body, "filter") != NULL)
		json_object_set(request, "filter", json_object_get(body, "filter"));
	return request;
}

/* Returns the part of a model's name after its owner. */
static const char *model_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash != NULL ? slash + 1 : name;
}

/* Returns the row of tbl/hardware.h, or NULL. */
static const struct ckpt_gpu *gpu_of(const char *name)
{
	struct ckpt_hardware hardware;
	const struct ckpt_gpu *gpu = ckpt_gpu_find_title(name);

	if (gpu != NULL)
		return gpu;
	if (ckpt_hardware_find(name, &hardware, PL_ERR_IGNORED) < 0)
		return NULL;
	for (size_t i = 0; i < ckpt_gpu_count(); i++) {
		if (strcmp(ckpt_gpu_at(i)->name, hardware.gpu.name) == 0)
			return ckpt_gpu_at(i);
	}
	return NULL;
}

static bool are_equal(enum way way, const json_t *own, const json_t *theirs)
{
	const char *one = json_string_value(own), *other = json_string_value(theirs);
	double a = json_number_value(own), b = json_number_value(theirs);

	if (way == WAY_NUMBER || way == WAY_RANGE)
		return json_is_number(own) && !(a < b) && !(a > b);
	if (one == NULL || other == NULL)
		return false;
	if (way == WAY_MODEL)
		return strcasecmp(model_of(one), model_of(other)) == 0;
	if (way == WAY_GPU && gpu_of(one) != NULL)
		return gpu_of(one) == gpu_of(other);
	return strcasecmp(one, other) == 0;
}

static bool is_among(const struct property *property, const json_t *option, const json_t *value)
{
	const json_t *min = json_object_get(option, "min"), *max = json_object_get(option, "max");
	double number = json_number_value(value);

	if (property->way == WAY_RANGE)
		return json_is_number(min) && number >= json_number_value(min) * (1 - TOLERANCE) &&
		       number <= json_number_value(max) * (1 + TOLERANCE);
	PL_JSON_EACH(entry, json_object_get(option, "values")) {
		if (are_equal(property->way, json_object_get(entry, "value"), value))
			return true;
	}
	return false;
}

static json_t *own_values(const json_t *option)
{
	json_t *list = json_array();

	PL_JSON_EACH(entry, json_object_get(option, "values")) {
		json_t *value = json_object_get(entry, "value");
		if (json_array_size(list) < VALUES_LISTED && !json_is_null(value))
			json_array_append(list, value);
	}
	return list;
}

/* The load generator of a public result is never known to be the same. */
static json_t *differences_of(const json_t *rows, const json_t *options)
{
	json_t *list = json_array();

	for (size_t i = 0; i < PL_ARRAY_SIZE(properties); i++) {
		const struct property *property = &properties[i];
		const json_t *option = json_object_get(options, property->field);
		auto_json json_t *theirs = json_array();
		bool is_known = true, fits = true;
		PL_JSON_EACH(row, rows) {
			json_t *value = json_object_get(row, property->name);
			if (json_is_null(value)) {
				is_known = false;
				continue;
			}
			if (!is_among(property, option, value) && !pl_json_has(theirs, value)) {
				fits = false;
				if (json_array_size(theirs) < VALUES_LISTED)
					json_array_append(theirs, value);
			}
		}
		if (is_known && fits)
			continue;
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:o, s:O}", "property", property->name,
						"kind", fits ? "not_recorded" : "differs",
						"results", own_values(option), "baseline", theirs));
	}
	return list;
}

/* ---- the response ----------------------------------------------------------------------------- */

static size_t count_differing(const json_t *line)
{
	size_t count = 0;

	PL_JSON_EACH(difference, json_object_get(line, "differences"))
		count += pl_text_equal(pl_json_get_text(difference, "kind"), "differs");
	return count;
}

struct ranked {
	json_t *line;
	size_t differing;
	size_t at;
};

static int compare_lines(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;

	if (one->differing != other->differing)
		return one->differing < other->differing ? -1 : 1;
	return (one->at > other->at) - (one->at < other->at);
}

/* Returns the first lines, those that differ least. */
static json_t *first_lines(const json_t *lines, size_t limit)
{
	size_t count = json_object_size(lines), at = 0;
	auto_free struct ranked *ranked = pl_alloc_array(count + 1, sizeof(*ranked));
	json_t *list = json_array();

	PL_JSON_EACH_MEMBER(key, line, lines) {
		ranked[at] = (struct ranked){ line, count_differing(line), at };
		at++;
	}
	qsort(ranked, count, sizeof(*ranked), compare_lines);
	for (size_t i = 0; i < count && i < limit; i++)
		json_array_append(list, ranked[i].line);
	return list;
}

static json_t *lines_json(const json_t *request, const json_t *stored, const json_t *options)
{
	const json_t *metrics = json_object_get(request, "metrics");
	const char *fields[2];
	struct res_frontier_space space = { .dimensions = 2 };
	auto_json json_t *lines = json_object();
	size_t unmeasured = 0;
	json_int_t limit = json_integer_value(json_object_get(request, "limit"));

	for (unsigned k = 0; k < 2; k++) {
		const json_t *metric = json_array_get(metrics, k);
		fields[k] = pl_json_get_text(metric, "field");
		space.higher[k] = strcmp(pl_json_get_text(metric, "direction"), "higher") == 0;
	}
	PL_JSON_EACH(baseline, stored)
		unmeasured += group_rows(baseline, fields[0], fields[1], lines);
	PL_JSON_EACH_MEMBER(key, line, lines) {
		const json_t *rows = json_object_get(line, "rows");
		json_object_set_new(line, "sources", texts_of(rows, "source"));
		add_dates(rows, line);
		json_object_set_new(line, "differences", differences_of(rows, options));
		json_object_set_new(line, "points", points_of(rows, fields[0], fields[1], &space));
		json_object_del(line, "rows");
	}
	json_t *first = first_lines(lines, limit > 0 ? (size_t)limit : BOUND_BASELINES_DEFAULT);
	return json_pack("{s:o, s:I, s:I, s:[]}", "lines", first, "more_count",
			 (json_int_t)(json_object_size(lines) - json_array_size(first)),
			 "unmeasured_count", (json_int_t)unmeasured, "incomplete");
}

/* As dash_query_fn, with the values that results of the filter have. */
static int find_options(const struct mirror_snapshot *snapshot, const json_t *request,
			struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err)
{
	auto_json json_t *question = options_request(request);

	return query_options(snapshot, question, ret_json, faults, err);
}

/* Sets *ret to the requested baselines that exist, the oldest first. */
static int read_wanted(const struct dash_request *request, json_t **ret, struct pl_err *err)
{
	const json_t *wanted = json_object_get(request->body, "baselines");
	auto_json json_t *ids = NULL;
	auto_json json_t *list = json_array();

	if (store_baseline_ids(request->context->store, &ids, err) < 0)
		return -1;
	PL_JSON_EACH(id, ids) {
		json_t *baseline = NULL;
		if (!pl_json_has(wanted, id))
			continue;
		if (store_baseline_get(request->context->store, json_integer_value(id), &baseline,
				       err) < 0)
			return -1;
		if (baseline != NULL)
			json_array_append_new(list, baseline);
	}
	*ret = pl_take(list);
	return 0;
}

void dash_draw_baselines(const struct dash_request *request, struct dash_answer *answer)
{
	auto_json json_t *stored = NULL;
	auto_json json_t *options = NULL;
	struct pl_err err = PL_ERR_INIT;

	dash_ask(request, find_options, request->body, answer);
	if (answer->status != 200)
		return;
	options = json_loadb(answer->bytes, answer->len, 0, NULL);
	free(answer->bytes);
	answer->bytes = NULL;
	answer->is_partial = false;
	if (read_wanted(request, &stored, &err) < 0) {
		dash_refuse_stored(answer, &err);
		return;
	}
	json_t *json = lines_json(request->body, stored, json_object_get(options, "options"));
	json_object_set(json, "data_version", json_object_get(options, "data_version"));
	dash_answer_json(answer, 200, json);
}
