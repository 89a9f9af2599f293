#include <stdlib.h>
#include <string.h>

#include "mirror/image/image_priv.h"

#define ARENA_BLOCK_BYTES 65536

/* Returns whether the text is `len` bytes and a NUL after them. */
static bool is_text(const char *texts, size_t texts_len, size_t at, size_t len)
{
	return at < texts_len && len < texts_len - at && strnlen(texts + at, len + 1) == len;
}

static bool is_value(const struct image_value *value, const struct image_column *column,
		     uint32_t code, const struct dictionary *values)
{
	bool is_coded = value->class == MIRROR_TEXT || value->class == MIRROR_JSON;

	if (value->class >= MIRROR_CLASS_COUNT || is_coded != (value->text_len != IMAGE_NO_TEXT))
		return false;
	if ((code == DICTIONARY_MISSING) != (value->class == MIRROR_MISSING) ||
	    (code == DICTIONARY_NULL && (value->class != MIRROR_NULL || value->is_explicit)))
		return false;
	if (value->is_elsewhere !=
	    (code != 0 && (code == column->elsewhere[0] || code == column->elsewhere[1])))
		return false;
	if (value->is_elsewhere &&
	    (value->class != MIRROR_NUMBER || code != column->elsewhere[value->is_explicit]))
		return false;
	/* the first entry with this value */
	return value->same == code ||
	       (value->same < code && dictionary_value(values, value->same)->class == value->class);
}

int mirror_image_read_values(struct image_bytes *bytes, const struct image_block *block,
			     const struct image_column *column, struct dictionary *values,
			     struct pl_err *err)
{
	const struct image_value *saved = mirror_image_take(bytes, block->count, sizeof(*saved));

	if (saved == NULL)
		return mirror_image_damaged(err);
	const char *texts = bytes->data + bytes->at;
	size_t texts_len = bytes->len - bytes->at;
	for (uint32_t i = 0; i < block->count; i++) {
		uint32_t code = block->from + i;
		/* any other byte is not a bool */
		unsigned char flags[3];
		memcpy(flags, &saved[i].is_explicit, sizeof(flags));
		if (flags[0] > 1 || flags[1] > 1 || flags[2] > 1 ||
		    !is_value(&saved[i], column, code, values))
			return mirror_image_damaged(err);
		struct mirror_value value = { .class = saved[i].class,
					      .is_explicit = saved[i].is_explicit,
					      .is_time = saved[i].is_time,
					      .is_elsewhere = saved[i].is_elsewhere,
					      .same = saved[i].same };
		memcpy(&value.number, &saved[i].bits, sizeof(value.number));
		if (saved[i].text_len != IMAGE_NO_TEXT) {
			if (!is_text(texts, texts_len, saved[i].text_at, saved[i].text_len))
				return mirror_image_damaged(err);
			value.text = texts + saved[i].text_at;
		}
		mirror_dictionary_restore(values, &value);
	}
	return 0;
}

int mirror_image_read_names(struct image_bytes *bytes, size_t rows, struct names *ret,
			    struct pl_err *err)
{
	const int64_t *ids = mirror_image_take(bytes, rows, sizeof(*ids));
	const uint32_t *places = mirror_image_take(bytes, rows, sizeof(*places));

	if (ids == NULL || places == NULL)
		return mirror_image_damaged(err);
	const char *texts = bytes->data + bytes->at;
	size_t texts_len = bytes->len - bytes->at;
	ret->ids = pl_alloc_array(rows, sizeof(*ret->ids));
	ret->run_ids = pl_alloc_array(rows, sizeof(*ret->run_ids));
	ret->arena = pl_arena_new(ARENA_BLOCK_BYTES);
	ret->bytes = rows * (sizeof(*ret->ids) + sizeof(*ret->run_ids));
	memcpy(ret->ids, ids, rows * sizeof(*ids));
	for (size_t i = 0; i < rows; i++) {
		if (places[i] == 0)
			continue;
		if (places[i] > texts_len)
			return mirror_image_damaged(err);
		const char *text = texts + places[i] - 1;
		size_t room = texts_len - (places[i] - 1), len = strnlen(text, room);
		if (len == room)
			return mirror_image_damaged(err);
		ret->run_ids[i] = pl_arena_strndup(ret->arena, text, len);
		ret->bytes += len + 1;
	}
	return 0;
}
