/*
 * Makes one message at a time:
 *
 *	schema, a dictionary of each column that has one, batches of rows, footer with the location of all
 */
#include <stdlib.h>

#include "columnar/arrow/arrow_priv.h"

#define BODY_BYTES_MAX  ((size_t)1 << 40)
#define PACK_BYTES_MIN  256 /* smaller buffers stay uncompressed */
#define TEXTS_BYTES_MAX ((size_t)INT32_MAX)

struct columnar_arrow_writer {
	const struct columnar_schema *schema;
	enum columnar_codec codec;
	bool *has_dictionary;
	int64_t at; /* offset in the file of the next byte */
	struct arrow_block *dictionaries;
	size_t dictionary_count;
	size_t dictionary_room;
	struct arrow_block *batches;
	size_t batch_count;
	size_t batch_room;

	/* ---- of one message ---- */
	size_t rows;
	size_t next; /* column */
	struct arrow_node *nodes;
	struct arrow_buffer *buffers;
	size_t buffer_count;
	size_t buffer_room;
	struct pl_buf body;
	struct pl_buf plain; /* one buffer, before compression */
	struct pl_buf texts;
};

/* ---- buffers --------------------------------------------------------------------------------- */

static void pad(struct pl_buf *out)
{
	static const char zeros[ARROW_ALIGN];

	pl_buf_add(out, zeros, (ARROW_ALIGN - out->len % ARROW_ALIGN) % ARROW_ALIGN);
}

/* Adds a buffer to the body: compressed, after the length before. */
static void add_buffer(struct columnar_arrow_writer *writer, const void *bytes, size_t len)
{
	struct pl_buf *body = &writer->body;
	size_t before = body->len;

	if (writer->codec != COLUMNAR_PLAIN && len > 0) {
		int64_t plain = (int64_t)len;
		pl_buf_add(body, &plain, sizeof(plain));
		if (len >= PACK_BYTES_MIN)
			columnar_pack(writer->codec, bytes, len, body);
		if (len < PACK_BYTES_MIN || body->len - before - sizeof(plain) >= len) {
			body->len = before;
			plain = -1;
			pl_buf_add(body, &plain, sizeof(plain));
			pl_buf_add(body, bytes, len);
		}
	} else {
		pl_buf_add(body, bytes, len);
	}
	*PL_PUSH(writer->buffers, writer->buffer_count, writer->buffer_room) =
		(struct arrow_buffer){ (int64_t)before, (int64_t)(body->len - before) };
	pad(body);
}

/* Adds the bits of the rows with a value; none if all have one. */
static size_t add_validity(struct columnar_arrow_writer *writer,
			   const struct columnar_values *values)
{
	size_t bytes = (values->count + 7) / 8, nulls = 0;

	pl_buf_clear(&writer->plain);
	char *bits = pl_buf_reserve(&writer->plain, bytes);
	if (bits == NULL)
		return 0;
	memset(bits, 0, bytes);
	for (size_t row = 0; row < values->count; row++) {
		bool has_value = columnar_values_at(values, row) != COLUMNAR_NULL;
		bits[row / 8] = (char)(bits[row / 8] | has_value << row % 8);
		nulls += !has_value;
	}
	add_buffer(writer, bits, nulls == 0 ? 0 : bytes);
	return nulls;
}

static void add_numbers(struct columnar_arrow_writer *writer, const void *numbers,
			const struct columnar_values *values)
{
	const int64_t *from = numbers;
	size_t bytes = values->count * sizeof(int64_t);

	if (values->codes == NULL && values->nulls == NULL) {
		add_buffer(writer, numbers, bytes);
		return;
	}
	pl_buf_clear(&writer->plain);
	char *to = pl_buf_reserve(&writer->plain, bytes);
	if (to == NULL)
		return;
	for (size_t row = 0; row < values->count; row++) {
		uint32_t at = columnar_values_at(values, row);
		int64_t number = at == COLUMNAR_NULL ? 0 : from[at];
		memcpy(to + row * sizeof(number), &number, sizeof(number));
	}
	add_buffer(writer, to, bytes);
}

static void add_yes(struct columnar_arrow_writer *writer, const struct columnar_values *values)
{
	size_t bytes = (values->count + 7) / 8;

	pl_buf_clear(&writer->plain);
	char *bits = pl_buf_reserve(&writer->plain, bytes);
	if (bits == NULL)
		return;
	memset(bits, 0, bytes);
	for (size_t row = 0; row < values->count; row++) {
		uint32_t at = columnar_values_at(values, row);
		bool yes = at != COLUMNAR_NULL && values->yes[at] != 0;
		bits[row / 8] = (char)(bits[row / 8] | yes << row % 8);
	}
	add_buffer(writer, bits, bytes);
}

static void add_codes(struct columnar_arrow_writer *writer, const struct columnar_values *values)
{
	size_t bytes = values->count * sizeof(int32_t);

	pl_buf_clear(&writer->plain);
	char *to = pl_buf_reserve(&writer->plain, bytes);
	if (to == NULL)
		return;
	for (size_t row = 0; row < values->count; row++) {
		uint32_t code = values->codes[row] == COLUMNAR_NULL ? 0 : values->codes[row];
		memcpy(to + row * sizeof(code), &code, sizeof(code));
	}
	add_buffer(writer, to, bytes);
}

