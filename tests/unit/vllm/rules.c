#include "vllm/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "vllm/catalog.h"
#include "vllm/rules_priv.h"

#define CASES       PROFLLM_SOURCE_DIR "/tests/unit/vllm/rules_cases.json"
#define ARENA_BYTES 4096

static json_t *read_cases(void)
{
	json_t *cases = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (pl_json_read_file(CASES, &cases, &err) < 0)
		fail_msg("%s", err.text);
	return cases;
}

static struct vllm_rule_env env_of(const json_t *example)
{
	const json_t *json = json_object_get(example, "env");
	const json_t *gpus = json_object_get(json, "gpus");
	const json_t *memory = json_object_get(json, "host_memory_gib");
	const json_t *api_servers = json_object_get(json, "api_servers");
	const json_t *multimodal = json_object_get(json, "model_is_multimodal");
	struct vllm_rule_env env = VLLM_RULE_ENV_UNKNOWN;

	if (gpus != NULL)
		env.gpus = json_number_value(gpus);
	if (memory != NULL)
		env.host_memory_gib = json_number_value(memory);
	if (api_servers != NULL)
		env.api_servers = json_number_value(api_servers);
	if (multimodal != NULL)
		env.model_is_multimodal = json_is_true(multimodal);
	env.platform = json_string_value(json_object_get(json, "platform"));
	if (json_object_get(json, "capability") != NULL)
		env.capability = json_number_value(json_object_get(json, "capability"));
	if (json_object_get(json, "experts") != NULL)
		env.experts = json_number_value(json_object_get(json, "experts"));
	env.checkpoint_quantization = json_string_value(
		json_object_get(json, "checkpoint_quantization"));
	env.checkpoint_scheme = json_string_value(json_object_get(json, "checkpoint_scheme"));
	return env;
}

static json_t *values_of(const json_t *example)
{
	return json_object_get(example, "values");
}

static bool is_broken(const struct vllm_rule *rule, const json_t *values,
		      const struct vllm_rule_env *env)
{
	auto_json json_t *defaults = json_object();
	struct vllm_rule_subject subject = { vllm_catalog_reference(), values, env, defaults };
	struct vllm_expr_scope scope = vllm_rule_scope_of(&subject);

	return vllm_expr_truth(vllm_rule_when(rule), &scope) == VLLM_TRUE &&
	       vllm_expr_truth(vllm_rule_require(rule), &scope) == VLLM_FALSE;
}

/* The problem of a rule, or NULL. */
static const struct option_problem *find_problem(const struct option_problems *problems,
						 const char *rule)
{
	for (size_t i = 0; i < problems->count; i++) {
		if (pl_text_equal(problems->items[i].rule, rule))
			return &problems->items[i];
	}
	return NULL;
}

/* Is the name an argument, its key, or a fact of struct vllm_rule_env? Sets the error where not. */
static void check_name(void *user, const struct vllm_expr *name)
{
	const struct vllm_rule_env env = { 1, "cuda", 1, 1, 1, 90, 1, "fp8", "wna16" };
	struct vllm_rule_subject all_known = { .env = &env };
	const struct option_row *arg = vllm_rule_find_arg(vllm_catalog_reference(), name->text);
	struct pl_err *err = user;

	if (err->code != PL_ERR_NONE)
		return;
	if (name->op == VLLM_EXPR_ARG && arg == NULL)
		pl_err_invalid(err, "'%s' is not an argument", name->text);
	if (name->op == VLLM_EXPR_SUB && (arg == NULL || option_field_find(arg, name->key) == NULL))
		pl_err_invalid(err, "'%s' has no key '%s'", name->text, name->key);
	if (name->op == VLLM_EXPR_ENV &&
	    vllm_rule_fact(&all_known, name->text).kind == vllm_value_of_json(NULL).kind)
		pl_err_invalid(err, "'env.%s' is not a fact", name->text);
}

