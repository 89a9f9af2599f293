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
	PARQUET_CONVERTED_MAP = 1,
	PARQUET_CONVERTED_MAP_KEY_VALUE = 2,
	PARQUET_CONVERTED_LIST = 3,
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
	PARQUET_LOGICAL_MAP = 2,
	PARQUET_LOGICAL_LIST = 3,
	PARQUET_LOGICAL_ENUM = 4,
	PARQUET_LOGICAL_TIMESTAMP = 8,
	PARQUET_LOGICAL_INTEGER = 10,
	PARQUET_LOGICAL_NULL = 11, /* all values are null */
	PARQUET_LOGICAL_JSON = 12,
	PARQUET_LOGICAL_UUID = 14,
};

enum parquet_unit { PARQUET_MILLIS = 1, PARQUET_MICROS, PARQUET_NANOS };

enum parquet_encoding {
	PARQUET_PLAIN = 0,
	PARQUET_PLAIN_DICTIONARY = 2,
	PARQUET_RLE = 3,
	PARQUET_DELTA_BINARY_PACKED = 5,
	PARQUET_DELTA_LENGTH_BYTE_ARRAY = 6,
	PARQUET_DELTA_BYTE_ARRAY = 7,
	PARQUET_RLE_DICTIONARY = 8,
	PARQUET_BYTE_STREAM_SPLIT = 9,
};

enum parquet_codec {
	PARQUET_UNCOMPRESSED = 0,
	PARQUET_SNAPPY = 1,
	PARQUET_GZIP = 2,
	PARQUET_ZSTD = 6,
};

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
	bool is_unsigned;
	bool is_bytes;          /* of texts: they need not be UTF-8 */
	enum parquet_unit unit; /* of a time */
	int64_t fixed_len;      /* of FIXED_LEN_BYTE_ARRAY */
	uint32_t
		max_def; /* the definition level of a value; lower: something around it is null or empty */
	uint32_t max_rep;
	const char *fault; /* of a nested schema: why it cannot be read; NULL: it can */
};

/* A node of a nested schema, in preorder; the root is not one. */
struct parquet_node {
	char *name;
	size_t span; /* nodes of its subtree, itself included */
	size_t first_leaf;
	size_t leaf_count;
	uint32_t def; /* the definition level at which it exists */
	uint32_t rep; /* the repetition level at which it repeats */
	bool is_leaf;
	bool is_repeated;
	bool is_list; /* it is annotated: its only child repeats */
	bool is_map;
};

struct parquet_part {
	enum parquet_codec codec;
	int64_t values;
	int64_t begin;
	int64_t bytes;
	int64_t plain_bytes;
	struct columnar_statistics statistics; /* borrowed from the file */
};

/* Returns NULL, or the name of a codec that is not supported. */
const char *columnar_parquet_codec_fault(const struct parquet_part *part);

struct columnar_parquet {
	const uint8_t *bytes;
	size_t len;
	struct columnar_limits limits;
	struct columnar_schema schema;
	struct parquet_column *columns;
	bool is_nested;
	struct parquet_node *nodes; /* of a nested schema */
	size_t node_count;
	int64_t rows;
	size_t group_count;
	int64_t *group_rows;
	struct parquet_part *parts; /* of each group, one per column */
};

/* An element of the schema as it is stored. */
struct parquet_element {
	int64_t type; /* -1: a group */
	int64_t type_len;
	int64_t repetition;
	int64_t children;
	int64_t converted;
	int64_t logical;
	int64_t unit; /* of a logical time */
	bool is_unsigned;
	const char *name;
	size_t name_len;
};
void columnar_parquet_element_read(struct thrift_in *in, struct parquet_element *ret);
/* Returns NULL, or what is not supported. */
const char *columnar_parquet_type_fault(const struct parquet_element *element,
					struct columnar_field *field,
					struct parquet_column *column);
/* Reads the elements after the root as a tree, whose leaves are the columns. */
int columnar_parquet_tree_read(struct columnar_parquet *parquet, struct thrift_in *in, size_t count,
			       struct pl_err *err);
/* Like columnar_parquet_open(), with nested columns. A column that cannot be read has a fault. */
int columnar_parquet_open_nested(const void *bytes, size_t len,
				 const struct columnar_limits *limits,
				 struct columnar_parquet **ret, struct pl_err *err) PL_MUST_CHECK;
/* The levels of the entries that columnar_parquet_next() returned last; NULL: all are 0. */
const uint32_t *columnar_parquet_defs(const struct columnar_parquet_cursor *cursor);
const uint32_t *columnar_parquet_reps(const struct columnar_parquet_cursor *cursor);
/* Returns the offset of the next page in the file. */
size_t columnar_parquet_cursor_at(const struct columnar_parquet_cursor *cursor);

/* ---- delta ----------------------------------------------------------------------------------- */

/*
 * Decode `count` values. Integers are modulo 2^64. *ret_used is the number of bytes that they take; NULL: not needed.
 * Texts point into the bytes, or into *ret_bytes of at most `max_bytes`, which the caller frees.
 */
int columnar_delta_ints(const uint8_t *bytes, size_t len, size_t count, int64_t *ret,
			size_t *ret_used, struct pl_err *err) PL_MUST_CHECK;
int columnar_delta_texts(const uint8_t *bytes, size_t len, size_t count, struct columnar_text *ret,
			 struct pl_err *err) PL_MUST_CHECK;
int columnar_delta_prefixed(const uint8_t *bytes, size_t len, size_t count, size_t max_bytes,
			    struct columnar_text *ret, char **ret_bytes,
			    struct pl_err *err) PL_MUST_CHECK;

/* The decoded head of a page. */
struct parquet_head {
	int64_t type;
	int64_t plain_bytes;
	int64_t bytes;
	int64_t values;
	int64_t encoding;
	int64_t level_encoding;
	int64_t repeat_encoding;
	int64_t level_bytes;  /* of version 2 */
	int64_t repeat_bytes; /* of version 2 */
	bool has_crc;
	uint32_t crc;
	bool is_packed; /* of version 2 */
};
int columnar_parquet_head_read(struct thrift_in *in, struct parquet_head *ret, struct pl_err *err);
