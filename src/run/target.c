/*
 * The server's location and protocol: its address, further addresses of its name, the Host header, the path prefix, and
 * headers made like vLLM's client does from the same options.
 */
#include "run/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "io/acks.h"
#include "run/proxy.h"
#include "run/stop.h"

#define HEADER_BYTES_MAX 65536
#define FETCH_TIMEOUT_NS (30 * PL_NS_PER_S)
#define LATE_TIMEOUT_NS  (500 * PL_NS_PER_MS)
#define ACKS_TIMEOUT_NS  PL_NS_PER_S

void run_target_done(struct run_target *target)
{
	free(target->host);
	free(target->prefix);
	free(target->headers);
	free(target->unknown);
	io_tls_client_free(target->tls);
	*target = (struct run_target){ 0 };
}

bool run_target_is_here(const struct run_target *target, const struct exp_launch *launch)
{
	return launch->hardware == NULL && io_addr_is_here(&target->addr);
}

void run_target_rotate(struct run_target *target)
{
	struct io_addr first = target->addr;

	if (target->other_count == 0)
		return;
	target->addr = target->others[0];
	target->addr.tls = first.tls;
	memmove(target->others, target->others + 1,
		(target->other_count - 1) * sizeof(target->others[0]));
	target->others[target->other_count - 1] = first;
}

void run_target_keep_family(struct run_target *target, int family)
{
	struct io_addr retained[1 + RUN_TARGET_OTHERS_MAX];
	size_t count = 0, all = 1 + target->other_count;

	for (size_t i = 0; i < all; i++) {
		if (target->addr.u.any.sa_family == family)
			retained[count++] = target->addr;
		run_target_rotate(target);
	}
	if (count == 0)
		return;
	target->addr = retained[0];
	target->other_count = count - 1;
	memcpy(target->others, retained + 1, (count - 1) * sizeof(retained[0]));
}

static int resolve(const char *host, uint16_t port, struct run_target *target, struct pl_err *err)
{
	struct io_addr all[1 + RUN_TARGET_OTHERS_MAX];
	size_t count;

	if (io_addr_resolve_all(host, port, all, PL_ARRAY_SIZE(all), &count, err) < 0)
		return -1;
	target->addr = all[0];
	target->other_count = count - 1;
	memcpy(target->others, all + 1, (count - 1) * sizeof(all[0]));
	return 0;
}

static int bad_url(const char *url, const char *why, struct pl_err *err)
{
	return pl_err_invalid(err, "server URL: found '%s', expected %s", url, why);
}

/* *ret_port: the number after the host, which may be an IPv6 literal in brackets; unchanged without one. */
static int split_port(const char *url, char *authority, uint16_t *ret_port, struct pl_err *err)
{
	char *bracket = strchr(authority, ']');
	char *colon = strrchr(bracket != NULL ? bracket : authority, ':');
	int64_t port = *ret_port;

	if (colon != NULL) {
		if (!pl_text_to_i64(colon + 1, &port) || port < 1 || port > 65535)
			return bad_url(url, "a port from 1 to 65535", err);
		*colon = '\0';
	}
	if (authority[0] == '\0')
		return bad_url(url, "http://HOST:PORT", err);
	*ret_port = (uint16_t)port;
	return 0;
}

static size_t without_slashes(const char *path, size_t len)
{
	while (len > 0 && path[len - 1] == '/')
		len--;
	return len;
}

