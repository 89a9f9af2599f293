#include "vllm/catalog.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/row_words.h"
#include "vllm/arg_json.h"

#define NAME_BYTES        128
#define SLOTS_PER_NAME    4 /* few names share a place, so that what is no name is told at once */
#define ENTRIES_MAX       10000
#define ARENA_BLOCK_BYTES 65536
#define NAME_BYTES_MAX    100

#define RELEASE_CURRENT false
#define RELEASE_GONE    true

/* How many rows the keys of JSON arguments are. */
enum {
	FIELD_COUNT = 0
#define FIELD(...) +1
#include "tbl/engine_fields.h"
#undef FIELD
};

static const struct option_row fields[FIELD_COUNT];

/* clang-format off */
static const struct option_row fields[FIELD_COUNT] = {
#define FIELD(type_, arg_, path_, min_, max_, ...)                                                 \
	{ .of = #arg_, .name = path_, .type = OPTION_##type_, .min = min_, .max = max_,              \
	  .lenient = true, .fields = fields, .field_count = FIELD_COUNT, __VA_ARGS__ },
#include "tbl/engine_fields.h"
#undef FIELD
};

static const struct option_row reference_args[] = {
#define ARG(type_, style_, release_, name_, flag_, default_, min_, max_, help_, ...)               \
	{ .name = #name_, .flag = flag_, .group = ARG_GROUP, .type = OPTION_##type_,                 \
	  .style = OPTION_STYLE_##style_, .gone = RELEASE_##release_,                                \
	  .default_json = #default_, .min = min_, .max = max_, .help = help_,                        \
	  .fields = fields, .field_count = FIELD_COUNT, __VA_ARGS__ },
#include "tbl/engine_args.h"
#undef ARG
};
/* clang-format on */

/* A name may be of several kinds; bits. */
enum name_kind {
	NAME = 1,
	LONG_ALIAS = 2,
	NEGATIVE = 4,
};

struct slot {
	const struct option_row *arg; /* NULL: free */
	const char *name;             /* in the row, not ended by '\0' */
	size_t len;
	enum name_kind kind;
};

struct vllm_catalog {
	const struct option_row *args;
	size_t count;
	struct slot *slots; /* all names in one hash table, '-' and '_' alike */
	size_t slot_count;  /* a power of two */
	/* of an overlay */
	struct option_row *own; /* the rows */
	struct pl_arena *arena; /* their texts */
	json_t *overlaid;       /* array of names */
};

static char plain(char c)
{
	return c == '-' ? '_' : c;
}

/* FNV-1a */
static size_t hash_of(const char *name, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)plain(name[i])) * 0x100000001b3u;
	return (size_t)(hash ^ hash >> 32);
}

static bool is_named(const struct slot *slot, const char *name, size_t len)
{
	if (slot->len != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (plain(slot->name[i]) != plain(name[i]))
			return false;
	}
	return true;
}

static void add_name(struct vllm_catalog *catalog, const struct option_row *arg, const char *name,
		     size_t len, enum name_kind kind)
{
	size_t at = hash_of(name, len) & (catalog->slot_count - 1);

	while (catalog->slots[at].arg != NULL)
		at = (at + 1) & (catalog->slot_count - 1);
	catalog->slots[at] = (struct slot){ .arg = arg, .name = name, .len = len, .kind = kind };
}

/* The long ones of flags separated by blanks ("--long -s"); catalog NULL: they are counted. */
static size_t each_long(struct vllm_catalog *catalog, const struct option_row *arg,
			const char *flags, enum name_kind kind)
{
	size_t count = 0;

	while (flags != NULL && *flags != '\0') {
		size_t len = strcspn(flags, " ");
		bool is_long = strspn(flags, "-") == 2;
		if (is_long && catalog != NULL)
			add_name(catalog, arg, flags + 2, len - 2, kind);
		count += is_long;
		flags += len + strspn(flags + len, " ");
	}
	return count;
}

static void build_index(struct vllm_catalog *catalog)
{
	const struct option_row *args = catalog->args;
	size_t names = catalog->count;

	for (size_t i = 0; i < catalog->count; i++)
		names += each_long(NULL, &args[i], args[i].aliases, LONG_ALIAS) +
			 each_long(NULL, &args[i], args[i].negative_flag, NEGATIVE);
	for (catalog->slot_count = SLOTS_PER_NAME; catalog->slot_count < SLOTS_PER_NAME * names;)
		catalog->slot_count *= 2;
	catalog->slots = pl_alloc_array(catalog->slot_count, sizeof(*catalog->slots));
	for (size_t i = 0; i < catalog->count; i++) {
		add_name(catalog, &args[i], args[i].name, strlen(args[i].name), NAME);
		each_long(catalog, &args[i], args[i].aliases, LONG_ALIAS);
		each_long(catalog, &args[i], args[i].negative_flag, NEGATIVE);
	}
}

/* `name` without dashes in front. The lowest of the kinds asked for wins, then the first row. */
static const struct option_row *find(const struct vllm_catalog *catalog, const char *name,
				     unsigned kinds)
{
	size_t len = strlen(name);
	size_t mask = catalog->slot_count - 1;
	const struct slot *found = NULL;

	for (size_t at = hash_of(name, len) & mask; catalog->slots[at].arg != NULL;
	     at = (at + 1) & mask) {
		const struct slot *slot = &catalog->slots[at];
		if ((slot->kind & kinds) != 0 && is_named(slot, name, len) &&
		    (found == NULL || slot->kind < found->kind))
			found = slot;
	}
	return found != NULL ? found->arg : NULL;
}

