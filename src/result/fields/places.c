/*
 * As value.c looks for fields, each of its ways put into one text: keys with dots in them and paths of
 * several keys are the same text, so that it does not matter how a path is cut.
 */
#include "result/fields/places.h"

#include <string.h>

#include "base/text.h"
#include "result/fields/fields_priv.h"

struct walk {
	res_place_fn *told;
	void *context;
	struct pl_buf place;
};

/* What value.c may take for the place in a list, and empty parts, which it does not mind. */
static bool is_passed_through(const char *part, size_t len)
{
	return strspn(part, "+-0123456789") >= len;
}

/* Appends a dotted path as far as there is room. */
static void add_path(struct pl_buf *place, const char *path)
{
	for (const char *at = path;;) {
		size_t len = strcspn(at, ".");
		if (!is_passed_through(at, len)) {
			size_t room = RES_PLACE_BYTES_MAX - place->len;
			if (place->len > 0 && room > 0)
				pl_buf_add_char(place, '.');
			room = RES_PLACE_BYTES_MAX - place->len;
			pl_buf_add(place, at, len < room ? len : room);
		}
		if (at[len] == '\0')
			return;
		at += len + 1;
	}
}

static void cut(struct pl_buf *place, size_t len)
{
	place->len = len;
	if (place->data != NULL)
		place->data[len] = '\0';
}

static void tell(struct walk *walk)
{
	if (walk->place.len > 0)
		walk->told(walk->context, pl_buf_text(&walk->place));
}

static void walk_value(struct walk *walk, const json_t *json)
{
	size_t len = walk->place.len;

	PL_JSON_EACH(item, json) {
		if (json_is_object(item) || json_is_array(item))
			walk_value(walk, item);
	}
	PL_JSON_EACH_MEMBER(key, value, json) {
		add_path(&walk->place, key);
		tell(walk);
		if (json_is_object(value) || json_is_array(value))
			walk_value(walk, value);
		cut(&walk->place, len);
	}
}

/* "quality.client_cpu.value": the members of a check stand below its id. */
static void walk_checks(struct walk *walk, const json_t *checks)
{
	PL_JSON_EACH(check, checks) {
		const char *id = pl_json_get_text(check, "id");
		if (id == NULL)
			continue;
		PL_JSON_EACH_MEMBER(key, value, check) {
			cut(&walk->place, 0);
			add_path(&walk->place, RES_FIELD_QUALITY);
			add_path(&walk->place, id);
			add_path(&walk->place, key);
			tell(walk);
		}
	}
	cut(&walk->place, 0);
}

/* What follows from others may follow from any document. */
static void tell_derived(struct walk *walk)
{
	static const char *const places[] = {
#define DERIVED(key, type, unit, direction, role, text) RES_FIELD_DERIVED "." #key,
#include "tbl/result_fields.h"
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(places); i++)
		walk->told(walk->context, places[i]);
}

void res_places_of(const json_t *document, res_place_fn *told, void *context)
{
	struct walk walk = { .told = told, .context = context };

	pl_buf_init(&walk.place, RES_PLACE_BYTES_MAX);
	walk_checks(&walk, pl_json_get_path(document, "quality.checks"));
	walk_value(&walk, document);
	tell_derived(&walk);
	pl_buf_done(&walk.place);
}

void res_place_of_field(const char *id, struct pl_buf *ret)
{
	const char *below = res_field_below(id, RES_FIELD_FAILURES ".");

	pl_buf_init(ret, RES_PLACE_BYTES_MAX);
	if (below != NULL) { /* of each kind: no failure of a kind is none, and recorded */
		add_path(ret, RES_FIELD_FAILURES);
		return;
	}
	if ((below = res_field_below(id, RES_FIELD_RUN ".")) != NULL) {
		add_path(ret, below);
		return;
	}
	for (const struct res_field_place *at = res_field_places; at->beginning != NULL; at++) {
		if ((below = res_field_below(id, at->beginning)) == NULL)
			continue;
		add_path(ret, at->place);
		add_path(ret, below);
		return;
	}
	add_path(ret, id);
}
