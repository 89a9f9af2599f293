/*
 * All checks before a run, as `validate` and the run make them. The vLLM release may be in the file or follow from this
 * host, and it determines the arguments for reading the file. So the file is read twice if the first reading shows
 * another release.
 */
#include "run/check.h"

#include <stdlib.h>

#include "base/text.h"
#include "bench/data/dataset.h"
#include "experiment/offline.h"
#include "plot/canvas.h"
#include "result/flat/file.h"
#include "result/flat/pytorch.h"
#include "run/document/flat_result.h"
#include "run/paths.h"
#include "run/repeat.h"
#include "run/resources/resources_priv.h"
#include "vllm/version.h"

void run_check_done(struct run_check *check)
{
	run_release_done(&check->release);
	exp_checked_done(&check->checked);
}

/* The input: a file, a text, or a result to repeat. */
struct input {
	const char *name; /* or path */
	const char *text; /* NULL: not a text */
	size_t len;
	json_t *repeats; /* NULL: not a result */
	const char *const *sets;
	size_t set_count;
};

static int read_with(const struct vllm_catalog *catalog, const struct input *input,
		     struct exp_config **ret, struct option_problems *problems, struct pl_err *err)
{
	if (input->repeats != NULL)
		return run_repeat_read(catalog, input->name, input->repeats, input->sets,
				       input->set_count, ret, problems, err);
	if (input->text != NULL)
		return exp_config_read_text(catalog, input->text, input->len, input->name,
					    input->sets, input->set_count, ret, problems, err);
	return exp_config_read(catalog, input->name, input->sets, input->set_count, ret, problems,
			       err);
}

static int read_input(const struct vllm_catalog *catalog, const struct input *input,
		      struct exp_config **ret, struct option_problems *problems, struct pl_err *err)
{
	auto_experiment struct exp_config *experiment = NULL;
	auto_problems found = { 0 };
	auto_release release = { 0 };

	if (read_with(catalog, input, &experiment, &found, err) < 0)
		return -1;
	run_release_find(experiment, NULL, &release);
	/* the first reading determined the release; read again with its arguments */
	if (release.found_in != NULL &&
	    vllm_catalog_release(catalog, release.version) != experiment->catalog)
		return read_with(vllm_catalog_release(catalog, release.version), input, ret,
				 problems, err);
	for (size_t i = 0; i < found.count; i++)
		option_problems_add(problems, &found.items[i]);
	*ret = pl_take(experiment);
	return 0;
}

int run_check_read(const struct vllm_catalog *catalog, const char *path, const char *const *sets,
		   size_t set_count, struct exp_config **ret, struct option_problems *problems,
		   struct pl_err *err)
{
	auto_json json_t *repeats = NULL;

	if (run_repeat_find(path, &repeats, err) < 0)
		return -1;
	struct input input = {
		.name = path, .repeats = repeats, .sets = sets, .set_count = set_count
	};
	return read_input(catalog, &input, ret, problems, err);
}

int run_check_read_text(const struct vllm_catalog *catalog, const char *text, size_t len,
			const char *source, const char *const *sets, size_t set_count,
			struct exp_config **ret, struct option_problems *problems,
			struct pl_err *err)
{
	struct input input = { source, text, len, NULL, sets, set_count };

	return read_input(catalog, &input, ret, problems, err);
}

/* An unreadable release counts as none. */
static void find_release(const struct exp_config *experiment, const char *version,
			 struct run_release *ret)
{
	struct vllm_version parsed;

	run_release_find(experiment, version, ret);
	if (vllm_version_parse(ret->version, &parsed, PL_ERR_IGNORED) == 0)
		return;
	run_release_done(ret);
	*ret = (struct run_release){ .version = pl_strdup(VLLM_REFERENCE_RELEASE),
				     .assumed = true };
}

/* Returns whether the server may get the GPU. Parts of GPUs do not show what fits on whole ones. */
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
	/* the driver's text has a shorter lifetime than the result */
	if (ret->gpu.name == first->name)
		ret->gpu.name = "gpu";
	return true;
}