static void every_rule_compiles_and_names_existing_things(void **state)
{
	(void)state;
	for (size_t i = 0; i < vllm_rule_count(); i++) {
		const struct vllm_rule *rule = vllm_rule_at(i);
		struct pl_err err = PL_ERR_INIT;
		assert_ptr_equal(vllm_rule_find(rule->id), rule);
		/* options of benchmark commands are not arguments of the server */
		if (rule->scope == VLLM_RULE_ENGINE) {
			vllm_expr_each_name(vllm_rule_when(rule), check_name, &err);
			vllm_expr_each_name(vllm_rule_require(rule), check_name, &err);
		}
		if (err.code != PL_ERR_NONE)
			fail_msg("%s: %s", rule->id, err.text);
		assert_true(rule->message[0] != '\0');
	}
	assert_null(vllm_rule_find("no_such_rule"));
}

static void a_misspelt_name_is_found(void **state)
{
	static const struct {
		const char *text;
		const char *fault; /* NULL: none */
	} cases[] = {
		{ "tensor_parallel_size > 1 and eplb_config.use_async and env.gpus > 1", NULL },
		{ "tensor_paralel_size > 1", "'tensor_paralel_size' is not an argument" },
		/* rules know arguments by one name */
		{ "tensor-parallel-size > 1", "'tensor' is not an argument" },
		{ "not any_set(seed, sed)", "'sed' is not an argument" },
		{ "eplb_config.use_asink", "'eplb_config' has no key 'use_asink'" },
		{ "seed.key == 1", "'seed' has no key 'key'" },
		{ "seed in [1] or env.gpu == 1", "'env.gpu' is not a fact" },
	};
	struct pl_arena *arena = pl_arena_new(ARENA_BYTES);

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const struct vllm_expr *expr = NULL;
		struct pl_err err = PL_ERR_INIT;
		assert_int_equal(vllm_expr_parse(cases[i].text, arena, &expr, &err), 0);
		vllm_expr_each_name(expr, check_name, &err);
		assert_string_equal(err.text, cases[i].fault == NULL ? "" : cases[i].fault);
	}
	pl_arena_free(arena);
}

static enum vllm_rule_effect effect_of(const struct vllm_rule *rule,
				       const struct vllm_target *target)
{
	struct vllm_version release;

	vllm_target_release(target, &release);
	return vllm_rule_effect_for(rule, &release);
}

static void check_effects(const struct vllm_rule *rule, const json_t *one)
{
	const char *release = json_string_value(json_object_get(one, "release"));
	const char *other = json_string_value(json_object_get(one, "other_release"));
	const json_t *fires = json_object_get(one, "fires");
	struct vllm_rule_env env = env_of(fires);
	const char *const releases[] = { release, other };

	for (size_t i = 0; i < PL_ARRAY_SIZE(releases); i++) {
		struct vllm_target target = { releases[i], false, NULL };
		enum vllm_rule_effect effect = effect_of(rule, &target);
		auto_problems problems = { 0 };

		/* a release newer than the reference */
		if (i == 0 || strcmp(other, "0.34.0") == 0)
			assert_int_equal(effect, rule->severity == OPTION_ERROR ? VLLM_RULE_REFUSES
										: VLLM_RULE_WARNS);
		else
			assert_int_equal(effect, VLLM_RULE_SILENT);
		vllm_rules_check(values_of(fires), &target, &env, NULL, NULL, &problems);
		const struct option_problem *problem = find_problem(&problems, rule->id);
		if (effect == VLLM_RULE_SILENT || rule->scope != VLLM_RULE_ENGINE) {
			assert_null(problem);
			continue;
		}
		assert_non_null(problem);
		assert_int_equal(problem->severity,
				 effect == VLLM_RULE_REFUSES ? OPTION_ERROR : OPTION_WARNING);
		assert_string_equal(problem->expected, rule->message);
		assert_true(pl_text_starts(problem->key, "server"));
		assert_true(strlen(problem->found) > 0);
	}
}

