/* The driver interface of store/db/runs.h; each kind of database implements it under the same names. */
#pragma once

#include "base/buf.h"
#include "store/db/driver_priv.h"
#include "store/db/runs.h"

#define SQL_BYTES_MAX (4u << 20)

struct store_runs_driver {
	const char *column_names; /* a statement that returns the column names */
	const char *view_names; /* the same for the view, in their order; no rows: it is missing */
	/* A statement that returns the definition of the view, where AS "id" ends each column of a field; NULL: none. */
	const char *view_text;
	const char *view_fixed;   /* the columns of the view that are not fields */
	const char *view_from;    /* FROM … WHERE … of the view */
	const char *view_replace; /* statements that start the definition of the view */
	int (*make)(struct store_sql *sql, const char *fixed, const struct store_columns *columns,
		    struct pl_err *err);
	/* Adds all columns of fields to the empty table; NULL: make() has created them. */
	int (*widen)(struct store_sql *sql, const struct store_columns *columns,
		     struct pl_err *err);
	const char *(*table)(const struct res_field *field);
	char *(*column_text)(const struct res_field *field);
	/* Adds the value of a column of the view; NULL: a column of a newer program. */
	void (*add_view_value)(struct pl_buf *text, const char *id, const struct res_field *field);
	char *(*add_text)(const struct store_runs_fixed *fixed,
			  const struct store_columns *columns);
	char *(*replace_text)(const struct store_runs_fixed *fixed,
			      const struct store_columns *columns);
	char *(*select_text)(const struct store_runs_fixed *fixed,
			     const struct store_columns *columns, const char *rest);
	void (*bind)(struct store_stmt *statement, int first, const struct store_columns *columns,
		     const struct mirror_cell *cells);
	int (*read)(struct store_stmt *statement, int first, const struct store_columns *columns,
		    struct mirror_cell *cells, struct pl_err *err);
};

extern const struct store_runs_driver store_sqlite_runs_driver;

/* Adds "a, b" with `prefix` before each name. */
static inline void add_names(struct pl_buf *text, const struct store_runs_fixed *fixed,
			     const char *prefix)
{
	for (size_t i = 0; i < fixed->count; i++)
		pl_buf_addf(text, "%s%s%s", i == 0 ? "" : ", ", prefix, fixed->names[i]);
}

/* "?1, ?2" */
static inline void add_params(struct pl_buf *text, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pl_buf_addf(text, "%s?%zu", i == 0 ? "" : ", ", i + 1);
}

/* "a = ?1, b = ?2" */
static inline void add_settings(struct pl_buf *text, const struct store_runs_fixed *fixed)
{
	for (size_t i = 0; i < fixed->count; i++)
		pl_buf_addf(text, "%s%s = ?%zu", i == 0 ? "" : ", ", fixed->names[i], i + 1);
}
