#include "run/steps/vocabulary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "config_text.h"
#include "experiment/config.h"
#include "run/steps/identity.h"
#include "unit/checkpoint/model_folder.h"

#define TOKENIZER "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1, \"c\": 2}}}"

/* The vocabulary that an experiment finds: the first location with a tokenizer counts. */
static int64_t vocabulary_of(const struct folder *folder, const char *dataset)
{
	auto_free char *text = pl_asprintf(
		"server: {model: '%s/model'}\n"
		"benchmark: {tokenizer: '%s/tokenizer', dataset_name: %s}\n",
		folder->path, folder->path, dataset);
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems problems = { 0 };
	const struct run_identity identity = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (config_text_parse(vllm_catalog_reference(), text, strlen(text), "e.yaml", NULL, 0,
			      &experiment, &problems, &err) < 0)
		fail_msg("%s", err.text);
	run_vocabulary_learn(experiment, &identity, NULL, &experiment->bench);
	return experiment->bench.vocab_size;
}

static void the_first_tokenizer_counts(void **state)
{
	const struct folder *folder = *state;

	folder_text(folder, "model/config.json", "{\"vocab_size\": 9}");
	folder_text(folder, "tokenizer/notes.txt", "");
	/* none: the rows of the model's embedding bound the ids */
	assert_int_equal(vocabulary_of(folder, "random"), 9);
	folder_text(folder, "model/tokenizer.json", TOKENIZER);
	assert_int_equal(vocabulary_of(folder, "random"), 3);
	folder_text(folder, "tokenizer/tokenizer.json",
		    "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1}}}");
	assert_int_equal(vocabulary_of(folder, "random"), 2);
	/* its prompts are texts */
	assert_int_equal(vocabulary_of(folder, "sonnet, dataset_path: x"), OPTION_NO_I64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_first_tokenizer_counts, folder_setup,
						folder_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
