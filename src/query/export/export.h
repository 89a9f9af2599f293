/*
 * All results that a filter means as one file, made piece by piece: whatever their number, no more of it
 * is in memory than a piece, and their order.
 *
 * The request: {filter, sort, columns, provenance, link}, each as in query/query.h; columns NULL or null:
 * all column fields of which one of the rows has something recorded. What a file says and how a cell
 * stands in it: /api/export/csv and json of api/openapi.yaml.
 *
 * - The rows and their data_version are those of query_export_new(), however long it takes.
 * - In a spreadsheet that cuts at commas no cell is a formula, whatever the results hold.
 * - An export belongs to one thread at a time.
 */
#pragma once

#include "schema/schema.h"

struct mirror_snapshot;

enum query_export_form { QUERY_EXPORT_CSV, QUERY_EXPORT_JSON };

struct query_export;

struct query_export_options {
	enum query_export_form form;
	const char *program; /* who makes it */
	const char *time;    /* RFC 3339 */
};

/*
 * Takes the snapshot over, also where it fails. -1: where the request is not right `faults` says what, else
 * err; BUSY: to be done again with a newer snapshot.
 */
int query_export_new(struct mirror_snapshot *snapshot, const json_t *request,
		     const struct query_export_options *options, struct query_export **ret,
		     struct schema_faults *faults, struct pl_err *err) PL_MUST_CHECK;
void query_export_free(struct query_export *export);
PL_AUTO_DEFINE(struct query_export, query_export_free);
#define auto_export PL_AUTO(query_export_free)

/* The next bytes, at most `room`; *ret_len 0: that was all. */
int query_export_read(struct query_export *export, char *bytes, size_t room, size_t *ret_len,
		      struct pl_err *err) PL_MUST_CHECK;
