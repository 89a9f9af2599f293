/*
 * random-rerank: one query of generated tokens and many documents, random_batch_size per request. For a
 * reranker, query and document share the input length, and each pair costs one separator. For an embedding
 * model (no_reranker) the query is one of the prompts and has the whole length, like each document.
 */
#include "bench/data/random_prompts.h"

#include <stdlib.h>

struct plan {
	struct bench_random *random;
	int64_t separators; /* tokens per pair: 1 for a reranker */
	size_t batch;       /* documents per request */
	struct bench_random_draws query_draws;
	struct bench_random_draws draws;
	struct bench_fit query;
	struct bench_fit *fits; /* [draws.count] the documents */
};

static void plan_done(struct plan *plan)
{
	for (size_t i = 0; plan->fits != NULL && i < plan->draws.count; i++)
		bench_fit_done(&plan->fits[i]);
	free(plan->fits);
	bench_fit_done(&plan->query);
	bench_random_draws_done(&plan->query_draws);
	bench_random_draws_done(&plan->draws);
	bench_random_free(plan->random);
}
#define auto_plan __attribute__((cleanup(plan_done), unused)) struct plan

/* All lengths and offsets: those of the query, then those of the documents. */
static int draw_all(struct bench_dataset_work *work, struct plan *plan, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	int64_t len = bench->input_len != OPTION_NO_I64 ? bench->input_len
							: bench->random_input_len;
	bool reranker = !bench->no_reranker;
	size_t documents = (size_t)bench->num_prompts - (reranker ? 0 : 1);

	plan->separators = reranker ? 1 : 0;
	plan->batch = (size_t)bench->random_batch_size - (reranker ? 0 : 1);
	if (bench_random_draw(work, plan->random, 1, reranker ? len / 2 - 1 : len, 0, 0,
			      &plan->query_draws, err) < 0)
		return pl_err_wrap(err, "query");
	if (reranker)
		len -= plan->query_draws.input_lens[0] + 1;
	if (bench_random_draw(work, plan->random, documents, len, 0, 0, &plan->draws, err) < 0)
		return pl_err_wrap(err, "documents");
	return 0;
}

static void add_request(struct bench_dataset_work *work, const struct plan *plan, size_t first,
			size_t count)
{
	struct bench_sample sample = { .output_tokens = 0 };
	int64_t query_tokens, document_tokens;
	int64_t queries = plan->separators > 0 ? (int64_t)count : 1;

	sample.inputs = bench_random_list(plan->random, &plan->query, 1, &query_tokens);
	auto_json json_t *documents = bench_random_list(plan->random, plan->fits + first, count,
							&document_tokens);
	json_array_extend(sample.inputs, documents);
	/* as vLLM counts: a reranker reads the query once per document */
	sample.prompt_tokens = (query_tokens + plan->separators) * queries + document_tokens;
	bench_dataset_add(work, &sample);
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct bench_ids none = { 0 };
	auto_plan plan = { .batch = 1 };

	if (bench_random_new(work, &plan.random, err) < 0 || draw_all(work, &plan, err) < 0)
		return -1;
	plan.fits = pl_alloc_array(plan.draws.count, sizeof(*plan.fits));
	if (bench_random_make(work, plan.random, &plan.query_draws, &none, 0, NULL, &plan.query,
			      err) < 0 ||
	    bench_random_make(work, plan.random, &plan.draws, &none, 1, NULL, plan.fits, err) < 0)
		return pl_err_wrap(err, "random prompts");
	for (size_t i = 0; i < plan.draws.count; i += plan.batch) {
		size_t left = plan.draws.count - i;
		add_request(work, &plan, i, left < plan.batch ? left : plan.batch);
	}
	bench_random_note(work, plan.random);
	return 0;
}

const struct bench_dataset_kind bench_dataset_random_rerank = { .build = build };
