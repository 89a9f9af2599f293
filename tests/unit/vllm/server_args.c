#include "vllm/server_args.h"

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

static json_t *json_of(const char *text)
{
	json_t *json = text != NULL ? json_loads(text, JSON_DECODE_ANY, NULL) : json_null();

	assert_non_null(json);
	return json;
}

static void there_are_396_rows(void **state)
{
	size_t gone = 0;

	(void)state;
	assert_int_equal(vllm_arg_count(vllm_catalog_reference()), 396);
	for (size_t i = 0; i < vllm_arg_count(vllm_catalog_reference()); i++) {
		const struct option_row *arg = vllm_arg_at(vllm_catalog_reference(), i);
		gone += arg->gone;
		assert_true(arg->absent == arg->gone);
		assert_true(arg->help != NULL && arg->help[0] != '\0');
		assert_ptr_equal(vllm_arg_find(vllm_catalog_reference(), arg->name), arg);
		assert_ptr_equal(vllm_arg_find(vllm_catalog_reference(), arg->flag + 2), arg);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(arg->name,
						vllm_arg_at(vllm_catalog_reference(), k)->name);
	}
	assert_int_equal(gone, 76);
}

static void names_are_found(void **state)
{
	(void)state;
	assert_string_equal(vllm_arg_find(vllm_catalog_reference(), "tensor-parallel-size")->name,
			    "tensor_parallel_size");
	assert_string_equal(
		vllm_arg_find(vllm_catalog_reference(), "device_memory_utilization")->name,
		"gpu_memory_utilization");
	assert_null(vllm_arg_find(vllm_catalog_reference(), "tp"));
	assert_null(vllm_arg_find(vllm_catalog_reference(), "no_enforce_eager"));
	assert_null(vllm_arg_find(vllm_catalog_reference(), ""));
	assert_string_equal(
		vllm_arg_find_negative(vllm_catalog_reference(), "no-enforce-eager")->name,
		"enforce_eager");
	assert_null(vllm_arg_find_negative(vllm_catalog_reference(), "enforce_eager"));
	assert_string_equal(vllm_arg_nearest(vllm_catalog_reference(), "tensor_paralel_size"),
			    "tensor_parallel_size");
	assert_string_equal(vllm_arg_nearest(vllm_catalog_reference(), "tp"),
			    "tensor_parallel_size");
	assert_null(vllm_arg_nearest(vllm_catalog_reference(), "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"));
	const struct option_row *object = vllm_arg_find(vllm_catalog_reference(),
							"compilation_config");
	assert_string_equal(option_field_find(object, "pass_config.fuse_norm_quant")->name,
			    "pass_config.fuse_norm_quant");
	const struct option_row *inner = option_field_find(object, "pass_config");
	assert_ptr_equal(option_field_find(inner, "fuse_norm_quant"),
			 option_field_find(object, "pass_config.fuse_norm_quant"));
	assert_null(option_field_find(inner, "pass_config.fuse_norm_quant"));
	assert_null(option_field_find(object, "moed"));
	assert_null(option_field_next(vllm_arg_find(vllm_catalog_reference(), "dtype"), NULL));
	assert_int_equal(vllm_field_count(), 255);
}

/* One entry of the spec against its row; prints what differs. */
static void compare(const json_t *entry, const char *key, json_t *mine)
{
	const json_t *theirs = json_object_get(entry, key);
	auto_json json_t *owned = mine;
	bool numbers = json_is_number(theirs) && json_is_number(mine);
	bool equal = numbers ? json_number_value(theirs) == json_number_value(mine)
			     : json_equal(theirs, mine);

	if (theirs == NULL)
		equal = mine == NULL || json_is_null(mine) || json_is_false(mine);
	if (!equal)
		print_message("%s: %s\n", json_string_value(json_object_get(entry, "name")), key);
	assert_true(equal);
}

/* The history has choices in another order, and none of lists that no parser checks: the row's may
 * have newer names there. */
