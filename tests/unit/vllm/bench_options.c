#include "vllm/bench_options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/text.h"
#include "config_text.h"
#include "experiment/config.h"
#include "test_data.h"

static void defaults_are_the_rows(void **state)
{
	struct vllm_bench bench;

	(void)state;
	vllm_bench_init(&bench);
	assert_int_equal(bench.seed, 0);
	assert_int_equal(bench.num_prompts, 1000);
	assert_string_equal(bench.dataset_name, "random");
	assert_string_equal(bench.backend, "openai");
	assert_true(isinf(bench.request_rate));
	assert_true(isnan(bench.temperature));
	assert_true(bench.max_concurrency == OPTION_NO_I64);
	assert_true(bench.port == OPTION_NO_I64);
	assert_null(bench.endpoint);
	assert_null(bench.header);
	assert_null(bench.extra_body);
	assert_int_equal(bench.self_timed, -1);
	assert_false(bench.ignore_eos);
	assert_string_equal(bench.random_range_ratio, "0.0");
	assert_string_equal(bench.metric_percentiles, "99");
	assert_int_equal(bench.request_timeout, 6 * 3600 * INT64_C(1000000000));
	assert_int_equal(bench.stall_timeout, 60 * INT64_C(1000000000));
	assert_int_equal(
		json_integer_value(json_object_get(bench.random_mm_limit_mm_per_prompt, "image")),
		255);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++)
		assert_true(vllm_bench_is_default(&bench, (enum vllm_bench_id)i));
	vllm_bench_done(&bench);
}

static void all_options_are_written_in_order(void **state)
{
	struct vllm_bench bench;
	size_t i = 0;
	const char *name;
	json_t *value;

	(void)state;
	vllm_bench_init(&bench);
	auto_json json_t *json = vllm_bench_to_json(&bench);
	assert_int_equal(json_object_size(json), VLLM_BENCH_COUNT);
	json_object_foreach(json, name, value)
	{
		assert_string_equal(name, vllm_bench_row((enum vllm_bench_id)i)->name);
		assert_int_equal(vllm_bench_find(name), i);
		assert_true(vllm_bench_row((enum vllm_bench_id)i)->help[0] != '\0');
		i++;
	}
	assert_string_equal(json_string_value(json_object_get(json, "request_rate")), "inf");
	assert_string_equal(json_string_value(json_object_get(json, "request_timeout")), "21600s");
	assert_true(json_is_null(json_object_get(json, "temperature")));
	assert_true(json_is_null(json_object_get(json, "self_timed")));
	assert_int_equal(vllm_bench_find("request-rate"), VLLM_BENCH_request_rate);
	assert_int_equal(vllm_bench_find("request_rat"), VLLM_BENCH_COUNT);
	assert_int_equal(vllm_bench_find("request_rates"), VLLM_BENCH_COUNT);
	vllm_bench_done(&bench);
}

static void values_are_set_and_given_back(void **state)
{
	static const struct {
		enum vllm_bench_id id;
		const char *value;
		const char *shown;
	} cases[] = {
		{ VLLM_BENCH_seed, "7", "7" },
		{ VLLM_BENCH_max_concurrency, "8", "8" },
		{ VLLM_BENCH_max_concurrency, "null", "null" },
		{ VLLM_BENCH_request_rate, "2.5", "2.5" },
		{ VLLM_BENCH_request_rate, "\"inf\"", "\"inf\"" },
		{ VLLM_BENCH_temperature, "0", "0.0" },
		{ VLLM_BENCH_ignore_eos, "true", "true" },
		{ VLLM_BENCH_self_timed, "false", "false" },
		{ VLLM_BENCH_label, "\"x\"", "\"x\"" },
		{ VLLM_BENCH_goodput, "[\"ttft:1\"]", "[\"ttft:1\"]" },
		{ VLLM_BENCH_header, "[\"A=secret\",\"B\"]", "[\"A=***\",\"B=***\"]" },
		{ VLLM_BENCH_extra_body, "{\"a\":1}", "{\"a\":1}" },
		{ VLLM_BENCH_stall_timeout, "1500000", "\"1500us\"" },
	};
	struct vllm_bench bench;

	(void)state;
	vllm_bench_init(&bench);
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *value = json_loads(cases[i].value, JSON_DECODE_ANY, NULL);
		vllm_bench_set(&bench, cases[i].id, value);
		auto_json json_t *got = vllm_bench_get(&bench, cases[i].id);
		auto_free char *text = pl_json_to_text(got, PL_JSON_COMPACT);
		assert_string_equal(text, cases[i].shown);
	}
	assert_false(vllm_bench_is_default(&bench, VLLM_BENCH_seed));
	assert_true(vllm_bench_is_default(&bench, VLLM_BENCH_max_concurrency));
	vllm_bench_done(&bench);
}

