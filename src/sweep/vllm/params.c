#include "sweep/vllm/params.h"

#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "vllm/python_text.h"

#define FILE_BYTES_MAX (64u << 20)
#define NAME_BYTES_MAX (1u << 20)

/* ---- the file ---- */

static int check_item(const json_t *item, const char *source, const char *where, struct pl_err *err)
{
	const json_t *name = json_object_get(item, SWEEP_VLLM_NAME);

	if (!json_is_object(item)) {
		auto_free char *found = pl_json_to_text(item, PL_JSON_PYTHON);
		return pl_err_invalid(err, "%s: %s: found %.60s, expected an object of parameters",
				      source, where, found);
	}
	if (name != NULL && !json_is_string(name))
		return pl_err_invalid(err, "%s: %s: '" SWEEP_VLLM_NAME "': expected a text", source,
				      where);
	return 0;
}

/* {"a": {…}} becomes [{"_benchmark_name": "a", …}] */
static json_t *named_item(const char *name, const json_t *params)
{
	json_t *item = json_pack("{s:s}", SWEEP_VLLM_NAME, name);

	PL_JSON_EACH_MEMBER(key, value, params) {
		if (strcmp(key, SWEEP_VLLM_NAME) != 0)
			json_object_set(item, key, value);
	}
	return item;
}

static int read_object(const json_t *object, const char *source, json_t *items, struct pl_err *err)
{
	PL_JSON_EACH_MEMBER(name, params, object) {
		auto_free char *where = pl_asprintf("'%s'", name);
		if (check_item(params, source, where, err) < 0)
			return -1;
		json_array_append_new(items, named_item(name, params));
	}
	return 0;
}

static int read_list(const json_t *list, const char *source, json_t *items, struct pl_err *err)
{
	PL_JSON_EACH(item, list) {
		auto_free char *where = pl_asprintf("item %zu", item_at + 1);
		if (check_item(item, source, where, err) < 0)
			return -1;
		json_array_append(items, item);
	}
	return 0;
}

int sweep_vllm_params_parse(const char *text, size_t len, const char *source, json_t **ret,
			    struct pl_err *err)
{
	auto_json json_t *items = json_array();
	auto_json json_t *json = NULL;

	if (pl_json_check_memory(text, len, PL_JSON_MEMORY_BYTES_MAX, source, err) < 0 ||
	    pl_json_parse(text, len, source, &json, err) < 0)
		return -1;
	if (!json_is_array(json) && !json_is_object(json))
		return pl_err_invalid(err,
				      "%s: expected a list of objects of parameters, or an object "
				      "of them by name",
				      source);
	int done = json_is_array(json) ? read_list(json, source, items, err)
				       : read_object(json, source, items, err);
	if (done < 0)
		return -1;
	auto_json json_t *known = json_object();
	PL_JSON_EACH(item, items) {
		const char *name = pl_json_get_text(item, SWEEP_VLLM_NAME);
		if (name == NULL)
			continue;
		if (json_object_get(known, name) != NULL)
			return pl_err_invalid(
				err, "%s: duplicate " SWEEP_VLLM_NAME " values found: '%s'", source,
				name);
		json_object_set_new(known, name, json_true());
	}
	if (json_array_size(items) == 0)
		return pl_err_invalid(err, "%s: contains no combination", source);
	*ret = pl_take(items);
	return 0;
}

int sweep_vllm_params_read(const char *path, json_t **ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len;

	if (path == NULL) {
		*ret = json_pack("[{}]");
		return 0;
	}
	if (pl_file_read(path, FILE_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return sweep_vllm_params_parse(text, len, path, ret, err);
}

char *sweep_vllm_name(const json_t *combination)
{
	const char *name = pl_json_get_text(combination, SWEEP_VLLM_NAME);
	auto_buf text = PL_BUF(NAME_BYTES_MAX);

	if (name != NULL)
		return pl_strdup(name);
	PL_JSON_EACH_MEMBER(key, value, combination) {
		pl_buf_addf(&text, "%s%s=", text.len > 0 ? "-" : "", key);
		vllm_python_add(&text, value);
	}
	return pl_strdup(pl_buf_text(&text));
}

bool sweep_vllm_same_key(const char *a, const char *b)
{
	for (; *a != '\0' && (*a == '-' ? '_' : *a) == (*b == '-' ? '_' : *b); a++, b++) {}
	return *a == '\0' && *b == '\0';
}

/* ---- linked combinations ---- */

int sweep_vllm_links_parse(const char *text, json_t **ret, struct pl_err *err)
{
	auto_json json_t *links = json_array();
	auto_free char *copy = pl_strdup(text != NULL ? text : "");

	for (char *rest = copy; *copy != '\0' && rest != NULL;) {
		char *bench = pl_text_trim(strsep(&rest, ","));
		char *serve = strsep(&bench, "=");
		serve = pl_text_trim(serve);
		bench = bench != NULL ? pl_text_trim(bench) : NULL;
		if (bench == NULL || *serve == '\0' || *bench == '\0' || strchr(bench, '=') != NULL)
			return pl_err_invalid(err,
					      "--link-vars: found '%s', expected "
					      "SERVE_KEY=BENCH_KEY, with commas between pairs",
					      text);
		json_array_append_new(links, json_pack("[s, s]", serve, bench));
	}
	*ret = pl_take(links);
	return 0;
}

bool sweep_vllm_linked(const json_t *links, const json_t *serve, const json_t *bench)
{
	PL_JSON_EACH(link, links) {
		const json_t *one = json_object_get(serve,
						    json_string_value(json_array_get(link, 0)));
		const json_t *other = json_object_get(bench,
						      json_string_value(json_array_get(link, 1)));
		if (one == NULL || other == NULL || !vllm_python_equal(one, other))
			return false;
	}
	return true;
}

/* ---- paths of its files ---- */

/* In place, because it never gets longer. Returns its start. */
static char *strip(char *text, char quote)
{
	size_t len = strlen(text);

	while (len > 0 && text[len - 1] == quote)
		text[--len] = '\0';
	while (*text == quote)
		text++;
	return text;
}

char *sweep_vllm_file_name(const char *name)
{
	auto_free char *flat = pl_text_replace(name, "/", "_");
	auto_free char *safe = pl_text_replace(flat, "..", "__");

	return pl_strdup(strip(strip(safe, '\''), '"'));
}

char *sweep_vllm_folder(const char *root, const struct sweep_vllm_part *parts, size_t count)
{
	auto_buf text = PL_BUF(NAME_BYTES_MAX);

	for (size_t i = 0; i < count; i++) {
		if (parts[i].name[0] != '\0')
			pl_buf_addf(&text, "%s%s-%s", text.len > 0 ? "-" : "", parts[i].head,
				    parts[i].name);
	}
	if (text.len == 0)
		return pl_strdup(root);
	auto_free char *name = sweep_vllm_file_name(pl_buf_text(&text));
	return pl_asprintf("%s/%s", root, name);
}
