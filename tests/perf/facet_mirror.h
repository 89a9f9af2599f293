/*
 * All that tests/perf/facet_driver.c knows of the mirror: rows in, requests out as text.
 */
#pragma once

#include "base/json.h"
#include "mirror/mirror.h"
#include "query/query.h"

#define ANSWER_BYTES_MAX (64u << 20)

/* Every field that is asked for has a column: no document is ever read. */
static int mirror_no_document(void *context, int64_t id, const char *member, json_t **ret,
			      int64_t *ret_changed, struct pl_err *err)
{
	(void)context;
	(void)member;
	(void)ret;
	(void)ret_changed;
	return pl_err_set(err, PL_ERR_INTERNAL, "document %lld is not kept", (long long)id);
}

static struct mirror *driver_mirror_new(const struct res_fields *fields)
{
	return mirror_new(fields, mirror_no_document, NULL);
}

static void driver_mirror_free(struct mirror *mirror)
{
	mirror_free(mirror);
}

static void driver_mirror_append(struct mirror *mirror, const struct mirror_row *row)
{
	mirror_append(mirror, row);
}

/* All rows are in: as after the start of a server. */
static void mirror_end(struct mirror *mirror)
{
	mirror_seal(mirror);
	mirror_publish(mirror);
}

/* Returns the size of the columns, by their own count. */
static double mirror_bytes(struct mirror *mirror)
{
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);

	return (double)mirror_snapshot_bytes(snapshot);
}

/* *ret: the answer of POST /api/filters/apply; free(). */
static int mirror_ask(struct mirror *mirror, const json_t *request, char **ret, struct pl_err *err)
{
	auto_schema_faults faults = { 0 };
	auto_snapshot struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	auto_buf text = PL_BUF(ANSWER_BYTES_MAX);

	if (query_apply(snapshot, request, &text, &faults, err) < 0)
		return -1;
	*ret = pl_buf_take(&text);
	return 0;
}