int run_target_from_url(const char *url, struct run_target *ret, struct pl_err *err)
{
	struct run_target target = { 0 };
	struct pl_err why = PL_ERR_INIT;

	target.https = pl_text_starts(url, "https://");
	bool known = target.https || pl_text_starts(url, "http://");
	if (!known && strchr(url, '@') != NULL)
		return pl_err_invalid(
			err, "server URL: found a user or password, expected http://HOST:PORT");
	if (!known)
		return bad_url(url, "http://HOST:PORT or https://HOST:PORT", err);
	const char *authority = url + strlen(target.https ? "https://" : "http://");
	size_t len = strcspn(authority, "/?#");
	auto_free char *host = pl_strndup(authority, len);
	auto_free char *whole = pl_strdup(host);
	const char *path = authority + len;

	/* the part before the @ is a secret, wherever this text goes */
	if (strchr(host, '@') != NULL)
		return pl_err_invalid(
			err, "server URL: found a user or password, expected none; use "
			     "OPENAI_API_KEY in the environment, or an Authorization header");
	if (strpbrk(path, "?#") != NULL)
		return bad_url(url, "no query or fragment", err);
	uint16_t port = target.https ? 443 : 80;
	if (split_port(url, host, &port, err) < 0)
		return -1;
	/* a host that needs a proxy often cannot be resolved: then report the proxy */
	int found = resolve(host, port, &target, &why);
	if (run_proxy_check(target.https, host, port, found == 0 ? &target.addr : NULL, err) < 0)
		return -1;
	if (found < 0 && why.code != PL_ERR_NETWORK) {
		*err = why;
		return -1;
	}
	target.unknown = found < 0 ? pl_strdup(why.text) : NULL;
	size_t path_len = without_slashes(path, strlen(path));
	if (path_len >= 3 && strncmp(path + path_len - 3, "/v1", 3) == 0) {
		target.v1_cut = true;
		path_len = without_slashes(path, path_len - 3);
	}
	target.host = pl_take(whole);
	target.prefix = pl_strndup(path, path_len);
	*ret = target;
	return 0;
}

int run_target_from_port(const char *host, uint16_t port, struct run_target *ret,
			 struct pl_err *err)
{
	struct run_target target = { 0 };
	const char *reached = host;

	if (pl_text_equal(host, "0.0.0.0"))
		reached = "127.0.0.1";
	else if (pl_text_equal(host, "::") || pl_text_equal(host, "[::]"))
		reached = "::1";
	if (resolve(reached, port, &target, err) < 0)
		return -1;
	bool bare_v6 = strchr(reached, ':') != NULL && reached[0] != '[';
	target.host = pl_asprintf(bare_v6 ? "[%s]:%u" : "%s:%u", reached, port);
	target.prefix = pl_strdup("");
	*ret = target;
	return 0;
}

int run_target_from_uds(const char *path, struct run_target *ret, struct pl_err *err)
{
	struct run_target target = { 0 };

	if (io_addr_unix(path, &target.addr, err) < 0)
		return -1;
	target.host = pl_strdup("localhost");
	target.prefix = pl_strdup("");
	*ret = target;
	return 0;
}

int run_target_from_dashboard(const char *url, struct run_target *ret, struct pl_err *err)
{
	if (pl_text_starts(url, "unix:"))
		return run_target_from_uds(url + strlen("unix:"), ret, err);
	return run_target_from_url(url, ret, err);
}

int run_target_use_tls(struct run_target *target, const struct io_tls_trust *trust,
		       struct pl_err *err)
{
	auto_free char *name = pl_strdup(target->host);
	char *bracket = strchr(name, ']');
	char *colon = strrchr(bracket != NULL ? bracket : name, ':');

	if (colon != NULL)
		*colon = '\0';
	io_tls_client_free(pl_take(target->tls));
	target->addr.tls = NULL;
	if (io_tls_client_new(name, trust, &target->tls, err) < 0)
		return -1;
	target->addr.tls = target->tls;
	return 0;
}

/* Splits KEY=VALUE and trims both. Returns false for another form. */
static bool split_header(const char *text, char **ret_name, char **ret_value)
{
	const char *equals = text == NULL ? NULL : strchr(text, '=');

	if (equals == NULL || strpbrk(text, "\r\n") != NULL)
		return false;
	auto_free char *name = pl_strndup(text, (size_t)(equals - text));
	auto_free char *value = pl_strdup(equals + 1);
	*ret_name = pl_strdup(pl_text_trim(name));
	*ret_value = pl_strdup(pl_text_trim(value));
	return true;
}

/* For identical names, the last value counts, at the position of the first: like Python's dictionary. */
static int collect_headers(const json_t *header, json_t *fields, struct pl_err *err)
{
	PL_JSON_EACH(item, header) {
		auto_free char *name = NULL, *value = NULL;
		if (!split_header(json_string_value(item), &name, &value) || name[0] == '\0')
			return pl_err_invalid(err, "headers: expected KEY=VALUE in item %zu",
					      item_at);
		json_object_set_new(fields, name, json_string(value));
	}
	return 0;
}