static void compare_choices(const json_t *entry, const struct option_row *row, bool is_history)
{
	const json_t *theirs = json_object_get(entry, "choices");
	auto_json json_t *mine = json_of(row->choices);
	const char *name = strrchr(row->name, '.') != NULL ? strrchr(row->name, '.') + 1
							   : row->name;
	bool is_checked = !option_row_is_open(row) && strcmp(name, "backend") != 0 &&
			  strcmp(name, "attention_backend") != 0;

	if (!is_history) {
		compare(entry, "choices", json_of(row->choices));
		return;
	}
	if (strcmp(row->name, "tokenizer_mode") == 0)
		return; /* the history has what the help names, the other what older releases took */
	assert_int_equal(theirs == NULL || json_is_null(theirs), json_is_null(mine));
	if (is_checked)
		assert_int_equal(json_array_size(theirs), json_array_size(mine));
	PL_JSON_EACH(value, theirs)
		assert_true(pl_json_has(mine, value));
}

static json_t *words_of(const char *blanked)
{
	json_t *words = json_array();
	auto_free char *text = pl_strdup(blanked != NULL ? blanked : "");

	for (char *rest = text, *word; text[0] != '\0' && (word = strsep(&rest, " ")) != NULL;)
		json_array_append_new(words, json_string(word));
	return words;
}

/* The text names a release in the specification, and none in the row. */
static void compare_choices_note(const json_t *entry, const char *mine)
{
	const char *theirs = pl_json_get_text(entry, "choices_note");
	bool is_unchecked = theirs != NULL && strstr(theirs, ", but by") == NULL;

	assert_int_equal(is_unchecked, mine != NULL);
	assert_true(mine == NULL ||
		    (pl_text_starts(theirs, "not checked") && pl_text_starts(mine, "not checked")));
}

/* Compares facts of a release's specification that the history lacks; it describes the reference
 * release only. The help is ours. */
static void compare_words(const json_t *entry, const struct option_row *arg)
{
	compare_choices_note(entry, arg->choices_note);
	compare(entry, "special_values", json_of(arg->special_values));
	compare(entry, "nullable", json_boolean(arg->nullable));
	compare(entry, "deprecated", json_boolean(arg->deprecated));
}

static void compare_row(const struct vllm_catalog *catalog, const json_t *entry)
{
	const struct option_row *arg = vllm_arg_find(
		catalog, json_string_value(json_object_get(entry, "name")));

	assert_non_null(arg);
	compare(entry, "in_reference", json_boolean(!arg->absent));
	if (vllm_catalog_is_reference(catalog))
		compare_words(entry, arg);
	else if (arg->absent)
		return; /* as in the last release that had it */
	compare(entry, "name", json_string(arg->name));
	compare(entry, "flag", json_string(arg->flag));
	compare(entry, "aliases", words_of(arg->aliases));
	compare(entry, "negative_flag", pl_json_text(arg->negative_flag));
	auto_json json_t *negatives = words_of(arg->negative_aliases);
	assert_true(json_equal(negatives, json_object_get(entry, "negative_aliases")) ||
		    (json_array_size(negatives) == 0 &&
		     json_object_get(entry, "negative_aliases") == NULL));
	compare(entry, "group", json_string(arg->group));
	compare(entry, "reference_group", pl_json_text(arg->reference_group));
	compare(entry, "type", json_string(option_type_words(arg)));
	compare(entry, "cli_style", json_string(option_style_name(arg->style)));
	compare_choices(entry, arg, !vllm_catalog_is_reference(catalog));
	if (vllm_catalog_is_reference(catalog) || strcmp(arg->name, "tokenizer_mode") != 0)
		compare(entry, "choices_open", json_boolean(arg->choices_open));
	compare(entry, "choices_origin", pl_json_text(arg->choices_origin));
	compare(entry, "any_case", json_boolean(arg->any_case));
	compare(entry, "const", json_of(arg->const_json));
	compare(entry, "default", json_of(arg->default_json));
	compare(entry, "min", pl_json_number(arg->min));
	compare(entry, "max", pl_json_number(arg->max));
	compare(entry, "exclusive", pl_json_text(arg->exclusive));
	if (json_object_get(entry, "replaced_by") != NULL)
		compare(entry, "replaced_by", pl_json_text(arg->replaced_by));
	assert_int_equal(arg->no_null_on_cli, json_is_false(json_object_get(entry, "null_on_cli")));
}

