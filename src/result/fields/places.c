/*
 * Follows the lookup of values.c and writes each path as one text: keys with dots and paths of
 * several keys give the same text, so the split of a path does not matter.
 */
#include "result/fields/places.h"

#include <string.h>

#include "base/text.h"
#include "result/fields/fields_priv.h"

/* A place that is being put together. */
struct place {
	struct pl_buf text;
	/* updated incrementally: hashing each path as a whole would be most of the work */
	uint64_t hash;
};

struct walk {
	res_place_fn *told;
	void *context;
	struct place place;
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
static void add_text(struct place *place, const char *text, size_t len)
{
	size_t room = RES_PLACE_BYTES_MAX - place->text.len;

	if (len > room)
		len = room;
	pl_buf_add(&place->text, text, len);
	place->hash = pl_hash_bytes(place->hash, text, len);
}

/* Appends a dotted path. */
static void add_path(struct place *place, const char *path)
{
	for (const char *at = path;;) {
		size_t len = 0;
		while (at[len] != '.' && at[len] != '\0')
			len++;
		if (!is_passed_through(at, len)) {
			if (place->text.len > 0)
				add_text(place, ".", 1);
			add_text(place, at, len);
		}
		if (at[len] == '\0')
			return;
		at += len + 1;
	}
}

/* Restores the earlier state. */
static void cut(struct place *place, size_t len, uint64_t hash)
{
	place->text.len = len;
	place->hash = hash;
	if (place->text.data != NULL)
		place->text.data[len] = '\0';
}

static void tell(struct walk *walk)
{
	if (walk->place.text.len > 0)
		walk->told(walk->context, pl_buf_text(&walk->place.text), walk->place.hash);
}

static void walk_value(struct walk *walk, const json_t *json)
{
	size_t len = walk->place.text.len;
	uint64_t hash = walk->place.hash;

	PL_JSON_EACH(item, json) {
		if (json_is_object(item) || json_is_array(item))
			walk_value(walk, item);
	}
	PL_JSON_EACH_MEMBER(key, value, json) {
		add_path(&walk->place, key);
		tell(walk);
		if (json_is_object(value) || json_is_array(value))
			walk_value(walk, value);
		cut(&walk->place, len, hash);
	}
}

/* "quality.client_cpu.value": the members of a check are under its id. */
static void walk_checks(struct walk *walk, const json_t *checks)
{
	PL_JSON_EACH(check, checks) {
		const char *id = pl_json_get_text(check, "id");
		if (id == NULL)
			continue;
		PL_JSON_EACH_MEMBER(key, value, check) {
			cut(&walk->place, 0, RES_PLACE_HASH_OF_NONE);
			add_path(&walk->place, RES_FIELD_QUALITY);
			add_path(&walk->place, id);
			add_path(&walk->place, key);
			tell(walk);
		}
	}
	cut(&walk->place, 0, RES_PLACE_HASH_OF_NONE);
}

/* Derived fields, and those recorded under another name, may come from any document. */
static void tell_derived(struct walk *walk)
{
	static const char *const places[] = {
#define DERIVED(key, type, unit, direction, role, text) RES_FIELD_DERIVED "." #key,
#include "tbl/result_fields.h"
		"server.model",
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(places); i++)
		walk->told(walk->context, places[i],
			   pl_hash_bytes(RES_PLACE_HASH_OF_NONE, places[i], strlen(places[i])));
}

void res_places_of(const json_t *document, res_place_fn *told, void *context)
{
	struct walk walk = { .told = told,
			     .context = context,
			     .place = { PL_BUF(RES_PLACE_BYTES_MAX), RES_PLACE_HASH_OF_NONE } };

	walk_checks(&walk, pl_json_get_path(document, "quality.checks"));
	walk_value(&walk, document);
	tell_derived(&walk);
	pl_buf_done(&walk.place.text);
}

static void add_field(struct place *place, const char *id)
{
	const char *below = res_field_below(id, RES_FIELD_FAILURES ".");

	/* for each kind: without failures of a kind its count is 0, and recorded */
	if (below != NULL) {
		add_path(place, RES_FIELD_FAILURES);
		return;
	}
	if ((below = res_field_below(id, RES_FIELD_RUN ".")) != NULL) {
		add_path(place, below);
		return;
	}
	for (const struct res_field_place *at = res_field_places; at->beginning != NULL; at++) {
		if ((below = res_field_below(id, at->beginning)) == NULL)
			continue;
		add_path(place, at->place);
		add_path(place, below);
		return;
	}
	add_path(place, id);
}

void res_place_of_field(const char *id, struct pl_buf *ret)
{
	struct place place = { PL_BUF(RES_PLACE_BYTES_MAX), RES_PLACE_HASH_OF_NONE };

	add_field(&place, id);
	*ret = place.text;
}
