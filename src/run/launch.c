/*
 * The launch plan. GPUs and port come first, because the argument array contains the port and the environment the GPUs;
 * then the array, the program, and the variables.
 *
 * Three rules that affect the result:
 * - Arguments with a secret become variables, because every user can read an argument array in /proc.
 * - Variables are set in this order: GPUs, those of the user, those of arguments. The last one counts, because vLLM
 *   prefers an argument to a variable.
 * - launch.extra_args come last on the command line, because argparse lets later arguments override earlier ones.
 */
#include "run/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "experiment/offline.h"
#include "host/lock/socket.h"
#include "host/proc/program.h"
#include "run/container.h"
#include "run/profile/setup.h"
#include "run/redact.h"
#include "vllm/secret.h"
#include "vllm/server_args.h"

#define SERVER "vllm"

static int check_url(const struct exp_config *experiment, const char *url, struct pl_err *err)
{
	if (experiment->simulate)
		return pl_err_invalid(err,
				      "found both --sim and {launch.url} '%s'; remove one of them: "
				      "--sim starts a simulator, and {launch.url} names a running "
				      "server",
				      url);
	return 0;
}

/* New users may not have installed vLLM yet. */
static char *missing_text(const struct run_launch *launch)
{
	const char *name = json_string_value(json_array_get(launch->argv, 0));

	if (launch->container != NULL)
		return pl_asprintf("launch.container: found runtime '%s', which is not in PATH; "
				   "install it, or set runtime to one that is installed",
				   name);
	if (pl_text_equal(name, SERVER))
		return pl_strdup(
			"found no program 'vllm' in PATH or next to profllm: vLLM is not "
			"installed; "
			"to measure a running server, set {launch.url}; to try it without vLLM, "
			"add --sim");
	if (pl_text_equal(name, EXP_SIMULATOR)) {
		auto_free char *folder = host_program_folder();
		return pl_asprintf("found no program '" EXP_SIMULATOR "' in '%s', the directory of "
				   "profllm, or in PATH: the simulator is not installed",
				   folder != NULL ? folder : ".");
	}
	return pl_asprintf("launch.command: found '%s', expected a program%s", name,
			   strchr(name, '/') != NULL ? "" : " in PATH or next to profllm");
}

bool run_launch_lacks_simulator(const struct run_launch *launch)
{
	return launch->program == NULL &&
	       pl_text_equal(json_string_value(json_array_get(launch->argv, 0)), EXP_SIMULATOR);
}

static char *missing_wrapper_text(const struct run_launch *launch)
{
	return pl_asprintf("{profiling.profiler} 'cuda' needs '%s' in PATH (Nsight Systems)",
			   json_string_value(json_array_get(launch->wrapper_words, 0)));
}

static void find_wrapper(const struct exp_config *experiment, struct run_launch *launch)
{
	const char *name = json_string_value(json_array_get(launch->wrapper_words, 0));

	if (name == NULL || host_program_find(name, &launch->wrapper, PL_ERR_IGNORED) == 0)
		return;
	auto_free char *text = missing_wrapper_text(launch);
	struct pl_err why = PL_ERR_INIT;
	pl_err_set(&why, PL_ERR_NOT_FOUND, "%s", text);
	exp_words(experiment, &why);
	json_array_append_new(launch->warnings, json_string(why.text));
}

static int take_resources(const struct exp_config *experiment, const struct run_taking *how,
			  struct run_launch *launch, struct pl_err *err)
{
	const char *uds = pl_json_get_text(experiment->server, "uds");
	size_t known = json_array_size(launch->warnings);

	if (run_resources_take(experiment, how, launch->warnings, &launch->resources, err) < 0)
		return -1;
	/* a dry run prints them with its other output */
	for (size_t i = known; !how->look_only && i < json_array_size(launch->warnings); i++)
		pl_log(PL_LOG_WARNING, "%s",
		       json_string_value(json_array_get(launch->warnings, i)));
	if (uds != NULL) {
		launch->uds = pl_strdup(uds);
		/* Treated like a fixed port: if it is in use, the run ends; a dry run reports it. */
		bool look_only = how->look_only;
		struct pl_err why = PL_ERR_INIT;
		if (!look_only)
			return host_socket_check(uds, err);
		if (host_socket_check(uds, &why) < 0)
			json_array_append_new(launch->warnings, json_string(why.text));
		return 0;
	}
	if (exp_is_in_process(experiment))
		return 0;
	launch->host = pl_strdup(experiment->launch.host);
	launch->port_tries = 1;
	return 0;
}

