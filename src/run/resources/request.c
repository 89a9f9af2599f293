/* Determines the GPUs that an experiment requests, before the host is examined. */
#include "run/resources/resources_priv.h"

#include <string.h>

#include "base/text.h"

#define VISIBLE "CUDA_VISIBLE_DEVICES"

static int64_t argument(const json_t *server, const char *name, int64_t otherwise)
{
	const json_t *value = json_object_get(server, name);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

size_t run_gpus_needed(const json_t *server)
{
	int64_t nodes = argument(server, "nnodes", 1);
	int64_t replicas = argument(server, "data_parallel_size_local",
				    argument(server, "data_parallel_size", 1));

	/* one replica per process: the others are started separately */
	if (json_is_integer(json_object_get(server, "data_parallel_rank")))
		replicas = 1;
	double needed = (double)argument(server, "tensor_parallel_size", 1) *
			(double)argument(server, "pipeline_parallel_size", 1) *
			(double)argument(server, "prefill_context_parallel_size", 1) *
			(double)replicas;
	if (nodes > 1)
		needed = (needed + (double)nodes - 1) / (double)nodes;
	/* a file may contain any number; clamp it to avoid an overflow */
	return needed < 0 ? 0 : needed > 1e6 ? 1000000 : (size_t)needed;
}

/* Parses "0,1" like CUDA: an invalid name ends the list. */
static void split_names(const char *text, json_t *names)
{
	auto_free char *words = pl_strdup(text);

	for (char *rest = words, *word; (word = strsep(&rest, ",")) != NULL;) {
		word = pl_text_trim(word);
		if (word[0] == '\0' || word[0] == '-' || strcmp(word, "NoDevFiles") == 0)
			break;
		json_array_append_new(names, json_string(word));
	}
}

static void read_names(const json_t *gpus, json_t *names)
{
	PL_JSON_EACH(item, gpus) {
		auto_free char *text = json_is_string(item)
					       ? pl_strdup(json_string_value(item))
					       : pl_asprintf("%lld",
							     (long long)json_integer_value(item));
		json_array_append_new(names, json_string(text));
	}
}

/* The simulator needs no GPU. It gets simulated ones, to test sharing a host. */
static bool is_simulator(const struct exp_config *experiment)
{
	const char *program = json_string_value(json_array_get(experiment->launch.command, 0));

	return experiment->simulate || (program != NULL && strstr(program, "profllm-sim") != NULL);
}

/* GPUs may be named in only one of three places. Returns the text of the other two; NULL: none. */
static const char *read_elsewhere(const struct exp_config *experiment,
				  struct run_gpu_request *request)
{
	const json_t *visible = json_object_get(experiment->launch.env, VISIBLE);
	const json_t *device_ids = json_object_get(experiment->server, "device_ids");

	if (!json_is_string(visible) && !json_is_string(device_ids))
		return NULL;
	request->key = json_is_string(visible) ? "launch.env." VISIBLE : "server.device_ids";
	return json_string_value(json_is_string(visible) ? visible : device_ids);
}

void run_gpu_request_read(const struct exp_config *experiment, struct run_gpu_request *ret)
{
	const json_t *gpus = experiment->launch.gpus;
	const char *platform = experiment->launch.platform;
	bool must = pl_text_equal(platform, "cuda") || pl_text_equal(platform, "rocm");
	bool elsewhere = !must && !pl_text_equal(platform, "auto");
	struct run_gpu_request request = {
		.kind = RUN_GPUS_NONE,
		.key = "launch.gpus",
		.none_is_fine = !must,
		.simulator = is_simulator(experiment),
	};

	*ret = request;
	/* a server without GPUs; its environment is left to the user */
	if (json_is_array(gpus) && json_array_size(gpus) == 0)
		return;
	const char *text = read_elsewhere(experiment, &request);
	if (text != NULL || json_is_array(gpus)) {
		request.kind = RUN_GPUS_NAMED;
		request.reported = text != NULL;
		request.none_is_fine = text != NULL && !must;
		request.names = json_array();
		if (text != NULL)
			split_names(text, request.names);
		else
			read_names(gpus, request.names);
		if (json_array_size(request.names) == 0)
			request.kind = RUN_GPUS_NONE;
	} else if (!elsewhere) {
		request.kind = pl_text_equal(json_string_value(gpus), "all") ? RUN_GPUS_ALL
									     : RUN_GPUS_AUTO;
		request.count = run_gpus_needed(experiment->server);
		if (request.kind == RUN_GPUS_AUTO && request.count == 0)
			request.kind = RUN_GPUS_NONE;
	}
	*ret = request;
}

void run_gpu_request_done(struct run_gpu_request *request)
{
	json_decref(request->names);
	request->names = NULL;
}
