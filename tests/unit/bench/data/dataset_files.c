#include "bench/data/dataset.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/data/dataset_made.h"

static void use_prefix_repetition(struct built *b)
{
	set_text(&b->bench.dataset_name, "prefix_repetition");
	b->bench.prefix_repetition_num_prefixes = 2;
	b->bench.prefix_repetition_prefix_len = 3;
	b->bench.prefix_repetition_suffix_len = 2;
	b->bench.prefix_repetition_output_len = 9;
}

/* The vector of vLLM 0.32: five asked for, two prefixes, so four are sent. */
static void test_prefix_repetition(void **state)
{
	static const char *const prompts[] = {
		"t41993 t20757 t46884 t14935 t15430",
		"t2732 t43567 t42613 t45891 t21243",
		"t2732 t43567 t42613 t30403 t32103",
		"t41993 t20757 t46884 t48600 t39512",
	};
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 50257, 0, "");
	built_init(&b, 0, 5, 0, 0);
	use_prefix_repetition(&b);
	build(&b, &test);
	assert_int_equal(b.dataset->count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_string_equal(b.dataset->samples[i].prompt, prompts[i]);
		assert_int_equal(b.dataset->samples[i].prompt_tokens, 5);
		assert_int_equal(b.dataset->samples[i].output_tokens, 9);
		assert_int_equal(b.dataset->samples[i].index, RES_NO_COUNT);
	}
	assert_int_equal(json_array_size(b.dataset->notes), 1);
	assert_true(pl_pyrandom_random(&b.py) == 0.25891675029296335);
	assert_true(pl_nplegacy_double(&b.np) == 0.2726562945801132);
	built_done(&b);
}

static void test_prefix_repetition_as_ids(void **state)
{
	struct built b;

	(void)state;
	built_init(&b, 0, 5, 0, 0);
	use_prefix_repetition(&b);
	b.bench.vocab_size = 50257;
	build(&b, NULL);
	assert_string_equal(b.dataset->prompt_form, "token_ids");
	assert_int_equal(b.dataset->samples[1].ids[0], 2732);
	assert_int_equal(b.dataset->samples[1].ids[4], 21243);
	built_done(&b);
}

static const char trace[] = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
			    "0,ChatGPT,99,9,108,Conversation log\n"
			    "1,GPT-4,10,1,11,Conversation log\n"
			    "2,GPT-4,11,0,11,API log\n"
			    "3,GPT-4,12,2,14,API log\n"
			    "4,GPT-4,13,3,16,API log\n";

static void use_file(struct built *b, const char *name, const char *text)
{
	struct pl_err err = PL_ERR_INIT;

	set_text(&b->bench.dataset_name, name);
	set_text(&b->bench.dataset_path, "dataset_test_file");
	assert_int_equal(pl_file_write("dataset_test_file", text, strlen(text), &err), 0);
}

/* Rows 10/1, 12/2, 13/3 remain; which of them, by numpy's legacy generator. */
static void test_burstgpt(void **state)
{
	static const int64_t inputs[] = { 10, 12, 13 };
	struct pl_nplegacy own;
	struct built b;
	size_t chosen[7];

	(void)state;
	built_init(&b, 3, 7, 0, 0);
	b.bench.vocab_size = 5;
	use_file(&b, "burstgpt", trace);
	build(&b, NULL);
	pl_nplegacy_seed(&own, 3);
	pl_nplegacy_sample(&own, 3, 7, true, chosen);
	assert_int_equal(b.dataset->count, 7);
	for (size_t i = 0; i < 7; i++) {
		const struct bench_sample *sample = &b.dataset->samples[i];
		assert_int_equal(sample->prompt_tokens, inputs[chosen[i]]);
		assert_int_equal(sample->output_tokens, (int64_t)chosen[i] + 1);
		for (size_t j = 0; j < sample->id_count; j++)
			assert_int_equal(sample->ids[j], (i + j) % 5);
	}
	unlink("dataset_test_file");
	built_done(&b);
}

/* As a spreadsheet saves it. */
static void test_burstgpt_quoted(void **state)
{
	struct built b;

	(void)state;
	built_init(&b, 0, 1, 0, 0);
	b.bench.vocab_size = 50;
	use_file(&b, "burstgpt",
		 "\xef\xbb\xbf\"Model\",\"Timestamp\",\"Request tokens\",\"Response tokens\"\r\n"
		 "\"GPT-4\",\"1\",\"7\",\"5.0\"\r\n\"ChatGPT\",\"2\",\"8\",\"\"\r\n");
	build(&b, NULL);
	assert_int_equal(b.dataset->count, 1);
	assert_int_equal(b.dataset->samples[0].prompt_tokens, 7);
	assert_int_equal(b.dataset->samples[0].output_tokens, 5);
	unlink("dataset_test_file");
	built_done(&b);
}

