/* 16 bytes at a time, with the instructions of every x86-64. */
#ifdef __x86_64__
#include <emmintrin.h>

#define VECTOR_BYTES 16
#include "mirror/kernels/vector_priv.h"

#define ONE_A_BYTE 0x0101010101010101u

static inline uint64_t top_bits_u8(vector_u8 vector)
{
	return (unsigned)_mm_movemask_epi8((__m128i)vector);
}

static inline uint64_t top_bits_f64(vector_f64 vector)
{
	return (unsigned)_mm_movemask_pd((__m128d)vector);
}

static inline vector_u8 narrow_u16(vector_u16 low, vector_u16 high)
{
	return (vector_u8)_mm_packs_epi16((__m128i)low, (__m128i)high);
}

static inline vector_u16 narrow_u32(vector_u32 low, vector_u32 high)
{
	return (vector_u16)_mm_packs_epi32((__m128i)low, (__m128i)high);
}

static inline vector_u8 spread_u8(uint64_t bits)
{
	const vector_u8 bit = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
	const vector_u64 bytes = { (bits & 0xff) * ONE_A_BYTE, (bits >> 8 & 0xff) * ONE_A_BYTE };

	return (vector_u8)(((vector_u8)bytes & bit) == bit);
}

static inline vector_u64 sum_bytes(vector_u8 vector)
{
	return (vector_u64)_mm_sad_epu8((__m128i)vector, _mm_setzero_si128());
}

static inline vector_u8 count_bits_u8(vector_u64 vector)
{
	vector -= vector >> 1 & 0x5555555555555555u;
	vector = (vector & 0x3333333333333333u) + (vector >> 2 & 0x3333333333333333u);
	return (vector_u8)((vector + (vector >> 4)) & 0x0f0f0f0f0f0f0f0fu);
}

static inline vector_f64 least(vector_f64 a, vector_f64 b)
{
	return (vector_f64)_mm_min_pd((__m128d)a, (__m128d)b);
}

static inline vector_f64 greatest(vector_f64 a, vector_f64 b)
{
	return (vector_f64)_mm_max_pd((__m128d)a, (__m128d)b);
}

#include "mirror/kernels/wide_priv.h"

const struct mirror_kernels mirror_kernels_sse2 = MIRROR_KERNELS_SET("sse2");
#endif
