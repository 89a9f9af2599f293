/*
 * Command lines of an experiment. A load for the experiment's own server uses the address where the server's command
 * starts it: this host, and the port in the file, else vLLM's default, which both command lines omit.
 */
#include "experiment/command.h"

#include <string.h>

#include "base/text.h"
#include "experiment/offline.h"
#include "option/secret.h"
#include "vllm/bench/write.h"
#include "vllm/command/line.h"
#include "vllm/secret.h"

/* ---- the server ---------------------------------------------------------------------------- */

/* Returns "docker run -e NAME=text ARGS IMAGE"; variables before it would not reach the container. */
static json_t *container_words(const struct exp_launch *launch)
{
	const char *runtime = pl_json_get_text(launch->container, "runtime");
	json_t *words = json_pack("[s, s]", runtime != NULL ? runtime : "docker", "run");

	PL_JSON_EACH_MEMBER(name, value, launch->env) {
		auto_free char *text = option_secret_urls_shown(json_string_value(value));
		json_array_append_new(words, json_string("-e"));
		json_array_append_new(
			words,
			json_sprintf("%s=%s", name,
				     option_secret_is_name(name) ? OPTION_SECRET_SHOWN : text));
	}
	auto_json json_t *args = vllm_secret_words_shown(
		json_object_get(launch->container, "args"));
	json_array_extend(words, args);
	json_array_append(words, json_object_get(launch->container, "image"));
	json_array_extend(words, json_object_get(launch->container, "command"));
	return words;
}

/* Returns objects as given, without the expansion of their short forms. */
static json_t *given_values(const struct exp_config *experiment)
{
	json_t *values = json_copy(experiment->server);

	PL_JSON_EACH_MEMBER(name, given, experiment->given) {
		if (json_is_object(json_object_get(values, name)))
			json_object_set(values, name, given);
	}
	return values;
}

/* Returns the arguments of this experiment's server; port and address only if they are set. */
static json_t *server_values(const struct exp_config *experiment)
{
	const struct exp_launch *launch = &experiment->launch;
	json_t *values = given_values(experiment);

	if (option_locations_find(&experiment->locations, "launch.port") != NULL &&
	    launch->port != OPTION_NO_I64)
		json_object_set_new(values, "port", json_integer(launch->port));
	if (option_locations_find(&experiment->locations, "launch.host") != NULL)
		json_object_set_new(values, "host", json_string(launch->host));
	return values;
}

int exp_command_server(const struct exp_config *experiment, bool oneline, struct pl_buf *text,
		       struct pl_err *err)
{
	const struct exp_launch *launch = &experiment->launch;
	bool contained = launch->container != NULL;
	auto_json json_t *extra = vllm_secret_words_shown(launch->extra_args);
	auto_json json_t *values = server_values(experiment);
	auto_json json_t *words = contained ? container_words(launch) : json_array();

	if (!contained && launch->command != NULL)
		json_array_extend(words, (json_t *)launch->command);
	struct vllm_command_style style = {
		.catalog = experiment->catalog,
		.launch = words,
		.env = contained ? NULL : launch->env,
		.flag_a_line = !oneline,
	};
	if (vllm_command_write(values, &style, text, err) < 0)
		return -1;
	if (json_array_size(extra) == 0)
		return 0;
	/* replaces the last newline */
	text->len--;
	PL_JSON_EACH(word, extra) {
		pl_buf_add_char(text, ' ');
		vllm_word_quote(json_string_value(word), text);
	}
	pl_buf_add_char(text, '\n');
	return 0;
}

int exp_command_offline(const struct exp_config *experiment, bool oneline, struct pl_buf *text,
			struct pl_err *err)
{
	const struct exp_launch *launch = &experiment->launch;
	const struct option_row *output = vllm_bench_kind_row(exp_offline_kind(experiment),
							      VLLM_BENCH_output_json);
	auto_json json_t *command = exp_offline_command(experiment);
	auto_json json_t *values = given_values(experiment);
	auto_json json_t *env = launch->env != NULL ? json_copy(launch->env) : json_object();
	auto_json json_t *words = json_array();
	auto_json json_t *secret_env = NULL;

	if (launch->container != NULL)
		return pl_err_invalid(err, "launch.container: not supported with 'vllm bench %s'",
				      experiment->bench.kind);
	if (exp_offline_words(experiment, values, words, &secret_env, err) < 0)
		return -1;
	if (experiment->bench_set[VLLM_BENCH_output_json])
		(void)vllm_bench_row_words_add(&experiment->bench, output, words);
	json_array_extend(words, launch->extra_args);
	json_object_update(env, secret_env);
	const struct vllm_command_style style = {
		.launch = command,
		.env = env,
		.flag_a_line = !oneline,
	};
	return vllm_command_write_load(words, &style, text, err);
}

/* ---- the load ------------------------------------------------------------------------------ */

#define API_KEY "OPENAI_API_KEY"

/* Returns whether the option is part of the server's address. */
static bool is_address(enum vllm_bench_id id)
{
	return id == VLLM_BENCH_base_url || id == VLLM_BENCH_host || id == VLLM_BENCH_port;
}

/* Returns whether the option selects the kind of benchmark or the client, which the command itself implies. */
static bool is_reported(enum vllm_bench_id id)
{
	return id == VLLM_BENCH_kind || id == VLLM_BENCH_client;
}

static int64_t command_port(void)
{
	auto_json json_t *usual = pl_json_of_text(vllm_bench_row(VLLM_BENCH_port)->serve_default);

	return json_integer_value(usual);
}

