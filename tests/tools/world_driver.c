/*
 * Stands in for `profllm` next to a server of the Model Context Protocol: plays sweeps on the engine of the simulator in
 * virtual time, and passes any other command on to the program `real` in its own directory.
 *
 *	world_driver sweep run --brief --output-dir=DIR [--repeats=N] [--resume] FILE
 *
 * FILE: {"world": {"seed", "cv", "concurrency", "requests", "input", "output"}, "server": {…}, "sweep": {KEY: [values]}}
 * with one KEY. cv: how much the speed of the steps differs between runs; 0: the truth.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "result/files.h"
#include "sim/engine.h"
#include "sweep/brief.h"

#define NS_PER_S    1e9
#define NS_PER_MS   1e6
#define BLOCK_TOKEN 200000

struct world {
	int64_t seed, concurrency, requests, input, output;
	double cv;
};

struct measured {
	double *ttft_ms, *tpot_ms; /* owned */
	size_t count;
	double throughput;
};

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void add_request(struct sim_engine *engine, const struct world *world, uint32_t number,
			int64_t now_ns)
{
	auto_free uint32_t *prompt = pl_alloc_array((size_t)world->input, sizeof(*prompt));

	for (uint32_t i = 0; i < (uint32_t)world->input; i++)
		prompt[i] = number * 100003 + i;
	struct sim_sequence_spec spec = { .prompt = prompt,
					  .prompt_tokens = (size_t)world->input,
					  .max_tokens = (uint32_t)world->output,
					  .ignore_eos = true,
					  .seed = number + 1 };
	sim_engine_add(engine, &spec, now_ns);
}

/* Plays all requests, of which `concurrency` are in flight. */
static void play(const struct world *world, const json_t *server, struct measured *ret)
{
	struct sim_engine_config config = {
		.max_num_batched_tokens = (uint32_t)pl_json_get_i64(server,
								    "max_num_batched_tokens"),
		.max_num_seqs = (uint32_t)pl_json_get_i64(server, "max_num_seqs"),
		.block_size = (uint32_t)pl_json_get_i64(server, "block_size"),
		.block_count = BLOCK_TOKEN / (uint32_t)pl_json_get_i64(server, "block_size"),
		.chunked_prefill = true,
		.profile = sim_profile_for_model("sim/llama-3-8b"),
		.tensor_parallel = 1,
	};
	struct sim_engine *engine = sim_engine_new(&config);
	uint32_t sent = 0, tokens = 0;
	int64_t now_ns = 0;

	ret->ttft_ms = pl_alloc_array((size_t)world->requests, sizeof(double));
	ret->tpot_ms = pl_alloc_array((size_t)(world->requests * world->output), sizeof(double));
	ret->count = 0;
	while (sent < world->concurrency)
		add_request(engine, world, sent++, now_ns);
	for (int64_t step; (step = sim_engine_begin(engine, now_ns)) >= 0;) {
		const struct sim_output *outputs;
		now_ns += step;
		size_t count = sim_engine_end(engine, now_ns, &outputs);
		for (size_t i = 0; i < count; i++) {
			if (outputs[i].index == 0)
				ret->ttft_ms[ret->count++] = (double)outputs[i].gap_ns / NS_PER_MS;
			else
				ret->tpot_ms[tokens++] = (double)outputs[i].gap_ns / NS_PER_MS;
			bool is_last = outputs[i].index + 1 == (uint32_t)world->output;
			if (is_last && sent < world->requests)
				add_request(engine, world, sent++, now_ns);
		}
	}
	ret->throughput = (double)(world->requests * world->output) / ((double)now_ns / NS_PER_S);
	double tpot = median(ret->tpot_ms, tokens);
	ret->tpot_ms[0] = tpot;
	sim_engine_free(engine);
}

static json_t *result_of(const struct world *world, const json_t *server, const char *name,
			 int64_t repeat)
{
	struct measured measured;
	struct pl_nplegacy rng;
	uint32_t seed = (uint32_t)(world->seed * 1000003 + repeat * 7919);

	for (const char *c = name; *c != '\0'; c++)
		seed = seed * 31 + (unsigned char)*c;
	pl_nplegacy_seed(&rng, seed);
	play(world, server, &measured);
	/* as in a host whose clock and neighbors differ from run to run */
	double slow = 1 + world->cv * pl_nplegacy_gauss(&rng);
	json_t *result = json_pack(
		"{s:o, s:s, s:s, s:{s:O, s:{s:I}}, s:{s:{s:s, s:s, s:b}}, s:{s:s}, s:{s:I, s:i, "
		"s:f, s:f, "
		"s:f}}",
		"run_id",
		json_sprintf("exp_%s_%lld_%lld", name, (long long)world->seed, (long long)repeat),
		"name", name, "status", "completed", "config", "server", server, "benchmark",
		"max_concurrency", (json_int_t)world->concurrency, "environment", "engine", "name",
		"vllm", "version", "0.33.0", "simulated", true, "quality", "verdict", "trusted",
		"results", "completed", (json_int_t)world->requests, "failed", 0,
		"output_throughput", measured.throughput / slow, "median_ttft_ms",
		median(measured.ttft_ms, measured.count) * slow, "median_tpot_ms",
		measured.tpot_ms[0] * slow);
	free(measured.ttft_ms);
	free(measured.tpot_ms);
	return result;
}

