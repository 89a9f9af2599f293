/* Completes an experiment for an offline benchmark before it is checked. */
#include "experiment/offline.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/bench/write.h"
#include "vllm/server_args.h"

#define SERVER_WORD "serve"

const struct vllm_bench_kind *exp_offline_kind(const struct exp_config *experiment)
{
	return vllm_bench_kind_find(experiment->bench.kind);
}

/*
 * Returns whether it is "vllm serve", however vLLM is started; other server programs have no
 * benchmark.
 */
static bool starts_vllm(const json_t *command)
{
	size_t count = json_array_size(command);
	const char *last = json_string_value(json_array_get(command, count - 1));
	const char *program = count > 1 ? json_string_value(json_array_get(command, count - 2))
					: NULL;
	const char *slash = program != NULL ? strrchr(program, '/') : NULL;

	if (command == NULL)
		return true;
	return program != NULL && strcmp(last, SERVER_WORD) == 0 &&
	       strcmp(slash != NULL ? slash + 1 : program, "vllm") == 0;
}

bool exp_is_in_process(const struct exp_config *experiment)
{
	auto_free char *url = exp_server_url(experiment);

	if (exp_offline_kind(experiment) == NULL)
		return false;
	if (experiment->bench.mode != NULL)
		return strcmp(experiment->bench.mode, "in_process") == 0;
	return url == NULL && !experiment->simulate && experiment->launch.container == NULL &&
	       starts_vllm(experiment->launch.command);
}

const char *exp_offline_mode(const struct exp_config *experiment)
{
	if (exp_offline_kind(experiment) == NULL)
		return NULL;
	return exp_is_in_process(experiment) ? "in_process" : "server";
}

json_t *exp_offline_command(const struct exp_config *experiment)
{
	json_t *command = experiment->launch.command != NULL
				  ? json_copy(experiment->launch.command)
				  : json_pack("[ss]", "vllm", SERVER_WORD);

	json_array_remove(command, json_array_size(command) - 1);
	json_array_append_new(command, json_string("bench"));
	json_array_append_new(command, json_string(exp_offline_kind(experiment)->name));
	return command;
}

int exp_offline_words(const struct exp_config *experiment, const json_t *values, json_t *argv,
		      json_t **ret_env, struct pl_err *err)
{
	const char *model = pl_json_get_text(values, "model");
	auto_json json_t *engine = json_copy((json_t *)values);

	/* not a separate word, unlike for a server */
	if (model != NULL)
		vllm_bench_pair_add(argv, "--model", model);
	json_object_del(engine, "model");
	if (vllm_args_to_argv(experiment->catalog, engine, argv, ret_env, err) < 0)
		return -1;
	/* Omits options that were not set: vLLM's release has their defaults. */
	const struct vllm_bench_kind *kind = exp_offline_kind(experiment);
	for (size_t i = 0; i < kind->count; i++) {
		enum vllm_bench_id id = vllm_bench_find(kind->rows[i].name);
		if (experiment->bench_set[id] && id != VLLM_BENCH_output_json)
			(void)vllm_bench_row_words_add(&experiment->bench, &kind->rows[i], argv);
	}
	return 0;
}

/* Without a file, vLLM sends random prompts and reports it. */
static void choose_dataset(struct exp_config *experiment)
{
	struct vllm_bench *bench = &experiment->bench;

	if (experiment->bench_set[VLLM_BENCH_dataset_name] || bench->dataset_path != NULL ||
	    strcmp(bench->dataset_name, "sharegpt") != 0)
		return;
	free(bench->dataset_name);
	bench->dataset_name = pl_strdup("random");
}

/* Whole answers, drawn as vLLM's offline benchmarks draw them. */
static void choose_sampling(struct vllm_bench *bench)
{
	bench->ignore_eos = true;
	bench->temperature = 1;
	bench->top_p = 1;
	if (bench->n <= 1)
		return;
	if (bench->extra_body == NULL)
		bench->extra_body = json_object();
	json_object_set_new(bench->extra_body, "n", json_integer(bench->n));
	if (bench->use_beam_search)
		json_object_set_new(bench->extra_body, "use_beam_search", json_true());
}

void exp_offline_complete(struct exp_config *experiment)
{
	const struct vllm_bench_kind *kind = exp_offline_kind(experiment);
	struct vllm_bench *bench = &experiment->bench;

	if (kind == NULL)
		return;
	vllm_bench_kind_complete(kind, experiment->bench_set, bench);
	/* theirs is the engine's */
	if (!experiment->bench_set[VLLM_BENCH_seed] &&
	    json_is_integer(json_object_get(experiment->server, "seed")))
		bench->seed = pl_json_get_i64(experiment->server, "seed");
	choose_dataset(experiment);
	if (strcmp(kind->name, "startup") != 0 && strcmp(kind->name, "mm-processor") != 0)
		choose_sampling(bench);
	if (strcmp(kind->name, "latency") == 0) {
		/*
		 * Uses different prompts for each repetition: otherwise a prefix cache would contain their start.
		 */
		bench->prompt_token_ids = true;
		bench->num_prompts = bench->batch_size *
				     (bench->num_iters_warmup + bench->num_iters);
	}
	/* of random prompts vLLM has another name for it */
	if (bench->prefix_len != OPTION_NO_I64 && bench->prefix_len > 0)
		bench->random_prefix_len = bench->prefix_len;
}
