#include "result/fields/fields.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"
#include "result/read.h"

#define COLUMNS_MAX 1000 /* a PostgreSQL row ends at 1,600, and at 8 KB */

static json_t *parsed(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	assert_non_null(json);
	return json;
}

static void test_res_fields__every_row_is_unique(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	size_t columns = 0;

	(void)state;
	for (size_t i = 0; i < res_fields_count(fields); i++) {
		const struct res_field *field = res_fields_at(fields, i);
		/* two of one id would not find themselves */
		assert_ptr_equal(res_fields_find(fields, field->id), field);
		assert_int_equal(strcspn(field->id, " /[]\""), strlen(field->id));
		assert_true(field->label[0] != '\0');
		assert_true(field->group[0] != '\0');
		assert_true(!field->column || field->of == NULL);
		columns += field->column;
	}
	assert_true(columns <= COLUMNS_MAX);
	assert_null(res_fields_find(fields, "results"));
}

static const struct {
	const char *id;
	struct res_field is;
} known[] = {
	{ "server.tensor_parallel_size",
	  { .label = "tensor_parallel_size",
	    .group = "ParallelConfig",
	    .unit = "",
	    .type = RES_FIELD_COUNT,
	    .column = true } },
	{ "server.max_model_len",
	  { .label = "max_model_len",
	    .group = "ModelConfig",
	    .unit = "tok",
	    .type = RES_FIELD_COUNT,
	    .column = true,
	    .words = true } },
	{ "server.port",
	  { .label = "port",
	    .group = "Frontend",
	    .unit = "",
	    .type = RES_FIELD_COUNT,
	    .role = RES_FIELD_PROVENANCE } },
	{ "benchmark.request_timeout",
	  { .label = "request_timeout",
	    .group = "Run",
	    .unit = "s",
	    .type = RES_FIELD_NUMBER,
	    .column = true } },
	{ "results.p99.9_ttft_ms",
	  { .label = "P99.9 TTFT",
	    .group = "Time to First Token",
	    .unit = "ms",
	    .direction = RES_FIELD_LOWER,
	    .role = RES_FIELD_OUTPUT,
	    .column = true } },
	{ "results.request_throughput",
	  { .label = "Request throughput",
	    .group = "Counts and rates",
	    .unit = "req/s",
	    .direction = RES_FIELD_HIGHER,
	    .role = RES_FIELD_OUTPUT,
	    .column = true } },
	{ "system.gpus.energy_j",
	  { .label = "Energy, GPUs",
	    .group = "GPUs",
	    .unit = "J",
	    .role = RES_FIELD_OUTPUT,
	    .one = RES_FIELD_SUM,
	    .column = true } },
	{ "quality.client_cpu.value",
	  { .label = "Client CPU",
	    .group = "Quality",
	    .unit = "share",
	    .role = RES_FIELD_OUTPUT,
	    .column = true } },
	{ "environment.engine.simulated",
	  { .label = "Simulated engine",
	    .group = "Engine",
	    .unit = "",
	    .type = RES_FIELD_YES,
	    .role = RES_FIELD_ENGINE,
	    .column = true } },
};

static void test_res_fields__rows_say_what_a_field_is(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(known); i++) {
		const struct res_field *is = &known[i].is;
		const struct res_field *field = res_fields_find(fields, known[i].id);
		assert_non_null(field);
		assert_string_equal(field->label, is->label);
		assert_string_equal(field->group, is->group);
		assert_string_equal(field->unit, is->unit);
		assert_int_equal(field->type, is->type);
		assert_int_equal(field->direction, is->direction);
		assert_int_equal(field->role, is->role);
		assert_int_equal(field->one, is->one);
		assert_int_equal(field->column, is->column);
		assert_int_equal(field->words, is->words);
	}
}

/* ---- ids ----------------------------------------------------------------------------------- */