static size_t compare_fields(const struct vllm_catalog *catalog, const char *arg,
			     const char *prefix, const json_t *fields)
{
	size_t count = 0;
	const char *name;
	json_t *entry;

	json_object_foreach((json_t *)fields, name, entry)
	{
		auto_free char *path = pl_asprintf("%s%s", prefix, name);
		auto_free char *inner = pl_asprintf("%s.", path);
		const struct option_row *field = option_field_find(vllm_arg_find(catalog, arg),
								   path);
		assert_non_null(field);
		assert_false(field->absent);
		compare(entry, "type", json_string(option_type_name(field->type)));
		compare(entry, "nullable", json_boolean(field->nullable));
		compare_choices(entry, field, !vllm_catalog_is_reference(catalog));
		/* the history does not say which lists of keys are open */
		if (vllm_catalog_is_reference(catalog))
			compare(entry, "choices_open", json_boolean(field->choices_open));
		compare(entry, "any_case", json_boolean(field->any_case));
		compare(entry, "max", pl_json_number(field->max));
		compare(entry, field->exclusive != NULL ? "above" : "min",
			pl_json_number(field->min));
		compare(entry, "default", json_of(field->default_json));
		assert_int_equal(json_object_get(entry, "default") != NULL,
				 field->default_json != NULL);
		assert_int_equal(field->required, json_is_true(json_object_get(entry, "required")));
		if (field->items != OPTION_ANY || json_object_get(entry, "items") != NULL)
			compare(entry, "items", json_string(option_type_name(field->items)));
		count += 1 + compare_fields(catalog, arg, inner, json_object_get(entry, "fields"));
	}
	return count;
}

static size_t compare_list(const struct vllm_catalog *catalog, const json_t *entries,
			   size_t *fields)
{
	size_t i;
	json_t *entry;

	json_array_foreach((json_t *)entries, i, entry)
	{
		compare_row(catalog, entry);
		*fields += compare_fields(catalog,
					  json_string_value(json_object_get(entry, "name")), "",
					  json_object_get(entry, "fields"));
	}
	return json_array_size(entries);
}

/* Returns the number of arguments in the specification of a release. */
static size_t compare_release(const char *release, const char *folder, size_t *fields)
{
	const struct vllm_catalog *catalog = vllm_catalog_release(vllm_catalog_reference(),
								  release);
	auto_free char *engine_path = pl_asprintf("%s/spec/%sengine-args.json", test_data_folder(),
						  folder);
	auto_free char *serve_path = pl_asprintf("%s/spec/%sserve-args.json", test_data_folder(),
						 folder);
	auto_json json_t *engine = NULL;
	auto_json json_t *serve = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_json_read_file(engine_path, &engine, &err), 0);
	assert_int_equal(pl_json_read_file(serve_path, &serve, &err), 0);
	return compare_list(catalog, json_object_get(engine, "args"), fields) +
	       compare_list(catalog, json_object_get(serve, "frontend_args"), fields) +
	       compare_list(catalog, json_object_get(serve, "newer_engine_args"), fields);
}

static void rows_say_what_the_reference_says(void **state)
{
	skip_without_test_data();
	size_t fields = 0;
	size_t args = compare_release(VLLM_REFERENCE_RELEASE, VLLM_REFERENCE_RELEASE "/", &fields);

	(void)state;
	assert_int_equal(args, 352);
	assert_int_equal(fields, vllm_field_count());
}

/* The former reference is history; nothing that was known of it is lost. */
static void rows_match_the_former_reference(void **state)
{
	skip_without_test_data();
	size_t fields = 0;
	size_t args = compare_release("0.32.0", "", &fields);

	(void)state;
	assert_int_equal(args, 348);
	assert_int_equal(fields, 235);
}

