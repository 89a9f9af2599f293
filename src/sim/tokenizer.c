#include "sim/tokenizer.h"

#include <stdbool.h>
#include <string.h>

/* Ten letters that English uses most: four-letter words are made of these alone. */
static const char frequent[] = "etaoinshrl";
#define FREQUENT 10u

/*
 * Where each form of piece begins in 0 .. SIM_VOCAB-1. Within a form the id is the word as a
 * number, its letters the digits: that is why no vocabulary file is needed, and why encoding is the
 * exact inverse.
 */
enum {
	AT_1 = 0,                  /* " a" */
	AT_2 = AT_1 + 26,          /* " ab" */
	AT_3 = AT_2 + 676,         /* " abc" */
	AT_4 = AT_3 + 17576,       /* " that": frequent letters */
	AT_CAP_1 = AT_4 + 10000,   /* " A" */
	AT_CAP_2 = AT_CAP_1 + 26,  /* " Ab" */
	AT_CAP_3 = AT_CAP_2 + 676, /* " The": a capital, two frequent letters */
	AT_NUM_1 = AT_CAP_3 + 2600,
	AT_NUM_2 = AT_NUM_1 + 10,
	AT_NUM_3 = AT_NUM_2 + 100, /* " 000" .. " 309" */
	AT_END = AT_NUM_3 + 310,
};
_Static_assert(AT_END == SIM_VOCAB, "the forms fill the vocabulary");

static bool is_small(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_small(c) || is_capital(c) || is_digit(c);
}

/* 0 .. 9, or FREQUENT for other letters. */
static unsigned frequent_index(char c)
{
	const char *at = c != '\0' ? strchr(frequent, c) : NULL;

	return at != NULL ? (unsigned)(at - frequent) : FREQUENT;
}

static bool all_small(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!is_small(word[i]))
			return false;
	}
	return true;
}

static int64_t small_id(const char *word, size_t len)
{
	uint32_t value = 0;

	if (len <= 3) {
		for (size_t i = 0; i < len; i++)
			value = value * 26 + (uint32_t)(word[i] - 'a');
		return (len == 1 ? AT_1 : len == 2 ? AT_2 : AT_3) + (int64_t)value;
	}
	if (len > 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		unsigned digit = frequent_index(word[i]);

		if (digit == FREQUENT)
			return -1;
		value = value * FREQUENT + digit;
	}
	return AT_4 + (int64_t)value;
}

static int64_t capital_id(const char *word, size_t len)
{
	uint32_t first = (uint32_t)(word[0] - 'A');
	unsigned a;

	if (!all_small(word + 1, len - 1) || len > 3)
		return -1;
	if (len == 1)
		return AT_CAP_1 + (int64_t)first;
	if (len == 2)
		return AT_CAP_2 + (int64_t)(first * 26 + (uint32_t)(word[1] - 'a'));
	a = frequent_index(word[1]);
	unsigned b = frequent_index(word[2]);
	if (a == FREQUENT || b == FREQUENT)
		return -1;
	return AT_CAP_3 + (int64_t)(first * 100 + a * FREQUENT + b);
}

static int64_t number_id(const char *word, size_t len)
{
	uint32_t value = 0;

	if (len > 3)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(word[i]))
			return -1;
		value = value * 10 + (uint32_t)(word[i] - '0');
	}
	if (len == 3)
		return value < AT_END - AT_NUM_3 ? AT_NUM_3 + (int64_t)value : -1;
	return (len == 1 ? AT_NUM_1 : AT_NUM_2) + (int64_t)value;
}

/* The id of a blank and this word, or -1. */
static int64_t word_id(const char *word, size_t len)
{
	if (len == 0)
		return -1;
	if (is_small(word[0]))
		return all_small(word, len) ? small_id(word, len) : -1;
	return is_capital(word[0]) ? capital_id(word, len) : number_id(word, len);
}

/* The longest beginning of a word that is a piece; the rest then follows in added ids. */
static int64_t longest_beginning(const char *word, size_t len, size_t *ret_len)
{
	/*
	 * Greedy, and still unambiguous for what was drawn: a drawn word ends where the next blank
	 * begins, so its longest beginning is all of it.
	 */
	for (size_t n = len < 4 ? len : 4; n > 0; n--) {
		int64_t id = word_id(word, n);

		if (id >= 0) {
			*ret_len = n;
			return id;
		}
	}
	return -1;
}