static void every_rule_fires_and_is_quiet(void **state)
{
	auto_json json_t *cases = read_cases();

	(void)state;
	for (size_t i = 0; i < vllm_rule_count(); i++) {
		const struct vllm_rule *rule = vllm_rule_at(i);
		const json_t *one = json_object_get(cases, rule->id);
		const json_t *fires = json_object_get(one, "fires");
		const json_t *quiet = json_object_get(one, "quiet");

		if (fires == NULL || quiet == NULL)
			fail_msg("no examples of %s in rules_cases.json", rule->id);
		struct vllm_rule_env env = env_of(fires);
		if (!is_broken(rule, values_of(fires), &env))
			fail_msg("%s does not fire", rule->id);
		env = env_of(quiet);
		if (is_broken(rule, values_of(quiet), &env))
			fail_msg("%s is not quiet", rule->id);
		check_effects(rule, one);
	}
	assert_int_equal(json_object_size(cases), vllm_rule_count());
}

/* The example with each fact taken away, and with each argument set to null. */
static void unknown_facts_break_nothing(void **state)
{
	auto_json json_t *cases = read_cases();
	const struct vllm_rule_env nothing = VLLM_RULE_ENV_UNKNOWN;
	size_t with_facts = 0;

	(void)state;
	for (size_t i = 0; i < vllm_rule_count(); i++) {
		const struct vllm_rule *rule = vllm_rule_at(i);
		const json_t *fires = json_object_get(json_object_get(cases, rule->id), "fires");
		auto_json json_t *nulls = json_object();
		const char *name;
		json_t *value;

		if (json_object_get(fires, "env") != NULL) {
			with_facts++;
			assert_false(is_broken(rule, values_of(fires), &nothing));
		}
		json_object_foreach(values_of(fires), name, value)
			json_object_set_new(nulls, name, json_null());
		assert_false(is_broken(rule, nulls, &nothing));
	}
	assert_int_equal(with_facts, 32);
}

static void the_defaults_break_nothing(void **state)
{
	static const char *const releases[] = { "0.9.0",  "0.11.0", "0.11.1", "0.12.0", "0.20.0",
						"0.26.0", "0.31.0", "0.32.0", "0.33.0", "1.0.0" };
	auto_json json_t *values = json_object();
	struct vllm_rule_env env = VLLM_RULE_ENV_UNKNOWN;

	(void)state;
	env.gpus = 8;
	env.platform = "cuda";
	env.host_memory_gib = 64;
	env.api_servers = 1;
	for (size_t i = 0; i < PL_ARRAY_SIZE(releases); i++) {
		struct vllm_target target = { releases[i], false, NULL };
		auto_problems problems = { 0 };
		vllm_rules_check(values, &target, &env, NULL, NULL, &problems);
		vllm_target_check_args(values, &target, false, NULL, NULL, &problems);
		assert_int_equal(problems.count, 0);
	}
}

static void real_set_ups_pass(void **state)
{
	static const char *const texts[] = {
		"{\"async_scheduling\": true, \"speculative_config\": {\"method\": \"eagle\"}}",
		"{\"async_scheduling\": true, \"pipeline_parallel_size\": 2}",
		"{\"block_size\": 64}",
		"{\"max_model_len\": -1, \"long_prefill_token_threshold\": 512}",
		"{\"max_model_len\": \"auto\", \"max_num_batched_tokens\": 8192}",
	};
	struct vllm_target target = { "0.32.0", false, NULL };
	struct vllm_rule_env env = VLLM_RULE_ENV_UNKNOWN;

	(void)state;
	env.gpus = 8;
	env.platform = "cuda";
	for (size_t i = 0; i < PL_ARRAY_SIZE(texts); i++) {
		auto_json json_t *values = json_loads(texts[i], 0, NULL);
		auto_problems problems = { 0 };
		vllm_rules_check(values, &target, &env, NULL, NULL, &problems);
		if (problems.count > 0)
			fail_msg("%s: %s", texts[i], problems.items[0].rule);
	}
}

