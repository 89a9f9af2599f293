#include "store/prune/rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define VALUE_BYTES_MAX 1000

static const char *const kinds[] = {
#define ARTIFACT(id, name, text) #name,
#include "tbl/states.h"
};

static int read_kind(struct store_prune_rule *rule, const char *value, struct pl_err *err)
{
	const char *nearest = pl_text_nearest(value, kinds, PL_ARRAY_SIZE(kinds));

	if (!PL_TEXT_IS_ONE_OF(value, kinds))
		return pl_err_invalid(err,
				      "kind: found '%.100s', expected a kind of artifacts such as "
				      "trace%s%s%s",
				      value, nearest != NULL ? " (did you mean '" : "",
				      nearest != NULL ? nearest : "", nearest != NULL ? "'?)" : "");
	rule->kind = pl_strdup(value);
	return 0;
}

static int read_age(struct store_prune_rule *rule, const char *value, struct pl_err *err)
{
	if (!pl_text_to_duration_ns(value, &rule->age_ns) || rule->age_ns <= 0)
		return pl_err_invalid(err, "age: found '%.100s', expected a time such as 30d",
				      value);
	return 0;
}

static int read_max_bytes(struct store_prune_rule *rule, const char *value, struct pl_err *err)
{
	if (!pl_text_to_human_int(value, &rule->max_bytes) || rule->max_bytes < 0)
		return pl_err_invalid(
			err, "max_bytes: found '%.100s', expected a size such as 200G", value);
	return 0;
}

static int read_suite(struct store_prune_rule *rule, const char *value, struct pl_err *err)
{
	(void)err;
	rule->suite = pl_strdup(value);
	return 0;
}

static int read_status(struct store_prune_rule *rule, const char *value, struct pl_err *err)
{
	(void)err;
	rule->status = pl_strdup(value);
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct store_prune_rule *rule, const char *value, struct pl_err *err);
} keys[] = {
	{ "age", read_age },   { "suite", read_suite },         { "status", read_status },
	{ "kind", read_kind }, { "max_bytes", read_max_bytes },
};

/* Copies a value up to its end, without backslashes; returns the end, or NULL if it is too long. */
static const char *copy_value(const char *at, char value[VALUE_BYTES_MAX + 1])
{
	size_t len = 0;

	for (; *at != '\0' && *at != ','; at++) {
		if (*at == '\\' && (at[1] == ',' || at[1] == '\\'))
			at++;
		if (len == VALUE_BYTES_MAX)
			return NULL;
		value[len++] = *at;
	}
	value[len] = '\0';
	return at;
}

/* Reads one condition; *at moves to its end. `seen`: bits of the keys so far. */
static int read_condition(struct store_prune_rule *rule, const char **at, unsigned *seen,
			  struct pl_err *err)
{
	char value[VALUE_BYTES_MAX + 1];
	size_t len = strcspn(*at, "=,");

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		if (strlen(keys[i].name) != len || strncmp(keys[i].name, *at, len) != 0)
			continue;
		if ((*seen & 1u << i) != 0)
			return pl_err_invalid(err, "%s: found it twice, expected it once",
					      keys[i].name);
		*seen |= 1u << i;
		const char *end = (*at)[len] == '=' ? copy_value(*at + len + 1, value) : NULL;
		if (end == NULL || value[0] == '\0')
			return pl_err_invalid(err, "%s: expected %s=VALUE of 1 to %d bytes",
					      keys[i].name, keys[i].name, VALUE_BYTES_MAX);
		*at = end;
		return keys[i].read(rule, value, err);
	}
	return pl_err_invalid(err,
			      "found the key '%.*s', expected age, suite, status, kind or "
			      "max_bytes",
			      (int)(len < 100 ? len : 100), *at);
}

static int read_all(struct store_prune_rule *rule, const char *text, struct pl_err *err)
{
	unsigned seen = 0;

	for (const char *at = text;; at++) {
		if (read_condition(rule, &at, &seen, err) < 0)
			return -1;
		if (*at == '\0')
			return 0;
	}
}

int store_prune_rule_parse(const char *text, struct store_prune_rule *ret, struct pl_err *err)
{
	*ret = (struct store_prune_rule){ .text = pl_strdup(text), .max_bytes = -1 };
	if (read_all(ret, text, err) == 0)
		return 0;
	store_prune_rule_done(ret);
	return pl_err_wrap(err, "--rule '%.200s'", text);
}

void store_prune_rule_done(struct store_prune_rule *rule)
{
	free(rule->text);
	free(rule->suite);
	free(rule->status);
	free(rule->kind);
	*rule = (struct store_prune_rule){ .max_bytes = -1 };
}

bool store_prune_rule_is_of_artifacts(const struct store_prune_rule *rule)
{
	return rule->kind != NULL || rule->max_bytes >= 0;
}
