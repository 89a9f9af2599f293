#include "option/secret_known.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/redact.h"
#include "base/text.h"
#include "option/secret.h"

void option_secret_know_hidden(const char *text, const char *shown)
{
	const char *first = shown != NULL && text != NULL ? strstr(shown, OPTION_SECRET_SHOWN)
							  : NULL;

	/* between two marks the text is the same: it follows the part that the first hides */
	while (first != NULL && strcmp(text, shown) != 0) {
		size_t before = (size_t)(first - shown);
		const char *after = first + strlen(OPTION_SECRET_SHOWN);
		const char *next = strstr(after, OPTION_SECRET_SHOWN);
		size_t same = next != NULL ? (size_t)(next - after) : strlen(after);
		if (strlen(text) < before + same)
			return;
		text += before;
		const char *end = next != NULL ? memmem(text, strlen(text), after, same)
					       : text + strlen(text) - same;
		if (end == NULL || (next != NULL && same == 0))
			end = text + strlen(text);
		auto_free char *part = pl_strndup(text, (size_t)(end - text));
		pl_redact_add(part);
		text = end;
		shown = after;
		first = next;
	}
}

void option_secret_know_urls(const char *text)
{
	if (text == NULL || !option_secret_in_url(text))
		return;
	auto_free char *shown = option_secret_urls_shown(text);
	option_secret_know_hidden(text, shown);
}

void option_secret_know_env(void)
{
	for (char **at = environ; at != NULL && *at != NULL; at++) {
		const char *equals = strchr(*at, '=');
		if (equals == NULL)
			continue;
		auto_free char *name = pl_strndup(*at, (size_t)(equals - *at));
		if (option_secret_is_name(name))
			pl_redact_add(equals + 1);
		else
			option_secret_know_urls(equals + 1);
	}
}

/* Headers whose values every request has in common. */
static bool is_plain_header(const char *name)
{
	static const char *const names[] = { "accept", "connection", "content",
					     "date",   "host",       "user-agent",
					     "origin", "referer",    "x-request-id" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (strncasecmp(name, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

/* The value without a scheme such as "Bearer ". */
static const char *credentials_of(const char *value)
{
	static const char *const schemes[] = { "Bearer ", "Basic ", "Token ", "Digest ",
					       "ApiKey " };

	for (size_t i = 0; i < PL_ARRAY_SIZE(schemes); i++) {
		if (strncasecmp(value, schemes[i], strlen(schemes[i])) == 0)
			return value + strlen(schemes[i]);
	}
	return value;
}

void option_secret_know_header(const char *header)
{
	const char *equals = header != NULL ? strchr(header, '=') : NULL;

	if (equals == NULL)
		return;
	auto_free char *name = pl_strndup(header, (size_t)(equals - header));
	const char *value = equals + 1;
	if (option_secret_is_name(name))
		pl_redact_add(credentials_of(value));
	else if (!is_plain_header(name) && strlen(value) >= PL_REDACT_OURS)
		pl_redact_add(credentials_of(value));
	option_secret_know_urls(value);
}
