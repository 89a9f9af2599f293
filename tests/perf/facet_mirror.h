/*
 * All that tests/perf/facet_driver.c knows of how results lie in memory: rows in, questions out as text.
 */
#pragma once

#include "base/json.h"
#include "store/columns.h"
#include "store/query.h"

/* Every field that is asked for has a column: no document is ever read. */
static int mirror_no_document(void *context, int64_t id, json_t **ret, struct pl_err *err)
{
	(void)context;
	(void)ret;
	return pl_err_set(err, PL_ERR_INTERNAL, "document %lld is not kept", (long long)id);
}

static struct store_columns *mirror_new(const struct res_fields *fields)
{
	return store_columns_new(fields, mirror_no_document, NULL);
}

static void mirror_free(struct store_columns *mirror)
{
	store_columns_free(mirror);
}

static void mirror_append(struct store_columns *mirror, const struct store_row *row)
{
	store_columns_append(mirror, row);
}

/* *ret: the answer of POST /api/filters/apply; free(). */
static int mirror_ask(const struct store_columns *mirror, const json_t *request, char **ret,
		      struct pl_err *err)
{
	auto_schema_faults faults = { 0 };
	auto_json json_t *answer = NULL;

	if (store_query_apply(mirror, request, &answer, &faults, err) < 0)
		return -1;
	*ret = pl_json_to_text(answer, PL_JSON_COMPACT);
	return 0;
}
