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
#include "base/scratch.h"
#include "base/text.h"
#include "bench/data/dataset_made.h"

/* The prompt's ids after `skip` as "5 17 …". */
static void assert_ids(const struct bench_sample *sample, size_t skip, const char *expected)
{
	uint32_t ids[256];
	size_t count = sample->ids != NULL ? sample->id_count : parse_text(sample->prompt, ids);
	const uint32_t *at = sample->ids != NULL ? sample->ids : ids;
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1u << 16);
	for (size_t i = skip; i < count; i++)
		pl_buf_addf(&buf, "%s%" PRIu32, i > skip ? " " : "", at[i]);
	assert_string_equal(pl_buf_text(&buf), expected);
}

/* The prompt as drawn: first id of the body, then consecutive ones. */
static void assert_run(const struct bench_sample *sample, size_t skip, uint32_t first, size_t len)
{
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1u << 16);
	for (size_t i = 0; i < len; i++)
		pl_buf_addf(&buf, "%s%" PRIu32, i > 0 ? " " : "", first + (uint32_t)i);
	assert_ids(sample, skip, pl_buf_text(&buf));
}

static void test_random_plain(void **state)
{
	static const uint32_t first[] = { 42749, 32012, 25690, 13561, 15474 };
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 50257, 0, "t50256");
	built_init(&b, 0, 5, 8, 4);
	build(&b, &test);
	assert_int_equal(b.dataset->count, 5);
	assert_string_equal(b.dataset->prompt_form, "text");
	assert_null(b.dataset->sha256);
	assert_int_equal(json_array_size(b.dataset->notes), 0);
	for (size_t i = 0; i < 5; i++) {
		assert_run(&b.dataset->samples[i], 0, first[i], 8);
		assert_int_equal(b.dataset->samples[i].prompt_tokens, 8);
		assert_int_equal(b.dataset->samples[i].output_tokens, 4);
		assert_int_equal(b.dataset->samples[i].index, i);
	}
	/* One pass over all prompts at once. */
	assert_int_equal(test.encodes, 1);
	/* The general generators are in the state after seeding. */
	assert_true(pl_pyrandom_random(&b.py) == 0.8444218515250481);
	assert_true(pl_nplegacy_double(&b.np) == 0.5488135039273248);
	built_done(&b);
}

static void test_random_prefix_and_range(void **state)
{
	static const int64_t lens[] = { 14, 12, 11, 9, 9 }, outs[] = { 2, 2, 2, 2, 6 };
	static const uint32_t first[] = { 32637, 45873, 25312, 30490, 48790 };
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 50257, 0, "t50256");
	built_init(&b, 0, 5, 8, 4);
	b.bench.random_prefix_len = 3;
	set_text(&b.bench.random_range_ratio, "0.5");
	build(&b, &test);
	for (size_t i = 0; i < 5; i++) {
		uint32_t ids[32];
		parse_text(b.dataset->samples[i].prompt, ids);
		assert_int_equal(ids[0], 36661);
		assert_int_equal(ids[1], 31775);
		assert_int_equal(ids[2], 27320);
		assert_run(&b.dataset->samples[i], 3, first[i], (size_t)lens[i] - 3);
		assert_int_equal(b.dataset->samples[i].prompt_tokens, lens[i]);
		assert_int_equal(b.dataset->samples[i].output_tokens, outs[i]);
	}
	built_done(&b);
}

static void test_random_special_count(void **state)
{
	static const int64_t lens[] = { 6, 11, 10, 9, 9 }, outs[] = { 6, 2, 5, 3, 2 };
	static const uint32_t first[] = { 67389, 124880, 94178, 97428, 91841 };
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 128000, 1, "");
	built_init(&b, 42, 5, 8, 4);
	b.bench.random_prefix_len = 2;
	set_text(&b.bench.random_range_ratio, "{\"input\": 0.3, \"output\": 0.5}");
	build(&b, &test);
	for (size_t i = 0; i < 5; i++) {
		uint32_t ids[32];
		parse_text(b.dataset->samples[i].prompt, ids);
		assert_int_equal(ids[0], 100616);
		assert_int_equal(ids[1], 65693);
		assert_run(&b.dataset->samples[i], 2, first[i], (size_t)lens[i] - 2);
		assert_int_equal(b.dataset->samples[i].prompt_tokens, lens[i]);
		assert_int_equal(b.dataset->samples[i].output_tokens, outs[i]);
	}
	built_done(&b);
}

