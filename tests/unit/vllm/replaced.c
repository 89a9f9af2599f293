#include "vllm/replaced.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

#define NOTHING_KNOWN NULL

static json_t *replaced(const char *release, const char *key, const char *value, const char *values)
{
	const struct vllm_catalog *catalog = vllm_catalog_release(vllm_catalog_reference(),
								  release);
	struct vllm_version version;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *json = value != NULL ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
	auto_json json_t *set = values != NULL ? json_loads(values, 0, NULL) : NULL;

	assert_int_equal(vllm_version_parse(release, &version, &err), 0);
	struct vllm_replacing replacing = { catalog, &version, set };
	return vllm_replaced_by(&replacing, key, json);
}

static void what_replaced_it(void **state)
{
	static const struct {
		const char *release, *key, *value;
		const char *by; /* JSON; NOTHING_KNOWN */
	} cases[] = {
		/* by single values */
		{ "0.32.0", "task", "\"embed\"",
		  "[{\"key\":\"runner\",\"value\":\"pooling\"},{\"key\":\"convert\",\"value\":"
		  "\"embed\"}]" },
		{ "0.32.0", "task", "\"score\"", "[{\"key\":\"runner\",\"value\":\"pooling\"}]" },
		{ "0.32.0", "task", "\"auto\"", "[]" },
		{ "0.32.0", "task", NULL, "[{\"key\":\"runner\"},{\"key\":\"convert\"}]" },
		/* the same, negated, constant */
		{ "0.18.0", "compilation_config.level", "3",
		  "[{\"key\":\"compilation_config.mode\",\"value\":3}]" },
		{ "0.32.0", "disable_log_requests", "true",
		  "[{\"key\":\"enable_log_requests\",\"value\":false}]" },
		{ "0.32.0", "disable_mm_preprocessor_cache", "true",
		  "[{\"key\":\"mm_processor_cache_gb\",\"value\":0}]" },
		{ "0.32.0", "disable_mm_preprocessor_cache", "false", "[]" },
		{ "0.8.5", "speculative_model", "\"m\"",
		  "[{\"key\":\"speculative_config.model\",\"value\":\"m\"}]" },
		{ "0.32.0", "rope_theta", "1e6",
		  "[{\"key\":\"hf_overrides.rope_theta\",\"value\":1000000.0}]" },
		/* by pairs; the other boolean is what happens anyway */
		{ "0.32.0", "compilation_config.full_cuda_graph", "true",
		  "[{\"key\":\"compilation_config.cudagraph_mode\",\"value\":\"FULL\"}]" },
		{ "0.32.0", "compilation_config.full_cuda_graph", "false", "[]" },
		{ "0.32.0", "compilation_config.use_inductor", "false",
		  "[{\"key\":\"compilation_config.backend\",\"value\":\"eager\"}]" },
		/* two in the place of one */
		{ "0.13.0", "compilation_config.pass_config.enable_fusion", "true",
		  "[{\"key\":\"compilation_config.pass_config.fuse_norm_quant\",\"value\":true},"
		  "{\"key\":\"compilation_config.pass_config.fuse_act_quant\",\"value\":true}]" },
		/* on from a replacement that went too */
		{ "0.6.6", "mm_cache_preprocessor", "true",
		  "[{\"key\":\"disable_mm_preprocessor_cache\",\"value\":false}]" },
		{ "0.32.0", "mm_cache_preprocessor", "false",
		  "[{\"key\":\"mm_processor_cache_gb\",\"value\":0}]" },
		{ "0.10.2", "max_context_len_to_capture", "4096",
		  "[{\"key\":\"max_seq_len_to_capture\",\"value\":4096}]" },
		{ "0.32.0", "max_context_len_to_capture", "4096", NOTHING_KNOWN },
		{ "0.12.0", "guided_decoding_disable_fallback", "true",
		  "[{\"key\":\"structured_outputs_config.disable_fallback\",\"value\":true}]" },
		{ "0.32.0", "guided_decoding_disable_fallback", "true",
		  "[{\"key\":\"structured_outputs_config.backend\"}]" },
		{ "0.32.0", "guided_decoding_disable_fallback", "false", "[]" },
		/* an object's keys went one by one */
		{ "0.32.0", "override_pooler_config",
		  "{\"pooling_type\": \"CLS\", \"normalize\": false}",
		  "[{\"key\":\"pooler_config.pooling_type\",\"value\":\"CLS\"},"
		  "{\"key\":\"pooler_config.use_activation\",\"value\":false}]" },
		/* choices */
		{ "0.32.0", "convert", "\"reward\"",
		  "[{\"key\":\"convert\",\"value\":\"embed\"}]" },
		{ "0.32.0", "convert", "\"none\"", NOTHING_KNOWN },
		{ "0.32.0", "prefix_caching_hash_algo", "\"builtin\"",
		  "[{\"key\":\"prefix_caching_hash_algo\",\"value\":\"sha256\"}]" },
		/* a rule between values that does not say which */
		{ "0.32.0", "enable_reasoning", "true", "[{\"key\":\"reasoning_parser\"}]" },
		/* nothing is known to */
		{ "0.32.0", "swap_space", "4.0", NOTHING_KNOWN },
		{ "0.32.0", "num_scheduler_steps", "8", NOTHING_KNOWN },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *by = replaced(cases[i].release, cases[i].key, cases[i].value,
						NULL);
		auto_json json_t *wanted = cases[i].by != NULL ? json_loads(cases[i].by, 0, NULL)
							       : NULL;
		auto_free char *text = by != NULL ? pl_json_to_text(by, PL_JSON_COMPACT) : NULL;
		if ((by == NULL) != (wanted == NULL) || (by != NULL && !json_equal(by, wanted)))
			fail_msg("%s: %s in %s: %s", cases[i].key, cases[i].value, cases[i].release,
				 text);
	}
}

