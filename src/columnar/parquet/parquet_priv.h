/* Shared by the writer and the reader. The numbers are those of parquet.thrift. */
#pragma once

#include "columnar/columnar_priv.h"
#include "columnar/parquet/parquet.h"
#include "columnar/parquet/thrift_priv.h"

#define PARQUET_MAGIC "PAR1"

enum parquet_type {
	PARQUET_BOOLEAN,
	PARQUET_INT32,
	PARQUET_INT64,
	PARQUET_INT96,
	PARQUET_FLOAT,
	PARQUET_DOUBLE,
	PARQUET_BYTE_ARRAY,
	PARQUET_FIXED_LEN_BYTE_ARRAY,
};

enum parquet_repetition { PARQUET_REQUIRED, PARQUET_OPTIONAL, PARQUET_REPEATED };

enum parquet_converted {
	PARQUET_CONVERTED_NONE = -1,
	PARQUET_CONVERTED_UTF8 = 0,
	PARQUET_CONVERTED_ENUM = 4,
	PARQUET_CONVERTED_TIMESTAMP_MILLIS = 9,
	PARQUET_CONVERTED_TIMESTAMP_MICROS = 10,
	PARQUET_CONVERTED_UINT_8 = 11,
	PARQUET_CONVERTED_UINT_16 = 12,
	PARQUET_CONVERTED_UINT_32 = 13,
	PARQUET_CONVERTED_INT_8 = 15,
	PARQUET_CONVERTED_INT_16 = 16,
	PARQUET_CONVERTED_INT_32 = 17,
	PARQUET_CONVERTED_INT_64 = 18,
	PARQUET_CONVERTED_JSON = 19,
};

enum parquet_logical {
	PARQUET_LOGICAL_NONE = 0,
	PARQUET_LOGICAL_STRING = 1,
	PARQUET_LOGICAL_ENUM = 4,
	PARQUET_LOGICAL_TIMESTAMP = 8,
	PARQUET_LOGICAL_INTEGER = 10,
	PARQUET_LOGICAL_JSON = 12,
};

enum parquet_unit { PARQUET_MILLIS = 1, PARQUET_MICROS, PARQUET_NANOS };

enum parquet_encoding {
	PARQUET_PLAIN = 0,
	PARQUET_PLAIN_DICTIONARY = 2,
	PARQUET_RLE = 3,
	PARQUET_RLE_DICTIONARY = 8,
};

enum parquet_codec { PARQUET_UNCOMPRESSED = 0, PARQUET_SNAPPY = 1, PARQUET_ZSTD = 6 };

enum parquet_page { PARQUET_DATA_PAGE = 0, PARQUET_DICTIONARY_PAGE = 2, PARQUET_DATA_PAGE_V2 = 3 };

/* ---- writer ---------------------------------------------------------------------------------- */

/* A chunk that was written. */
struct parquet_chunk {
	enum parquet_codec codec;
	int64_t rows;
	int64_t begin; /* offset of its first page */
	int64_t data;  /* offset of its first data page */
	int64_t bytes;
	int64_t plain_bytes; /* before compression */
	int64_t nulls;
	bool has_dictionary;
	struct columnar_text min; /* in the arena of the writer; bytes NULL: none */
	struct columnar_text max;
};

struct parquet_group {
	int64_t rows;
	struct parquet_chunk *chunks; /* one per column */
};

/* Appends the metadata of a file: no length and no magic. */
void columnar_parquet_footer_write(const struct columnar_schema *schema, const char *created_by,
				   const struct parquet_group *groups, size_t group_count,
				   struct pl_buf *out);
enum parquet_type columnar_parquet_type_of(enum columnar_type type);

/* ---- reader ---------------------------------------------------------------------------------- */

/* One column, and how its stored values become those of columnar.h. */
struct parquet_column {
	enum parquet_type type;
	bool is_optional;
	bool is_unsigned;
	enum parquet_unit unit; /* of a time */
};

struct parquet_part {
	enum parquet_codec codec;
	int64_t values;
	int64_t begin;
	int64_t bytes;
	int64_t plain_bytes;
	struct columnar_statistics statistics; /* borrowed from the file */
};

struct columnar_parquet {
	const uint8_t *bytes;
	size_t len;
	struct columnar_limits limits;
	struct columnar_schema schema;
	struct parquet_column *columns;
	int64_t rows;
	size_t group_count;
	int64_t *group_rows;
	struct parquet_part *parts; /* of each group, one per column */
};

/* The decoded head of a page. */
struct parquet_head {
	int64_t type;
	int64_t plain_bytes;
	int64_t bytes;
	int64_t values;
	int64_t encoding;
	int64_t level_encoding;
	int64_t level_bytes;  /* of version 2 */
	int64_t repeat_bytes; /* of version 2 */
	bool has_crc;
	uint32_t crc;
	bool is_packed; /* of version 2 */
};
