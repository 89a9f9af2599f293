/*
 * A server and a load in one text are one experiment, which starts that server: the load's address
 * must be the server's, and is then dropped. If the server listens on every address of its host, a
 * name that may be another host's is assumed to be this one, with a warning.
 */
#include "vllm/command/command_priv.h"
#include "vllm/replaced.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define ANY_HOST     "0.0.0.0"
#define DEFAULT_HOST "127.0.0.1"

enum { DEFAULT_PORT = 8000 };

struct address {
	char *host; /* without brackets */
	int64_t port;
	bool https;
	const char *path; /* "": none */
};

/*
 * Parses "http://[::1]:8000/v1"; user and password before the host are dropped. Without a port uses
 * the scheme's default, as clients do, not vLLM's.
 */
static void read_url(const char *url, struct address *ret)
{
	ret->https = pl_text_starts(url, "https://");
	const char *at = strstr(url, "://") != NULL ? strstr(url, "://") + 3 : url;
	size_t len = strcspn(at, "/?#");
	auto_free char *whole = pl_strndup(at, len);
	char *user_end = strrchr(whole, '@');
	char *authority = user_end != NULL ? user_end + 1 : whole;
	char *bracket = strchr(authority, ']');
	char *colon = strrchr(bracket != NULL ? bracket : authority, ':');

	ret->path = at + len;
	ret->port = ret->https ? 443 : 80;
	if (colon != NULL && pl_text_to_i64(colon + 1, &ret->port))
		*colon = '\0';
	if (bracket != NULL)
		*bracket = '\0';
	ret->host = pl_strdup(authority + (authority[0] == '['));
}

static void read_load(const json_t *load, struct address *ret)
{
	const char *url = pl_json_get_text(load, "base_url");
	const char *host = pl_json_get_text(load, "host");
	const json_t *port = json_object_get(load, "port");

	if (url != NULL) {
		read_url(url, ret);
		return;
	}
	host = host != NULL ? host : DEFAULT_HOST;
	size_t len = strlen(host);
	bool bracketed = host[0] == '[' && len > 1 && host[len - 1] == ']';
	ret->host = pl_strndup(host + bracketed, len - 2 * (size_t)bracketed);
	ret->port = json_is_integer(port) ? json_integer_value(port) : DEFAULT_PORT;
	ret->path = "";
}

/* A server without --host listens on all. */
static bool is_any(const char *host)
{
	return host == NULL || host[0] == '\0' || strcmp(host, ANY_HOST) == 0 ||
	       strcmp(host, "::") == 0;
}

static bool is_loopback(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
	       pl_text_starts(host, "127.");
}

/* "-p 9000:8000" of a container: the first number is the host's. */
static bool is_published(const struct vllm_command *command, int64_t port)
{
	auto_free char *wanted = pl_asprintf("%lld:", (long long)port);

	for (size_t i = 0; i + 1 < json_array_size(command->runtime_args); i++) {
		const char *flag = json_string_value(json_array_get(command->runtime_args, i));
		const char *value = json_string_value(json_array_get(command->runtime_args, i + 1));
		const char *last = strrchr(value, ':');
		if (strcmp(flag, "-p") != 0 && strcmp(flag, "--publish") != 0)
			continue;
		/* "127.0.0.1:9000:8000" */
		const char *found = strstr(value, wanted);
		if (last != NULL && found != NULL && found + strlen(wanted) == last + 1 &&
		    (found == value || found[-1] == ':'))
			return true;
	}
	return false;
}

/*
 * Reports it at the option with the address, or, if there is none, at the word that names the load.
 */
static void report(struct vllm_parse *parse, enum option_severity severity, const char *option,
		   const char *found, const char *expected)
{
	const struct vllm_command *command = parse->command;
	json_t *load = command->load_locations;
	const char *text = json_object_get(load, "base_url") != NULL ? "base_url" : option;
	json_int_t word = pl_json_get_i64(load, text);
	size_t at = word > 0 ? (size_t)word - 1 : parse->load.first - 1;
	auto_free char *key = vllm_flag_of(text);

	option_problem_report(parse->problems, .severity = severity, .source = command->source,
			      .line = (int)at + 1, .column = command->words.items[at].column,
			      .key = key, .found = found, .expected = expected);
}