/* Adds the address of a server that the experiment starts. */
static int add_reported_address(const struct exp_config *experiment, json_t *words,
				struct pl_err *err)
{
	const struct exp_launch *launch = &experiment->launch;
	int64_t port = launch->port != OPTION_NO_I64 ? launch->port : command_port();
	bool any = strcmp(launch->host, "0.0.0.0") == 0 || strcmp(launch->host, "::") == 0;
	const char *host = any ? "127.0.0.1" : launch->host;
	bool bare_v6 = strchr(host, ':') != NULL && host[0] != '[';
	auto_free char *number = pl_asprintf("%lld", (long long)port);
	auto_free char *url = pl_asprintf(bare_v6 ? "https://[%s]:%s" : "https://%s:%s", host,
					  number);

	if (json_is_string(json_object_get(experiment->server, "uds")))
		return pl_err_invalid(err,
				      "server.uds: 'vllm bench serve' needs a host and a port");
	if (json_is_string(json_object_get(experiment->server, "ssl_certfile"))) {
		vllm_bench_pair_add(words, "--base-url", url);
		/* its certificate may be for another name than its address */
		if (!experiment->bench.insecure)
			json_array_append_new(words, json_string("--insecure"));
		return 0;
	}
	if (strcmp(host, "127.0.0.1") != 0)
		vllm_bench_pair_add(words, "--host", host);
	if (port != command_port())
		vllm_bench_pair_add(words, "--port", number);
	return 0;
}

/* Adds the address if it is not among the options. */
static int add_address(const struct exp_config *experiment, json_t *words, struct pl_err *err)
{
	auto_free char *url = exp_server_url(experiment);

	if (url == NULL)
		return add_reported_address(experiment, words, err);
	if (experiment->launch.url != NULL)
		vllm_bench_pair_add(words, "--base-url", experiment->launch.url);
	return 0;
}

/* Refuses options that today's vLLM has removed. */
static int check_gone(const struct vllm_bench *bench, struct pl_err *err)
{
	const struct option_row *row = vllm_bench_row(VLLM_BENCH_dataset_name);
	auto_json json_t *known = pl_json_of_text(row->choices);

	if (pl_json_has_text(known, bench->dataset_name))
		return 0;
	return pl_err_invalid(err,
			      "benchmark.dataset_name: 'vllm bench serve' of vLLM %s has no '%s'",
			      VLLM_REFERENCE_RELEASE, bench->dataset_name);
}

static void add_omitted(const struct option_row *row, json_t *omitted)
{
	json_array_append_new(
		omitted,
		json_sprintf("benchmark.%s was omitted: %s", row->name,
			     row->ours ? "'vllm bench serve' does not have this option of profllm"
				       : "'vllm bench serve' removed it"));
}

static int add_option(const struct exp_config *experiment, enum vllm_bench_id id, json_t *words,
		      json_t *omitted, struct pl_err *err)
{
	const struct option_row *row = vllm_bench_row(id);

	/* launch.url takes precedence */
	if (is_reported(id) || (is_address(id) && experiment->launch.url != NULL))
		return 0;
	if (row->ours || row->gone)
		add_omitted(row, omitted);
	else if (!vllm_bench_words_add(&experiment->bench, id, words))
		return pl_err_invalid(err,
				      "benchmark.%s: a command line cannot express several items "
				      "if one begins with '-'",
				      row->name);
	return 0;
}

/* In the order of the file. */
static int add_options(const struct exp_config *experiment, json_t *words, json_t *omitted,
		       struct pl_err *err)
{
	static const char section[] = "benchmark.";

	for (size_t i = 0; i < experiment->locations.count; i++) {
		const char *key = experiment->locations.items[i].key;
		enum vllm_bench_id id = pl_text_starts(key, section)
						? vllm_bench_find(key + strlen(section))
						: VLLM_BENCH_COUNT;
		if (id != VLLM_BENCH_COUNT && experiment->bench_set[id] &&
		    add_option(experiment, id, words, omitted, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns the variables of the load: all of the file if it starts no server, else only the server's API key. */
static json_t *env_of(const struct exp_config *experiment)
{
	const json_t *env = experiment->launch.env;
	const json_t *key = json_object_get(env, API_KEY);
	auto_free char *url = exp_server_url(experiment);

	if (url != NULL)
		return json_copy((json_t *)env);
	if (key == NULL)
		key = json_object_get(env, "VLLM_API_KEY");
	if (key == NULL && json_object_get(experiment->server, "api_key") == NULL)
		return json_object();
	return json_pack("{s:s}", API_KEY, OPTION_SECRET_SHOWN);
}

int exp_command_load(const struct exp_config *experiment, bool oneline, struct pl_buf *text,
		     json_t *omitted, struct pl_err *err)
{
	const struct vllm_bench *bench = &experiment->bench;
	auto_json json_t *words = json_array();
	auto_json json_t *env = env_of(experiment);

	if (!pl_text_equal(bench->kind, "serve"))
		return pl_err_invalid(err,
				      "benchmark.kind: found '%s', expected serve: vLLM has no "
				      "command that measures this kind with a server",
				      bench->kind);
	if (check_gone(bench, err) < 0 || add_address(experiment, words, err) < 0 ||
	    add_options(experiment, words, omitted, err) < 0)
		return -1;
	const struct vllm_command_style style = { .env = env, .flag_a_line = !oneline };
	return vllm_command_write_load(words, &style, text, err);
}
