/*
 * Plays several runs in one process, as a sweep does: `runs_driver [--one-by-one] CONFIG OUTPUT
 * [CONFIG OUTPUT ...]`. All slots are opened before the first thread starts. Then each run has its
 * own thread, or the runs are played in order. Prints one line per run: {output, status, error}.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "experiment/config.h"
#include "run/run.h"
#include "run/signals.h"

#define RUNS_MAX 8

struct one {
	struct exp_config *experiment;
	struct run_settings settings;
	struct run_slot slot;
	json_t *result;
	struct pl_err err;
};

static int open_one(const char *config, const char *output, struct run_stop *stop, struct one *ret)
{
	auto_problems problems = { 0 };

	ret->settings = (struct run_settings){ .output = output };
	if (exp_config_read(vllm_catalog_reference(), config, NULL, 0, &ret->experiment, &problems,
			    &ret->err) < 0)
		return -1;
	return run_slot_open(ret->experiment, stop, &ret->slot, &ret->err);
}

static void *run_one(void *data)
{
	struct one *one = data;

	if (run_experiment(one->experiment, &one->settings, &one->slot, &one->result, &one->err) ==
	    0)
		one->err.code = PL_ERR_NONE;
	return NULL;
}

static void report(const struct one *one)
{
	auto_json json_t *line = json_pack(
		"{s:s, s:o, s:o}", "output", one->settings.output, "status",
		one->result != NULL ? json_incref(json_object_get(one->result, "status"))
				    : json_null(),
		"error", one->err.code != PL_ERR_NONE ? json_string(one->err.text) : json_null());
	auto_free char *text = pl_json_to_text(line, PL_JSON_COMPACT);

	puts(text);
}

int main(int argc, char **argv)
{
	bool one_by_one = argc > 1 && strcmp(argv[1], "--one-by-one") == 0;
	char **pairs = argv + 1 + one_by_one;
	size_t count = (size_t)(argc - 1 - one_by_one) / 2;
	struct run_stop stops[RUNS_MAX] = { 0 };
	struct one runs[RUNS_MAX] = { 0 };
	pthread_t threads[RUNS_MAX];

	if (count == 0 || count > RUNS_MAX)
		return 2;
	run_signals_take(stops, count);
	for (size_t i = 0; i < count; i++) {
		if (open_one(pairs[2 * i], pairs[2 * i + 1], &stops[i], &runs[i]) < 0) {
			fprintf(stderr, "%s\n", runs[i].err.text);
			return 1;
		}
	}
	for (size_t i = 0; i < count && one_by_one; i++)
		run_one(&runs[i]);
	for (size_t i = 0; i < count && !one_by_one; i++) {
		if (pthread_create(&threads[i], NULL, run_one, &runs[i]) != 0)
			return 1;
	}
	for (size_t i = 0; i < count && !one_by_one; i++)
		pthread_join(threads[i], NULL);
	run_signals_release();
	for (size_t i = 0; i < count; i++) {
		report(&runs[i]);
		json_decref(runs[i].result);
		exp_config_free(runs[i].experiment);
	}
	return 0;
}
