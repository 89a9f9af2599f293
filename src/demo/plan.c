/*
 * The plan of each run: its sweep determines model, host, release and configuration; the run adds the varied values.
 * Everything follows from the numbers of the sweep and the run.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "demo/history_priv.h"
#include "vllm/catalog.h"

#define RUN_ID_DIGITS 0xffffff
#define BEGIN_S       1767571200LL /* 2026-01-05, a Monday */
#define SPAN_S        (300 * 86400LL)
#define APART_S       400  /* between two runs of a sweep, approximately */
#define GPU_ROOM      0.72 /* share of its memory for weights */
#define NIGHTLY_OF    4    /* every fourth sweep is a nightly one */
#define NIGHTLIES     6

enum use { USE_SWEEP = 1, USE_RUN };

/* Each has 20 runs. */
static const struct demo_sweep sweeps[] = {
	{ "nightly",
	  "nightly",
	  { "benchmark.max_concurrency", "8 32 64 128" },
	  { "benchmark.seed", "0 1 2 3 4" } },
	{ "concurrency",
	  "capacity",
	  { "server.max_num_seqs", "64 256" },
	  { "benchmark.max_concurrency", "1 2 4 8 16 32 64 128 256 512" } },
	{ "request rate",
	  "capacity",
	  { "server.max_num_seqs", "128 256" },
	  { "benchmark.request_rate", "0.5 1 2 4 8 16 32 64 128 inf" } },
	{ "parallel",
	  "scaling",
	  { "server.tensor_parallel_size", "1 2 4 8" },
	  { "benchmark.max_concurrency", "8 32 64 128 256" } },
	{ "batch",
	  "tuning",
	  { "server.max_num_batched_tokens", "2048 4096 8192 16384" },
	  { "benchmark.max_concurrency", "8 32 64 128 256" } },
	{ "lengths",
	  "capacity",
	  { "benchmark.random_input_len", "128 512 1024 2048 4096" },
	  { "benchmark.random_output_len", "64 128 512 1024" } },
	{ "memory",
	  "tuning",
	  { "server.gpu_memory_utilization", "0.8 0.85 0.9 0.92 0.95" },
	  { "server.max_model_len", "4096 8192 16384 32768" } },
	{ "compilation",
	  "tuning",
	  { "server.compilation_config",
	    "{\"mode\":0} {\"mode\":1} {\"mode\":2} {\"mode\":3,\"cudagraph_mode\":\"FULL\"}" },
	  { "benchmark.max_concurrency", "1 8 32 128 256" } },
};

/* Arguments that are set in addition in some sweeps. */
static const struct {
	double share;
	const char *key, *values;
} extras[] = {
	{ 0.35, "enable_prefix_caching", "true false" },
	{ 0.06, "enforce_eager", "true" },
	{ 0.15, "kv_cache_dtype", "fp8 auto" },
	{ 0.12, "quantization", "fp8" },
	{ 0.20, "seed", "0 1 42" },
	{ 0.10, "block_size", "16 32" },
	{ 0.20, "dtype", "bfloat16 auto" },
	{ 0.40, "gpu_memory_utilization", "0.85 0.9 0.92 0.95" },
	{ 0.40, "max_num_seqs", "64 128 256 512" },
	{ 0.20, "max_num_batched_tokens", "2048 8192 16384" },
	{ 0.60, "max_model_len", "4096 8192 16384 32768" },
	{ 0.15, "async_scheduling", "true false" },
	{ 0.10, "attention_backend", "FLASH_ATTN FLASHINFER" },
	{ 0.10, "scheduling_policy", "fcfs priority" },
	{ 0.05, "stream_interval", "1 4" },
	{ 0.10, "distributed_executor_backend", "mp ray" },
	{ 0.15, "trust_remote_code", "true" },
	{ 0.10, "load_format", "auto safetensors" },
	{ 0.10, "compilation_config",
	  "{\"mode\":3} {\"mode\":3,\"cudagraph_mode\":\"PIECEWISE\"}" },
};

static const char *const teams[] = { "serving", "kernels", "capacity", "research" };
static const char *const notes[] = {
	"after the driver update", "with the new cooling",     "asked for by the chat team",
	"the one of the incident", "compare with last week's",
};

static size_t count_words(const char *words)
{
	size_t count = 1;

	for (; *words != '\0'; words++)
		count += *words == ' ';
	return count;
}