static void test_res_fields__ids_that_are_no_rows(void **state)
{
	static const struct {
		const char *id;
		const char *says; /* NULL: there is such a field */
	} rows[] = {
		{ "results.p97.5_ttft_ms", NULL },
		{ "results.mean_ttft_ms_ci95", NULL },
		{ "results.p99_itl_ms_ci95.1", NULL },
		{ "results.request_throughput_ci95", NULL },
		{ "results.total_token_throughput_ci95.0", NULL },
		{ "results.mean_ttft_ms_client_error.0", NULL },
		{ "results.steady.p25_tpot_ms", NULL },
		{ "server.compilation_config.mode", NULL },
		{ "server.additional_config.anything.at.all", NULL },
		{ "tags.ticket", NULL },
		{ "launch.env.VLLM_LOGGING_LEVEL", NULL },
		{ "results.p99_ttft",
		  "unknown field 'results.p99_ttft' (did you mean 'results.p99_ttft_ms'?)" },
		{ "results.p101_ttft_ms",
		  "unknown field 'results.p101_ttft_ms' (did you mean 'results.p10_ttft_ms'?)" },
		{ "results.request_throughput_client_error.0",
		  "unknown field 'results.request_throughput_client_error.0'" },
		{ "results.mean_ttft_ms_ci95.2", "unknown field 'results.mean_ttft_ms_ci95.2'" },
		{ "server.tensor_paralel_size",
		  "unknown field 'server.tensor_paralel_size' (did you mean "
		  "'server.tensor_parallel_size'?)" },
		{ "tensor_parallel_size", "unknown field 'tensor_parallel_size' (did you mean "
					  "'server.tensor_parallel_size'?)" },
		{ "server.model.name", "unknown field 'server.model.name'" },
		{ "", "unknown field ''" },
		{ ".", "unknown field '.'" },
	};
	auto_fields struct res_fields *fields = res_fields_new(NULL);

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct pl_err err = PL_ERR_INIT;
		struct res_field field;
		int done = res_fields_resolve(fields, rows[i].id, &field, &err);
		if (rows[i].says == NULL)
			assert_int_equal(done, 0);
		else if (done == 0 || !pl_text_starts(err.text, rows[i].says))
			fail_msg("'%s' is reported as '%s'", rows[i].id, err.text);
		if (done == 0)
			assert_string_equal(field.id, rows[i].id);
	}
}

/* ---- values -------------------------------------------------------------------------------- */

static const char document_text[] =
	"{'schema_version': 1, 'run_id': 'exp_1', 'tags': {'a.b': 'x', 'none': null},"
	" 'config': {'server': {'model': 'm', 'max_model_len': 'auto', 'max_num_seqs': null,"
	"   'gpu_memory_utilization': 0.9, 'enforce_eager': false, 'newer_argument': 3,"
	"   'compilation_config': {'mode': 0, 'a': [1, 2.5]}, 'served_model_name': ['n', 'o']},"
	"  'server_source': {'model': 'explicit', 'max_num_seqs': 'unknown',"
	"   'compilation_config': 'explicit', 'gpu_memory_utilization': 'default'},"
	"  'benchmark': {'request_rate': 'inf', 'request_timeout': '1500ms', 'num_prompts': 10,"
	"   'label': 'inf'},"
	"  'experiment': {'benchmark': {'num_prompts': 10}, 'launch': {'run_timeout': '2m'}}},"
	" 'results': {'p99.9_ttft_ms': 4.5, 'p99': {'9_ttft_ms': 1}, 'mean_ttft_ms': null,"
	"  'mean_ttft_ms_ci95': [1, 2], 'output_throughput': 100.0, 'median_tpot_ms': 20,"
	"  'steady': null, 'errors': [{'kind': 'reset', 'count': 2, 'retried': 1},"
	"   {'kind': 'reset', 'count': 3, 'retried': 0}, {'kind': 'send'}]},"
	" 'system': {'gpus': ["
	"   {'name': 'A', 'power_mean_w': 100, 'utilization_mean': 50, 'temperature_max_c': 60,"
	"    'sm_clock_min_mhz': 5, 'uuid': 'u', 'simulated': false, 'energy_j': 1.5},"
	"   {'name': 'A', 'power_mean_w': 200, 'utilization_mean': 75, 'temperature_max_c': 70,"
	"    'sm_clock_min_mhz': 4, 'uuid': 'v', 'simulated': true, 'energy_j': null}]},"
	" 'launch': {'gpus': [], 'url': null, 'phases': {'ready_s': 0}},"
	" 'quality': {'verdict': null, 'checks': [3, {'id': 'client_cpu', 'status': 'passed',"
	"  'value': 0.5}, {'id': 'failures', 'status': 'unknown', 'value': null}]}}";

