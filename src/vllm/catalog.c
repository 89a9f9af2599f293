/*
 * Catalogues: the rows of a release with its overlays, and one hash table of all their names.
 *
 *   the reference, made once, never freed  -> next: an older release -> next: another …
 *   a caller's, with overlays              -> next: the same overlays on an older release …
 *
 * Catalogues of other releases are linked from their reference and freed with it, never earlier:
 * the result of vllm_catalog_release() is read without the lock. A published catalogue is
 * immutable; another overlay makes a new one.
 */
#include "vllm/catalog.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/arg_json.h"
#include "vllm/catalog_priv.h"
#include "vllm/history.h"
#include "vllm/overlay_sense.h"

#define NAME_BYTES        128
#define SLOTS_PER_NAME    4 /* few collisions, so that unknown names are detected quickly */
#define ENTRIES_MAX       10000
#define ARENA_BLOCK_BYTES 65536
#define NAME_BYTES_MAX    100

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
	struct option_row *args;
	size_t count;
	struct slot *slots;     /* all names in one hash table, '-' and '_' alike */
	size_t slot_count;      /* a power of two */
	struct pl_arena *arena; /* owns what the rows point to */
	json_t *overlays;       /* array of the overlays, each an array of entries */
	json_t *overlaid;       /* array of names; NULL: no overlays */

	bool is_reference;
	struct vllm_catalog *next; /* the same overlays for another release; made on first use */
	size_t release;            /* index + 1 of that release in vllm_release_at() */
	pthread_mutex_t lock;      /* guards `next`, in the reference's catalogue */
};

/* vLLM's parser takes either in a flag. */
static char plain(char c)
{
	return c == '-' ? '_' : c;
}

/* FNV-1a, as the names are compared: '-' and '_' are one. */
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

/*
 * `name` has no leading dashes. The first of the requested kinds takes precedence, then the first
 * row. A name of one argument may be an alias of another.
 */
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

static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	return name != NULL && name[0] != '\0' && strlen(name) <= NAME_BYTES_MAX &&
	       strspn(name, letters) == strlen(name);
}

/* Returns the row of a plain `--name VALUE`. */
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

/*
 * Returns whether the release lacks an entry's argument, according to the entry. `release` NULL:
 * the reference. Without `since` it always existed; without `removed_in` it was never removed.
 */
static bool is_absent(const struct option_row *row, const struct vllm_version *release)
{
	bool known;

	if (release == NULL)
		return row->gone;
	return vllm_release_compare(release, row->since, &known) < 0 ||
	       (vllm_release_compare(release, row->removed_in, &known) >= 0 && known);
}

/* An entry without releases leaves the row's releases unchanged: it changes only its keys. */
static int add_entry(struct vllm_catalog *catalog, const json_t *entry,
		     const struct vllm_version *release, struct pl_err *err)
{
	const char *name = pl_json_get_text(entry, "name");

	if (!is_name(name))
		return pl_err_invalid(
			err, "an entry without a name in lower case letters, digits and '_'");
	struct option_row *row = find_row(catalog->args, catalog->count, name);
	if (row == NULL) {
		row = &catalog->args[catalog->count++];
		*row = plain_arg(name, catalog->arena);
	}
	if (vllm_arg_set_json(row, entry, catalog->arena, err) < 0)
		return pl_err_wrap(err, "argument '%s'", name);
	if (json_object_get(entry, release == NULL ? "in_reference" : "since") != NULL)
		row->absent = is_absent(row, release);
	return 0;
}

/*
 * `release` NULL: the reference's. Takes the reference to `overlays`. *ret is set even on failure,
 * and the caller frees it.
 */
static int make(const struct vllm_version *release, json_t *overlays, struct vllm_catalog **ret,
		struct pl_err *err)
{
	struct vllm_catalog *catalog = pl_alloc(sizeof(*catalog));
	size_t most = vllm_rows_arg_count();

	catalog->overlays = overlays;
	PL_JSON_EACH(entries, overlays)
		most += json_array_size(entries);
	catalog->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	catalog->args = pl_alloc_array(most, sizeof(*catalog->args));
	catalog->count = vllm_rows_arg_count();
	pthread_mutex_init(&catalog->lock, NULL);
	*ret = catalog;
	vllm_rows_make(release, catalog->args, catalog->arena);
	PL_JSON_EACH(entries, catalog->overlays) {
		PL_JSON_EACH(entry, entries) {
			if (add_entry(catalog, entry, release, err) < 0)
				return -1;
		}
	}
	/* Counted first, so that the table never grows: slots hold pointers into the rows. */
	const struct option_row *args = catalog->args;
	size_t names = catalog->count;
	for (size_t i = 0; i < catalog->count; i++)
		names += each_long(NULL, &args[i], args[i].aliases, LONG_ALIAS) +
			 each_long(NULL, &args[i], args[i].negative_flag, NEGATIVE) +
			 each_long(NULL, &args[i], args[i].negative_aliases, NEGATIVE);
	for (catalog->slot_count = SLOTS_PER_NAME; catalog->slot_count < SLOTS_PER_NAME * names;)
		catalog->slot_count *= 2;
	catalog->slots = pl_alloc_array(catalog->slot_count, sizeof(*catalog->slots));
	for (size_t i = 0; i < catalog->count; i++) {
		add_name(catalog, &args[i], args[i].name, strlen(args[i].name), NAME);
		each_long(catalog, &args[i], args[i].aliases, LONG_ALIAS);
		each_long(catalog, &args[i], args[i].negative_flag, NEGATIVE);
		each_long(catalog, &args[i], args[i].negative_aliases, NEGATIVE);
	}
	return 0;
}

