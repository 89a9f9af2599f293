/*
 * Rows of results in PostgreSQL: numbers in benchmark_runs, texts in benchmark_texts, and null values and values of
 * other kinds next to them; see runs.h. In a statement, null_fields and other_kinds follow the cells of a row.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "store/db/cell.h"
#include "store/db/postgres_priv.h"
#include "store/db/runs_priv.h"

#define ODD_BYTES_MAX ((size_t)64 << 20)

static bool is_text(const struct res_field *field)
{
	return field->type == RES_FIELD_TEXT || field->type == RES_FIELD_TIME ||
	       field->type == RES_FIELD_JSON;
}

static const char *type_of(const struct res_field *field)
{
	return is_text(field)                 ? "TEXT"
	       : field->type == RES_FIELD_YES ? "BOOLEAN"
					      : "DOUBLE PRECISION";
}

/* ---- tables -------------------------------------------------------------------------------- */

static void add_definitions(struct pl_buf *text, const struct store_columns *columns,
			    const char *type)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct res_field *field = columns->items[i];
		if (pl_text_equal(type_of(field), type))
			pl_buf_addf(text, ", \"%s\" %s", field->id, type);
	}
}

/* Groups columns by type, so that eight-byte values are aligned. */
static int make(struct store_sql *sql, const char *fixed, const struct store_columns *columns,
		struct pl_err *err)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_addf(&text,
		    "CREATE TABLE benchmark_runs (%s,"
		    " null_fields JSONB NOT NULL, other_kinds JSONB NOT NULL",
		    fixed);
	add_definitions(&text, columns, "DOUBLE PRECISION");
	add_definitions(&text, columns, "BOOLEAN");
	pl_buf_add_text(&text,
			"); CREATE TABLE benchmark_texts ("
			"id BIGINT PRIMARY KEY REFERENCES benchmark_runs (id) ON DELETE CASCADE");
	add_definitions(&text, columns, "TEXT");
	pl_buf_add_text(&text, ")");
	return store_sql_make(sql, pl_buf_text(&text), err);
}

static const char *table(const struct res_field *field)
{
	return is_text(field) ? "benchmark_texts" : "benchmark_runs";
}

static char *column_text(const struct res_field *field)
{
	return pl_asprintf("ALTER TABLE %s ADD COLUMN \"%s\" %s", table(field), field->id,
			   type_of(field));
}

/* The columns have types, and NULL where there is no value of that type. */
static void add_view_value(struct pl_buf *text, const char *id, const struct res_field *field)
{
	(void)field;
	pl_buf_addf(text, "\"%s\"", id);
}

/* ---- statements ---------------------------------------------------------------------------- */

static void add_ids(struct pl_buf *text, const struct store_columns *columns, bool texts)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (is_text(columns->items[i]) == texts)
			pl_buf_addf(text, ", \"%s\"", columns->items[i]->id);
	}
}

static void add_places(struct pl_buf *text, const struct store_columns *columns, bool texts,
		       size_t first)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (is_text(columns->items[i]) == texts)
			pl_buf_addf(text, ", ?%zu", first + i);
	}
}

static void add_pairs(struct pl_buf *text, const struct store_columns *columns, bool texts,
		      size_t first)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (is_text(columns->items[i]) == texts)
			pl_buf_addf(text, ", \"%s\" = ?%zu", columns->items[i]->id, first + i);
	}
}

static char *add_text(const struct store_runs_fixed *fixed, const struct store_columns *columns)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);
	size_t first = fixed->count + 1, after = first + columns->count;

	pl_buf_add_text(&text, "WITH r AS (INSERT INTO benchmark_runs (");
	add_names(&text, fixed, "");
	pl_buf_add_text(&text, ", null_fields, other_kinds");
	add_ids(&text, columns, false);
	pl_buf_add_text(&text, ") VALUES (");
	add_params(&text, fixed->count);
	pl_buf_addf(&text, ", ?%zu, ?%zu", after, after + 1);
	add_places(&text, columns, false, first);
	pl_buf_add_text(&text, ") RETURNING id), t AS (INSERT INTO benchmark_texts (id");
	add_ids(&text, columns, true);
	pl_buf_add_text(&text, ") SELECT id");
	add_places(&text, columns, true, first);
	pl_buf_add_text(&text, " FROM r) SELECT id FROM r");
	return pl_buf_take(&text);
}

