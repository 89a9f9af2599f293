/*
 * The known properties of a server to be started, for the checks of a model and the memory
 * estimate. Everything is borrowed; NULL and NaN: unknown.
 */
#pragma once

#include <stdint.h>

#include "base/json.h"
#include "checkpoint/facts.h"
#include "checkpoint/hardware.h"
#include "option/problem.h"
#include "vllm/rules.h"

struct ckpt_case {
	const json_t *values; /* the server's arguments: snake_case name -> typed value */
	const json_t *env;    /* launch.env: name -> text */
	const struct ckpt_facts *facts;
	const struct ckpt_hardware *hardware;
	const char *platform;             /* cuda, rocm, cpu …; NULL: the hardware's */
	const struct vllm_target *target; /* NULL: the reference release */
	/* a GPU's memory available for the KV cache, from a log; NaN: unknown */
	double available_bytes;
	bool doubtful; /* violations are only warnings */

	vllm_rule_locate_fn *location; /* location of an argument; NULL: no locations */
	void *user;
};

#define CKPT_MODEL_CASE(...) ((struct ckpt_case){ .available_bytes = NAN, __VA_ARGS__ })

/*
 * Return the same server for conclusions from its model's facts, or only from its shape: if those
 * are doubtful, violations are only warnings.
 */
struct ckpt_case ckpt_case_of_facts(const struct ckpt_case *server);
struct ckpt_case ckpt_case_of_shape(const struct ckpt_case *server);

/* Return integers and flags from `values`; `missing` if the argument is not set to one. */
int64_t ckpt_case_int(const struct ckpt_case *server, const char *arg, int64_t missing);
/* Returns a parallel size: 1 if it is not set; at most 2^20. */
int64_t ckpt_case_parallel(const struct ckpt_case *server, const char *arg);
double ckpt_case_number(const struct ckpt_case *server, const char *arg, double missing);
/* Returns the default in the target's catalogue; NaN: none, or not a number. */
double ckpt_case_default(const struct ckpt_case *server, const char *arg);
int ckpt_case_is_true(const struct ckpt_case *server, const char *arg);
int ckpt_case_is_false(const struct ckpt_case *server, const char *arg);
const char *ckpt_case_text(const struct ckpt_case *server, const char *arg);
/* Returns the variable from launch.env, otherwise from the process's environment; NULL if empty. */
const char *ckpt_case_env(const struct ckpt_case *server, const char *name);
/* Returns "cuda" or "cpu"; NULL: unknown. */
const char *ckpt_case_platform(const struct ckpt_case *server);
bool ckpt_case_is_cpu(const struct ckpt_case *server);
/* Returns whether the target (the reference if there is none) is that release or later. */
int ckpt_case_since(const struct ckpt_case *server, const char *release);

/* Returns the longest sequence: max_model_len, or what vLLM derives from the model; 0: unknown. */
int64_t ckpt_case_max_len(const struct ckpt_case *server);
/* Returns max_num_batched_tokens, or vLLM's default on that hardware. */
int64_t ckpt_case_batched_tokens(const struct ckpt_case *server);
int64_t ckpt_case_max_seqs(const struct ckpt_case *server);

/* Adds a problem of the argument at its location. Copies `found` and `expected`. */
void ckpt_case_add(const struct ckpt_case *server, struct option_problems *problems,
		   enum option_severity severity, const char *arg, const char *rule,
		   const char *found, const char *expected, const char *nearest);
/* Warns with a message instead of a found and an expected value. Copies it. */
void ckpt_case_warn(const struct ckpt_case *server, struct option_problems *problems,
		    const char *arg, const char *rule, const char *message, const char *nearest);
