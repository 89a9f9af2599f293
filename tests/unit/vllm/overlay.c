#include "vllm/catalog.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config_text.h"
#include "experiment/config.h"
#include "vllm/arg_json.h"
#include "vllm/server_args.h"

/* The catalog of a test: each applies its overlay to the reference release's. */
static const struct vllm_catalog *catalog;

static json_t *overlay_of(const char *args)
{
	auto_free char *text = pl_asprintf("{\"profllm_overlay\": 1, \"args\": %s}", args);
	json_t *overlay = json_loads(text, 0, NULL);

	assert_non_null(overlay);
	return overlay;
}

static void use(const char *args)
{
	auto_json json_t *overlay = overlay_of(args);
	struct pl_err err = PL_ERR_INIT;

	if (vllm_catalog_overlay(catalog, overlay, "o.json", &catalog, &err) < 0)
		fail_msg("%s", err.text);
}

static int begin(void **state)
{
	(void)state;
	catalog = vllm_catalog_reference();
	return 0;
}

static int end(void **state)
{
	(void)state;
	vllm_catalog_free(catalog);
	return 0;
}

static void rows_are_added_and_changed(void **state)
{
	(void)state;
	use("[{\"name\": \"brand_new\", \"type\": \"int\", \"default\": 3, \"min\": 1, \"help\": "
	    "\"new\"}, {\"name\": \"port\", \"default\": 9}, {\"name\": \"watermark\", "
	    "\"in_reference\": false}, {\"name\": \"dtype\", \"choices\": [\"x\"], "
	    "\"older_choices\": [\"half\"], \"aliases\": [\"--number-type\", \"-nt\"]}]");
	const struct option_row *added = vllm_arg_find(catalog, "brand-new");

	assert_int_equal(vllm_arg_count(catalog), 397);
	assert_non_null(added);
	assert_string_equal(added->flag, "--brand-new");
	assert_int_equal(added->type, OPTION_INT);
	assert_true(added->min == 1 && isinf(added->max));
	assert_true(!added->gone && added->nullable);
	assert_string_equal(vllm_arg_find(catalog, "port")->default_json, "9");
	assert_string_equal(vllm_arg_find(catalog, "port")->flag, "--port");
	assert_true(vllm_arg_find(catalog, "watermark")->gone);
	assert_ptr_equal(vllm_arg_find(catalog, "number_type"), vllm_arg_find(catalog, "dtype"));
	assert_string_equal(vllm_arg_nearest(catalog, "brand_nw"), "brand_new");
	/* the reference release's is as it was */
	const struct vllm_catalog *reference = vllm_catalog_reference();
	assert_int_equal(vllm_arg_count(reference), 396);
	assert_null(vllm_arg_find(reference, "brand_new"));
	assert_string_equal(vllm_arg_find(reference, "port")->default_json, "8000");
	assert_null(vllm_catalog_overlaid(reference));
	assert_int_equal(json_array_size(vllm_catalog_overlaid(catalog)), 4);
}

/* A second file is laid over the first. */
static void overlays_add_up(void **state)
{
	(void)state;
	use("[{\"name\": \"one\"}]");
	auto_catalog const struct vllm_catalog *below = catalog;
	use("[{\"name\": \"two\"}, {\"name\": \"one\", \"help\": \"first\"}]");
	assert_string_equal(vllm_arg_find(below, "one")->help, "");
	assert_int_equal(json_array_size(vllm_catalog_overlaid(catalog)), 2);
	assert_int_equal(vllm_arg_count(catalog), 398);
	assert_string_equal(vllm_arg_find(catalog, "one")->help, "first");
	assert_non_null(vllm_arg_find(catalog, "two"));
}

static void reader_and_command_line_know_them(void **state)
{
	static const char yaml[] = "server:\n"
				   "  model: m\n"
				   "  brand_new: [a, b]\n"
				   "  no_switch: true\n"
				   "  free: {a: 1}\n";
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	auto_json json_t *argv = json_array();
	auto_json json_t *env = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	use("[{\"name\": \"brand_new\", \"type\": \"list<enum>\", \"cli_style\": \"list\", "
	    "\"choices\": [\"a\", \"b\"]}, {\"name\": \"switch\", \"type\": \"bool\", "
	    "\"cli_style\": \"toggle\", \"negative_flag\": \"--no-switch\"}, {\"name\": \"free\", "
	    "\"also_accepts\": [\"bool\", \"int\", \"json\"]}]");
	assert_int_equal(config_text_parse(catalog, yaml, strlen(yaml), "e.yaml", NULL, 0,
					   &experiment, &problems, &err),
			 0);
	assert_int_equal(problems.count, 0);
	assert_int_equal(vllm_args_to_argv(catalog, experiment->server, argv, &env, &err), 0);
	auto_free char *words = pl_json_to_text(argv, PL_JSON_COMPACT);
	assert_string_equal(words, "[\"m\",\"--brand-new\",\"a\",\"b\",\"--no-switch\",\"--free\","
				   "\"{\\\"a\\\":1}\"]");
}