static void argv_is_written_in_each_style(void **state)
{
	static const struct {
		const char *values;
		const char *argv;
	} cases[] = {
		{ "{\"model\":\"m\",\"seed\":1}", "[\"m\",\"--seed\",\"1\"]" },
		{ "{\"seed\":1,\"model\":\"m\"}", "[\"m\",\"--seed\",\"1\"]" },
		{ "{\"gpu_memory_utilization\":0.9}", "[\"--gpu-memory-utilization\",\"0.9\"]" },
		{ "{\"swap_space\":4.0}", "[\"--swap-space\",\"4.0\"]" },
		{ "{\"enforce_eager\":true}", "[\"--enforce-eager\"]" },
		{ "{\"enforce_eager\":false}", "[\"--no-enforce-eager\"]" },
		{ "{\"disable_log_stats\":true}", "[\"--disable-log-stats\"]" },
		{ "{\"disable_log_stats\":false}", "[]" },
		{ "{\"guided_decoding_disable_fallback\":true}",
		  "[\"--guided-decoding-disable-fallback\",\"true\"]" },
		{ "{\"served_model_name\":[\"-a\"]}", "[\"--served-model-name=-a\"]" },
		{ "{\"middleware\":[\"a\",\"-b\"]}",
		  "[\"--middleware\",\"a\",\"--middleware=-b\"]" },
		{ "{\"served_model_name\":[\"a\",\"b\"]}",
		  "[\"--served-model-name\",\"a\",\"b\"]" },
		{ "{\"cudagraph_capture_sizes\":[1,2]}",
		  "[\"--cudagraph-capture-sizes\",\"1\",\"2\"]" },
		{ "{\"middleware\":[\"a.b\",\"c.d\"]}",
		  "[\"--middleware\",\"a.b\",\"--middleware\",\"c.d\"]" },
		{ "{\"allowed_origins\":[\"x\"]}", "[\"--allowed-origins\",\"[\\\"x\\\"]\"]" },
		{ "{\"compilation_config\":{\"mode\":3}}",
		  "[\"--compilation-config\",\"{\\\"mode\\\":3}\"]" },
		{ "{\"max_model_len\":-1}", "[\"--max-model-len\",\"-1\"]" },
		{ "{\"max_model_len\":\"auto\"}", "[\"--max-model-len\",\"auto\"]" },
		{ "{\"chat_template\":\"-x\"}", "[\"--chat-template=-x\"]" },
		{ "{\"quantization\":null}", "[]" },
		{ "{\"seed\":null}", "[]" },
		{ "{\"hf_token\":true}", "[\"--hf-token\"]" },
		{ "{\"hf_token\":\"s3cret\"}", "[]" },
		{ "{\"api_key\":[\"s3cret\"]}", "[]" },
		{ "{}", "[]" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *values = json_of(cases[i].values);
		auto_json json_t *argv = json_array();
		auto_json json_t *env = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(
			vllm_args_to_argv(vllm_catalog_reference(), values, argv, &env, &err), 0);
		auto_free char *text = pl_json_to_text(argv, PL_JSON_COMPACT);
		assert_string_equal(text, cases[i].argv);
	}
}

static void secrets_go_by_the_environment(void **state)
{
	auto_json json_t *values = json_of("{\"api_key\":[\"a\"],\"hf_token\":\"b\"}");
	auto_json json_t *argv = json_array();
	auto_json json_t *env = NULL;
	auto_json json_t *config = NULL;
	auto_json json_t *source = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(vllm_args_to_argv(vllm_catalog_reference(), values, argv, &env, &err), 0);
	auto_free char *text = pl_json_to_text(env, PL_JSON_COMPACT);
	assert_string_equal(text, "{\"VLLM_API_KEY\":\"a\",\"HF_TOKEN\":\"b\"}");
	vllm_args_effective(vllm_catalog_reference(), values, NULL, &config, &source);
	assert_string_equal(json_string_value(json_object_get(config, "api_key")), "***");
	assert_string_equal(json_string_value(json_object_get(config, "hf_token")), "***");
}

static void unknown_names_are_refused(void **state)
{
	auto_json json_t *values = json_of("{\"modell\":\"m\"}");
	auto_json json_t *argv = json_array();
	json_t *env = NULL;
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(vllm_args_to_argv(vllm_catalog_reference(), values, argv, &env, &err), -1);
	assert_string_equal(err.text, "unknown server argument 'modell'");
	assert_int_equal(json_array_size(argv), 0);
}

static void every_argument_is_in_the_effective_configuration(void **state)
{
	auto_json json_t *values = json_of("{\"seed\":7}");
	auto_json json_t *config = NULL;
	auto_json json_t *source = NULL;
	size_t absent = 0;
	const char *name;
	json_t *value;

	(void)state;
	vllm_args_effective(vllm_catalog_reference(), values, NULL, &config, &source);
	assert_int_equal(json_object_size(config), vllm_arg_count(vllm_catalog_reference()));
	assert_int_equal(json_object_size(source), vllm_arg_count(vllm_catalog_reference()));
	assert_int_equal(json_integer_value(json_object_get(config, "seed")), 7);
	assert_string_equal(json_string_value(json_object_get(source, "seed")), "explicit");
	assert_true(json_real_value(json_object_get(config, "gpu_memory_utilization")) == 0.92);
	assert_string_equal(json_string_value(json_object_get(source, "gpu_memory_utilization")),
			    "default");
	assert_string_equal(json_string_value(json_object_get(source, "swap_space")),
			    "not_in_release");
	json_object_foreach(source, name, value)
	{
		absent += strcmp(json_string_value(value), "not_in_release") == 0;
	}
	assert_int_equal(absent, 76);
}

static bool fits(const struct option_row *arg, double value)
{
	auto_json json_t *plain = json_of(arg->default_json);

	return value > arg->min && value < arg->max && json_number_value(plain) != value;
}

static json_t *other_choice(const char *choices, const json_t *plain)
{
	auto_json json_t *list = json_of(choices);
	size_t i;
	json_t *choice;

	json_array_foreach(list, i, choice)
	{
		if (!json_equal(choice, plain))
			return json_incref(choice);
	}
	fail();
	return NULL;
}

/* A valid object: a key of a simple type where the keys are known. */
static json_t *sample_object(const struct option_row *arg)
{
	json_t *object = json_object();
	static const char *const lists[] = {
		[OPTION_ANY] = "[3]",
		[OPTION_INT] = "[3]",
		[OPTION_FLOAT] = "[0.5]",
		[OPTION_STRING] = "[\"x\"]",
	};

	for (size_t i = 0; i < vllm_field_count(); i++) {
		const struct option_row *field = vllm_field_at(i);
		if (strcmp(field->of, arg->name) != 0 || strchr(field->name, '.') != NULL)
			continue;
		if (field->choices != NULL)
			json_object_set_new(object, field->name,
					    other_choice(field->choices, NULL));
		else if (field->type == OPTION_BOOL)
			json_object_set_new(object, field->name, json_true());
		else if (field->type == OPTION_INT)
			json_object_set_new(object, field->name, json_integer(3));
		else if (field->type == OPTION_STRING)
			json_object_set_new(object, field->name, json_string("text"));
		else if (field->type == OPTION_LIST)
			json_object_set_new(object, field->name, json_of(lists[field->items]));
		else if (field->type == OPTION_FLOAT)
			json_object_set_new(object, field->name, json_real(0.5));
		else
			json_object_set_new(object, field->name, json_object());
	}
	if (json_object_size(object) == 0)
		json_object_set_new(object, "any_key", json_integer(1));
	return object;
}

static json_t *sample_number(const struct option_row *arg)
{
	static const double numbers[] = { 0.5, 7, 300, 2, 1, 400 };

	for (size_t i = arg->type == OPTION_FLOAT ? 0 : 1; i < PL_ARRAY_SIZE(numbers); i++) {
		if (fits(arg, numbers[i]))
			return arg->type == OPTION_FLOAT ? json_real(numbers[i])
							 : json_integer((json_int_t)numbers[i]);
	}
	fail();
	return NULL;
}

static json_t *sample_value(const struct option_row *arg)
{
	auto_json json_t *plain = json_of(arg->default_json);

	if (arg->type == OPTION_LIST && arg->items == OPTION_ENUM)
		return json_pack("[o]", other_choice(arg->choices, NULL));
	if (arg->choices != NULL)
		return other_choice(arg->choices, plain);
	switch (arg->type) {
	case OPTION_BOOL:
		return json_boolean(arg->style == OPTION_STYLE_FLAG || !json_is_true(plain));
	case OPTION_INT:
	case OPTION_HUMAN_INT:
	case OPTION_FLOAT:
		return sample_number(arg);
	case OPTION_JSON:
		return sample_object(arg);
	case OPTION_LIST:
		if (arg->items == OPTION_INT)
			return json_pack("[i,i]", 3, 5);
		if (arg->items == OPTION_FLOAT)
			return json_pack("[f,f]", 1.5, 2.5);
		/* adapters have a form of their own */
		if (strcmp(arg->name, "lora_modules") == 0)
			return json_pack("[s,s]", "a=/a", "b=/b");
		return json_pack("[s,s]", "a", "b");
	default:
		return json_string("some text");
	}
}

/* The words after the model, as the style asks. */
static json_t *expected_words(const struct option_row *arg, const json_t *value)
{
	auto_free char *text = json_is_string(value) ? pl_strdup(json_string_value(value))
						     : pl_json_to_text(value, PL_JSON_COMPACT);
	json_t *words = json_array();
	size_t i;
	json_t *item;

	if (arg->style == OPTION_STYLE_TOGGLE || arg->style == OPTION_STYLE_FLAG) {
		json_array_append_new(
			words, json_string(json_is_true(value) ? arg->flag : arg->negative_flag));
		return words;
	}
	json_array_append_new(words, json_string(arg->flag));
	if (arg->style == OPTION_STYLE_VALUE) {
		json_array_append_new(words, json_string(text));
		return words;
	}
	json_array_foreach((json_t *)value, i, item)
	{
		auto_free char *word = json_is_string(item)
					       ? pl_strdup(json_string_value(item))
					       : pl_json_to_text(item, PL_JSON_COMPACT);
		if (arg->style == OPTION_STYLE_REPEAT && i > 0)
			json_array_append_new(words, json_string(arg->flag));
		json_array_append_new(words, json_string(word));
	}
	return words;
}

static void check_argument(const struct option_row *arg)
{
	auto_json json_t *value = sample_value(arg);
	auto_json json_t *server = json_object();
	auto_json json_t *file = json_object();
	auto_json json_t *argv = json_array();
	auto_json json_t *env = NULL;
	auto_problems problems = { 0 };
	auto_experiment struct exp_config *e = NULL;
	struct pl_err err = PL_ERR_INIT;

	json_object_set_new(server, "model", json_string("m"));
	json_object_set(server, arg->name, value);
	json_object_set(file, "server", server);
	auto_free char *text = pl_json_to_text(file, PL_JSON_COMPACT);
	if (config_text_parse(vllm_catalog_reference(), text, strlen(text), "e.json", NULL, 0, &e,
			      &problems, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(vllm_args_to_argv(vllm_catalog_reference(), e->server, argv, &env, &err),
			 0);
	json_array_remove(argv, 0);
	auto_json json_t *expected = expected_words(arg, value);
	auto_free char *got = pl_json_to_text(argv, PL_JSON_COMPACT);
	auto_free char *want = pl_json_to_text(expected, PL_JSON_COMPACT);
	assert_string_equal(got, want);
}

static void every_argument_reaches_the_command_line(void **state)
{
	static const char *const exceptions[] = { "model", "headless", "api_key", "hf_token",
						  "config",
						  /* as a key, a spelling of another argument */
						  "disable_log_requests" };

	(void)state;
	for (size_t i = 0; i < vllm_arg_count(vllm_catalog_reference()); i++) {
		bool skipped = false;
		for (size_t k = 0; k < PL_ARRAY_SIZE(exceptions); k++)
			skipped |= strcmp(vllm_arg_at(vllm_catalog_reference(), i)->name,
					  exceptions[k]) == 0;
		if (!skipped)
			check_argument(vllm_arg_at(vllm_catalog_reference(), i));
	}
}

/* A mapping where none is taken, or a text where a mapping is: each argument has a wrong type. */
static void every_argument_has_a_wrong_type(void **state)
{
	(void)state;
	for (size_t i = 0; i < vllm_arg_count(vllm_catalog_reference()); i++) {
		const struct option_row *arg = vllm_arg_at(vllm_catalog_reference(), i);
		bool takes_map = arg->type == OPTION_JSON ||
				 pl_text_equal(arg->also_accepts, "json");
		auto_free char *text = pl_asprintf("server:\n  %s: %s\n", arg->name,
						   takes_map ? "[1]" : "{a: b}");
		auto_free char *start = pl_asprintf("e.yaml:2:%zu: server.%s: found ",
						    strlen(arg->name) + 5, arg->name);
		auto_problems problems = { 0 };
		struct exp_config *e = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(config_text_parse(vllm_catalog_reference(), text, strlen(text),
						   "e.yaml", NULL, 0, &e, &problems, &err),
				 -1);
		assert_true(pl_text_starts(err.text, start));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_are_396_rows),
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(rows_say_what_the_reference_says),
		cmocka_unit_test(rows_match_the_former_reference),
		cmocka_unit_test(argv_is_written_in_each_style),
		cmocka_unit_test(secrets_go_by_the_environment),
		cmocka_unit_test(unknown_names_are_refused),
		cmocka_unit_test(every_argument_is_in_the_effective_configuration),
		cmocka_unit_test(every_argument_reaches_the_command_line),
		cmocka_unit_test(every_argument_has_a_wrong_type),
	};

	return cmocka_run_group_tests_name("model/server_args", tests, NULL, NULL);
}
