/*
 * Follows the lookup of values.c and writes each path as one text: keys with dots and paths of
 * several keys give the same text, so the split of a path does not matter.
 */
#include "result/fields/paths.h"

#include <string.h>

#include "base/text.h"
#include "result/fields/fields_priv.h"

/* A place that is being put together. */
struct path_text {
	struct pl_buf text;
	/* updated incrementally: hashing each path as a whole would be most of the work */
	uint64_t hash;
};

struct walk {
	res_path_fn *on_path;
	void *context;
	struct path_text path_text;
};

/*
 * Returns whether values.c may read the part as an index of a list; also true for empty parts,
 * which it ignores.
 */
static bool is_passed_through(const char *part, size_t len)
{
	size_t i = 0;

	while (i < len && (part[i] == '+' || part[i] == '-' || (part[i] >= '0' && part[i] <= '9')))
		i++;
	return i == len;
}

/* Appends as much as fits. */
static void add_text(struct path_text *path_text, const char *text, size_t len)
{
	size_t room = RES_PATH_BYTES_MAX - path_text->text.len;

	if (len > room)
		len = room;
	pl_buf_add(&path_text->text, text, len);
	path_text->hash = pl_hash_bytes(path_text->hash, text, len);
}

/* Appends a dotted path. */
static void add_path(struct path_text *path_text, const char *path)
{
	for (const char *at = path;;) {
		size_t len = 0;
		while (at[len] != '.' && at[len] != '\0')
			len++;
		if (!is_passed_through(at, len)) {
			if (path_text->text.len > 0)
				add_text(path_text, ".", 1);
			add_text(path_text, at, len);
		}
		if (at[len] == '\0')
			return;
		at += len + 1;
	}
}

/* Restores the earlier state. */
static void cut(struct path_text *path_text, size_t len, uint64_t hash)
{
	path_text->text.len = len;
	path_text->hash = hash;
	if (path_text->text.data != NULL)
		path_text->text.data[len] = '\0';
}

static void report(struct walk *walk)
{
	if (walk->path_text.text.len > 0)
		walk->on_path(walk->context, pl_buf_text(&walk->path_text.text),
			      walk->path_text.hash);
}

static void walk_value(struct walk *walk, const json_t *json)
{
	size_t len = walk->path_text.text.len;
	uint64_t hash = walk->path_text.hash;

	PL_JSON_EACH(item, json) {
		if (json_is_object(item) || json_is_array(item))
			walk_value(walk, item);
	}
	PL_JSON_EACH_MEMBER(key, value, json) {
		add_path(&walk->path_text, key);
		report(walk);
		if (json_is_object(value) || json_is_array(value))
			walk_value(walk, value);
		cut(&walk->path_text, len, hash);
	}
}

/* Derived fields, and those recorded under another name, may come from any document. */
static void report_derived(struct walk *walk)
{
	static const char *const list_names[] = {
#define DERIVED(key, type, unit, direction, role, text) RES_FIELD_DERIVED "." #key,
#include "tbl/result_fields.h"
		"server.model",
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(list_names); i++)
		walk->on_path(
			walk->context, list_names[i],
			pl_hash_bytes(RES_PATH_HASH_OF_NONE, list_names[i], strlen(list_names[i])));
}

void res_paths_of(const json_t *document, res_path_fn *on_path, void *context)
{
	struct walk walk = { .on_path = on_path,
			     .context = context,
			     .path_text = { PL_BUF(RES_PATH_BYTES_MAX), RES_PATH_HASH_OF_NONE } };

	/* "quality.client_cpu.value": the members of a check are under its id. */
	const json_t *checks = pl_json_get_path(document, "quality.checks");
	PL_JSON_EACH(check, checks) {
		const char *id = pl_json_get_text(check, "id");
		if (id == NULL)
			continue;
		PL_JSON_EACH_MEMBER(key, value, check) {
			cut(&walk.path_text, 0, RES_PATH_HASH_OF_NONE);
			add_path(&walk.path_text, RES_FIELD_QUALITY);
			add_path(&walk.path_text, id);
			add_path(&walk.path_text, key);
			report(&walk);
		}
	}
	cut(&walk.path_text, 0, RES_PATH_HASH_OF_NONE);
	walk_value(&walk, document);
	report_derived(&walk);
	pl_buf_done(&walk.path_text.text);
}

static void add_field(struct path_text *path_text, const char *id)
{
	const char *below = res_field_below(id, RES_FIELD_FAILURES ".");

	/* for each kind: without failures of a kind its count is 0, and recorded */
	if (below != NULL) {
		add_path(path_text, RES_FIELD_FAILURES);
		return;
	}
	if ((below = res_field_below(id, RES_FIELD_RUN ".")) != NULL) {
		add_path(path_text, below);
		return;
	}
	for (const struct res_field_alias *at = res_field_aliases; at->beginning != NULL; at++) {
		if ((below = res_field_below(id, at->beginning)) == NULL)
			continue;
		add_path(path_text, at->path);
		add_path(path_text, below);
		return;
	}
	add_path(path_text, id);
}

void res_path_of_field(const char *id, struct pl_buf *ret)
{
	struct path_text path_text = { PL_BUF(RES_PATH_BYTES_MAX), RES_PATH_HASH_OF_NONE };

	add_field(&path_text, id);
	*ret = path_text.text;
}
