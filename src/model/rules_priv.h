/*
 * Between rules.c and rules_check.c.
 */
#ifndef MODEL_RULES_PRIV_H
#define MODEL_RULES_PRIV_H

#include "model/rules.h"
#include "model/version.h"

/* By its own name only: rules know no aliases. NULL: none. */
const struct md_arg *md_rule_find_arg(const char *name);

/* Every name of a rule once, in the order of its text. */
struct md_rule_names {
	const struct md_expr *items[MD_EXPR_NODES_MAX];
	size_t count;
};
void md_rule_names(const struct md_rule *rule, struct md_rule_names *names);
/* The arguments among them, each once and sorted. Returns how many. */
size_t md_rule_args(const struct md_rule_names *names, const char *args[MD_EXPR_NODES_MAX]);

/* What rules are evaluated against. */
struct md_rule_subject {
	const json_t *values;
	const struct md_rule_env *env;
};
/* A scope borrows the subject. The functions take it as `user`. */
struct md_expr_scope md_rule_scope_of(struct md_rule_subject *subject);
/* The user's own value, NULL where there is none. */
const json_t *md_rule_given(const struct md_rule_subject *subject, const char *arg,
			    const char *key);
bool md_rule_is_set(void *user, const char *arg, const char *key);
struct md_value md_rule_fact(void *user, const char *name);

/* The target's own text; NULL: it says no release, and *ret is the reference. */
const char *md_target_release(const struct md_target *target, struct md_version *ret);
/* -1, 0 or 1; 0 and not *ret_known where `text` is NULL or no release. */
int md_release_compare(const struct md_version *release, const char *text, bool *ret_known);
enum md_rule_effect md_rule_effect_for(const struct md_rule *rule,
				       const struct md_version *release);

#endif
