#include "vllm/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vllm/server_args.h"

static const struct vllm_catalog *of(const char *release)
{
	return vllm_catalog_release(vllm_catalog_reference(), release);
}

static void a_release_has_its_own_rows(void **state)
{
	const struct vllm_catalog *catalog = of("0.10.1");
	const struct option_row *hash = vllm_arg_find(catalog, "prefix_caching_hash_algo");
	const struct option_row *share = vllm_arg_find(catalog, "gpu_memory_utilization");

	(void)state;
	assert_string_equal(hash->default_json, "\"builtin\"");
	assert_string_equal(hash->choices, "[\"builtin\", \"sha256\", \"sha256_cbor_64bit\"]");
	assert_string_equal(share->default_json, "0.9");
	assert_null(share->aliases);
	assert_null(vllm_arg_find(catalog, "device_memory_utilization"));
	/* the reference's are as they were */
	assert_string_equal(
		vllm_arg_find(vllm_catalog_reference(), "gpu_memory_utilization")->default_json,
		"0.92");
	assert_false(vllm_catalog_is_reference(catalog));
	assert_int_equal(vllm_arg_count(catalog), vllm_arg_count(vllm_catalog_reference()));
}

static void what_it_lacks_is_absent(void **state)
{
	static const struct {
		const char *name;
		const char *release;
		bool absent;
		const char *shown; /* its default, there or in the nearest release */
	} cases[] = {
		{ "task", "0.6.3", true, "\"auto\"" },
		{ "task", "0.6.4", false, "\"auto\"" },
		{ "task", "0.12.0", false, "null" },
		{ "task", "0.13.0", true, "null" },
		{ "runner", "0.10.0", true, "\"auto\"" },
		{ "runner", "0.10.1", false, "\"auto\"" },
		{ "use_v2_block_manager", "0.6.3", false, "true" },
		{ "use_v2_block_manager", "0.6.4", false, "false" },
		{ "seed", "0.4.0", false, "0" },
		{ "seed", "0.3.0", false, "0" },
		{ "seed", "9.9", false, "0" },
		{ "task", "9.9", true, "null" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const struct option_row *row = vllm_arg_find(of(cases[i].release), cases[i].name);
		assert_non_null(row);
		if (row->absent != cases[i].absent ||
		    strcmp(row->default_json, cases[i].shown) != 0)
			fail_msg("%s in %s: %s, %s", cases[i].name, cases[i].release,
				 row->absent ? "absent" : "there", row->default_json);
	}
}

static void spelling_is_the_releases(void **state)
{
	static const struct {
		const char *values;
		const char *release;
		const char *argv;
	} cases[] = {
		{ "{\"enable_prefix_caching\": true}", "0.6.3", "[\"--enable-prefix-caching\"]" },
		{ "{\"enable_prefix_caching\": false}", "0.6.3", "[]" },
		{ "{\"enable_prefix_caching\": false}", "0.6.5",
		  "[\"--no-enable-prefix-caching\"]" },
		{ "{\"enable_chunked_prefill\": false}", "0.8.4",
		  "[\"--enable-chunked-prefill\",\"false\"]" },
		{ "{\"enable_chunked_prefill\": true}", "0.8.4", "[\"--enable-chunked-prefill\"]" },
		{ "{\"enable_chunked_prefill\": false}", "0.8.5",
		  "[\"--no-enable-chunked-prefill\"]" },
		{ "{\"max_seq_len_to_capture\": 5}", "0.4.2",
		  "[\"--max-seq_len-to-capture\",\"5\"]" },
		{ "{\"max_seq_len_to_capture\": 5}", "0.4.3",
		  "[\"--max-seq-len-to-capture\",\"5\"]" },
		{ "{\"long_lora_scaling_factors\": [1.5, 2.0]}", "0.8.5",
		  "[\"--long-lora-scaling-factors\",\"1.5\",\"2.0\"]" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *values = json_loads(cases[i].values, 0, NULL);
		auto_json json_t *argv = json_array();
		auto_json json_t *env = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(vllm_args_to_argv(of(cases[i].release), values, argv, &env, &err),
				 0);
		auto_free char *text = pl_json_to_text(argv, PL_JSON_COMPACT);
		if (strcmp(text, cases[i].argv) != 0)
			fail_msg("%s in %s: %s", cases[i].values, cases[i].release, text);
	}
	assert_null(vllm_arg_find_negative(of("0.6.3"), "no_enable_prefix_caching"));
	assert_non_null(vllm_arg_find_negative(of("0.6.5"), "no_enable_prefix_caching"));
	assert_string_equal(vllm_arg_find(of("0.9.0"), "compilation_config")->aliases, "-O");
}

static void keys_are_the_releases(void **state)
{
	const struct option_row *old = vllm_arg_find(of("0.10.0"), "compilation_config");
	const struct option_row *today = vllm_arg_find(vllm_catalog_reference(),
						       "compilation_config");
	const struct option_row *level = option_field_find(old, "level");

	(void)state;
	assert_false(level->absent);
	assert_string_equal(level->choices, "[0, 1, 2, 3]");
	assert_string_equal(level->default_json, "0");
	assert_true(option_field_find(old, "mode")->absent);
	assert_true(option_field_find(today, "level")->absent);
	assert_string_equal(option_field_find(today, "level")->removed_in, "0.18.0");
	assert_string_equal(option_field_find(today, "level")->replaced_by,
			    "compilation_config.mode");
	assert_false(option_field_find(today, "mode")->absent);
	/* as the object that contains it */
	assert_true(option_field_find(old, "dynamic_shapes_config.type")->absent);
	assert_false(option_field_find(today, "dynamic_shapes_config.type")->absent);
	for (const struct option_row *field = option_field_next(today, NULL); field != NULL;
	     field = option_field_next(today, field))
		assert_string_not_equal(field->name, "level");
}

static void one_catalogue_a_release(void **state)
{
	const struct vllm_catalog *reference = vllm_catalog_reference();

	(void)state;
	assert_ptr_equal(of(VLLM_REFERENCE_RELEASE), reference);
	assert_ptr_equal(of("0.33.0+cu129"), reference);
	assert_ptr_equal(of(NULL), reference);
	assert_ptr_equal(of("nightly"), reference);
	assert_ptr_equal(of("0.1.dev7+gabc"), reference);
	assert_ptr_equal(of("0.10.1"), of("0.10.1.1"));
	assert_ptr_not_equal(of("0.10.1"), of("0.10.2"));
	assert_ptr_equal(of("0.34.0"), of("1.0"));
	assert_ptr_not_equal(of("0.34.0"), reference);
	assert_ptr_not_equal(of("0.32.0"), reference);
	assert_true(vllm_catalog_knows_keys(reference));
	assert_true(vllm_catalog_knows_keys(of("0.32.0")));
	assert_false(vllm_catalog_knows_keys(of("0.31.0")));
	assert_false(vllm_catalog_knows_keys(of("0.34.0")));
	vllm_catalog_free(of("0.10.1"));
	assert_non_null(vllm_arg_find(of("0.10.1"), "model"));
}

static void overlays_apply_to_every_release(void **state)
{
	auto_catalog const struct vllm_catalog *catalog = NULL;
	auto_json json_t *overlay = json_loads(
		"{\"profllm_overlay\": 1, \"args\": [{\"name\": \"made_up\"}, {\"name\": \"seed\", "
		"\"default\": 7}, {\"name\": \"newer\", \"since\": \"0.31.0\"}]}",
		0, NULL);
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(
		vllm_catalog_overlay(vllm_catalog_reference(), overlay, "o", &catalog, &err), 0);
	const struct vllm_catalog *old = vllm_catalog_release(catalog, "0.10.1");
	assert_string_equal(vllm_arg_find(old, "seed")->default_json, "7");
	assert_string_equal(vllm_arg_find(old, "gpu_memory_utilization")->default_json, "0.9");
	assert_false(vllm_arg_find(old, "made_up")->absent);
	assert_true(vllm_arg_find(old, "newer")->absent);
	assert_false(vllm_arg_find(catalog, "newer")->absent);
	assert_int_equal(json_array_size(vllm_catalog_overlaid(old)), 3);
	assert_null(vllm_arg_find(of("0.10.1"), "made_up"));
}

static void defaults_of_variables_are_read(void **state)
{
	auto_json json_t *values = json_object();
	auto_json json_t *env = json_pack("{s:s, s:s}", "VLLM_LOGGING_CONFIG_PATH", "/l.json",
					  "VLLM_SERVER_DEV_MODE", "1");
	auto_json json_t *config = NULL;
	auto_json json_t *source = NULL;

	(void)state;
	vllm_args_effective(of("0.12.0"), values, env, &config, &source);
	assert_string_equal(json_string_value(json_object_get(config, "log_config_file")),
			    "/l.json");
	assert_string_equal(json_string_value(json_object_get(source, "log_config_file")),
			    "default");
	/* what the server makes of the text is its own affair */
	assert_true(json_is_null(json_object_get(config, "log_error_stack")));
	assert_string_equal(json_string_value(json_object_get(source, "log_error_stack")),
			    "unknown");
	assert_string_equal(json_string_value(json_object_get(source, "attention_backend")),
			    "not_in_release");
	/* computed from others in this release alone */
	json_decref(config);
	json_decref(source);
	vllm_args_effective(of("0.29.0"), values, NULL, &config, &source);
	assert_string_equal(
		json_string_value(json_object_get(source, "prefix_cache_retention_interval")),
		"unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_release_has_its_own_rows),
		cmocka_unit_test(what_it_lacks_is_absent),
		cmocka_unit_test(spelling_is_the_releases),
		cmocka_unit_test(keys_are_the_releases),
		cmocka_unit_test(one_catalogue_a_release),
		cmocka_unit_test(overlays_apply_to_every_release),
		cmocka_unit_test(defaults_of_variables_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
