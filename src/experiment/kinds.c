/*
 * Datasets and backends by name, with their requirements and features (traits), from src/tbl: all
 * other code calls these functions instead of comparing names.
 */
#include "experiment/kinds.h"

#include <stddef.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/bench_options.h"

#define STATE_NOW   false
#define STATE_INNER false
#define STATE_LATER true

static const struct exp_dataset datasets[] = {
#define DATASET(id, name_, state, origin, traits_) \
	{ .name = name_, .later = STATE_##state, .traits = traits_ },
#include "tbl/datasets.h"
};

static const struct exp_backend backends[] = {
#define BACKEND(id, name_, state, endpoint_, suffix_, traits_) \
	{ .name = name_,                                       \
	  .later = STATE_##state,                              \
	  .endpoint = endpoint_,                               \
	  .suffix = suffix_,                                   \
	  .traits = traits_ },
#include "tbl/backends.h"
};

const struct exp_dataset *exp_dataset_at(unsigned i)
{
	return i < PL_ARRAY_SIZE(datasets) ? &datasets[i] : NULL;
}

const struct exp_backend *exp_backend_at(unsigned i)
{
	return i < PL_ARRAY_SIZE(backends) ? &backends[i] : NULL;
}

const struct exp_dataset *exp_dataset_find(const char *name)
{
	return PL_ROW_FIND(datasets, name, name);
}

const struct exp_backend *exp_backend_find(const char *name)
{
	return PL_ROW_FIND(backends, name, name);
}

bool exp_dataset_has(const char *name, enum exp_dataset_trait trait)
{
	const struct exp_dataset *dataset = exp_dataset_find(name);

	return dataset != NULL && (dataset->traits & trait) != 0;
}

bool exp_backend_has(const char *name, enum exp_backend_trait trait)
{
	const struct exp_backend *backend = exp_backend_find(name);

	return backend != NULL && (backend->traits & trait) != 0;
}

bool exp_is_self_timed(const struct vllm_bench *bench)
{
	/* unset is on, as in vLLM */
	return bench->self_timed != 0 && exp_dataset_has(bench->dataset_name, EXP_DATASET_TIMED);
}