static void releases_choose_the_effect(void **state)
{
	static const struct {
		const char *rule;
		struct vllm_target target;
		enum vllm_rule_effect effect;
	} cases[] = {
		/* until 0.11.1 */
		{ "async_no_spec", { "0.9.2", false, NULL }, VLLM_RULE_REFUSES },
		{ "async_no_spec", { "0.11.1rc2", false, NULL }, VLLM_RULE_REFUSES },
		{ "async_no_spec", { "0.11.1", false, NULL }, VLLM_RULE_SILENT },
		{ "async_no_spec", { "0.33.0", false, NULL }, VLLM_RULE_SILENT },
		/* since 0.11.1 */
		{ "async_spec_methods", { "0.11.0", false, NULL }, VLLM_RULE_SILENT },
		{ "async_spec_methods", { "0.11.1", false, NULL }, VLLM_RULE_REFUSES },
		{ "async_spec_methods", { "0.32.0+cu129", false, NULL }, VLLM_RULE_REFUSES },
		{ "async_spec_methods", { "0.32.1.dev3+gabc", false, NULL }, VLLM_RULE_REFUSES },
		{ "async_spec_methods", { "0.33.0", false, NULL }, VLLM_RULE_SILENT },
		/* new in the reference: not relied on in a newer release */
		{ "spec_fly", { "0.32.0", false, NULL }, VLLM_RULE_SILENT },
		{ "spec_fly", { "0.33.0", false, NULL }, VLLM_RULE_REFUSES },
		{ "spec_fly", { "0.34.0", false, NULL }, VLLM_RULE_WARNS },
		/* always */
		{ "budget_ge_seqs", { "0.1", false, NULL }, VLLM_RULE_REFUSES },
		{ "budget_ge_seqs", { "0.32.0", true, NULL }, VLLM_RULE_REFUSES },
		{ "budget_ge_seqs", { NULL, true, NULL }, VLLM_RULE_REFUSES },
		{ "budget_ge_seqs", { "nightly", false, NULL }, VLLM_RULE_REFUSES },
		{ "budget_ge_seqs", { "0.33.1", false, NULL }, VLLM_RULE_REFUSES },
		{ "budget_ge_seqs", { "1.0", false, NULL }, VLLM_RULE_REFUSES },
		{ "async_no_spec", { "0.1.dev12986+gfa99ccebd", false, NULL }, VLLM_RULE_SILENT },
		{ "async_spec_methods", { "0.1.dev1", false, NULL }, VLLM_RULE_SILENT },
		{ "async_spec_v1_only", { "0.1.dev1", false, NULL }, VLLM_RULE_REFUSES },
		{ "mm_cache_off", { "0.32.0", false, NULL }, VLLM_RULE_WARNS },
	};

	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		const struct vllm_rule *rule = vllm_rule_find(cases[i].rule);
		if (effect_of(rule, &cases[i].target) != cases[i].effect)
			fail_msg("%s for %s", cases[i].rule, cases[i].target.version);
	}
}

static char user_text[] = "user";

/* Lines by the length of the name, so that a wrong name shows. */
static void position_of(void *user, const char *arg, struct vllm_rule_location *ret)
{
	assert_ptr_equal(user, user_text);
	assert_null(ret->source);
	*ret = (struct vllm_rule_location){ "e.yaml", arg != NULL ? (int)strlen(arg) : 1, 3, NULL };
}

