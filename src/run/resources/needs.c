#include "run/resources/needs.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "experiment/offline.h"
#include "host/gpu/pick.h"
#include "run/resources/resources_priv.h"

struct run_gpu_survey {
	struct host_gpus *host; /* NULL: none was found */
	struct host_gpu_offer *offers;
	size_t count;
	size_t elsewhere; /* number of GPUs of another host; 0: this host */
};

struct run_gpu_survey *run_gpu_survey_new(size_t gpus)
{
	struct run_gpu_survey *survey = pl_alloc(sizeof(*survey));

	survey->elsewhere = gpus;
	if (gpus > 0 || host_gpus_open(&survey->host, PL_ERR_IGNORED) < 0)
		return survey;
	host_gpu_offers(survey->host, &survey->offers, &survey->count);
	host_gpu_hide(survey->offers, survey->count, getenv("CUDA_VISIBLE_DEVICES"));
	return survey;
}

void run_gpu_survey_free(struct run_gpu_survey *survey)
{
	if (survey == NULL)
		return;
	host_gpu_offers_free(survey->offers, survey->count);
	host_gpus_free(survey->host);
	free(survey);
}

size_t run_gpu_survey_count(const struct run_gpu_survey *survey)
{
	if (survey->elsewhere > 0)
		return survey->elsewhere;
	size_t whole = host_gpu_allowed(survey->offers, survey->count, 2);

	/* if all are partitioned: their instances */
	return whole > 0 ? whole : host_gpu_allowed(survey->offers, survey->count, 1);
}

static void add_exclusive(struct run_needs *needs, const char *what, const char *which)
{
	json_array_append_new(needs->alone, json_sprintf("%s %s", what, which));
}

static void name_gpus(const struct run_gpu_survey *survey, const json_t *names,
		      struct run_needs *ret)
{
	size_t at;

	ret->names_gpus = true;
	PL_JSON_EACH(name, names) {
		char number[32];
		if (survey->elsewhere > 0) {
			add_exclusive(ret, "gpu", json_string_value(name));
			continue;
		}
		if (host_gpu_find(survey->offers, survey->count, json_string_value(name), &at,
				  PL_ERR_IGNORED) < 0)
			continue; /* the run reports the error */
		snprintf(number, sizeof(number), "%zu", at);
		add_exclusive(ret, "gpu", number);
	}
}

void run_needs(const struct run_gpu_survey *survey, const struct exp_config *experiment,
	       struct run_needs *ret)
{
	const char *uds = pl_json_get_text(experiment->server, "uds");
	auto_free char *url = exp_server_url(experiment);

	*ret = (struct run_needs){ .alone = json_array() };
	/* servers that are already running may share their host */
	if (url != NULL) {
		add_exclusive(ret, "server", "that runs");
		return;
	}
	struct run_gpu_request request;
	size_t all = run_gpu_survey_count(survey);
	run_gpu_request_read(experiment, &request);
	/* as in run_gpu_taking_open(): the simulator never uses real ones */
	bool plays = request.simulator && request.kind == RUN_GPUS_AUTO && survey->count > 0 &&
		     !survey->offers[0].facts->simulated;
	if (all == 0 || plays)
		request.kind = RUN_GPUS_NONE;
	if (request.kind == RUN_GPUS_NAMED)
		name_gpus(survey, request.names, ret);
	else if (request.kind == RUN_GPUS_ALL)
		ret->gpus = all;
	else if (request.kind == RUN_GPUS_AUTO)
		ret->gpus = request.count;
	run_gpu_request_done(&request);
	if (exp_is_in_process(experiment))
		return;
	if (uds != NULL) {
		add_exclusive(ret, "socket", uds);
	} else if (experiment->launch.port != OPTION_NO_I64) {
		char number[32];
		snprintf(number, sizeof(number), "%lld", (long long)experiment->launch.port);
		add_exclusive(ret, "port", number);
	}
}

void run_needs_done(struct run_needs *needs)
{
	json_decref(needs->alone);
	needs->alone = NULL;
}
