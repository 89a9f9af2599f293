#include <stdlib.h>

#include "columnar/arrow/flat_priv.h"

/* ---- writing --------------------------------------------------------------------------------- */

void columnar_flat_done(struct flat_out *out)
{
	free(out->bytes);
}

static char *grow(struct flat_out *out, size_t len)
{
	if (out->len + len > out->room) {
		size_t room = (out->len + len) * 2;
		char *bytes = pl_alloc(room);
		if (out->len > 0)
			memcpy(bytes + room - out->len, columnar_flat_bytes(out), out->len);
		free(out->bytes);
		out->bytes = bytes;
		out->room = room;
	}
	out->len += len;
	return out->bytes + out->room - out->len;
}

/* Adds zeros so that after `len` more bytes the length is a multiple of `size`. */
static void align(struct flat_out *out, size_t size, size_t len)
{
	size_t zeros = (size - (out->len + len) % size) % size;

	if (zeros > 0)
		memset(grow(out, zeros), 0, zeros);
}

static void put(struct flat_out *out, const void *bytes, size_t len)
{
	if (len > 0)
		memcpy(grow(out, len), bytes, len);
}

static void put_ref(struct flat_out *out, size_t ref)
{
	align(out, 4, 0);
	uint32_t distance = (uint32_t)(out->len + 4 - ref);
	put(out, &distance, sizeof(distance));
}

size_t columnar_flat_text(struct flat_out *out, const char *text)
{
	uint32_t len = (uint32_t)strlen(text);

	align(out, 4, (size_t)len + 1);
	put(out, text, (size_t)len + 1);
	put(out, &len, sizeof(len));
	return out->len;
}

static size_t put_count(struct flat_out *out, size_t count)
{
	put(out, &(uint32_t){ (uint32_t)count }, sizeof(uint32_t));
	return out->len;
}

size_t columnar_flat_refs(struct flat_out *out, const size_t *refs, size_t count)
{
	align(out, 4, 0);
	for (size_t i = count; i-- > 0;)
		put_ref(out, refs[i]);
	return put_count(out, count);
}

size_t columnar_flat_structs(struct flat_out *out, const void *structs, size_t size, size_t count)
{
	align(out, 8, size * count);
	put(out, structs, size * count);
	return put_count(out, count);
}

void columnar_flat_begin(struct flat_out *out)
{
	memset(out->slots, 0, sizeof(out->slots));
	out->table_end = out->len;
}

void columnar_flat_add_ref(struct flat_out *out, unsigned slot, size_t ref)
{
	put_ref(out, ref);
	out->slots[slot] = out->len;
}

void columnar_flat_add_int(struct flat_out *out, unsigned slot, int64_t number, size_t size)
{
	align(out, size, size);
	put(out, &number, size);
	out->slots[slot] = out->len;
}

size_t columnar_flat_end(struct flat_out *out)
{
	uint16_t slots[FLAT_SLOTS_MAX + 2];
	size_t count = FLAT_SLOTS_MAX;

	while (count > 0 && out->slots[count - 1] == 0)
		count--;
	align(out, 4, 0);
	put(out, &(int32_t){ 0 }, sizeof(int32_t));
	size_t table = out->len, bytes = (count + 2) * sizeof(*slots);
	slots[0] = (uint16_t)bytes;
	slots[1] = (uint16_t)(table - out->table_end);
	for (size_t i = 0; i < count; i++)
		slots[i + 2] = (uint16_t)(out->slots[i] == 0 ? 0 : table - out->slots[i]);
	put(out, slots, bytes);
	/* from the table back to its slots */
	int32_t distance = (int32_t)bytes;
	memcpy(out->bytes + out->room - table, &distance, sizeof(distance));
	return table;
}

