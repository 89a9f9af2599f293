/*
 * Makes the chunk of one column at a time:
 *
 *	codes -> used values -> dictionary page (or none, if it is too large)
 *	rows  -> definition levels, values -> data pages of about a MiB
 *
 * The first pages of a chunk decide whether it is compressed.
 */
#include <math.h>
#include <stdlib.h>

#include <zlib.h>

#include "columnar/parquet/parquet_priv.h"

#define PAGE_BYTES       ((size_t)1 << 20)
#define PAGE_ROWS_MAX    ((size_t)1 << 20)
#define DICTIONARY_BYTES ((size_t)1 << 20)
#define TEXT_BYTES_MAX   ((size_t)1 << 30)
#define PAGE_BYTES_MAX   ((size_t)INT32_MAX)
#define PACK_BYTES_MIN   256 /* smaller pages stay uncompressed */
#define BOUND_BYTES_MAX  64  /* longer texts are not in the statistics */

struct columnar_parquet_writer {
	const struct columnar_schema *schema;
	struct columnar_parquet_options options;
	struct pl_arena *arena; /* memory of the groups */
	struct parquet_group *groups;
	size_t group_count;
	size_t group_room;
	size_t next; /* column of the last group */
	int64_t at;  /* offset in the file of the next byte */

	/* ---- of one chunk ---- */
	struct pl_buf dictionary;
	struct pl_buf page;
	struct pl_buf packed;
	struct pl_buf packed_dictionary;
	uint32_t *numbers; /* levels or codes of a page */
	size_t number_room;
	uint32_t *places; /* of each code: its place in the dictionary; UINT32_MAX: unused */
	size_t place_room;
	uint32_t *used; /* the used codes, in order of appearance */
	size_t used_count;
	size_t used_room;
};

/* The values of a chunk that is being written. */
struct source {
	enum columnar_type type;
	bool is_optional;
	const struct columnar_values *values;
};

struct columnar_parquet_writer *
columnar_parquet_writer_new(const struct columnar_schema *schema,
			    const struct columnar_parquet_options *options, struct pl_buf *out)
{
	struct columnar_parquet_writer *writer = pl_alloc(sizeof(*writer));

	*writer = (struct columnar_parquet_writer){ .schema = schema,
						    .options = *options,
						    .arena = pl_arena_new(1 << 16),
						    .next = schema->count };
	pl_buf_init(&writer->dictionary, PAGE_BYTES_MAX);
	pl_buf_init(&writer->page, PAGE_BYTES_MAX);
	pl_buf_init(&writer->packed, PAGE_BYTES_MAX);
	pl_buf_init(&writer->packed_dictionary, PAGE_BYTES_MAX);
	pl_buf_add_text(out, PARQUET_MAGIC);
	writer->at = sizeof(PARQUET_MAGIC) - 1;
	return writer;
}

void columnar_parquet_writer_free(struct columnar_parquet_writer *writer)
{
	if (writer == NULL)
		return;
	pl_arena_free(writer->arena);
	pl_buf_done(&writer->dictionary);
	pl_buf_done(&writer->page);
	pl_buf_done(&writer->packed);
	pl_buf_done(&writer->packed_dictionary);
	free(writer->groups);
	free(writer->numbers);
	free(writer->places);
	free(writer->used);
	free(writer);
}