static char *replace_text(const struct store_runs_fixed *fixed, const struct store_columns *columns)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);
	size_t id = fixed->count + 1, first = id + 1, after = first + columns->count;

	pl_buf_add_text(&text, "WITH t AS (UPDATE benchmark_texts SET id = id");
	add_pairs(&text, columns, true, first);
	pl_buf_addf(&text, " WHERE id = ?%zu) UPDATE benchmark_runs SET ", id);
	add_settings(&text, fixed);
	pl_buf_addf(&text, ", null_fields = ?%zu, other_kinds = ?%zu", after, after + 1);
	add_pairs(&text, columns, false, first);
	pl_buf_addf(&text, " WHERE id = ?%zu", id);
	return pl_buf_take(&text);
}

static char *select_text(const struct store_runs_fixed *fixed, const struct store_columns *columns,
			 const char *rest)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);

	pl_buf_add_text(&text, "SELECT ");
	add_names(&text, fixed, "");
	for (size_t i = 0; i < columns->count; i++)
		pl_buf_addf(&text, ", \"%s\"", columns->items[i]->id);
	pl_buf_addf(&text,
		    ", null_fields, other_kinds"
		    " FROM benchmark_runs JOIN benchmark_texts USING (id) %s",
		    rest);
	return pl_buf_take(&text);
}

/* ---- cells in ------------------------------------------------------------------------------ */

static void add_null(struct pl_buf *nulls, const char *id)
{
	pl_buf_add_text(nulls, nulls->len == 0 ? "[\"" : ",\"");
	pl_buf_add_text(nulls, id);
	pl_buf_add_char(nulls, '"');
}

static void add_other(struct pl_buf *others, const char *id, const struct mirror_cell *cell)
{
	auto_free char *text = store_cell_as_text(cell);

	pl_buf_addf(others, "%s\"%s\":", others->len == 0 ? "{" : ",", id);
	pl_text_add_json(others, text, strlen(text), false);
}

static void bind_brief(struct store_stmt *statement, int at, const char *text)
{
	store_pg_bind(statement, at,
		      &(struct store_sql_value){ .type = STORE_SQL_TEXT,
						 .is_brief = true,
						 .data = text,
						 .len = strlen(text) });
}

static void bind(struct store_stmt *statement, int first, const struct store_columns *columns,
		 const struct mirror_cell *cells)
{
	int after = first + (int)columns->count;
	auto_buf nulls = PL_BUF(ODD_BYTES_MAX);
	auto_buf others = PL_BUF(ODD_BYTES_MAX);

	for (size_t i = 0; i < columns->count; i++) {
		const struct res_field *field = columns->items[i];
		const struct mirror_cell *cell = &cells[i];
		bool is_there = cell->state == RES_VALUE_PRESENT;
		if (is_there && cell->kind == store_cell_kind(field)) {
			int at = first + (int)i;
			if (cell->kind == RES_VALUE_TEXT || cell->kind == RES_VALUE_JSON)
				store_sql_bind_text(statement, at, cell->text);
			else
				store_sql_bind_f64(statement, at, cell->number);
			continue;
		}
		store_sql_bind_null(statement, first + (int)i);
		if (is_there)
			add_other(&others, field->id, cell);
		else if (cell->state == RES_VALUE_NULL)
			add_null(&nulls, field->id);
	}
	pl_buf_add_text(&nulls, nulls.len == 0 ? "[]" : "]");
	pl_buf_add_text(&others, others.len == 0 ? "{}" : "}");
	bind_brief(statement, after, pl_buf_text(&nulls));
	bind_brief(statement, after + 1, pl_buf_text(&others));
}

