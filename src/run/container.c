#include "run/container.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "host/cpus.h"
#include "host/proc/container.h"
#include "host/proc/mark.h"
#include "option/secret.h"
#include "result/document.h"
#include "run/launch.h"

#define CALL_NS          (20 * PL_NS_PER_S)
#define OUTPUT_BYTES_MAX (4u << 20)
#define CPUS_BYTES_MAX   (16u << 10)
#define LABEL            "profllm.run_id"
#define DIGEST_KIND      "sha256:"
#define VISIBLE          "CUDA_VISIBLE_DEVICES"

void run_container_free(struct run_container *container)
{
	if (container == NULL)
		return;
	free(container->name);
	free(container->runtime_version);
	free(container->image);
	free(container->image_id);
	free(container->digest);
	free(container);
}

struct run_container *run_container_new(const struct exp_config *experiment, const char *run_id)
{
	struct exp_container spec;

	if (!exp_container_read(experiment, &spec))
		return NULL;
	struct run_container *container = pl_alloc(sizeof(*container));
	container->name = pl_asprintf(HOST_CONTAINER_PREFIX "%s",
				      run_id != NULL ? run_id : "RUN_ID");
	container->image = pl_strdup(spec.image);
	return container;
}

const char *run_container_host(const struct exp_config *experiment, const char *host)
{
	struct exp_container spec;
	bool published = exp_container_read(experiment, &spec) && !exp_container_is_on_host(&spec);

	return !published ? host : strchr(host, ':') != NULL ? "::" : "0.0.0.0";
}

/* ---- the command line ---- */

static void add(json_t *words, const char *word)
{
	json_array_append_new(words, json_string_nocheck(word));
}

static void add_pair(json_t *words, const char *flag, const char *value)
{
	add(words, flag);
	add(words, value);
}

/* Publishes the port at the address of the run. */
static void add_network(const struct exp_container *spec, const struct run_launch *launch,
			json_t *words)
{
	unsigned port = launch->resources.port.number;
	bool v6 = strchr(launch->host, ':') != NULL && launch->host[0] != '[';
	auto_free char *publish = pl_asprintf(v6 ? "[%s]:%u:%u" : "%s:%u:%u", launch->host, port,
					      port);

	add_pair(words, "--network", spec->network);
	if (!exp_container_is_on_host(spec))
		add_pair(words, "--publish", publish);
}

static bool is_docker(const struct exp_container *spec)
{
	return strcmp(spec->runtime, "docker") == 0;
}

/*
 * docker takes a list of uuids with quotes around it, because a comma separates its options. podman takes devices of
 * the CDI, which every version of NVIDIA's toolkit names by index.
 */
static void add_gpu_list(const struct exp_container *spec, const struct run_launch *launch,
			 json_t *words)
{
	auto_buf list = PL_BUF(OUTPUT_BYTES_MAX);

	PL_JSON_EACH(gpu, launch->gpus) {
		const char *uuid = pl_json_get_text(gpu, "uuid");
		bool by_index = uuid == NULL || (!is_docker(spec) && pl_text_starts(uuid, "GPU-"));
		auto_free char *number = pl_asprintf("%lld",
						     (long long)pl_json_get_i64(gpu, "index"));
		auto_free char *device = pl_asprintf("nvidia.com/gpu=%s", by_index ? number : uuid);
		pl_buf_addf(&list, "%s%s", gpu_at > 0 ? "," : "", by_index ? number : uuid);
		if (!is_docker(spec))
			add_pair(words, "--device", device);
	}
	auto_free char *quoted = pl_asprintf("\"device=%s\"", pl_buf_text(&list));
	if (is_docker(spec))
		add_pair(words, "--gpus", quoted);
}

/*
 * Within the container, the GPUs that it was given are numbered from 0. With all of them, the numbers of the host
 * hold, and the variable selects.
 */
static void add_gpus(const struct exp_container *spec, struct run_launch *launch, json_t *words)
{
	bool by_argument = json_object_get(launch->values, "device_ids") != NULL;

	if (json_array_size(launch->gpus) == 0 || exp_container_has_all_gpus(spec))
		return;
	if (by_argument) {
		add_pair(words, is_docker(spec) ? "--gpus" : "--device",
			 is_docker(spec) ? "all" : "nvidia.com/gpu=all");
		return;
	}
	add_gpu_list(spec, launch, words);
	json_object_del(launch->env, VISIBLE);
}

/* Every user can read the arguments of a process; a variable without a value is taken from the client's environment. */
static void add_env(struct run_launch *launch, json_t *words)
{
	PL_JSON_EACH_MEMBER(name, value, launch->env) {
		const char *text = json_string_value(value);
		auto_free char *shown = option_secret_urls_shown(text);
		auto_free char *pair = pl_asprintf("%s=%s", name, text);
		bool by_name = pl_json_has_text(launch->secret_env, name) ||
			       option_secret_is_name(name) || strcmp(shown, text) != 0;
		if (by_name)
			json_object_set(launch->client_env, name, value);
		add_pair(words, "--env", by_name ? name : pair);
	}
	add_pair(words, "--env", HOST_MARK_NAME);
}

