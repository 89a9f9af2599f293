/* random-rerank, and random in lists: the vectors of vLLM's generator. */
#include "bench/data/dataset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/data/dataset_made.h"

/* A text of `len` consecutive ids. */
static void assert_run(const json_t *text, uint32_t first, size_t len)
{
	uint32_t ids[64];

	assert_true(json_is_string(text));
	assert_int_equal(parse_text(json_string_value(text), ids), len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(ids[i], first + i);
}

struct run {
	uint32_t first;
	size_t len;
};

static void assert_sample(const struct bench_dataset *dataset, size_t index, int64_t prompt_tokens,
			  const struct run *runs, size_t count)
{
	const struct bench_sample *sample = &dataset->samples[index];

	assert_null(sample->prompt);
	assert_null(sample->ids);
	assert_int_equal(sample->index, index);
	assert_int_equal(sample->prompt_tokens, prompt_tokens);
	assert_int_equal(sample->output_tokens, 0);
	assert_int_equal(json_array_size(sample->inputs), count);
	for (size_t i = 0; i < count; i++)
		assert_run(json_array_get(sample->inputs, i), runs[i].first, runs[i].len);
}
#define ASSERT_SAMPLE(b, index, tokens, ...)                                          \
	do {                                                                          \
		const struct run runs[] = { __VA_ARGS__ };                            \
		assert_sample((b).dataset, index, tokens, runs, PL_ARRAY_SIZE(runs)); \
	} while (0)

static void rerank_init(struct built *b, struct test_tokenizer *test, int64_t n, int64_t input,
			int64_t batch)
{
	tokenizer_init(test, 50257, 0, "t50256");
	built_init(b, 0, n, input, 128);
	set_text(&b->bench.dataset_name, "random-rerank");
	b->bench.random_batch_size = batch;
}

static void for_a_reranker(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	rerank_init(&b, &test, 5, 12, 2);
	set_text(&b.bench.random_range_ratio, "0.25");
	build(&b, &test);
	assert_int_equal(b.dataset->count, 3);
	ASSERT_SAMPLE(b, 0, 23, { 32011, 7 }, { 831, 4 }, { 8810, 3 });
	ASSERT_SAMPLE(b, 1, 22, { 32011, 7 }, { 40875, 3 }, { 32641, 3 });
	ASSERT_SAMPLE(b, 2, 11, { 32011, 7 }, { 45877, 3 });
	/* Python's generators are in the state after seeding. */
	assert_true(pl_pyrandom_random(&b.py) == 0.8444218515250481);
	assert_true(pl_nplegacy_double(&b.np) == 0.5488135039273248);
	built_done(&b);
}

static void for_an_embedding_model(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	rerank_init(&b, &test, 5, 4, 3);
	b.bench.no_reranker = true;
	build(&b, &test);
	assert_int_equal(b.dataset->count, 2);
	ASSERT_SAMPLE(b, 0, 12, { 42749, 4 }, { 32012, 4 }, { 25690, 4 });
	ASSERT_SAMPLE(b, 1, 12, { 42749, 4 }, { 13561, 4 }, { 15474, 4 });
	built_done(&b);
}

/* One document per request, and the short name of the length. */
static void single_documents(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	rerank_init(&b, &test, 4, 999, 1);
	b.bench.input_len = 12;
	build(&b, &test);
	assert_int_equal(b.dataset->count, 4);
	for (size_t i = 0; i < 4; i++) {
		const json_t *inputs = b.dataset->samples[i].inputs;
		assert_int_equal(json_array_size(inputs), 2);
		/* 12 / 2 - 1 of the query, a separator, and the rest */
		assert_int_equal(b.dataset->samples[i].prompt_tokens, 5 + 1 + 6);
	}
	built_done(&b);
}

/* The prompts are those of single requests, in the same order. */
static void random_in_lists(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	rerank_init(&b, &test, 5, 8, 2);
	set_text(&b.bench.dataset_name, "random");
	set_text(&b.bench.backend, "openai-embeddings");
	build(&b, &test);
	assert_int_equal(b.dataset->count, 3);
	ASSERT_SAMPLE(b, 0, 16, { 42749, 8 }, { 32012, 8 });
	ASSERT_SAMPLE(b, 1, 16, { 25690, 8 }, { 13561, 8 });
	ASSERT_SAMPLE(b, 2, 8, { 15474, 8 });
	built_done(&b);
}

static void lists_of_ids_without_a_tokenizer(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	rerank_init(&b, &test, 3, 4, 2);
	set_text(&b.bench.dataset_name, "random");
	set_text(&b.bench.backend, "vllm-pooling");
	b.bench.vocab_size = 50256;
	build(&b, NULL);
	assert_int_equal(b.dataset->count, 2);
	assert_string_equal(b.dataset->prompt_form, "token_ids");
	const json_t *ids = json_array_get(b.dataset->samples[0].inputs, 1);
	assert_int_equal(json_array_size(ids), 4);
	assert_int_equal(json_integer_value(json_array_get(ids, 1)),
			 json_integer_value(json_array_get(ids, 0)) + 1);
	assert_int_equal(b.dataset->samples[0].prompt_tokens, 8);
	built_done(&b);
}

static void refused(void **state)
{
	static const struct {
		int64_t input;
		const char *backend, *message;
		bool tokenizer;
	} rows[] = {
		{ 3, "vllm-rerank", "query: {benchmark.random_input_len} is too small", true },
		{ 2, "vllm-rerank", "query: {benchmark.random_input_len} is too small", true },
		{ 12, "vllm-rerank", "needs a tokenizer", false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct test_tokenizer test;
		struct built b;
		rerank_init(&b, &test, 3, rows[i].input, 1);
		set_text(&b.bench.backend, rows[i].backend);
		assert_int_equal(bench_dataset_build(&b.bench,
						     rows[i].tokenizer ? &test.base : NULL, &b.py,
						     &b.np, &b.dataset, &b.err),
				 -1);
		assert_non_null(strstr(b.err.text, rows[i].message));
		built_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_a_reranker),
		cmocka_unit_test(for_an_embedding_model),
		cmocka_unit_test(single_documents),
		cmocka_unit_test(random_in_lists),
		cmocka_unit_test(lists_of_ids_without_a_tokenizer),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