/*
 * Returns the GPUs that the experiment's server may get on this host: model and memory of the first, and the number of
 * that model; with launch.hardware, the ones it names. Returns false if this does not apply: the server runs elsewhere,
 * uses no GPUs, or is a simulator, or no GPU is found. Takes no GPU and ignores their current use.
 */
bool run_check_hardware(const struct exp_config *experiment, struct ckpt_hardware *ret)
{
	struct run_gpu_request request = { 0 };
	auto_gpus struct host_gpus *gpus = NULL;
	struct host_gpu_offer *offers = NULL;
	size_t count = 0;
	bool found = false;

	auto_free char *url = exp_server_url(experiment);

	if (experiment->launch.hardware != NULL)
		return ckpt_hardware_find(experiment->launch.hardware, ret, PL_ERR_IGNORED) == 0;
	run_gpu_request_read(experiment, &request);
	if (url == NULL && request.kind != RUN_GPUS_NONE && !request.simulator &&
	    host_gpus_open(&gpus, PL_ERR_IGNORED) == 0) {
		host_gpu_offers(gpus, &offers, &count);
		host_gpu_hide(offers, count, getenv("CUDA_VISIBLE_DEVICES"));
		found = describe(&request, offers, count, ret);
	}
	host_gpu_offers_free(offers, count);
	run_gpu_request_done(&request);
	return found;
}

void run_check_server(const struct exp_config *experiment, const struct exp_check_options *options,
		      struct run_check *ret, struct option_problems *problems)
{
	struct ckpt_hardware host;
	struct exp_check_options how = *options;

	find_release(experiment, options->target.version, &ret->release);
	how.target = (struct vllm_target){ ret->release.version, ret->release.assumed,
					   experiment->catalog };
	if (how.hardware == NULL && run_check_hardware(experiment, &host))
		how.hardware = &host;
	exp_check(experiment, &how, &ret->checked, problems);
}

/* Adds an error from the host as a problem of the option that caused it. */
static void add_reason(const struct exp_config *experiment, const char *key,
		       const struct pl_err *why, struct option_problems *problems)
{
	exp_problem_report(experiment, "benchmark.dataset_name", problems, .key = key,
			   .expected = why->text, .expected_is_reason = true, .reason = "host");
}

void run_check_host(const struct exp_config *experiment, struct option_problems *problems)
{
	const struct vllm_bench *bench = &experiment->bench;
	struct pl_err err = PL_ERR_INIT;

	if (res_pytorch_check(bench, &err) < 0 || res_flat_check(bench, &err) < 0)
		add_reason(experiment, "benchmark.save_result", &err, problems);
	/* vLLM's client and its own benchmark check this themselves; a startup benchmark has no load */
	if (pl_text_equal(bench->client, "vllm") || exp_is_in_process(experiment) ||
	    pl_text_equal(bench->kind, "startup"))
		return;
	if (bench_dataset_check(bench, &err) < 0 || run_repeat_check_dataset(experiment, &err) < 0)
		add_reason(experiment,
			   bench->dataset_path != NULL ? "benchmark.dataset_path"
						       : "benchmark.dataset_name",
			   &err, problems);
	if (bench->plot_dataset_stats && plot_canvas_check(&err) < 0)
		add_reason(experiment, "benchmark.plot_dataset_stats", &err, problems);
}

void run_check_output(const struct exp_config *experiment, const char *output, bool names_of_vllm,
		      struct option_problems *problems)
{
	struct run_paths paths;
	struct pl_err err = PL_ERR_INIT;

	run_paths_make(output, NULL, &paths);
	if (run_flat_check_apart(&experiment->bench, &paths, names_of_vllm, &err) < 0)
		add_reason(experiment, "benchmark.result_filename", &err, problems);
	run_paths_done(&paths);
}

void run_check_artifacts(const char *output, struct option_problems *problems)
{
	auto_paths paths = { 0 };
	struct pl_err err = PL_ERR_INIT;

	run_paths_make(output, NULL, &paths);
	if (run_paths_check_free(&paths, &err) < 0)
		option_problem_report(problems, .severity = OPTION_WARNING, .key = "--output",
				      .expected = err.text, .expected_is_reason = true,
				      .reason = "host");
}
