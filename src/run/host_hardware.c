/*
 * What a server would run on, for checks that ask whether a model fits. Nothing is locked: the
 * answer is what the host has, whoever uses it at the moment.
 */
#include "run/host_hardware.h"

#include <stdlib.h>

#include "base/text.h"
#include "run/resources/resources_priv.h"

/* May the server get it? Parts of GPUs are no measure for what fits on whole ones. */
static bool is_candidate(const struct run_gpu_request *request, const struct host_gpu_offer *offers,
			 size_t count, size_t i)
{
	size_t at;

	if (!host_gpu_is_usable(&offers[i]) || offers[i].facts->mig_parent != NULL ||
	    offers[i].facts->name == NULL)
		return false;
	if (request->kind != RUN_GPUS_NAMED)
		return !offers[i].hidden;
	PL_JSON_EACH(name, request->names) {
		if (host_gpu_find(offers, count, json_string_value(name), &at, PL_ERR_IGNORED) ==
			    0 &&
		    at == i)
			return true;
	}
	return false;
}

static bool describe(const struct run_gpu_request *request, const struct host_gpu_offer *offers,
		     size_t count, struct ckpt_hardware *ret)
{
	const struct host_gpu_facts *first = NULL;
	int64_t same = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_candidate(request, offers, count, i))
			continue;
		if (first == NULL)
			first = offers[i].facts;
		same += pl_text_equal(offers[i].facts->name, first->name);
	}
	if (first == NULL)
		return false;
	int64_t memory = first->memory_bytes > 0 ? (int64_t)first->memory_bytes : 0;
	if (ckpt_hardware_from_host(first->name, memory, "cuda", same, ret, PL_ERR_IGNORED) < 0)
		return false;
	/* the driver's text does not live as long as the answer */
	if (ret->gpu.name == first->name)
		ret->gpu.name = "gpu";
	return true;
}

bool run_host_hardware(const struct exp_config *experiment, struct ckpt_hardware *ret)
{
	struct run_gpu_request request = { 0 };
	auto_gpus struct host_gpus *gpus = NULL;
	struct host_gpu_offer *offers = NULL;
	size_t count = 0;
	bool found = false;

	run_gpu_request_read(experiment, &request);
	if (experiment->launch.url == NULL && request.kind != RUN_GPUS_NONE && !request.simulator &&
	    host_gpus_open(&gpus, PL_ERR_IGNORED) == 0) {
		host_gpu_offers(gpus, &offers, &count);
		host_gpu_hide(offers, count, getenv("CUDA_VISIBLE_DEVICES"));
		found = describe(&request, offers, count, ret);
	}
	host_gpu_offers_free(offers, count);
	run_gpu_request_done(&request);
	return found;
}