static struct vllm_catalog *reference;
static pthread_once_t reference_once = PTHREAD_ONCE_INIT;

static void build_reference(void)
{
	int rc = make(NULL, json_array(), &reference, PL_ERR_IGNORED);
	assert(rc == 0);
	(void)rc;
	reference->is_reference = true;
}

const struct vllm_catalog *vllm_catalog_reference(void)
{
	pthread_once(&reference_once, build_reference);
	return reference;
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

/* Converts a name in either spelling to snake_case; false if it is too long. */
static bool snake_name(const char *name, char snake[NAME_BYTES])
{
	size_t len = strlen(name);

	if (len >= NAME_BYTES)
		return false;
	for (size_t i = 0; i <= len; i++)
		snake[i] = name[i] == '-' ? '_' : name[i];
	return true;
}

/* Returns whether `snake` is one of the flags ("--long -s") in `flags`, without leading dashes. */
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

const struct option_row *vllm_arg_read_name(const struct vllm_catalog *catalog, const char *name,
					    bool *ret_negative)
{
	const struct option_row *arg = vllm_arg_find(catalog, name);
	const struct option_row *negative = arg == NULL || arg->absent
						    ? vllm_arg_find_negative(catalog, name)
						    : NULL;

	*ret_negative = negative != NULL && (arg == NULL || !negative->absent);
	return *ret_negative ? negative : arg;
}

/* A row that the release has, or lacks, by a short alias or by the nearest name; NULL. */
static const char *nearest_name(const struct vllm_catalog *catalog, const char *snake, bool absent)
{
	struct pl_nearest nearest = { .name = snake };

	for (size_t i = 0; i < catalog->count; i++) {
		const struct option_row *arg = &catalog->args[i];
		if (arg->absent != absent)
			continue;
		if (has_alias(arg->aliases, snake, true))
			return arg->name;
		pl_nearest_try(&nearest, arg->name);
	}
	return nearest.found;
}

/* Prefers arguments that the release has: the name of a removed one would not help. */
const char *vllm_arg_nearest(const struct vllm_catalog *catalog, const char *name)
{
	char snake[NAME_BYTES];

	if (!snake_name(name, snake))
		return NULL;
	const char *nearest = nearest_name(catalog, snake, false);
	return nearest != NULL ? nearest : nearest_name(catalog, snake, true);
}

static int check_overlay(const json_t *overlay, struct pl_err *err)
{
	if (pl_json_get_i64(overlay, "profllm_overlay") != 1 ||
	    !json_is_array(json_object_get(overlay, "args")))
		return pl_err_invalid(
			err, "not an overlay: expected \"profllm_overlay\": 1 and a list 'args'");
	PL_JSON_EACH_MEMBER(name, value, overlay) {
		if (strcmp(name, "profllm_overlay") != 0 && strcmp(name, "args") != 0 &&
		    strcmp(name, "made_from") != 0)
			return pl_err_invalid(err, "unknown key '%s'", name);
	}
	if (json_array_size(json_object_get(overlay, "args")) > ENTRIES_MAX)
		return pl_err_invalid(err, "more than %d entries", ENTRIES_MAX);
	return 0;
}

/* Does nothing for catalogues linked from another, and for the process's own. */
void vllm_catalog_free(const struct vllm_catalog *catalog)
{
	if (catalog == NULL || catalog == reference || !catalog->is_reference)
		return;
	for (struct vllm_catalog *at = (struct vllm_catalog *)catalog, *next; at != NULL;
	     at = next) {
		next = at->next;
		free(at->slots);
		free(at->args);
		pl_arena_free(at->arena);
		json_decref(at->overlays);
		json_decref(at->overlaid);
		pthread_mutex_destroy(&at->lock);
		free(at);
	}
}

const json_t *vllm_catalog_overlaid(const struct vllm_catalog *catalog)
{
	return catalog->overlaid;
}

bool vllm_catalog_is_reference(const struct vllm_catalog *catalog)
{
	return catalog->is_reference;
}

/* A catalog after the last release that was read is of a newer one, which may have more keys. */
bool vllm_catalog_knows_keys(const struct vllm_catalog *catalog)
{
	struct vllm_version release;
	bool known;

	if (catalog->is_reference)
		return true;
	return catalog->release < vllm_release_count() &&
	       vllm_version_parse(vllm_release_at(catalog->release - 1), &release,
				  PL_ERR_IGNORED) == 0 &&
	       vllm_release_compare(&release, VLLM_FIRST_REFERENCE, &known) >= 0;
}

/* The rows of the entries, as they are in the finished catalog. */
static int check_senses(const struct vllm_catalog *base, const struct vllm_catalog *catalog,
			const json_t *overlay, const char *path, struct pl_err *err)
{
	bool generated = json_object_get(overlay, "made_from") != NULL;

	PL_JSON_EACH(entry, json_object_get(overlay, "args")) {
		const char *name = pl_json_get_text(entry, "name");
		const struct option_row *row = find_row(catalog->args, catalog->count, name);
		const struct option_row *before = find_row(base->args, base->count, name);
		if (vllm_overlay_sense(row, before, generated, path, err) < 0)
			return -1;
	}
	return 0;
}

/* `path` NULL: no file. */
static int lay_over(const struct vllm_catalog *base, const json_t *overlay, const char *source,
		    const char *path, const struct vllm_catalog **ret, struct pl_err *err)
{
	if (check_overlay(overlay, err) < 0)
		return pl_err_wrap(err, "overlay '%s'", source);

	json_t *entries = json_object_get(overlay, "args");
	json_t *overlays = json_copy(base->overlays);
	struct vllm_catalog *catalog;

	json_array_append(overlays, entries);
	int rc = make(NULL, overlays, &catalog, err);
	/* vllm_catalog_free() ignores all others */
	catalog->is_reference = true;
	auto_catalog const struct vllm_catalog *owned = catalog;
	if (rc < 0 || check_senses(base, catalog, overlay, path, err) < 0)
		return pl_err_wrap(err, "overlay '%s'", source);
	catalog->overlaid = base->overlaid != NULL ? json_copy(base->overlaid) : json_array();
	PL_JSON_EACH(entry, entries) {
		json_t *name = json_object_get(entry, "name");
		if (!pl_json_has(catalog->overlaid, name))
			json_array_append(catalog->overlaid, name);
	}
	*ret = pl_take(owned);
	return 0;
}

int vllm_catalog_overlay(const struct vllm_catalog *base, const json_t *overlay, const char *source,
			 const struct vllm_catalog **ret, struct pl_err *err)
{
	return lay_over(base, overlay, source, NULL, ret, err);
}

/* ---- other releases ----------------------------------------------------------------------- */

/* Returns the number of releases with data up to this one; the last of them provides its data. */
static size_t release_number(const struct vllm_version *release)
{
	size_t number = vllm_release_count();
	bool known;

	while (number > 1 && vllm_release_compare(release, vllm_release_at(number - 1), &known) < 0)
		number--;
	return number;
}

static struct vllm_catalog *find_release(struct vllm_catalog *first, size_t number)
{
	while (first != NULL && (first->is_reference || first->release != number))
		first = first->next;
	return first;
}

/* A newer one has the reference's rows, as far as anybody knows. Overlays were checked when the
 * reference was made, so that it cannot fail. */
static struct vllm_catalog *make_release(const struct vllm_catalog *base, size_t number)
{
	struct vllm_version release;
	struct vllm_catalog *catalog;
	bool is_older = number < vllm_release_count();

	/* both were read before */
	int rc = vllm_version_parse(vllm_release_at(number - 1), &release, PL_ERR_IGNORED);
	rc |= make(is_older ? &release : NULL, json_incref(base->overlays), &catalog,
		   PL_ERR_IGNORED);
	assert(rc == 0);
	(void)rc;
	catalog->overlaid = json_incref(base->overlaid);
	catalog->release = number;
	return catalog;
}

const struct vllm_catalog *vllm_catalog_release(const struct vllm_catalog *catalog,
						const char *release)
{
	struct vllm_catalog *base = (struct vllm_catalog *)catalog;
	struct vllm_version version;
	bool known;

	assert(catalog->is_reference);
	if (release == NULL || vllm_version_parse(release, &version, PL_ERR_IGNORED) < 0 ||
	    vllm_version_is_untagged(&version) ||
	    vllm_release_compare(&version, VLLM_REFERENCE_RELEASE, &known) == 0)
		return catalog;
	size_t number = release_number(&version);
	pthread_mutex_lock(&base->lock);
	struct vllm_catalog *found = find_release(base->next, number);
	if (found == NULL) {
		found = make_release(base, number);
		found->next = base->next;
		base->next = found;
	}
	pthread_mutex_unlock(&base->lock);
	return found;
}

int vllm_catalog_overlay_file(const struct vllm_catalog *base, const char *path,
			      const struct vllm_catalog **ret, struct pl_err *err)
{
	auto_json json_t *overlay = NULL;

	if (pl_json_read_file(path, &overlay, err) < 0)
		return pl_err_wrap(err, "overlay");
	return lay_over(base, overlay, path, path, ret, err);
}