/* With quotes as C has them easily. */
static json_t *document(void)
{
	auto_free char *text = pl_strdup(document_text);

	for (char *at = text; *at != '\0'; at++)
		*at = *at == '\'' ? '"' : *at;
	return parsed(text);
}

/* As res_value_to_json() says it. */
#define NOT_RECORDED(source) "{\"state\":\"not_recorded\",\"value\":null," source "}"
#define IS_NULL(source)      "{\"state\":\"null\",\"value\":null," source "}"
#define IS(value, source)    "{\"state\":\"value\",\"value\":" value "," source "}"
#define UNTOLD               "\"explicit\":false,\"source\":null"
#define EXPLICIT             "\"explicit\":true,\"source\":\"explicit\""
#define DEFAULT              "\"explicit\":false,\"source\":\"default\""

static const struct {
	const char *id, *says;
} recorded[] = {
	{ "run.schema_version", IS("1", UNTOLD) },
	{ "run.suite", NOT_RECORDED(UNTOLD) },
	{ "tags.a.b", IS("\"x\"", UNTOLD) },
	{ "tags.none", IS_NULL(UNTOLD) },
	{ "tags.other", NOT_RECORDED(UNTOLD) },
	{ "server.model", IS("\"m\"", EXPLICIT) },
	{ "server.max_model_len", IS("\"auto\"", UNTOLD) },
	{ "server.max_num_seqs", IS_NULL("\"explicit\":false,\"source\":\"unknown\"") },
	{ "server.gpu_memory_utilization", IS("0.9", DEFAULT) },
	{ "server.enforce_eager", IS("false", UNTOLD) },
	{ "server.dtype", NOT_RECORDED(UNTOLD) },
	{ "server.served_model_name", IS("[\"n\",\"o\"]", UNTOLD) },
	{ "server.compilation_config", IS("{\"mode\":0,\"a\":[1,2.5]}", EXPLICIT) },
	{ "server.compilation_config.mode", IS("0", EXPLICIT) },
	{ "server.compilation_config.backend", NOT_RECORDED(EXPLICIT) },
	{ "server.compilation_config.a.1", IS("2.5", EXPLICIT) },
	{ "benchmark.request_rate", IS("\"inf\"", DEFAULT) },
	{ "benchmark.label", IS("\"inf\"", DEFAULT) },
	{ "benchmark.request_timeout", IS("1.5", DEFAULT) },
	{ "benchmark.num_prompts", IS("10", EXPLICIT) },
	{ "experiment.launch.run_timeout", IS("120.0", EXPLICIT) },
	{ "experiment.launch.env", NOT_RECORDED(UNTOLD) },
	{ "results.p99.9_ttft_ms", IS("4.5", UNTOLD) },
	{ "results.mean_ttft_ms", IS_NULL(UNTOLD) },
	{ "results.mean_ttft_ms_ci95", IS("[1,2]", UNTOLD) },
	{ "results.mean_ttft_ms_ci95.1", IS("2", UNTOLD) },
	{ "results.steady.completed", NOT_RECORDED(UNTOLD) },
	{ "results.errors.reset.count", IS("5", UNTOLD) },
	{ "results.errors.reset.retried", IS("1", UNTOLD) },
	{ "results.errors.stalled.count", IS("0", UNTOLD) },
	{ "results.errors.send.count", NOT_RECORDED(UNTOLD) },
	{ "system.gpus.name", IS("\"A\"", UNTOLD) },
	{ "system.gpus.uuid", IS("[\"u\",\"v\"]", UNTOLD) },
	{ "system.gpus.power_mean_w", IS("300", UNTOLD) },
	{ "system.gpus.utilization_mean", IS("62.5", UNTOLD) },
	{ "system.gpus.temperature_max_c", IS("70", UNTOLD) },
	{ "system.gpus.sm_clock_min_mhz", IS("4", UNTOLD) },
	{ "system.gpus.simulated", IS("true", UNTOLD) },
	{ "system.gpus.energy_j", IS_NULL(UNTOLD) },
	{ "system.gpus.power_idle_w", NOT_RECORDED(UNTOLD) },
	{ "launch.gpus.name", NOT_RECORDED(UNTOLD) },
	{ "launch.phases.ready_s", IS("0", UNTOLD) },
	{ "quality.verdict", IS_NULL(UNTOLD) },
	{ "quality.client_cpu.value", IS("0.5", UNTOLD) },
	{ "quality.client_cpu.limit", NOT_RECORDED(UNTOLD) },
	{ "quality.failures.value", IS_NULL(UNTOLD) },
	{ "quality.retries.value", NOT_RECORDED(UNTOLD) },
	{ "derived.gpu_count", IS("0", UNTOLD) },
	{ "derived.output_throughput_per_gpu", IS_NULL(UNTOLD) },
	{ "derived.tokens_per_s_per_user", IS("50.0", UNTOLD) },
	{ "derived.failed_share", NOT_RECORDED(UNTOLD) },
};

