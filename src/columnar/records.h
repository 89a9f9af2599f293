/*
 * The records of a Parquet or Arrow file as JSON objects, one per row, with nested columns.
 *
 * - Lists and structs become arrays and objects; a map is an array of objects with `key` and `value`.
 * - Times are integers in microseconds since 1970, UTC. NaN and infinities are null, which JSON requires.
 * - Binary values are JSON strings of their bytes, which need not be UTF-8; json_string_length() has their length.
 * - The reader holds one page per column (Parquet) or what one batch has compressed (Arrow), whatever the file's size.
 * - Only the requested columns are read. A column that cannot be read fails only if it is requested.
 */
#pragma once

#include "base/err.h"
#include "columnar/columnar.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether the bytes start like one of the two formats; 8 bytes suffice. */
bool columnar_is_records(const void *bytes, size_t len);

struct columnar_records;

/*
 * Borrows the bytes. `columns` has the names of the requested ones, up to NULL; names that the file lacks are ignored.
 * NULL: all.
 */
int columnar_records_open(const void *bytes, size_t len, const char *const *columns,
			  const struct columnar_limits *limits, struct columnar_records **ret,
			  struct pl_err *err) PL_MUST_CHECK;
/* The same for an open file, which it maps; the caller may close `fd` afterwards. Pages that were read are released. */
int columnar_records_open_file(int fd, const char *const *columns,
			       const struct columnar_limits *limits, struct columnar_records **ret,
			       struct pl_err *err) PL_MUST_CHECK;
void columnar_records_free(struct columnar_records *records);
PL_AUTO_DEFINE(struct columnar_records, columnar_records_free);
#define auto_columnar_records PL_AUTO(columnar_records_free)

/* Appends the names of all columns of the file, separated by ", ". */
void columnar_records_names(const struct columnar_records *records, struct pl_buf *out);
/* The number of records of the file. */
int64_t columnar_records_count(const struct columnar_records *records);
/* Reads the next record, which the caller owns; *ret is NULL after the last one. */
int columnar_records_next(struct columnar_records *records, json_t **ret,
			  struct pl_err *err) PL_MUST_CHECK;
