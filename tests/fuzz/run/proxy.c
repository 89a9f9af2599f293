/*
 * Any texts as the proxy variables of the environment and as a host: lines "NAME=VALUE", of which those of
 * proxies count, then a line of the host and its port. A refusal names the variable and never its value; "*" in
 * no_proxy permits every host.
 */
#include "run/proxy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECRET "u:hush-hush@proxy.example"

static const char *const variables[] = { "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
					 "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY" };

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void set_variable(char *line)
{
	char *value = line;
	const char *name = strsep(&value, "=");

	for (size_t i = 0; value != NULL && i < PL_ARRAY_SIZE(variables); i++) {
		if (strcmp(name, variables[i]) == 0)
			must(setenv(name, value, 1) == 0);
	}
}

/* A proxy whose value is a secret. */
static void check_secret(bool https, const char *host, uint16_t port)
{
	struct pl_err err = PL_ERR_INIT;

	must(setenv("http_proxy", SECRET, 1) == 0 && setenv("https_proxy", SECRET, 1) == 0);
	if (run_proxy_check(https, host, port, NULL, &err) < 0)
		must(strstr(err.text, "_proxy") != NULL &&
		     (strstr(host, SECRET) != NULL || strstr(err.text, SECRET) == NULL));
	must(setenv("no_proxy", "other.example,*", 1) == 0);
	must(run_proxy_check(https, host, port, NULL, &err) == 0);
}

static void check(bool https, const char *host, uint16_t port)
{
	static const char address[] = "10.1.2.3";
	struct pl_err err = PL_ERR_INIT;
	struct io_addr addr;

	must(io_addr_resolve(address, port, &addr, &err) == 0);
	if (run_proxy_check(https, host, port, &addr, &err) < 0)
		must(err.code == PL_ERR_INVALID && strstr(err.text, "names a proxy") != NULL);
	err = (struct pl_err)PL_ERR_INIT;
	must(io_addr_resolve("127.0.0.1", port, &addr, &err) == 0);
	must(run_proxy_check(https, host, port, &addr, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *copy = pl_strndup((const char *)data, size);
	char *rest = copy, *line = strsep(&rest, "\n");
	int64_t port = 0;

	for (size_t i = 0; i < PL_ARRAY_SIZE(variables); i++)
		unsetenv(variables[i]);
	for (; rest != NULL; line = strsep(&rest, "\n"))
		set_variable(line);
	const char *host = strsep(&line, " ");
	if (line == NULL || !pl_text_to_i64(line, &port) || port < 1 || port > UINT16_MAX)
		port = 8000;
	for (int https = 0; https < 2; https++) {
		check(https, host, (uint16_t)port);
		if (https == 1)
			check_secret(https, host, (uint16_t)port);
	}
	return 0;
}