static void test_res_fields__three_kinds_of_nothing_and_values(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *json = document();

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(recorded); i++) {
		struct pl_err err = PL_ERR_INIT;
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		struct res_field field;
		assert_int_equal(res_fields_resolve(fields, recorded[i].id, &field, &err), 0);
		res_field_value(fields, &field, json, &value);
		auto_json json_t *reported = res_value_to_json(&value);
		auto_free char *text = pl_json_to_text(reported, PL_JSON_COMPACT);
		if (strcmp(text, recorded[i].says) != 0)
			fail_msg("'%s' is %s, expected %s", recorded[i].id, text, recorded[i].says);
	}
}

static void test_res_fields__kinds_of_values(void **state)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *json = document();
	struct res_value value;

	(void)state;
	res_field_value(fields, res_fields_find(fields, "benchmark.request_rate"), json, &value);
	assert_int_equal(value.kind, RES_VALUE_NUMBER);
	assert_true(isinf(value.number) && value.number > 0);
	res_value_done(&value);
	res_field_value(fields, res_fields_find(fields, "server.max_model_len"), json, &value);
	assert_int_equal(value.kind, RES_VALUE_TEXT);
	assert_string_equal(value.text, "auto");
	res_value_done(&value);
	res_field_value(fields, res_fields_find(fields, "server.enforce_eager"), json, &value);
	assert_int_equal(value.kind, RES_VALUE_YES);
	assert_false(value.yes);
	res_value_done(&value);
	res_field_value(fields, res_fields_find(fields, "server.compilation_config"), json, &value);
	assert_int_equal(value.kind, RES_VALUE_JSON);
	assert_string_equal(value.text, "{\"a\":[1,2.5],\"mode\":0}");
	res_value_done(&value);
	struct res_field newer;
	res_field_unlisted("server.newer_argument", &newer);
	res_field_value(fields, &newer, json, &value);
	assert_int_equal(value.kind, RES_VALUE_NUMBER);
	assert_true(value.number > 2.5);
	res_value_done(&value);
}

