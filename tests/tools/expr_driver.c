/*
 * Evaluates constraint rules and their expressions: one JSON object per line on standard input,
 * one JSON value per line in return.
 *   {parse: TEXT}                         {ast: PREFIX ARRAY} or {error: TEXT}
 *   {rules: true}                         every rule, parsed as when_ast and require_ast
 *   {rule: ID, values, env}               {when: BOOL OR NULL, require: BOOL OR NULL}
 *   {check: {version, assumed}, values, env}   the problems
 *   {versions: [A, B]}                    -1, 0, 1, or null if one is not a version
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "vllm/rules_priv.h"
#include "vllm/version.h"

#define ARENA_BYTES 4096

static double number(const json_t *json, const char *key)
{
	const json_t *value = json_object_get(json, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const json_t *json, const char *key)
{
	return json_string_value(json_object_get(json, key));
}

static struct vllm_rule_env read_env(const json_t *json)
{
	const json_t *multimodal = json_object_get(json, "model_is_multimodal");

	return (struct vllm_rule_env){
		.gpus = number(json, "gpus"),
		.platform = text(json, "platform"),
		.host_memory_gib = number(json, "host_memory_gib"),
		.api_servers = number(json, "api_servers"),
		.model_is_multimodal = json_is_boolean(multimodal) ? json_is_true(multimodal) : -1,
		.capability = number(json, "capability"),
		.experts = number(json, "experts"),
		.checkpoint_quantization = text(json, "checkpoint_quantization"),
		.checkpoint_scheme = text(json, "checkpoint_scheme"),
	};
}

static json_t *truth_json(enum vllm_truth truth)
{
	return truth == VLLM_UNKNOWN ? json_null() : json_boolean(truth == VLLM_TRUE);
}

static json_t *answer_parse(const char *text)
{
	struct pl_arena *arena = pl_arena_new(ARENA_BYTES);
	const struct vllm_expr *expr;
	struct pl_err err = PL_ERR_INIT;
	json_t *answer = json_object();

	if (vllm_expr_parse(text, arena, &expr, &err) == 0)
		json_object_set_new(answer, "ast", vllm_expr_to_json(expr));
	else
		json_object_set_new(answer, "error", json_string(err.text));
	pl_arena_free(arena);
	return answer;
}

static json_t *answer_rules(void)
{
	json_t *answer = json_array();

	for (size_t i = 0; i < vllm_rule_count(); i++) {
		const struct vllm_rule *rule = vllm_rule_at(i);
		json_t *json = vllm_rule_to_json(rule);
		json_object_set_new(json, "when_ast", vllm_expr_to_json(vllm_rule_when(rule)));
		json_object_set_new(json, "require_ast",
				    vllm_expr_to_json(vllm_rule_require(rule)));
		json_array_append_new(answer, json);
	}
	return answer;
}

static json_t *answer_rule(const json_t *question, const json_t *values,
			   const struct vllm_rule_env *env)
{
	const char *id = json_string_value(json_object_get(question, "rule"));
	const struct vllm_rule *rule = vllm_rule_find(id);
	auto_json json_t *defaults = json_object();
	struct vllm_rule_subject subject = { vllm_catalog_reference(), values, env, defaults };
	struct vllm_expr_scope scope = vllm_rule_scope_of(&subject);

	if (rule == NULL)
		return NULL;
	return json_pack("{s:o, s:o}", "when",
			 truth_json(vllm_expr_truth(vllm_rule_when(rule), &scope)), "require",
			 truth_json(vllm_expr_truth(vllm_rule_require(rule), &scope)));
}

static json_t *answer_check(const json_t *check, const json_t *values,
			    const struct vllm_rule_env *env)
{
	struct vllm_target target = {
		.version = json_string_value(json_object_get(check, "version")),
		.assumed = json_is_true(json_object_get(check, "assumed")),
	};
	auto_problems problems = { 0 };
	json_t *answer = json_array();

	vllm_rules_check(values, &target, env, NULL, NULL, &problems);
	vllm_target_check_args(values, &target, false, NULL, NULL, &problems);
	for (size_t i = 0; i < problems.count; i++)
		json_array_append_new(answer, option_problem_to_json(&problems.items[i]));
	return answer;
}

static json_t *answer_versions(const json_t *pair)
{
	struct vllm_version versions[2];
	struct pl_err err = PL_ERR_INIT;

	for (size_t i = 0; i < 2; i++) {
		const char *text = json_string_value(json_array_get(pair, i));
		if (vllm_version_parse(text, &versions[i], &err) < 0)
			return json_null();
	}
	return json_integer(vllm_version_compare(&versions[0], &versions[1]));
}

static json_t *answer(const json_t *question)
{
	const json_t *values = json_object_get(question, "values");
	struct vllm_rule_env env = read_env(json_object_get(question, "env"));
	const json_t *text = json_object_get(question, "parse");

	if (text != NULL)
		return answer_parse(json_string_value(text));
	if (json_object_get(question, "rules") != NULL)
		return answer_rules();
	if (json_object_get(question, "rule") != NULL)
		return answer_rule(question, values, &env);
	if (json_object_get(question, "check") != NULL)
		return answer_check(json_object_get(question, "check"), values, &env);
	if (json_object_get(question, "versions") != NULL)
		return answer_versions(json_object_get(question, "versions"));
	return NULL;
}

int main(void)
{
	auto_free char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, stdin)) > 0) {
		struct pl_err err = PL_ERR_INIT;
		auto_json json_t *question = NULL;
		auto_json json_t *reply = NULL;
		if (pl_json_parse(line, (size_t)len, "stdin", &question, &err) == 0)
			reply = answer(question);
		if (reply == NULL) {
			fprintf(stderr, "expr_driver: cannot answer %s", line);
			return 1;
		}
		auto_free char *text = pl_json_to_text(reply, PL_JSON_COMPACT);
		puts(text);
	}
	return 0;
}
