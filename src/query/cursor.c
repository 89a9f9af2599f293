/*
 * {"q": query, "id": id, "cut": whether a value is truncated, "k": [[class, value], …]} in hexadecimal digits, so that
 * it needs no escaping. Numbers are texts, because JSON has no infinite ones.
 */
#include "query/cursor_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "mirror/instant.h"
#include "result/fields/fields.h"

#define JSON_BYTES_MAX 1900 /* so the text has at most 4,000 bytes */
#define TEXT_BYTES_MAX 1024 /* per value; less if they are too long together */

/* ---- the query ------------------------------------------------------------------------------------- */

uint64_t query_cursor_question(const json_t *filter, const json_t *sort, int64_t epoch)
{
	auto_json json_t *both = json_pack("[O?, O?]", filter, sort);
	auto_free char *text = res_field_canonical(both);

	return pl_hash_text(pl_hash_bytes(PL_HASH_NONE, &epoch, sizeof(epoch)),
			    text != NULL ? text : "");
}

/* ---- writing --------------------------------------------------------------------------------------- */

/* Truncates before a character. */
static json_t *json_of_text(const char *text, size_t max, bool *is_cut)
{
	size_t len = strlen(text);

	if (len > max) {
		*is_cut = true;
		len = max;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	return json_stringn(text, len);
}

static json_t *json_of_value(const struct mirror_value *value, size_t max, bool *is_cut)
{
	char number[PL_F64_TEXT_BYTES];
	json_t *json;

	if (value->class == MIRROR_NUMBER) {
		pl_text_from_f64(value->number, number);
		json = json_string(number);
	} else {
		json = value->class >= MIRROR_TEXT ? json_of_text(value->text, max, is_cut)
						   : json_null();
	}
	return json_pack("[i, o?]", value->class, json);
}

static char *text_of(const struct rows_key *keys, size_t key_count, uint64_t question,
		     const struct mirror_view *view, size_t row, size_t max)
{
	char hash[PL_I64_TEXT_BYTES + 1];
	json_t *values = json_array();
	bool is_cut = false;

	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)question);
	for (size_t i = 0; i < key_count; i++) {
		struct mirror_value value = mirror_column_at(keys[i].column, row);
		json_array_append_new(values, json_of_value(&value, max, &is_cut));
	}
	auto_json json_t *json = json_pack("{s:s, s:I, s:b, s:o}", "q", hash, "id",
					   (json_int_t)mirror_view_id(view, row), "cut", is_cut,
					   "k", values);
	return pl_json_to_text(json, PL_JSON_COMPACT);
}

void query_cursor_write(const struct rows_key *keys, size_t key_count, uint64_t question,
			const struct mirror_view *view, size_t row, struct pl_buf *out)
{
	static const char digits[] = "0123456789abcdef";
	size_t max = TEXT_BYTES_MAX;
	char *text = text_of(keys, key_count, question, view, row, max);

	while (strlen(text) > JSON_BYTES_MAX && max > 0) {
		free(text);
		max /= 2;
		text = text_of(keys, key_count, question, view, row, max);
	}
	pl_buf_add_char(out, '"');
	for (const char *at = text; *at != '\0'; at++) {
		pl_buf_add_char(out, digits[(unsigned char)*at >> 4]);
		pl_buf_add_char(out, digits[(unsigned char)*at & 15]);
	}
	pl_buf_add_char(out, '"');
	free(text);
}

/* ---- reading --------------------------------------------------------------------------------------- */

static json_t *json_of_cursor(const char *text)
{
	auto_buf bytes = PL_BUF(JSON_BYTES_MAX);
	json_t *json = NULL;

	for (; text[0] != '\0' && text[1] != '\0'; text += 2) {
		int high = pl_hex_value(text[0]), low = pl_hex_value(text[1]);
		if (high < 0 || low < 0 || !pl_buf_add_char(&bytes, (char)(high << 4 | low)))
			return NULL;
	}
	if (text[0] != '\0' || bytes.len == 0 ||
	    pl_json_parse(bytes.data, bytes.len, "cursor", &json, PL_ERR_IGNORED) < 0)
		return NULL;
	return json;
}

static bool read_value(const json_t *json, struct mirror_value *ret)
{
	json_int_t class = json_integer_value(json_array_get(json, 0));
	const json_t *value = json_array_get(json, 1);

	if (class < MIRROR_MISSING || class >= MIRROR_CLASS_COUNT)
		return false;
	*ret = (struct mirror_value){ .class = (unsigned char)class };
	if (class == MIRROR_NUMBER)
		return json_is_string(value) &&
		       pl_text_to_f64(json_string_value(value), &ret->number);
	if (class < MIRROR_TEXT)
		return true;
	ret->text = json_string_value(value);
	return ret->text != NULL;
}

/* Returns false if it no longer exists. */
static bool find_row(const struct mirror_view *view, int64_t id, size_t *ret)
{
	for (size_t segment = 0; segment < mirror_view_segments(view); segment++) {
		uint64_t live[MIRROR_SEGMENT_WORDS];
		size_t first = segment * MIRROR_SEGMENT_ROWS;
		mirror_view_live(view, segment, live);
		for (size_t i = 0; i < mirror_view_rows(view, segment); i++) {
			*ret = first + i;
			if ((live[i / MIRROR_WORD_ROWS] >> i % MIRROR_WORD_ROWS & 1) != 0 &&
			    mirror_view_id(view, *ret) == id)
				return true;
		}
	}
	return false;
}

bool query_cursor_read(const char *text, const struct rows_key *keys, size_t key_count,
		       uint64_t question, const struct mirror_view *view,
		       const struct rows_order *order, uint64_t *ret_positions)
{
	size_t row;
	auto_json json_t *json = json_of_cursor(text);
	const json_t *values = json_object_get(json, "k");
	const char *hash = json_string_value(json_object_get(json, "q"));
	const json_t *id = json_object_get(json, "id");

	if (hash == NULL || !json_is_integer(id) || strtoull(hash, NULL, 16) != question ||
	    json_array_size(values) != key_count)
		return false;
	for (size_t i = 0; i < key_count; i++) {
		struct mirror_value value;
		if (!read_value(json_array_get(values, i), &value))
			return false;
		if (value.class == MIRROR_TEXT && keys[i].column->field->type == RES_FIELD_TIME)
			value.is_time = mirror_instant_parse(value.text, &value.time_us);
		ret_positions[i] = query_rows_position_of(order, i, &value);
	}
	ret_positions[key_count] = rows_position_of_id(json_integer_value(id));
	/* truncated texts are ambiguous; the row is exact while it exists */
	if (json_is_true(json_object_get(json, "cut")) &&
	    find_row(view, json_integer_value(id), &row))
		query_rows_positions(order, row, ret_positions);
	return true;
}