/* podman's containers inherit the CPUs of its program; docker's are children of its daemon. */
static void add_cpus(const struct exp_container *spec, const struct run_launch *launch,
		     json_t *words)
{
	auto_buf cpus = PL_BUF(CPUS_BYTES_MAX);

	if (!is_docker(spec) || !launch->resources.has_numa)
		return;
	host_cpus_text(&launch->resources.numa.cpus, &cpus);
	add_pair(words, "--cpuset-cpus", pl_buf_text(&cpus));
}

void run_container_wrap(const struct exp_config *experiment, struct run_launch *launch)
{
	struct exp_container spec;

	if (!exp_container_read(experiment, &spec))
		return;
	auto_json json_t *words = json_array();
	auto_free char *label = pl_asprintf(LABEL "=%s", launch->container->name +
								 strlen(HOST_CONTAINER_PREFIX));
	auto_free char *pull = pl_asprintf("--pull=%s", spec.pull);
	add_pair(words, spec.runtime, "run");
	add(words, "--rm");
	add_pair(words, "--name", launch->container->name);
	add_pair(words, "--label", label);
	add(words, pull);
	add_network(&spec, launch, words);
	add_gpus(&spec, launch, words);
	add_cpus(&spec, launch, words);
	json_object_clear(launch->client_env);
	add_env(launch, words);
	/* the directory into which the server writes its traces */
	if (launch->trace_dir != NULL) {
		auto_free char *volume = pl_asprintf("%s:%s", launch->trace_dir, launch->trace_dir);
		add_pair(words, "--volume", volume);
	}
	json_array_extend(words, (json_t *)spec.args);
	add(words, spec.image);
	json_array_extend(words, (json_t *)spec.command);
	json_array_extend(words, launch->argv);
	json_decref(launch->argv);
	launch->argv = json_incref(words);
}

/* ---- the runtime ---- */

/* Returns the last line that is not JSON: a runtime's error is its last word. free() */
static char *error_of(const char *output)
{
	const char *found = "", *at = output;
	size_t found_len = 0;

	for (; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t len = strcspn(at, "\r\n");
		if (len > 0 && *at != '{' && *at != '[' && *at != ']' && *at != '}') {
			found = at;
			found_len = len;
		}
	}
	return pl_strndup(found, found_len);
}

/* Returns the only object: podman prints a list of it. */
static json_t *json_of(const char *output)
{
	size_t start = strcspn(output, "{[");
	const char *end = strrchr(output, output[start] == '[' ? ']' : '}');
	json_t *json = NULL;

	if (end == NULL || end < output + start ||
	    pl_json_parse(output + start, (size_t)(end - output) - start + 1, "the runtime", &json,
			  PL_ERR_IGNORED) < 0)
		return NULL;
	json_t *object = json_incref(json_is_array(json) ? json_array_get(json, 0) : json);
	json_decref(json);
	return object;
}

static int ask(const struct run_launch *launch, const char *const *args, json_t **ret,
	       struct pl_err *err)
{
	auto_buf output = PL_BUF(OUTPUT_BYTES_MAX);
	int status = host_container_call(launch->program, args, true, CALL_NS, &output, err);

	if (status < 0)
		return -1;
	*ret = json_of(pl_buf_text(&output));
	if (status == 0)
		return 0;
	json_decref(pl_take(*ret));
	auto_free char *why = error_of(pl_buf_text(&output));
	return pl_err_set(err, PL_ERR_LAUNCH, "'%s %s' failed: %s", launch->program, args[0],
			  why[0] != '\0' ? why : "it printed no reason");
}

static int learn_version(const struct run_launch *launch, struct pl_err *err)
{
	const char *args[] = { "version", "--format", "{{json .}}", NULL };
	auto_json json_t *version = NULL;

	if (ask(launch, args, &version, err) < 0)
		return -1;
	const char *text = pl_json_path_text(version, "Server.Version");
	if (text == NULL)
		text = pl_json_path_text(version, "Client.Version");
	free(launch->container->runtime_version);
	launch->container->runtime_version = pl_strdup(text);
	return 0;
}

/* Returns "sha256:…" of "image@sha256:…". */
static const char *digest_of(const json_t *image)
{
	const char *first = json_string_value(
		json_array_get(json_object_get(image, "RepoDigests"), 0));
	const char *at = first != NULL ? strrchr(first, '@') : NULL;

	return at != NULL ? at + 1 : pl_json_get_text(image, "Digest");
}

