/* Shared by the writer and the reader. Names and numbers are those of Schema.fbs, Message.fbs and File.fbs. */
#pragma once

#include "columnar/arrow/arrow.h"
#include "columnar/arrow/flat_priv.h"

#define ARROW_MAGIC        "ARROW1"
#define ARROW_MAGIC_BYTES  6
#define ARROW_CONTINUATION UINT32_MAX
#define ARROW_VERSION      4 /* V5 */
#define ARROW_ALIGN        8

enum arrow_header { ARROW_SCHEMA = 1, ARROW_DICTIONARY = 2, ARROW_BATCH = 3 };

enum arrow_type {
	ARROW_INT = 2,
	ARROW_FLOAT = 3,
	ARROW_UTF8 = 5,
	ARROW_BOOL = 6,
	ARROW_TIMESTAMP = 10,
	ARROW_LARGE_UTF8 = 20,
};

enum arrow_unit { ARROW_SECOND, ARROW_MILLI, ARROW_MICRO, ARROW_NANO };

enum arrow_compression { ARROW_UNCOMPRESSED = -1, ARROW_LZ4 = 0, ARROW_ZSTD = 1 };

struct arrow_node {
	int64_t rows;
	int64_t nulls;
};

struct arrow_buffer {
	int64_t offset; /* in the body */
	int64_t len;
};

/* Location of a message in a file. */
struct arrow_block {
	int64_t offset;
	int32_t head_bytes;
	int32_t zero;
	int64_t body_bytes;
};

/* Writes the schema as a table. has_dictionary NULL: no column has one; the id of a dictionary is that of its column. */
size_t columnar_arrow_schema_write(struct flat_out *out, const struct columnar_schema *schema,
				   const bool *has_dictionary);
/* Appends a message without a body. */
void columnar_arrow_schema_message(const struct columnar_schema *schema, const bool *has_dictionary,
				   struct pl_buf *out);
/* Appends the head of a message: length, metadata, zeros to a multiple of 8. */
void columnar_arrow_head_add(const struct flat_out *head, struct pl_buf *out);

/* ---- reader ---------------------------------------------------------------------------------- */

struct arrow_column {
	enum arrow_type type;
	unsigned char bits; /* of integers and floats */
	bool is_unsigned;
	enum arrow_unit unit;
	bool has_dictionary;
	int64_t dictionary;      /* its id */
	unsigned char code_bits; /* of the codes */
	bool code_is_unsigned;
};

/* Reads the schema and the types of its columns (one per field, free()). */
int columnar_arrow_schema_read(const struct flat_table *from, struct columnar_schema *ret,
			       struct arrow_column **ret_columns, struct pl_err *err);
