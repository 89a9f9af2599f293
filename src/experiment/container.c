#include "experiment/container.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "experiment/check_priv.h"
#include "experiment/offline.h"
#include "vllm/command/runtime_args.h"

#define KEY          "launch.container"
#define HOST_NETWORK "host"
#define ALL_DEVICES  "nvidia.com/gpu=all"

static const char *const keys[] = { "runtime", "image", "args", "command", "pull", "network" };
static const char *const runtimes[] = { "docker", "podman" };
static const char *const pulls[] = { "never", "missing", "always" };

/* Options that the run sets itself, by their names and letters, and what to use instead. */
static const struct {
	const char *names[3];
	const char *instead;
} refused[] = {
	{ { "name" }, "nothing: the name contains the run_id" },
	{ { "rm" }, "nothing: the container is always removed" },
	{ { "restart" }, "nothing: a server that ends is an error of the run" },
	{ { "d", "detach" }, "nothing: the run follows the log of the server" },
	{ { "t", "tty" }, "nothing: the log of the server is not a terminal" },
	{ { "cidfile", "pidfile" }, "nothing: the run finds the container by its name" },
	{ { "replace" }, "nothing: the name contains the run_id" },
	{ { "sig-proxy" }, "nothing: the run stops the container by its name" },
	{ { "network", "net" }, "the key 'network' of launch.container" },
	{ { "p", "publish" }, "launch.port, and the key 'network' of launch.container" },
	{ { "P", "publish-all" }, "launch.port, and the key 'network' of launch.container" },
	{ { "pull" }, "the key 'pull' of launch.container" },
	{ { "help" }, "an option that starts the container" },
	{ { "rootfs" }, "the key 'image' of launch.container" },
};

static const char *text_or(const json_t *container, const char *key, const char *otherwise)
{
	const char *text = pl_json_get_text(container, key);

	return text != NULL ? text : otherwise;
}

bool exp_container_read(const struct exp_config *experiment, struct exp_container *ret)
{
	const json_t *container = experiment->launch.container;

	if (container == NULL || experiment->simulate)
		return false;
	*ret = (struct exp_container){
		.runtime = text_or(container, "runtime", runtimes[0]),
		.image = pl_json_get_text(container, "image"),
		.args = json_object_get(container, "args"),
		.command = json_object_get(container, "command"),
		.pull = text_or(container, "pull", pulls[0]),
		.network = text_or(container, "network", HOST_NETWORK),
	};
	return true;
}

bool exp_container_is_on_host(const struct exp_container *container)
{
	return strcmp(container->network, HOST_NETWORK) == 0;
}

static void find_all_gpus(void *data, const char *name, const char *value)
{
	bool *found = data;

	*found = *found || (strcmp(name, "gpus") == 0 && pl_text_equal(value, "all")) ||
		 (strcmp(name, "device") == 0 && pl_text_equal(value, ALL_DEVICES));
}

bool exp_container_has_all_gpus(const struct exp_container *container)
{
	bool found = false;

	vllm_runtime_args_each(container->args, find_all_gpus, &found);
	return found;
}

/* ---- checks ---- */

static bool is_among(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (pl_text_equal(text, list[i]))
			return true;
	}
	return false;
}

static bool is_list_of_texts(const json_t *list)
{
	bool texts = list == NULL || json_is_null(list) || json_is_array(list);

	PL_JSON_EACH(item, list)
		texts = texts && json_is_string(item);
	return texts;
}

static void refuse_value(struct exp_checker *c, const char *key, const char *value,
			 const char *expected)
{
	auto_free char *found = value != NULL ? pl_asprintf("%s '%s'", key, value)
					      : pl_asprintf("no %s", key);

	exp_refuse(c, KEY, found, expected);
}

