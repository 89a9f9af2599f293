#include "run/hide.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "vllm/secret.h"

/* A shorter text may stand for itself anywhere in a log, and hides nothing. */
#define SECRET_BYTES_MIN 4
#define TEXT_BYTES_MAX   (1u << 20)

static void add(json_t *secrets, const char *text)
{
	if (text != NULL && strlen(text) >= SECRET_BYTES_MIN &&
	    !pl_text_equal(text, VLLM_SECRET_SHOWN))
		json_array_append_new(secrets, json_string_nocheck(text));
}

/* What "***" stands for in `shown`, as the password of a URL. */
static void add_part(json_t *secrets, const char *text, const char *shown)
{
	const char *first = shown != NULL && text != NULL ? strstr(shown, VLLM_SECRET_SHOWN) : NULL;
	const char *last = first;

	if (first == NULL || strcmp(text, shown) == 0)
		return;
	for (const char *at = first; at != NULL; at = strstr(at + 1, VLLM_SECRET_SHOWN))
		last = at;
	size_t before = (size_t)(first - shown);
	size_t behind = strlen(last) - strlen(VLLM_SECRET_SHOWN);
	if (strlen(text) < before + behind)
		return;
	auto_free char *part = pl_strndup(text + before, strlen(text) - before - behind);
	add(secrets, part);
}

/* What stands hidden in `shown`, which has the form of `value` but where a whole part is hidden. */
static void collect(const json_t *value, const json_t *shown, bool hidden, json_t *secrets)
{
	const char *key;
	size_t i;
	json_t *part;

	hidden = hidden || pl_text_equal(json_string_value(shown), VLLM_SECRET_SHOWN);
	if (hidden && json_is_string(value))
		add(secrets, json_string_value(value));
	else if (json_is_string(value))
		add_part(secrets, json_string_value(value), json_string_value(shown));
	json_object_foreach((json_t *)value, key, part)
		collect(part, json_object_get(shown, key), hidden, secrets);
	json_array_foreach(value, i, part) collect(part, json_array_get(shown, i), hidden, secrets);
}

static void collect_inherited(json_t *secrets)
{
	for (char **at = environ; at != NULL && *at != NULL; at++) {
		const char *equals = strchr(*at, '=');
		if (equals == NULL)
			continue;
		auto_free char *name = pl_strndup(*at, (size_t)(equals - *at));
		auto_free char *shown = vllm_secret_urls_shown(equals + 1);
		if (vllm_variable_is_secret(name))
			add(secrets, equals + 1);
		else
			add_part(secrets, equals + 1, shown);
	}
}

json_t *run_hide_secrets(const struct run_launch *launch)
{
	json_t *secrets = json_array();
	size_t i;
	json_t *name;

	json_array_foreach(launch->secret_env, i, name) add(
		secrets, json_string_value(json_object_get(launch->env, json_string_value(name))));
	auto_json json_t *shown = vllm_secret_json_shown(launch->values);
	auto_json json_t *env = vllm_secret_json_shown(launch->env);
	collect(launch->values, shown, false, secrets);
	collect(launch->env, env, false, secrets);
	add(secrets, launch->bearer);
	collect_inherited(secrets);
	return secrets;
}

static json_t *hide_text(const char *text, const json_t *secrets)
{
	auto_free char *now = pl_strdup(text);
	size_t i;
	json_t *item;

	json_array_foreach(secrets, i, item)
	{
		const char *secret = json_string_value(item), *at = now, *found;
		auto_buf buf = { 0 };
		if (strstr(now, secret) == NULL)
			continue;
		pl_buf_init(&buf, TEXT_BYTES_MAX);
		for (; (found = strstr(at, secret)) != NULL; at = found + strlen(secret)) {
			pl_buf_add(&buf, at, (size_t)(found - at));
			pl_buf_add_text(&buf, VLLM_SECRET_SHOWN);
		}
		pl_buf_add_text(&buf, at);
		free(now);
		now = pl_buf_take(&buf);
	}
	return json_string(now);
}

json_t *run_hide(const json_t *value, const json_t *secrets)
{
	json_t *texts;
	size_t i;
	json_t *item;

	if (json_is_string(value))
		return hide_text(json_string_value(value), secrets);
	if (!json_is_array(value))
		return json_incref((json_t *)value);
	texts = json_array();
	json_array_foreach(value, i, item) json_array_append_new(texts, run_hide(item, secrets));
	return texts;
}