static void test_random_wraps_and_skips(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 10, 0, "t0 t3");
	built_init(&b, 0, 3, 9, 128);
	build(&b, &test);
	assert_ids(&b.dataset->samples[0], 0, "1 2 4 5 6 7 8 9 1");
	assert_ids(&b.dataset->samples[1], 0, "9 1 2 4 5 6 7 8 9");
	assert_ids(&b.dataset->samples[2], 0, "9 1 2 4 5 6 7 8 9");
	built_done(&b);
}

struct draws_case {
	int64_t seed, input, output, vocab;
	const char *ratio;
	int64_t lens[6], outs[6];
	uint32_t offsets[6];
};

static void test_random_draws_alone(void **state)
{
	static const struct draws_case cases[] = {
		{ 0,
		  1024,
		  128,
		  151643,
		  "0.2",
		  { 1168, 1080, 1029, 929, 945, 835 },
		  { 105, 102, 111, 145, 136, 150 },
		  { 76371, 91992, 147206, 110623, 95879, 82436 } },
		{ 42,
		  1000,
		  100,
		  128256,
		  "0.5",
		  { 589, 1274, 1155, 939, 933, 1359 },
		  { 58, 120, 70, 59, 103, 148 },
		  { 94364, 97620, 92020, 100817, 65824, 16431 } },
	};

	(void)state;
	for (size_t c = 0; c < PL_ARRAY_SIZE(cases); c++) {
		struct built b;
		built_init(&b, cases[c].seed, 6, cases[c].input, cases[c].output);
		b.bench.vocab_size = cases[c].vocab;
		set_text(&b.bench.random_range_ratio, cases[c].ratio);
		/* Without a tokenizer: token ids, as drawn. */
		build(&b, NULL);
		assert_string_equal(b.dataset->prompt_form, "token_ids");
		assert_int_equal(json_array_size(b.dataset->notes), 1);
		for (size_t i = 0; i < 6; i++) {
			const struct bench_sample *sample = &b.dataset->samples[i];
			assert_null(sample->prompt);
			assert_int_equal(sample->id_count, cases[c].lens[i]);
			assert_int_equal(sample->prompt_tokens, cases[c].lens[i]);
			assert_int_equal(sample->output_tokens, cases[c].outs[i]);
			assert_int_equal(sample->ids[0], cases[c].offsets[i] + i);
		}
		built_done(&b);
	}
}

static void assert_encoded_count(const struct test_tokenizer *test, const char *text, size_t count)
{
	struct pl_err err = PL_ERR_INIT;
	struct bench_ids ids;

	assert_int_equal(bench_tokenizer_encode(&test->base, &text, 1, false, &ids, &err), 0);
	assert_int_equal(ids.count, count);
	free(ids.ids);
}

static void test_random_fit_corrects(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 997, 0, "t0 t1 t2 t900");
	test.merges = true;
	built_init(&b, 7, 2, 6, 1);
	build(&b, &test);
	/* The texts, of which the tokenizer makes six tokens each. */
	assert_ids(&b.dataset->samples[0], 0, "946 947 427 950 253 894");
	assert_ids(&b.dataset->samples[1], 0, "627 628 629 630 631 632");
	for (size_t i = 0; i < 2; i++)
		assert_encoded_count(&test, b.dataset->samples[i].prompt, 6);
	built_done(&b);
}

static void test_random_fit_prefix(void **state)
{
	static const int64_t lens[] = { 19, 15, 16 }, outs[] = { 3, 2, 3 };
	static const char *const expected[] = {
		"301 286 870 910 834 835 836 837 838 839 840 841 842 843 844 845 846 847 848",
		"301 286 870 522 229 230 231 232 478 235 236 237 119 119 5",
		"301 286 870 910 60 61 62 63 64 65 66 67 183 70 71 249",
	};
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 997, 0, "t0 t1 t2 t900");
	test.merges = true;
	built_init(&b, 7, 3, 10, 2);
	b.bench.random_prefix_len = 4;
	set_text(&b.bench.random_range_ratio, "0.5");
	build(&b, &test);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(b.dataset->samples[i].prompt_tokens, lens[i]);
		assert_int_equal(b.dataset->samples[i].output_tokens, outs[i]);
		assert_ids(&b.dataset->samples[i], 0, expected[i]);
		assert_encoded_count(&test, b.dataset->samples[i].prompt, (size_t)lens[i]);
	}
	built_done(&b);
}

