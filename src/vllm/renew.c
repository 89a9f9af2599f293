/*
 * Converts a configuration to the form of a release: each setting that it lacks is replaced by the
 * result of vllm/replaced.h, in the typed values and in the objects as written, so that both stay
 * equivalent.
 */
#include "vllm/renew.h"

#include <string.h>

#include "base/mem.h"

struct renewal {
	struct vllm_replacing replacing;
	json_t *values;
	json_t *given; /* or NULL */
	json_t *changes;
};

/* Returns the object that contains the last part of a path, and that part; NULL: missing. */
static json_t *holder_of(json_t *root, const char *path, const char **ret_last)
{
	const char *dot = strrchr(path, '.');
	auto_free char *before = dot != NULL ? pl_strndup(path, (size_t)(dot - path)) : NULL;

	*ret_last = dot != NULL ? dot + 1 : path;
	return before != NULL ? pl_json_get_path(root, before) : root;
}

/* Takes the path out, and the objects that are empty without it. */
static void remove_path(json_t *root, const char *path)
{
	auto_free char *rest = pl_strdup(path);

	while (rest[0] != '\0') {
		const char *last;
		json_t *holder = holder_of(root, rest, &last);
		char *dot = strrchr(rest, '.');
		json_object_del(holder, last);
		if (json_object_size(holder) > 0 || dot == NULL)
			return;
		*dot = '\0';
	}
}

static void set_path(json_t *root, const char *path, const json_t *value)
{
	auto_free char *copy = pl_strdup(path);
	char *rest = copy;

	for (char *name = strsep(&rest, "."); rest != NULL; name = strsep(&rest, ".")) {
		json_t *inner = json_object_get(root, name);
		if (!json_is_object(inner)) {
			inner = json_object();
			json_object_set_new(root, name, inner);
		}
		root = inner;
	}
	const char *dot = strrchr(path, '.');
	json_object_set_new(root, dot != NULL ? dot + 1 : path, json_deep_copy(value));
}

/* Returns whether it can be written: all of it is known, and it overwrites no other value. */
static bool is_writable(const struct renewal *renewal, const char *key, const json_t *by)
{
	PL_JSON_EACH(setting, by) {
		const json_t *value = json_object_get(setting, "value");
		const json_t *there = pl_json_get_path(renewal->values,
						       pl_json_get_text(setting, "key"));
		if (value == NULL)
			return false;
		if (there != NULL && strcmp(pl_json_get_text(setting, "key"), key) != 0 &&
		    !json_equal(there, value))
			return false;
	}
	return true;
}

static void write_setting(struct renewal *renewal, const json_t *setting)
{
	const char *key = pl_json_get_text(setting, "key");
	auto_free char *argument = pl_strndup(key, strcspn(key, "."));
	const json_t *value = json_object_get(setting, "value");

	set_path(renewal->values, key, value);
	if (json_object_get(renewal->given, argument) != NULL)
		set_path(renewal->given, key, value);
}

/* False: it stays as it is. */
static bool renew_setting(struct renewal *renewal, const char *key, const json_t *value)
{
	auto_json json_t *by = vllm_replaced_by(&renewal->replacing, key, value);

	if (by == NULL || !is_writable(renewal, key, by))
		return false;
	json_array_append_new(renewal->changes,
			      json_pack("{s:s, s:o, s:O}", "key", key, "value",
					json_deep_copy(value), "replaced_by", by));
	remove_path(renewal->values, key);
	if (renewal->given != NULL)
		remove_path(renewal->given, key);
	PL_JSON_EACH(setting, by)
		write_setting(renewal, setting);
	return true;
}

/* Converts the argument if it was removed, rejected or renamed, otherwise its members. */
static void renew(struct renewal *renewal, const char *key, const json_t *value)
{
	auto_json json_t *members = json_is_object(value) ? json_copy((json_t *)value) : NULL;
	bool is_old = vllm_presence(key, renewal->replacing.release) == VLLM_GONE ||
		      !vllm_is_taken(renewal->replacing.catalog, key, value) ||
		      vllm_is_old_name(&renewal->replacing, key, value);

	if (json_is_null(value))
		return;
	/* a bare level */
	if (json_is_integer(value) && strcmp(key, "compilation_config") == 0) {
		(void)renew_setting(renewal, "compilation_config.level", value);
		return;
	}
	if (is_old) {
		(void)renew_setting(renewal, key, value);
		return;
	}
	PL_JSON_EACH_MEMBER(name, member, members) {
		auto_free char *inner = pl_asprintf("%s.%s", key, name);
		renew(renewal, inner, member);
	}
}

json_t *vllm_renew(const struct vllm_replacing *replacing, json_t *values, json_t *given)
{
	struct renewal renewal = { *replacing, values, given, json_array() };
	auto_json json_t *before = json_copy(values);

	renewal.replacing.values = values;
	PL_JSON_EACH_MEMBER(name, value, before)
		renew(&renewal, name, value);
	return renewal.changes;
}
