/*
 * Vectors of VECTOR_BYTES bytes, which the file of a set defines before it includes this file. Here are the operations
 * that the compiler generates for any size. Operations that need a special instruction are in the set itself
 * (wide_priv.h).
 */
#pragma once

#ifdef VECTOR_BYTES
#include <string.h>

#include "mirror/kernels/kernels_priv.h"

#define VECTOR __attribute__((vector_size(VECTOR_BYTES)))

typedef uint8_t vector_u8 VECTOR;
typedef uint16_t vector_u16 VECTOR;
typedef uint32_t vector_u32 VECTOR;
typedef uint64_t vector_u64 VECTOR;
typedef double vector_f64 VECTOR;

#define LANES_OF(type) (VECTOR_BYTES / (int)sizeof(type))
#define VECTORS_OF(type) \
	((int)(MIRROR_WORD_ROWS * sizeof(type)) / VECTOR_BYTES) /* of a word's rows */

#define LOAD(width)                                               \
	static inline vector_##width load_##width(const void *at) \
	{                                                         \
		vector_##width vector;                            \
		memcpy(&vector, at, sizeof(vector));              \
		return vector;                                    \
	}

LOAD(u8)
LOAD(u16)
LOAD(u32)
LOAD(u64)
LOAD(f64)

static inline uint64_t sum_of(vector_u64 vector)
{
	uint64_t sum = 0;

	for (int i = 0; i < LANES_OF(uint64_t); i++)
		sum += vector[i];
	return sum;
}
#endif
