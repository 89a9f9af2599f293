/* Rows of results in an SQLite file: one table, whose columns have no type. */
#include <string.h>

#include "store/db/cell.h"
#include "store/db/runs_priv.h"

static void add_columns(struct pl_buf *text, const struct store_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		pl_buf_addf(text, ", \"%s\"", columns->items[i]->id);
}

static int make(struct store_sql *sql, const char *fixed, const struct store_columns *columns,
		struct pl_err *err)
{
	auto_free char *text = pl_asprintf("CREATE TABLE benchmark_runs (%s)", fixed);

	(void)columns; /* widen() adds them */
	return store_sql_make(sql, text, err);
}

/*
 * Each ALTER TABLE, of any table, parses all definitions again, so a new file gets all columns at once and last: the
 * table is made again, followed by its indexes.
 */
static int widen(struct store_sql *sql, const struct store_columns *columns, struct pl_err *err)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);
	int result;

	pl_buf_add_text(&text, "DROP TABLE benchmark_runs;");
	{
		auto_statement definitions = NULL;
		bool is_table = true;
		if (store_sql_prepare(sql,
				      "SELECT sql FROM sqlite_master WHERE tbl_name ="
				      " 'benchmark_runs' AND sql IS NOT NULL"
				      " ORDER BY type <> 'table', name",
				      &definitions, err) < 0)
			return -1;
		while ((result = store_sql_next(definitions, err)) > 0) {
			const char *definition = store_sql_text(definitions, 0);
			const char *end = is_table ? strrchr(definition, ')') : NULL;
			if (end != NULL) {
				pl_buf_addf(&text, "%.*s", (int)(end - definition), definition);
				add_columns(&text, columns);
			}
			pl_buf_addf(&text, "%s;", end != NULL ? end : definition);
			is_table = false;
		}
	}
	return result < 0 ? -1 : store_sql_run(sql, pl_buf_text(&text), err);
}

static const char *table(const struct res_field *field)
{
	(void)field;
	return "benchmark_runs";
}

static char *column_text(const struct res_field *field)
{
	return pl_asprintf("ALTER TABLE benchmark_runs ADD COLUMN \"%s\"", field->id);
}

/*
 * Other programs derive the type of the column from CAST. It changes no value: a number is real, and infinity remains.
 * Values of other types are NULL, as are null values, which are blobs.
 */
static void add_view_value(struct pl_buf *text, const char *id, const struct res_field *field)
{
	if (field == NULL)
		pl_buf_addf(text, "CASE WHEN typeof(\"%s\") <> 'blob' THEN \"%s\" END", id, id);
	else if (field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT)
		pl_buf_addf(text,
			    "CAST(CASE WHEN typeof(\"%s\") IN ('integer', 'real') THEN \"%s\" END"
			    " AS REAL)",
			    id, id);
	else if (field->type == RES_FIELD_YES)
		pl_buf_addf(text,
			    "CAST(CASE WHEN typeof(\"%s\") = 'integer' THEN \"%s\" END AS INTEGER)",
			    id, id);
	else
		pl_buf_addf(text, "CAST(CASE WHEN typeof(\"%s\") = 'text' THEN \"%s\" END AS TEXT)",
			    id, id);
}

static char *add_text(const struct store_runs_fixed *fixed, const struct store_columns *columns)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_add_text(&text, "INSERT INTO benchmark_runs (");
	add_names(&text, fixed, "");
	add_columns(&text, columns);
	pl_buf_add_text(&text, ") VALUES (");
	add_params(&text, fixed->count + columns->count);
	pl_buf_add_text(&text, ") RETURNING id");
	return pl_buf_take(&text);
}

static char *replace_text(const struct store_runs_fixed *fixed, const struct store_columns *columns)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_add_text(&text, "UPDATE benchmark_runs SET ");
	add_settings(&text, fixed);
	for (size_t i = 0; i < columns->count; i++)
		pl_buf_addf(&text, ", \"%s\" = ?%zu", columns->items[i]->id, fixed->count + 2 + i);
	pl_buf_addf(&text, " WHERE id = ?%zu", fixed->count + 1);
	return pl_buf_take(&text);
}

static char *select_text(const struct store_runs_fixed *fixed, const struct store_columns *columns,
			 const char *rest)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_add_text(&text, "SELECT ");
	add_names(&text, fixed, "");
	add_columns(&text, columns);
	pl_buf_addf(&text, " FROM benchmark_runs %s", rest);
	return pl_buf_take(&text);
}

/* A small result has fifty of a thousand columns: unbound parameters are NULL. */
static void bind(struct store_stmt *statement, int first, const struct store_columns *columns,
		 const struct mirror_cell *cells)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (cells[i].state != RES_VALUE_NOT_RECORDED)
			store_cell_bind(statement, first + (int)i, columns->items[i], &cells[i]);
	}
}

static int read_cells(struct store_stmt *statement, int first, const struct store_columns *columns,
		      struct mirror_cell *cells, struct pl_err *err)
{
	(void)err;
	for (size_t i = 0; i < columns->count; i++) {
		if (store_sqlite_is_null(statement, first + (int)i))
			cells[i] = (struct mirror_cell){ .state = RES_VALUE_NOT_RECORDED };
		else
			store_cell_read(statement, first + (int)i, columns->items[i], &cells[i]);
	}
	return 0;
}

const struct store_runs_driver store_sqlite_runs_driver = {
	.column_names = "SELECT name FROM pragma_table_info('benchmark_runs')",
	.view_names = "SELECT name FROM pragma_table_info('" STORE_RESULTS_VIEW "') ORDER BY cid",
	.view_text =
		"SELECT sql FROM sqlite_master WHERE type = 'view' AND name = '" STORE_RESULTS_VIEW
		"'",
	.view_fixed = "id, run_id, name, form, stored_at, content_sha256, explicit_fields",
	.view_from = "FROM benchmark_runs WHERE deleted = 0",
	.view_replace = "DROP VIEW IF EXISTS " STORE_RESULTS_VIEW
			"; CREATE VIEW " STORE_RESULTS_VIEW,
	.add_view_value = add_view_value,
	.make = make,
	.widen = widen,
	.table = table,
	.column_text = column_text,
	.add_text = add_text,
	.replace_text = replace_text,
	.select_text = select_text,
	.bind = bind,
	.read = read_cells,
};
