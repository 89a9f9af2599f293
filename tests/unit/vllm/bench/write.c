#include "vllm/bench/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "vllm/bench/line.h"

/* An option's value, and the words that say it; NULL: none can. */
static const struct {
	enum vllm_bench_id id;
	const char *value;
	const char *words;
} options[] = {
	{ VLLM_BENCH_num_prompts, "7", "[\"--num-prompts\",\"7\"]" },
	{ VLLM_BENCH_request_rate, "\"inf\"", "[\"--request-rate\",\"inf\"]" },
	{ VLLM_BENCH_request_rate, "0.5", "[\"--request-rate\",\"0.5\"]" },
	{ VLLM_BENCH_presence_penalty, "-0.5", "[\"--presence-penalty=-0.5\"]" },
	{ VLLM_BENCH_label, "\"-x\"", "[\"--label=-x\"]" },
	{ VLLM_BENCH_label, "\"a b\"", "[\"--label\",\"a b\"]" },
	{ VLLM_BENCH_save_result, "true", "[\"--save-result\"]" },
	{ VLLM_BENCH_save_result, "false", "[]" },
	{ VLLM_BENCH_self_timed, "false", "[\"--no-self-timed\"]" },
	{ VLLM_BENCH_max_concurrency, "null", "[]" },
	{ VLLM_BENCH_goodput, "[\"ttft:1\",\"tpot:2\"]", "[\"--goodput\",\"ttft:1\",\"tpot:2\"]" },
	{ VLLM_BENCH_metadata, "[]", "[]" },
	{ VLLM_BENCH_metadata, "[\"-a=b\"]", "[\"--metadata=-a=b\"]" },
	{ VLLM_BENCH_metadata, "[\"a=b\",\"-c=d\"]", NULL },
	{ VLLM_BENCH_bfcl_categories, "[\"a\",\"b\"]", "[\"--bfcl-categories\",\"a,b\"]" },
	{ VLLM_BENCH_extra_body, "{\"a\":{\"b\":[1,true]}}",
	  "[\"--extra-body\",\"{\\\"a\\\": {\\\"b\\\": [1, true]}}\"]" },
	{ VLLM_BENCH_random_mm_bucket_config, "{\"(4, 4, 1)\":0.5,\"(2, 3, 2)\":0.5}",
	  "[\"--random-mm-bucket-config\",\"{(4, 4, 1): 0.5, (2, 3, 2): 0.5}\"]" },
	{ VLLM_BENCH_header, "[\"A=secret\"]", "[\"--header\",\"A=***\"]" },
};

static void check_read(enum vllm_bench_id id, const json_t *words, const struct vllm_bench *bench)
{
	const char *texts[8];
	struct vllm_bench_line line;
	size_t count = 0;

	for (; count < json_array_size(words); count++)
		texts[count] = json_string_value(json_array_get(words, count));
	vllm_bench_line_read(texts, count, VLLM_BENCH_OF_VLLM, &line);
	assert_int_equal(line.fault_count, 0);
	auto_json json_t *mine = vllm_bench_get(bench, id);
	auto_json json_t *theirs = vllm_bench_get(&line.bench, id);
	assert_true(count == 0 || json_equal(mine, theirs));
	vllm_bench_line_done(&line);
}

static void options_are_words_that_are_read_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(options); i++) {
		auto_json json_t *value = json_loads(options[i].value, JSON_DECODE_ANY, NULL);
		auto_json json_t *words = json_array();
		struct vllm_bench bench;
		vllm_bench_init(&bench);
		vllm_bench_set(&bench, options[i].id, value);
		bool heard = vllm_bench_words_add(&bench, options[i].id, words);
		auto_free char *text = pl_json_to_text(words, PL_JSON_COMPACT);
		assert_int_equal(heard, options[i].words != NULL);
		assert_string_equal(text, heard ? options[i].words : "[]");
		check_read(options[i].id, words, &bench);
		vllm_bench_done(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_words_that_are_read_back),
	};

	return cmocka_run_group_tests_name("vllm/bench/write", tests, NULL, NULL);
}
