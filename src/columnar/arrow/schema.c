/* The schema of a file or a stream, written and read. */
#include <stdlib.h>

#include <openssl/evp.h>

#include "columnar/arrow/arrow_priv.h"

#define FIELDS_MAX 100000

/* ---- writing --------------------------------------------------------------------------------- */

static size_t write_pairs(struct flat_out *out, const struct columnar_pair *pairs, size_t count)
{
	auto_free size_t *refs = pl_alloc_array(count, sizeof(*refs));

	for (size_t i = 0; i < count; i++) {
		size_t key = columnar_flat_text(out, pairs[i].key),
		       value = columnar_flat_text(out, pairs[i].value);
		columnar_flat_begin(out);
		columnar_flat_add_ref(out, 0, key);
		columnar_flat_add_ref(out, 1, value);
		refs[i] = columnar_flat_end(out);
	}
	return columnar_flat_refs(out, refs, count);
}

static size_t write_int(struct flat_out *out, int bits, bool is_signed)
{
	columnar_flat_begin(out);
	columnar_flat_add_int(out, 0, bits, 4);
	columnar_flat_add_int(out, 1, is_signed, 1);
	return columnar_flat_end(out);
}

static size_t write_type(struct flat_out *out, enum columnar_type type, enum arrow_type *ret)
{
	size_t zone;

	switch (type) {
	case COLUMNAR_I64:
		*ret = ARROW_INT;
		return write_int(out, 64, true);
	case COLUMNAR_F64:
		*ret = ARROW_FLOAT;
		columnar_flat_begin(out);
		columnar_flat_add_int(out, 0, 2, 2);
		return columnar_flat_end(out);
	case COLUMNAR_TIME:
		*ret = ARROW_TIMESTAMP;
		zone = columnar_flat_text(out, "UTC");
		columnar_flat_begin(out);
		columnar_flat_add_int(out, 0, ARROW_MICRO, 2);
		columnar_flat_add_ref(out, 1, zone);
		return columnar_flat_end(out);
	default:
		*ret = type == COLUMNAR_YES ? ARROW_BOOL : ARROW_UTF8;
		columnar_flat_begin(out);
		return columnar_flat_end(out);
	}
}

static size_t write_field(struct flat_out *out, const struct columnar_field *field, size_t index,
			  bool has_dictionary)
{
	enum arrow_type type_id;
	size_t name = columnar_flat_text(out, field->name), dictionary = 0, pairs = 0;
	size_t type = write_type(out, field->type, &type_id);

	if (has_dictionary) {
		size_t codes = write_int(out, 32, true);
		columnar_flat_begin(out);
		columnar_flat_add_int(out, 0, (int64_t)index, 8);
		columnar_flat_add_ref(out, 1, codes);
		columnar_flat_add_int(out, 2, 0, 1);
		dictionary = columnar_flat_end(out);
	}
	size_t children = columnar_flat_refs(out, NULL, 0);
	if (field->pair_count > 0)
		pairs = write_pairs(out, field->pairs, field->pair_count);
	columnar_flat_begin(out);
	columnar_flat_add_ref(out, 0, name);
	columnar_flat_add_ref(out, 3, type);
	if (dictionary != 0)
		columnar_flat_add_ref(out, 4, dictionary);
	columnar_flat_add_ref(out, 5, children);
	if (pairs != 0)
		columnar_flat_add_ref(out, 6, pairs);
	columnar_flat_add_int(out, 1, field->is_optional, 1);
	columnar_flat_add_int(out, 2, type_id, 1);
	return columnar_flat_end(out);
}

size_t columnar_arrow_schema_write(struct flat_out *out, const struct columnar_schema *schema,
				   const bool *has_dictionary)
{
	auto_free size_t *refs = pl_alloc_array(schema->count, sizeof(*refs));
	size_t pairs = 0;

	for (size_t i = 0; i < schema->count; i++)
		refs[i] = write_field(out, &schema->fields[i], i,
				      has_dictionary != NULL && has_dictionary[i]);
	size_t fields = columnar_flat_refs(out, refs, schema->count);
	if (schema->pair_count > 0)
		pairs = write_pairs(out, schema->pairs, schema->pair_count);
	columnar_flat_begin(out);
	columnar_flat_add_ref(out, 1, fields);
	if (pairs != 0)
		columnar_flat_add_ref(out, 2, pairs);
	columnar_flat_add_int(out, 0, 0, 2);
	return columnar_flat_end(out);
}

void columnar_arrow_head_add(const struct flat_out *head, struct pl_buf *out)
{
	const uint32_t front[] = { ARROW_CONTINUATION, (uint32_t)head->len };

	pl_buf_add(out, front, sizeof(front));
	pl_buf_add(out, columnar_flat_bytes(head), head->len);
}

void columnar_arrow_schema_message(const struct columnar_schema *schema, const bool *has_dictionary,
				   struct pl_buf *out)
{
	auto_flat head = { 0 };
	size_t table = columnar_arrow_schema_write(&head, schema, has_dictionary);

	columnar_flat_begin(&head);
	columnar_flat_add_int(&head, 3, 0, 8);
	columnar_flat_add_ref(&head, 2, table);
	columnar_flat_add_int(&head, 0, ARROW_VERSION, 2);
	columnar_flat_add_int(&head, 1, ARROW_SCHEMA, 1);
	columnar_flat_finish(&head, columnar_flat_end(&head));
	columnar_arrow_head_add(&head, out);
}

