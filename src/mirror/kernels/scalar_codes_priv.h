/* Loops over codes of one width, row by row. scalar_priv.h includes this with CODE_BITS set to 8, 16 and 32. */
#ifdef CODE_BITS

/* The rows of one word, 1 to 64. */
static inline uint64_t OF_WIDTH(match_word)(const CODE *codes, size_t rows, const uint8_t *wanted)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < rows; i++)
		bits |= (uint64_t)wanted[codes[i]] << i;
	return bits;
}

static inline void OF_WIDTH(match_each)(const CODE *codes, size_t rows, const uint8_t *wanted,
					uint64_t *ret_rows)
{
	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS)
		ret_rows[first / MIRROR_WORD_ROWS] = OF_WIDTH(match_word)(
			codes + first, rows_of_word(rows, first), wanted);
}

/* The rows of one word that are in the mask. */
static inline void OF_WIDTH(tally_word)(const CODE *codes, uint64_t mask, uint32_t *counts)
{
	for (; mask != 0; mask &= mask - 1)
		counts[codes[lowest_bit(mask)]]++;
}

static inline void OF_WIDTH(tally_each)(const CODE *codes, size_t rows, const uint64_t *mask,
					uint32_t *counts)
{
	for (size_t i = 0; i < mirror_bitmap_words(rows); i++)
		OF_WIDTH(tally_word)(codes + i * MIRROR_WORD_ROWS, mask[i], counts);
}

static inline void OF_WIDTH(gather)(const CODE *codes, const uint16_t *list, size_t count,
				    uint32_t *counts)
{
	for (size_t i = 0; i < count; i++)
		counts[codes[list[i]]]++;
}

static inline void OF_WIDTH(tally_listed)(const CODE *codes, const uint16_t *list, size_t count,
					  const uint64_t *mask, uint32_t *counts)
{
	for (size_t i = 0; i < count; i++) {
		unsigned row = list[i];
		counts[codes[i]] += mask[row / MIRROR_WORD_ROWS] >> row % MIRROR_WORD_ROWS & 1;
	}
}

#undef CODE_BITS
#endif
