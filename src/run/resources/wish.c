#include "run/resources/wish.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "experiment/offline.h"
#include "host/gpu/pick.h"
#include "run/resources/resources_priv.h"

struct run_wishes {
	struct host_gpus *host; /* NULL: none was found */
	struct host_gpu_offer *offers;
	size_t count;
	size_t elsewhere; /* number of GPUs of another host; 0: this host */
};

struct run_wishes *run_wishes_new(size_t gpus)
{
	struct run_wishes *wishes = pl_alloc(sizeof(*wishes));

	wishes->elsewhere = gpus;
	if (gpus > 0 || host_gpus_open(&wishes->host, PL_ERR_IGNORED) < 0)
		return wishes;
	host_gpu_offers(wishes->host, &wishes->offers, &wishes->count);
	host_gpu_hide(wishes->offers, wishes->count, getenv("CUDA_VISIBLE_DEVICES"));
	return wishes;
}

void run_wishes_free(struct run_wishes *wishes)
{
	if (wishes == NULL)
		return;
	host_gpu_offers_free(wishes->offers, wishes->count);
	host_gpus_free(wishes->host);
	free(wishes);
}

size_t run_wishes_gpus(const struct run_wishes *wishes)
{
	if (wishes->elsewhere > 0)
		return wishes->elsewhere;
	size_t whole = host_gpu_allowed(wishes->offers, wishes->count, 2);

	/* if all are partitioned: their instances */
	return whole > 0 ? whole : host_gpu_allowed(wishes->offers, wishes->count, 1);
}

static void add_alone(struct run_wish *wish, const char *what, const char *which)
{
	json_array_append_new(wish->alone, json_sprintf("%s %s", what, which));
}

static void name_gpus(const struct run_wishes *wishes, const json_t *names, struct run_wish *ret)
{
	size_t at;

	ret->names_gpus = true;
	PL_JSON_EACH(name, names) {
		char number[32];
		if (wishes->elsewhere > 0) {
			add_alone(ret, "gpu", json_string_value(name));
			continue;
		}
		if (host_gpu_find(wishes->offers, wishes->count, json_string_value(name), &at,
				  PL_ERR_IGNORED) < 0)
			continue; /* the run reports the error */
		snprintf(number, sizeof(number), "%zu", at);
		add_alone(ret, "gpu", number);
	}
}

static void wish_gpus(const struct run_wishes *wishes, const struct exp_config *experiment,
		      struct run_wish *ret)
{
	struct run_gpu_request request;
	size_t all = run_wishes_gpus(wishes);

	run_gpu_request_read(experiment, &request);
	/* as in run_gpu_taking_open(): the simulator never uses real ones */
	bool plays = request.simulator && request.kind == RUN_GPUS_AUTO && wishes->count > 0 &&
		     !wishes->offers[0].facts->simulated;
	if (all == 0 || plays)
		request.kind = RUN_GPUS_NONE;
	if (request.kind == RUN_GPUS_NAMED)
		name_gpus(wishes, request.names, ret);
	else if (request.kind == RUN_GPUS_ALL)
		ret->gpus = all;
	else if (request.kind == RUN_GPUS_AUTO)
		ret->gpus = request.count;
	run_gpu_request_done(&request);
}

void run_wish(const struct run_wishes *wishes, const struct exp_config *experiment,
	      struct run_wish *ret)
{
	const char *uds = pl_json_get_text(experiment->server, "uds");
	auto_free char *url = exp_server_url(experiment);

	*ret = (struct run_wish){ .alone = json_array() };
	/* servers that are already running may share their host */
	if (url != NULL) {
		add_alone(ret, "server", "that runs");
		return;
	}
	wish_gpus(wishes, experiment, ret);
	if (exp_is_in_process(experiment))
		return;
	if (uds != NULL) {
		add_alone(ret, "socket", uds);
	} else if (experiment->launch.port != OPTION_NO_I64) {
		char number[32];
		snprintf(number, sizeof(number), "%lld", (long long)experiment->launch.port);
		add_alone(ret, "port", number);
	}
}

void run_wish_done(struct run_wish *wish)
{
	json_decref(wish->alone);
	wish->alone = NULL;
}
