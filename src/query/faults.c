#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/faults.h"

size_t query_place_enter(struct place *place, const char *key)
{
	size_t before = place->pointer.len;

	schema_pointer_add(&place->pointer, key);
	return before;
}

size_t query_place_enter_item(struct place *place, size_t i)
{
	size_t before = place->pointer.len;

	char *at = pl_buf_reserve(&place->pointer, 1 + PL_I64_TEXT_BYTES);

	if (at == NULL)
		return before;
	*at = '/';
	at = pl_text_put_i64(at + 1, (int64_t)i);
	*at = '\0';
	place->pointer.len = (size_t)(at - place->pointer.data);
	return before;
}

void query_place_leave(struct place *place, size_t before)
{
	if (place->pointer.data == NULL)
		return;
	place->pointer.len = before;
	place->pointer.data[before] = '\0';
}

static bool add(struct place *place, struct schema_fault fault)
{
	struct schema_faults *faults = place->faults;

	fault.pointer = pl_strdup(pl_buf_text(&place->pointer));
	faults->bytes += strlen(fault.pointer);
	*PL_PUSH(faults->items, faults->count, faults->room) = fault;
	return false;
}

static bool is_full(struct place *place)
{
	place->faults->cut = place->faults->count >= FAULTS_MAX;
	return place->faults->cut;
}

bool query_place_fault(struct place *place, const char *keyword, const json_t *found,
		       const char *expected, const char *nearest)
{
	if (is_full(place))
		return false;
	return add(place, (struct schema_fault){ .keyword = keyword,
						 .found = schema_describe(found),
						 .expected = pl_strdup(expected),
						 .nearest = pl_strdup(nearest) });
}

bool query_place_limit(struct place *place, const json_t *found, size_t most, const char *what)
{
	auto_free char *expected = pl_asprintf("at most %zu %s", most, what);

	return query_place_fault(place, "limit", found, expected, NULL);
}

bool query_place_missing(struct place *place, const char *key, const char *expected)
{
	if (is_full(place))
		return false;
	return add(place, (struct schema_fault){ .keyword = "required",
						 .key = pl_strdup(key),
						 .found = pl_strdup("nothing"),
						 .expected = pl_strdup(expected) });
}