int run_target_set_headers(struct run_target *target, const char *bearer, const json_t *header,
			   struct pl_err *err)
{
	auto_json json_t *fields = json_object();
	auto_buf lines = PL_BUF(HEADER_BYTES_MAX);

	if (bearer == NULL)
		bearer = getenv("OPENAI_API_KEY");
	if (bearer != NULL && bearer[0] != '\0') {
		if (strpbrk(bearer, "\r\n") != NULL)
			return pl_err_invalid(err, "the API key holds a line end");
		json_object_set_new(fields, "Authorization", json_sprintf("Bearer %s", bearer));
	}
	if (collect_headers(header, fields, err) < 0)
		return -1;
	/*
	 * For names that differ only in case, the last value counts, at the position of the first: like Python's HTTP library.
	 */
	PL_JSON_EACH_MEMBER(name, value, fields) {
		const char *first = NULL, *last = NULL, *last_text = NULL;
		PL_JSON_EACH_MEMBER(other, other_value, fields) {
			if (strcasecmp(name, other) != 0)
				continue;
			first = first != NULL ? first : other;
			last = other;
			last_text = json_string_value(other_value);
		}
		if (first != NULL && strcmp(first, name) == 0)
			pl_buf_addf(&lines, "%s: %s\r\n", last, last_text);
	}
	if (lines.full)
		return pl_err_invalid(err, "the headers are too long");
	free(target->headers);
	target->headers = pl_strdup(pl_buf_text(&lines));
	return 0;
}

/* Sets the members of a fetch that come from the target. */
static void aim(const struct run_target *target, const char *whole_path, struct io_fetch *fetch)
{
	fetch->addr = &target->addr;
	fetch->host = target->host;
	fetch->path = whole_path;
	fetch->headers = target->headers;
}

static int fetch_path(const struct run_target *target, const char *path, struct io_fetch fetch,
		      struct io_reply *ret, struct pl_err *err)
{
	auto_free char *whole = pl_asprintf("%s%s", target->prefix, path);

	aim(target, whole, &fetch);
	return io_fetch(&fetch, ret, err);
}

struct run_patience run_target_patience(const struct run_target *target, int64_t timeout_ns)
{
	const struct run_stop *stop = target->stop;

	if (stop == NULL)
		return (struct run_patience){ timeout_ns, NULL };
	if (atomic_load(&stop->reason) == 0)
		return (struct run_patience){ timeout_ns, &stop->reason };
	return (struct run_patience){ timeout_ns < LATE_TIMEOUT_NS ? timeout_ns : LATE_TIMEOUT_NS,
				      &stop->hurry };
}

static struct io_fetch patient_fetch(const struct run_target *target, int64_t timeout_ns)
{
	struct run_patience patience = run_target_patience(target, timeout_ns);

	return (struct io_fetch){
		.timeout_ns = patience.timeout_ns,
		.stop_signal = patience.stop_signal,
	};
}

int run_target_fetch(const struct run_target *target, const char *path, int64_t timeout_ns,
		     struct io_reply *ret, struct pl_err *err)
{
	return fetch_path(target, path, patient_fetch(target, timeout_ns), ret, err);
}

bool run_target_acks_may_wait(const struct run_target *target)
{
	auto_free char *path = pl_asprintf("%s/health", target->prefix);
	struct io_fetch fetch = patient_fetch(target, ACKS_TIMEOUT_NS);

	aim(target, path, &fetch);
	return io_acks_may_wait(&fetch);
}

int run_target_post(const struct run_target *target, const char *path, int64_t timeout_ns,
		    const atomic_int *stop_signal, struct io_reply *ret, struct pl_err *err)
{
	struct io_fetch fetch = {
		.body = "",
		.timeout_ns = timeout_ns,
		.stop_signal = stop_signal,
	};

	return fetch_path(target, path, fetch, ret, err);
}

int run_target_fetch_json(const struct run_target *target, const char *path, json_t **ret,
			  struct pl_err *err)
{
	auto_reply reply = { 0 };

	if (run_target_fetch(target, path, FETCH_TIMEOUT_NS, &reply, err) < 0)
		return -1;
	if (reply.status != 200)
		return pl_err_set(err, PL_ERR_NETWORK, "'%s' returned status %d", path,
				  reply.status);
	return pl_json_parse(reply.body, reply.body_len, path, ret, err);
}
