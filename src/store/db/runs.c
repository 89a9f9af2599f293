#include "store/db/runs.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/text.h"
#include "result/fields/former.h"
#include "schema/former.h"
#include "store/db/runs_priv.h"

static const struct store_runs_driver *driver_of(const struct store_sql *sql)
{
	return sql->driver->runs;
}

int store_runs_make(struct store_sql *sql, const char *fixed, const struct store_columns *columns,
		    struct pl_err *err)
{
	return driver_of(sql)->make(sql, fixed, columns, err);
}

int store_runs_widen(struct store_sql *sql, const struct store_columns *columns, struct pl_err *err)
{
	const struct store_runs_driver *driver = driver_of(sql);

	return driver->widen != NULL ? driver->widen(sql, columns, err) : 0;
}

int store_runs_add_column(struct store_sql *sql, const struct res_field *field, struct pl_err *err)
{
	auto_free char *text = driver_of(sql)->column_text(field);

	return store_sql_run(sql, text, err);
}

char *store_runs_add_text(const struct store_sql *sql, const struct store_runs_fixed *fixed,
			  const struct store_columns *columns)
{
	return driver_of(sql)->add_text(fixed, columns);
}

char *store_runs_replace_text(const struct store_sql *sql, const struct store_runs_fixed *fixed,
			      const struct store_columns *columns)
{
	return driver_of(sql)->replace_text(fixed, columns);
}

char *store_runs_select_text(const struct store_sql *sql, const struct store_runs_fixed *fixed,
			     const struct store_columns *columns, const char *rest)
{
	return driver_of(sql)->select_text(fixed, columns, rest);
}

void store_runs_bind(struct store_stmt *statement, int first, const struct store_columns *columns,
		     const struct mirror_cell *cells)
{
	driver_of(statement->sql)->bind(statement, first, columns, cells);
}

int store_runs_read(struct store_stmt *statement, int first, const struct store_columns *columns,
		    struct mirror_cell *cells, struct pl_err *err)
{
	return driver_of(statement->sql)->read(statement, first, columns, cells, err);
}

/* ---- columns that are missing -------------------------------------------------------------- */

struct names {
	char **items;
	size_t count;
	size_t room;
};

static void names_done(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
}

/* SQL ignores case in names. */
static int compare_names(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return strcasecmp(*one, *other);
}

static int list_names(struct store_sql *sql, const char *text, struct names *ret,
		      struct pl_err *err)
{
	auto_statement statement = NULL;
	int result;

	if (store_sql_prepare(sql, text, &statement, err) < 0)
		return -1;
	while ((result = store_sql_next(statement, err)) > 0) {
		*PL_PUSH(ret->items, ret->count,
			 ret->room) = pl_strdup(store_sql_text(statement, 0));
	}
	return result;
}

static int read_names(struct store_sql *sql, struct names *ret, struct pl_err *err)
{
	if (list_names(sql, driver_of(sql)->column_names, ret, err) < 0)
		return -1;
	if (ret->count > 0)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare_names);
	return 0;
}

static bool has_name(const struct names *names, const char *id)
{
	return names->count > 0 && bsearch(&id, names->items, names->count, sizeof(*names->items),
					   compare_names) != NULL;
}