static json_t *word_at(const char *words, size_t at)
{
	while (at-- > 0)
		words = strchr(words, ' ') + 1;
	/* Parses a word as JSON, or else as a text. */
	size_t len = strcspn(words, " ");
	json_t *value = json_loadb(words, len, JSON_DECODE_ANY, NULL);
	return value != NULL ? value : json_stringn(words, len);
}

/* Sets a value for "server.x" or "benchmark.x". */
static void set_requested(struct demo_plan *plan, const char *key, json_t *value)
{
	const char *dot = strchr(key, '.');

	json_object_set_new(pl_text_starts(key, "server.") ? plan->server : plan->load, dot + 1,
			    value);
}

static double weights_bytes(const struct demo_model *model)
{
	return 2 * (model->dense + model->experts);
}

static bool has_room(const struct demo_plan *plan, double gpus)
{
	return weights_bytes(plan->model) / gpus <= GPU_ROOM * (double)plan->gpu->memory_bytes;
}

static void choose_host(const struct demo *history, struct demo_plan *plan, size_t at)
{
	plan->host = demo_host_at(at);
	plan->gpu = &history->gpus[at];
}

/* A study has its own kind, model and host. */
static void choose_study(const struct demo *history, const struct demo_study *study,
			 struct demo_plan *plan)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(sweeps); i++) {
		if (strcmp(sweeps[i].name, study->sweep) == 0)
			plan->sweep = &sweeps[i];
	}
	for (size_t i = 0; i < history->model_count; i++) {
		if (strcmp(history->models[i].name, study->model) == 0)
			plan->model = &history->models[i];
	}
	for (size_t i = 0; i < demo_host_count(); i++) {
		if (strcmp(demo_host_at(i)->name, study->host) == 0)
			choose_host(history, plan, i);
	}
}

static bool has_argument(const struct demo_plan *plan, const char *name)
{
	const struct vllm_catalog *catalog = vllm_catalog_release(vllm_catalog_reference(),
								  demo_release_at(plan->release));
	const struct option_row *row = vllm_arg_find(catalog, name);

	return row != NULL && !row->absent;
}

static void ask_server(struct demo_dice *dice, struct demo_plan *plan)
{
	json_object_set_new(plan->server, "model", json_string(plan->model->name));
	/* Chooses the minimum number of GPUs for the weights, sometimes twice as many. */
	int64_t gpus = 1;
	while (gpus < plan->host->gpus && !has_room(plan, (double)gpus))
		gpus *= 2;
	if (gpus < plan->host->gpus && demo_chance(dice, 0.2))
		gpus *= 2;
	if (gpus > 1 || demo_chance(dice, 0.3))
		json_object_set_new(plan->server, "tensor_parallel_size", json_integer(gpus));
	for (size_t i = 0; i < PL_ARRAY_SIZE(extras); i++) {
		size_t count = count_words(extras[i].values);
		bool is_requested = demo_chance(dice, extras[i].share);
		size_t at = demo_below(dice, count);
		if (is_requested && has_argument(plan, extras[i].key))
			json_object_set_new(plan->server, extras[i].key,
					    word_at(extras[i].values, at));
	}
	if (plan->model->experts > 0 && demo_chance(dice, 0.3))
		json_object_set_new(plan->server, "enable_expert_parallel", json_true());
}

