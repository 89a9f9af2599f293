/*
 * The constraint rules, rows of tbl/constraints.h, and what they say about a server's arguments, a
 * release and a host.
 *
 * - The expressions are compiled when first used, once, and shared by all threads.
 * - Defaults are those of the reference release.
 */
#ifndef MODEL_RULES_H
#define MODEL_RULES_H

#include "base/json.h"
#include "model/expr_eval.h"
#include "option/problem.h"
#include "model/server_args.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum md_rule_scope { MD_RULE_ENGINE, MD_RULE_BENCH_THROUGHPUT, MD_RULE_BENCH_LATENCY };
enum md_rule_reference {
	MD_RULE_HOLDS,
	MD_RULE_CHANGED,
	MD_RULE_GONE,
	MD_RULE_ADVICE,
};

struct md_rule {
	const char *id;
	enum option_severity severity;
	enum md_rule_scope scope;
	const char *since; /* first release, or NULL */
	const char *until; /* first release that it no longer holds for, or NULL */
	enum md_rule_reference reference;
	const char *when;
	const char *require;
	const char *message;
	const char *source; /* file and function of the reference release, or NULL */
	const char *reference_note;
	const char *note;
};

size_t md_rule_count(void);
const struct md_rule *md_rule_at(size_t i);
const struct md_rule *md_rule_find(const char *id);                   /* NULL: none */
const char *md_rule_scope_name(enum md_rule_scope scope);             /* "bench_latency" */
const char *md_rule_reference_name(enum md_rule_reference reference); /* "holds" */
/* Every member by its name, `args` (sorted names of arguments) beside them. A new reference. */
json_t *md_rule_to_json(const struct md_rule *rule);
const struct md_expr *md_rule_when(const struct md_rule *rule);
const struct md_expr *md_rule_require(const struct md_rule *rule);

/* Are all names of an expression arguments, their keys, or facts of struct md_rule_env? */
int md_rule_names_check(const struct md_expr *expr, struct pl_err *err) PL_MUST_CHECK;

/* What is known of the host and the run. */
struct md_rule_env {
	double gpus;             /* allocated to the run; NaN: not known */
	const char *platform;    /* cuda, rocm, hpu, tpu, cpu, xpu; NULL: not known */
	double host_memory_gib;  /* NaN: not known */
	double api_servers;      /* processes, normally 1; NaN: not known */
	int model_is_multimodal; /* -1: not known */
};
#define MD_RULE_ENV_UNKNOWN                            \
	((struct md_rule_env){ .gpus = NAN,            \
			       .host_memory_gib = NAN, \
			       .api_servers = NAN,     \
			       .model_is_multimodal = -1 })

/* The release of vLLM that is meant. NULL, unreadable or 0.1.devN: the reference, assumed. */
struct md_target {
	const char *version;
	bool assumed; /* nobody said so */
};

struct md_rule_place {
	const char *source; /* file name, or NULL */
	int line;           /* from 1; 0: none */
	int column;
};
/* Where an argument was set; NULL: the section itself. ret is zeroed before. */
typedef void md_rule_place_fn(void *user, const char *arg, struct md_rule_place *ret);

/* What a broken rule is for a release. */
enum md_rule_effect { MD_RULE_SILENT, MD_RULE_WARNS, MD_RULE_REFUSES };
enum md_rule_effect md_rule_effect(const struct md_rule *rule, const struct md_target *target);

/* Broken: *ret_when is MD_TRUE and *ret_require MD_FALSE. Either may be NULL. */
void md_rule_evaluate(const struct md_rule *rule, const json_t *values,
		      const struct md_rule_env *env, enum md_truth *ret_when,
		      enum md_truth *ret_require);

/*
 * Adds a problem for each rule of the engine scope that `values` (typed, by snake_case name) break:
 * key "server.ARG" and the place of the first set argument of the rule, found the values that it
 * looked at, expected its message. place NULL: no places.
 */
void md_rules_check(const json_t *values, const struct md_target *target,
		    const struct md_rule_env *env, md_rule_place_fn *place, void *user,
		    struct option_problems *problems);

/*
 * Adds a problem for each argument or choice that the target does not have: an error where the
 * release is known and allow_gone is false, a warning elsewhere.
 */
void md_target_check_args(const json_t *values, const struct md_target *target, bool allow_gone,
			  md_rule_place_fn *place, void *user, struct option_problems *problems);

/*
 * Adds a problem for each key that must be in an object of `values` and is not: an error, or a
 * warning where the target is another release than the reference, whose keys the table has.
 */
void md_required_keys_check(const json_t *values, const struct md_target *target,
			    md_rule_place_fn *place, void *user, struct option_problems *problems);

#endif
