/*
 * All results that a filter means as one file, made piece by piece: whatever their number, no more of it
 * is in memory than a piece, and their order.
 *
 * The request: {filter, sort, columns, provenance, link}, each as in query/query.h; columns NULL or null:
 * all column fields of which one of the rows has something recorded. What a file says and how a cell
 * stands in it: /api/export/csv and json of api/openapi.yaml.
 *
 * - The rows and their data_version are those of store_export_new(), however long it takes.
 * - In a spreadsheet that cuts at commas no cell is a formula, whatever the results hold.
 * - An export belongs to one thread at a time.
 */
#pragma once

#include "schema/schema.h"

struct store_snapshot;

enum store_export_form { STORE_EXPORT_CSV, STORE_EXPORT_JSON };

struct store_export;

struct store_export_options {
	enum store_export_form form;
	const char *program; /* who makes it */
	const char *time;    /* RFC 3339 */
};

/*
 * Takes the snapshot over, also where it fails. -1: where the request is not right `faults` says what, else
 * err; BUSY: to be done again with a newer snapshot.
 */
int store_export_new(struct store_snapshot *snapshot, const json_t *request,
		     const struct store_export_options *options, struct store_export **ret,
		     struct res_schema_faults *faults, struct pl_err *err) PL_MUST_CHECK;
void store_export_free(struct store_export *export);
PL_AUTO_DEFINE(struct store_export, store_export_free);
#define auto_export PL_AUTO(store_export_free)

/* The next bytes, at most `room`; *ret_len 0: that was all. */
int store_export_read(struct store_export *export, char *bytes, size_t room, size_t *ret_len,
		      struct pl_err *err) PL_MUST_CHECK;