static void check_host(struct vllm_parse *parse, const struct address *load)
{
	const char *host = pl_json_get_text(parse->command->values, "host");
	auto_free char *found = pl_asprintf("host '%s'", load->host);
	auto_free char *expected = pl_asprintf(
		"'%s', the host of the server that the other command starts",
		is_any(host) ? DEFAULT_HOST : host);

	if (is_loopback(load->host) || is_any(load->host) || pl_text_equal(load->host, host))
		return;
	if (is_any(host))
		report(parse, OPTION_WARNING, "host", found,
		       "this host, which starts the server of the other command");
	else
		report(parse, OPTION_ERROR, "host", found, expected);
}

/* Reports parts of the address that do not match a started server. */
static void check_url(struct vllm_parse *parse, const struct address *load)
{
	const json_t *values = parse->command->values;
	bool https = json_is_string(json_object_get(values, "ssl_certfile"));
	bool plain = load->path[0] == '\0' || strcmp(load->path, "/") == 0 ||
		     strcmp(load->path, "/v1") == 0 || strcmp(load->path, "/v1/") == 0;
	auto_free char *found = pl_asprintf("path '%s'", load->path);

	if (!plain)
		report(parse, OPTION_ERROR, "base_url", found,
		       "no path, because the other command starts the server");
	if (load->https != https)
		report(parse, OPTION_ERROR, "base_url", load->https ? "https" : "http",
		       https ? "https, because the server of the other command has a certificate"
			     : "http, because the server of the other command has no certificate");
}

static bool is_key_of_server(const struct vllm_command *command, const json_t *key)
{
	const json_t *keys = json_object_get(command->values, "api_key");

	return json_equal(keys, key) || pl_json_has(keys, key) ||
	       json_equal(json_object_get(command->env, "VLLM_API_KEY"), key);
}

/*
 * An experiment file has one environment, the server's. From the load's environment it needs only
 * the API key.
 */
static void join_env(struct vllm_parse *parse)
{
	struct vllm_command *command = parse->command;
	auto_json json_t *env = pl_take(command->load_env);

	command->load_env = json_object();
	PL_JSON_EACH_MEMBER(name, value, env) {
		bool is_key = strcmp(name, "OPENAI_API_KEY") == 0;
		if (json_equal(json_object_get(command->env, name), value) ||
		    (is_key && is_key_of_server(command, value)))
			continue;
		if (is_key) {
			json_object_set(command->env, name, value);
			continue;
		}
		json_object_set(command->load_env, name, value);
		auto_free char *found = pl_asprintf("the variable %s of the load", name);
		option_problem_report(
			parse->problems, .severity = OPTION_WARNING, .source = command->source,
			.line = (int)parse->load.begin + 1,
			.column = command->words.items[parse->load.begin].column, .found = found,
			.expected = "the variable in the environment of 'profllm run', because the "
				    "file holds only variables of the server");
	}
}

void vllm_command_join(struct vllm_parse *parse)
{
	struct vllm_command *command = parse->command;
	struct address address = { 0 };

	if (!parse->server.found) {
		json_object_update(command->env, command->load_env);
		json_object_clear(command->load_env);
		return;
	}
	read_load(command->load, &address);
	const json_t *given = json_object_get(parse->command->values, "port");
	int64_t port = json_is_integer(given) ? json_integer_value(given) : DEFAULT_PORT;
	auto_free char *found = pl_asprintf("port %lld", (long long)address.port);
	auto_free char *expected = pl_asprintf(
		"%lld, the port of the server that the other command starts", (long long)port);
	if (address.port != port && !is_published(parse->command, address.port))
		report(parse, OPTION_ERROR, "port", found, expected);
	check_host(parse, &address);
	check_url(parse, &address);
	/*
	 * "--base-url …/v1 --endpoint /completions": drops the base URL and moves its path to the endpoint.
	 */
	const char *endpoint = pl_json_get_text(command->load, "endpoint");
	if (endpoint != NULL && endpoint[0] == '/' && pl_text_starts(address.path, "/v1") &&
	    !pl_text_starts(endpoint, "/v1/"))
		json_object_set_new(command->load, "endpoint", json_sprintf("/v1%s", endpoint));
	free(address.host);
	json_object_del(command->load, "base_url");
	json_object_del(command->load, "host");
	json_object_del(command->load, "port");
	join_env(parse);
}
