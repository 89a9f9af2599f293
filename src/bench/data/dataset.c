#include "bench/data/dataset.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bench/data/dataset_priv.h"

static const struct {
	const char *name;
	const struct bench_dataset_kind *kind;
} kinds[] = {
#define DATASET(id, name, state, origin, traits) ROW_##state(id, name)
#define ROW_NOW(id, name)                        { name, &bench_dataset_##id },
#define ROW_LATER(id, name)
#include "tbl/datasets.h"
};

static const struct bench_dataset_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		if (pl_text_equal(kinds[i].name, name))
			return kinds[i].kind;
	}
	return NULL;
}

int bench_dataset_check(const struct vllm_bench *bench, struct pl_err *err)
{
	const struct bench_dataset_kind *kind = find_kind(bench->dataset_name);

	assert(kind != NULL);
	return kind->check != NULL ? kind->check(bench, err) : 0;
}

int bench_dataset_build(const struct vllm_bench *bench, const struct bench_tokenizer *tokenizer,
			struct pl_pyrandom *pyrandom, struct pl_nplegacy *nplegacy,
			struct bench_dataset **ret, struct pl_err *err)
{
	const struct bench_dataset_kind *kind = find_kind(bench->dataset_name);
	PL_AUTO(bench_dataset_free) struct bench_dataset *dataset = NULL;
	struct bench_dataset_work work = {
		.bench = bench,
		.tokenizer = tokenizer,
		.pyrandom = pyrandom,
		.nplegacy = nplegacy,
	};

	assert(kind != NULL);
	pl_pyrandom_seed(pyrandom, (uint64_t)bench->seed);
	pl_nplegacy_seed(nplegacy, (uint32_t)bench->seed);
	dataset = pl_alloc(sizeof(*dataset));
	dataset->prompt_form = "text";
	dataset->notes = json_array();
	work.into = dataset;
	if (kind->build(&work, err) < 0)
		return -1;
	*ret = pl_take(dataset);
	return 0;
}

void bench_dataset_free(struct bench_dataset *dataset)
{
	if (dataset == NULL)
		return;
	for (size_t i = 0; i < dataset->count; i++) {
		free(dataset->samples[i].prompt);
		free(dataset->samples[i].ids);
		json_decref(dataset->samples[i].messages);
	}
	free(dataset->samples);
	free(dataset->sha256);
	json_decref(dataset->notes);
	free(dataset);
}
