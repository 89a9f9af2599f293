#include "run/client/client.h"

#include "base/text.h"
#include "experiment/offline.h"
#include "run/steps/plan.h"

static const struct run_client *const clients[] = { &run_client_native, &run_client_vllm };

const struct run_client *run_client_find(const char *name)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(clients); i++) {
		if (pl_text_equal(clients[i]->name, name))
			return clients[i];
	}
	return clients[0];
}

/* Throughput on a server is a load like any other. */
const struct run_client *run_client_of(const struct exp_config *experiment)
{
	const char *kind = experiment->bench.kind;

	if (exp_is_in_process(experiment))
		return &run_client_in_process;
	if (pl_text_equal(kind, "latency"))
		return &run_client_latency;
	if (pl_text_equal(kind, "startup"))
		return &run_client_startup;
	return run_client_find(experiment->bench.client);
}

void run_measured_done(const struct run_client *client, struct run_measured *measured)
{
	if (client->close != NULL)
		client->close(measured);
	run_extras_done(&measured->extras);
	res_outcome_free(measured->outcome);
	run_plan_free(measured->plan);
	json_decref(measured->figures);
	json_decref(measured->plots);
	json_decref(measured->log_tail);
	*measured = (struct run_measured){ 0 };
}
