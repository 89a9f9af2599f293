/*
 * Leaves (result/fields/leaves.h) as bytes, in the two forms that the database has:
 *
 *	row     all leaves of one document, sorted by path
 *	chunk   the leaves with one path of the documents of a segment: the distinct ones, and a code for each document
 *
 * Both start with a byte, 0: plain, 1: a zstd frame follows. Numbers have 7 bits per byte, the lowest first; texts
 * end with NUL. The readers accept any bytes: they fail with INVALID or return what is inside.
 */
#pragma once

#include "base/err.h"
#include "result/fields/leaves.h"

#define STORE_LEAF_ROW_BYTES_MAX \
	(1u << 20) /* of a document whose leaves exceed it, one mark is stored */
#define STORE_LEAF_SEGMENT_ROWS 256
#define STORE_LEAF_CHUNK_BYTES_MAX \
	(STORE_LEAF_SEGMENT_ROWS * (RES_LEAF_TEXT_BYTES_MAX + 16u) + 1024u)

/* Leaves in any order, copied. */
struct store_leaf_list {
	struct res_leaf *items;
	size_t count;
	size_t room;
	size_t bytes;
	struct pl_arena *arena;
};
/* A res_leaf_fn whose context is the list. */
void store_leaf_list_add(void *list, const struct res_leaf *leaf);
void store_leaf_list_done(struct store_leaf_list *list);
#define auto_leaf_list __attribute__((cleanup(store_leaf_list_done), unused)) struct store_leaf_list

/* Sorts the list. A path with several leaves gets a mark. The caller frees the bytes. */
void *store_leaf_row_pack(struct store_leaf_list *list, size_t *ret_len);

/* Reads a row leaf by leaf. Paths that are not in strict order are malformed. */
struct store_leaf_row {
	char *bytes;
	size_t len;
	size_t at;
	const char *before; /* path of the last leaf; NULL: none */
};
int store_leaf_row_open(const void *packed, size_t len, struct store_leaf_row *ret,
			struct pl_err *err) PL_MUST_CHECK;
/* Returns 1 and the next leaf, valid until store_leaf_row_done(); 0 after the last one; -1 with INVALID. */
int store_leaf_row_next(struct store_leaf_row *row, struct res_leaf *ret, struct pl_err *err);
void store_leaf_row_done(struct store_leaf_row *row);
#define auto_leaf_row __attribute__((cleanup(store_leaf_row_done), unused)) struct store_leaf_row

struct store_leaf_chunk {
	size_t rows;
	size_t count;           /* distinct leaves */
	struct res_leaf *items; /* without paths */
	uint16_t *codes;        /* of each row: 0: the document has no such leaf; i + 1: items[i] */
	char *bytes;            /* memory of the texts; NULL: the maker of the chunk owns them */
};
void *store_leaf_chunk_pack(const struct store_leaf_chunk *chunk, size_t *ret_len);
/* INVALID: not a chunk, or one with another number of rows. */
int store_leaf_chunk_unpack(const void *packed, size_t len, size_t rows,
			    struct store_leaf_chunk *ret, struct pl_err *err) PL_MUST_CHECK;
void store_leaf_chunk_done(struct store_leaf_chunk *chunk);
#define auto_leaf_chunk \
	__attribute__((cleanup(store_leaf_chunk_done), unused)) struct store_leaf_chunk

/* Ids in ascending order, at most STORE_LEAF_SEGMENT_ROWS of them. The caller frees the bytes. */
void *store_leaf_ids_pack(const int64_t *ids, size_t count, size_t *ret_len);
int store_leaf_ids_unpack(const void *packed, size_t len, int64_t ids[STORE_LEAF_SEGMENT_ROWS],
			  size_t *ret_count, struct pl_err *err) PL_MUST_CHECK;