static void wrong_overlays_are_refused(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{ "{}", "not an overlay" },
		{ "[]", "not an overlay" },
		{ "{\"profllm_overlay\": 2, \"args\": []}", "not an overlay" },
		{ "{\"profllm_overlay\": 1, \"args\": [], \"x\": 1}", "unknown key 'x'" },
		{ "{\"profllm_overlay\": 1, \"args\": [1]}", "without a name" },
		{ "{\"profllm_overlay\": 1, \"args\": [{\"name\": \"A b\"}]}", "without a name" },
		{ "{\"profllm_overlay\": 1, \"args\": [{\"name\": \"x\", \"typ\": \"int\"}]}",
		  "argument 'x': unknown key 'typ' (did you mean 'type'?)" },
		{ "{\"profllm_overlay\": 1, \"args\": [{\"name\": \"x\", \"type\": \"number\"}]}",
		  "'type': found \"number\", expected a type" },
		{ "{\"profllm_overlay\": 1, \"args\": [{\"name\": \"x\", \"min\": \"1\"}]}",
		  "'min': found \"1\", expected a number or null" },
		{ "{\"profllm_overlay\": 1, \"args\": [{\"name\": \"x\", \"choices\": \"a\"}]}",
		  "'choices': found \"a\", expected a list" },
		{ "{\"profllm_overlay\": 1, \"args\": [{\"name\": \"x\", \"aliases\": [\"-a "
		  "b\"]}]}",
		  "'aliases'" },
		{ "{\"profllm_overlay\": 1, \"args\": [{\"name\": \"x\", \"nullable\": 1}]}",
		  "'nullable': found 1, expected true or false" },
		{ "{\"profllm_overlay\": 1, \"args\": [{\"name\": \"x\", \"help\": null}]}",
		  "cannot be null" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *overlay = json_loads(cases[i].text, 0, NULL);
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(vllm_catalog_overlay(catalog, overlay, "o.json", &catalog, &err),
				 -1);
		assert_non_null(strstr(err.text, "overlay 'o.json'"));
		if (strstr(err.text, cases[i].says) == NULL)
			fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
		assert_int_equal(vllm_arg_count(catalog), 396);
	}
}

/* A row as JSON contains all that an overlay needs to rebuild it. */
static void every_row_survives_an_overlay(void **state)
{
	auto_json json_t *before = json_array();
	auto_json json_t *entries = json_array();

	(void)state;
	for (size_t i = 0; i < vllm_arg_count(catalog); i++) {
		json_t *entry = vllm_arg_to_json(vllm_arg_at(catalog, i));
		json_array_append(before, entry);
		json_t *copy = json_deep_copy(entry);
		json_object_del(copy, "fields");
		json_array_append_new(entries, copy);
		json_decref(entry);
	}
	auto_free char *text = pl_json_to_text(entries, PL_JSON_COMPACT);
	use(text);
	assert_int_equal(vllm_arg_count(catalog), 396);
	for (size_t i = 0; i < vllm_arg_count(catalog); i++) {
		auto_json json_t *after = vllm_arg_to_json(vllm_arg_at(catalog, i));
		assert_true(json_equal(after, json_array_get(before, i)));
	}
}

/* A key that few rows have is missing from the JSON of the others, and is not null there. */
static void rare_keys_are_left_out_where_they_say_nothing(void **state)
{
	static const char *const rare[] = { "of",     "instead",         "after",
					    "remark", "command_default", "file_choices" };
	auto_json json_t *argument = vllm_option_to_json(vllm_arg_find(catalog, "port"));

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(rare); i++)
		assert_null(json_object_get(argument, rare[i]));
	assert_true(vllm_field_count() > 0);
	for (size_t i = 0; i < vllm_field_count(); i++) {
		auto_json json_t *field = vllm_option_to_json(vllm_field_at(i));
		const char *of = pl_json_get_text(field, "of");
		assert_non_null(of);
		assert_string_equal(of, vllm_field_at(i)->of);
		assert_non_null(vllm_arg_find(catalog, of));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_are_added_and_changed, begin, end),
		cmocka_unit_test_setup_teardown(overlays_add_up, begin, end),
		cmocka_unit_test_setup_teardown(reader_and_command_line_know_them, begin, end),
		cmocka_unit_test_setup_teardown(wrong_overlays_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(every_row_survives_an_overlay, begin, end),
		cmocka_unit_test_setup_teardown(rare_keys_are_left_out_where_they_say_nothing,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