static void what_people_have_set_already_is_left_to_them(void **state)
{
	auto_json json_t *by = replaced("0.32.0", "enable_reasoning", "true",
					"{\"reasoning_parser\": \"qwen3\"}");

	(void)state;
	assert_non_null(by);
	assert_int_equal(json_array_size(by), 0);
}

/* Does the release have each of the keys, which are parted by commas? */
static bool has_all(const char *keys, const struct vllm_version *release)
{
	auto_free char *copy = pl_strdup(keys);

	for (char *rest = copy; rest != NULL;) {
		if (vllm_presence(pl_text_trim(strsep(&rest, ",")), release) != VLLM_PRESENT)
			return false;
	}
	return keys != NULL;
}

/* Every replacement exists in the release that recommends it. */
static void replacements_exist(void **state)
{
	struct vllm_version reference;
	struct pl_err err = PL_ERR_INIT;
	size_t reported = 0;

	(void)state;
	assert_int_equal(vllm_version_parse(VLLM_REFERENCE_RELEASE, &reference, &err), 0);
	for (size_t i = 0; i < vllm_history_count(); i++) {
		const struct vllm_history *history = vllm_history_at(i);
		auto_free char *key = history->of != NULL
					      ? pl_asprintf("%s.%s", history->of, history->name)
					      : pl_strdup(history->name);
		if (vllm_history_until(history) == NULL)
			continue;
		auto_json json_t *by = replaced(VLLM_REFERENCE_RELEASE, key, NULL, NULL);
		if (by == NULL && has_all(history->replaced_by, &reference))
			fail_msg("%s has a replacement, which is not reported", key);
		reported += by != NULL;
		for (size_t k = 0; k < json_array_size(by); k++) {
			const char *name = json_string_value(
				json_object_get(json_array_get(by, k), "key"));
			if (vllm_presence(name, &reference) != VLLM_PRESENT)
				fail_msg("%s: %s is gone itself", key, name);
		}
	}
	assert_true(reported > 30);
}

static void rows_are_of_things_that_went(void **state)
{
	(void)state;
	for (size_t i = 0; i < vllm_replacement_count(); i++) {
		const struct vllm_replacement *row = vllm_replacement_at(i);
		auto_json json_t *by = json_loads(row->by, 0, NULL);
		auto_json json_t *value = row->value != NULL
						  ? json_loads(row->value, JSON_DECODE_ANY, NULL)
						  : json_null();
		const char *key;
		json_t *set;

		if (by == NULL || value == NULL || vllm_history_of(row->key) == NULL)
			fail_msg("row %zu of '%s'", i, row->key);
		json_object_foreach(by, key, set)
		{
			auto_free char *argument = pl_strndup(key, strcspn(key, "."));
			if (vllm_history_of(argument) == NULL)
				fail_msg("%s: no argument '%s'", row->key, key);
		}
		assert_true(strlen(row->why) > 0);
	}
}