static void check_keys(struct exp_checker *c, const json_t *container)
{
	PL_JSON_EACH_MEMBER(name, value, container) {
		bool is_list = strcmp(name, "args") == 0 || strcmp(name, "command") == 0;
		auto_free char *expected = pl_asprintf("%s as a text", name);
		auto_free char *list = pl_asprintf("%s as a list of texts", name);
		if (!is_among(name, keys, PL_ARRAY_SIZE(keys)))
			refuse_value(c, "key", name,
				     "runtime, image, args, command, pull or network");
		else if (is_list && !is_list_of_texts(value))
			exp_refuse(c, KEY, "another value", list);
		else if (!is_list && !json_is_string(value) && !json_is_null(value))
			exp_refuse(c, KEY, "another value", expected);
	}
}

static void check_arg(void *data, const char *name, const char *value)
{
	struct exp_checker *c = data;

	for (size_t i = 0; i < PL_ARRAY_SIZE(refused); i++) {
		auto_free char *found = pl_asprintf("%s%s in args", strlen(name) == 1 ? "-" : "--",
						    name);
		if (is_among(name, refused[i].names, PL_ARRAY_SIZE(refused[i].names)))
			exp_refuse(c, KEY, found, refused[i].instead);
	}
	/* the image would be taken for it */
	if (value == NULL && !vllm_runtime_is_switch(name)) {
		auto_free char *found = pl_asprintf("%s%s without a value in args",
						    strlen(name) == 1 ? "-" : "--", name);
		exp_refuse(c, KEY, found, "the value as the next text");
		return;
	}
	bool gpus = strcmp(name, "gpus") == 0 && !pl_text_equal(value, "all");
	bool device = strcmp(name, "device") == 0 && value != NULL &&
		      pl_text_starts(value, "nvidia.com/gpu=") && strcmp(value, ALL_DEVICES) != 0;
	if (gpus || device)
		refuse_value(c, gpus ? "--gpus" : "--device", value,
			     "all, or launch.gpus, which selects the GPUs");
}

static void check_values(struct exp_checker *c, const struct exp_container *container)
{
	if (!is_among(container->runtime, runtimes, PL_ARRAY_SIZE(runtimes)))
		refuse_value(c, "runtime", container->runtime, "docker or podman");
	if (container->image == NULL || container->image[0] == '\0' || container->image[0] == '-' ||
	    strpbrk(container->image, " \t\r\n") != NULL)
		refuse_value(c, "image", container->image,
			     "an image such as vllm/vllm-openai:v0.32.0");
	if (!is_among(container->pull, pulls, PL_ARRAY_SIZE(pulls)))
		refuse_value(c, "pull", container->pull, "never, missing or always");
	if (container->network[0] == '\0' || container->network[0] == '-' ||
	    strcmp(container->network, "none") == 0 ||
	    pl_text_starts(container->network, "container:"))
		refuse_value(c, "network", container->network,
			     "host, or a network from which a port can be published");
	const char *stray = vllm_runtime_args_each(container->args, check_arg, c);
	if (stray != NULL)
		refuse_value(c, "args with", stray, "options only; the image has its own key");
}

static void check_alone(struct exp_checker *c)
{
	const struct exp_config *experiment = c->experiment;

	if (experiment->launch.command != NULL)
		exp_refuse(c, KEY, "a container",
			   "null together with launch.command; the key 'command' of "
			   "launch.container starts a program in it");
	auto_free char *url = exp_server_url(experiment);
	if (url != NULL)
		exp_refuse(c, KEY, "a container",
			   "null together with the address of a running server");
	if (json_is_string(json_object_get(experiment->server, "uds")))
		exp_refuse(c, KEY, "a container",
			   "null together with server.uds: a container is reached by its port");
	if (exp_is_in_process(experiment))
		exp_refuse(c, KEY, "a container",
			   "null together with benchmark.mode in_process, which starts no server");
}

void exp_check_container(struct exp_checker *c)
{
	struct exp_container container;
	size_t known = c->problems->count;

	/* a command that was pasted is not run, and its container may be a pod */
	if ((c->options != NULL && c->options->is_command) ||
	    !exp_container_read(c->experiment, &container))
		return;
	check_keys(c, c->experiment->launch.container);
	if (c->problems->count == known)
		check_values(c, &container);
	check_alone(c);
}
