/*
 * Any texts as a server's URL, the path of a request and the Location header of the reply, one per line:
 * the address to write instead has a scheme and a host and, with the path, is the location; and the
 * message names the location.
 */
#include "run/redirect.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(const char *url, const char *path, const char *location)
{
	struct pl_err err = PL_ERR_INIT;
	auto_free char *base = run_redirect_base(url, path, location);

	must(run_redirect_error(url, path, location, &err) == -1);
	must(err.code == PL_ERR_NETWORK && err.text[0] != '\0');
	if (base == NULL)
		return;
	must(pl_text_starts(base, "http://") || pl_text_starts(base, "https://"));
	must(strcspn(strstr(base, "://") + strlen("://"), "/?#") > 0);
	must(!pl_text_equal(base, url));
	auto_free char *whole = pl_asprintf("%s%s", base, path);
	size_t len = strlen(location);
	while (len > 0 && location[len - 1] == '/')
		len--;
	must(strlen(whole) >= len && strncmp(whole + strlen(whole) - len, location, len) == 0);
	/* other characters are replaced */
	bool is_plain = true;
	for (const char *at = location; *at != '\0'; at++)
		is_plain = is_plain && *at >= ' ' && *at <= '~';
	if (is_plain && strlen(location) < 300 && strlen(path) < 300)
		must(strstr(err.text, location) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *copy = pl_strndup((const char *)data, size);
	char *rest = copy;
	const char *url = strsep(&rest, "\n");
	const char *path = strsep(&rest, "\n");
	const char *location = rest;
	struct pl_err err = PL_ERR_INIT;

	if (location == NULL || path[0] != '/')
		return 0;
	check(url, path, location);
	check(NULL, path, location);
	must(run_redirect_error(url, path, NULL, &err) == -1);
	return 0;
}
