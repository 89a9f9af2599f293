/* The checks of `launch:` that involve several keys. */
#include "experiment/check_priv.h"
#include "experiment/config_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "checkpoint/hardware.h"
#include "vllm/secret.h"

/* A fault of `section.name`, wherever it was set. */
static void refuse_text(const struct exp_config *experiment, struct option_problems *problems,
			const char *section, const char *name, const char *found,
			const char *expected)
{
	auto_free char *key = pl_asprintf("%s.%s", section, name);

	exp_problem_report(experiment, NULL, problems, .key = key, .found = found,
			   .expected = expected);
}

/* `server.x` and `launch.x` mean the same: one of them fills the other, two must agree. */
void exp_launch_join(struct exp_config *experiment, struct option_problems *problems)
{
	const json_t *port = json_object_get(experiment->server, "port");
	const json_t *host = json_object_get(experiment->server, "host");
	struct exp_launch *launch = &experiment->launch;
	bool launch_port = option_locations_find(&experiment->locations, "launch.port") != NULL;
	bool launch_host = option_locations_find(&experiment->locations, "launch.host") != NULL;

	if (json_is_integer(port)) {
		int64_t number = json_integer_value(port);
		auto_free char *found = pl_asprintf("number %lld", (long long)number);
		auto_free char *expected = pl_asprintf("%lld, the value of launch.port",
						       (long long)launch->port);
		if (launch_port && launch->port != OPTION_NO_I64 && launch->port != number)
			refuse_text(experiment, problems, "server", "port", found, expected);
		launch->port = number > 0 ? number : OPTION_NO_I64;
	}
	if (json_is_string(host)) {
		auto_free char *found = pl_asprintf("text '%s'", json_string_value(host));
		auto_free char *expected = pl_asprintf("'%s', the value of launch.host",
						       launch->host);
		if (launch_host && strcmp(launch->host, json_string_value(host)) != 0)
			refuse_text(experiment, problems, "server", "host", found, expected);
		free(launch->host);
		launch->host = pl_strdup(json_string_value(host));
	}
}

/* Returns whether it is "[…]:1", "host" or "host:1" with a valid port. */
static bool is_authority(const char *text, size_t len)
{
	auto_free char *host = pl_strndup(text, len);
	char *bracket = strchr(host, ']');
	char *colon = strrchr(bracket != NULL ? bracket : host, ':');
	int64_t port = 1;

	if (colon != NULL && !pl_text_to_i64(colon + 1, &port))
		return false;
	if (colon != NULL)
		*colon = '\0';
	return host[0] != '\0' && strpbrk(host, " \t\r\n") == NULL && port >= 1 && port <= 65535;
}

static void check_url(const struct exp_config *experiment, struct option_problems *problems,
		      const char *section, const char *name, const char *url)
{
	const char *expected = "http://HOST:PORT or https://HOST:PORT";

	if (url == NULL)
		return;
	size_t scheme = pl_text_starts(url, "http://")    ? 7
			: pl_text_starts(url, "https://") ? 8
							  : 0;
	size_t len = strcspn(url + scheme, "/?#");
	bool has_user = memchr(url + scheme, '@', len) != NULL;
	if (scheme > 0 && (has_user || strpbrk(url, "?#") != NULL))
		expected = "no user, query or fragment";
	else if (scheme > 0 && is_authority(url + scheme, len))
		return;
	/* text before an @ may be a secret, whatever the scheme */
	auto_free char *shown = scheme == 0 && strchr(url, '@') != NULL
					? pl_strdup(OPTION_SECRET_SHOWN)
					: vllm_secret_word_shown(url);
	auto_free char *found = pl_asprintf("text '%s'", shown);
	refuse_text(experiment, problems, section, name, found, expected);
}

