#include <string.h>

#include "columnar/parquet/thrift_priv.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void add_varint(struct pl_buf *buf, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		pl_buf_add_char(buf, (char)(number | 0x80));
	pl_buf_add_char(buf, (char)number);
}

static void add_zigzag(struct pl_buf *buf, int64_t number)
{
	add_varint(buf, ((uint64_t)number << 1) ^ (uint64_t)(number >> 63));
}

static void add_field(struct thrift_out *out, int id, enum thrift_type type)
{
	int *last = &out->last[out->depth];

	if (id > *last && id - *last <= 15) {
		pl_buf_add_char(out->buf, (char)((id - *last) << 4 | (int)type));
	} else {
		pl_buf_add_char(out->buf, (char)type);
		add_zigzag(out->buf, id);
	}
	*last = id;
}

void columnar_thrift_add_i32(struct thrift_out *out, int id, int32_t number)
{
	add_field(out, id, THRIFT_I32);
	add_zigzag(out->buf, number);
}

void columnar_thrift_add_i64(struct thrift_out *out, int id, int64_t number)
{
	add_field(out, id, THRIFT_I64);
	add_zigzag(out->buf, number);
}

void columnar_thrift_add_yes(struct thrift_out *out, int id, bool yes)
{
	add_field(out, id, yes ? THRIFT_TRUE : THRIFT_FALSE);
}

void columnar_thrift_add_binary(struct thrift_out *out, int id, const void *bytes, size_t len)
{
	add_field(out, id, THRIFT_BINARY);
	add_varint(out->buf, len);
	pl_buf_add(out->buf, bytes, len);
}

void columnar_thrift_add_text(struct thrift_out *out, int id, const char *text)
{
	columnar_thrift_add_binary(out, id, text, strlen(text));
}

void columnar_thrift_begin(struct thrift_out *out, int id)
{
	if (id != 0)
		add_field(out, id, THRIFT_STRUCT);
	out->last[++out->depth] = 0;
}

void columnar_thrift_end(struct thrift_out *out)
{
	pl_buf_add_char(out->buf, THRIFT_STOP);
	if (out->depth > 0)
		out->depth--;
}

void columnar_thrift_add_empty(struct thrift_out *out, int id)
{
	columnar_thrift_begin(out, id);
	columnar_thrift_end(out);
}

void columnar_thrift_add_list(struct thrift_out *out, int id, enum thrift_type of, size_t count)
{
	add_field(out, id, THRIFT_LIST);
	if (count < 15) {
		pl_buf_add_char(out->buf, (char)(count << 4 | of));
	} else {
		pl_buf_add_char(out->buf, (char)(0xf0 | of));
		add_varint(out->buf, count);
	}
}

void columnar_thrift_item_i32(struct thrift_out *out, int32_t number)
{
	add_zigzag(out->buf, number);
}

void columnar_thrift_item_text(struct thrift_out *out, const char *text)
{
	size_t len = strlen(text);

	add_varint(out->buf, len);
	pl_buf_add(out->buf, text, len);
}

/* ---- reading --------------------------------------------------------------------------------- */

void columnar_thrift_fail(struct thrift_in *in, const char *fault)
{
	if (in->fault == NULL)
		in->fault = fault;
}

static uint8_t next_byte(struct thrift_in *in)
{
	if (in->fault == NULL && in->at < in->end)
		return *in->at++;
	columnar_thrift_fail(in, "the metadata ends early");
	return 0;
}

static uint64_t varint(struct thrift_in *in)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = next_byte(in);
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return in->fault == NULL ? number : 0;
	}
	columnar_thrift_fail(in, "an integer has more than 64 bits");
	return 0;
}

static int64_t zigzag(struct thrift_in *in)
{
	uint64_t number = varint(in);

	return (int64_t)(number >> 1 ^ -(number & 1));
}

static void advance(struct thrift_in *in, uint64_t len)
{
	if (in->fault == NULL && len <= (size_t)(in->end - in->at))
		in->at += len;
	else
		columnar_thrift_fail(in, "the metadata ends early");
}

