/*
 * Any answers of a server to /version, /v1/models, /server_info, /metrics and /health, in this order,
 * to a run without a model and to one with a model: the server has a name for the model, or the run
 * ends with one error.
 */
#include "run/steps/identity.h"

#include "../../peer.h"
#include "base/json.h"
#include "run/context.h"
#include "run/steps/server.h"
#include "run/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static struct exp_config *experiments[2];

static void make_experiments(void)
{
	static const char *const files[] = {
		"{\"launch\": {\"url\": \"http://h:1\"}}",
		"{\"launch\": {\"url\": \"http://h:1\"}, \"benchmark\": {\"model\": \"m\"}}",
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(files); i++) {
		auto_json json_t *json = NULL;
		auto_problems problems = { 0 };
		struct pl_err err = PL_ERR_INIT;
		if (experiments[i] != NULL)
			continue;
		must(pl_json_parse(files[i], strlen(files[i]), "e", &json, &err) == 0);
		must(exp_config_read_json(vllm_catalog_reference(), json, "e", NULL, 0,
					  &experiments[i], &problems, &err) == 0);
	}
}

static void check_known(const struct run_context *run, const struct run_identity *identity)
{
	must(identity->model != NULL);
	must(!identity->simulated || strcmp(identity->name, "profllm-sim") == 0);
	(void)run_identity_root(identity);
	if (run_identity_check_model(run, identity, ": unknown model") < 0)
		must(run->ending->cause == RES_CAUSE_MODEL_NOT_FOUND);
}

static void learn(const struct exp_config *experiment)
{
	struct run_stop stop = { 0 };
	struct run_ending ending = { .cause = RES_CAUSE_COUNT };
	const struct run_context run = { .experiment = experiment,
					 .run_id = "r",
					 .quiet = true,
					 .stop = &stop,
					 .ending = &ending };
	const struct run_target target = { .host = (char *)"h",
					   .prefix = (char *)"",
					   .stop = &stop };
	const struct run_server server = { .url = "http://h:1" };
	struct run_identity identity = { 0 };

	if (run_identity_learn(&run, &target, &server, false, &identity) == 0)
		check_known(&run, &identity);
	else
		must(ending.why.text[0] != '\0');
	run_identity_done(&identity);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	make_experiments();
	for (size_t i = 0; i < PL_ARRAY_SIZE(experiments); i++) {
		peer_begin(data, size);
		learn(experiments[i]);
	}
	return 0;
}