int store_runs_missing(struct store_sql *sql, const struct store_columns *columns, size_t **ret,
		       size_t *ret_count, struct pl_err *err)
{
	__attribute__((cleanup(names_done))) struct names names = { 0 };
	auto_free size_t *missing = pl_alloc_array(columns->count, sizeof(*missing));
	size_t count = 0;

	if (read_names(sql, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < columns->count; i++) {
		const char *id = columns->items[i]->id;
		if (!has_name(&names, id))
			missing[count++] = i;
	}
	*ret = pl_take(missing);
	*ret_count = count;
	return 0;
}

/* ---- the view ------------------------------------------------------------------------------ */

/* Lists the columns of the view in their order, and adds those that it lacks. Returns their number before. */
static int list_view(struct store_sql *sql, const struct store_columns *columns, struct names *ret,
		     size_t *ret_before, struct pl_err *err)
{
	__attribute__((cleanup(names_done))) struct names sorted = { 0 };

	if (list_names(sql, driver_of(sql)->view_names, ret, err) < 0)
		return -1;
	*ret_before = ret->count;
	for (size_t i = 0; i < ret->count; i++)
		*PL_PUSH(sorted.items, sorted.count, sorted.room) = pl_strdup(ret->items[i]);
	if (sorted.count > 0)
		qsort(sorted.items, sorted.count, sizeof(*sorted.items), compare_names);
	for (size_t i = 0; i < columns->count; i++) {
		const char *id = columns->items[i]->id;
		if (!has_name(&sorted, id))
			*PL_PUSH(ret->items, ret->count, ret->room) = pl_strdup(id);
	}
	return 0;
}

/* Reads the names of columns from the definition of the view, sorted. */
static int read_defined(struct store_sql *sql, struct names *ret, struct pl_err *err)
{
	static const char start[] = " AS \"";
	__attribute__((cleanup(names_done))) struct names texts = { 0 };

	if (list_names(sql, driver_of(sql)->view_text, &texts, err) < 0)
		return -1;
	const char *at = texts.count > 0 ? strstr(texts.items[0], start) : NULL;
	for (; at != NULL; at = strstr(at, start)) {
		at += strlen(start);
		size_t len = strcspn(at, "\"");
		*PL_PUSH(ret->items, ret->count, ret->room) = pl_strndup(at, len);
		at += len;
	}
	if (ret->count > 0)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare_names);
	return 0;
}

/* SQLite takes long to list the columns of a view. Its definition, if this program wrote it, also names them. */
static int is_defined(struct store_sql *sql, const struct store_columns *columns, bool *ret,
		      struct pl_err *err)
{
	__attribute__((cleanup(names_done))) struct names names = { 0 };

	*ret = false;
	if (driver_of(sql)->view_text == NULL)
		return 0;
	if (read_defined(sql, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < columns->count; i++) {
		if (!has_name(&names, columns->items[i]->id))
			return 0;
	}
	*ret = true;
	return 0;
}

int store_runs_view_is_complete(struct store_sql *sql, const struct store_columns *columns,
				bool *ret, struct pl_err *err)
{
	__attribute__((cleanup(names_done))) struct names names = { 0 };
	size_t before;

	if (is_defined(sql, columns, ret, err) < 0)
		return -1;
	if (*ret)
		return 0;
	if (list_view(sql, columns, &names, &before, err) < 0)
		return -1;
	*ret = before == names.count;
	return 0;
}

int store_runs_make_view(struct store_sql *sql, const struct store_columns *columns,
			 struct pl_err *err)
{
	__attribute__((cleanup(names_done))) struct names names = { 0 };
	const struct store_runs_driver *driver = driver_of(sql);
	auto_buf text = PL_BUF(SQL_BYTES_MAX);
	size_t before;