static void problems_say_what_and_where(void **state)
{
	static const struct {
		const char *values;
		const char *text;
	} cases[] = {
		{ "{\"tensor_parallel_size\": 16}",
		  "e.yaml:20:3: server.tensor_parallel_size: tensor, pipeline and data "
		  "parallelism together need more GPUs than the server has (found "
		  "tensor_parallel_size 16, gpus 8; rule world_fits_gpus)" },
		/* the first one by name; null is not set */
		{ "{\"data_parallel_size_local\": null, \"tensor_parallel_size\": 8, "
		  "\"pipeline_parallel_size\": 2}",
		  "e.yaml:22:3: server.pipeline_parallel_size: tensor, pipeline and data "
		  "parallelism together need more GPUs than the server has (found "
		  "tensor_parallel_size 8, pipeline_parallel_size 2, gpus 8; rule "
		  "world_fits_gpus)" },
		/* keys that a rule reads, not the whole object */
		{ "{\"speculative_config\": {\"method\": \"ngram\", \"num_speculative_tokens\": 2,"
		  " \"prompt_lookup_min\": 4, \"prompt_lookup_max\": 3}}",
		  "e.yaml:18:3: server.speculative_config: prompt_lookup_min cannot exceed "
		  "prompt_lookup_max (found speculative_config.method ngram, "
		  "speculative_config.prompt_lookup_min 4, speculative_config.prompt_lookup_max "
		  "3; rule spec_ngram_lookup_order)" },
		{ "{\"collect_detailed_traces\": [\"all\"]}",
		  "e.yaml:23:3: server.collect_detailed_traces: needs "
		  "otlp_traces_endpoint (found collect_detailed_traces [\"all\"]; rule "
		  "traces_need_endpoint)" },
	};
	struct vllm_target target = { "0.32.0", false, NULL };
	struct vllm_rule_env env = VLLM_RULE_ENV_UNKNOWN;

	(void)state;
	env.gpus = 8;
	for (size_t i = 0; i < PL_ARRAY_SIZE(cases); i++) {
		auto_json json_t *values = json_loads(cases[i].values, 0, NULL);
		auto_problems problems = { 0 };
		auto_buf text = { 0 };
		pl_buf_init(&text, 4096);
		vllm_rules_check(values, &target, &env, position_of, user_text, &problems);
		assert_int_equal(problems.count, 1);
		option_problem_text(&problems.items[0], OPTION_AS_FILE, &text);
		assert_string_equal(pl_buf_text(&text), cases[i].text);
	}
}

static void the_host_alone_can_break_a_rule(void **state)
{
	auto_json json_t *values = json_object();
	struct vllm_target target = { "0.32.0", false, NULL };
	struct vllm_rule_env env = VLLM_RULE_ENV_UNKNOWN;
	auto_problems problems = { 0 };
	auto_buf text = { 0 };

	(void)state;
	pl_buf_init(&text, 4096);
	env.host_memory_gib = 2.5;
	env.api_servers = 1;
	vllm_rules_check(values, &target, &env, position_of, user_text, &problems);
	assert_int_equal(problems.count, 1);
	option_problem_text(&problems.items[0], OPTION_AS_FILE, &text);
	assert_string_equal(
		pl_buf_text(&text),
		"e.yaml:1:3: server: the multimodal caches of all processes "
		"together exceed the host memory (found api_servers 1, host_memory_gib 2.5; "
		"rule mm_cache_host_memory)");
	assert_int_equal(problems.errors, 0);
}

static void long_values_are_cut_between_characters(void **state)
{
	auto_json json_t *values = json_object();
	struct vllm_target target = { "0.11.0", false, NULL };
	struct vllm_rule_env env = VLLM_RULE_ENV_UNKNOWN;
	auto_problems problems = { 0 };
	char path[200];

	(void)state;
	memset(path, 'a', sizeof(path));
	memcpy(path + 79, "\xc3\xa9", 2);
	path[199] = '\0';
	json_object_set_new(values, "allowed_local_media_path", json_string(path));
	vllm_rules_check(values, &target, &env, NULL, NULL, &problems);
	assert_int_equal(problems.count, 1);
	path[79] = '\0';
	auto_free char *expected = pl_asprintf("allowed_local_media_path %s…", path);
	assert_string_equal(problems.items[0].found, expected);
	assert_null(problems.items[0].source);
	assert_int_equal(problems.items[0].line, 0);
}