char *columnar_arrow_schema_text(const struct columnar_schema *schema)
{
	auto_buf message = PL_BUF(INT32_MAX / 2);

	columnar_arrow_schema_message(schema, NULL, &message);
	char *text = pl_alloc((message.len + 2) / 3 * 4 + 1);
	EVP_EncodeBlock((unsigned char *)text, (const unsigned char *)message.data,
			(int)message.len);
	return text;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_pairs(const struct flat_table *from, unsigned slot, struct columnar_field *field,
		       struct columnar_schema *schema)
{
	struct flat_vector pairs = columnar_flat_vector_of(from, slot, 4);

	for (size_t i = 0; i < pairs.count && from->in->fault == NULL; i++) {
		struct flat_table pair = columnar_flat_item(&pairs, i);
		auto_free char *key = columnar_flat_text_of(&pair, 0);
		auto_free char *value = columnar_flat_text_of(&pair, 1);
		if (field != NULL)
			columnar_field_note(field, key, value);
		else
			columnar_schema_note(schema, key, value);
	}
}

static bool is_int(int64_t bits)
{
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* Returns NULL, or the type that is not supported. */
static const char *read_type(int64_t type, const struct flat_table *from,
			     struct columnar_field *field, struct arrow_column *column)
{
	int64_t detail;

	column->type = (enum arrow_type)type;
	switch (type) {
	case ARROW_INT:
		detail = columnar_flat_int(from, 0, 4, 0);
		column->bits = (unsigned char)detail;
		column->is_unsigned = columnar_flat_int(from, 1, 1, 0) == 0;
		field->type = COLUMNAR_I64;
		return is_int(detail) ? NULL : "an integer of unknown width";
	case ARROW_FLOAT:
		detail = columnar_flat_int(from, 0, 2, 0);
		column->bits = detail == 2 ? 64 : 32;
		field->type = COLUMNAR_F64;
		return detail == 1 || detail == 2 ? NULL : "half floats";
	case ARROW_UTF8:
	case ARROW_LARGE_UTF8:
		field->type = COLUMNAR_TEXT;
		return NULL;
	case ARROW_BOOL:
		field->type = COLUMNAR_YES;
		return NULL;
	case ARROW_TIMESTAMP:
		detail = columnar_flat_int(from, 0, 2, 0);
		column->unit = (enum arrow_unit)detail;
		column->bits = 64;
		field->type = COLUMNAR_TIME;
		return detail >= ARROW_SECOND && detail <= ARROW_NANO
			       ? NULL
			       : "a timestamp of unknown unit";
	default:
		return "another type";
	}
}

static const char *read_dictionary(const struct flat_table *from, struct arrow_column *column)
{
	struct flat_table codes = columnar_flat_table_of(from, 1);
	int64_t bits = columnar_flat_int(&codes, 0, 4, 32);

	column->has_dictionary = true;
	column->dictionary = columnar_flat_int(from, 0, 8, 0);
	column->code_bits = (unsigned char)bits;
	column->code_is_unsigned = codes.at != 0 && columnar_flat_int(&codes, 1, 1, 0) == 0;
	return is_int(bits) ? NULL : "codes of unknown width";
}

static int read_field(const struct flat_table *from, struct columnar_schema *schema,
		      struct arrow_column *column, struct pl_err *err)
{
	auto_free char *name = columnar_flat_text_of(from, 0);
	struct columnar_field *field = columnar_schema_add(schema, name, COLUMNAR_TEXT,
							   columnar_flat_int(from, 1, 1, 0) != 0);
	struct flat_table type = columnar_flat_table_of(from, 3),
			  dictionary = columnar_flat_table_of(from, 4);
	int64_t type_id = columnar_flat_int(from, 2, 1, 0);
	const char *fault = read_type(type_id, &type, field, column);

	if (fault == NULL && dictionary.at != 0)
		fault = read_dictionary(&dictionary, column);
	read_pairs(from, 6, field, schema);
	if (fault == NULL || from->in->fault != NULL)
		return 0;
	return pl_err_invalid(err,
			      "column '%s': found %s (type %lld), expected a boolean, an integer, "
			      "a float, a UTF-8 text or a timestamp",
			      name, fault, (long long)type_id);
}

int columnar_arrow_schema_read(const struct flat_table *from, struct columnar_schema *ret,
			       struct arrow_column **ret_columns, struct pl_err *err)
{
	struct flat_vector fields = columnar_flat_vector_of(from, 1, 4);

	if (fields.count > FIELDS_MAX)
		return pl_err_invalid(err, "found %zu columns, the limit is %d", fields.count,
				      FIELDS_MAX);
	if (columnar_flat_int(from, 0, 2, 0) != 0)
		return pl_err_invalid(err, "found numbers with the high byte first");
	struct arrow_column *columns = pl_alloc_array(fields.count, sizeof(*columns));
	*ret_columns = columns;
	for (size_t i = 0; i < fields.count && from->in->fault == NULL; i++) {
		struct flat_table field = columnar_flat_item(&fields, i);
		if (read_field(&field, ret, &columns[i], err) < 0)
			return -1;
	}
	read_pairs(from, 2, NULL, ret);
	return 0;
}
