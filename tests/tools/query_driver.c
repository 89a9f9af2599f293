/*
 * Filters, rows and facets over documents in memory: one JSON object per line on standard input.
 *   {document, id, forget}     adds a result, or replaces the one with the id; forget: stores its
 *                              columns only. No output
 *   {remove: id}               removes a result. No output
 *   {apply: request}, {options: request}, {values: request}, {points: request},
 *   {summary: request}, {compare: request}, {match: [filter, …]}
 *                              one line: {answer} or {faults, error}, checked as requests are;
 *                              for match {ids: [[id, …], …]}
 *   {time: request, times: n}  {ms: [of each apply]}
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../request_contract.h"
#include "base/clock.h"
#include "base/json.h"
#include "query/filter.h"
#include "query/groups/compare.h"
#include "query/groups/summary.h"
#include "query/points/points.h"
#include "query/query.h"

#define ANSWER_BYTES_MAX (256u << 20)

struct driver {
	struct res_fields *fields;
	struct mirror *mirror;
	json_t **documents; /* by id */
	size_t room;
	size_t reads; /* of documents, by queries */
};

static int read_document(void *context, int64_t id, const char *member, json_t **ret,
			 int64_t *ret_changed, struct pl_err *err)
{
	struct driver *driver = context;

	(void)member;
	(void)err;
	driver->reads++;
	*ret_changed = 0;
	*ret = json_incref(driver->documents[id]);
	return 0;
}

static void take_document(struct driver *driver, int64_t id, json_t *document, bool retained)
{
	auto_row row = { .id = 0 };

	mirror_row_of_document(driver->fields, document, &row);
	row.id = id;
	if (!mirror_replace(driver->mirror, &row))
		mirror_append(driver->mirror, &row);
	pl_grow((void **)&driver->documents, &driver->room, (size_t)id + 1,
		sizeof(*driver->documents));
	json_decref(driver->documents[id]);
	driver->documents[id] = retained ? json_incref(document) : NULL;
}

static int compare_ids(const void *a, const void *b)
{
	const int64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static json_t *ids_of(struct driver *driver, const json_t *tree)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(driver->mirror);
	struct mirror_ids ids = { 0 };
	auto_schema_faults faults = { 0 };
	auto_view struct mirror_view *view = NULL;
	auto_filter struct query_filter *filter = NULL;
	struct pl_err err = PL_ERR_INIT;
	json_t *found = json_array();
	size_t count = 0;

	query_filter_fields(tree, &ids);
	if (mirror_view_new(snapshot, &ids, &view, &err) < 0 ||
	    query_filter_new(view, tree, "", &filter, &faults) < 0) {
		free((void *)ids.items);
		json_decref(found);
		return schema_faults_to_json(&faults);
	}
	const uint64_t *rows = query_filter_rows(filter);
	auto_free int64_t *list = pl_alloc_array(mirror_view_count(view), sizeof(*list));
	for (size_t i = 0; i < mirror_view_words(view) * 64; i++) {
		if (rows[i / 64] >> i % 64 & 1)
			list[count++] = mirror_view_id(view, i);
	}
	qsort(list, count, sizeof(*list), compare_ids);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(found, json_integer(list[i]));
	free((void *)ids.items);
	return found;
}

static json_t *match(struct driver *driver, const json_t *trees)
{
	json_t *all = json_array();

	for (size_t i = 0; i < json_array_size(trees); i++)
		json_array_append_new(all, ids_of(driver, json_array_get(trees, i)));
	return json_pack("{s:o, s:I}", "ids", all, "reads", (json_int_t)driver->reads);
}

typedef int query_fn(const struct mirror_snapshot *snapshot, const json_t *request,
		     struct pl_buf *ret_json, struct schema_faults *faults, struct pl_err *err);