static const struct {
	const char *values;
	struct vllm_target target;
	bool allow_removed;
	const char *text; /* NULL: no problem */
	int severity;
} target_cases[] = {
	{ "{\"swap_space\": 4}",
	  { "0.32.0", false, NULL },
	  false,
	  "e.yaml:10:3: server.swap_space: found an argument that vLLM 0.32.0 no longer has, "
	  "expected no argument; it has no replacement",
	  OPTION_ERROR },
	{ "{\"swap_space\": 4}", { "0.32.0", false, NULL }, true, "swap_space", OPTION_WARNING },
	{ "{\"swap_space\": 4}", { "0.32.0", true, NULL }, false, "vLLM 0.32.0", OPTION_WARNING },
	{ "{\"swap_space\": 4}", { "nightly", false, NULL }, false, "vLLM 0.33.0", OPTION_WARNING },
	{ "{\"swap_space\": 4}",
	  { "0.1.dev1+g975", false, NULL },
	  false,
	  "vLLM 0.33.0",
	  OPTION_WARNING },
	{ "{\"swap_space\": 4}", { NULL, true, NULL }, false, "vLLM 0.33.0", OPTION_WARNING },
	{ "{\"swap_space\": 4}", { "0.40.1", false, NULL }, false, "vLLM 0.40.1", OPTION_ERROR },
	{ "{\"swap_space\": 4}", { "0.18.0", false, NULL }, false, "no longer has", OPTION_ERROR },
	{ "{\"swap_space\": 4}", { "0.17.1.post1", false, NULL }, false, NULL, 0 },
	/* not there yet: no --allow-removed, but a build between releases may have it */
	{ "{\"grpc\": true}",
	  { "0.17.1", false, NULL },
	  true,
	  "server.grpc: found an argument that vLLM 0.17.1 does not have yet, expected "
	  "vLLM "
	  "0.18.0 or newer",
	  OPTION_ERROR },
	{ "{\"grpc\": true}",
	  { "0.18.0rc1", false, NULL },
	  false,
	  "does not have yet",
	  OPTION_WARNING },
	{ "{\"grpc\": true}", { "0.18.0", false, NULL }, false, NULL, 0 },
	{ "{\"swap_space\": null}", { "0.32.0", false, NULL }, false, NULL, 0 },
	/* with a release that it was removed in, and a newer name */
	{ "{\"num_redundant_experts\": 4}",
	  { "0.12.0", false, NULL },
	  false,
	  "expected 'eplb_config.num_redundant_experts: 4'",
	  OPTION_ERROR },
	{ "{\"num_redundant_experts\": 4}",
	  { "0.12.0rc1", false, NULL },
	  false,
	  "an argument that vLLM 0.12.0rc1 deprecates and 0.12.0 removes, expected "
	  "'eplb_config.num_redundant_experts: 4'",
	  OPTION_WARNING },
	/* keys; also, as unknown keys, where the release is assumed */
	{ "{\"compilation_config\": {\"level\": 3}}",
	  { "0.32.0", false, NULL },
	  false,
	  "server.compilation_config.level: found a key that vLLM 0.32.0 no longer has, expected "
	  "'compilation_config.mode: 3'",
	  OPTION_ERROR },
	{ "{\"compilation_config\": {\"level\": 3}}",
	  { NULL, true, NULL },
	  false,
	  "compilation_config.mode: 3",
	  OPTION_ERROR },
	{ "{\"compilation_config\": {\"level\": 3}}",
	  { "0.32.0", false, NULL },
	  true,
	  "compilation_config.mode: 3",
	  OPTION_WARNING },
	{ "{\"compilation_config\": {\"level\": 3}}", { "0.10.1", false, NULL }, false, NULL, 0 },
	{ "{\"compilation_config\": {\"mode\": 3}}",
	  { "0.10.1", false, NULL },
	  false,
	  "a key that vLLM 0.10.1 does not have yet, expected vLLM 0.11.1 or newer",
	  OPTION_ERROR },
	{ "{\"compilation_config\": 3}",
	  { NULL, true, NULL },
	  false,
	  "found 3, a number that vLLM 0.33.0 does not accept here, expected "
	  "'compilation_config.mode: 3'",
	  OPTION_ERROR },
	{ "{\"compilation_config\": 3}", { "0.10.1", false, NULL }, false, NULL, 0 },
	/* there still, and to be left */
	{ "{\"disable_log_requests\": true}",
	  { "0.10.1", false, NULL },
	  false,
	  "server.disable_log_requests: found an argument that vLLM 0.10.1 deprecates and 0.17.0 "
	  "removes, expected 'enable_log_requests: false'",
	  OPTION_WARNING },
	{ "{\"disable_log_requests\": true}", { "0.10.0", false, NULL }, false, NULL, 0 },
	{ "{\"task\": \"embed\"}",
	  { "0.11.0", false, NULL },
	  false,
	  "expected 'runner: pooling' and 'convert: embed'",
	  OPTION_WARNING },
	{ "{\"disable_mm_preprocessor_cache\": false}",
	  { "0.11.0", false, NULL },
	  false,
	  "expected no argument; vLLM does this by default",
	  OPTION_WARNING },
	{ "{\"expand_tools_even_if_tool_choice_none\": true}",
	  { "0.9.2", false, NULL },
	  false,
	  "expected no argument yet; vLLM does not have its replacement "
	  "'exclude_tools_when_tool_choice_none'",
	  OPTION_WARNING },
	{ "{\"tokenizer_pool_size\": 4}",
	  { "0.9.0", false, NULL },
	  false,
	  "deprecates and 0.10.0 removes, expected no argument (it has no effect)",
	  OPTION_WARNING },
	{ "{\"log_config_file\": \"l.json\"}",
	  { "0.32.0", false, NULL },
	  false,
	  "an argument that vLLM 0.32.0 deprecates, expected no argument",
	  OPTION_WARNING },
	/* choices */
	{ "{\"convert\": \"reward\"}",
	  { "0.32.0", false, NULL },
	  false,
	  "e.yaml:7:3: server.convert: found \"reward\", a choice that vLLM 0.32.0 no longer has, "
	  "expected 'convert: embed'",
	  OPTION_ERROR },
	{ "{\"convert\": \"reward\"}", { "0.32.0", true, NULL }, false, "reward", OPTION_WARNING },
	{ "{\"convert\": \"reward\"}", { "0.15.0", false, NULL }, false, NULL, 0 },
	{ "{\"prefix_caching_hash_algo\": \"xxhash\"}",
	  { "0.10.1", false, NULL },
	  true,
	  "found \"xxhash\", not a choice of vLLM 0.10.1, expected builtin, sha256 or "
	  "sha256_cbor_64bit, or vLLM 0.13.0 or newer",
	  OPTION_ERROR },
	{ "{\"prefix_caching_hash_algo\": \"builtin\"}",
	  { "0.10.1", false, NULL },
	  false,
	  NULL,
	  0 },
	/* a list that is not checked */
	{ "{\"attention_backend\": \"tree_attn\"}", { "0.20.0", false, NULL }, false, NULL, 0 },
	{ "{\"convert\": \"embed\"}", { "0.32.0", false, NULL }, false, NULL, 0 },
	{ "{\"attention_backend\": \"tree_attn\"}",
	  { "0.32.0", false, NULL },
	  false,
	  "\"tree_attn\", a choice that vLLM 0.32.0 no longer has",
	  OPTION_ERROR },
	/* not a row: another's business */
	{ "{\"made_up\": 1}", { "0.32.0", false, NULL }, false, NULL, 0 },
};