static int add_server_words(const struct exp_config *experiment, struct run_launch *launch,
			    json_t **ret_from_args, struct pl_err *err)
{
	/* the image starts the server, unless its key 'command' does */
	auto_json json_t *command =
		launch->container != NULL ? json_array()
		: experiment->launch.command != NULL && !experiment->simulate
			? json_incref(experiment->launch.command)
			: json_pack("[ss]", experiment->simulate ? EXP_SIMULATOR : SERVER, "serve");

	if (launch->uds == NULL) {
		json_object_set_new(launch->values, "host",
				    json_string(run_container_host(experiment, launch->host)));
		json_object_set_new(launch->values, "port",
				    json_integer(launch->resources.port.number));
	}
	json_array_extend(launch->argv, command);
	return vllm_args_to_argv(experiment->catalog, launch->values, launch->argv, ret_from_args,
				 err);
}

static int add_offline_words(const struct exp_config *experiment, struct run_launch *launch,
			     json_t **ret_from_args, struct pl_err *err)
{
	auto_json json_t *command = exp_offline_command(experiment);

	json_array_extend(launch->argv, command);
	return exp_offline_words(experiment, launch->values, launch->argv, ret_from_args, err);
}

/* Makes the complete command line with the current port. */
static int make_argv(const struct exp_config *experiment, struct run_launch *launch,
		     json_t **ret_from_args, struct pl_err *err)
{
	/* made again if the port turns out to be in use */
	json_array_clear(launch->argv);
	if ((exp_is_in_process(experiment) ? add_offline_words : add_server_words)(
		    experiment, launch, ret_from_args, err) < 0)
		return -1;
	json_array_extend(launch->argv, experiment->launch.extra_args);
	return 0;
}

static void set_env(const struct exp_config *experiment, const json_t *from_args,
		    struct run_launch *launch)
{
	json_object_update(launch->env, experiment->launch.env);
	PL_JSON_EACH_MEMBER(name, value, experiment->launch.env) {
		if (option_secret_is_name(name))
			json_array_append_new(launch->secret_env, json_string(name));
	}
	PL_JSON_EACH_MEMBER(name, value, from_args) {
		json_object_set(launch->env, name, value);
		json_array_append_new(launch->secret_env, json_string(name));
	}
	const char *key = pl_json_get_text(launch->env, "VLLM_API_KEY");
	if (key != NULL)
		launch->bearer = pl_strdup(key);
}

static void find_program(const struct exp_config *experiment, struct run_launch *launch)
{
	const char *name = json_string_value(json_array_get(launch->argv, 0));
	/* our simulator is next to this program: an older one in PATH must not replace it */
	int found = pl_text_equal(name, EXP_SIMULATOR)
			    ? host_program_find_sibling(name, &launch->program, PL_ERR_IGNORED)
			    : host_program_find(name, &launch->program, PL_ERR_IGNORED);
	if (found < 0) {
		auto_free char *text = missing_text(launch);
		struct pl_err why = PL_ERR_INIT;
		pl_err_set(&why, PL_ERR_NOT_FOUND, "%s", text);
		exp_words(experiment, &why);
		json_array_append_new(launch->warnings, json_string(why.text));
	}
}

static int plan_launched(const struct exp_config *experiment, const struct run_taking *how,
			 struct run_launch *launch, struct pl_err *err)
{
	auto_json json_t *from_args = NULL;