/* Plays the runs that have no result yet, and adds the rows of all. */
static void sweep_value(const struct world *world, const json_t *server, const char *folder,
			const char *key, size_t at, int64_t repeats, json_t *rows)
{
	auto_free char *id = pl_asprintf("%012zx", at + 1);
	/* each directory has runs and noise of its own */
	auto_free char *sweep_name = pl_file_name(folder);
	auto_free char *run = pl_asprintf("%s_%s", sweep_name, id);
	struct pl_err err = PL_ERR_INIT;

	for (int64_t repeat = 1; repeat <= repeats; repeat++) {
		auto_free char *name = repeat == 1 ? pl_asprintf("cells/%s.json", id)
						   : pl_asprintf("cells/%s.%lld.json", id,
								 (long long)repeat);
		auto_free char *path = pl_asprintf("%s/%s", folder, name);
		if (!pl_file_exists(path)) {
			auto_json json_t *result = result_of(world, server, run, repeat);
			if (pl_json_write_file(result, path, &err) < 0)
				exit(2);
		}
		json_array_append_new(rows, json_pack("{s:s, s:s, s:o, s:s, s:b}", "combination",
						      id, "label", key, "parameters", json_object(),
						      "result", name, "removed", 0));
	}
}

static const char *option_of(char **words, const char *name)
{
	for (; *words != NULL; words++) {
		if (pl_text_starts(*words, name))
			return *words + strlen(name);
	}
	return NULL;
}

static int sweep(char **words, const char *file)
{
	const char *folder = option_of(words, "--output-dir=");
	const char *count = option_of(words, "--repeats=");
	int64_t repeats = count != NULL ? strtoll(count, NULL, 10) : 1;
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *experiment = NULL;
	auto_json json_t *rows = json_array();
	auto_json json_t *answer = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (folder == NULL || pl_json_read_file(file, &experiment, &err) < 0)
		return 2;
	const json_t *about = json_object_get(experiment, "world");
	const struct world world = { .seed = pl_json_get_i64(about, "seed"),
				     .concurrency = pl_json_get_i64(about, "concurrency"),
				     .requests = pl_json_get_i64(about, "requests"),
				     .input = pl_json_get_i64(about, "input"),
				     .output = pl_json_get_i64(about, "output"),
				     .cv = pl_json_get_f64(about, "cv") };
	auto_free char *cells = pl_asprintf("%s/cells", folder);
	auto_free char *path = pl_asprintf("%s/%s", folder, RES_SWEEP_SUMMARY);
	if (pl_file_make_folders(cells, &err) < 0)
		return 2;
	PL_JSON_EACH_MEMBER(key, values, json_object_get(experiment, "sweep")) {
		PL_JSON_EACH(value, values) {
			auto_json json_t *server = json_copy(json_object_get(experiment, "server"));
			if (pl_text_starts(key, "server."))
				json_object_set(server, key + strlen("server."), value);
			sweep_value(&world, server, folder, key, value_at, repeats, rows);
		}
	}
	auto_json json_t *summary = json_pack("{s:s, s:O}", "sweep", "swp_world", "runs", rows);
	const struct sweep_outcome outcome = { .runs = json_array_size(rows),
					       .over = json_array_size(rows) };
	if (pl_json_write_file(summary, path, &err) < 0 ||
	    sweep_brief(fields, folder, &outcome, 0, &answer, &err) < 0)
		return 2;
	auto_free char *text = pl_json_to_text(answer, PL_JSON_COMPACT);
	return puts(text) < 0 ? 2 : 0;
}

int main(int argc, char **argv)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (argc > 3 && strcmp(argv[1], "sweep") == 0)
		return sweep(argv + 2, argv[argc - 1]);
	if (len <= 0)
		return 2;
	self[len] = '\0';
	auto_free char *folder = pl_file_dir(self);
	auto_free char *real = pl_asprintf("%s/real", folder);
	execv(real, argv);
	return 2;
}