	if (list_view(sql, columns, &names, &before, err) < 0)
		return -1;
	if (before == names.count)
		return 0;
	pl_buf_addf(&text, "%s AS SELECT %s", driver->view_replace, driver->view_fixed);
	for (size_t i = 0; i < names.count; i++) {
		const char *id = names.items[i];
		size_t column = store_column_find(columns, id);
		/* the fixed ones have no dot */
		if (column == SIZE_MAX && strchr(id, '.') == NULL)
			continue;
		pl_buf_add_text(&text, ", ");
		driver->add_view_value(&text, id,
				       column != SIZE_MAX ? columns->items[column] : NULL);
		pl_buf_addf(&text, " AS \"%s\"", id);
	}
	pl_buf_addf(&text, " %s", driver->view_from);
	return store_sql_run(sql, pl_buf_text(&text), err);
}

/* ---- former names -------------------------------------------------------------------------- */

static int rename_columns(struct store_sql *sql, const struct store_columns *columns,
			  const struct names *names, struct pl_err *err)
{
	for (size_t i = 0; i < names->count; i++) {
		auto_free char *present = res_field_former_id(names->items[i]);
		size_t column = present != NULL ? store_column_find(columns, present) : SIZE_MAX;
		if (column == SIZE_MAX)
			continue;
		auto_free char *text = pl_asprintf("ALTER TABLE %s RENAME COLUMN \"%s\" TO \"%s\"",
						   driver_of(sql)->table(columns->items[column]),
						   names->items[i], present);
		if (store_sql_run(sql, text, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns " WHEN 'ok' THEN 'passed' …" of the values of the field that were renamed; free(). "": none was. */
static char *renamed_values(const char *id)
{
	auto_buf text = PL_BUF(SQL_BYTES_MAX);
	struct schema_former row;

	for (size_t i = 0; schema_former_row(i, &row); i++) {
		const char *present = res_field_former_value(id, row.former);
		if (row.key != NULL && present != row.former)
			pl_buf_addf(&text, " WHEN '%s' THEN '%s'", row.former, present);
	}
	return pl_strdup(pl_buf_text(&text));
}

int store_runs_rename_former(struct store_sql *sql, const struct store_columns *columns,
			     struct pl_err *err)
{
	__attribute__((cleanup(names_done))) struct names before = { 0 }, names = { 0 };

	if (read_names(sql, &before, err) < 0 || rename_columns(sql, columns, &before, err) < 0 ||
	    read_names(sql, &names, err) < 0)
		return -1;
	auto_buf settings = PL_BUF(SQL_BYTES_MAX);
	const char *table = NULL;
	for (size_t i = 0; i < columns->count; i++) {
		const struct res_field *field = columns->items[i];
		if (!has_name(&names, field->id))
			continue;
		auto_free char *values = renamed_values(field->id);
		if (values[0] == '\0')
			continue;
		/* all of these fields are texts, which are in one table */
		table = driver_of(sql)->table(field);
		pl_buf_addf(&settings, "%s\"%s\" = CASE \"%s\"%s ELSE \"%s\" END",
			    settings.len == 0 ? "" : ", ", field->id, field->id, values, field->id);
	}
	if (table == NULL)
		return 0;
	auto_free char *text = pl_asprintf("UPDATE %s SET %s", table, pl_buf_text(&settings));
	return store_sql_run(sql, text, err);
}

/* ---- sets of columns ----------------------------------------------------------------------- */

static int compare_fields(const void *a, const void *b)
{
	const struct res_field *const *one = a, *const *other = b;

	return *one < *other ? -1 : *one > *other;
}

size_t store_column_find(const struct store_columns *columns, const char *id)
{
	const struct res_field *field = res_fields_find(columns->fields, id);
	/* the columns are sorted like the list, and therefore also by address */
	const struct res_field *const *column = bsearch(&field, columns->items, columns->count,
							sizeof(*columns->items), compare_fields);

	return column != NULL ? (size_t)(column - columns->items) : SIZE_MAX;
}

int store_column_set_read(const struct store_columns *columns, const char *text,
			  struct store_column_set *set, struct pl_err *err)
{
	auto_json json_t *ids = NULL;

	if (set->text != NULL && strcmp(set->text, text) == 0)
		return 0;
	if (pl_json_parse(text, strlen(text), "ids of fields", &ids, err) < 0)
		return -1;
	free(set->text);
	set->text = pl_strdup(text);
	set->count = 0;
	PL_JSON_EACH(id, ids) {
		const char *name = json_string_value(id);
		size_t column = name != NULL ? store_column_find(columns, name) : SIZE_MAX;
		if (column != SIZE_MAX)
			*PL_PUSH(set->columns, set->count, set->room) = column;
	}
	return 0;
}

void store_column_set_done(struct store_column_set *set)
{
	free(set->text);
	free(set->columns);
	*set = (struct store_column_set){ 0 };
}