	json_object_update(launch->values, experiment->server);
	launch->container = run_container_new(experiment, how->run_id);
	/* as in vLLM's own benchmark: repeated prompts must cost the same */
	if (pl_text_equal(experiment->bench.kind, "latency") &&
	    json_object_get(launch->values, "enable_prefix_caching") == NULL)
		json_object_set_new(launch->values, "enable_prefix_caching", json_false());
	if (take_resources(experiment, how, launch, err) < 0 ||
	    run_profile_setup(experiment, how->run_id, how->look_only, launch, err) < 0 ||
	    make_argv(experiment, launch, &from_args, err) < 0)
		return -1;
	/* "auto" on a host without GPUs: the server sees all devices. [] hides all. */
	const json_t *gpus = experiment->launch.gpus;
	bool none = json_is_array(gpus) && json_array_size(gpus) == 0;
	const char *visible = none ? "" : launch->resources.visible;
	/* by default CUDA numbers the fastest GPU first; our indexes are NVML's, in bus order */
	if (json_array_size(launch->gpus) > 0 || none)
		json_object_set_new(launch->env, "CUDA_DEVICE_ORDER", json_string("PCI_BUS_ID"));
	if (visible != NULL)
		json_object_set_new(launch->env, "CUDA_VISIBLE_DEVICES", json_string(visible));
	set_env(experiment, from_args, launch);
	run_container_wrap(experiment, launch);
	find_program(experiment, launch);
	find_wrapper(experiment, launch);
	return 0;
}

int run_launch_new_port(struct run_launch *launch, const struct exp_config *experiment,
			const char *run_id, struct pl_err *err)
{
	auto_json json_t *from_args = NULL;

	/* variables stay the same, because no secret depends on the port */
	if (run_resources_new_port(experiment, run_id, &launch->resources, err) < 0)
		return -1;
	launch->port_tries++;
	if (make_argv(experiment, launch, &from_args, err) < 0)
		return -1;
	run_container_wrap(experiment, launch);
	return 0;
}

int run_launch_plan(const struct exp_config *experiment, const struct run_taking *how,
		    struct run_launch **ret, struct pl_err *err)
{
	auto_launch struct run_launch *launch = pl_alloc(sizeof(*launch));

	run_resources_init(&launch->resources);
	launch->gpus = json_incref(launch->resources.gpus);
	launch->argv = json_array();
	launch->env = json_object();
	launch->secret_env = json_array();
	launch->values = json_object();
	launch->warnings = json_array();
	launch->client_env = json_object();
	launch->headers = json_incref(experiment->bench.header);
	launch->url = exp_server_url(experiment);
	if (launch->url != NULL) {
		if (check_url(experiment, launch->url, err) < 0)
			return -1;
		json_object_update(launch->values, experiment->server);
		if (run_profile_setup(experiment, how->run_id, how->look_only, launch, err) < 0)
			return -1;
	} else if (plan_launched(experiment, how, launch, err) < 0) {
		return -1;
	}
	/* Determines the API key of requests like vLLM's client, unless the server's arguments contain it. */
	if (launch->bearer == NULL)
		launch->bearer = pl_strdup(
			pl_json_get_text(experiment->launch.env, "OPENAI_API_KEY"));
	run_redact_know(launch);
	*ret = pl_take(launch);
	return 0;
}

void run_launch_free(struct run_launch *launch)
{
	if (launch == NULL)
		return;
	run_resources_done(&launch->resources);
	free(launch->url);
	free(launch->program);
	free(launch->host);
	free(launch->uds);
	free(launch->bearer);
	free(launch->trace_dir);
	free(launch->wrapper);
	json_decref(launch->wrapper_words);
	json_decref(launch->argv);
	json_decref(launch->env);
	json_decref(launch->secret_env);
	json_decref(launch->values);
	json_decref(launch->gpus);
	json_decref(launch->warnings);
	json_decref(launch->client_env);
	run_container_free(launch->container);
	json_decref(launch->headers);
	free(launch);
}

int run_launch_check(const struct run_launch *launch, struct pl_err *err)
{
	if (launch->url != NULL ||
	    (launch->program != NULL && (launch->wrapper_words == NULL || launch->wrapper != NULL)))
		return 0;
	auto_free char *text = launch->program == NULL ? missing_text(launch)
						       : missing_wrapper_text(launch);
	return pl_err_set(err, PL_ERR_NOT_FOUND, "%s", text);
}

/*
 * Returns the value of --ssl-certfile on the server's command line, from any source. The last one counts, in both
 * spellings, as in vLLM's parser.
 */
