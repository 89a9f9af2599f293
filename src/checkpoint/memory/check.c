#include "checkpoint/memory/memory.h"

#include <inttypes.h>
#include <math.h>

#define GIB ((double)(1 << 30))

static double value_of(const struct ckpt_memory *memory, enum ckpt_memory_id id)
{
	return memory->terms[id].value;
}

/* Compares the weights alone with the memory that vLLM may use. True: they do not fit. */
static bool check_weights(const struct ckpt_case *server, const struct ckpt_memory *memory,
			  struct option_problems *problems)
{
	const struct ckpt_memory_term *weights = &memory->terms[CKPT_MEMORY_WEIGHTS_BYTES];
	double budget = value_of(memory, CKPT_MEMORY_BUDGET_BYTES);
	double gpus = (double)(ckpt_case_parallel(server, "tensor_parallel_size") *
			       ckpt_case_parallel(server, "pipeline_parallel_size"));

	/* a cache of a told size is not cut from the budget */
	if (memory->cache_given)
		budget = value_of(memory, CKPT_MEMORY_GPU_BYTES);
	if (isnan(weights->value) || isnan(budget) || budget <= 0 || weights->value < budget)
		return false;
	auto_free char *found = pl_asprintf("%.2f GiB of weights on a GPU", weights->value / GIB);
	auto_free char *expected = pl_asprintf(
		"less than the %.2f GiB that vLLM may use there; use at least %.0f GPUs "
		"(tensor_parallel_size x pipeline_parallel_size)",
		budget / GIB, floor(weights->value * gpus / budget) + 1);
	ckpt_case_add(server, problems, weights->estimated ? OPTION_WARNING : OPTION_ERROR,
		      "tensor_parallel_size", "weights_fit_memory", found, expected, NULL);
	return true;
}

/* Compares a cache of a given size plus the weights with the whole GPU. */
static void check_given_cache(const struct ckpt_case *server, const struct ckpt_memory *memory,
			      struct option_problems *problems)
{
	double cache = ckpt_case_number(server, "kv_cache_memory_bytes", NAN);
	double left = value_of(memory, CKPT_MEMORY_GPU_BYTES) -
		      value_of(memory, CKPT_MEMORY_WEIGHTS_BYTES);

	if (isnan(cache) || isnan(left) || left <= 0 || cache <= left)
		return;
	auto_free char *found = pl_asprintf("%.0f (%.2f GiB)", cache, cache / GIB);
	auto_free char *expected = pl_asprintf(
		"at most %.0f, the memory of the GPU that the weights leave free", left);
	ckpt_case_add(server, problems,
		      memory->terms[CKPT_MEMORY_WEIGHTS_BYTES].estimated ? OPTION_WARNING
									 : OPTION_ERROR,
		      "kv_cache_memory_bytes", "kv_cache_fits_memory", found, expected, NULL);
}

/* The cache as large as it can be where nothing estimated is taken off. */
static double certain_cache(const struct ckpt_memory *memory)
{
	const struct ckpt_memory_term *weights = &memory->terms[CKPT_MEMORY_WEIGHTS_BYTES];

	if (memory->cache_given)
		return value_of(memory, CKPT_MEMORY_KV_CACHE_BYTES);
	return weights->estimated ? NAN
				  : value_of(memory, CKPT_MEMORY_BUDGET_BYTES) - weights->value;
}

/* A small cache must not read "0.00 GiB". */
static char *text_of_bytes(double bytes)
{
	return bytes > 0 && bytes < GIB / 100 ? pl_asprintf("%.2f MiB", bytes / (GIB / 1024))
					      : pl_asprintf("%.2f GiB", bytes / GIB);
}

static void check_request(const struct ckpt_case *server, const struct ckpt_memory *memory,
			  struct option_problems *problems)
{
	const json_t *given = json_object_get(server->values, "max_model_len");
	const struct ckpt_kv_layout *layout = &memory->layout;
	double len = value_of(memory, CKPT_MEMORY_MAX_MODEL_LEN);
	bool fitted = given != NULL && !json_is_null(given) &&
		      ckpt_case_int(server, "max_model_len", -1) <= 0;

	/* "auto" and -1 use what fits */
	if (!layout->known || isnan(layout->blocks) || isnan(len) || fitted)
		return;
	double need = ckpt_memory_request_blocks(layout, (int64_t)len);
	if (need <= ckpt_memory_usable_blocks(layout))
		return;
	double certain = certain_cache(memory);
	/* one block short, older releases start, and hang at the first request of that length */
	bool sure = !isnan(certain) && !memory->terms[CKPT_MEMORY_KV_BYTES_PER_REQUEST].estimated &&
		    need * layout->block_bytes > certain;
	int64_t longest = ckpt_memory_longest(memory, (int64_t)len);
	double cache = value_of(memory, CKPT_MEMORY_KV_CACHE_BYTES);
	auto_free char *needed = text_of_bytes(need * layout->block_bytes);
	auto_free char *there = text_of_bytes(cache);
	auto_free char *found = pl_asprintf(
		"%.0f (a request of this length needs %s of KV cache%s, and the KV cache "
		"has %s%s)",
		len, needed, ckpt_case_is_cpu(server) ? "" : " per GPU",
		memory->cache_given ? "" : "about ", there);
	auto_free char *right = longest > 0 ? pl_asprintf("%" PRId64, longest) : NULL;
	auto_free char *expected =
		longest > 0 ? pl_asprintf("at most %s (one block is reserved by vLLM)", right)
			    : pl_asprintf("a shorter length or a larger KV cache");
	ckpt_case_add(server, problems, sure ? OPTION_ERROR : OPTION_WARNING, "max_model_len",
		      "kv_cache_fits_one_request", found, expected, right);
}

void ckpt_memory_check(const struct ckpt_case *server, const struct ckpt_memory *memory,
		       struct option_problems *problems)
{
	struct ckpt_case of_facts = ckpt_case_of_facts(server);
	struct ckpt_case of_shape = ckpt_case_of_shape(server);

	if (check_weights(&of_shape, memory, problems))
		return;
	check_given_cache(&of_shape, memory, problems);
	check_request(&of_facts, memory, problems);
}
