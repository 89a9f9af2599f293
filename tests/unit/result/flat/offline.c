#include "result/flat/offline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

/* A file of each kind with every key; those that vLLM may omit, each followed by a blank. */
static const struct {
	const char *kind;
	const char *text;
	const char *optional;
} files[] = {
	{ "latency",
	  "{\"avg_latency\": 1.5, \"latencies\": [1, 2], \"percentiles\": {\"50\": 1.5}}", "" },
	{ "throughput",
	  "{\"elapsed_time\": 2.5, \"num_requests\": 4, \"total_num_tokens\": 40, "
	  "\"requests_per_second\": 1.6, \"tokens_per_second\": 16}",
	  "" },
	{ "startup",
	  "{\"avg_cold_startup_time\": 2.5, \"cold_startup_times\": [2, 3], "
	  "\"cold_startup_percentiles\": {\"50\": 2.5}, "
	  "\"avg_cold_compilation_time\": 2.5, \"cold_compilation_times\": [2, 3], "
	  "\"cold_compilation_percentiles\": {\"50\": 2.5}, "
	  "\"avg_cold_encoder_compilation_time\": 2.5, \"cold_encoder_compilation_times\": [2, 3], "
	  "\"cold_encoder_compilation_percentiles\": {\"50\": 2.5}, "
	  "\"avg_warm_startup_time\": 2.5, \"warm_startup_times\": [2, 3], "
	  "\"warm_startup_percentiles\": {\"50\": 2.5}, "
	  "\"avg_warm_compilation_time\": 2.5, \"warm_compilation_times\": [2, 3], "
	  "\"warm_compilation_percentiles\": {\"50\": 2.5}, "
	  "\"avg_warm_encoder_compilation_time\": 2.5, \"warm_encoder_compilation_times\": [2, 3], "
	  "\"warm_encoder_compilation_percentiles\": {\"50\": 2.5}}",
	  "avg_cold_encoder_compilation_time cold_encoder_compilation_times "
	  "cold_encoder_compilation_percentiles avg_warm_encoder_compilation_time "
	  "warm_encoder_compilation_times warm_encoder_compilation_percentiles " },
	{ "mm-processor",
	  "{\"completed\": 3, \"failed\": 1, \"mean_e2el_ms\": 5, \"median_e2el_ms\": 4, "
	  "\"std_e2el_ms\": 1, \"percentiles_e2el_ms\": [[99.0, 9.5], [99.9, 9.75]], "
	  "\"mm_processor_stats\": {\"apply_ms\": {\"mean\": 1}}, "
	  "\"encoder_summary\": {\"total_encoder_calls\": 6}}",
	  "" },
};

static json_t *read_json(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

static void test_result_flat_offline__a_whole_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(files); i++) {
		auto_json json_t *file = read_json(files[i].text);
		auto_json json_t *figures = NULL;
		assert_string_equal(res_offline_kind_of(file), files[i].kind);
		assert_int_equal(res_offline_figures(files[i].kind, file, &figures, PL_ERR_IGNORED),
				 0);
		PL_JSON_EACH_MEMBER(key, value, file)
			assert_true(json_equal(json_object_get(figures, key), value));
		/* and the same file from these results */
		auto_json json_t *flat = res_offline_flat(files[i].kind, NULL, figures);
		json_object_del(flat, "model_id");
		if (!json_equal(flat, file))
			fail_msg("%s: another file", files[i].kind);
	}
}

static void test_result_flat_offline__percentiles_by_name(void **state)
{
	auto_json json_t *file = read_json(files[3].text);
	auto_json json_t *figures = NULL;

	(void)state;
	assert_int_equal(res_offline_figures("mm-processor", file, &figures, PL_ERR_IGNORED), 0);
	assert_true(json_number_value(json_object_get(figures, "p99_e2el_ms")) == 9.5);
	assert_true(json_number_value(json_object_get(figures, "p99.9_e2el_ms")) == 9.75);
}

static void test_result_flat_offline__required_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(files); i++) {
		auto_json json_t *file = read_json(files[i].text);
		PL_JSON_EACH_MEMBER(key, value, file) {
			auto_json json_t *without = json_copy(file);
			auto_json json_t *figures = NULL;
			auto_free char *word = pl_asprintf("%s ", key);
			auto_free char *says = pl_asprintf("'%s' is missing", key);
			struct pl_err err = PL_ERR_INIT;
			json_object_del(without, key);
			int done = res_offline_figures(files[i].kind, without, &figures, &err);
			bool is_optional = strstr(files[i].optional, word) != NULL;
			if ((done == 0) != is_optional)
				fail_msg("%s: '%s' %s", files[i].kind, key, err.text);
			if (done < 0)
				assert_string_equal(err.text, says);
			(void)value;
		}
	}
}

/* Every key refuses text and a negative number, also within lists and objects. */
static void test_result_flat_offline__values_that_are_refused(void **state)
{
	static const char *const values[] = { "\"soon\"", "-1", "[-1]", "{\"50\": \"soon\"}",
					      "null" };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(files); i++) {
		auto_json json_t *file = read_json(files[i].text);
		PL_JSON_EACH_MEMBER(key, value, file) {
			for (size_t k = 0; k < PL_ARRAY_SIZE(values); k++) {
				auto_json json_t *other = json_copy(file);
				auto_json json_t *figures = NULL;
				auto_free char *says = pl_asprintf("/%s: ", key);
				struct pl_err err = PL_ERR_INIT;
				json_object_set_new(other, key,
						    json_loads(values[k], JSON_DECODE_ANY, NULL));
				if (res_offline_figures(files[i].kind, other, &figures, &err) == 0)
					fail_msg("%s: '%s' takes %s", files[i].kind, key,
						 values[k]);
				if (strstr(err.text, says) == NULL)
					fail_msg("%s does not name '%s'", err.text, key);
			}
			(void)value;
		}
	}
}

/* A key that only one kind has names the kind. */
static void test_result_flat_offline__kinds(void **state)
{
	static const char *const cases[][2] = {
		{ "{\"avg_latency\": 1}", "latency" },
		{ "{\"elapsed_time\": 1}", "throughput" },
		{ "{\"avg_cold_startup_time\": 1}", "startup" },
		{ "{\"cold_startup_times\": []}", "startup" },
		{ "{\"warm_compilation_percentiles\": {}}", "startup" },
		{ "{\"avg_warm_encoder_compilation_time\": 1}", "startup" },
		{ "{\"mm_processor_stats\": {}}", "mm-processor" },
		{ "{\"latencies\": [1], \"percentiles\": {}, \"num_requests\": 1, \"completed\": "
		  "1, "
		  "\"failed\": 0, \"encoder_summary\": {}, \"tokens_per_second\": 1}",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *json = read_json(cases[i][0]);
		const char *kind = res_offline_kind_of(json);
		if (!pl_text_equal(kind, cases[i][1]) && (kind != NULL || cases[i][1] != NULL))
			fail_msg("%s: %s", cases[i][0], kind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result_flat_offline__a_whole_file),
		cmocka_unit_test(test_result_flat_offline__percentiles_by_name),
		cmocka_unit_test(test_result_flat_offline__required_keys),
		cmocka_unit_test(test_result_flat_offline__values_that_are_refused),
		cmocka_unit_test(test_result_flat_offline__kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