static void test_res_fields__other_json_has_no_fields(void **state)
{
	static const char *const texts[] = {
		"[]",
		"{}",
		"[[[]]]",
		"{\"config\": []}",
		"{\"config\": {\"server\": 3}}",
		"{\"results\": {\"errors\": {}}, \"quality\": {\"checks\": {}}, \"launch\": 1}",
	};
	auto_fields struct res_fields *fields = res_fields_new(NULL);

	(void)state;
	for (size_t k = 0; k < PL_ARRAY_SIZE(texts); k++) {
		auto_json json_t *json = parsed(texts[k]);
		for (size_t i = 0; i < res_fields_count(fields); i++) {
			auto_value value = { .state = RES_VALUE_PRESENT };
			res_field_value(fields, res_fields_at(fields, i), json, &value);
			assert_int_equal(value.state, RES_VALUE_NOT_RECORDED);
		}
	}
}

/* ---- the input key ------------------------------------------------------------------------- */

static char *key_of(const struct res_fields *fields, const json_t *json)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	res_field_value(fields, res_fields_find(fields, "derived.input_key"), json, &value);
	return value.state == RES_VALUE_PRESENT ? pl_strdup(value.text) : pl_strdup("");
}

static void test_res_fields__the_input_key_contains_inputs_only(void **state)
{
	static const struct {
		const char *position, *key, *value;
		bool another;
	} rows[] = {
		{ "config.server", "model", "\"n\"", true },
		{ "config.server", "newer_argument", "4", true },
		{ "config.server", "compilation_config", "{\"mode\":3}", true },
		{ "config.server", "compilation_config", "{\"a\":[1,2.5],\"mode\":0}", false },
		{ "config.server", "gpu_memory_utilization", "0.8", false }, /* a default */
		{ "config.server", "port", "8001", false },
		{ "config.server", "log_level", "\"debug\"", false },
		{ "config.server", "max_num_seqs", "3", false },
		{ "config.benchmark", "num_prompts", "11", true },
		{ "config.benchmark", "num_prompts", "10.0", false },
		{ "config.benchmark", "num_prompts", "null", true },
		{ "config.benchmark", "request_rate", "5", true },
		{ "config.benchmark", "stall_timeout", "\"60000ms\"", false }, /* its default */
		{ "config.benchmark", "stall_timeout", "\"61s\"", true },
		{ "config.benchmark", "dataset_path", "\"/a\"", false },
		{ "config.benchmark", "dataset_sha256", "\"00\"", true },
		{ "config.benchmark", "label", "\"b\"", false },
		{ "config.experiment.launch", "env", "{\"A\": \"b\"}", true },
		{ "config.experiment.launch", "port", "8001", false },
		{ "config.experiment.launch", "extra_args", "[\"--x\"]", true },
		{ "results", "mean_ttft_ms", "3", false },
		{ "launch", "port", "3", false },
		{ "tags", "none", "\"some\"", false },
	};
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *json = document();
	auto_free char *key = key_of(fields, json);

	(void)state;
	assert_int_equal(strlen(key), 32);
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		auto_json json_t *changed = document();
		json_object_set_new(pl_json_get_path(changed, rows[i].position), rows[i].key,
				    json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
		auto_free char *now = key_of(fields, changed);
		if ((strcmp(now, key) != 0) != rows[i].another)
			fail_msg("%s.%s = %s: %s with %s", rows[i].position, rows[i].key,
				 rows[i].value, now, key);
	}
	auto_json json_t *little = parsed("{\"config\": {\"server\": {\"dtype\": null}}}");
	auto_free char *none = key_of(fields, little);
	assert_string_equal(none, "");
}

/* ---- files --------------------------------------------------------------------------------- */

