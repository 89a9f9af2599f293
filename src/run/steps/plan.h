/* The plan: prompts, arrivals and request bodies, all made before the clock starts. */
#pragma once

#include "bench/adapters/adapter.h"
#include "bench/data/dataset.h"
#include "bench/load/load.h"

struct bench_tokenizer;

struct run_plan {
	struct bench_dataset *dataset;
	char *id_prefix; /* of the request ids */
	struct bench_request *requests;
	char **bodies; /* [count] */
	size_t count;
	char sha256[65]; /* of the dataset's file, or of the prompts */
	bool grows;      /* bodies contain responses, so the prompts are unknown before the run */
	double shared_prefix_share; /* share of the prompts' length that repeats the start of an earlier prompt */
};

struct run_plan_input {
	const struct vllm_bench *bench;
	const struct bench_adapter *adapter;
	const char *model;
	const struct bench_tokenizer *tokenizer; /* NULL: none */
};

/* Draws in the order of vLLM: dataset, then arrivals. */
int run_plan_build(const struct run_plan_input *input, struct run_plan **ret,
		   struct pl_err *err) PL_MUST_CHECK;
void run_plan_free(struct run_plan *plan);
PL_AUTO_DEFINE(struct run_plan, run_plan_free);
#define auto_plan PL_AUTO(run_plan_free)

/* vLLM forces it for random prompts with OpenAI-compatible backends. */
bool run_plan_ignores_eos(const struct vllm_bench *bench);
/* Returns whether planned times matter: a finite rate or a ramp-up. */
bool run_plan_has_rate(const struct vllm_bench *bench);

/*
 * Makes `count` bodies for warm-ups: the plan's prompts rotated by a part of their length, so they are as long as the
 * measured ones and share no start with them. *ret: an array of texts; free() each and the array.
 */
int run_plan_warmups(const struct run_plan *plan, const struct run_plan_input *input, size_t count,
		     struct bench_request **ret_requests, char ***ret_bodies,
		     struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns the share of the texts' bytes that repeat the start of an earlier text. `pairs`: lists of inputs are
 * a query and its documents, and the server reads the query before each document.
 */
double run_shared_prefix_share(const struct bench_sample *samples, size_t count, bool pairs);