/* podman writes an id without the kind of its digest. */
static char *id_of(const char *id)
{
	return id == NULL || strchr(id, ':') != NULL ? pl_strdup(id)
						     : pl_asprintf(DIGEST_KIND "%s", id);
}

/* `image`: a name or an id. */
static int learn_image(const struct run_launch *launch, const char *image, struct pl_err *err)
{
	const char *args[] = { "image", "inspect", "--format", "{{json .}}", image, NULL };
	struct run_container *container = launch->container;
	auto_json json_t *facts = NULL;

	if (ask(launch, args, &facts, err) < 0)
		return -1;
	free(container->image_id);
	free(container->digest);
	container->image_id = id_of(pl_json_get_text(facts, "Id"));
	const char *digest = digest_of(facts);
	/* an image that no registry knows has only its id */
	container->digest = pl_strdup(digest != NULL ? digest : container->image_id);
	return 0;
}

int run_container_check(const struct exp_config *experiment, const struct run_launch *launch,
			struct pl_err *err)
{
	struct host_container container = { launch->program, launch->container->name };
	struct exp_container spec;
	struct pl_err why = PL_ERR_INIT;

	if (!exp_container_read(experiment, &spec))
		return 0;
	if (learn_version(launch, err) < 0)
		return -1;
	/* the end of this run would remove it */
	enum host_container_state state = host_container_look(&container);
	if (state != HOST_CONTAINER_GONE)
		return pl_err_set(err, PL_ERR_LAUNCH,
				  state == HOST_CONTAINER_EXISTS
					  ? "container '%s' already exists; remove it with '%s rm "
					    "--force %s'"
					  : "could not list the containers with '%s ps'",
				  state == HOST_CONTAINER_EXISTS ? container.name : spec.runtime,
				  spec.runtime, container.name);
	if (learn_image(launch, spec.image, &why) == 0 || strcmp(spec.pull, "never") != 0)
		return 0;
	return pl_err_set(
		err, PL_ERR_LAUNCH,
		"image '%s' does not exist on this host; run '%s pull %s', or set pull of "
		"launch.container to missing (%s)",
		spec.image, spec.runtime, spec.image, why.text);
}

/*
 * Returns whether the process is one of the container. A daemon in a virtual machine or on another host reports a
 * number of its own, which is another process here. The cgroup of a container has its id.
 */
static bool is_in_container(pid_t pid, const json_t *facts, const char *run_id)
{
	auto_free char *path = pl_asprintf("/proc/%d/cgroup", (int)pid);
	const char *id = pl_json_get_text(facts, "Id");
	auto_free char *cgroups = NULL;
	size_t len;

	return host_mark_is_on(pid, run_id) || id == NULL ||
	       (pl_file_read(path, OUTPUT_BYTES_MAX, &cgroups, &len, PL_ERR_IGNORED) == 0 &&
		strstr(cgroups, id) != NULL);
}

void run_container_learn(const struct run_launch *launch)
{
	struct run_container *container = launch->container;
	const char *args[] = { "container",  "inspect",       "--format",
			       "{{json .}}", container->name, NULL };
	auto_json json_t *facts = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (ask(launch, args, &facts, &err) < 0 ||
	    (pl_json_get_text(facts, "Image") != NULL &&
	     learn_image(launch, pl_json_get_text(facts, "Image"), &err) < 0))
		pl_log(PL_LOG_WARNING, "the facts of container '%s' are incomplete: %s",
		       container->name, err.text);
	json_int_t pid = json_integer_value(pl_json_get_path(facts, "State.Pid"));
	const char *run_id = container->name + strlen(HOST_CONTAINER_PREFIX);
	bool known = pid > 0 && pid <= INT_MAX && is_in_container((pid_t)pid, facts, run_id);
	container->pid = known ? (pid_t)pid : 0;
	if (pid != 0 && !known)
		pl_log(PL_LOG_WARNING,
		       "process %lld of container '%s' does not run on this host; the CPU and "
		       "memory of the server are unknown",
		       (long long)pid, container->name);
}

json_t *run_container_to_json(const struct exp_config *experiment,
			      const struct run_container *container)
{
	json_t *json = res_document_empty("container");
	struct exp_container spec;

	if (!exp_container_read(experiment, &spec))
		return json;
	json_object_set_new(json, "image", pl_json_text(container->image));
	json_object_set_new(json, "digest", pl_json_text(container->digest));
	json_object_set_new(json, "runtime", json_string(spec.runtime));
	/* notes: the keys are missing if they are unknown */
	if (container->image_id != NULL)
		json_object_set_new(json, "image_id", json_string(container->image_id));
	if (container->runtime_version != NULL)
		json_object_set_new(json, "runtime_version",
				    json_string(container->runtime_version));
	json_object_set_new(json, "name", json_string(container->name));
	return json;
}
