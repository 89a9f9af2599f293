/*
 * Exports all results that match a filter as one file, in pieces: only a piece and the order of the rows are in memory.
 *
 * The request is {filter, sort, columns, provenance, link}, each as in query/query.h. columns NULL or null: all column
 * fields with a recorded value in one of the rows. /api/export of api/openapi.yaml describes the formats.
 *
 * - The rows and their data_version are those at query_export_new(), however long the export takes.
 * - If a spreadsheet splits the file at commas, no cell is a formula, whatever the results contain.
 * - An export belongs to one thread at a time.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"

struct mirror_snapshot;

enum query_export_form {
	QUERY_EXPORT_CSV,
	QUERY_EXPORT_JSON,
	QUERY_EXPORT_PARQUET,
	QUERY_EXPORT_ARROW,
};

struct query_export;

struct query_export_options {
	enum query_export_form form;
	const char *program; /* name of the exporting program */
	const char *time;    /* RFC 3339 */
};

/*
 * Takes ownership of the snapshot, also on failure. Returns -1 with `faults` for an invalid request, else with err;
 * BUSY: retry with a newer snapshot.
 */
int query_export_new(struct mirror_snapshot *snapshot, const json_t *request,
		     const struct query_export_options *options, struct query_export **ret,
		     struct schema_faults *faults, struct pl_err *err) PL_MUST_CHECK;
void query_export_free(struct query_export *export);

/* Returns the next bytes, at most `room`; *ret_len 0: the end. */
int query_export_read(struct query_export *export, char *bytes, size_t room, size_t *ret_len,
		      struct pl_err *err) PL_MUST_CHECK;

/* One cell of a CSV file, as an export writes it: a text never becomes a formula. */
void query_export_csv_marked(struct pl_buf *out, const char *text);
void query_export_csv_number(struct pl_buf *out, double number);
/* Writes one field of a line, quoted if necessary. */
void query_export_csv_text(struct pl_buf *out, const char *text);