/* Rows may ask for a billion tokens each: the ids of all prompts have one limit, before any memory is taken. */
static void test_burstgpt_too_long(void **state)
{
	static const struct {
		int64_t prompts;
		const char *tokens;
	} cases[] = { { 1, "1000000000" }, { 537, "1000000" } };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct built b;
		auto_free char *text = pl_asprintf(
			"Timestamp,Model,Request tokens,Response tokens\n1,GPT-4,%s,3\n",
			cases[i].tokens);
		built_init(&b, 0, cases[i].prompts, 0, 0);
		b.bench.vocab_size = 50;
		use_file(&b, "burstgpt", text);
		assert_int_equal(
			bench_dataset_build(&b.bench, NULL, &b.py, &b.np, &b.dataset, &b.err), -1);
		assert_string_equal(b.err.text,
				    "dataset 'dataset_test_file': the prompts have more than "
				    "536870912 tokens; use fewer or shorter prompts");
		built_done(&b);
	}
	unlink("dataset_test_file");
}

static void test_burstgpt_refused(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{ "a,b,c\n",
		  "dataset_test_file:1: found other columns, expected a 'Model' column" },
		{ "", "dataset_test_file:1: found other columns, expected a 'Model' column" },
		{ "Timestamp,Model,Request tokens,Response tokens\n1,GPT-4,3\n",
		  "dataset_test_file:2: found 3 columns" },
		{ "Timestamp,Model,Request tokens,Response tokens\n1,GPT-4,x,3\n",
		  "dataset_test_file:2: expected token counts" },
		{ "Timestamp,Model,Request tokens,Response tokens\n1,ChatGPT,3,3\n",
		  "no request of model GPT-4" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct built b;
		built_init(&b, 0, 3, 0, 0);
		use_file(&b, "burstgpt", cases[i].text);
		assert_int_equal(bench_dataset_check(&b.bench, &b.err), -1);
		assert_non_null(strstr(b.err.text, cases[i].says));
		built_done(&b);
	}
	unlink("dataset_test_file");
}

static const char questions[] = "{\"category\": \"math\", \"turns\": [\"t1 t2\", \"t9\"]}\n"
				"\n"
				"{\"category\": \"qa\", \"turns\": [\"t3\"]}\n"
				"{\"category\": \"math\", \"turns\": [\"t4 t5 t6\"]}\n";

/* The seed is 0 whatever is asked: the order of a shuffle of three is 0 2 1 there. */
static void test_spec_bench(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 50257, 0, "");
	built_init(&b, 77, 2, 0, 0);
	b.bench.spec_bench_output_len = 31;
	use_file(&b, "spec_bench", questions);
	build(&b, &test);
	assert_int_equal(b.dataset->count, 2);
	assert_string_equal(b.dataset->samples[0].prompt, "t1 t2");
	assert_int_equal(b.dataset->samples[0].prompt_tokens, 2);
	assert_string_equal(b.dataset->samples[1].prompt, "t4 t5 t6");
	assert_int_equal(b.dataset->samples[1].output_tokens, 31);
	unlink("dataset_test_file");
	built_done(&b);
}

static void test_spec_bench_category(void **state)
{
	struct built b;

	(void)state;
	built_init(&b, 0, 5, 0, 0);
	set_text(&b.bench.spec_bench_category, "qa");
	use_file(&b, "spec_bench", questions);
	build(&b, NULL);
	assert_int_equal(b.dataset->count, 5);
	assert_string_equal(b.dataset->samples[4].prompt, "t3");
	built_done(&b);
	built_init(&b, 0, 5, 0, 0);
	set_text(&b.bench.spec_bench_category, "poems");
	use_file(&b, "spec_bench", questions);
	assert_int_equal(bench_dataset_check(&b.bench, &b.err), -1);
	assert_non_null(strstr(b.err.text, "no question of category 'poems'"));
	unlink("dataset_test_file");
	built_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefix_repetition),
		cmocka_unit_test(test_prefix_repetition_as_ids),
		cmocka_unit_test(test_burstgpt),
		cmocka_unit_test(test_burstgpt_quoted),
		cmocka_unit_test(test_burstgpt_too_long),
		cmocka_unit_test(test_burstgpt_refused),
		cmocka_unit_test(test_spec_bench),
		cmocka_unit_test(test_spec_bench_category),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
