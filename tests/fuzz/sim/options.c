/* Any words as the command line of profllm-sim: taken within the limits, or refused with a
 * reason. */
#include "sim/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_strndup((const char *)data, size);
	static char first[] = "profllm-sim serve";
	char *argv[WORDS_MAX + 1] = { first, first + strlen("profllm-sim ") };
	struct pl_err err = PL_ERR_INIT;
	struct sim_options options;
	enum sim_action action;
	int argc = 2;

	for (char *word = strtok(text, "\n"); word != NULL && argc < WORDS_MAX;
	     word = strtok(NULL, "\n"))
		argv[argc++] = word;
	if (sim_options_parse(argc, argv, &options, &action, &err) < 0) {
		must(err.text[0] != '\0');
	} else if (action == SIM_SERVE) {
		must(options.model != NULL && options.name_count >= 1);
		must(options.draft_tokens >= 0 && options.port >= 0 && options.port <= 65535);
		for (int kind = 0; kind < SIM_FAULT_COUNT; kind++)
			must(options.faults.rates[kind] >= 0 && options.faults.rates[kind] <= 1);
	}
	sim_options_done(&options);
	return 0;
}
