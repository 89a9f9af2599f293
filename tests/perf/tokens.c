/*
 * Measures whether the time to refuse a wrong token depends on how much of a valid one it begins with. Prints, for each
 * length of a common prefix, the median of TRIES searches among TOKENS tokens, and the difference from tokens without a
 * common prefix with its 99.9 % interval over BLOCKS blocks, in which the lengths take turns. Exits with 1 if an interval
 * excludes zero by more than 1 % of the median. Run it on a release build:
 *
 * token_times [TRIES [TOKENS]]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/mem.h"
#include "dash/access/tokens.h"

#define BLOCKS      20
#define T_999       3.883 /* Student's t, 19 degrees of freedom */
#define SHARE_SHOWN 0.01

static const size_t lengths[] = { 0, 8, 9, 16, 32, 48, 50 };
enum { LENGTHS = PL_ARRAY_SIZE(lengths) };

static double now_ns(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static void draw(char text[DASH_TOKEN_BYTES], size_t from)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	for (size_t i = from; i < DASH_TOKEN_CHARS; i++)
		text[i] = letters[random() % 64];
	text[DASH_TOKEN_CHARS] = '\0';
}

/* The first and the last line have known tokens, whose prefixes the wrong tokens have. */
static void fill(struct dash_tokens *tokens, size_t count, char known[2][DASH_TOKEN_BYTES])
{
	for (size_t i = 0; i < count; i++) {
		struct dash_token token = { .role = DASH_ROLE_READ,
					    .expires_s = DASH_EXPIRY_NEVER };
		char text[DASH_TOKEN_BYTES] = DASH_TOKEN_PREFIX;
		unsigned len = DASH_HASH_BYTES;
		draw(text, strlen(DASH_TOKEN_PREFIX));
		for (size_t k = 0; k < DASH_SALT_BYTES; k++)
			token.salt[k] = (unsigned char)random();
		snprintf(token.name, sizeof(token.name), "user-%zu", i);
		HMAC(EVP_sha256(), token.salt, DASH_SALT_BYTES, (const unsigned char *)text,
		     DASH_TOKEN_CHARS, token.hash, &len);
		if (i == 0 || i == count - 1)
			memcpy(known[i != 0], text, DASH_TOKEN_BYTES);
		*PL_PUSH(tokens->items, tokens->count, tokens->room) = token;
	}
}

static double try_one(const struct dash_tokens *tokens, const char *known, size_t length)
{
	char text[DASH_TOKEN_BYTES];
	bool is_valid;

	memcpy(text, known, DASH_TOKEN_BYTES);
	draw(text, length);
	/* the last character is another one in any case */
	text[DASH_TOKEN_CHARS - 1] = text[DASH_TOKEN_CHARS - 1] == known[DASH_TOKEN_CHARS - 1]
					     ? '.'
					     : text[DASH_TOKEN_CHARS - 1];
	double begun_ns = now_ns();
	if (dash_tokens_find(tokens, text, 0, &is_valid) != NULL)
		abort();
	return now_ns() - begun_ns;
}

int main(int argc, char **argv)
{
	size_t tries = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
	size_t per_block = tries / BLOCKS;
	static double medians[LENGTHS][BLOCKS];
	char known[2][DASH_TOKEN_BYTES] = { "", "" };
	auto_tokens tokens = { 0 };
	bool is_shown = false;

	if (per_block == 0 || count < 2)
		return 2;
	auto_free double *times = pl_alloc_array(LENGTHS * per_block, sizeof(double));
	srandom(1);
	fill(&tokens, count, known);
	for (size_t block = 0; block < BLOCKS; block++) {
		for (size_t i = 0; i < per_block; i++) {
			for (size_t k = 0; k < LENGTHS; k++)
				times[k * per_block + i] = try_one(&tokens, known[i % 2],
								   lengths[k]);
		}
		for (size_t k = 0; k < LENGTHS; k++)
			medians[k][block] = median(times + k * per_block, per_block);
	}
	printf("| common characters | median (ns) | difference (ns) | 99.9 %% interval |\n"
	       "|---|---|---|---|\n");
	for (size_t k = 0; k < LENGTHS; k++) {
		double mean = 0, square = 0, differences[BLOCKS];
		for (size_t block = 0; block < BLOCKS; block++) {
			differences[block] = medians[k][block] - medians[0][block];
			mean += differences[block] / BLOCKS;
		}
		for (size_t block = 0; block < BLOCKS; block++)
			square += (differences[block] - mean) * (differences[block] - mean);
		double half = T_999 * sqrt(square / (BLOCKS - 1) / BLOCKS);
		double sorted[BLOCKS];
		memcpy(sorted, medians[k], sizeof(sorted));
		double typical = median(sorted, BLOCKS);
		printf("| %zu | %.0f | %+.1f | %+.1f to %+.1f |\n", lengths[k], typical, mean,
		       mean - half, mean + half);
		is_shown |= k > 0 && fabs(mean) - half > SHARE_SHOWN * typical;
	}
	printf("\n%zu tries per row, %zu tokens: the time %s the prefix\n", tries, count,
	       is_shown ? "depends on" : "does not depend on");
	return is_shown;
}
