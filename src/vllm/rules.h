/*
 * The constraint rules, rows of tbl/constraints.h, and what they say about a server's arguments, a
 * release and a host.
 *
 * - The expressions are compiled when first used, once, and shared by all threads.
 * - Defaults are those of the catalogue.
 */
#pragma once

#include "base/json.h"
#include "vllm/expr_eval.h"
#include "option/problem.h"
#include "vllm/catalog.h"
#include "vllm/version.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum vllm_rule_scope { VLLM_RULE_ENGINE, VLLM_RULE_BENCH_THROUGHPUT, VLLM_RULE_BENCH_LATENCY };
enum vllm_rule_reference {
	VLLM_RULE_HOLDS,
	VLLM_RULE_CHANGED,
	VLLM_RULE_GONE,
	VLLM_RULE_ADVICE,
};

struct vllm_rule {
	const char *id;
	enum option_severity severity;
	enum vllm_rule_scope scope;
	const char *since; /* first release, or NULL */
	const char *until; /* first release that it no longer holds for, or NULL */
	enum vllm_rule_reference reference;
	const char *when;
	const char *require;
	const char *message;
	const char *source; /* file and function of the reference release, or NULL */
	const char *reference_note;
	const char *note;
};

size_t vllm_rule_count(void);
const struct vllm_rule *vllm_rule_at(size_t i);
const struct vllm_rule *vllm_rule_find(const char *id); /* NULL: none */
/* Every member by its name, `args` (sorted names of arguments) beside them. A new reference. */
json_t *vllm_rule_to_json(const struct vllm_rule *rule);
const struct vllm_expr *vllm_rule_when(const struct vllm_rule *rule);
const struct vllm_expr *vllm_rule_require(const struct vllm_rule *rule);

/* What is known of the host and the run. */
struct vllm_rule_env {
	double gpus;             /* allocated to the run; NaN: not known */
	const char *platform;    /* cuda, rocm, hpu, tpu, cpu, xpu; NULL: not known */
	double host_memory_gib;  /* NaN: not known */
	double api_servers;      /* processes, normally 1; NaN: not known */
	int model_is_multimodal; /* -1: not known */
	double capability;       /* CUDA compute capability times ten; NaN: not known */
	double experts;          /* of the model; 0: it is dense; NaN: not known */
	const char
		*checkpoint_quantization; /* method of the checkpoint; NULL: none, or not known */
	const char *checkpoint_scheme;    /* of compressed-tensors: w8a8_int8, wna16; NULL: other */
};
#define VLLM_RULE_ENV_UNKNOWN                               \
	((struct vllm_rule_env){ .gpus = NAN,               \
				 .host_memory_gib = NAN,    \
				 .api_servers = NAN,        \
				 .model_is_multimodal = -1, \
				 .capability = NAN,         \
				 .experts = NAN })

/* The vLLM that is meant: the arguments known of it, and its release. */
struct vllm_target {
	const char *version; /* NULL, unreadable or 0.1.devN: the reference, assumed */
	bool assumed;        /* nobody said so */
	const struct vllm_catalog *catalog; /* NULL: the reference's */
};

struct vllm_rule_place {
	const char *source; /* file name, or NULL */
	int line;           /* from 1; 0: none */
	int column;
	const char *flag; /* of a command line: how the argument is called there, or NULL */
};
/* Where an argument or "argument.key" was set; NULL: the section itself. ret is zeroed before. */
typedef void vllm_rule_place_fn(void *user, const char *arg, struct vllm_rule_place *ret);

/* What a broken rule is for a release. */
enum vllm_rule_effect { VLLM_RULE_SILENT, VLLM_RULE_WARNS, VLLM_RULE_REFUSES };

/*
 * Adds a problem for each rule of the engine scope that `values` (typed, by snake_case name) break:
 * key "server.ARG" and the place of the first set argument of the rule, found the values that it
 * looked at, expected its message. place NULL: no places.
 */
void vllm_rules_check(const json_t *values, const struct vllm_target *target,
		      const struct vllm_rule_env *env, vllm_rule_place_fn *place, void *user,
		      struct option_problems *problems);

/*
 * Adds a problem for each argument or choice that the target does not have: an error where the
 * release is known and allow_gone is false, a warning elsewhere; and a warning for each argument
 * that it has still and deprecates.
 */
void vllm_target_check_args(const json_t *values, const struct vllm_target *target, bool allow_gone,
			    vllm_rule_place_fn *place, void *user,
			    struct option_problems *problems);

/*
 * The same of the keys in an argument's object, nothing of the argument itself; they are errors also
 * where the release is assumed, as keys that nobody has are. Returns how many errors.
 */
size_t vllm_target_check_keys(const struct option_row *arg, const json_t *value,
			      const struct vllm_target *target, bool allow_gone,
			      vllm_rule_place_fn *place, void *user,
			      struct option_problems *problems);

/*
 * Adds a problem for each key that must be in an object of `values` and is not: an error, or a
 * warning where the target is another release than the reference, whose keys the table has.
 */
void vllm_required_keys_check(const json_t *values, const struct vllm_target *target,
			      vllm_rule_place_fn *place, void *user,
			      struct option_problems *problems);
/*
 * The sentence on a release that is newer than the reference: the tables do not have what it changed.
 * NULL: it is not newer, or names no release. The caller's (free()).
 */
char *vllm_newer_note(const char *release);
/* The target's own text; NULL: it says no release, and *ret is the reference. */
const char *vllm_target_release(const struct vllm_target *target, struct vllm_version *ret);
