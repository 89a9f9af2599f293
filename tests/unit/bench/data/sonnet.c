/* Lines of a poem; the draws are compared in tests/scenario/load/test_sonnet.py. */
#include "dataset_made.h"

#include <unistd.h>

#include "bench/data/dataset_priv.h"

static int parse(const char *text, size_t len, struct bench_entries *ret, struct pl_err *err)
{
	const struct vllm_bench bench = { .dataset_path = (char *)"x" };

	return bench_entries_parse(&bench_dataset_sonnet, &bench, (char *)text, len, ret, err);
}

static void test_lines(void **state)
{
	static const struct {
		const char *text;
		const char *lines[5]; /* NULL after the last */
	} cases[] = {
		{ "a", { "a" } },
		{ "a\n", { "a\n" } },
		{ "a\nb", { "a\n", "b" } },
		{ "a\r\nb\r\n", { "a\n", "b\n" } },
		{ "a\rb\r", { "a\n", "b\n" } },
		{ "\n\r\n\r", { "\n", "\n", "\n" } },
		{ "\n\ra", { "\n", "\n", "a" } },
		/* ends of lines elsewhere, not in Python's files */
		{ "a\vb\fc\xe2\x80\xa8"
		  "d\n",
		  { "a\vb\fc\xe2\x80\xa8"
		    "d\n" } },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_entries lines = { 0 };
		struct pl_err err = PL_ERR_INIT;
		size_t count = 0;
		assert_int_equal(parse(cases[i].text, strlen(cases[i].text), &lines, &err), 0);
		while (count < 5 && cases[i].lines[count] != NULL)
			count++;
		assert_int_equal(lines.count, count);
		for (size_t k = 0; k < count; k++)
			assert_string_equal(lines.items[k].prompt, cases[i].lines[k]);
	}
}

static void test_bad_texts(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *says;
	} cases[] = {
		{ "", 0, "x: holds no lines" },
		{ "a\0b", 3, "x: not valid UTF-8" },
		{ "a\xff", 2, "x: not valid UTF-8" },
		{ "\xed\xa0\x80", 3, "x: not valid UTF-8" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_entries lines = { 0 };
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(parse(cases[i].text, cases[i].len, &lines, &err), -1);
		assert_string_equal(err.text, cases[i].says);
		assert_int_equal(lines.count, 0);
	}
}

static int lay(const struct bench_tokenizer *tokenizer, const char *const *systems,
	       const char *const *texts, size_t count, const json_t *kwargs,
	       struct bench_templated *ret, struct pl_err *err)
{
	(void)systems;
	(void)tokenizer;
	(void)err;
	assert_null(kwargs);
	for (size_t i = 0; i < count; i++)
		ret[i] = (struct bench_templated){ pl_asprintf("t1 %s t2", texts[i]), 0 };
	return 0;
}

static const struct bench_tokenizer_calls calls = { .encode = test_encode,
						    .decode = test_decode,
						    .template = lay };

/* Each letter t is a token. */
static void test_build(void **state)
{
	struct test_tokenizer test;
	struct built b;
	FILE *file = fopen("dataset_sonnet_file", "w");

	(void)state;
	assert_non_null(file);
	assert_true(fputs("t5\nt6\nt7\n", file) >= 0);
	assert_int_equal(fclose(file), 0);
	tokenizer_init(&test, 1000, 1, "");
	test.base.calls = &calls;
	built_init(&b, 0, 3, 0, 0);
	set_text(&b.bench.dataset_name, "sonnet");
	set_text(&b.bench.dataset_path, "dataset_sonnet_file");
	/*
	 * A line has two tokens, its own and the special one. The words before the lines have four:
	 * "these" counts one, the template two, and the special one. So there is room for (12 - 4)
	 * / 2 lines, (8 - 4) / 2 of them the same in each prompt.
	 */
	b.bench.sonnet_input_len = 12;
	b.bench.sonnet_prefix_len = 8;
	build(&b, &test);
	assert_int_equal(b.dataset->count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct bench_sample *sample = &b.dataset->samples[i];
		assert_true(pl_text_starts(sample->prompt, "t1 Pick as many lines as you can from "
							   "these poem lines:\nt5\nt6\nt"));
		assert_true(pl_text_ends(sample->prompt, "\n t2"));
		assert_int_equal(sample->output_tokens, 150);
		assert_int_equal(sample->prompt_tokens, 4 + 4);
		assert_int_equal(sample->index, i);
	}
	assert_string_equal(b.dataset->chat_template, "server");
	bench_dataset_free(b.dataset);
	b.dataset = NULL;

	set_text(&b.bench.backend, "openai-chat");
	build(&b, &test);
	assert_true(pl_text_starts(b.dataset->samples[0].prompt, "Pick"));
	assert_string_equal(b.dataset->chat_template, "none");
	bench_dataset_free(b.dataset);
	b.dataset = NULL;

	assert_int_equal(bench_dataset_build(&b.bench, NULL, &b.py, &b.np, &b.dataset, &b.err), -1);
	assert_non_null(strstr(b.err.text, "needs a tokenizer"));
	built_done(&b);
	unlink("dataset_sonnet_file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_bad_texts),
		cmocka_unit_test(test_build),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