void columnar_parquet_begin(struct columnar_parquet_writer *writer, size_t rows)
{
	size_t columns = writer->schema->count;

	*PL_PUSH(writer->groups, writer->group_count, writer->group_room) = (struct parquet_group){
		.rows = (int64_t)rows,
		.chunks = pl_arena_alloc(writer->arena, columns * sizeof(struct parquet_chunk)),
	};
	writer->next = 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void add_value(const struct source *from, uint32_t at, struct pl_buf *out)
{
	const struct columnar_values *values = from->values;

	if (from->type == COLUMNAR_TEXT) {
		uint32_t len = (uint32_t)values->texts[at].len;
		pl_buf_add(out, &len, sizeof(len));
		pl_buf_add(out, values->texts[at].bytes, len);
	} else if (from->type == COLUMNAR_F64) {
		pl_buf_add(out, &values->f64[at], sizeof(double));
	} else {
		pl_buf_add(out, &values->i64[at], sizeof(int64_t));
	}
}

static size_t value_bytes(const struct source *from, uint32_t at)
{
	return from->type == COLUMNAR_TEXT ? sizeof(uint32_t) + from->values->texts[at].len : 8;
}

static void add_bits(const struct source *from, size_t begin, size_t end, struct pl_buf *out)
{
	unsigned held = 0, have = 0;

	for (size_t row = begin; row < end; row++) {
		uint32_t at = columnar_values_at(from->values, row);
		if (at == COLUMNAR_NULL)
			continue;
		held |= (unsigned)(from->values->yes[at] != 0) << have;
		if (++have == 8) {
			pl_buf_add_char(out, (char)held);
			held = have = 0;
		}
	}
	if (have > 0)
		pl_buf_add_char(out, (char)held);
}

static void add_plain(const struct source *from, size_t begin, size_t end, struct pl_buf *out)
{
	const struct columnar_values *values = from->values;
	const void *numbers = from->type == COLUMNAR_F64 ? (const void *)values->f64 : values->i64;

	if (from->type == COLUMNAR_YES) {
		add_bits(from, begin, end, out);
		return;
	}
	if (from->type != COLUMNAR_TEXT && values->codes == NULL && values->nulls == NULL) {
		pl_buf_add(out, (const char *)numbers + begin * 8, (end - begin) * 8);
		return;
	}
	for (size_t row = begin; row < end; row++) {
		uint32_t at = columnar_values_at(values, row);
		if (at != COLUMNAR_NULL)
			add_value(from, at, out);
	}
}

/* ---- statistics ------------------------------------------------------------------------------ */

static int compare(const struct source *from, uint32_t a, uint32_t b)
{
	const struct columnar_values *values = from->values;

	switch (from->type) {
	case COLUMNAR_YES:
		return (values->yes[a] != 0) - (values->yes[b] != 0);
	case COLUMNAR_F64:
		return (values->f64[a] > values->f64[b]) - (values->f64[a] < values->f64[b]);
	case COLUMNAR_TEXT: {
		const struct columnar_text *left = &values->texts[a], *right = &values->texts[b];
		int order = memcmp(left->bytes, right->bytes,
				   left->len < right->len ? left->len : right->len);
		return order != 0 ? order : (left->len > right->len) - (left->len < right->len);
	}
	default:
		return (values->i64[a] > values->i64[b]) - (values->i64[a] < values->i64[b]);
	}
}

static struct columnar_text bound(struct columnar_parquet_writer *writer, const struct source *from,
				  uint32_t at, bool is_min)
{
	char bytes[8];
	size_t len = sizeof(bytes);

	if (from->type == COLUMNAR_TEXT) {
		const struct columnar_text *text = &from->values->texts[at];
		return (struct columnar_text){
			pl_arena_strndup(writer->arena, text->bytes, text->len), text->len
		};
	}
	if (from->type == COLUMNAR_YES) {
		bytes[0] = from->values->yes[at] != 0;
		len = 1;
	} else if (from->type == COLUMNAR_F64) {
		/* which zero is smaller is not defined: each bound includes both */
		double number = from->values->f64[at];
		number = number == 0 ? (is_min ? -0.0 : 0.0) : number;
		memcpy(bytes, &number, sizeof(number));
	} else {
		memcpy(bytes, &from->values->i64[at], sizeof(int64_t));
	}
	char *copy = pl_arena_alloc(writer->arena, len);
	memcpy(copy, bytes, len);
	return (struct columnar_text){ copy, len };
}

static void find_range(struct columnar_parquet_writer *writer, const struct source *from,
		       struct parquet_chunk *chunk)
{
	const struct columnar_values *values = from->values;
	size_t count = values->codes != NULL ? writer->used_count : values->count;
	uint32_t min = COLUMNAR_NULL, max = COLUMNAR_NULL;

	for (size_t i = 0; i < count; i++) {
		uint32_t at = values->codes != NULL ? writer->used[i]
						    : columnar_values_at(values, i);
		if (at == COLUMNAR_NULL || (from->type == COLUMNAR_F64 && isnan(values->f64[at])))
			continue;
		if (min == COLUMNAR_NULL || compare(from, at, min) < 0)
			min = at;
		if (max == COLUMNAR_NULL || compare(from, at, max) > 0)
			max = at;
	}
	if (min == COLUMNAR_NULL ||
	    (from->type == COLUMNAR_TEXT && (values->texts[min].len > BOUND_BYTES_MAX ||
					     values->texts[max].len > BOUND_BYTES_MAX)))
		return;
	chunk->min = bound(writer, from, min, true);
	chunk->max = bound(writer, from, max, false);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static uint32_t *numbers_of(struct columnar_parquet_writer *writer, size_t count)
{
	if (count > writer->number_room) {
		writer->numbers = pl_realloc_array(writer->numbers, count, sizeof(uint32_t));
		writer->number_room = count;
	}
	return writer->numbers;
}

static void add_levels(struct columnar_parquet_writer *writer, const struct source *from,
		       size_t begin, size_t end)
{
	struct pl_buf *page = &writer->page;
	uint32_t *levels = numbers_of(writer, end - begin);
	size_t before = page->len;
	uint32_t len = 0;

	for (size_t row = begin; row < end; row++)
		levels[row - begin] = columnar_values_at(from->values, row) != COLUMNAR_NULL;
	pl_buf_add(page, &len, sizeof(len));
	columnar_hybrid_write(levels, end - begin, 1, page);
	if (page->full)
		return;
	len = (uint32_t)(page->len - before - sizeof(len));
	memcpy(page->data + before, &len, sizeof(len));
}

static void add_codes(struct columnar_parquet_writer *writer, const struct source *from,
		      size_t begin, size_t end)
{
	unsigned bits = columnar_bits(writer->used_count);
	uint32_t *numbers = numbers_of(writer, end - begin);
	size_t count = 0;

	for (size_t row = begin; row < end; row++) {
		uint32_t code = from->values->codes[row];
		if (code != COLUMNAR_NULL)
			numbers[count++] = writer->places[code];
	}
	pl_buf_add_char(&writer->page, (char)bits);
	columnar_hybrid_write(numbers, count, bits, &writer->page);
}

static size_t end_of_page(const struct source *from, size_t begin, bool has_dictionary)
{
	size_t left = from->values->count - begin, end;

	if (has_dictionary || from->type == COLUMNAR_YES)
		return begin + (left < PAGE_ROWS_MAX ? left : PAGE_ROWS_MAX);
	size_t bytes = 0;
	for (end = begin; end < from->values->count && bytes < PAGE_BYTES; end++) {
		uint32_t at = columnar_values_at(from->values, end);
		bytes += at != COLUMNAR_NULL ? value_bytes(from, at) : 0;
	}
	return end;
}

static void make_page(struct columnar_parquet_writer *writer, const struct source *from,
		      size_t begin, size_t end, bool has_dictionary)
{
	pl_buf_clear(&writer->page);
	if (from->is_optional)
		add_levels(writer, from, begin, end);
	if (has_dictionary)
		add_codes(writer, from, begin, end);
	else
		add_plain(from, begin, end, &writer->page);
}

/* Packs a page unless its chunk is uncompressed. Returns the bytes to store. */
static const struct pl_buf *pack(const struct columnar_parquet_writer *writer,
				 const struct parquet_chunk *chunk, const struct pl_buf *page,
				 struct pl_buf *packed)
{
	if (chunk->codec == PARQUET_UNCOMPRESSED)
		return page;
	pl_buf_clear(packed);
	columnar_pack(writer->options.codec, page->data, page->len, packed);
	return packed;
}

static void add_page(struct parquet_chunk *chunk, enum parquet_page type, size_t values,
		     const struct pl_buf *page, const struct pl_buf *body, struct pl_buf *out)
{
	struct thrift_out head = { .buf = out };
	size_t before = out->len;

	columnar_thrift_add_i32(&head, 1, type);
	columnar_thrift_add_i32(&head, 2, (int32_t)page->len);
	columnar_thrift_add_i32(&head, 3, (int32_t)body->len);
	columnar_thrift_add_i32(&head, 4,
				(int32_t)crc32(0, (const Bytef *)body->data, (uInt)body->len));
	if (type == PARQUET_DICTIONARY_PAGE) {
		columnar_thrift_begin(&head, 7);
		columnar_thrift_add_i32(&head, 1, (int32_t)values);
		columnar_thrift_add_i32(&head, 2, PARQUET_PLAIN);
	} else {
		columnar_thrift_begin(&head, 5);
		columnar_thrift_add_i32(&head, 1, (int32_t)values);
		columnar_thrift_add_i32(
			&head, 2, chunk->has_dictionary ? PARQUET_RLE_DICTIONARY : PARQUET_PLAIN);
		columnar_thrift_add_i32(&head, 3, PARQUET_RLE);
		columnar_thrift_add_i32(&head, 4, PARQUET_RLE);
	}
	columnar_thrift_end(&head);
	columnar_thrift_end(&head);
	chunk->plain_bytes += (int64_t)(out->len - before + page->len);
	pl_buf_add(out, body->data, body->len);
	chunk->bytes += (int64_t)(out->len - before);
}

/* Fills the dictionary with the used values. Returns whether the chunk should have one. */
static bool make_dictionary(struct columnar_parquet_writer *writer, const struct source *from)
{
	const struct columnar_values *values = from->values;
	size_t bytes = 0, plain = 0;

	writer->used_count = 0;
	if (values->codes == NULL)
		return false;
	if (values->distinct > writer->place_room) {
		writer->places = pl_realloc_array(writer->places, values->distinct,
						  sizeof(*writer->places));
		writer->place_room = values->distinct;
	}
	memset(writer->places, 0xff, values->distinct * sizeof(*writer->places));
	for (size_t row = 0; row < values->count; row++) {
		uint32_t code = values->codes[row];
		if (code == COLUMNAR_NULL)
			continue;
		size_t each = from->type == COLUMNAR_YES ? 0 : value_bytes(from, code);
		plain += each;
		if (writer->places[code] != UINT32_MAX)
			continue;
		writer->places[code] = (uint32_t)writer->used_count;
		*PL_PUSH(writer->used, writer->used_count, writer->used_room) = code;
		bytes += each;
	}
	size_t packed = values->count * columnar_bits(writer->used_count) / 8;
	if (from->type == COLUMNAR_YES || writer->used_count == 0 || bytes > DICTIONARY_BYTES ||
	    (bytes + packed >= plain && plain > PACK_BYTES_MIN))
		return false;
	pl_buf_clear(&writer->dictionary);
	for (size_t i = 0; i < writer->used_count; i++)
		add_value(from, writer->used[i], &writer->dictionary);
	return true;
}

/* Chooses the codec by the first pages, which it packs: compression has to save a twentieth of them. */
static void choose_codec(struct columnar_parquet_writer *writer, struct parquet_chunk *chunk)
{
	enum columnar_codec codec = writer->options.codec;
	size_t len = writer->page.len, packed;

	if (chunk->has_dictionary)
		len += writer->dictionary.len;
	if (codec == COLUMNAR_PLAIN || len < PACK_BYTES_MIN)
		return;
	chunk->codec = codec == COLUMNAR_SNAPPY ? PARQUET_SNAPPY : PARQUET_ZSTD;
	packed = pack(writer, chunk, &writer->page, &writer->packed)->len;
	if (chunk->has_dictionary)
		packed += pack(writer, chunk, &writer->dictionary, &writer->packed_dictionary)->len;
	if (packed >= len - len / 20)
		chunk->codec = PARQUET_UNCOMPRESSED;
}

/* Adds the first data page, after the dictionary. */
static void add_first(struct columnar_parquet_writer *writer, struct parquet_chunk *chunk,
		      size_t rows, struct pl_buf *out)
{
	size_t before = out->len;

	choose_codec(writer, chunk);
	bool is_packed = chunk->codec != PARQUET_UNCOMPRESSED;
	if (chunk->has_dictionary)
		add_page(chunk, PARQUET_DICTIONARY_PAGE, writer->used_count, &writer->dictionary,
			 is_packed ? &writer->packed_dictionary : &writer->dictionary, out);
	chunk->data = chunk->begin + (int64_t)(out->len - before);
	add_page(chunk, PARQUET_DATA_PAGE, rows, &writer->page,
		 is_packed ? &writer->packed : &writer->page, out);
}

/* ---- chunk ----------------------------------------------------------------------------------- */

/* Checks the texts that rows have; the dictionary is made. */
static int check(const struct columnar_parquet_writer *writer, const struct source *from,
		 const char *name, struct pl_err *err)
{
	const struct columnar_values *values = from->values;
	size_t count = values->codes != NULL ? writer->used_count : values->count;

	for (size_t i = 0; from->type == COLUMNAR_TEXT && i < count; i++) {
		uint32_t at = values->codes != NULL ? writer->used[i]
						    : columnar_values_at(values, i);
		if (at != COLUMNAR_NULL && values->texts[at].len > TEXT_BYTES_MAX)
			return pl_err_invalid(err,
					      "column '%s': a text has %zu bytes, the limit is %zu",
					      name, values->texts[at].len, TEXT_BYTES_MAX);
	}
	return 0;
}

static int64_t count_nulls(const struct columnar_values *values)
{
	int64_t nulls = 0;

	for (size_t row = 0; row < values->count; row++)
		nulls += columnar_values_at(values, row) == COLUMNAR_NULL;
	return nulls;
}

int columnar_parquet_add(struct columnar_parquet_writer *writer,
			 const struct columnar_values *values, struct pl_buf *out,
			 struct pl_err *err)
{
	const struct columnar_field *field = &writer->schema->fields[writer->next];
	struct parquet_group *group = &writer->groups[writer->group_count - 1];
	struct parquet_chunk *chunk = &group->chunks[writer->next++];
	const struct source from = { field->type, field->is_optional, values };
	size_t before = out->len;

	bool has_dictionary = make_dictionary(writer, &from);
	if (check(writer, &from, field->name, err) < 0)
		return -1;
	*chunk = (struct parquet_chunk){ .rows = group->rows,
					 .begin = writer->at,
					 .data = writer->at,
					 .nulls = count_nulls(values),
					 .has_dictionary = has_dictionary };
	find_range(writer, &from, chunk);
	size_t end = end_of_page(&from, 0, has_dictionary);
	make_page(writer, &from, 0, end, has_dictionary);
	add_first(writer, chunk, end, out);
	for (size_t begin = end; begin < values->count; begin = end) {
		end = end_of_page(&from, begin, has_dictionary);
		make_page(writer, &from, begin, end, has_dictionary);
		add_page(chunk, PARQUET_DATA_PAGE, end - begin, &writer->page,
			 pack(writer, chunk, &writer->page, &writer->packed), out);
	}
	writer->at += (int64_t)(out->len - before);
	if (out->full || writer->page.full || writer->dictionary.full || writer->packed.full ||
	    writer->packed_dictionary.full)
		return pl_err_invalid(err, "column '%s': a part of the file is too large",
				      field->name);
	return 0;
}

int columnar_parquet_end(struct columnar_parquet_writer *writer, struct pl_buf *out,
			 struct pl_err *err)
{
	size_t before = out->len;

	columnar_parquet_footer_write(writer->schema, writer->options.created_by, writer->groups,
				      writer->group_count, out);
	if (out->full || out->len - before > INT32_MAX)
		return pl_err_invalid(err, "the metadata of the file is too large");
	uint32_t len = (uint32_t)(out->len - before);
	pl_buf_add(out, &len, sizeof(len));
	pl_buf_add_text(out, PARQUET_MAGIC);
	return out->full ? pl_err_invalid(err, "the metadata of the file is too large") : 0;
}