static void targets_lack_arguments_and_choices(void **state)
{
	(void)state;
	for (size_t i = 0; i < PL_ARRAY_SIZE(target_cases); i++) {
		auto_json json_t *values = json_loads(target_cases[i].values, 0, NULL);
		auto_problems problems = { 0 };
		auto_buf text = { 0 };
		pl_buf_init(&text, 4096);
		vllm_target_check_args(values, &target_cases[i].target,
				       target_cases[i].allow_removed, position_of, user_text,
				       &problems);
		if (problems.count != (target_cases[i].text != NULL))
			fail_msg("%s for %s: %zu problems", target_cases[i].values,
				 target_cases[i].target.version, problems.count);
		if (problems.count == 0)
			continue;
		option_problem_text(&problems.items[0], OPTION_AS_FILE, &text);
		if (strstr(pl_buf_text(&text), target_cases[i].text) == NULL)
			fail_msg("%s: %s", target_cases[i].values, pl_buf_text(&text));
		assert_int_equal(problems.items[0].severity, target_cases[i].severity);
		assert_null(problems.items[0].rule);
	}
}

static void targets_lack_newer_arguments(void **state)
{
	auto_json json_t *overlay = json_loads(
		"{\"profllm_overlay\": 1, \"args\": [{\"name\": \"made_up\","
		" \"type\": \"int\", \"default\": 3, \"since\": \"0.31.0\"}]}",
		0, NULL);
	auto_json json_t *values = json_pack("{s:i}", "made_up", 4);
	struct vllm_target older = { "0.30.2", false, NULL };
	struct vllm_target newer = { "0.31.0", false, NULL };
	struct pl_err err = PL_ERR_INIT;
	auto_problems problems = { 0 };

	(void)state;
	auto_catalog const struct vllm_catalog *catalog = NULL;
	assert_int_equal(
		vllm_catalog_overlay(vllm_catalog_reference(), overlay, "overlay", &catalog, &err),
		0);
	older.catalog = catalog;
	newer.catalog = catalog;
	vllm_target_check_args(values, &newer, false, NULL, NULL, &problems);
	assert_int_equal(problems.count, 0);
	vllm_target_check_args(values, &older, false, NULL, NULL, &problems);
	assert_int_equal(problems.count, 1);
	assert_int_equal(problems.errors, 1);
	assert_string_equal(problems.items[0].key, "server.made_up");
	assert_string_equal(problems.items[0].found,
			    "an argument that vLLM 0.30.2 does not have yet");
	assert_string_equal(problems.items[0].expected, "vLLM 0.31.0 or newer");
}

