/* Shared by the writers and the readers of both formats. */
#pragma once

#include "columnar/columnar.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "both formats store numbers with the low byte first");

/* Reads an integer or a double at any address. */
#define COLUMNAR_GET(type, at)                       \
	({                                           \
		type value_;                         \
		memcpy(&value_, (at), sizeof(type)); \
		value_;                              \
	})

/* Returns whether all bytes are UTF-8, without surrogates and overlong forms. */
bool columnar_is_utf8(const char *bytes, size_t len);

/* ---- codec ----------------------------------------------------------------------------------- */

/* Appends the compressed bytes. */
void columnar_pack(enum columnar_codec codec, const void *bytes, size_t len, struct pl_buf *out);
/*
 * Returns `size` decompressed bytes, which the caller frees. Fails if the input does not have exactly this size. The
 * caller has checked `size` against its limit.
 */
int columnar_unpack(enum columnar_codec codec, const void *packed, size_t len, size_t size,
		    char **ret, struct pl_err *err) PL_MUST_CHECK;

/* ---- hybrid ---------------------------------------------------------------------------------- */

/* Returns the bits that hold all numbers below `count`; 0 if count <= 1. */
unsigned columnar_bits(size_t count);
/* Appends numbers as runs of equal ones and packed groups of 8: the RLE encoding of Parquet. `bits` is 0 to 32. */
void columnar_hybrid_write(const uint32_t *numbers, size_t count, unsigned bits,
			   struct pl_buf *out);
/* Reads `count` numbers. Returns the number of used bytes, or -1 if the bytes are malformed or end early. */
ptrdiff_t columnar_hybrid_read(const uint8_t *bytes, size_t len, unsigned bits, size_t count,
			       uint32_t *ret);
