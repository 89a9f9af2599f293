#include "run/redirect.h"

#include <string.h>

#include "base/text.h"

bool run_redirect_is(int status)
{
	static const int all[] = { 301, 302, 303, 307, 308 };

	for (size_t i = 0; i < PL_ARRAY_SIZE(all); i++) {
		if (status == all[i])
			return true;
	}
	return false;
}

/* Returns the length of "http://host:port", or 0 without a scheme or a host. */
static size_t origin_len(const char *url)
{
	const char *host = url == NULL ? NULL : strstr(url, "://");

	if (host == NULL || !(pl_text_starts(url, "http://") || pl_text_starts(url, "https://")))
		return 0;
	host += strlen("://");
	size_t len = strcspn(host, "/?#");
	return len > 0 ? (size_t)(host - url) + len : 0;
}

/*
 * url http://a:8000, path /v1/models, location https://b/x/v1/models: https://b/x. No suggestion for "//b/…", which has
 * no scheme.
 */
char *run_redirect_base(const char *url, const char *path, const char *location)
{
	auto_free char *whole = NULL;

	if (origin_len(location) > 0)
		whole = pl_strdup(location);
	else if (location[0] == '/' && location[1] != '/' && origin_len(url) > 0)
		whole = pl_asprintf("%.*s%s", (int)origin_len(url), url, location);
	if (whole == NULL)
		return NULL;
	size_t len = strlen(whole);
	while (len > 0 && whole[len - 1] == '/')
		whole[--len] = '\0';
	if (!pl_text_ends(whole, path) || len - strlen(path) < origin_len(whole))
		return NULL;
	whole[len - strlen(path)] = '\0';
	/* only one more slash: do not suggest the same base */
	return pl_text_equal(whole, url) ? NULL : pl_take(whole);
}

int run_redirect_error(const char *url, const char *path, const char *location, struct pl_err *err)
{
	auto_free char *base = location != NULL ? run_redirect_base(url, path, location) : NULL;
	const char *quote = base != NULL ? "'" : "";

	return pl_err_set(
		err, PL_ERR_NETWORK,
		"the server at '%s' redirects '%s' to '%.300s'; profllm does not follow redirects, "
		"which would double each request; set {launch.url} to %s%.300s%s",
		url != NULL ? url : "its port", path, location != NULL ? location : "nowhere",
		quote, base != NULL ? base : "the address that responds without a redirect", quote);
}
