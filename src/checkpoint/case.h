/*
 * A server to be started, as far as it is known: what the checks of a model and the sum of its
 * memory look at. Everything is borrowed; NULL and NaN: not known.
 */
#pragma once

#include <stdint.h>

#include "base/json.h"
#include "checkpoint/hardware.h"
#include "checkpoint/facts.h"
#include "option/problem.h"
#include "vllm/rules.h"

struct ckpt_case {
	const json_t *values; /* the server's arguments: snake_case name -> typed value */
	const json_t *env;    /* launch.env: name -> text */
	const struct ckpt_facts *facts;
	const struct ckpt_hardware *hardware;
	const char *platform;             /* cuda, rocm, cpu …; NULL: the hardware's */
	const struct vllm_target *target; /* NULL: the reference release */
	double available_bytes;           /* what a GPU has left for the KV cache, by a log; NaN */
	bool doubtful;                    /* what breaks only warns */

	vllm_rule_place_fn *place; /* where an argument was set; NULL: no places */
	void *user;
};

#define CKPT_MODEL_CASE(...) ((struct ckpt_case){ .available_bytes = NAN, __VA_ARGS__ })

/* The same server for what follows from its model's facts, or its shape alone: where those are
 * doubtful it only warns. */
struct ckpt_case ckpt_case_of_facts(const struct ckpt_case *server);
struct ckpt_case ckpt_case_of_shape(const struct ckpt_case *server);

/* Whole numbers and flags out of `values`; `missing` where the argument is not set to one. */
int64_t ckpt_case_int(const struct ckpt_case *server, const char *arg, int64_t missing);
/* A parallel size: 1 where it is not set; at most 2^20. */
int64_t ckpt_case_parallel(const struct ckpt_case *server, const char *arg);
double ckpt_case_number(const struct ckpt_case *server, const char *arg, double missing);
/* The default in the target's catalogue; NaN: none, or no number. */
double ckpt_case_default(const struct ckpt_case *server, const char *arg);
int ckpt_case_is_true(const struct ckpt_case *server, const char *arg);
int ckpt_case_is_false(const struct ckpt_case *server, const char *arg);
const char *ckpt_case_text(const struct ckpt_case *server, const char *arg);
/* launch.env's, else the process's own; NULL when empty. */
const char *ckpt_case_env(const struct ckpt_case *server, const char *name);
/* "cuda", "cpu"; NULL: not known. */
const char *ckpt_case_platform(const struct ckpt_case *server);
bool ckpt_case_is_cpu(const struct ckpt_case *server);
/* At or above a release, by the target (the reference where none is given). */
int ckpt_case_since(const struct ckpt_case *server, const char *release);

/* The longest sequence: max_model_len, or what vLLM derives from the model; 0: not known. */
int64_t ckpt_case_max_len(const struct ckpt_case *server);
/* max_num_batched_tokens, or vLLM's default on that hardware. */
int64_t ckpt_case_batched_tokens(const struct ckpt_case *server);
int64_t ckpt_case_max_seqs(const struct ckpt_case *server);

/* Adds a problem of the argument at its place. `found` and `expected` are copied. */
void ckpt_case_add(const struct ckpt_case *server, struct option_problems *problems,
		   enum option_severity severity, const char *arg, const char *rule,
		   const char *found, const char *expected, const char *nearest);
