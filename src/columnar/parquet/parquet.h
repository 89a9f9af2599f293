/*
 * Apache Parquet. The writer makes flat columns of five types, with definition levels, dictionaries, statistics and
 * metadata; a chunk is compressed if that makes it smaller. The reader reads what the writer makes and the same columns
 * of other writers: all encodings of data pages of both versions, uncompressed, Snappy, gzip or Zstandard. It refuses
 * all else by name. Nested columns: records.h.
 *
 * - A file is a sequence of row groups; each has one chunk per column, in the order of the schema.
 * - The same input makes the same bytes, apart from versions of the compression libraries.
 */
#pragma once

#include "columnar/columnar.h"

/* ---- writer ---------------------------------------------------------------------------------- */

struct columnar_parquet_options {
	enum columnar_codec codec;
	const char *created_by; /* "PROGRAM version X" */
};

struct columnar_parquet_writer;

/* Borrows the schema and the texts of the options. Appends the start of the file. */
struct columnar_parquet_writer *
columnar_parquet_writer_new(const struct columnar_schema *schema,
			    const struct columnar_parquet_options *options, struct pl_buf *out);
void columnar_parquet_writer_free(struct columnar_parquet_writer *writer);
PL_AUTO_DEFINE(struct columnar_parquet_writer, columnar_parquet_writer_free);
#define auto_columnar_parquet_writer PL_AUTO(columnar_parquet_writer_free)

/* Starts a row group. All chunks of the previous one must have been added. */
void columnar_parquet_begin(struct columnar_parquet_writer *writer, size_t rows);
/*
 * Appends the chunk of the next column, which has all rows of the group. The caller may consume `out` between two
 * calls. Values that no row has are not stored. Returns -1 if a text is larger than 1 GiB or `out` is full.
 */
int columnar_parquet_add(struct columnar_parquet_writer *writer,
			 const struct columnar_values *values, struct pl_buf *out,
			 struct pl_err *err) PL_MUST_CHECK;
/* Appends the end of the file. Returns -1 if it is larger than 2 GiB or `out` is full. */
int columnar_parquet_end(struct columnar_parquet_writer *writer, struct pl_buf *out,
			 struct pl_err *err) PL_MUST_CHECK;

/* ---- reader ---------------------------------------------------------------------------------- */

struct columnar_parquet;

/*
 * Reads the metadata. Borrows the bytes. Returns INVALID for a file that is malformed or uses something else than the
 * above.
 */
int columnar_parquet_open(const void *bytes, size_t len, const struct columnar_limits *limits,
			  struct columnar_parquet **ret, struct pl_err *err) PL_MUST_CHECK;
void columnar_parquet_free(struct columnar_parquet *parquet);
PL_AUTO_DEFINE(struct columnar_parquet, columnar_parquet_free);
#define auto_columnar_parquet PL_AUTO(columnar_parquet_free)

const struct columnar_schema *columnar_parquet_schema(const struct columnar_parquet *parquet);
int64_t columnar_parquet_rows(const struct columnar_parquet *parquet);
size_t columnar_parquet_groups(const struct columnar_parquet *parquet);
int64_t columnar_parquet_group_rows(const struct columnar_parquet *parquet, size_t group);

/* The statistics of a chunk. min and max have the encoding PLAIN, texts without a length; NULL: not recorded. */
struct columnar_statistics {
	int64_t nulls; /* -1: not recorded */
	const char *min;
	size_t min_len;
	const char *max;
	size_t max_len;
};
struct columnar_statistics columnar_parquet_statistics(const struct columnar_parquet *parquet,
						       size_t group, size_t column);

/* The pages of one chunk, in order. Borrows the file. */
struct columnar_parquet_cursor;
struct columnar_parquet_cursor *columnar_parquet_cursor_new(const struct columnar_parquet *parquet,
							    size_t group, size_t column);
void columnar_parquet_cursor_free(struct columnar_parquet_cursor *cursor);
PL_AUTO_DEFINE(struct columnar_parquet_cursor, columnar_parquet_cursor_free);
#define auto_columnar_parquet_cursor PL_AUTO(columnar_parquet_cursor_free)
/*
 * Reads the next rows; *ret is valid until the next call. ret->count is 0 at the end, after as many rows as the group
 * has.
 */
int columnar_parquet_next(struct columnar_parquet_cursor *cursor, struct columnar_values *ret,
			  struct pl_err *err) PL_MUST_CHECK;