static void durations_are_exact(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = { { 0, "0s" },       { 1, "1ns" },           { 2500, "2500ns" },
		      { 40000, "40us" }, { 100000000, "100ms" }, { 600000000000, "600s" } };

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *json = option_duration_to_json(cases[i].ns);
		assert_string_equal(json_string_value(json), cases[i].text);
	}
	auto_json json_t *none = option_duration_to_json(OPTION_NO_I64);
	assert_true(json_is_null(none));
}

static json_t *choices_of(const struct option_row *row)
{
	return row->choices != NULL ? json_loads(row->choices, 0, NULL) : json_null();
}

/* Each option of vLLM's `bench serve` is a row, with its choices, and the other way round. */
static void rows_are_vllms_options(void **state)
{
	skip_without_test_data();
	auto_free char *path = test_data_path("spec/bench-args.json");
	auto_json json_t *spec = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t i;
	json_t *entry;
	size_t vllm = 0;

	(void)state;
	assert_int_equal(pl_json_read_file(path, &spec, &err), 0);
	const json_t *serve = json_object_get(json_object_get(spec, "commands"), "bench serve");
	json_array_foreach((json_t *)serve, i, entry)
	{
		const char *name = json_string_value(json_object_get(entry, "name"));
		enum vllm_bench_id id = vllm_bench_find(name);
		assert_int_not_equal(id, VLLM_BENCH_COUNT);
		auto_json json_t *choices = choices_of(vllm_bench_row(id));
		assert_false(vllm_bench_row(id)->ours || vllm_bench_row(id)->gone ||
			     vllm_bench_row(id)->offline);
		assert_true(json_equal(choices, json_object_get(entry, "choices")));
	}
	for (size_t k = 0; k < VLLM_BENCH_COUNT; k++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)k);
		assert_false(row->ours && (row->gone || row->offline));
		vllm += !row->ours && !row->gone && !row->offline;
	}
	assert_int_equal(vllm, json_array_size(serve));
}

/* A value other than the default, as a file would have it; NULL where the row has none. */
static const char *sample_text(const struct option_row *row, char *room, size_t size)
{
	auto_json json_t *choices = choices_of(row);
	auto_free char *plain = option_row_default_text(row);
	const char *first = json_string_value(json_array_get(choices, 0));

	if (first != NULL) {
		bool is_plain = pl_text_equal(first, plain);
		snprintf(room, size, "%s",
			 is_plain ? json_string_value(json_array_get(choices, 1)) : first);
		return room;
	}
	switch (row->type) {
	case OPTION_BOOL:
	case OPTION_TRI:
		return strcmp(row->default_json, "true") == 0 ? "false" : "true";
	case OPTION_INT:
		return strcmp(row->default_json, "3") == 0 ? "4" : "3";
	case OPTION_FLOAT:
		return "0.25";
	case OPTION_DURATION:
		return "1500ms";
	case OPTION_JSON:
		return "{a: 1}";
	case OPTION_LIST:
		return "[\"ttft:1=2\"]";
	default:
		return strcmp(row->name, "base_url") == 0 ? "\"http://h:1\"" : "0.5";
	}
}

