/*
 * Between rules.c and rules_check.c.
 */
#pragma once

#include "vllm/rules.h"

/* By its own name only: rules know no aliases. NULL: none. */
const struct option_row *vllm_rule_find_arg(const struct vllm_catalog *catalog, const char *name);

/* Every name of a rule once, in the order of its text. */
struct vllm_rule_names {
	const struct vllm_expr *items[VLLM_EXPR_NODES_MAX];
	size_t count;
};
void vllm_rule_names(const struct vllm_rule *rule, struct vllm_rule_names *names);
/* The arguments among them, each once and sorted. Returns how many. */
size_t vllm_rule_args(const struct vllm_rule_names *names, const char *args[VLLM_EXPR_NODES_MAX]);

/* What rules are evaluated against. */
struct vllm_rule_subject {
	const struct vllm_catalog *catalog;
	const json_t *values;
	const struct vllm_rule_env *env;
	json_t *defaults; /* object: those that were asked for; borrowed */
};
/* A scope borrows the subject. The functions take it as `user`. */
struct vllm_expr_scope vllm_rule_scope_of(struct vllm_rule_subject *subject);
/* The user's own value, NULL where there is none. */
const json_t *vllm_rule_given(const struct vllm_rule_subject *subject, const char *arg,
			      const char *key);
bool vllm_rule_is_set(void *user, const char *arg, const char *key);
struct vllm_value vllm_rule_fact(void *user, const char *name);

enum vllm_rule_effect vllm_rule_effect_for(const struct vllm_rule *rule,
					   const struct vllm_version *release);
