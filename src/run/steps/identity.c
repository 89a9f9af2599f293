/*
 * Identifies the server before anything is sent: /version, /v1/models, /server_info and the `server` header. Servers
 * other than vLLM have only some of these. Only a response that proves that this is another server ends the run.
 */
#include "run/steps/identity.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "host/lock/port.h"
#include "host/proc/stat.h"
#include "host/telemetry/metrics_labels.h"
#include "run/context.h"
#include "run/redirect.h"
#include "run/steps/server.h"
#include "run/target.h"
#include "vllm/secret.h"

#define FETCH_TIMEOUT_NS (30 * PL_NS_PER_S)
#define SIMULATOR        "profllm-sim"
#define NAMES_BYTES_MAX  1024

static bool names_simulator(const char *text)
{
	return text != NULL && strstr(text, SIMULATOR) != NULL;
}

/* The `server` header may name the engine if `owned_by` does not. */
static char *server_header(const struct run_target *target)
{
	auto_reply reply = { 0 };

	if (run_target_fetch(target, "/health", FETCH_TIMEOUT_NS, &reply, PL_ERR_IGNORED) < 0)
		return NULL;
	return pl_strdup(reply.server);
}

static void fetch_or_null(const struct run_target *target, const char *path, json_t **ret)
{
	if (run_target_fetch_json(target, path, ret, PL_ERR_IGNORED) < 0)
		*ret = NULL;
}

/*
 * Returns -1 if the server does not serve the model. An error response alone proves nothing: a missing model name is
 * reported when the model is chosen.
 */
static int learn_models(const struct run_context *run, const struct run_target *target,
			const struct run_server *server, bool follows_redirects,
			struct run_identity *identity)
{
	static const char path[] = "/v1/models";
	auto_reply reply = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (run_target_fetch(target, path, FETCH_TIMEOUT_NS, &reply, &err) < 0)
		return 0;
	identity->models_status = reply.status;
	if (run_redirect_is(reply.status) && !follows_redirects) {
		run_redirect_error(server->url, path, reply.location, &err);
		return run_fail_err(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_UNREACHABLE, &err);
	}
	if (reply.status != 200 ||
	    pl_json_parse(reply.body, reply.body_len, path, &identity->models, &err) < 0)
		identity->models = NULL;
	return 0;
}

/* Chooses benchmark.served_model_name or .model like vLLM's client; else the first model of the server. */
static int choose_model(const struct run_context *run, const json_t *first,
			struct run_identity *identity)
{
	const struct vllm_bench *bench = &run->experiment->bench;
	const char *offered = pl_json_get_text(first, "id");
	const char *served = bench->served_model_name;
	const char *name = offered;
	struct pl_err why = PL_ERR_INIT;

	/* an empty name counts as none, as in Python */
	if (bench->model != NULL)
		name = served != NULL && served[0] != '\0' ? served : bench->model;
	if (name == NULL) {
		int status = identity->models_status;
		if (status == 401 || status == 403)
			pl_err_set(
				&why, PL_ERR_NETWORK,
				"'/v1/models' returned status %d: the server requires an API key; "
				"set OPENAI_API_KEY in the environment or {benchmark.header}",
				status);
		else if (status != 200 && status != 0)
			pl_err_set(
				&why, PL_ERR_NETWORK,
				"'/v1/models' returned status %d, and {benchmark.model} is not set",
				status);
		else
			pl_err_set(&why, PL_ERR_NETWORK,
				   "'/v1/models' lists no model, and {benchmark.model} is not set");
		return run_fail_err(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_COUNT, &why);
	}
	identity->model = pl_strdup(name);
	return 0;
}

/* Lists the served models, "'a', 'b'"; false: `name` is one of them, or the server lists none. */
static bool others_served(const struct run_identity *identity, struct pl_buf *names)
{
	const json_t *data = json_object_get(identity->models, "data");

	PL_JSON_EACH(model, data) {
		const char *id = pl_json_get_text(model, "id");
		if (id == NULL || pl_text_equal(id, identity->model))
			return false;
		pl_buf_addf(names, "%s'%s'", model_at > 0 ? ", " : "", id);
	}
	return json_array_size(data) > 0;
}

