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
	ARROW_NULL = 1,
	ARROW_INT = 2,
	ARROW_FLOAT = 3,
	ARROW_BINARY = 4,
	ARROW_UTF8 = 5,
	ARROW_BOOL = 6,
	ARROW_DECIMAL = 7,
	ARROW_DATE = 8,
	ARROW_TIME = 9,
	ARROW_TIMESTAMP = 10,
	ARROW_INTERVAL = 11,
	ARROW_LIST = 12,
	ARROW_STRUCT = 13,
	ARROW_UNION = 14,
	ARROW_FIXED_BINARY = 15,
	ARROW_FIXED_LIST = 16,
	ARROW_MAP = 17,
	ARROW_DURATION = 18,
	ARROW_LARGE_BINARY = 19,
	ARROW_LARGE_UTF8 = 20,
	ARROW_LARGE_LIST = 21,
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

/* A batch or a dictionary in the file. */
struct arrow_message {
	size_t at;   /* of its metadata */
	size_t head; /* bytes of the metadata */
	size_t body; /* location */
	size_t body_bytes;
	int64_t id; /* of a dictionary; -1: a batch */
	int64_t rows;
};

/* Decoded values, in the form of struct columnar_values. */
struct arrow_decoded {
	void *items;
	char *bytes; /* owned: texts point into it */
	uint8_t *nulls;
	size_t count;
};

struct arrow_tree;

struct columnar_arrow {
	const uint8_t *bytes;
	size_t len;
	struct columnar_limits limits;
	bool is_nested;
	struct columnar_schema schema;
	struct arrow_column *columns;
	struct arrow_tree *tree; /* of a nested schema, instead of `columns`; NULL: it is flat */
	size_t *first_buffers;   /* index of the first buffer of each column in a batch */
	struct arrow_message *messages;
	size_t message_count;
	size_t message_room;
	size_t *batches; /* their messages */
	size_t batch_count;
	size_t batch_room;

	/* ---- of the last read column ---- */
	struct arrow_decoded values;
	struct arrow_decoded dictionary;
	size_t dictionary_message;
	size_t dictionary_column;
	uint32_t *codes;
};

/* The parts of a batch that is being decoded. */
struct arrow_batch {
	const struct arrow_message *message;
	struct flat_in in;
	int64_t rows;
	struct flat_vector nodes;
	struct flat_vector buffers;
	int64_t compression;
};

/* Reads the metadata of a batch or a dictionary. */
int columnar_arrow_batch_open(const struct columnar_arrow *arrow,
			      const struct arrow_message *message, struct arrow_batch *ret,
			      struct pl_err *err);
/* A decompressed buffer. */
struct arrow_bytes {
	const uint8_t *at;
	size_t len;
	char *owned;
};

void columnar_arrow_bytes_done(struct arrow_bytes *bytes);
#define auto_arrow_bytes \
	__attribute__((cleanup(columnar_arrow_bytes_done), unused)) struct arrow_bytes
/* Finds a buffer of a batch, and decompresses it. */
int columnar_arrow_buffer_open(const struct columnar_arrow *arrow, const struct arrow_batch *batch,
			       size_t index, struct arrow_bytes *ret, struct pl_err *err);

/* ---- nested ---------------------------------------------------------------------------------- */

/* A field of a nested schema, in preorder. */
struct arrow_field {
	char *name;
	enum arrow_type type;
	size_t span;        /* fields of its subtree, itself included */
	unsigned char bits; /* of integers, floats and offsets */
	bool is_unsigned;
	enum arrow_unit unit;
	int64_t width; /* bytes of FIXED_BINARY, items of FIXED_LIST */
	bool has_dictionary;
	int64_t dictionary;
	unsigned char code_bits;
	bool code_is_unsigned;
	const char *fault; /* why it cannot be read; NULL: it can */
};

struct arrow_tree {
	struct arrow_field *fields;
	size_t count;
	size_t room;
};
int columnar_arrow_tree_read(const struct flat_table *from, struct arrow_tree **ret,
			     struct pl_err *err);
void columnar_arrow_tree_free(struct arrow_tree *tree);
/* Like columnar_arrow_open(), with a nested schema in `tree`. */
int columnar_arrow_open_nested(const void *bytes, size_t len, const struct columnar_limits *limits,
			       struct columnar_arrow **ret, struct pl_err *err) PL_MUST_CHECK;
