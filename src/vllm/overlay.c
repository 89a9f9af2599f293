#include "vllm/overlay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/arg_json.h"
#include "vllm/server_args.h"

#define ENTRIES_MAX       10000
#define ARENA_BLOCK_BYTES 65536
#define NAME_BYTES_MAX    100

/* The rows that are installed and their texts: as the table itself, there until the end. */
static struct pl_arena *arena;
static struct option_row *rows;
static json_t *names; /* array; NULL: no overlay */

static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	return name != NULL && name[0] != '\0' && strlen(name) <= NAME_BYTES_MAX &&
	       strspn(name, letters) == strlen(name);
}

/* What a plain `--name VALUE` has. */
static struct option_row plain_arg(const char *name, struct pl_arena *into)
{
	auto_free char *flag = pl_asprintf("--%s", name);

	for (char *at = flag; *at != '\0'; at++) {
		if (*at == '_')
			*at = '-';
	}
	return (struct option_row){
		.name = pl_arena_strndup(into, name, strlen(name)),
		.flag = pl_arena_strndup(into, flag, strlen(flag)),
		.group = "Overlay",
		.type = OPTION_STRING,
		.style = OPTION_STYLE_VALUE,
		.nullable = true,
		.default_json = "null",
		.min = -INFINITY,
		.max = INFINITY,
		.help = "",
	};
}

static struct option_row *find_row(struct option_row *table, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	}
	return NULL;
}

static int add_entry(struct option_row *table, size_t *count, const json_t *entry,
		     struct pl_arena *into, struct pl_err *err)
{
	const char *name = json_string_value(json_object_get(entry, "name"));

	if (!is_name(name))
		return pl_err_set(err, PL_ERR_INVALID,
				  "an entry without a name in lower case letters, digits and '_'");
	struct option_row *row = find_row(table, *count, name);
	if (row == NULL) {
		row = &table[*count];
		*row = plain_arg(name, into);
		++*count;
	}
	if (vllm_arg_set_json(row, entry, into, err) < 0)
		return pl_err_wrap(err, "argument '%s'", name);
	return 0;
}

static int check_overlay(const json_t *overlay, struct pl_err *err)
{
	const char *name;
	json_t *value;

	if (json_integer_value(json_object_get(overlay, "profllm_overlay")) != 1 ||
	    !json_is_array(json_object_get(overlay, "args")))
		return pl_err_set(err, PL_ERR_INVALID,
				  "no overlay: found no \"profllm_overlay\": 1 with a list 'args'");
	json_object_foreach((json_t *)overlay, name, value)
	{
		if (strcmp(name, "profllm_overlay") != 0 && strcmp(name, "args") != 0 &&
		    strcmp(name, "made_from") != 0)
			return pl_err_set(err, PL_ERR_INVALID, "unknown key '%s'", name);
	}
	if (json_array_size(json_object_get(overlay, "args")) > ENTRIES_MAX)
		return pl_err_set(err, PL_ERR_INVALID, "more than %d entries", ENTRIES_MAX);
	return 0;
}

static bool has_name(const char *name)
{
	for (size_t i = 0; i < json_array_size(names); i++) {
		if (strcmp(json_string_value(json_array_get(names, i)), name) == 0)
			return true;
	}
	return false;
}

static void keep_names(const json_t *entries)
{
	if (names == NULL)
		names = json_array();
	for (size_t i = 0; i < json_array_size(entries); i++) {
		json_t *name = json_object_get(json_array_get(entries, i), "name");
		if (!has_name(json_string_value(name)))
			json_array_append(names, name);
	}
}

const json_t *vllm_overlay_names(void)
{
	return names;
}

int vllm_overlay_use(const json_t *overlay, const char *source, struct pl_err *err)
{
	if (check_overlay(overlay, err) < 0)
		return pl_err_wrap(err, "overlay '%s'", source);

	const json_t *entries = json_object_get(overlay, "args");
	struct pl_arena *into = arena != NULL ? arena : pl_arena_new(ARENA_BLOCK_BYTES);
	size_t count = vllm_arg_count();
	auto_free struct option_row *table = pl_alloc_array(count + json_array_size(entries),
							    sizeof(*table));
	size_t i;
	json_t *entry;

	arena = into;
	memcpy(table, vllm_arg_at(0), count * sizeof(*table));
	json_array_foreach((json_t *)entries, i, entry)
	{
		if (add_entry(table, &count, entry, into, err) < 0)
			return pl_err_wrap(err, "overlay '%s'", source);
	}
	vllm_args_install(table, count);
	free(rows);
	rows = pl_take(table);
	keep_names(entries);
	return 0;
}

int vllm_overlay_use_file(const char *path, struct pl_err *err)
{
	auto_json json_t *overlay = NULL;

	if (pl_json_read_file(path, &overlay, err) < 0)
		return pl_err_wrap(err, "overlay");
	return vllm_overlay_use(overlay, path, err);
}

void vllm_overlay_drop(void)
{
	vllm_args_install(NULL, 0);
	json_decref(pl_take(names));
	free(rows);
	rows = NULL;
	pl_arena_free(arena);
	arena = NULL;
}
