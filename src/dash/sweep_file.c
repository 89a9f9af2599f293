#include "dash/sweep_file.h"

#include <string.h>

#include "base/text.h"
#include "vllm/yaml_out.h"

#define KEYS_BYTES_MAX (1u << 20)

/* Statuses that are not failures. */
static const char *const fine[] = { "completed", "partial",      "missing",
				    "skipped",   "not_uploaded", "running" };

static bool is_wanted(const json_t *run, const json_t *kinds)
{
	const char *status = pl_json_get_text(run, "status");
	bool is_failed = status != NULL && !PL_TEXT_IS_ONE_OF(status, fine);

	if (status == NULL || pl_json_get_true(run, "removed") ||
	    !json_is_object(json_object_get(run, "parameters")))
		return false;
	PL_JSON_EACH(kind, kinds) {
		const char *wanted = json_string_value(kind);
		if (strcmp(wanted, status) == 0 || (is_failed && strcmp(wanted, "failed") == 0))
			return true;
	}
	return false;
}

/*
 * Returns the group of points with the same set and the same keys: named after the set, with a number from the second
 * group on.
 */
static json_t *group_of(json_t *groups, const json_t *run)
{
	const char *set = pl_json_get_text(run, "set");
	auto_buf keys = PL_BUF(KEYS_BYTES_MAX);

	PL_JSON_EACH_MEMBER(key, value, json_object_get(run, "parameters"))
		pl_buf_addf(&keys, "%s\n", key);
	for (size_t number = 1;; number++) {
		auto_free char *name = number == 1
					       ? pl_strdup(set != NULL ? set : "")
					       : pl_asprintf("%s-%zu", set != NULL ? set : "points",
							     number);
		json_t *group = json_object_get(groups, name);
		if (group == NULL) {
			group = json_pack("{s:s, s:[]}", "keys", pl_buf_text(&keys), "points");
			json_object_set_new(groups, name, group);
		}
		if (pl_text_equal(pl_json_get_text(group, "keys"), pl_buf_text(&keys)))
			return json_object_get(group, "points");
	}
}

static void add_points(struct pl_buf *buf, const json_t *points, int indent)
{
	pl_buf_addf(buf, "%*spoints:\n", indent, "");
	PL_JSON_EACH(point, points) {
		pl_buf_addf(buf, "%*s- ", indent + 2, "");
		vllm_yaml_add_inline(buf, point);
		pl_buf_add_char(buf, '\n');
	}
}

/* Adds user text to a comment, in one line. */
static void add_comment_text(struct pl_buf *buf, const char *text)
{
	for (const char *at = text; *at != '\0'; at++)
		pl_buf_add_char(buf, (unsigned char)*at < 0x20 || *at == 0x7f ? ' ' : *at);
}

static void add_head(struct pl_buf *buf, const json_t *sweep, const json_t *kinds, size_t count)
{
	const json_t *redacted = json_object_get(sweep, "redacted");
	const char *name = pl_json_get_text(sweep, "name");

	pl_buf_add_text(buf, "# From sweep ");
	add_comment_text(buf, name != NULL ? name : "");
	pl_buf_addf(buf, " (%s): %zu combination%s that ", pl_json_get_text(sweep, "id"), count,
		    count == 1 ? "" : "s");
	PL_JSON_EACH(kind, kinds)
		pl_buf_addf(buf, "%s%s", kind_at > 0 ? " or " : "",
			    strcmp(json_string_value(kind), "failed") == 0    ? "failed"
			    : strcmp(json_string_value(kind), "missing") == 0 ? "have no result"
									      : "are partial");
	pl_buf_add_text(buf, ".\n#\n#   profllm sweep run -o DIR THIS_FILE\n");
	if (json_array_size(redacted) > 0)
		pl_buf_add_text(buf, "#\n# Secrets are not stored; set these again:");
	PL_JSON_EACH(key, redacted) {
		pl_buf_add_text(buf, key_at > 0 ? ", " : " ");
		add_comment_text(buf, json_string_value(key));
	}
	pl_buf_add_text(buf, json_array_size(redacted) > 0 ? "\n" : "");
}

size_t dash_sweep_file(const json_t *sweep, const json_t *kinds, struct pl_buf *ret)
{
	auto_json json_t *groups = json_object();
	auto_json json_t *taken = json_object();
	PL_JSON_EACH(run, json_object_get(sweep, "runs")) {
		const char *cell = pl_json_get_text(run, "combination");
		if (cell == NULL || !is_wanted(run, kinds) || json_object_get(taken, cell) != NULL)
			continue;
		json_object_set_new(taken, cell, json_true());
		json_array_append(group_of(groups, run), json_object_get(run, "parameters"));
	}
	size_t count = json_object_size(taken);
	bool is_one = json_object_size(groups) == 1 && json_object_get(groups, "") != NULL;

	if (count == 0)
		return 0;
	add_head(ret, sweep, kinds, count);
	vllm_yaml_add_members(ret, json_object_get(sweep, "experiment"), 0);
	pl_buf_add_text(ret, is_one ? "sweep:\n" : "sweep:\n  sets:\n");
	PL_JSON_EACH_MEMBER(name, group, groups) {
		if (!is_one) {
			auto_json json_t *key = json_string(name[0] != '\0' ? name : "points");
			pl_buf_add_text(ret, "    ");
			vllm_yaml_add_inline(ret, key);
			pl_buf_add_text(ret, ":\n");
		}
		add_points(ret, json_object_get(group, "points"), is_one ? 2 : 6);
	}
	return count;
}
