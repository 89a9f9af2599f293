#include "vllm/help_diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "vllm/catalog.h"

static json_t *diff_with(const struct vllm_catalog *catalog, const char *args)
{
	auto_free char *text = pl_asprintf("options:\n%s", args);
	auto_help struct vllm_help *help = NULL;
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(vllm_help_parse(text, strlen(text), &help, &err), 0);
	return vllm_help_diff(catalog, help);
}

static json_t *diff_of(const char *args)
{
	return diff_with(vllm_catalog_reference(), args);
}

/* The changes of the only changed argument as "key: table -> help; …"; "" where there are none. */
static char *changes_of(const char *args)
{
	auto_json json_t *diff = diff_of(args);
	const json_t *changed = json_object_get(diff, "changed");
	auto_buf text = { 0 };
	size_t i;
	json_t *change;

	pl_buf_init(&text, 65536);
	assert_int_equal(json_array_size(json_object_get(diff, "new")), 0);
	json_array_foreach(json_object_get(json_array_get(changed, 0), "changes"), i, change)
	{
		auto_free char *table = pl_json_to_text(json_object_get(change, "table"),
							PL_JSON_COMPACT);
		auto_free char *help = pl_json_to_text(json_object_get(change, "help"),
						       PL_JSON_COMPACT);
		pl_buf_addf(&text, "%s%s: %s -> %s", i > 0 ? "; " : "",
			    json_string_value(json_object_get(change, "key")), table, help);
	}
	return pl_strdup(pl_buf_text(&text));
}