static void test_random_lengths_by_short_names(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 50257, 0, "");
	built_init(&b, 0, 1, 1024, 128);
	b.bench.input_len = 8;
	b.bench.output_len = 4;
	build(&b, &test);
	assert_int_equal(b.dataset->samples[0].prompt_tokens, 8);
	assert_int_equal(b.dataset->samples[0].output_tokens, 4);
	built_done(&b);
}

static void test_random_ids_on_request(void **state)
{
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 50257, 1, "t50256");
	built_init(&b, 0, 5, 8, 4);
	b.bench.prompt_token_ids = true;
	build(&b, &test);
	assert_string_equal(b.dataset->prompt_form, "token_ids");
	assert_run(&b.dataset->samples[0], 0, 42749, 8);
	assert_int_equal(test.encodes, 0);
	built_done(&b);
}

static char *temporary(const char *content)
{
	char path[SCRATCH_PATH];
	struct pl_err err = PL_ERR_INIT;

	close(scratch_file(path));
	assert_int_equal(pl_file_write(path, content, strlen(content), &err), 0);
	return pl_strdup(path);
}

static void add_tokens(struct pl_buf *buf, unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		pl_buf_addf(buf, "%st%u", i > 0 ? " " : "", first + i);
}

/* Ten conversations e0 … e9 of 5 + i and 4 + i tokens, except e3 (3, 9) and e5 (9, 3); between
 * them are entries to skip. */
static char *sharegpt_file(void)
{
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 1u << 16);
	pl_buf_add_text(&buf, "[{\"conversations\": [{\"from\": \"human\", \"value\": \"t1\"}]}");
	for (unsigned i = 0; i < 10; i++) {
		pl_buf_addf(&buf, ", {\"id\": \"e%u\", \"conversations\": [{\"value\": \"", i);
		add_tokens(&buf, 1000 * (i + 1), i == 3 ? 3 : i == 5 ? 9 : 5 + i);
		pl_buf_add_text(&buf, "\"}, {\"value\": \"");
		add_tokens(&buf, 50000, i == 3 ? 9 : i == 5 ? 3 : 4 + i);
		pl_buf_add_text(&buf, "\"}, {\"value\": \"more\"}]}");
	}
	pl_buf_add_text(&buf, ", {\"id\": \"no turns\"}]");
	return temporary(pl_buf_text(&buf));
}

static void assert_order(const struct bench_dataset *dataset, const char *expected)
{
	auto_buf buf = { 0 };

	pl_buf_init(&buf, 4096);
	for (size_t i = 0; i < dataset->count; i++) {
		uint32_t ids[64];
		parse_text(dataset->samples[i].prompt, ids);
		pl_buf_addf(&buf, "%s%u", i > 0 ? " " : "", ids[0] / 1000 - 1);
		assert_int_equal(dataset->samples[i].index, i);
	}
	assert_string_equal(pl_buf_text(&buf), expected);
}

struct sharegpt_case {
	int64_t n, fixed;
	bool output_len; /* give the fixed length by output_len */
	bool no_oversample, no_shuffle;
	const char *order;
	double next;
};

static void test_sharegpt(void **state)
{
	static const struct sharegpt_case cases[] = {
		{ 5, OPTION_NO_I64, false, false, false, "7 8 1 4 2", 0.3580493746949883 },
		{ 5, 2, false, false, false, "7 8 1 5 4", 0.3580493746949883 },
		{ 5, 2, true, false, false, "7 8 1 5 4", 0.3580493746949883 },
		{ 12, OPTION_NO_I64, false, false, false, "7 8 1 4 2 0 9 6 9 9 7 2",
		  0.9654648863619172 },
		{ 12, OPTION_NO_I64, false, true, false, "7 8 1 4 2 0 9 6", 0.3580493746949883 },
		{ 4, OPTION_NO_I64, false, false, true, "0 1 2 4", 0.8444218515250481 },
	};
	auto_free char *path = sharegpt_file();
	struct test_tokenizer test;

	(void)state;
	tokenizer_init(&test, 60000, 0, "");
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct built b;
		built_init(&b, 0, cases[i].n, 0, 0);
		set_text(&b.bench.dataset_name, "sharegpt");
		set_text(&b.bench.dataset_path, path);
		if (cases[i].output_len)
			b.bench.output_len = cases[i].fixed;
		else
			b.bench.sharegpt_output_len = cases[i].fixed;
		b.bench.no_oversample = cases[i].no_oversample;
		b.bench.disable_shuffle = cases[i].no_shuffle;
		assert_int_equal(bench_dataset_check(&b.bench, &b.err), 0);
		build(&b, &test);
		assert_order(b.dataset, cases[i].order);
		assert_int_equal(strlen(b.dataset->sha256), 64);
		const struct bench_sample *first = &b.dataset->samples[0];
		if (!cases[i].no_shuffle) {
			assert_int_equal(first->prompt_tokens, 12);
			assert_int_equal(first->output_tokens,
					 cases[i].fixed == OPTION_NO_I64 ? 11 : cases[i].fixed);
		}
		assert_true(pl_pyrandom_random(&b.py) == cases[i].next);
		built_done(&b);
	}
}

