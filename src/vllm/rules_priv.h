/* Shared by rules.c and rules_check.c. */
#pragma once

#include "vllm/rules.h"

/* Finds an argument only by its own name: rules use no aliases. NULL: none. */
const struct option_row *vllm_rule_find_arg(const struct vllm_catalog *catalog, const char *name);

/* The names of a rule without duplicates, in the order of its text. */
struct vllm_rule_names {
	const struct vllm_expr *items[VLLM_EXPR_NODES_MAX];
	size_t count;
};
void vllm_rule_names(const struct vllm_rule *rule, struct vllm_rule_names *names);
/* Sorts the distinct arguments among them into `args`. Returns their number. */
size_t vllm_rule_args(const struct vllm_rule_names *names, const char *args[VLLM_EXPR_NODES_MAX]);

/* The data that rules are evaluated against. */
struct vllm_rule_subject {
	const struct vllm_catalog *catalog;
	const json_t *values;
	const struct vllm_rule_env *env;
	json_t *defaults; /* object: the defaults used so far; borrowed */
};
/* A scope borrows the subject. The functions take it as `user`. */
struct vllm_expr_scope vllm_rule_scope_of(struct vllm_rule_subject *subject);
/* Returns the user's value, NULL if there is none. */
const json_t *vllm_rule_given(const struct vllm_rule_subject *subject, const char *arg,
			      const char *key);
bool vllm_rule_is_set(void *user, const char *arg, const char *key);
struct vllm_value vllm_rule_fact(void *user, const char *name);

enum vllm_rule_effect vllm_rule_effect_for(const struct vllm_rule *rule,
					   const struct vllm_version *release);