static void changes_are_found(void **state)
{
	static const struct {
		const char *help;
		const char *changes;
	} cases[] = {
		{ "  --port PORT  x (default: 8000)\n", "" },
		{ "  --port PORT  x\n", "" },
		{ "  --port PORT  x (default: 8001)\n", "default: 8000 -> 8001" },
		{ "  --port PORT  x (default: None)\n", "default: 8000 -> null" },
		{ "  --port PORT, -p PORT  x (default: 8000)\n", "aliases: [] -> [\"-p\"]" },
		{ "  --tensor-parallel-size N  x (default: 1)\n", "aliases: [\"-tp\"] -> []" },
		{ "  --seed [SEED]  x (default: 0)\n",
		  "cli_style: \"value\" -> \"optional_value\"" },
		{ "  --seed SEED [SEED ...]  x (default: [0])\n",
		  "cli_style: \"value\" -> \"list\"; type: \"int\" -> \"list<int>\"; default: 0 -> "
		  "[0]" },
		{ "  --enforce-eager  x (default: False)\n",
		  "cli_style: \"toggle\" -> \"flag\"; negative_flag: \"--no-enforce-eager\" -> "
		  "null" },
		{ "  --mm-processor-cache-type {shm,lru}  x (default: lru)\n", "" },
		{ "  --mm-processor-cache-type {lru,other}  x (default: lru)\n",
		  "choices: [\"lru\",\"shm\"] -> [\"lru\",\"other\"]" },
		{ "  --mm-processor-cache-type TYPE  x (default: lru)\n",
		  "choices: [\"lru\",\"shm\"] -> null" },
		/* told, not checked by the parser */
		{ "  --config-format ['auto', 'hf', 'mistral']  x (default: auto)\n", "" },
		{ "  --config-format ['auto', 'hf', 'new']  x (default: auto)\n",
		  "choices: [\"auto\",\"hf\",\"mistral\"] -> [\"auto\",\"hf\",\"new\"]" },
		{ "  --tokenizer-mode ['alpamayo2_super', 'auto', 'cohere', 'deepseek_v32', "
		  "'deepseek_v4', 'hf', "
		  "'inkling', 'kimi_k3', 'mistral']  x (default: auto)\n",
		  "" },
		{ "  --tool-server {a,b} or another  x (default: None)\n", "" },
		{ "  --tool-server {a,b}  x (default: None)\n", "choices: null -> [\"a\",\"b\"]" },
		{ "  --mamba-backend B  x (default: MambaBackendEnum.TRITON)\n", "" },
		{ "  --mamba-backend B  x (default: MambaBackendEnum.OTHER)\n",
		  "default: \"triton\" -> \"MambaBackendEnum.OTHER\"" },
		{ "  --eplb-config C  a valid JSON string (default: EPLBConfig(a=1,\n"
		  "               b=None))\n",
		  "" },
		{ "  --speculative-config C, -sc C  x (default: SpeculativeConfig(a=1))\n",
		  "default: null -> {}" },
		{ "  --seed SEED  x. Should be a valid JSON string. (default: {})\n",
		  "type: \"int\" -> \"json\"; default: 0 -> {}" },
		{ "  --seed SEED  x (default: 0.5)\n",
		  "type: \"int\" -> \"float\"; default: 0 -> 0.5" },
		{ "  --swap-space SWAP_SPACE  x (default: 4)\n", "in_reference: false -> true" },
		/* negatives: what is shown is sent, what is hidden is still understood */
		{ "  --enable-sleep-mode, --no-enable-sleep-mode  x (default: False)\n", "" },
		{ "  --enforce-eager, --no-enforce-eager, --disable-enforce-eager  x\n",
		  "negative_aliases: [] -> [\"--disable-enforce-eager\"]" },
		{ "  --enforce-eager, --disable-enforce-eager  x\n",
		  "negative_flag: \"--no-enforce-eager\" -> \"--disable-enforce-eager\"; "
		  "negative_aliases: [] -> [\"--no-enforce-eager\"]" },
		/* the release has turned the main flag round */
		{ "  --disable-enforce-eager, --enforce-eager  x (default: True)\n",
		  "negative_flag: \"--no-enforce-eager\" -> \"--disable-enforce-eager\"; "
		  "negative_aliases: [] -> [\"--no-enforce-eager\"]" },
		{ "  --no-enforce-eager, --enforce-eager  x (default: False)\n", "" },
		/* a new name; the old one is still an alias */
		{ "  --random-seed S, --seed S  x (default: 0)\n",
		  "aliases: [] -> [\"--random-seed\"]" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_free char *changes = changes_of(cases[i].help);
		assert_string_equal(changes, cases[i].changes);
	}
}

static const char *entry_text(const json_t *entry, const char *key)
{
	return json_string_value(json_object_get(entry, key));
}

static void types_of_new_arguments_are_guessed(void **state)
{
	static const struct {
		const char *help;
		const char *type;
		const char *style;
	} cases[] = {
		{ "  --x-new  x (default: False)\n", "bool", "flag" },
		{ "  --x-new, --no-x-new  x (default: None)\n", "bool", "toggle" },
		{ "  --x-new X  x (default: 3)\n", "int", "value" },
		{ "  --x-new X  x (default: 3.5)\n", "float", "value" },
		{ "  --x-new X  x (default: abc)\n", "string", "value" },
		{ "  --x-new X  x (default: None)\n", "string", "value" },
		{ "  --x-new {1,2}  x (default: 1)\n", "int", "value" },
		{ "  --x-new {a,b}  x (default: a)\n", "enum", "value" },
		{ "  --x-new {a,b} [{a,b} ...]  x (default: None)\n", "list<enum>", "list" },
		{ "  --x-new X [X ...]  x (default: None)\n", "list<string>", "list" },
		{ "  --x-new X [X ...]  x (default: [1])\n", "list<int>", "list" },
		{ "  --x-new X  a valid JSON string or keys (default: None)\n", "json", "value" },
		{ "  --x-new X  human-readable integers (default: None)\n", "int_or_human",
		  "value" },
		{ "  --x-new [X]  x (default: None)\n", "string", "optional_value" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *diff = diff_of(cases[i].help);
		const json_t *entry = json_array_get(json_object_get(diff, "new"), 0);
		assert_string_equal(entry_text(entry, "name"), "x_new");
		assert_string_equal(entry_text(entry, "type"), cases[i].type);
		assert_string_equal(entry_text(entry, "cli_style"), cases[i].style);
	}
}

/* Parsers' names in the help's own list are compared. */
static void parser_names_are_compared(void **state)
{
	static const char lines[] = "  --tool-call-parser {apertus,one-more,\n"
				    "      brand_new} or name registered in --tool-parser-plugin\n"
				    "      x (default: None)\n";
	auto_json json_t *diff = diff_of(lines);
	const json_t *changed = json_array_get(json_object_get(diff, "changed"), 0);
	const json_t *change = json_array_get(json_object_get(changed, "changes"), 0);
	auto_json json_t *help = json_pack("[s, s, s]", "apertus", "one-more", "brand_new");
	auto_json json_t *overlay = vllm_help_overlay(vllm_catalog_reference(), diff, "test");
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_string_equal(entry_text(changed, "name"), "tool_call_parser");
	assert_int_equal(json_array_size(json_object_get(changed, "changes")), 1);
	assert_string_equal(entry_text(change, "key"), "choices");
	assert_true(json_equal(json_object_get(change, "help"), help));
	assert_true(json_array_size(json_object_get(change, "table")) > 40);
	auto_catalog const struct vllm_catalog *catalog = NULL;
	assert_int_equal(
		vllm_catalog_overlay(vllm_catalog_reference(), overlay, "test", &catalog, &err), 0);
	assert_true(option_row_is_open(vllm_arg_find(catalog, "tool_call_parser")));
	auto_json json_t *after = diff_with(catalog, lines);
	assert_int_equal(json_array_size(json_object_get(after, "changed")), 0);
}

static void the_overlay_leaves_no_difference(void **state)
{
	static const char help[] = "  --port PORT, -p PORT  x (default: 8001)\n"
				   "  --mm-processor-cache-type {lru,other}  x (default: other)\n"
				   "  --enforce-eager  x (default: False)\n"
				   "  --swap-space SWAP_SPACE  x (default: 5.0)\n"
				   "  --x-new {a,b}, -xn {a,b}  x (default: a)\n"
				   "  --y-new Y [Y ...]  x (default: None)\n"
				   "  --z-new, --no-z-new  x (default: True)\n";
	auto_json json_t *diff = diff_of(help);
	auto_json json_t *overlay = vllm_help_overlay(vllm_catalog_reference(), diff, "test");
	struct pl_err err = PL_ERR_INIT;

	(void)state;
	assert_int_equal(json_array_size(json_object_get(diff, "new")), 3);
	assert_int_equal(json_array_size(json_object_get(diff, "changed")), 4);
	auto_catalog const struct vllm_catalog *catalog = NULL;
	assert_int_equal(
		vllm_catalog_overlay(vllm_catalog_reference(), overlay, "test", &catalog, &err), 0);
	auto_json json_t *after = diff_with(catalog, help);
	assert_int_equal(json_array_size(json_object_get(after, "new")), 0);
	assert_int_equal(json_array_size(json_object_get(after, "changed")), 0);
	assert_int_equal(json_array_size(json_object_get(after, "gone")), 0);
	/* the value that is no longer a choice is one of older releases */
	assert_string_equal(vllm_arg_find(catalog, "mm_processor_cache_type")->older_choices,
			    "[\"shm\"]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_found),
		cmocka_unit_test(types_of_new_arguments_are_guessed),
		cmocka_unit_test(parser_names_are_compared),
		cmocka_unit_test(the_overlay_leaves_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