static void test_res_read__forms(void **state)
{
#define FLAT                                                                                      \
	"\"date\": \"20261121-022202\", \"endpoint_type\": \"old\", \"backend\": \"vllm\", "      \
	"\"model_id\": \"m\", \"num_prompts\": 2, \"request_rate\": Infinity, \"completed\": 2, " \
	"\"duration\": 1.5, \"p99_ttft_ms\": NaN, \"note\": \"mine\", \"rtfx\": 0.0"
	static const struct {
		const char *text, *id, *says; /* says: the value, or how the error begins */
	} rows[] = {
		{ "{\"run_id\": \"r\", \"results\": {\"duration\": 3}}", "results.duration", "3" },
		{ "{\"run_id\": \"r\", \"results\": {}}", "results.duration", NULL },
		{ "{" FLAT "}", "results.duration", "1.5" },
		{ "{" FLAT "}", "run.timestamp", "\"2026-11-21T02:22:02\"" },
		{ "{" FLAT "}", "benchmark.request_rate", "\"inf\"" },
		{ "{" FLAT "}", "benchmark.backend", "\"vllm\"" },
		{ "{" FLAT "}", "benchmark.model", "\"m\"" },
		{ "{" FLAT "}", "results.p99_ttft_ms", "null" },
		{ "{" FLAT "}", "tags.note", "\"mine\"" },
		{ "{" FLAT "}", "server.model", "\"m\"" },
		{ "{" FLAT ", \"TP\": \"4\"}", "server.tensor_parallel_size", "4" },
		{ "{" FLAT ", \"tp\": \"four\"}", "tags.tp", "\"four\"" },
		{ "{" FLAT ", \"random_input_len\": \"128\"}", "derived.input_tokens_per_request",
		  "128" },
		{ "{" FLAT ", \"total_input_tokens\": 5}", "derived.input_tokens_per_request",
		  "2.5" },
		{ "{\"run_id\": \"r\", \"config\": {\"server\": {\"model\": null},"
		  " \"benchmark\": {\"model\": \"b\"}}}",
		  "server.model", "null" },
		{ "{" FLAT "}", "run.run_id", NULL },
		{ "{" FLAT ", \"profllm\": {\"run_id\": \"r\"}}", "run.run_id", "\"r\"" },
		{ "[]", NULL, "'f': expected one object" },
		{ "{\"a\": 1}", NULL,
		  "'f': not a result: found neither 'run_id' (profllm) nor 'num_prompts'" },
		{ "nothing", NULL, "f:1:" },
	};
	auto_fields struct res_fields *fields = res_fields_new(NULL);

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		struct pl_err err = PL_ERR_INIT;
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		auto_json json_t *json = NULL;
		struct res_field field;
		if (res_read_text(fields, rows[i].text, strlen(rows[i].text), "f", &json, &err) <
		    0) {
			assert_null(rows[i].id);
			if (!pl_text_starts(err.text, rows[i].says))
				fail_msg("'%s'", err.text);
			continue;
		}
		assert_non_null(rows[i].id);
		assert_int_equal(res_fields_resolve(fields, rows[i].id, &field, &err), 0);
		res_field_value(fields, &field, json, &value);
		if (rows[i].says == NULL) {
			assert_int_equal(value.state, RES_VALUE_NOT_RECORDED);
			continue;
		}
		auto_free char *text = pl_json_to_text(value.json, PL_JSON_COMPACT);
		assert_string_equal(text, rows[i].says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_res_fields__every_row_is_unique),
		cmocka_unit_test(test_res_fields__rows_say_what_a_field_is),
		cmocka_unit_test(test_res_fields__ids_that_are_no_rows),
		cmocka_unit_test(test_res_fields__three_kinds_of_nothing_and_values),
		cmocka_unit_test(test_res_fields__kinds_of_values),
		cmocka_unit_test(test_res_fields__other_json_has_no_fields),
		cmocka_unit_test(test_res_fields__the_input_key_contains_inputs_only),
		cmocka_unit_test(test_res_read__forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