static void test_sharegpt_needs_tokenizer(void **state)
{
	auto_free char *path = sharegpt_file();
	struct built b;

	(void)state;
	built_init(&b, 0, 5, 0, 0);
	set_text(&b.bench.dataset_name, "sharegpt");
	set_text(&b.bench.dataset_path, path);
	assert_int_equal(bench_dataset_build(&b.bench, NULL, &b.py, &b.np, &b.dataset, &b.err), -1);
	assert_non_null(strstr(b.err.text, "needs a tokenizer"));
	built_done(&b);
}

static void test_custom(void **state)
{
	auto_free char *path = temporary("{\"prompt\": \"t1000\", \"output_tokens\": 3}\n\n"
					 "{\"prompt\": \"t2000 t2001\", \"output_tokens\": 4}\r\n"
					 "{\"output_tokens\": 5, \"prompt\": \"t3000\"}");
	struct test_tokenizer test;
	struct built b;

	(void)state;
	tokenizer_init(&test, 60000, 1, "");
	built_init(&b, 0, 3, 0, 0);
	set_text(&b.bench.dataset_name, "custom");
	set_text(&b.bench.dataset_path, path);
	b.bench.disable_shuffle = true;
	build(&b, &test);
	assert_order(b.dataset, "0 1 2");
	/* As in vLLM, the default length overrides the lengths of the records. */
	assert_int_equal(b.dataset->samples[1].output_tokens, 256);
	/* With the one special token. */
	assert_int_equal(b.dataset->samples[1].prompt_tokens, 3);
	bench_dataset_free(b.dataset);
	b.dataset = NULL;

	b.bench.custom_output_len = -1;
	b.bench.num_prompts = 2;
	build(&b, NULL);
	assert_order(b.dataset, "0 1");
	assert_int_equal(b.dataset->samples[0].output_tokens, 3);
	assert_int_equal(b.dataset->samples[1].output_tokens, 4);
	assert_int_equal(b.dataset->samples[1].prompt_tokens, RES_NO_COUNT);
	bench_dataset_free(b.dataset);
	b.dataset = NULL;

	b.bench.output_len = 9;
	b.bench.num_prompts = 7;
	b.bench.disable_shuffle = false;
	build(&b, NULL);
	assert_int_equal(b.dataset->count, 7);
	assert_int_equal(b.dataset->samples[6].output_tokens, 9);
	built_done(&b);
}

/* As Python's int() takes them. */
static void test_custom_output_tokens_in_other_forms(void **state)
{
	auto_free char *path = temporary("{\"prompt\": \"a\", \"output_tokens\": 3.0}\n"
					 "{\"prompt\": \"b\", \"output_tokens\": \"4\"}\n"
					 "{\"prompt\": \"c\", \"output_tokens\": 5.9}\n");
	struct built b;

	(void)state;
	built_init(&b, 0, 3, 0, 0);
	set_text(&b.bench.dataset_name, "custom");
	set_text(&b.bench.dataset_path, path);
	b.bench.disable_shuffle = true;
	b.bench.custom_output_len = -1;
	build(&b, NULL);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(b.dataset->samples[i].output_tokens, 3 + i);
	built_done(&b);
}

struct bad_file {
	const char *name;
	const char *content;
	const char *position; /* after the path in the message */
};

