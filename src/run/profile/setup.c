/*
 * The profiler of the server, by release:
 *
 *	torch, from 0.13.0   --profiler-config '{"profiler": "torch", "torch_profiler_dir": DIR}'
 *	torch, before        VLLM_TORCH_PROFILER_DIR=DIR
 *	cuda, from 0.13.0    nsys profile … vllm serve … --profiler-config '{"profiler": "cuda"}'
 *	cuda, before         nsys profile … vllm serve …, with VLLM_TORCH_CUDA_PROFILE=1
 *
 * Nsight Systems records only between cudaProfilerStart() and cudaProfilerStop(), which the server calls for
 * /start_profile and /stop_profile.
 */
#include "run/profile/setup.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "experiment/profiling.h"
#include "run/document/profiling.h"
#include "run/launch.h"

#define CUDA_VARIABLE "VLLM_TORCH_CUDA_PROFILE"

static char *absolute(const char *path)
{
	auto_free char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);

	return folder != NULL ? pl_asprintf("%s/%s", folder, path) : pl_strdup(path);
}

/* The directory that the user named in the arguments or the variables of the server. */
static const char *given_dir(const struct exp_config *experiment)
{
	const char *dir = pl_json_get_text(json_object_get(experiment->server, "profiler_config"),
					   "torch_profiler_dir");

	if (dir != NULL && dir[0] != '\0')
		return dir;
	return exp_profiling_has_argument(experiment)
		       ? NULL
		       : pl_json_get_text(experiment->launch.env, RUN_PROFILER_DIR);
}

static void set_argument(const struct exp_config *experiment, const char *profiler,
			 struct run_launch *launch)
{
	const json_t *given = json_object_get(experiment->server, "profiler_config");
	json_t *config = json_is_object(given) ? json_deep_copy(given) : json_object();

	json_object_set_new(config, "profiler", json_string(profiler));
	if (strcmp(profiler, "torch") == 0)
		json_object_set_new(config, "torch_profiler_dir", json_string(launch->trace_dir));
	json_object_set_new(launch->values, "profiler_config", config);
}

static void set_wrapper(const char *run_id, struct run_launch *launch)
{
	auto_free char *output = pl_asprintf("%s/%s", launch->trace_dir, run_id);

	launch->wrapper_words = json_pack(
		"[s, s, s, s, s, s, s, s, s]", "nsys", "profile", "--trace=cuda,nvtx",
		"--trace-fork-before-exec=true", "--cuda-graph-trace=node",
		"--capture-range=cudaProfilerApi", "--capture-range-end=repeat",
		"--force-overwrite=true", "--output");
	json_array_append_new(launch->wrapper_words, json_string(output));
}

int run_profile_setup(const struct exp_config *experiment, const char *run_id, bool look_only,
		      struct run_launch *launch, struct pl_err *err)
{
	struct exp_profiling profiling;

	exp_profiling_read(experiment, &profiling);
	if (!profiling.enabled)
		return 0;
	if (launch->url != NULL) {
		launch->trace_dir = profiling.dir != NULL ? absolute(profiling.dir) : NULL;
		return 0;
	}
	const char *given = profiling.is_cuda ? NULL : given_dir(experiment);
	auto_free char *dir = absolute(given != NULL           ? given
				       : profiling.dir != NULL ? profiling.dir
							       : EXP_PROFILING_DIR);
	const char *own = run_id != NULL ? run_id : "RUN_ID";
	/* files of other runs there would be taken for this run's */
	launch->trace_dir = given != NULL ? pl_strdup(dir) : pl_asprintf("%s/%s", dir, own);
	if (exp_profiling_has_argument(experiment))
		set_argument(experiment, profiling.is_cuda ? "cuda" : "torch", launch);
	else
		json_object_set_new(launch->env,
				    profiling.is_cuda ? CUDA_VARIABLE : RUN_PROFILER_DIR,
				    json_string(profiling.is_cuda ? "1" : launch->trace_dir));
	if (profiling.is_cuda)
		set_wrapper(own, launch);
	return look_only ? 0 : pl_file_make_folders(launch->trace_dir, err);
}