/* A server is started, or it runs already. */
static void check_one_server(const struct exp_config *experiment, struct option_problems *problems)
{
	const struct exp_launch *launch = &experiment->launch;
	const struct vllm_bench *bench = &experiment->bench;
	const struct {
		const char *section;
		const char *name;
		bool given;
	} names[] = {
		{ "launch", "url", launch->url != NULL },
		{ "benchmark", "base_url", bench->base_url != NULL },
		{ "benchmark", "host", bench->host != NULL },
		{ "benchmark", "port", bench->port != OPTION_NO_I64 },
	};

	for (size_t i = 0; launch->command != NULL && i < PL_ARRAY_SIZE(names); i++) {
		if (names[i].given)
			refuse_text(experiment, problems, names[i].section, names[i].name,
				    "a running server",
				    "null together with launch.command, which starts one");
	}
}

void exp_check_launch(struct exp_checker *c)
{
	const struct exp_config *experiment = c->experiment;
	const struct exp_launch *launch = &experiment->launch;

	check_url(experiment, c->problems, "launch", "url", launch->url);
	check_url(experiment, c->problems, "benchmark", "base_url", experiment->bench.base_url);
	check_one_server(experiment, c->problems);
	PL_JSON_EACH_MEMBER(name, value, experiment->launch.env) {
		auto_free char *key = pl_asprintf("env.%s", name);
		auto_free char *found = pl_asprintf("the name '%s'", name);
		if (name[0] == '\0' || strchr(name, '=') != NULL)
			refuse_text(experiment, c->problems, "launch", key, found,
				    "the name of a variable: not empty, without '='");
	}
	if (launch->command != NULL && json_array_size(launch->command) == 0)
		refuse_text(experiment, c->problems, "launch", "command", "an empty list",
			    "a list of arguments such as [vllm, serve]");
}

/* The GPUs of this host are detected; only those of a server elsewhere have to be named. */
void exp_check_hardware(struct exp_checker *c)
{
	const char *named = c->experiment->launch.hardware;
	auto_free char *url = exp_server_url(c->experiment);
	struct ckpt_hardware hardware;
	struct pl_err why = PL_ERR_INIT;

	if (named == NULL)
		return;
	if (url == NULL)
		exp_refuse_text(c, "launch.hardware", named,
				"null unless launch.url names a running server: the GPUs of this "
				"host are detected");
	else if (ckpt_hardware_find(named, &hardware, &why) < 0)
		exp_refuse_for(c, "launch.hardware", why.text);
	else if (json_array_size(c->experiment->launch.gpus) > 0)
		exp_refuse_for(c, "launch.hardware",
			       "launch.gpus names GPUs of this host, and launch.hardware those of "
			       "another host; remove one of them");
}

/* GPUs may be named in three places, and only in one of them. */
void exp_check_gpus(struct exp_checker *c)
{
	static const char argument[] = "server.device_ids";
	const struct exp_config *experiment = c->experiment;
	bool by_variable = json_is_string(
		json_object_get(experiment->launch.env, "CUDA_VISIBLE_DEVICES"));
	bool by_argument = json_is_string(json_object_get(experiment->server, "device_ids"));
	bool by_key = option_locations_find(&experiment->locations, "launch.gpus") != NULL;
	const json_t *gpus = experiment->launch.gpus;
	auto_free char *url = exp_server_url(experiment);

	/* without GPUs the user's environment is not checked */
	if (url != NULL || (json_is_array(gpus) && json_array_size(gpus) == 0))
		return;
	if (by_key && (by_variable || by_argument))
		exp_refuse_for(c, "launch.gpus",
			       by_variable ? "launch.gpus and launch.env.CUDA_VISIBLE_DEVICES both "
					     "select GPUs; remove one of them"
					   : "launch.gpus and server.device_ids both select GPUs; "
					     "remove one of them");
	else if (by_variable && by_argument)
		exp_refuse_for(c, argument,
			       "server.device_ids and launch.env.CUDA_VISIBLE_DEVICES both select "
			       "GPUs; remove one of them");
}
