/*
 * The constraint rules, rows of tbl/constraints.h, applied to a server's arguments, a release and a
 * host.
 *
 * - The expressions are compiled once, on first use, and shared by all threads.
 * - Defaults are those of the catalogue.
 */
#pragma once

#include "base/json.h"
#include "option/problem.h"
#include "vllm/catalog.h"
#include "vllm/expr_eval.h"
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
	const char *until; /* first release for which it no longer holds, or NULL */
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
/* Returns every member under its name, and `args` (sorted names of arguments). New reference. */
json_t *vllm_rule_to_json(const struct vllm_rule *rule);
const struct vllm_expr *vllm_rule_when(const struct vllm_rule *rule);
const struct vllm_expr *vllm_rule_require(const struct vllm_rule *rule);

/* Facts about the host and the run. */
struct vllm_rule_env {
	double gpus;                         /* allocated to the run; NaN: unknown */
	const char *platform;                /* cuda, rocm, hpu, tpu, cpu, xpu; NULL: unknown */
	double host_memory_gib;              /* NaN: unknown */
	double api_servers;                  /* processes, normally 1; NaN: unknown */
	int model_is_multimodal;             /* -1: unknown */
	double capability;                   /* CUDA compute capability times ten; NaN: unknown */
	double experts;                      /* of the model; 0: it is dense; NaN: unknown */
	const char *checkpoint_quantization; /* method of the checkpoint; NULL: none, or unknown */
	const char *checkpoint_scheme; /* of compressed-tensors: w8a8_int8, wna16; NULL: other */
};
#define VLLM_RULE_ENV_UNKNOWN                               \
	((struct vllm_rule_env){ .gpus = NAN,               \
				 .host_memory_gib = NAN,    \
				 .api_servers = NAN,        \
				 .model_is_multimodal = -1, \
				 .capability = NAN,         \
				 .experts = NAN })

/* The target vLLM: its known arguments and its release. */
struct vllm_target {
	const char *version;                /* NULL, invalid or 0.1.devN: the reference, assumed */
	bool assumed;                       /* the release is not specified */
	const struct vllm_catalog *catalog; /* NULL: the reference's */
};

struct vllm_rule_location {
	const char *source; /* file name, or NULL */
	int line;           /* from 1; 0: none */
	int column;
	const char *flag; /* the argument's flag on a command line, or NULL */
};
/*
 * Sets the location of an argument or "argument.key"; NULL: the section itself. *ret is zeroed
 * before the call.
 */
typedef void vllm_rule_locate_fn(void *user, const char *arg, struct vllm_rule_location *ret);

/* The effect of a violated rule for a release. */
enum vllm_rule_effect { VLLM_RULE_SILENT, VLLM_RULE_WARNS, VLLM_RULE_REFUSES };

/*
 * Adds a problem for each rule of the engine scope that `values` (typed, by snake_case name)
 * violate: key "server.ARG" and the location of the rule's first argument that is set, found the
 * values used, expected its message. place NULL: no locations.
 */
void vllm_rules_check(const json_t *values, const struct vllm_target *target,
		      const struct vllm_rule_env *env, vllm_rule_locate_fn *location, void *user,
		      struct option_problems *problems);

/*
 * Adds a problem for each argument or choice that the target lacks: an error if the release is
 * known and allow_removed is false, otherwise a warning; and a warning for each argument that it
 * deprecates.
 */
void vllm_target_check_args(const json_t *values, const struct vllm_target *target,
			    bool allow_removed, vllm_rule_locate_fn *location, void *user,
			    struct option_problems *problems);

/*
 * The same for the keys in an argument's object, not for the argument itself. They are errors even
 * if the release is assumed, like keys that no release has. Returns the number of errors.
 */
size_t vllm_target_check_keys(const struct option_row *arg, const json_t *value,
			      const struct vllm_target *target, bool allow_removed,
			      vllm_rule_locate_fn *location, void *user,
			      struct option_problems *problems);

/*
 * Adds a problem for each required key that is missing in an object of `values`: an error, or a
 * warning if the target is a release other than the reference, whose keys the table has.
 */
void vllm_required_keys_check(const json_t *values, const struct vllm_target *target,
			      vllm_rule_locate_fn *location, void *user,
			      struct option_problems *problems);
/*
 * Returns the note on a release that is newer than the reference: the tables lack its changes.
 * NULL: it is not newer, or not a release. The caller frees it with free().
 */
char *vllm_newer_note(const char *release);
/* Returns the target's text; NULL: it specifies no release, and *ret is the reference. */
const char *vllm_target_release(const struct vllm_target *target, struct vllm_version *ret);
