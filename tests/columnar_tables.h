/*
 * Random tables for the tests of columnar/: every type, values with codes and without, nulls, NaN, infinities, empty
 * texts, NUL in texts. The same seed makes the same table everywhere.
 */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "columnar/columnar.h"

struct table {
	struct columnar_schema schema;
	struct columnar_values *columns;
	size_t rows;
	struct pl_arena *arena;
	uint64_t state;
};

static inline uint64_t table_next(struct table *table)
{
	uint64_t z = table->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline size_t table_below(struct table *table, size_t limit)
{
	return (size_t)(table_next(table) % limit);
}

static inline double table_double(struct table *table)
{
	static const double odd[] = {
		0.0, -0.0, INFINITY, -INFINITY, 5e-324, 1.7976931348623157e308
	};
	size_t kind = table_below(table, 12);

	if (kind < PL_ARRAY_SIZE(odd))
		return odd[kind];
	if (kind == 6)
		return NAN;
	return (double)(int64_t)table_next(table) / 1e12;
}

static inline struct columnar_text table_text(struct table *table)
{
	static const char *const odd[] = {
		"", "null", "\xc3\xa9", "\xf0\x9f\x92\xa9", "a,\"b\"\r\n", " ", "NaN"
	};
	size_t kind = table_below(table, 16);

	if (kind < PL_ARRAY_SIZE(odd))
		return (struct columnar_text){ odd[kind], strlen(odd[kind]) };
	size_t len = kind == 8 ? 300 : table_below(table, 20);
	char *text = pl_arena_alloc(table->arena, len + 1);
	for (size_t i = 0; i < len; i++)
		text[i] = kind == 9 && i == len / 2 ? '\0' : (char)(' ' + table_below(table, 95));
	return (struct columnar_text){ text, len };
}

static inline void table_set(struct table *table, enum columnar_type type, size_t count,
			     struct columnar_values *ret)
{
	void *items = pl_arena_alloc(table->arena, (count + 1) * sizeof(struct columnar_text));
	int64_t number;

	ret->distinct = count;
	for (size_t i = 0; i < count; i++) {
		switch (type) {
		case COLUMNAR_YES:
			((uint8_t *)items)[i] = table_next(table) & 1;
			break;
		case COLUMNAR_F64:
			((double *)items)[i] = table_double(table);
			break;
		case COLUMNAR_TEXT:
			((struct columnar_text *)items)[i] = table_text(table);
			break;
		default:
			number = (int64_t)table_next(table);
			((int64_t *)items)[i] = number >> table_below(table, 64);
			break;
		}
	}
	ret->yes = type == COLUMNAR_YES ? items : NULL;
	ret->f64 = type == COLUMNAR_F64 ? items : NULL;
	ret->texts = type == COLUMNAR_TEXT ? items : NULL;
	ret->i64 = type == COLUMNAR_I64 || type == COLUMNAR_TIME ? items : NULL;
}

static inline void table_column(struct table *table, size_t index)
{
	enum columnar_type type = (enum columnar_type)table_below(table, 5);
	struct columnar_values *values = &table->columns[index];
	bool is_optional = table_below(table, 3) > 0;
	/* none, few, half or all rows are null */
	size_t nulls = is_optional ? (size_t[]){ 0, 1, 8, 16 }[table_below(table, 4)] : 0;
	char name[32];

	snprintf(name, sizeof(name), "c%zu.\xc3\xa9", index);
	struct columnar_field *field = columnar_schema_add(&table->schema, name, type, is_optional);
	field->is_json = false;
	if (table_below(table, 2)) {
		columnar_field_note(field, "unit", "ms");
		columnar_field_note(field, "help", "");
	}
	values->count = table->rows;
	if (table_below(table, 2)) { /* directly */
		table_set(table, type, table->rows, values);
		if (nulls == 0)
			return;
		uint8_t *marks = pl_arena_alloc(table->arena, table->rows + 1);
		for (size_t i = 0; i < table->rows; i++)
			marks[i] = table_below(table, 16) < nulls;
		values->nulls = marks;
		return;
	}
	/* long dictionaries have more values than rows */
	size_t distinct = (size_t[]){ 1, 2, 9, 300, 70000 }[table_below(table, 5)];
	size_t stay = 1 + table_below(table, 40), left = 0; /* rows with the same code */
	uint32_t code = 0, *codes = pl_arena_alloc(table->arena, table->rows * 4 + 4);
	table_set(table, type, distinct, values);
	for (size_t i = 0; i < table->rows; i++, left--) {
		if (left == 0) {
			left = 1 + table_below(table, stay);
			code = table_below(table, 16) < nulls
				       ? COLUMNAR_NULL
				       : (uint32_t)table_below(table, distinct);
		}
		codes[i] = code;
	}
	values->codes = codes;
}

static inline struct table *table_new(uint64_t seed, size_t rows, size_t columns)
{
	struct table *table = pl_alloc(sizeof(*table));

	*table = (struct table){ .rows = rows,
				 .arena = pl_arena_new(1 << 16),
				 .columns = pl_alloc_array(columns, sizeof(*table->columns)),
				 .state = seed };
	columnar_schema_note(&table->schema, "made_by", "table_new");
	for (size_t i = 0; i < columns; i++)
		table_column(table, i);
	return table;
}

static inline void table_free(struct table *table)
{
	columnar_schema_done(&table->schema);
	pl_arena_free(table->arena);
	free(table->columns);
	free(table);
}

/* Returns a part of a column: `count` rows from `begin` on. */
static inline struct columnar_values table_slice(const struct table *table, size_t column,
						 size_t begin, size_t count)
{
	struct columnar_values values = table->columns[column];

	values.count = count;
	if (values.codes != NULL) {
		values.codes += begin;
		return values;
	}
	values.distinct = count;
	values.nulls = values.nulls != NULL ? values.nulls + begin : NULL;
	values.yes = values.yes != NULL ? values.yes + begin : NULL;
	values.i64 = values.i64 != NULL ? values.i64 + begin : NULL;
	values.f64 = values.f64 != NULL ? values.f64 + begin : NULL;
	values.texts = values.texts != NULL ? values.texts + begin : NULL;
	return values;
}

/* Writes one cell: the same text for the same value, and for no other. */
static inline void table_print(struct pl_buf *out, enum columnar_type type,
			       const struct columnar_values *values, size_t row)
{
	uint32_t at = columnar_values_at(values, row);

	if (at == COLUMNAR_NULL)
		pl_buf_add_text(out, "null");
	else if (type == COLUMNAR_YES)
		pl_buf_add_text(out, values->yes[at] ? "true" : "false");
	else if (type == COLUMNAR_TEXT)
		pl_text_add_json(out, values->texts[at].bytes, values->texts[at].len, true);
	else if (type == COLUMNAR_F64 && !isfinite(values->f64[at]))
		pl_buf_add_text(out, isnan(values->f64[at]) ? "NaN"
				     : values->f64[at] > 0  ? "Infinity"
							    : "-Infinity");
	else if (type == COLUMNAR_F64)
		pl_buf_addf(out, "%.16e", values->f64[at]);
	else
		pl_buf_addf(out, "%lld", (long long)values->i64[at]);
}