static const struct {
	const char *key;
	query_fn *query;
	const char *path;
} queries[] = {
	{ "apply", query_apply, REQUEST_APPLY },
	{ "options", query_options, REQUEST_OPTIONS },
	{ "values", query_values, REQUEST_VALUES },
	{ "points", query_points, REQUEST_POINTS },
	{ "summary", query_summary, REQUEST_SUMMARY },
	{ "compare", query_compare, REQUEST_COMPARE },
};

static int check_and_ask(const struct mirror_snapshot *snapshot, size_t query,
			 const json_t *request, struct pl_buf *ret, struct schema_faults *faults,
			 struct pl_err *err)
{
	if (!request_fits(queries[query].path, request, faults))
		return pl_err_invalid(err, "the request does not fit the contract");
	return queries[query].query(snapshot, request, ret, faults, err);
}

/* One line: the answer, or what is wrong. */
static void ask(struct driver *driver, size_t query, const json_t *request, struct pl_buf *ret)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(driver->mirror);
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;

	pl_buf_add_text(ret, "{\"answer\":");
	if (check_and_ask(snapshot, query, request, ret, &faults, &err) == 0) {
		pl_buf_add_char(ret, '}');
		return;
	}
	auto_json json_t *heard = json_pack("{s:o, s:s}", "faults", schema_faults_to_json(&faults),
					    "error", err.text);
	pl_buf_clear(ret);
	pl_json_write(heard, PL_JSON_COMPACT, ret);
}

static json_t *measure(struct driver *driver, const json_t *requested)
{
	json_int_t times = json_integer_value(json_object_get(requested, "times"));
	json_t *ms = json_array();

	for (json_int_t i = 0; i < times; i++) {
		auto_buf answer = PL_BUF(ANSWER_BYTES_MAX);
		int64_t began_ns = pl_clock_now_ns();
		ask(driver, 0, json_object_get(requested, "time"), &answer);
		json_array_append_new(
			ms, json_real((double)(pl_clock_now_ns() - began_ns) / PL_NS_PER_MS));
	}
	return json_pack("{s:o}", "ms", ms);
}

static void answer(struct driver *driver, const json_t *requested, struct pl_buf *ret)
{
	auto_json json_t *heard = NULL;

	for (size_t i = 0; i < PL_ARRAY_SIZE(queries); i++) {
		const json_t *request = json_object_get(requested, queries[i].key);
		if (request != NULL) {
			ask(driver, i, request, ret);
			return;
		}
	}
	if (json_object_get(requested, "match") != NULL)
		heard = match(driver, json_object_get(requested, "match"));
	else
		heard = measure(driver, requested);
	pl_json_write(heard, PL_JSON_COMPACT, ret);
}

static void take_line(struct driver *driver, const json_t *requested)
{
	json_t *document = json_object_get(requested, "document");
	json_int_t id = json_integer_value(json_object_get(requested, "id"));
	auto_buf line = PL_BUF(ANSWER_BYTES_MAX);

	if (document != NULL) {
		take_document(driver, id, document,
			      !json_is_true(json_object_get(requested, "forget")));
		return;
	}
	if (json_object_get(requested, "remove") != NULL) {
		mirror_remove(driver->mirror,
			      json_integer_value(json_object_get(requested, "remove")));
		return;
	}
	mirror_publish(driver->mirror);
	answer(driver, requested, &line);
	puts(pl_buf_text(&line));
	fflush(stdout);
}

int main(void)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct driver driver = { .fields = fields };
	char *line = NULL;
	size_t room = 0;
	int status = 0;

	driver.mirror = mirror_new(fields, read_document, &driver);
	for (ssize_t len; status == 0 && (len = getline(&line, &room, stdin)) > 0;) {
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *requested = NULL;
		if (pl_json_parse_wide(line, (size_t)len, "standard input", &requested, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			status = 2;
		} else {
			take_line(&driver, requested);
		}
	}
	free(line);
	for (size_t i = 0; i < driver.room; i++)
		json_decref(driver.documents[i]);
	free(driver.documents);
	mirror_free(driver.mirror);
	return status;
}
