/*
 * Arrow IPC. The writer makes the file format, which contains the stream format; texts with codes become dictionaries.
 * The reader reads both formats: flat columns of booleans, integers, floats, UTF-8 and timestamps, with or without
 * dictionaries, with uncompressed or Zstandard buffers. It refuses all else by name.
 *
 * - A file is a schema, the dictionaries of its columns, and record batches with all columns.
 * - The same input makes the same bytes, apart from versions of the compression library.
 */
#pragma once

#include "columnar/columnar.h"

/* ---- writer ---------------------------------------------------------------------------------- */

struct columnar_arrow_writer;

/*
 * Borrows the schema. `dictionaries` has one item per column; one with codes has a dictionary: its distinct texts, to
 * which the codes of all batches refer. Only columns of COLUMNAR_TEXT may have one. Borrowed until the first batch.
 * `codec` is not COLUMNAR_SNAPPY, which Arrow lacks. Appends the start of the file.
 */
int columnar_arrow_writer_new(const struct columnar_schema *schema,
			      const struct columnar_text *const *dictionaries,
			      const size_t *dictionary_counts, enum columnar_codec codec,
			      struct pl_buf *out, struct columnar_arrow_writer **ret,
			      struct pl_err *err) PL_MUST_CHECK;
void columnar_arrow_writer_free(struct columnar_arrow_writer *writer);
PL_AUTO_DEFINE(struct columnar_arrow_writer, columnar_arrow_writer_free);
#define auto_columnar_arrow_writer PL_AUTO(columnar_arrow_writer_free)

/* Starts a record batch. */
void columnar_arrow_begin(struct columnar_arrow_writer *writer, size_t rows);
/* Adds the next column of the batch. Fails if the texts of a column without a dictionary exceed 2 GiB. */
int columnar_arrow_add(struct columnar_arrow_writer *writer, const struct columnar_values *values,
		       struct pl_err *err) PL_MUST_CHECK;
/* Appends the batch, after its last column. */
int columnar_arrow_flush(struct columnar_arrow_writer *writer, struct pl_buf *out,
			 struct pl_err *err) PL_MUST_CHECK;
/* Appends the end of the file. */
int columnar_arrow_end(struct columnar_arrow_writer *writer, struct pl_buf *out,
		       struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns the schema as a message in Base64, as other writers store it in the metadata of a Parquet file under
 * "ARROW:schema": readers take the metadata of columns from it. The caller frees it with free().
 */
char *columnar_arrow_schema_text(const struct columnar_schema *schema);

/* ---- reader ---------------------------------------------------------------------------------- */

struct columnar_arrow;

/* Finds all messages of a file or a stream. Borrows the bytes. */
int columnar_arrow_open(const void *bytes, size_t len, const struct columnar_limits *limits,
			struct columnar_arrow **ret, struct pl_err *err) PL_MUST_CHECK;
void columnar_arrow_free(struct columnar_arrow *arrow);
PL_AUTO_DEFINE(struct columnar_arrow, columnar_arrow_free);
#define auto_columnar_arrow PL_AUTO(columnar_arrow_free)

const struct columnar_schema *columnar_arrow_schema(const struct columnar_arrow *arrow);
size_t columnar_arrow_batches(const struct columnar_arrow *arrow);
int64_t columnar_arrow_batch_rows(const struct columnar_arrow *arrow, size_t batch);
/* Reads a column of a batch; *ret is valid until the next call. */
int columnar_arrow_read(struct columnar_arrow *arrow, size_t batch, size_t column,
			struct columnar_values *ret, struct pl_err *err) PL_MUST_CHECK;
