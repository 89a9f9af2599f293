/* 32 bytes at a time. Compiled for processors with AVX2, POPCNT and BMI; never run it on others. */
#ifdef __x86_64__
#include <immintrin.h>

#define VECTOR_BYTES 32
#include "mirror/kernels/vector_priv.h"

/* Packing works within each half of a vector; this restores the order of its quarters. */
#define IN_ORDER 0xd8

static inline uint64_t top_bits_u8(vector_u8 vector)
{
	return (unsigned)_mm256_movemask_epi8((__m256i)vector);
}

static inline uint64_t top_bits_f64(vector_f64 vector)
{
	return (unsigned)_mm256_movemask_pd((__m256d)vector);
}

static inline vector_u8 narrow_u16(vector_u16 low, vector_u16 high)
{
	__m256i crossed = _mm256_packs_epi16((__m256i)low, (__m256i)high);

	return (vector_u8)_mm256_permute4x64_epi64(crossed, IN_ORDER);
}

static inline vector_u16 narrow_u32(vector_u32 low, vector_u32 high)
{
	__m256i crossed = _mm256_packs_epi32((__m256i)low, (__m256i)high);

	return (vector_u16)_mm256_permute4x64_epi64(crossed, IN_ORDER);
}

static inline vector_u8 spread_u8(uint64_t bits)
{
	const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201u);
	/* byte 0 eight times, byte 1 eight times; byte 2, byte 3 in the upper half */
	const __m256i order = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202,
						 0x0303030303030303);
	__m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int)(uint32_t)bits), order);

	return (vector_u8)_mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
}

static inline vector_u64 sum_bytes(vector_u8 vector)
{
	return (vector_u64)_mm256_sad_epu8((__m256i)vector, _mm256_setzero_si256());
}

/* Looks up each byte below 16 in a table of 16 bytes; a byte >= 128 gives 0. */
static inline vector_u8 look_up(__m128i table, vector_u8 index)
{
	return (vector_u8)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), (__m256i)index);
}

static inline vector_u8 count_bits_u8(vector_u64 vector)
{
	const __m128i counts = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);

	return look_up(counts, (vector_u8)vector & 15) +
	       look_up(counts, (vector_u8)(vector >> 4) & 15);
}

static inline vector_f64 least(vector_f64 a, vector_f64 b)
{
	return (vector_f64)_mm256_min_pd((__m256d)a, (__m256d)b);
}

static inline vector_f64 greatest(vector_f64 a, vector_f64 b)
{
	return (vector_f64)_mm256_max_pd((__m256d)a, (__m256d)b);
}

#define HAS_COMPRESS

/* Lanes as halves of 32 bits, with the lanes of set bits first. */
#define LANE(lane) (2 * (lane)), (2 * (lane) + 1)
static const uint32_t fronts[1 << 4][8] = {
	{ 0 },
	{ LANE(0) },
	{ LANE(1) },
	{ LANE(0), LANE(1) },
	{ LANE(2) },
	{ LANE(0), LANE(2) },
	{ LANE(1), LANE(2) },
	{ LANE(0), LANE(1), LANE(2) },
	{ LANE(3) },
	{ LANE(0), LANE(3) },
	{ LANE(1), LANE(3) },
	{ LANE(0), LANE(1), LANE(3) },
	{ LANE(2), LANE(3) },
	{ LANE(0), LANE(2), LANE(3) },
	{ LANE(1), LANE(2), LANE(3) },
	{ LANE(0), LANE(1), LANE(2), LANE(3) },
};

static inline vector_f64 compress_f64(vector_f64 vector, unsigned bits)
{
	__m256i order = _mm256_loadu_si256((const __m256i *)fronts[bits]);

	return (vector_f64)_mm256_permutevar8x32_epi32((__m256i)vector, order);
}

/* ---- any set of bytes ------------------------------------------------------------------------ */

/* Each byte is for the codes with one low half: its bit i represents high half i; in `upper`, high half 8 + i. */
struct byte_set {
	__m128i lower;
	__m128i upper;
};

#define HAS_BYTE_SET
#define BYTES_COMPARED_MAX 4 /* this number of comparisons is as fast */

static struct byte_set byte_set_of(const uint8_t *wanted, size_t distinct)
{
	struct byte_set set = { _mm_setzero_si128(), _mm_setzero_si128() };
	uint8_t all[256] = { 0 };

	for (size_t i = 0; i < distinct; i++)
		all[i] = wanted[i];
	for (int high = 0; high < 8; high++) {
		const __m128i *lower = (const __m128i *)&all[high * 16];
		const __m128i *upper = (const __m128i *)&all[(high + 8) * 16];
		/* a shifted 1 stays in its byte */
		set.lower = _mm_or_si128(set.lower, _mm_slli_epi16(_mm_loadu_si128(lower), high));
		set.upper = _mm_or_si128(set.upper, _mm_slli_epi16(_mm_loadu_si128(upper), high));
	}
	return set;
}

static inline vector_u8 byte_set_has(const struct byte_set *set, vector_u8 codes)
{
	const __m128i bits = _mm_set1_epi64x((int64_t)0x8040201008040201u);
	/* each high half is in one of the tables; the top bit makes the lookup in the other one 0 */
	vector_u8 row = look_up(set->lower, codes & 0x8f) |
			look_up(set->upper, (codes ^ 0x80) & 0x8f);
	vector_u8 bit = look_up(bits, (vector_u8)((vector_u16)codes >> 4) & 15);

	return (vector_u8)((row & bit) == bit);
}

#include "mirror/kernels/wide_priv.h"

const struct mirror_kernels mirror_kernels_avx2 = MIRROR_KERNELS_SET("avx2");
#endif