static void a_rule_as_json_has_every_member(void **state)
{
	auto_json json_t *json = vllm_rule_to_json(vllm_rule_find("dcp_divides_tp"));
	auto_json json_t *bench = vllm_rule_to_json(vllm_rule_find("bench_frontend_mp"));
	auto_free char *args = pl_json_to_text(json_object_get(json, "args"), PL_JSON_COMPACT);

	(void)state;
	assert_string_equal(args, "[\"decode_context_parallel_size\","
				  "\"prefill_context_parallel_size\",\"tensor_parallel_size\"]");
	assert_string_equal(json_string_value(json_object_get(json, "when")),
			    "prefill_context_parallel_size == 1");
	assert_string_equal(json_string_value(json_object_get(json, "since")), "0.26.0");
	assert_true(json_is_null(json_object_get(json, "until")));
	assert_string_equal(json_string_value(json_object_get(json, "reference")), "holds");
	assert_string_equal(json_string_value(json_object_get(bench, "scope")), "bench_throughput");
	assert_string_equal(json_string_value(json_object_get(bench, "severity")), "warning");
	assert_true(json_is_null(json_object_get(bench, "reference_source")));
	assert_int_equal(json_object_size(json), 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_rule_compiles_and_names_existing_things),
		cmocka_unit_test(a_misspelt_name_is_found),
		cmocka_unit_test(every_rule_fires_and_is_quiet),
		cmocka_unit_test(unknown_facts_break_nothing),
		cmocka_unit_test(the_defaults_break_nothing),
		cmocka_unit_test(real_set_ups_pass),
		cmocka_unit_test(releases_choose_the_effect),
		cmocka_unit_test(problems_say_what_and_where),
		cmocka_unit_test(the_host_alone_can_break_a_rule),
		cmocka_unit_test(long_values_are_cut_between_characters),
		cmocka_unit_test(targets_lack_arguments_and_choices),
		cmocka_unit_test(targets_lack_newer_arguments),
		cmocka_unit_test(a_rule_as_json_has_every_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
