#include "run/document/mismatches.h"

#include "base/text.h"
#include "run/redact.h"
#include "run/run_priv.h"
#include "vllm/history.h"
#include "vllm/reported/mismatch.h"

static const json_t *model_of(const struct run_identity *identity)
{
	PL_JSON_EACH(model, json_object_get(identity->models, "data")) {
		if (pl_text_equal(pl_json_get_text(model, "id"), identity->model))
			return model;
	}
	return NULL;
}

/* Returns whether the server reports its release, and the defaults of that release are known. */
static bool has_known_defaults(const struct run_state *run)
{
	struct vllm_version version;
	bool known;

	return run->identity.engine_version != NULL && !run->identity.simulated &&
	       vllm_version_parse(run->identity.engine_version, &version, PL_ERR_IGNORED) == 0 &&
	       !vllm_version_is_untagged(&version) &&
	       vllm_release_compare(&version, run->release.version, &known) == 0 && known &&
	       vllm_release_compare(&version, vllm_release_at(vllm_release_count() - 1), &known) <=
		       0;
}

json_t *run_mismatches(const struct run_state *run)
{
	auto_json json_t *log = run->server.log != NULL ? host_server_log_facts(run->server.log)
							: NULL;
	const struct exp_config *experiment = run->context.experiment;
	const struct vllm_reported reported = {
		.args = pl_json_get_text(log, "non_default_args"),
		.engine = run->server.log != NULL ? host_server_log_engine(run->server.log) : NULL,
		.info = pl_json_get_text(run->identity.server_info, "vllm_config"),
		.cache = run->identity.cache,
		.model = model_of(&run->identity),
		.defaults_known = has_known_defaults(run),
	};
	auto_json json_t *server = json_copy(experiment->server);
	json_t *added = json_object_get(run->launch->values, "profiler_config");

	/* what profiling adds was requested, too */
	if (added != NULL)
		json_object_set(server, "profiler_config", added);
	json_t *list = vllm_mismatches(experiment->catalog, server, &reported);

	PL_JSON_EACH(entry, list) {
		json_object_set_new(entry, "reported",
				    run_redact(json_object_get(entry, "reported")));
		json_object_set_new(entry, "requested",
				    run_redact(json_object_get(entry, "requested")));
	}
	return list;
}