/* ---- cells out ----------------------------------------------------------------------------- */

struct pg_odd {
	struct store_column_set nulls; /* of the previous row, usually also of this one */
	json_t *others;                /* of this row */
};

void store_pg_odd_free(struct pg_odd *odd)
{
	if (odd == NULL)
		return;
	store_column_set_done(&odd->nulls);
	json_decref(odd->others);
	free(odd);
}

static void read_value(struct store_stmt *statement, int at, const struct res_field *field,
		       struct mirror_cell *ret)
{
	struct store_sql_value value;

	*ret = (struct mirror_cell){ .state = RES_VALUE_NOT_RECORDED };
	store_pg_value(statement, at, &value);
	if (value.type == STORE_SQL_NULL)
		return;
	ret->state = RES_VALUE_PRESENT;
	ret->kind = (unsigned char)store_cell_kind(field);
	if (value.type == STORE_SQL_TEXT)
		ret->text = value.data;
	else
		ret->number = value.type == STORE_SQL_REAL ? value.real : (double)value.integer;
}

static int read_others(struct pg_odd *odd, const char *text, const struct store_columns *columns,
		       struct mirror_cell *cells, struct pl_err *err)
{
	const char *id;
	json_t *value;

	if (strcmp(text, "{}") == 0)
		return 0;
	json_decref(odd->others);
	odd->others = NULL;
	if (pl_json_parse(text, strlen(text), "other_kinds", &odd->others, err) < 0)
		return -1;
	json_object_foreach(odd->others, id, value)
	{
		size_t column = store_column_find(columns, id);
		if (column != SIZE_MAX && json_is_string(value))
			store_cell_of_text(json_string_value(value), &cells[column]);
	}
	return 0;
}

static int read_cells(struct store_stmt *statement, int first, const struct store_columns *columns,
		      struct mirror_cell *cells, struct pl_err *err)
{
	struct pg_statement *self = (struct pg_statement *)statement;
	int after = first + (int)columns->count;

	if (self->odd == NULL)
		self->odd = pl_alloc(sizeof(*self->odd));
	for (size_t i = 0; i < columns->count; i++)
		read_value(statement, first + (int)i, columns->items[i], &cells[i]);
	if (store_column_set_read(columns, store_pg_text(statement, after), &self->odd->nulls,
				  err) < 0)
		return -1;
	for (size_t i = 0; i < self->odd->nulls.count; i++)
		cells[self->odd->nulls.columns[i]].state = RES_VALUE_NULL;
	return read_others(self->odd, store_pg_text(statement, after + 1), columns, cells, err);
}

const struct store_runs_driver store_pg_runs_driver = {
	.column_names = "SELECT attname::text FROM pg_attribute WHERE attrelid IN"
			" ('benchmark_runs'::regclass, 'benchmark_texts'::regclass)"
			" AND attnum > 0 AND NOT attisdropped",
	.view_names = "SELECT attname::text FROM pg_attribute"
		      " WHERE attrelid = to_regclass('" STORE_RESULTS_VIEW "')"
		      " AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
	.view_fixed = "id, run_id, name, form, stored_at, content_sha256,"
		      " explicit_fields::text AS explicit_fields",
	.view_from = "FROM benchmark_runs JOIN benchmark_texts USING (id) WHERE deleted = 0",
	/* it keeps the rights of other roles */
	.view_replace = "CREATE OR REPLACE VIEW " STORE_RESULTS_VIEW,
	.add_view_value = add_view_value,
	.make = make,
	.table = table,
	.column_text = column_text,
	.add_text = add_text,
	.replace_text = replace_text,
	.select_text = select_text,
	.bind = bind,
	.read = read_cells,
};
