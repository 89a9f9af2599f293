/* The chat template over the prompts of files, and runs without a tokenizer. */
#include "dataset_made.h"

#include <unistd.h>

/* A tokenizer that applies templates: "t7 TEXT t8", and `extra` times t9. */
struct template_tokenizer {
	struct test_tokenizer test;
	enum pl_err_code fault; /* of the template; PL_ERR_NONE: none */
	/* the token count, which differs from the tokens for a lossy decoder */
	size_t reported;
};

static int lay(const struct bench_tokenizer *tokenizer, const char *const *systems,
	       const char *const *texts, size_t count, const json_t *kwargs,
	       struct bench_templated *ret, struct pl_err *err)
{
	(void)systems;
	const struct test_tokenizer *test = PL_CONTAINER_OF(tokenizer, const struct test_tokenizer,
							    base);
	const struct template_tokenizer *how = PL_CONTAINER_OF(
		test, const struct template_tokenizer, test);
	size_t extra = (size_t)json_integer_value(json_object_get(kwargs, "extra"));

	if (how->fault != PL_ERR_NONE)
		return pl_err_set(err, how->fault, "no template, it says");
	for (size_t i = 0; i < count; i++) {
		ret[i].text = pl_asprintf("t7 %s t8%s", texts[i], extra == 1 ? " t9" : "");
		ret[i].tokens = 3 + extra + how->reported;
	}
	return 0;
}

static const struct bench_tokenizer_calls template_calls = { .encode = test_encode,
							     .decode = test_decode,
							     .template = lay };

static void template_init(struct template_tokenizer *how, enum pl_err_code fault, size_t reported)
{
	tokenizer_init(&how->test, 1000, 1, "");
	how->test.base.calls = &template_calls;
	how->fault = fault;
	how->reported = reported;
}

static void use(struct built *b, const char *name, const char *text)
{
	FILE *file = fopen("dataset_template_file", "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	built_init(b, 0, 1, 0, 0);
	set_text(&b->bench.dataset_name, name);
	set_text(&b->bench.dataset_path, "dataset_template_file");
}

static const char prompts[] = "{\"prompt\": \"t5\", \"output_tokens\": 6}\n";
static const char questions[] = "{\"turns\": [\"t5\"], \"category\": \"a\"}\n";

static size_t notes_with(const struct bench_dataset *dataset, const char *part)
{
	size_t found = 0, i;
	json_t *note;

	json_array_foreach(dataset->notes, i, note)
		found += strstr(json_string_value(note), part) != NULL;
	return found;
}

static void assert_sample(const struct built *b, const char *prompt, int64_t tokens,
			  const char *chat_template)
{
	assert_int_equal(b->dataset->count, 1);
	assert_string_equal(b->dataset->samples[0].prompt, prompt);
	assert_int_equal(b->dataset->samples[0].prompt_tokens, tokens);
	assert_string_equal(b->dataset->chat_template, chat_template);
}

/* The length is that of the templated text with the special token. */
static void test_custom(void **state)
{
	struct template_tokenizer how;
	struct built b;

	(void)state;
	template_init(&how, PL_ERR_NONE, 0);
	use(&b, "custom", prompts);
	build(&b, &how.test);
	assert_sample(&b, "t7 t5 t8", 4, "server");
	assert_int_equal(json_array_size(b.dataset->notes), 0);
	bench_dataset_free(b.dataset);

	b.bench.chat_template_kwargs = json_pack("{s:i}", "extra", 1);
	build(&b, &how.test);
	assert_sample(&b, "t7 t5 t8 t9", 5, "server");
	bench_dataset_free(b.dataset);

	b.bench.skip_chat_template = true;
	build(&b, &how.test);
	assert_sample(&b, "t5", 2, "none");
	built_done(&b);
	unlink("dataset_template_file");
}

/* Neither of its switches reaches it. */
static void test_spec_bench(void **state)
{
	struct template_tokenizer how;
	struct built b;

	(void)state;
	template_init(&how, PL_ERR_NONE, 0);
	use(&b, "spec_bench", questions);
	b.bench.skip_chat_template = true;
	b.bench.chat_template_kwargs = json_pack("{s:i}", "extra", 1);
	build(&b, &how.test);
	assert_sample(&b, "t7 t5 t8", 4, "server");
	built_done(&b);
	unlink("dataset_template_file");
}

static void test_copies_are_templated_once(void **state)
{
	struct template_tokenizer how;
	struct built b;

	(void)state;
	template_init(&how, PL_ERR_NONE, 0);
	use(&b, "custom", prompts);
	b.bench.num_prompts = 3;
	build(&b, &how.test);
	assert_int_equal(b.dataset->count, 3);
	assert_string_equal(b.dataset->samples[2].prompt, "t7 t5 t8");
	assert_int_equal(b.dataset->samples[2].prompt_tokens, 4);
	built_done(&b);
	unlink("dataset_template_file");
}

static void test_refused(void **state)
{
	static const struct {
		const char *name;
		const char *text;
		bool hint;
	} cases[] = {
		{ "custom", prompts, true },
		{ "spec_bench", questions, false },
	};
	struct template_tokenizer how;

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		struct built b;
		template_init(&how, PL_ERR_INVALID, 0);
		use(&b, cases[i].name, cases[i].text);
		assert_int_equal(bench_dataset_build(&b.bench, &how.test.base, &b.py, &b.np,
						     &b.dataset, &b.err),
				 -1);
		assert_int_equal(b.err.code, PL_ERR_INVALID);
		assert_non_null(strstr(b.err.text, "chat template: no template, it says"));
		assert_int_equal(strstr(b.err.text, "--skip-chat-template") != NULL, cases[i].hint);
		built_done(&b);
	}
	/* other errors do not mention templates */
	struct built b;
	template_init(&how, PL_ERR_NETWORK, 0);
	use(&b, "custom", prompts);
	assert_int_equal(
		bench_dataset_build(&b.bench, &how.test.base, &b.py, &b.np, &b.dataset, &b.err),
		-1);
	assert_int_equal(b.err.code, PL_ERR_NETWORK);
	assert_null(strstr(b.err.text, "--skip-chat-template"));
	built_done(&b);
	unlink("dataset_template_file");
}

