/*
 * The directory of a profiler's traces: from the server's configuration, or from the variable of releases without such
 * a configuration.
 */
#include "run/document/profiling.h"

#include "base/mem.h"
#include "result/document.h"

json_t *run_profiling(bool ran, const json_t *config, const json_t *launch,
		      const char *inherited_dir)
{
	json_t *json = res_document_empty("profiling");

	if (!ran)
		return json;
	json_object_set_new(json, "enabled", json_true());
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