static struct vllm_catalog reference = { .args = reference_args,
					 .count = PL_ARRAY_SIZE(reference_args) };
static pthread_once_t reference_once = PTHREAD_ONCE_INIT;

static void build_reference(void)
{
	build_index(&reference);
}

const struct vllm_catalog *vllm_catalog_reference(void)
{
	pthread_once(&reference_once, build_reference);
	return &reference;
}

const struct vllm_catalog *vllm_catalog_or_reference(const struct vllm_catalog *catalog)
{
	return catalog != NULL ? catalog : vllm_catalog_reference();
}

size_t vllm_arg_count(const struct vllm_catalog *catalog)
{
	return catalog->count;
}

const struct option_row *vllm_arg_at(const struct vllm_catalog *catalog, size_t i)
{
	return &catalog->args[i];
}

size_t vllm_field_count(void)
{
	return PL_ARRAY_SIZE(fields);
}

const struct option_row *vllm_field_at(size_t i)
{
	return &fields[i];
}

/* snake_case of a name in either spelling; false when it is too long to be one of ours. */
static bool snake_name(const char *name, char snake[NAME_BYTES])
{
	size_t len = strlen(name);

	if (len >= NAME_BYTES)
		return false;
	for (size_t i = 0; i <= len; i++)
		snake[i] = name[i] == '-' ? '_' : name[i];
	return true;
}

/* Is `snake` one of the flags ("--long -s") in `flags`, dashes in front left out? */
static bool has_alias(const char *flags, const char *snake, bool short_too)
{
	while (flags != NULL && *flags != '\0') {
		size_t len = strcspn(flags, " ");
		size_t dashes = strspn(flags, "-");
		bool same = len - dashes == strlen(snake) && (dashes == 2 || short_too);
		for (size_t i = dashes; same && i < len; i++)
			same = (flags[i] == '-' ? '_' : flags[i]) == snake[i - dashes];
		if (same)
			return true;
		flags += len + strspn(flags + len, " ");
	}
	return false;
}

const struct option_row *vllm_arg_find(const struct vllm_catalog *catalog, const char *name)
{
	return find(catalog, name, NAME | LONG_ALIAS);
}

const struct option_row *vllm_arg_find_negative(const struct vllm_catalog *catalog,
						const char *name)
{
	return find(catalog, name, NEGATIVE);
}

const char *vllm_arg_nearest(const struct vllm_catalog *catalog, const char *name)
{
	auto_free const char **names = pl_alloc_array(catalog->count, sizeof(*names));
	char snake[NAME_BYTES];

	if (!snake_name(name, snake))
		return NULL;
	for (size_t i = 0; i < catalog->count; i++) {
		names[i] = catalog->args[i].name;
		if (has_alias(catalog->args[i].aliases, snake, true))
			return catalog->args[i].name;
	}
	return pl_text_nearest(snake, names, catalog->count);
}

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

static bool has_name(const json_t *names, const char *name)
{
	for (size_t i = 0; i < json_array_size(names); i++) {
		if (strcmp(json_string_value(json_array_get(names, i)), name) == 0)
			return true;
	}
	return false;
}

static void keep_names(json_t *names, const json_t *entries)
{
	for (size_t i = 0; i < json_array_size(entries); i++) {
		json_t *name = json_object_get(json_array_get(entries, i), "name");
		if (!has_name(names, json_string_value(name)))
			json_array_append(names, name);
	}
}

void vllm_catalog_free(const struct vllm_catalog *catalog)
{
	if (catalog == NULL || catalog == &reference)
		return;
	free(catalog->slots);
	free(catalog->own);
	pl_arena_free(catalog->arena);
	json_decref(catalog->overlaid);
	free((void *)catalog);
}

const json_t *vllm_catalog_overlaid(const struct vllm_catalog *catalog)
{
	return catalog->overlaid;
}

int vllm_catalog_overlay(const struct vllm_catalog *base, const json_t *overlay, const char *source,
			 const struct vllm_catalog **ret, struct pl_err *err)
{
	if (check_overlay(overlay, err) < 0)
		return pl_err_wrap(err, "overlay '%s'", source);

	const json_t *entries = json_object_get(overlay, "args");
	struct vllm_catalog *catalog = pl_alloc(sizeof(*catalog));
	auto_catalog const struct vllm_catalog *owned = catalog;
	size_t i;
	json_t *entry;

	catalog->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	catalog->overlaid = base->overlaid != NULL ? json_copy(base->overlaid) : json_array();
	catalog->count = base->count;
	catalog->own = pl_alloc_array(catalog->count + json_array_size(entries),
				      sizeof(*catalog->own));
	catalog->args = catalog->own;
	memcpy(catalog->own, base->args, base->count * sizeof(*catalog->own));
	json_array_foreach((json_t *)entries, i, entry)
	{
		if (add_entry(catalog->own, &catalog->count, entry, catalog->arena, err) < 0)
			return pl_err_wrap(err, "overlay '%s'", source);
	}
	build_index(catalog);
	keep_names(catalog->overlaid, entries);
	*ret = pl_take(owned);
	return 0;
}

int vllm_catalog_overlay_file(const struct vllm_catalog *base, const char *path,
			      const struct vllm_catalog **ret, struct pl_err *err)
{
	auto_json json_t *overlay = NULL;

	if (pl_json_read_file(path, &overlay, err) < 0)
		return pl_err_wrap(err, "overlay");
	return vllm_catalog_overlay(base, overlay, path, ret, err);
}