static void add_texts(struct columnar_arrow_writer *writer, const struct columnar_values *values)
{
	int32_t end = 0;

	pl_buf_clear(&writer->plain);
	pl_buf_clear(&writer->texts);
	pl_buf_add(&writer->plain, &end, sizeof(end));
	for (size_t row = 0; row < values->count; row++) {
		uint32_t at = columnar_values_at(values, row);
		if (at != COLUMNAR_NULL)
			pl_buf_add(&writer->texts, values->texts[at].bytes, values->texts[at].len);
		end = (int32_t)writer->texts.len;
		pl_buf_add(&writer->plain, &end, sizeof(end));
	}
	add_buffer(writer, writer->plain.data, writer->plain.len);
	add_buffer(writer, writer->texts.data, writer->texts.len);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void start(struct columnar_arrow_writer *writer, size_t rows)
{
	pl_buf_clear(&writer->body);
	writer->buffer_count = 0;
	writer->rows = rows;
	writer->next = 0;
}

static size_t write_batch(const struct columnar_arrow_writer *writer, size_t nodes,
			  struct flat_out *head)
{
	size_t compression = 0;
	size_t buffers = columnar_flat_structs(head, writer->buffers, sizeof(*writer->buffers),
					       writer->buffer_count);
	size_t columns = columnar_flat_structs(head, writer->nodes, sizeof(*writer->nodes), nodes);

	if (writer->codec != COLUMNAR_PLAIN) {
		columnar_flat_begin(head);
		columnar_flat_add_int(head, 0, ARROW_ZSTD, 1);
		columnar_flat_add_int(head, 1, 0, 1);
		compression = columnar_flat_end(head);
	}
	columnar_flat_begin(head);
	columnar_flat_add_int(head, 0, (int64_t)writer->rows, 8);
	columnar_flat_add_ref(head, 1, columns);
	columnar_flat_add_ref(head, 2, buffers);
	if (compression != 0)
		columnar_flat_add_ref(head, 3, compression);
	return columnar_flat_end(head);
}

/* Appends the message of the started batch, or dictionary if id >= 0. */
static struct arrow_block finish(struct columnar_arrow_writer *writer, size_t nodes, int64_t id,
				 struct pl_buf *out)
{
	auto_flat head = { 0 };
	size_t before = out->len, table = write_batch(writer, nodes, &head);

	if (id >= 0) {
		columnar_flat_begin(&head);
		columnar_flat_add_int(&head, 0, id, 8);
		columnar_flat_add_ref(&head, 1, table);
		table = columnar_flat_end(&head);
	}
	columnar_flat_begin(&head);
	columnar_flat_add_int(&head, 3, (int64_t)writer->body.len, 8);
	columnar_flat_add_ref(&head, 2, table);
	columnar_flat_add_int(&head, 0, ARROW_VERSION, 2);
	columnar_flat_add_int(&head, 1, id >= 0 ? ARROW_DICTIONARY : ARROW_BATCH, 1);
	columnar_flat_finish(&head, columnar_flat_end(&head));
	columnar_arrow_head_add(&head, out);
	struct arrow_block block = { .offset = writer->at,
				     .head_bytes = (int32_t)(out->len - before),
				     .body_bytes = (int64_t)writer->body.len };
	pl_buf_add(out, writer->body.data, writer->body.len);
	writer->at += (int64_t)(out->len - before);
	return block;
}

static int check_texts(const struct columnar_field *field, const struct columnar_text *texts,
		       const struct columnar_values *values, size_t count, struct pl_err *err)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t at = values != NULL ? columnar_values_at(values, i) : (uint32_t)i;
		bytes += at != COLUMNAR_NULL ? texts[at].len : 0;
	}
	return bytes > TEXTS_BYTES_MAX
		       ? pl_err_invalid(err,
					"column '%s': its texts have %zu bytes, the limit is %zu",
					field->name, bytes, TEXTS_BYTES_MAX)
		       : 0;
}

static int is_full(const struct columnar_arrow_writer *writer, const struct pl_buf *out,
		   struct pl_err *err)
{
	if (out->full || writer->body.full || writer->plain.full || writer->texts.full)
		return pl_err_invalid(err, "a part of the file is too large");
	return 0;
}

static int add_dictionary(struct columnar_arrow_writer *writer, size_t column,
			  const struct columnar_text *texts, size_t count, struct pl_buf *out,
			  struct pl_err *err)
{
	const struct columnar_values values = { .count = count, .distinct = count, .texts = texts };

	if (check_texts(&writer->schema->fields[column], texts, NULL, count, err) < 0)
		return -1;
	start(writer, count);
	writer->nodes[0] = (struct arrow_node){ (int64_t)count, 0 };
	add_buffer(writer, "", 0);
	add_texts(writer, &values);
	*PL_PUSH(writer->dictionaries, writer->dictionary_count,
		 writer->dictionary_room) = finish(writer, 1, (int64_t)column, out);
	return is_full(writer, out, err);
}