static const char *find_certificate(const json_t *argv)
{
	static const char *const flags[] = { "--ssl-certfile", "--ssl_certfile" };
	const char *found = NULL;

	PL_JSON_EACH(item, argv) {
		const char *word = json_string_value(item);
		for (size_t k = 0; word != NULL && k < PL_ARRAY_SIZE(flags); k++) {
			size_t len = strlen(flags[k]);
			if (strncmp(word, flags[k], len) != 0)
				continue;
			if (word[len] == '=')
				found = word + len + 1;
			else if (word[len] == '\0')
				found = json_string_value(json_array_get(argv, item_at + 1));
		}
	}
	return found;
}

/* Our own server must present exactly the certificate that it was given. */
static int add_tls(const struct run_launch *launch, const struct exp_config *experiment,
		   struct run_target *target, struct pl_err *err)
{
	struct io_tls_trust trust = { .insecure = experiment->bench.insecure };

	if (launch->url == NULL) {
		trust.pinned_file = find_certificate(launch->argv);
		target->https = trust.pinned_file != NULL;
	}
	return target->https ? run_target_use_tls(target, &trust, err) : 0;
}

int run_launch_target(const struct run_launch *launch, const struct exp_config *experiment,
		      const struct run_stop *stop, struct run_target *ret, struct pl_err *err)
{
	struct run_target target = { 0 };
	int done;

	if (launch->url != NULL)
		done = run_target_from_url(launch->url, &target, err);
	else if (launch->uds != NULL)
		done = run_target_from_uds(launch->uds, &target, err);
	else
		done = run_target_from_port(launch->host, launch->resources.port.number, &target,
					    err);
	if (done < 0)
		return -1;
	if (add_tls(launch, experiment, &target, err) < 0 ||
	    run_target_set_headers(&target, launch->bearer, experiment->bench.header, err) < 0) {
		run_target_done(&target);
		return -1;
	}
	target.stop = stop;
	*ret = target;
	return 0;
}

json_t *run_launch_argv_shown(const struct run_launch *launch)
{
	json_t *argv = vllm_secret_words_shown(launch->argv);

	if (launch->wrapper_words == NULL)
		return argv;
	json_t *whole = json_copy(launch->wrapper_words);
	json_array_extend(whole, argv);
	json_decref(argv);
	return whole;
}

json_t *run_launch_env_shown(const struct run_launch *launch)
{
	json_t *shown = vllm_secret_json_shown(launch->env);

	PL_JSON_EACH(name, launch->secret_env)
		json_object_set_new(shown, json_string_value(name),
				    json_string(OPTION_SECRET_SHOWN));
	return shown;
}

json_t *run_launch_server(const struct run_launch *launch, const struct exp_config *experiment,
			  json_t **ret_source)
{
	auto_json json_t *values = json_copy(launch->values);
	auto_json json_t *given = json_incref(
		json_object_get(experiment->server, "profiler_config"));
	auto_json json_t *effective = NULL;

	/* the directory that was added to it differs from run to run, and is not an input */
	if (launch->trace_dir != NULL && given != NULL)
		json_object_set(values, "profiler_config", given);
	else if (launch->trace_dir != NULL)
		json_object_del(values, "profiler_config");
	vllm_args_effective(experiment->catalog, values, launch->env, &effective, ret_source);
	return vllm_secret_json_shown(effective);
}

json_t *run_launch_to_json(const struct run_launch *launch, const struct exp_config *experiment)
{
	json_t *json = json_object();
	json_t *config = exp_config_to_json(experiment);
	json_t *source;
	bool is_launched = launch->url == NULL;

	json_object_set_new(json, "argv",
			    is_launched ? run_launch_argv_shown(launch) : json_null());
	json_object_set_new(json, "env", run_launch_env_shown(launch));
	json_object_set(json, "gpus", launch->gpus);
	json_object_set_new(
		json, "port",
		pl_json_i64(launch->resources.port.number, launch->resources.port.number != 0));
	json_object_set_new(config, "server", run_launch_server(launch, experiment, &source));
	json_object_set_new(config, "server_source", source);
	json_object_set_new(json, "config", config);
	json_object_set(json, "warnings", launch->warnings);
	return json;
}