static void test_no_templates(void **state)
{
	struct template_tokenizer how;
	struct built b;

	(void)state;
	template_init(&how, PL_ERR_NOT_FOUND, 0);
	use(&b, "custom", prompts);
	build(&b, &how.test);
	assert_sample(&b, "t5", 2, "none");
	assert_int_equal(notes_with(b.dataset, "without a chat template: no template"), 1);
	bench_dataset_free(b.dataset);

	build(&b, NULL);
	assert_sample(&b, "t5", RES_NO_COUNT, "none");
	assert_int_equal(
		notes_with(b.dataset, "without a chat template: no tokenizer is available"), 1);
	built_done(&b);
	unlink("dataset_template_file");
}

static void test_losses_are_noted(void **state)
{
	struct template_tokenizer how;
	struct built b;

	(void)state;
	template_init(&how, PL_ERR_NONE, 2);
	use(&b, "custom", prompts);
	build(&b, &how.test);
	assert_int_equal(notes_with(b.dataset, "1 of 1 templated prompts"), 1);
	built_done(&b);
	unlink("dataset_template_file");
}

static void test_without_a_tokenizer(void **state)
{
	struct built b;

	(void)state;
	use(&b, "custom", prompts);
	b.bench.skip_tokenizer_init = true;
	b.bench.custom_output_len = 99;
	build(&b, NULL);
	assert_sample(&b, "t5", RES_NO_COUNT, "none");
	assert_int_equal(b.dataset->samples[0].output_tokens, 1);
	assert_int_equal(notes_with(b.dataset, "template"), 0);
	built_done(&b);
	unlink("dataset_template_file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_custom),
		cmocka_unit_test(test_spec_bench),
		cmocka_unit_test(test_copies_are_templated_once),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_templates),
		cmocka_unit_test(test_losses_are_noted),
		cmocka_unit_test(test_without_a_tokenizer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