int columnar_arrow_writer_new(const struct columnar_schema *schema,
			      const struct columnar_text *const *dictionaries,
			      const size_t *dictionary_counts, enum columnar_codec codec,
			      struct pl_buf *out, struct columnar_arrow_writer **ret,
			      struct pl_err *err)
{
	auto_columnar_arrow_writer struct columnar_arrow_writer *writer = pl_alloc(sizeof(*writer));
	size_t before = out->len;

	*writer = (struct columnar_arrow_writer){
		.schema = schema,
		.codec = codec,
		.has_dictionary = pl_alloc_array(schema->count, sizeof(bool)),
		.nodes = pl_alloc_array(schema->count + 1, sizeof(*writer->nodes)),
	};
	pl_buf_init(&writer->body, BODY_BYTES_MAX);
	pl_buf_init(&writer->plain, BODY_BYTES_MAX);
	pl_buf_init(&writer->texts, TEXTS_BYTES_MAX);
	for (size_t i = 0; i < schema->count; i++)
		writer->has_dictionary[i] = dictionaries[i] != NULL;
	pl_buf_add(out, ARROW_MAGIC "\0", ARROW_MAGIC_BYTES + 2);
	columnar_arrow_schema_message(schema, writer->has_dictionary, out);
	writer->at = (int64_t)(out->len - before);
	for (size_t i = 0; i < schema->count; i++) {
		if (dictionaries[i] != NULL &&
		    add_dictionary(writer, i, dictionaries[i], dictionary_counts[i], out, err) < 0)
			return -1;
	}
	*ret = pl_take(writer);
	return 0;
}

void columnar_arrow_writer_free(struct columnar_arrow_writer *writer)
{
	if (writer == NULL)
		return;
	free(writer->has_dictionary);
	free(writer->dictionaries);
	free(writer->batches);
	free(writer->nodes);
	free(writer->buffers);
	pl_buf_done(&writer->body);
	pl_buf_done(&writer->plain);
	pl_buf_done(&writer->texts);
	free(writer);
}

void columnar_arrow_begin(struct columnar_arrow_writer *writer, size_t rows)
{
	start(writer, rows);
}

int columnar_arrow_add(struct columnar_arrow_writer *writer, const struct columnar_values *values,
		       struct pl_err *err)
{
	size_t column = writer->next++;
	const struct columnar_field *field = &writer->schema->fields[column];
	bool has_dictionary = writer->has_dictionary[column];

	if (field->type == COLUMNAR_TEXT && !has_dictionary &&
	    check_texts(field, values->texts, values, values->count, err) < 0)
		return -1;
	size_t nulls = add_validity(writer, values);
	writer->nodes[column] = (struct arrow_node){ (int64_t)values->count, (int64_t)nulls };
	if (has_dictionary)
		add_codes(writer, values);
	else if (field->type == COLUMNAR_TEXT)
		add_texts(writer, values);
	else if (field->type == COLUMNAR_YES)
		add_yes(writer, values);
	else
		add_numbers(writer,
			    field->type == COLUMNAR_F64 ? (const void *)values->f64 : values->i64,
			    values);
	return 0;
}

int columnar_arrow_flush(struct columnar_arrow_writer *writer, struct pl_buf *out,
			 struct pl_err *err)
{
	*PL_PUSH(writer->batches, writer->batch_count,
		 writer->batch_room) = finish(writer, writer->schema->count, -1, out);
	return is_full(writer, out, err);
}

int columnar_arrow_end(struct columnar_arrow_writer *writer, struct pl_buf *out, struct pl_err *err)
{
	const uint32_t end[] = { ARROW_CONTINUATION, 0 };
	auto_flat footer = { 0 };

	pl_buf_add(out, end, sizeof(end));
	size_t batches = columnar_flat_structs(&footer, writer->batches, sizeof(*writer->batches),
					       writer->batch_count);
	size_t dictionaries = columnar_flat_structs(&footer, writer->dictionaries,
						    sizeof(*writer->dictionaries),
						    writer->dictionary_count);
	size_t schema = columnar_arrow_schema_write(&footer, writer->schema,
						    writer->has_dictionary);
	columnar_flat_begin(&footer);
	columnar_flat_add_ref(&footer, 1, schema);
	columnar_flat_add_ref(&footer, 2, dictionaries);
	columnar_flat_add_ref(&footer, 3, batches);
	columnar_flat_add_int(&footer, 0, ARROW_VERSION, 2);
	columnar_flat_finish(&footer, columnar_flat_end(&footer));
	uint32_t len = (uint32_t)footer.len;
	pl_buf_add(out, columnar_flat_bytes(&footer), footer.len);
	pl_buf_add(out, &len, sizeof(len));
	pl_buf_add(out, ARROW_MAGIC, ARROW_MAGIC_BYTES);
	return is_full(writer, out, err);
}