void columnar_flat_finish(struct flat_out *out, size_t root)
{
	align(out, 8, 4);
	put_ref(out, root);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void fail(struct flat_in *in, const char *fault)
{
	if (in->fault == NULL)
		in->fault = fault;
}

/* Returns whether `len` bytes are at this location. */
static bool holds(struct flat_in *in, size_t at, size_t len)
{
	if (in->fault == NULL && at <= in->len && len <= in->len - at)
		return true;
	fail(in, "a reference leads outside of the metadata");
	return false;
}

/* Returns the location that the reference at this location has; 0 after a fault. */
static size_t follow(struct flat_in *in, size_t at)
{
	if (!holds(in, at, 4))
		return 0;
	return at + COLUMNAR_GET(uint32_t, in->bytes + at);
}

static struct flat_table table_at(struct flat_in *in, size_t at)
{
	const struct flat_table none = { .in = in };

	if (at == 0 || !holds(in, at, 4))
		return none;
	int64_t slots = (int64_t)at - COLUMNAR_GET(int32_t, in->bytes + at);
	if (slots < 0 || !holds(in, (size_t)slots, 4)) {
		fail(in, "a reference leads outside of the metadata");
		return none;
	}
	size_t len = COLUMNAR_GET(uint16_t, in->bytes + slots);
	if (len < 4 || !holds(in, (size_t)slots, len)) {
		fail(in, "a table is malformed");
		return none;
	}
	return (struct flat_table){ in, at, (size_t)slots, len };
}

struct flat_table columnar_flat_root(struct flat_in *in)
{
	return table_at(in, follow(in, 0));
}

/* Returns 0 if the field is missing. */
static size_t field_at(const struct flat_table *table, unsigned slot)
{
	size_t offset = 4 + slot * 2u;

	if (table->at == 0 || table->in->fault != NULL || offset + 2 > table->slots_len)
		return 0;
	uint16_t distance = COLUMNAR_GET(uint16_t, table->in->bytes + table->slots + offset);
	return distance == 0 ? 0 : table->at + distance;
}

bool columnar_flat_has(const struct flat_table *table, unsigned slot)
{
	return field_at(table, slot) != 0;
}

int64_t columnar_flat_int(const struct flat_table *table, unsigned slot, size_t size,
			  int64_t missing)
{
	size_t at = field_at(table, slot);

	if (at == 0 || !holds(table->in, at, size))
		return missing;
	const uint8_t *bytes = table->in->bytes + at;
	return size == 1   ? *bytes
	       : size == 2 ? COLUMNAR_GET(int16_t, bytes)
	       : size == 4 ? COLUMNAR_GET(int32_t, bytes)
			   : COLUMNAR_GET(int64_t, bytes);
}

struct flat_table columnar_flat_table_of(const struct flat_table *table, unsigned slot)
{
	size_t at = field_at(table, slot);

	return table_at(table->in, at == 0 ? 0 : follow(table->in, at));
}

struct flat_vector columnar_flat_vector_of(const struct flat_table *table, unsigned slot,
					   size_t size)
{
	struct flat_vector none = { .in = table->in };
	size_t field = field_at(table, slot);

	if (field == 0)
		return none;
	size_t at = follow(table->in, field);
	if (!holds(table->in, at, 4))
		return none;
	size_t count = COLUMNAR_GET(uint32_t, table->in->bytes + at);
	if (!holds(table->in, at + 4, count * size))
		return none;
	return (struct flat_vector){ table->in, at + 4, count };
}

struct flat_table columnar_flat_item(const struct flat_vector *vector, size_t i)
{
	return table_at(vector->in, follow(vector->in, vector->at + i * 4));
}

char *columnar_flat_text_of(const struct flat_table *table, unsigned slot)
{
	struct flat_vector text = columnar_flat_vector_of(table, slot, 1);
	const char *bytes = text.count > 0 ? (const char *)table->in->bytes + text.at : "";

	if (!columnar_is_utf8(bytes, text.count) || memchr(bytes, '\0', text.count) != NULL) {
		fail(table->in, "a text is not UTF-8");
		return pl_strdup("");
	}
	return pl_strndup(bytes, text.count);
}