static void test_bad_files(void **state)
{
	static const struct bad_file bad[] = {
		{ "custom", "", ": holds no prompts" },
		{ "custom", "\n \n", ": holds no prompts" },
		{ "custom", "{\"prompt\": \"a\", \"output_tokens\": 1}\n{\"prompt\": 3}\n",
		  ":2: " },
		{ "custom", "{\"prompt\": \"a\", \"output_tokens\": 1}\n\n{\"prompt\": \"b\"}\n",
		  ":3: 'output_tokens'" },
		{ "custom", "{\"prompt\": \"a\", \"output_tokens\": 0}", ":1: 'output_tokens'" },
		{ "custom", "{\"prompt\": \"a\", \"output_tokens\": \"4x\"}",
		  ":1: 'output_tokens'" },
		{ "custom", "{\"prompt\": \"a\", \"output_tokens\": 1e300}",
		  ":1: 'output_tokens'" },
		{ "custom", "{\"prompt\": \"a\", \"output_tokens\": 1}\n{\"prompt\": ", ":2:" },
		{ "custom", "[\"a\"]", ":1: expected an object" },
		{ "sharegpt", "", ":1:" },
		{ "sharegpt", "3", ":1:1: expected an array" },
		{ "sharegpt", "{}", ": holds no conversation" },
		{ "sharegpt", "[{}", ":1:4: not valid JSON: the array is not closed" },
		{ "sharegpt", "[{} {}]", ":1:5: not valid JSON: expected ',' or ']'" },
		{ "sharegpt", "[{}] x", ":1:6: not valid JSON: text after" },
		{ "sharegpt", "{}\n\n{\"messages\": [}\n", ":3:15: not valid JSON" },
		{ "sharegpt", "{}\n[]\n", ":2:1: not valid JSON: expected one object" },
		{ "sharegpt",
		  "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 672\n",
		  ": found a Git LFS pointer" },
		{ "custom", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 672\n",
		  ": found a Git LFS pointer" },
		{ "custom", "\xff\xfe{", ": found UTF-16" },
		{ "sharegpt", "<!DOCTYPE html><html>", ": found an HTML page" },
		{ "sharegpt", "[]", ": holds no conversation" },
		{ "sharegpt", "[{\"conversations\": [{\"value\": \"a\"}]}]",
		  ": holds no conversation" },
		{ "sharegpt", "[{\"conversations\": [{\"value\": \"a\"}, {\"value\": 3}]}]",
		  ": entry 1: " },
		{ "sharegpt", "[\n{\"conversations\": \n]", ":3:" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(bad); i++) {
		auto_free char *path = temporary(bad[i].content);
		auto_free char *expected = pl_asprintf("%s%s", path, bad[i].position);
		struct built b;
		built_init(&b, 0, 3, 0, 0);
		set_text(&b.bench.dataset_name, bad[i].name);
		set_text(&b.bench.dataset_path, path);
		b.bench.custom_output_len = -1;
		assert_int_equal(bench_dataset_check(&b.bench, &b.err), -1);
		if (strstr(b.err.text, expected) == NULL)
			fail_msg("'%s' lacks '%s'", b.err.text, expected);
		built_done(&b);
	}
}

static void test_build_without_vocabulary(void **state)
{
	struct built b;

	(void)state;
	built_init(&b, 0, 3, 8, 4);
	assert_int_equal(bench_dataset_build(&b.bench, NULL, &b.py, &b.np, &b.dataset, &b.err), -1);
	assert_non_null(strstr(b.err.text, "vocab_size"));
	b.bench.vocab_size = 100;
	set_text(&b.bench.backend, "openai-chat");
	assert_int_equal(bench_dataset_build(&b.bench, NULL, &b.py, &b.np, &b.dataset, &b.err), -1);
	assert_non_null(strstr(b.err.text, "needs a tokenizer"));
	built_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_plain),
		cmocka_unit_test(test_random_prefix_and_range),
		cmocka_unit_test(test_random_special_count),
		cmocka_unit_test(test_random_wraps_and_skips),
		cmocka_unit_test(test_random_draws_alone),
		cmocka_unit_test(test_random_fit_corrects),
		cmocka_unit_test(test_random_fit_prefix),
		cmocka_unit_test(test_random_lengths_by_short_names),
		cmocka_unit_test(test_random_ids_on_request),
		cmocka_unit_test(test_sharegpt),
		cmocka_unit_test(test_sharegpt_needs_tokenizer),
		cmocka_unit_test(test_custom),
		cmocka_unit_test(test_custom_output_tokens_in_other_forms),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_build_without_vocabulary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
