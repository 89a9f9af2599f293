/*
 * Parses any text as an expression: refused with a column, or a tree whose meaning obeys the laws
 * of three values for all values of its names.
 */
#include "vllm/expr_eval.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 4096 };

static const json_t *pick(void *user, const char *name)
{
	const json_t *list = user;
	size_t sum = 0;

	for (; *name != '\0'; name++)
		sum += (unsigned char)*name;
	return json_array_get(list, sum % json_array_size(list));
}

static struct vllm_value value(void *user, const char *arg, const char *key)
{
	return vllm_value_of_json(pick(user, key != NULL ? key : arg));
}

static bool is_set(void *user, const char *arg, const char *key)
{
	return !json_is_null(pick(user, key != NULL ? key : arg));
}

static struct vllm_value env(void *user, const char *name)
{
	return vllm_value_of_json(pick(user, name));
}

static void require(bool holds)
{
	if (!holds)
		abort();
}

static enum vllm_truth opposite(enum vllm_truth truth)
{
	return truth == VLLM_UNKNOWN ? VLLM_UNKNOWN : truth == VLLM_TRUE ? VLLM_FALSE : VLLM_TRUE;
}

static void count_name(void *user, const struct vllm_expr *name)
{
	require(name->text != NULL && name->text[0] != '\0');
	(*(size_t *)user)++;
}

static void check_laws(const struct vllm_expr *expr, const struct vllm_expr_scope *scope)
{
	enum vllm_truth truth = vllm_expr_truth(expr, scope);
	struct vllm_expr second = *expr;
	struct vllm_expr first = *expr;
	struct vllm_expr inverse = { .op = VLLM_EXPR_NOT, .first = expr };
	struct vllm_expr both = { .op = VLLM_EXPR_AND, .first = &first };
	struct vllm_expr either = { .op = VLLM_EXPR_OR, .first = &first };

	first.next = &second;
	second.next = NULL;
	require(truth == VLLM_FALSE || truth == VLLM_TRUE || truth == VLLM_UNKNOWN);
	require(vllm_expr_truth(&inverse, scope) == opposite(truth));
	require(vllm_expr_truth(&both, scope) == truth);
	require(vllm_expr_truth(&either, scope) == truth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kinds[] = { "[null]",
					     "[true, 0, 3.5, \"fp8\", [1, null], {\"a\": 1}]" };
	auto_free char *text = pl_strndup((const char *)data, size);
	struct pl_arena *arena = pl_arena_new(ARENA_BYTES);
	const struct vllm_expr *expr = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t names = 0;

	if (vllm_expr_parse(text, arena, &expr, &err) < 0) {
		require(err.code == PL_ERR_INVALID && err.text[0] != '\0' && expr == NULL);
		pl_arena_free(arena);
		return 0;
	}
	auto_json json_t *json = vllm_expr_to_json(expr);
	require(json_is_array(json) && json_is_string(json_array_get(json, 0)));
	vllm_expr_each_name(expr, count_name, &names);
	require(names <= VLLM_EXPR_NODES_MAX);
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		auto_json json_t *values = json_loads(kinds[i], 0, NULL);
		struct vllm_expr_scope scope = { value, is_set, env, values };
		check_laws(expr, &scope);
	}
	pl_arena_free(arena);
	return 0;
}
