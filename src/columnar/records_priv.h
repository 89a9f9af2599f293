/* The readers of records.h, and the rules that they share. */
#pragma once

#include "columnar/columnar_priv.h"
#include "columnar/records.h"

/* A record with more values is refused: a few bytes may stand for millions of them. */
#define RECORD_VALUES_MAX (1 << 20)

/* The size of one record, while it is assembled. */
struct record_budget {
	size_t values;
	size_t bytes;
	size_t bytes_max;
};
/* Returns -1 if the record is too large with another value of `bytes` bytes. */
int columnar_record_take(struct record_budget *budget, size_t bytes, struct pl_err *err);
/* NULL: every column is requested. */
bool columnar_is_requested(const char *const *columns, const char *name);
/* Returns -1 if no column was requested that the file has. */
int columnar_records_check(bool has_any, struct pl_err *err);
json_t *columnar_json_of_double(double number);
json_t *columnar_json_of_bytes(const char *bytes, size_t len);

/* The remedy in an error; `format` is "parquet" or "arrow", for Python's datasets. */
#define COLUMNAR_CONVERSION_OF(format)                                                          \
	"; convert the file with: python3 -c \"import datasets; datasets.load_dataset('" format \
	"', data_files='FILE', split='train').to_json('FILE.jsonl')\""

/* ---- Parquet --------------------------------------------------------------------------------- */

struct parquet_records;
int columnar_parquet_records_open(const void *bytes, size_t len, const char *const *columns,
				  const struct columnar_limits *limits,
				  struct parquet_records **ret, struct pl_err *err);
void columnar_parquet_records_free(struct parquet_records *records);
void columnar_parquet_records_names(const struct parquet_records *records, struct pl_buf *out);
int64_t columnar_parquet_records_count(const struct parquet_records *records);
int columnar_parquet_records_next(struct parquet_records *records, json_t **ret,
				  struct pl_err *err);
/* Returns how many bytes of the file were read so far, approximately. */
size_t columnar_parquet_records_read_bytes(const struct parquet_records *records);

/* ---- Arrow ----------------------------------------------------------------------------------- */

struct arrow_records;
int columnar_arrow_records_open(const void *bytes, size_t len, const char *const *columns,
				const struct columnar_limits *limits, struct arrow_records **ret,
				struct pl_err *err);
void columnar_arrow_records_free(struct arrow_records *records);
void columnar_arrow_records_names(const struct arrow_records *records, struct pl_buf *out);
int64_t columnar_arrow_records_count(const struct arrow_records *records);
int columnar_arrow_records_next(struct arrow_records *records, json_t **ret, struct pl_err *err);
size_t columnar_arrow_records_read_bytes(const struct arrow_records *records);
