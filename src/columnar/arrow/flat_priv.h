/*
 * FlatBuffers, as far as the metadata of Arrow needs them.
 *
 * A buffer is written from its end to its start, so that everything that a table refers to is written before the table. A
 * reference to what was written is its distance from the end.
 */
#pragma once

#include "columnar/columnar_priv.h"

#define FLAT_SLOTS_MAX 8

/* ---- writing --------------------------------------------------------------------------------- */

struct flat_out {
	char *bytes; /* of `room`; the last `len` are used */
	size_t room;
	size_t len;
	size_t slots[FLAT_SLOTS_MAX]; /* of the open table: the location of each field; 0: none */
	size_t table_end;             /* length when the table was opened */
};
void columnar_flat_done(struct flat_out *out);
#define auto_flat __attribute__((cleanup(columnar_flat_done), unused)) struct flat_out

size_t columnar_flat_text(struct flat_out *out, const char *text);
/* A vector of references. */
size_t columnar_flat_refs(struct flat_out *out, const size_t *refs, size_t count);
/* A vector of structs of int64_t, each of `size` bytes. */
size_t columnar_flat_structs(struct flat_out *out, const void *structs, size_t size, size_t count);
/* The fields of a table are added after all that they refer to, and no table is open inside of another. */
void columnar_flat_begin(struct flat_out *out);
void columnar_flat_add_ref(struct flat_out *out, unsigned slot, size_t ref);
void columnar_flat_add_int(struct flat_out *out, unsigned slot, int64_t number, size_t size);
size_t columnar_flat_end(struct flat_out *out);
/* Writes the reference to the outermost table. The bytes are then the buffer, a multiple of 8. */
void columnar_flat_finish(struct flat_out *out, size_t root);
static inline const char *columnar_flat_bytes(const struct flat_out *out)
{
	return out->bytes + out->room - out->len;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A buffer, or a table in it. After the first fault all reads return nothing. */
struct flat_in {
	const uint8_t *bytes;
	size_t len;
	const char *fault; /* NULL: none */
};

struct flat_table {
	struct flat_in *in;
	size_t at;    /* 0: there is no table, and each field is missing */
	size_t slots; /* location of the vtable */
	size_t slots_len;
};

struct flat_vector {
	struct flat_in *in;
	size_t at; /* of the first item */
	size_t count;
};

struct flat_table columnar_flat_root(struct flat_in *in);
bool columnar_flat_has(const struct flat_table *table, unsigned slot);
int64_t columnar_flat_int(const struct flat_table *table, unsigned slot, size_t size,
			  int64_t missing);
struct flat_table columnar_flat_table_of(const struct flat_table *table, unsigned slot);
/* Items have `size` bytes. */
struct flat_vector columnar_flat_vector_of(const struct flat_table *table, unsigned slot,
					   size_t size);
struct flat_table columnar_flat_item(const struct flat_vector *vector, size_t i);
/* Returns a copy, "" if there is none. The caller frees it. */
char *columnar_flat_text_of(const struct flat_table *table, unsigned slot);