bool columnar_thrift_next(struct thrift_in *in, struct thrift_field *field)
{
	uint8_t head = next_byte(in);

	if (in->fault != NULL || head == THRIFT_STOP)
		return false;
	if (head >> 4 != 0) {
		field->id += head >> 4;
	} else {
		int64_t id = zigzag(in);
		if (id < 0 || id > INT16_MAX)
			columnar_thrift_fail(in, "the id of a field is not from 0 to 32767");
		field->id = (int)id;
	}
	field->type = head & 0xf;
	if (field->type > THRIFT_STRUCT)
		columnar_thrift_fail(in, "the type of a field is unknown");
	return in->fault == NULL;
}

static size_t list_head(struct thrift_in *in, enum thrift_type *ret_of)
{
	uint8_t head = next_byte(in);
	uint64_t count = head >> 4 == 15 ? varint(in) : head >> 4;

	*ret_of = head & 0xf;
	/* each item has at least one byte */
	if (count > (size_t)(in->end - in->at))
		columnar_thrift_fail(in, "a list has more items than bytes");
	return in->fault == NULL ? (size_t)count : 0;
}

static void skip(struct thrift_in *in, enum thrift_type type, unsigned depth, bool is_item)
{
	enum thrift_type of;

	if (depth == 0)
		columnar_thrift_fail(in, "the metadata is nested too deeply");
	if (in->fault != NULL)
		return;
	switch (type) {
	case THRIFT_TRUE:
	case THRIFT_FALSE:
		advance(in, is_item ? 1 : 0);
		break;
	case THRIFT_BYTE:
		advance(in, 1);
		break;
	case THRIFT_I16:
	case THRIFT_I32:
	case THRIFT_I64:
		varint(in);
		break;
	case THRIFT_DOUBLE:
		advance(in, 8);
		break;
	case THRIFT_BINARY:
		advance(in, varint(in));
		break;
	case THRIFT_LIST:
	case THRIFT_SET:
		for (size_t left = list_head(in, &of); left > 0 && in->fault == NULL; left--)
			skip(in, of, depth - 1, true);
		break;
	case THRIFT_STRUCT:
		for (struct thrift_field field = { 0 }; columnar_thrift_next(in, &field);)
			skip(in, field.type, depth - 1, false);
		break;
	default:
		columnar_thrift_fail(in, "a value has an unexpected type");
		break;
	}
}

void columnar_thrift_skip(struct thrift_in *in, enum thrift_type type)
{
	skip(in, type, THRIFT_DEPTH_MAX, false);
}

int64_t columnar_thrift_int(struct thrift_in *in, enum thrift_type type)
{
	if (type == THRIFT_BYTE)
		return (int8_t)next_byte(in);
	if (type != THRIFT_I16 && type != THRIFT_I32 && type != THRIFT_I64) {
		columnar_thrift_fail(in, "expected an integer");
		return 0;
	}
	int64_t number = zigzag(in);
	if (type != THRIFT_I64 && (number < INT32_MIN || number > INT32_MAX))
		columnar_thrift_fail(in, "an integer has more than 32 bits");
	return in->fault == NULL ? number : 0;
}

bool columnar_thrift_yes(struct thrift_in *in, enum thrift_type type)
{
	if (type != THRIFT_TRUE && type != THRIFT_FALSE)
		columnar_thrift_fail(in, "expected true or false");
	return type == THRIFT_TRUE;
}

const char *columnar_thrift_binary(struct thrift_in *in, enum thrift_type type, size_t *ret_len)
{
	*ret_len = 0;
	if (type != THRIFT_BINARY) {
		columnar_thrift_fail(in, "expected a text");
		return "";
	}
	uint64_t len = varint(in);
	const uint8_t *at = in->at;
	advance(in, len);
	if (in->fault != NULL)
		return "";
	*ret_len = (size_t)len;
	return (const char *)at;
}

size_t columnar_thrift_list(struct thrift_in *in, enum thrift_type type, enum thrift_type of)
{
	enum thrift_type found;

	if (type != THRIFT_LIST) {
		columnar_thrift_fail(in, "expected a list");
		return 0;
	}
	size_t count = list_head(in, &found);
	if (count > 0 && found != of)
		columnar_thrift_fail(in, "the items of a list have an unexpected type");
	return in->fault == NULL ? count : 0;
}

bool columnar_thrift_is_struct(struct thrift_in *in, enum thrift_type type)
{
	if (type != THRIFT_STRUCT)
		columnar_thrift_fail(in, "expected a struct");
	return in->fault == NULL && type == THRIFT_STRUCT;
}
