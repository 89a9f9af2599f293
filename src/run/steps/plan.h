/*
 * What is sent: prompts, arrivals and request bodies, all made before the clock starts.
 */
#pragma once

#include "bench/adapters/adapter.h"
#include "bench/data/dataset.h"
#include "bench/load/load.h"

struct bench_tokenizer;

struct run_plan {
	struct bench_dataset *dataset;
	char *id_prefix; /* of the requests' names */
	struct bench_request *requests;
	char **bodies; /* [count] */
	size_t count;
	char sha256[65];            /* of the data set's file, or of the prompts */
	double shared_prefix_share; /* of the prompts' length: what comes again of an earlier one's start */
};

struct run_plan_input {
	const struct vllm_bench *bench;
	const struct bench_adapter *adapter;
	const char *model;
	const struct bench_tokenizer *tokenizer; /* NULL: none */
};

/* Draws in vLLM's order: data set, then arrivals. */
int run_plan_build(const struct run_plan_input *input, struct run_plan **ret,
		   struct pl_err *err) PL_MUST_CHECK;
void run_plan_free(struct run_plan *plan);
PL_AUTO_DEFINE(struct run_plan, run_plan_free);
#define auto_plan PL_AUTO(run_plan_free)

/* vLLM forces it for random prompts at back ends that speak OpenAI's protocol. */
bool run_plan_ignores_eos(const struct vllm_bench *bench);
/* Requests have planned times that matter: a finite rate or a ramp-up. */
bool run_plan_has_rate(const struct vllm_bench *bench);

/*
 * `count` bodies for warm-ups: the plan's prompts turned by a part of their length, so that they
 * are as long as those that are measured and share no start with them. *ret: an array of texts,
 * each and the array free().
 */
int run_plan_warmups(const struct run_plan *plan, const struct run_plan_input *input, size_t count,
		     struct bench_request **ret_requests, char ***ret_bodies,
		     struct pl_err *err) PL_MUST_CHECK;

/* Share of `count` texts' bytes that an earlier one began with. */
double run_shared_prefix_share(const struct bench_sample *samples, size_t count);
