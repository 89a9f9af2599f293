/*
 * The number of tokens of the model, for datasets that make prompts of token ids: ids outside the vocabulary fail at
 * the server, and special ones may end a response. The first place with a tokenizer counts; otherwise the model's own
 * size is the limit.
 */
#include "run/steps/vocabulary.h"

#include "bench/data/tokenizer.h"
#include "checkpoint/facts.h"
#include "checkpoint/tokenizer_files.h"
#include "experiment/kinds.h"
#include "run/steps/identity.h"

/* Where a tokenizer may be: its own directory, that of the model, and the one that the server names. */
#define CANDIDATES_MAX 4

struct candidates {
	struct ckpt_source sources[CANDIDATES_MAX];
	size_t count;
};

static const json_t *served_model(const struct run_identity *identity)
{
	return json_array_get(json_object_get(identity->models, "data"), 0);
}

static void add_candidate(struct candidates *candidates, const char *model, const json_t *env)
{
	if (model != NULL)
		candidates->sources[candidates->count++] = (struct ckpt_source){ .model = model,
										 .env = env };
}

static int64_t vocab_size_of(const struct ckpt_source *source)
{
	auto_model_facts struct ckpt_facts *facts = ckpt_facts_load(source);

	return facts->state == CKPT_MODEL_READ ? facts->vocab_size : 0;
}

/* Returns the rows of the model's embedding; else the size that servers such as llama.cpp report with the name. */
static int64_t vocab_size_of_model(const struct run_identity *identity,
				   const struct candidates *candidates)
{
	int64_t size = 0;

	for (size_t i = 0; size <= 0 && i < candidates->count; i++)
		size = vocab_size_of(&candidates->sources[i]);
	if (size <= 0)
		size = pl_json_get_i64(json_object_get(served_model(identity), "meta"), "n_vocab");
	return size > 0 ? size : OPTION_NO_I64;
}

void run_vocabulary_learn(const struct exp_config *experiment, const struct run_identity *identity,
			  struct bench_tokenizer *tokenizer, struct vllm_bench *bench)
{
	struct ckpt_source server = ckpt_source_of(experiment->server, experiment->launch.env);
	struct candidates candidates = { 0 };
	add_candidate(&candidates, experiment->bench.tokenizer, server.env);
	if (server.model != NULL)
		candidates.sources[candidates.count++] = server;
	add_candidate(&candidates, experiment->bench.model, server.env);
	add_candidate(&candidates, pl_json_get_text(served_model(identity), "root"), server.env);

	if (!exp_dataset_has(bench->dataset_name, EXP_DATASET_TOKENS))
		return;
	for (size_t i = 0; i < candidates.count; i++) {
		auto_vocabulary vocabulary = { 0 };
		if (!ckpt_vocabulary_load(&candidates.sources[i], &vocabulary))
			continue;
		if (tokenizer != NULL)
			bench_tokenizer_learn(tokenizer, vocabulary.size, vocabulary.special_ids,
					      vocabulary.special_count);
		if (bench->vocab_size == OPTION_NO_I64)
			bench->vocab_size = vocabulary.size;
		return;
	}
	if (bench->vocab_size == OPTION_NO_I64 &&
	    (tokenizer == NULL || bench_tokenizer_vocab_size(tokenizer) == 0))
		bench->vocab_size = vocab_size_of_model(identity, &candidates);
}