size_t sim_token_encode(const char *text, size_t len, uint32_t *ids)
{
	size_t count = 0;
	size_t at = 0;

	while (at < len) {
		size_t end = at + 1;
		size_t used = 0;
		int64_t id = -1;

		if (text[at] == ' ') {
			while (end < len && is_word(text[end]))
				end++;
			id = longest_beginning(text + at + 1, end - at - 1, &used);
		}
		if (id >= 0) {
			ids[count++] = (uint32_t)id;
			at += 1 + used;
		} else if (at + 1 < len && is_small(text[at]) && is_small(text[at + 1])) {
			ids[count++] = SIM_PAIR_ID + (uint32_t)(text[at] - 'a') * 26 +
				       (uint32_t)(text[at + 1] - 'a');
			at += 2;
		} else {
			ids[count++] = SIM_BYTE_ID + (unsigned char)text[at];
			at++;
		}
	}
	return count;
}

/* `value` in `digits` places of base `base`, each place written by `letters` or from `zero` on. */
static size_t spell(char *out, uint32_t value, size_t digits, uint32_t base, const char *letters,
		    char zero)
{
	for (size_t i = digits; i-- > 0; value /= base) {
		uint32_t digit = value % base;

		out[i] = letters != NULL ? letters[digit] : (char)(zero + (char)digit);
	}
	return digits;
}

static size_t capital_piece(uint32_t id, char *out)
{
	if (id < AT_CAP_2)
		return spell(out, id - AT_CAP_1, 1, 26, NULL, 'A');
	if (id < AT_CAP_3) {
		spell(out, (id - AT_CAP_2) / 26, 1, 26, NULL, 'A');
		return 1 + spell(out + 1, (id - AT_CAP_2) % 26, 1, 26, NULL, 'a');
	}
	spell(out, (id - AT_CAP_3) / 100, 1, 26, NULL, 'A');
	return 1 + spell(out + 1, (id - AT_CAP_3) % 100, 2, FREQUENT, frequent, 0);
}

size_t sim_token_piece(uint32_t id, char out[SIM_PIECE_BYTES_MAX])
{
	if (id >= SIM_VOCAB) {
		if (id >= SIM_IDS)
			return 0;
		if (id >= SIM_PAIR_ID)
			return spell(out, id - SIM_PAIR_ID, 2, 26, NULL, 'a');
		out[0] = (char)(unsigned char)(id - SIM_BYTE_ID);
		return 1;
	}
	out[0] = ' ';
	if (id < AT_2)
		return 1 + spell(out + 1, id - AT_1, 1, 26, NULL, 'a');
	if (id < AT_3)
		return 1 + spell(out + 1, id - AT_2, 2, 26, NULL, 'a');
	if (id < AT_4)
		return 1 + spell(out + 1, id - AT_3, 3, 26, NULL, 'a');
	if (id < AT_CAP_1)
		return 1 + spell(out + 1, id - AT_4, 4, FREQUENT, frequent, 0);
	if (id < AT_NUM_1)
		return 1 + capital_piece(id, out + 1);
	if (id < AT_NUM_2)
		return 1 + spell(out + 1, id - AT_NUM_1, 1, 10, NULL, '0');
	if (id < AT_NUM_3)
		return 1 + spell(out + 1, id - AT_NUM_2, 2, 10, NULL, '0');
	return 1 + spell(out + 1, id - AT_NUM_3, 3, 10, NULL, '0');
}

/* A finalizer as SplitMix64's: each bit of the input reaches all of the output. Not for secrets. */
uint64_t sim_token_mix(uint64_t state, uint64_t value)
{
	uint64_t x = state + 0x9e3779b97f4a7c15u + value * 0xd1342543de82ef95u;

	x = (x ^ (x >> 32)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
	return x ^ (x >> 32);
}

uint32_t sim_token_draw(uint64_t seed, uint64_t index)
{
	/* The bias of the remainder is 2^-49: far below what any test can see. */
	return (uint32_t)(sim_token_mix(seed, index) % SIM_VOCAB);
}
