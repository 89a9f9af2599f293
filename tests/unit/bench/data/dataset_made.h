/*
 * Tokenizers and a holder for data sets, for the tests of both files of data sets.
 */
#pragma once

#include "bench/data/dataset.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/data/tokenizer_priv.h"

/*
 * Tokenizers of the vectors: text is "t5 t17 …". `merges` NULL: encode and decode are inverse; else
 * tokenizer M, whose encoding of a text has other lengths than what was decoded.
 */
struct test_tokenizer {
	struct bench_tokenizer base;
	bool merges;
	uint32_t specials[4];
	size_t encodes; /* calls of encode */
};

static inline size_t parse_text(const char *text, uint32_t *ids)
{
	size_t count = 0;

	for (const char *at = strchr(text, 't'); at != NULL; at = strchr(at + 1, 't'))
		ids[count++] = (uint32_t)strtoul(at + 1, NULL, 10);
	return count;
}

static inline size_t merge_ids(const uint32_t *in, size_t n, uint32_t vocab, uint32_t *out)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t k = in[i];
		if (count > 0 && (out[count - 1] + k) % 11 == 5) {
			out[count - 1] = (31 * out[count - 1] + k) % vocab;
		} else if (k % 13 == 4) {
			out[count++] = k / 2;
			out[count++] = (k + 1) / 2;
		} else {
			out[count++] = k;
		}
	}
	return count;
}

static inline int test_encode(const struct bench_tokenizer *tokenizer, const char *const *texts,
			      size_t count, bool specials, struct bench_ids *ret,
			      struct pl_err *err)
{
	struct test_tokenizer *test = PL_CONTAINER_OF(tokenizer, struct test_tokenizer, base);

	(void)err;
	test->encodes++;
	for (size_t i = 0; i < count; i++) {
		auto_free uint32_t *plain = pl_alloc_array(strlen(texts[i]) + 1, sizeof(uint32_t));
		size_t n = parse_text(texts[i], plain);
		size_t added = specials ? tokenizer->special_count : 0;
		ret[i].ids = pl_alloc_array(2 * n + added, sizeof(uint32_t));
		if (test->merges)
			ret[i].count = merge_ids(plain, n, (uint32_t)tokenizer->vocab_size,
						 ret[i].ids + added);
		else
			memcpy(ret[i].ids + added, plain, n * sizeof(uint32_t));
		ret[i].count = (test->merges ? ret[i].count : n) + added;
	}
	return 0;
}

static inline int test_decode(const struct bench_tokenizer *tokenizer, const struct bench_ids *ids,
			      size_t count, char **ret, struct pl_err *err)
{
	(void)tokenizer;
	(void)err;
	for (size_t i = 0; i < count; i++) {
		auto_buf buf = { 0 };
		pl_buf_init(&buf, 1u << 20);
		for (size_t j = 0; j < ids[i].count; j++)
			pl_buf_addf(&buf, "%st%" PRIu32, j > 0 ? " " : "", ids[i].ids[j]);
		ret[i] = pl_buf_take(&buf);
	}
	return 0;
}

static const struct bench_tokenizer_calls test_calls = { .encode = test_encode,
							 .decode = test_decode };

static inline void tokenizer_init(struct test_tokenizer *test, int64_t vocab, size_t special_count,
				  const char *specials)
{
	*test = (struct test_tokenizer){ 0 };
	test->base.calls = &test_calls;
	test->base.vocab_size = vocab;
	test->base.special_count = special_count;
	test->base.special_ids = test->specials;
	test->base.special_id_count = parse_text(specials, test->specials);
}

static inline void set_text(char **field, const char *text)
{
	free(*field);
	*field = pl_strdup(text);
}

struct built {
	struct vllm_bench bench;
	struct pl_pyrandom py;
	struct pl_nplegacy np;
	struct bench_dataset *dataset;
	struct pl_err err;
};

static inline void built_init(struct built *b, int64_t seed, int64_t n, int64_t input,
			      int64_t output)
{
	*b = (struct built){ 0 };
	vllm_bench_init(&b->bench);
	b->bench.seed = seed;
	b->bench.num_prompts = n;
	b->bench.random_input_len = input;
	b->bench.random_output_len = output;
}

static inline void build(struct built *b, const struct test_tokenizer *test)
{
	int rc = bench_dataset_build(&b->bench, test != NULL ? &test->base : NULL, &b->py, &b->np,
				     &b->dataset, &b->err);

	if (rc < 0)
		print_message("%s\n", b->err.text);
	assert_int_equal(rc, 0);
}

static inline void built_done(struct built *b)
{
	bench_dataset_free(b->dataset);
	vllm_bench_done(&b->bench);
}