static void replacements_in_words(void **state)
{
	static const struct {
		const char *release, *key, *value;
		const char *as_file, *as_flags;
	} cases[] = {
		{ "0.32.0", "task", "\"embed\"", "'runner: pooling' and 'convert: embed'",
		  "--runner pooling --convert embed" },
		{ "0.32.0", "disable_log_requests", "true", "'enable_log_requests: false'",
		  "--no-enable-log-requests" },
		{ "0.32.0", "disable_log_requests", "false", "'enable_log_requests: true'",
		  "--enable-log-requests" },
		{ "0.32.0", "speculative_model", "\"a b\"", "'speculative_config.model: \"a b\"'",
		  "--speculative-config.model 'a b'" },
		{ "0.32.0", "enable_reasoning", "true",
		  "'reasoning_parser' with a value that you choose",
		  "--reasoning-parser with a value that you choose" },
		{ "0.32.0", "task", "\"auto\"", "no argument; vLLM does this by default",
		  "no argument; vLLM does this by default" },
		{ "0.32.0", "num_scheduler_steps", "8",
		  "no argument; it has no replacement (multi-step scheduling was removed)",
		  "no argument; it has no replacement (multi-step scheduling was removed)" },
		{ "0.32.0", "max_context_len_to_capture", "1",
		  "no argument; its replacement 'max_seq_len_to_capture' was removed, too",
		  "no argument; its replacement 'max_seq_len_to_capture' was removed, too" },
		/* flags as the release has them: a switch that only switches on, then a toggle */
		{ "0.6.6", "mm_cache_preprocessor", "false",
		  "'disable_mm_preprocessor_cache: true'", "--disable-mm-preprocessor-cache" },
		{ "0.6.6", "mm_cache_preprocessor", "true",
		  "'disable_mm_preprocessor_cache: false'",
		  "no argument; vLLM does this by default" },
		{ "0.9.0", "mm_cache_preprocessor", "true",
		  "'disable_mm_preprocessor_cache: false'", "--no-disable-mm-preprocessor-cache" },
		{ "0.10.0", "mm_cache_preprocessor", "true",
		  "'disable_mm_preprocessor_cache: false'", "--no-disable-mm-preprocessor-cache" },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const char *release = cases[i].release;
		const struct vllm_catalog *catalog = vllm_catalog_release(vllm_catalog_reference(),
									  release);
		auto_json json_t *by = replaced(release, cases[i].key, cases[i].value, NULL);
		auto_buf file = { 0 };
		auto_buf flags = { 0 };
		pl_buf_init(&file, 1024);
		pl_buf_init(&flags, 1024);
		vllm_replaced_sentence(cases[i].key, by, NULL, &file);
		vllm_replaced_sentence(cases[i].key, by, catalog, &flags);
		assert_string_equal(pl_buf_text(&file), cases[i].as_file);
		assert_string_equal(pl_buf_text(&flags), cases[i].as_flags);
	}
}

static void older_names_of_values(void **state)
{
	static const struct {
		const char *release, *key, *value;
		bool is_old;
	} cases[] = {
		{ "0.32.0", "reasoning_parser", "glm4_moe", true },
		{ "0.10.1", "reasoning_parser", "glm4_moe", true },
		{ "0.10.0", "reasoning_parser", "glm4_moe", false },
		{ "0.7.1", "reasoning_parser", "glm4_moe", false },
		{ "0.32.0", "reasoning_parser", "glm45", false },
		{ "0.32.0", "quantization", "nvfp4", true },
		{ "0.8.5", "quantization", "nvfp4", false },
		{ "0.32.0", "quantization", "squeezellm", false },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const char *release = cases[i].release;
		auto_json json_t *value = json_string(cases[i].value);
		struct vllm_version version;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(vllm_version_parse(release, &version, &err), 0);
		struct vllm_replacing replacing = {
			vllm_catalog_release(vllm_catalog_reference(), release), &version, NULL
		};
		if (vllm_is_old_name(&replacing, cases[i].key, value) != cases[i].is_old)
			fail_msg("%s: %s in %s", cases[i].key, cases[i].value, release);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_replaced_it),
		cmocka_unit_test(what_people_have_set_already_is_left_to_them),
		cmocka_unit_test(replacements_exist),
		cmocka_unit_test(rows_are_of_things_that_went),
		cmocka_unit_test(replacements_in_words),
		cmocka_unit_test(older_names_of_values),
	};

	return cmocka_run_group_tests_name("vllm/replaced", tests, NULL, NULL);
}