int run_identity_check_model(const struct run_context *run, const struct run_identity *identity,
			     const char *refusal)
{
	auto_buf names = PL_BUF(NAMES_BYTES_MAX);

	if (!others_served(identity, &names))
		return 0;
	return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_MODEL_NOT_FOUND, PL_ERR_LAUNCH,
			"the server does not serve model '%s'; it serves %s%s", identity->model,
			pl_buf_text(&names), refusal);
}

/*
 * Returns whether the server was started with this model or served_model_name; or with neither, so that vLLM chose one.
 */
static bool was_requested(const json_t *server, const char *id)
{
	const json_t *names = json_object_get(server, "served_model_name");
	const char *model = pl_json_get_text(server, "model");

	return model == NULL || pl_text_equal(model, id) || pl_json_has_text(names, id) ||
	       pl_text_equal(json_string_value(names), id);
}

/*
 * A server binds its port minutes after it was found free. Another process may respond there in between: with models
 * that were not requested, from a process that was not started here.
 */
static bool is_another(const struct run_context *run, const struct run_server *server,
		       const struct run_identity *identity)
{
	const json_t *data = json_object_get(identity->models, "data");

	if (server->process == NULL || server->port == 0 || json_array_size(data) == 0)
		return false;
	PL_JSON_EACH(model, data) {
		const char *id = pl_json_get_text(model, "id");
		if (id == NULL || was_requested(run->experiment->server, id))
			return false;
	}
	/* a listener that is not visible, as in another namespace, proves nothing */
	pid_t listener = host_port_listener_pid(server->port);
	return listener > 0 && !host_proc_may_descend(listener, host_guard_pid(server->guard));
}

/* Queried only if a value may depend on it. */
static void learn_cache(const struct run_context *run, const struct run_target *target,
			struct run_identity *identity)
{
	auto_reply reply = { 0 };

	if (json_object_size(run->experiment->server) > 0 &&
	    run_target_fetch(target, "/metrics", FETCH_TIMEOUT_NS, &reply, PL_ERR_IGNORED) == 0 &&
	    reply.status == 200)
		identity->cache = host_metrics_labels(reply.body, reply.body_len,
						      "vllm:cache_config_info");
}

int run_identity_learn(const struct run_context *run, const struct run_target *target,
		       const struct run_server *server, bool follows_redirects,
		       struct run_identity *ret)
{
	fetch_or_null(target, "/version", &ret->version);
	if (learn_models(run, target, server, follows_redirects, ret) < 0 ||
	    run_check_stop(run) < 0)
		return -1;
	if (is_another(run, server, ret)) {
		uint16_t port = server->port;
		auto_free char *listener = host_port_listener(port);
		return run_fail(run, RES_STATUS_LAUNCH_FAILED, RES_CAUSE_PORT_IN_USE, PL_ERR_LAUNCH,
				"another server responds on port %u, which %s took while our "
				"server started",
				port, listener != NULL ? listener : "a process that has ended");
	}
	auto_json json_t *reported = NULL;
	fetch_or_null(target, "/server_info", &reported);
	/* it may contain the server's environment */
	if (reported != NULL)
		ret->server_info = vllm_secret_json_shown(reported);
	learn_cache(run, target, ret);
	const json_t *first = json_array_get(json_object_get(ret->models, "data"), 0);
	const char *owner = pl_json_get_text(first, "owned_by");
	const char *version = pl_json_get_text(ret->version, "version");
	auto_free char *header = server_header(target);

	ret->known = version != NULL || owner != NULL;
	ret->simulated = names_simulator(version) || names_simulator(owner) ||
			 names_simulator(header);
	if (ret->simulated)
		ret->name = pl_strdup(SIMULATOR);
	else
		ret->name = pl_strdup(owner != NULL ? owner : header);
	ret->engine_version = pl_strdup(version);
	return choose_model(run, first, ret);
}

const char *run_identity_root(const struct run_identity *identity)
{
	PL_JSON_EACH(model, json_object_get(identity->models, "data")) {
		const char *root = pl_json_get_text(model, "root");
		if (root != NULL && pl_text_equal(pl_json_get_text(model, "id"), identity->model))
			return root;
	}
	return NULL;
}

void run_identity_done(struct run_identity *identity)
{
	json_decref(identity->version);
	json_decref(identity->models);
	json_decref(identity->server_info);
	json_decref(identity->cache);
	free(identity->model);
	free(identity->name);
	free(identity->engine_version);
	*identity = (struct run_identity){ 0 };
}
