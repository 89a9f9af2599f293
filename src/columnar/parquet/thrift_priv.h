/* Thrift's compact protocol, as far as the metadata of Parquet needs it. */
#pragma once

#include "base/buf.h"

#include <stdint.h>

enum thrift_type {
	THRIFT_STOP,
	THRIFT_TRUE,
	THRIFT_FALSE,
	THRIFT_BYTE,
	THRIFT_I16,
	THRIFT_I32,
	THRIFT_I64,
	THRIFT_DOUBLE,
	THRIFT_BINARY,
	THRIFT_LIST,
	THRIFT_SET,
	THRIFT_MAP,
	THRIFT_STRUCT,
};

#define THRIFT_DEPTH_MAX 16

/* ---- writing --------------------------------------------------------------------------------- */

/* Starts in the outermost struct, which needs a columnar_thrift_end(). Fields are added in the order of their ids. */
struct thrift_out {
	struct pl_buf *buf;
	unsigned depth;
	int last[THRIFT_DEPTH_MAX]; /* id of the previous field of each open struct */
};

void columnar_thrift_add_i32(struct thrift_out *out, int id, int32_t number);
void columnar_thrift_add_i64(struct thrift_out *out, int id, int64_t number);
void columnar_thrift_add_yes(struct thrift_out *out, int id, bool yes);
void columnar_thrift_add_binary(struct thrift_out *out, int id, const void *bytes, size_t len);
void columnar_thrift_add_text(struct thrift_out *out, int id, const char *text);
/* Opens a struct: a field of one, or an item of a list (id 0). */
void columnar_thrift_begin(struct thrift_out *out, int id);
void columnar_thrift_end(struct thrift_out *out);
/* An empty struct. */
void columnar_thrift_add_empty(struct thrift_out *out, int id);
/* The items follow: structs, or these. */
void columnar_thrift_add_list(struct thrift_out *out, int id, enum thrift_type of, size_t count);
void columnar_thrift_item_i32(struct thrift_out *out, int32_t number);
void columnar_thrift_item_text(struct thrift_out *out, const char *text);

/* ---- reading --------------------------------------------------------------------------------- */

/*
 * Bytes that are being read. After the first fault every read returns zeros and every struct ends, so callers check
 * `fault` once, at the end.
 */
struct thrift_in {
	const uint8_t *begin;
	const uint8_t *at;
	const uint8_t *end;
	const char *fault; /* NULL: none; `at` is its location */
};

/* Starts as { 0 } for each struct. */
struct thrift_field {
	int id;
	enum thrift_type type;
};

/* Reads the head of the next field; false at the end of the struct. Its value must be read, or skipped. */
bool columnar_thrift_next(struct thrift_in *in, struct thrift_field *field);
void columnar_thrift_skip(struct thrift_in *in, enum thrift_type type);
/* These expect a field of their type. */
int64_t columnar_thrift_int(struct thrift_in *in, enum thrift_type type);
bool columnar_thrift_yes(struct thrift_in *in, enum thrift_type type);
/* Borrowed. */
const char *columnar_thrift_binary(struct thrift_in *in, enum thrift_type type, size_t *ret_len);
/* Returns the number of items, at most that of the remaining bytes. */
size_t columnar_thrift_list(struct thrift_in *in, enum thrift_type type, enum thrift_type of);
/* Returns whether the type is a struct, which then follows; otherwise, a fault. */
bool columnar_thrift_is_struct(struct thrift_in *in, enum thrift_type type);
void columnar_thrift_fail(struct thrift_in *in, const char *fault);
