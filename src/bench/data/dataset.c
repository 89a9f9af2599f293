#include "bench/data/dataset.h"

#include <assert.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/data/dataset_priv.h"

/* Larger files are not data sets of prompts. */
#define FILE_BYTES_MAX ((size_t)4 << 30)

static const struct named_kind {
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
	const struct named_kind *row = PL_ROW_FIND(kinds, name, name);

	return row != NULL ? row->kind : NULL;
}

/* `ret_sha256` (NULL: not wanted) is the caller's. */
static int load(const struct bench_dataset_kind *kind, const struct vllm_bench *bench,
		char **ret_sha256, struct bench_entries *ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	char hex[65];
	size_t len;

	if (kind->parse == NULL)
		return 0;
	if (pl_file_read(bench->dataset_path, FILE_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	/* before it is cut up */
	if (ret_sha256 != NULL) {
		pl_sha256(text, len, hex);
		*ret_sha256 = pl_strdup(hex);
	}
	return bench_entries_parse(kind, bench, text, len, ret, err);
}

int bench_dataset_check(const struct vllm_bench *bench, struct pl_err *err)
{
	const struct bench_dataset_kind *kind = find_kind(bench->dataset_name);
	auto_entries entries = { 0 };

	assert(kind != NULL);
	return load(kind, bench, NULL, &entries, err);
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
	/* Python's two global generators begin here, as vLLM seeds them before it draws anything. */
	pl_pyrandom_seed(pyrandom, (uint64_t)bench->seed);
	pl_nplegacy_seed(nplegacy, (uint32_t)bench->seed);
	dataset = pl_alloc(sizeof(*dataset));
	dataset->prompt_form = "text";
	dataset->notes = json_array();
	work.into = dataset;
	int done = load(kind, bench, &dataset->sha256, &work.entries, err);
	if (done == 0)
		done = kind->build(&work, err);
	bench_entries_done(&work.entries);
	if (done < 0)
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