void demo_plan(const struct demo *history, int64_t index, struct demo_plan *ret)
{
	int64_t number = index / DEMO_SWEEP;
	struct demo_dice dice = demo_dice(history->seed, USE_SWEEP, (uint64_t)number);

	*ret = (struct demo_plan){ .index = index,
				   .position = (size_t)(index % DEMO_SWEEP),
				   .server = json_object(),
				   .load = json_object(),
				   .tags = json_object() };
	const struct demo_study *study = demo_study_of(history, number);
	/* The nightly sweeps keep the model and the host, so that releases can be compared. */
	bool is_nightly = number % NIGHTLY_OF == 0;
	size_t nightly = (size_t)(number / NIGHTLY_OF) % NIGHTLIES;
	ret->sweep = is_nightly ? &sweeps[0]
				: &sweeps[1 + demo_below(&dice, PL_ARRAY_SIZE(sweeps) - 1)];
	ret->model =
		&history->models[is_nightly ? nightly : demo_below(&dice, history->model_count)];
	choose_host(history, ret, is_nightly ? nightly % 4 : demo_below(&dice, demo_host_count()));
	for (int tries = 0; tries < 8 && !has_room(ret, (double)ret->host->gpus); tries++)
		choose_host(history, ret, demo_below(&dice, demo_host_count()));
	if (study != NULL)
		choose_study(history, study, ret);
	size_t count = demo_release_count();
	size_t at = (size_t)(number % history->sweeps) * count / (size_t)history->sweeps;
	/* not every sweep uses the newest release */
	ret->release = at > 0 && demo_chance(&dice, 0.15) ? at - 1 : at;
	ask_server(&dice, ret);
	static const int inputs[] = { 256, 512, 1024, 1024, 2048 };
	static const int outputs[] = { 128, 128, 256, 512 };
	json_object_set_new(ret->load, "dataset_name", json_string("random"));
	json_object_set_new(ret->load, "backend",
			    json_string(demo_chance(&dice, 0.3) ? "openai-chat" : "openai"));
	json_object_set_new(ret->load, "random_input_len",
			    json_integer(inputs[demo_below(&dice, PL_ARRAY_SIZE(inputs))]));
	json_object_set_new(ret->load, "random_output_len",
			    json_integer(outputs[demo_below(&dice, PL_ARRAY_SIZE(outputs))]));
	json_object_set_new(ret->load, "ignore_eos", json_true());
	json_object_set_new(ret->load, "num_warmups", json_integer(8));
	if (demo_chance(&dice, 0.2))
		json_object_set_new(ret->load, "goodput",
				    json_pack("[s, s]", "ttft:500", "tpot:50"));
	if (demo_chance(&dice, 0.5) && !pl_text_starts(ret->sweep->fast.key, "benchmark.max"))
		json_object_set_new(ret->load, "max_concurrency", json_integer(64));
	json_object_set_new(ret->tags, "synthetic", json_string("yes"));
	json_object_set_new(ret->tags, "team",
			    json_string(teams[demo_below(&dice, PL_ARRAY_SIZE(teams))]));
	if (demo_chance(&dice, 0.6))
		json_object_set_new(ret->tags, "ticket",
				    json_sprintf("PERF-%d", (int)(number % 100000)));
	if (demo_chance(&dice, 0.15))
		json_object_set_new(ret->tags, "note",
				    json_string(notes[demo_below(&dice, PL_ARRAY_SIZE(notes))]));
	ret->name = pl_asprintf("synthetic: %s, %s on %s", ret->sweep->name, ret->model->title,
				ret->host->name);
	ret->is_narrow = ret->release < demo_release_count() / 2 && demo_chance(&dice, 0.4);
	if (demo_chance(&dice, 0.04))
		ret->newer = json_pack("{s:i}", "prefill_lookahead_tokens",
				       64 << (int)demo_below(&dice, 4));
	/* Sets the values of this run, and a suitable number of requests. */
	const struct demo_axis *slow = &ret->sweep->slow, *fast = &ret->sweep->fast;
	size_t width = count_words(fast->values);
	set_requested(ret, slow->key, word_at(slow->values, ret->position / width));
	set_requested(ret, fast->key, word_at(fast->values, ret->position % width));
	double at_once = demo_requested(ret->load, "max_concurrency", 64);
	json_object_set_new(ret->load, "num_prompts",
			    json_integer(at_once < 32 ? 200 : (json_int_t)at_once * 8));
	ret->dice = demo_dice(history->seed, USE_RUN, (uint64_t)index);
	ret->trouble = demo_share(&ret->dice);
	double began_s = (double)SPAN_S * ((double)(number % history->sweeps) + demo_share(&dice)) /
			 (double)history->sweeps;
	double at_s = began_s + (double)ret->position * APART_S * demo_noise(&ret->dice, 0.02);
	ret->started_ns = BEGIN_S * PL_NS_PER_S + (int64_t)(at_s * 1e3) * PL_NS_PER_MS;
	if (study != NULL)
		demo_tag_study(BEGIN_S * PL_NS_PER_S + (int64_t)(began_s * 1e3) * PL_NS_PER_MS,
			       number, ret);
}

void demo_plan_done(struct demo_plan *plan)
{
	json_decref(plan->server);
	json_decref(plan->load);
	json_decref(plan->tags);
	json_decref(plan->newer);
	free(plan->name);
	*plan = (struct demo_plan){ 0 };
}

void demo_run_id(const struct demo *history, const struct demo_plan *plan,
		 char ret[RES_RUN_ID_BYTES])
{
	char date[16];

	pl_clock_format(plan->started_ns, "%Y%m%d_%H%M%S", 1, date, sizeof(date));
	snprintf(ret, RES_RUN_ID_BYTES, "exp_%s_%06x", date,
		 (unsigned)((uint64_t)plan->index + history->seed * 7919) & RUN_ID_DIGITS);
}
