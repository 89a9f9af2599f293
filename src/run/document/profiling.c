/*
 * The directory of a profiler's traces: from the server's configuration, or from the variable of releases without such
 * a configuration.
 */
#include "run/document/profiling.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "result/document.h"
#include "run/launch.h"
#include "run/profile/profile.h"

json_t *run_profiling(bool ran, const json_t *config, const json_t *launch,
		      const char *inherited_dir)
{
	json_t *json = res_document_empty("profiling");

	if (!ran)
		return json;
	json_object_set_new(json, "enabled", json_true());
	json_object_set_new(json, "scope", json_string("measured_run"));
	/* the server names and writes them, partly long after the run */
	json_object_set_new(json, "trace_files", json_null());
	/* the arguments of another server are unknown */
	if (pl_json_path_text(launch, "url") != NULL)
		return json;
	const char *profiler = pl_json_path_text(config, "server.profiler_config.profiler");
	const char *dir = pl_json_path_text(launch, "env." RUN_PROFILER_DIR);
	if (profiler != NULL) {
		auto_free char *key = pl_asprintf("server.profiler_config.%s_profiler_dir",
						  profiler);
		dir = pl_json_path_text(config, key);
	} else if (dir == NULL) {
		dir = inherited_dir;
	}
	/* releases with this variable have only one profiler */
	if (profiler == NULL && dir != NULL)
		profiler = "torch";
	json_object_set_new(json, "profiler", pl_json_text(profiler));
	json_object_set_new(json, "trace_dir", pl_json_text(dir));
	return json;
}

/* ---- separate requests ---- */

static json_t *file_json(const struct run_trace *trace, const json_t *artifact)
{
	json_t *file = res_document_empty("trace_file");
	int64_t bytes = pl_json_get_i64(artifact, "size");

	json_object_set(file, "path", json_object_get(artifact, "name"));
	json_object_set_new(file, "rank", pl_json_i64(trace->rank, trace->rank >= 0));
	json_object_set_new(file, "size_mb", json_real((double)bytes / 1e6));
	json_object_set_new(file, "size_bytes", json_integer(bytes));
	json_object_set(file, "sha256", json_object_get(artifact, "sha256"));
	return file;
}

/* Those that became artifacts, in the order of ranks. */
static json_t *files_json(const struct run_traces *traces, const json_t *artifacts)
{
	json_t *files = json_array();

	for (size_t i = 0; i < traces->count; i++) {
		auto_free char *name = traces->items[i].path != NULL
					       ? pl_file_name(traces->items[i].path)
					       : NULL;
		PL_JSON_EACH(artifact, artifacts) {
			if (name != NULL && pl_text_equal(pl_json_get_text(artifact, "name"), name))
				json_array_append_new(files,
						      file_json(&traces->items[i], artifact));
		}
	}
	return files;
}

void run_profiling_add(const struct run_profile *profile, const struct run_launch *launch,
		       const json_t *artifacts, json_t *profiling)
{
	if (!profile->is_requested)
		return;
	json_t *files = files_json(&profile->traces, artifacts);
	const json_t *first = json_array_get(files, 0);
	json_object_set_new(profiling, "enabled", json_boolean(profile->has_started));
	if (profile->has_started) {
		json_object_set_new(profiling, "scope", json_string("separate_requests"));
		json_object_set_new(profiling, "profiler",
				    json_string(launch->wrapper_words != NULL ? "cuda" : "torch"));
	}
	json_object_set_new(profiling, "trace_dir", pl_json_text(launch->trace_dir));
	if (first != NULL) {
		json_object_set(profiling, "trace_file_path", json_object_get(first, "path"));
		json_object_set(profiling, "trace_file_size_mb", json_object_get(first, "size_mb"));
	}
	/* another server's directory is unknown */
	bool is_known = launch->trace_dir != NULL || !profile->has_started;
	json_object_set_new(profiling, "trace_files", is_known ? json_incref(files) : json_null());
	json_decref(files);
	json_object_set_new(profiling, "error", pl_json_text(profile->error));
}
