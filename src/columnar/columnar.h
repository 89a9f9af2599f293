/*
 * Tables as files: the schema and the values of columns, for parquet/ and arrow/.
 *
 * - A value has one of five types; a column may have nulls. Nested columns are read by records.h alone.
 * - A column comes in parts. A part holds its values directly, or the code of each row and the distinct values.
 * - Readers borrow the bytes of the file and check them against limits. A reader of foreign bytes allocates at most
 *   the limits, and reports malformed bytes with their location in the file.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum columnar_type {
	COLUMNAR_YES,  /* true or false */
	COLUMNAR_I64,  /* a signed integer of 64 bits */
	COLUMNAR_F64,  /* any double, including NaN and infinities */
	COLUMNAR_TEXT, /* UTF-8; may contain NUL */
	COLUMNAR_TIME, /* microseconds since 1970, UTC */
};

/* The name of a type in errors: "text". */
const char *columnar_type_name(enum columnar_type type);

struct columnar_pair {
	char *key;
	char *value;
};

struct columnar_field {
	char *name; /* UTF-8; unique within a schema for other readers, but not checked here */
	enum columnar_type type;
	bool is_json;     /* of TEXT: each value is a JSON text; Arrow does not store this */
	bool is_optional; /* false: no value is null */
	struct columnar_pair *pairs; /* metadata of the column */
	size_t pair_count;
};

struct columnar_schema {
	struct columnar_field *fields;
	size_t count;
	size_t room;
	struct columnar_pair *pairs; /* metadata of the file */
	size_t pair_count;
};

/* Returns the new field, valid until the next call. Copies the name. */
struct columnar_field *columnar_schema_add(struct columnar_schema *schema, const char *name,
					   enum columnar_type type, bool is_optional);
/* Both copy key and value. */
void columnar_field_note(struct columnar_field *field, const char *key, const char *value);
void columnar_schema_note(struct columnar_schema *schema, const char *key, const char *value);
/* Return NULL if there is no such key. */
const char *columnar_field_find(const struct columnar_field *field, const char *key);
const char *columnar_schema_find(const struct columnar_schema *schema, const char *key);
void columnar_schema_done(struct columnar_schema *schema);
#define auto_columnar_schema \
	__attribute__((cleanup(columnar_schema_done), unused)) struct columnar_schema

/* A text that need not end with NUL. */
struct columnar_text {
	const char *bytes;
	size_t len;
};

#define COLUMNAR_NULL UINT32_MAX /* the code of a null */

/* Rows of one column. All arrays are borrowed. */
struct columnar_values {
	size_t count; /* rows */
	/* The value of a row is that at its code, or null (COLUMNAR_NULL). NULL: row i has the value i. */
	const uint32_t *codes;
	const uint8_t *nulls; /* without codes: not 0 for a null row; NULL: none is null */
	size_t distinct; /* number of values: all codes are below it; without codes, equal to `count` */
	/* The one of the column's type is set; the value of a null row is any. */
	const uint8_t *yes; /* 0 or 1 */
	const int64_t *i64; /* also of COLUMNAR_TIME */
	const double *f64;
	const struct columnar_text *texts;
};

/* Returns the index of the value of a row, or COLUMNAR_NULL. */
static inline uint32_t columnar_values_at(const struct columnar_values *values, size_t row)
{
	if (values->codes != NULL)
		return values->codes[row];
	return values->nulls != NULL && values->nulls[row] ? COLUMNAR_NULL : (uint32_t)row;
}

enum columnar_codec {
	COLUMNAR_PLAIN,
	COLUMNAR_SNAPPY,
	COLUMNAR_ZSTD,
	COLUMNAR_GZIP, /* readers only */
};

/* Limits of a reader, for any one part of a column. */
struct columnar_limits {
	size_t bytes; /* decompressed */
	size_t rows;
};
#define COLUMNAR_LIMITS \
	((struct columnar_limits){ .bytes = (size_t)256 << 20, .rows = (size_t)32 << 20 })
