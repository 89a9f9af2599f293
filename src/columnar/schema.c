#include <stdlib.h>

#include "columnar/columnar_priv.h"

const char *columnar_type_name(enum columnar_type type)
{
	static const char *const names[] = { "yes", "i64", "f64", "text", "time" };

	return names[type];
}

static void note(struct columnar_pair **pairs, size_t *count, const char *key, const char *value)
{
	*pairs = pl_realloc_array(*pairs, *count + 1, sizeof(**pairs));
	(*pairs)[(*count)++] = (struct columnar_pair){ pl_strdup(key), pl_strdup(value) };
}

static const char *find(const struct columnar_pair *pairs, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(pairs[i].key, key) == 0)
			return pairs[i].value;
	}
	return NULL;
}

static void free_pairs(struct columnar_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(pairs[i].key);
		free(pairs[i].value);
	}
	free(pairs);
}

struct columnar_field *columnar_schema_add(struct columnar_schema *schema, const char *name,
					   enum columnar_type type, bool is_optional)
{
	struct columnar_field *field = PL_PUSH(schema->fields, schema->count, schema->room);

	*field = (struct columnar_field){ .name = pl_strdup(name),
					  .type = type,
					  .is_optional = is_optional };
	return field;
}

void columnar_field_note(struct columnar_field *field, const char *key, const char *value)
{
	note(&field->pairs, &field->pair_count, key, value);
}

void columnar_schema_note(struct columnar_schema *schema, const char *key, const char *value)
{
	note(&schema->pairs, &schema->pair_count, key, value);
}

const char *columnar_field_find(const struct columnar_field *field, const char *key)
{
	return find(field->pairs, field->pair_count, key);
}

const char *columnar_schema_find(const struct columnar_schema *schema, const char *key)
{
	return find(schema->pairs, schema->pair_count, key);
}

void columnar_schema_done(struct columnar_schema *schema)
{
	for (size_t i = 0; i < schema->count; i++) {
		free(schema->fields[i].name);
		free_pairs(schema->fields[i].pairs, schema->fields[i].pair_count);
	}
	free(schema->fields);
	free_pairs(schema->pairs, schema->pair_count);
	*schema = (struct columnar_schema){ 0 };
}

/* Returns the length of the character at the start, or 0 if there is none. */
static size_t character(const unsigned char *at, size_t len)
{
	size_t more = at[0] < 0x80 ? 0 : at[0] < 0xc2 ? 4 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;

	if (more >= len || at[0] > 0xf4)
		return 0;
	for (size_t i = 1; i <= more; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	bool is_odd = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
		      (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
	return is_odd || more == 4 ? 0 : more + 1;
}

bool columnar_is_utf8(const char *bytes, size_t len)
{
	const unsigned char *at = (const unsigned char *)bytes, *end = at + len;

	while (at < end) {
		if (end - at >= 8 && (COLUMNAR_GET(uint64_t, at) & 0x8080808080808080u) == 0) {
			at += 8;
			continue;
		}
		size_t used = character(at, (size_t)(end - at));
		if (used == 0)
			return false;
		at += used;
	}
	return true;
}