/* Returns the artifact that an option writes in addition. */
static const char *artifact(const char *name)
{
	static const struct {
		const char *name, *text;
	} requested[] = {
		{ "dataset_name", "  dataset_path: x\n" },
		{ "dataset_path", "  dataset_name: sharegpt\n" },
		{ "random_batch_size", "  backend: vllm-pooling\n" },
		{ "self_timed", "  dataset_name: timed_trace\n  dataset_path: x\n" },
		{ "random_cache_hit_fraction",
		  "  prompt_token_ids: true\n  random_cache_ratio: 0.5\n" },
		{ "multi_turn", "  backend: openai-chat\n" },
		{ "cache_bust", "  dataset_name: timed_trace\n  dataset_path: x\n" },
		{ "skip_tokenizer_init", "  dataset_name: custom\n  dataset_path: x\n" },
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(requested); i++) {
		if (strcmp(requested[i].name, name) == 0)
			return requested[i].text;
	}
	return "";
}

static void every_option_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		bool is_ramp = strncmp(row->name, "ramp_up", 7) == 0;
		bool is_goodput = strcmp(row->name, "goodput") == 0;
		char room[64];
		auto_free char *text = pl_asprintf("benchmark:\n  %s: %s\n%s", row->name,
						   is_goodput ? "[\"ttft:1\"]"
						   : strcmp(row->name, "endpoint") == 0
							   ? "/x/completions"
						   : strcmp(row->name, "source_addresses") == 0
							   ? "[127.0.0.2]"
							   : sample_text(row, room, sizeof(room)),
						   artifact(row->name));
		auto_problems problems = { 0 };
		auto_experiment struct exp_config *e = NULL;
		struct pl_err err = PL_ERR_INIT;
		int rc = config_text_parse(vllm_catalog_reference(), text, strlen(text), "e.yaml",
					   NULL, 0, &e, &problems, &err);
		if (is_ramp)
			continue; /* each needs the others; tests/unit/experiment/config.c */
		if (rc < 0)
			fail_msg("%s: %s", text, err.text);
		assert_true(e->bench_set[i]);
		assert_false(vllm_bench_is_default(&e->bench, (enum vllm_bench_id)i));
	}
}

static void thresholds_are_two_numbers(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		double first, second;
	} cases[] = {
		{ "25,50", true, 25, 50 },   { " 2.5 , 1e3 ", true, 2.5, 1000 },
		{ "50,25", true, 50, 25 },   { "0,inf", true, 0, INFINITY },
		{ "-1,1", true, -1, 1 },     { "", false, 0, 0 },
		{ NULL, false, 0, 0 },       { "25", false, 0, 0 },
		{ "25,", false, 0, 0 },      { "25,50,", false, 0, 0 },
		{ "25,50,75", false, 0, 0 }, { "a,b", false, 0, 0 },
		{ "nan,1", false, 0, 0 },    { "25;50", false, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		double ms[2] = { -7, -7 };
		bool ok = vllm_bench_thresholds(cases[i].text, ms);
		if (ok != cases[i].ok)
			fail_msg("'%s': %d", cases[i].text != NULL ? cases[i].text : "NULL", ok);
		assert_true(ms[0] == (ok ? cases[i].first : -7));
		assert_true(ms[1] == (ok ? cases[i].second : -7));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_the_rows),
		cmocka_unit_test(all_options_are_written_in_order),
		cmocka_unit_test(values_are_set_and_given_back),
		cmocka_unit_test(durations_are_exact),
		cmocka_unit_test(rows_are_vllms_options),
		cmocka_unit_test(every_option_is_read),
		cmocka_unit_test(thresholds_are_two_numbers),
	};

	return cmocka_run_group_tests_name("model/bench_options", tests, NULL, NULL);
}
