/* Loops over codes of one width, vector by vector. wide_priv.h includes this with CODE_BITS set to 8, 16 and 32. */
#ifdef CODE_BITS

/* Returns the rows of one word with one of `count` codes. Each wanted code fills a vector. */
static inline uint64_t OF_WIDTH(word_of_any)(const CODE *codes, const OF_WIDTH(vector) * wanted,
					     size_t count)
{
	OF_WIDTH(vector) found[VECTORS_OF(CODE)] = { 0 };

	for (size_t i = 0; i < count; i++) {
		for (int j = 0; j < VECTORS_OF(CODE); j++)
			found[j] |= (OF_WIDTH(vector))(OF_WIDTH(load)(codes + j * LANES_OF(CODE)) ==
						       wanted[i]);
	}
	return OF_WIDTH(bits_of)(found);
}

static void OF_WIDTH(match_any)(const CODE *codes, size_t rows, const struct few *few,
				uint64_t *ret_rows)
{
	OF_WIDTH(vector) wanted[FEW_MAX];

	for (size_t i = 0; i < few->count; i++)
		wanted[i] = (OF_WIDTH(vector)){ 0 } + (CODE)few->codes[i];
	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS) {
		CODE last[MIRROR_WORD_ROWS];
		size_t count = rows_of_word(rows, first);
		const CODE *word = whole_word(codes + first, count, sizeof(CODE), last);
		uint64_t bits = OF_WIDTH(word_of_any)(word, wanted, few->count);
		ret_rows[first / MIRROR_WORD_ROWS] = (bits ^ few->flip) & low_bits(count);
	}
}

/* For many wanted codes: looks up each row in the table. */
static inline void OF_WIDTH(match_table)(const CODE *codes, size_t rows, const uint8_t *wanted,
					 uint64_t *ret_rows)
{
	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS) {
		CODE last[MIRROR_WORD_ROWS];
		size_t count = rows_of_word(rows, first);
		const CODE *word = whole_word(codes + first, count, sizeof(CODE), last);
		uint64_t bits = 0;
		for (size_t i = 0; i < MIRROR_WORD_ROWS; i += CHAR_BIT) {
			unsigned eight = 0;
			for (size_t j = 0; j < CHAR_BIT; j++)
				eight |= (unsigned)wanted[word[i + j]] << j;
			bits |= (uint64_t)eight << i;
		}
		ret_rows[first / MIRROR_WORD_ROWS] = bits & low_bits(count);
	}
}

/* A full mask needs no test per row. */
static inline void OF_WIDTH(tally_rest)(const CODE *codes, uint64_t mask, uint32_t *counts)
{
	if (mask != UINT64_MAX) {
		OF_WIDTH(tally_word)(codes, mask, counts);
		return;
	}
	for (size_t i = 0; i < MIRROR_WORD_ROWS; i++)
		counts[codes[i]]++;
}

/*
 * Adjacent rows often have the same code, and incrementing one counter repeatedly is slow because each step waits for
 * the previous one. So the rows of a word that have the code of its first row are counted at once. If there are few of
 * them, this is skipped for some words, and for more words after the next failure.
 */
static void OF_WIDTH(tally_many)(const CODE *codes, size_t rows, const uint64_t *mask,
				 uint32_t *counts)
{
	unsigned pause = 0, next_pause = 0;

	for (size_t first = 0; first < rows; first += MIRROR_WORD_ROWS) {
		const CODE *word = codes + first;
		uint64_t left = mask[first / MIRROR_WORD_ROWS];
		if (pause > 0) {
			pause--;
		} else if (left != 0 && rows - first >= MIRROR_WORD_ROWS) {
			CODE common = word[lowest_bit(left)];
			OF_WIDTH(vector) wanted = (OF_WIDTH(vector)){ 0 } + common;
			uint64_t same = OF_WIDTH(word_of_any)(word, &wanted, 1) & left;
			unsigned count = count_bits(same);
			counts[common] += count;
			left ^= same;
			if (count >= ALIKE_MIN) {
				next_pause = 0;
			} else {
				pause = next_pause;
				next_pause += next_pause < PAUSE_MAX ? next_pause + 1 : 0;
			}
		}
		OF_WIDTH(tally_rest)(word, left, counts);
	}
}

#undef CODE_BITS
#endif
