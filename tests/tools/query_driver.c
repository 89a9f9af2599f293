/*
 * Filters, rows and facets from outside, over documents that are in memory alone: one JSON object a line
 * on standard input.
 *   {document, id, forget}     a result; of an id that is there: it takes that one's place; forget: only its
 *                              columns are kept. Nothing back
 *   {apply: request}, {options: request}, {match: [filter, …]}
 *                              one line back: {answer} or {faults, error}; of match {ids: [[id, …], …]}
 *   {time: request, times: n}  {ms: [of each apply]}
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "store/filter.h"
#include "store/query.h"

struct driver {
	struct res_fields *fields;
	struct store_columns *columns;
	json_t **documents; /* by id */
	size_t room;
	size_t reads; /* of documents, by queries */
};

static int read_document(void *context, int64_t id, json_t **ret, struct pl_err *err)
{
	struct driver *driver = context;

	(void)err;
	driver->reads++;
	*ret = json_incref(driver->documents[id]);
	return 0;
}

static void take_document(struct driver *driver, int64_t id, json_t *document, bool kept)
{
	auto_row row = { .id = 0 };

	store_row_of_document(driver->fields, document, &row);
	row.id = id;
	if (!store_columns_replace(driver->columns, &row))
		store_columns_append(driver->columns, &row);
	pl_grow((void **)&driver->documents, &driver->room, (size_t)id + 1,
		sizeof(*driver->documents));
	json_decref(driver->documents[id]);
	driver->documents[id] = kept ? json_incref(document) : NULL;
}

static json_t *ids_of(struct driver *driver, const json_t *tree)
{
	struct store_ids ids = { 0 };
	auto_schema_faults faults = { 0 };
	auto_view struct store_view *view = NULL;
	auto_filter struct store_filter *filter = NULL;
	struct pl_err err = PL_ERR_INIT;
	json_t *found = json_array();

	store_filter_fields(tree, &ids);
	if (store_view_new(driver->columns, &ids, &view, &err) < 0 ||
	    store_filter_new(view, tree, "", &filter, &faults) < 0) {
		free((void *)ids.items);
		json_decref(found);
		return res_schema_faults_to_json(&faults);
	}
	auto_free uint64_t *rows = pl_alloc_array(store_view_words(view), sizeof(*rows));
	store_filter_rows(filter, rows);
	for (size_t i = 0; i < store_view_rows(view); i++) {
		if (rows[i / 64] >> i % 64 & 1)
			json_array_append_new(found, json_integer(store_view_id(view, i)));
	}
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

static json_t *ask(struct driver *driver, const json_t *asked)
{
	const json_t *apply = json_object_get(asked, "apply");
	const json_t *options = json_object_get(asked, "options");
	auto_schema_faults faults = { 0 };
	struct pl_err err = PL_ERR_INIT;
	json_t *answer = NULL;
	int status = apply != NULL
			     ? store_query_apply(driver->columns, apply, &answer, &faults, &err)
			     : store_query_options(driver->columns, options, &answer, &faults,
						   &err);

	if (status < 0)
		return json_pack("{s:o, s:s}", "faults", res_schema_faults_to_json(&faults),
				 "error", err.text);
	return json_pack("{s:o}", "answer", answer);
}

static json_t *measure(struct driver *driver, const json_t *asked)
{
	json_int_t times = json_integer_value(json_object_get(asked, "times"));
	json_t *ms = json_array();

	for (json_int_t i = 0; i < times; i++) {
		auto_schema_faults faults = { 0 };
		auto_json json_t *answer = NULL;
		struct pl_err err = PL_ERR_INIT;
		int64_t began_ns = pl_clock_now_ns();
		if (store_query_apply(driver->columns, json_object_get(asked, "time"), &answer,
				      &faults, &err) < 0)
			return json_pack("{s:s}", "error", err.text);
		auto_free char *text = pl_json_to_text(answer, PL_JSON_COMPACT);
		json_array_append_new(
			ms, json_real((double)(pl_clock_now_ns() - began_ns) / PL_NS_PER_MS));
	}
	return json_pack("{s:o}", "ms", ms);
}

static void take_line(struct driver *driver, const json_t *asked)
{
	json_t *document = json_object_get(asked, "document");
	auto_json json_t *said = NULL;

	if (document != NULL) {
		take_document(driver, json_integer_value(json_object_get(asked, "id")), document,
			      !json_is_true(json_object_get(asked, "forget")));
		return;
	}
	if (json_object_get(asked, "match") != NULL)
		said = match(driver, json_object_get(asked, "match"));
	else if (json_object_get(asked, "time") != NULL)
		said = measure(driver, asked);
	else
		said = ask(driver, asked);
	auto_free char *text = pl_json_to_text(said, PL_JSON_COMPACT);
	puts(text);
	fflush(stdout);
}

int main(void)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	struct driver driver = { .fields = fields };
	char *line = NULL;
	size_t room = 0;
	int status = 0;

	driver.columns = store_columns_new(fields, read_document, &driver);
	for (ssize_t len; status == 0 && (len = getline(&line, &room, stdin)) > 0;) {
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *asked = NULL;
		if (pl_json_parse_wide(line, (size_t)len, "standard input", &asked, &err) < 0) {
			fprintf(stderr, "%s\n", err.text);
			status = 2;
		} else {
			take_line(&driver, asked);
		}
	}
	free(line);
	for (size_t i = 0; i < driver.room; i++)
		json_decref(driver.documents[i]);
	free(driver.documents);
	store_columns_free(driver.columns);
	return status;
}
