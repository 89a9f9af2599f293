#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/export/export_priv.h"
#include "query/out_priv.h"

/* The size of a piece, and the maximum by which a row may exceed it. */
#define PIECE_BYTES ((size_t)256 << 10)
#define READY_MAX   PL_JSON_BYTES_MAX
/* The maximum of one column of a row group, of one batch, and of the metadata of a file. */
#define TABLE_READY_MAX ((size_t)2 << 30)

/*
 * The text of a code of a column, with its prefix, is made once and then copied. Codes above this limit are mostly
 * texts of few rows.
 */
#define CACHE_CODES_MAX 1100
#define CACHE_BYTES     63 /* one cache line with its length */
#define CACHE_LEN(text) ((size_t)(text)->len_and_one - 1)
#define COPY_BYTES      32 /* one or two registers: no function call */

struct cached_text {
	unsigned char len_and_one; /* 0: not made yet, or too long */
	char bytes[CACHE_BYTES];
};

/*
 * Rows of one sweep are adjacent and differ in few of a thousand columns, so the common text of a block of rows is made
 * once. A part of a line: such bytes, followed by an individual cell of the row.
 */
struct part {
	size_t end;    /* in `alike`, from the end of the previous part */
	size_t column; /* NO_COLUMN: end of the line */
	struct export_row_numbers row_numbers;
};

#define NO_COLUMN SIZE_MAX

struct block {
	struct export_spot spot;
	uint32_t *codes; /* EXPORT_BLOCK_ROWS per column */
	struct pl_buf alike;
	struct part *parts;
};

enum stage { STAGE_FRONT, STAGE_ROWS, STAGE_BACK, STAGE_OVER };

struct query_export {
	enum query_export_form form;
	struct export_rows *rows;
	struct export_table *table; /* of Parquet and Arrow; NULL: the rest makes text */
	json_t *request;
	char *program;
	char *time;
	enum stage stage;
	size_t at; /* index of the next row */
	struct block block;
	struct pl_buf ready;
	size_t sent; /* sent bytes of the ready ones */
	struct cached_text
		*cached; /* of each column, from cached_from[column] to that of the next */
	size_t *cached_from;
	struct pl_buf fronts; /* text before a cell of each column */
	size_t *front_ends;
	bool *is_repeated; /* columns of JSON that repeat an earlier one: each key is written once */
};

/* Returns a new reference; null for NULL. */
static json_t *given(const struct query_export *export, const char *key)
{
	return pl_json_or_null(json_incref(json_object_get(export->request, key)));
}

static json_t *sort_of(const struct query_export *export)
{
	json_t *sort = json_object_get(export->request, "sort");

	return sort != NULL ? json_incref(sort) : json_array();
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void add_line(struct pl_buf *out, const char *name, const char *text)
{
	pl_buf_addf(out, "# %s: %s\r\n", name, text);
}

static void add_json_line(struct pl_buf *out, const char *name, const json_t *json)
{
	pl_buf_addf(out, "# %s: ", name);
	query_export_csv_json(out, json);
	pl_buf_add_text(out, "\r\n");
}

static void csv_provenance(struct query_export *export)
{
	struct pl_buf *out = &export->ready;
	const char *link = pl_json_get_text(export->request, "link");

	add_line(out, "program", export->program);
	add_line(out, "exported_at", export->time);
	pl_buf_addf(out, "# data_version: %lld\r\n",
		    (long long)query_export_rows_version(export->rows));
	pl_buf_addf(out, "# count: %zu\r\n", query_export_rows_count(export->rows));
	add_json_line(out, "filter", json_object_get(export->request, "filter"));
	auto_json json_t *sort = sort_of(export);
	add_json_line(out, "sort", sort);
	pl_buf_add_text(out, "# link: ");
	query_export_csv_link(out, link != NULL ? link : "");
	pl_buf_add_text(out, "\r\n");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_provenance(struct query_export *export)
{
	json_t *columns = json_array();

	for (size_t i = 0; i < query_export_rows_columns(export->rows); i++)
		json_array_append_new(columns,
				      json_string(query_export_rows_column(export->rows, i)));
	auto_json json_t *provenance = json_pack(
		"{s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "program", export->program,
		"exported_at", export->time, "data_version",
		(json_int_t)query_export_rows_version(export->rows), "count",
		(json_int_t)query_export_rows_count(export->rows), "filter",
		given(export, "filter"), "sort", sort_of(export), "columns", columns, "link",
		given(export, "link"));
	pl_buf_add_text(&export->ready, "\"provenance\":");
	pl_json_write(provenance, PL_JSON_COMPACT, &export->ready);
	pl_buf_add_text(&export->ready, ",\n");
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Adds a comma, and for JSON the key. */
static void add_front(const struct query_export *export, size_t column, struct pl_buf *out)
{
	size_t begin = column > 0 ? export->front_ends[column - 1] : 0;

	out_add(out, export->fronts.data + begin, export->front_ends[column] - begin);
}

static void add_number(const struct query_export *export, size_t column, double number,
		       struct pl_buf *out)
{
	add_front(export, column, out);
	if (export->form == QUERY_EXPORT_CSV)
		query_export_csv_number(out, number);
	else
		query_export_json_number(out, number);
}

/* Returns NULL if it is not cached. */
static struct cached_text *cached_of(const struct query_export *export, size_t column,
				     uint32_t code)
{
	size_t at = export->cached_from[column] + code;

	return at < export->cached_from[column + 1] ? &export->cached[at] : NULL;
}

/* Returns whether its text is that of every cell of the column with its code. */
static bool make_cell(const struct query_export *export, size_t row, size_t column, uint32_t code,
		      struct pl_buf *out)
{
	struct cached_text *cached = cached_of(export, column, code);
	size_t before = out->len;
	struct mirror_cell cell;

	if (cached != NULL && cached->len_and_one > 0) {
		char *at = pl_buf_reserve(out, CACHE_BYTES);
		if (at == NULL)
			return false;
		memcpy(at, cached->bytes, CACHE_BYTES);
		out->len += CACHE_LEN(cached);
		return true;
	}
	bool is_the_codes = query_export_rows_cell(export->rows, row, column, code, &cell);
	/* In JSON, a value that is not recorded is omitted. */
	if (export->form == QUERY_EXPORT_CSV) {
		add_front(export, column, out);
		query_export_csv_cell(out, &cell);
	} else if (cell.state != RES_VALUE_NOT_RECORDED) {
		add_front(export, column, out);
		query_export_json_cell(out, &cell);
	}
	if (cached != NULL && is_the_codes && out->len - before <= CACHE_BYTES) {
		cached->len_and_one = (unsigned char)(out->len - before + 1);
		/* an empty cell may be the first of all: then the buffer has no memory yet */
		if (out->len > before)
			memcpy(cached->bytes, out->data + before, out->len - before);
	}
	return is_the_codes;
}

static uint32_t *codes_of(const struct block *block, size_t column)
{
	return block->codes + column * EXPORT_BLOCK_ROWS;
}

/* Makes the block of rows from this one on. */
static void make_block(struct query_export *export, size_t from)
{
	struct block *block = &export->block;
	size_t left = query_export_rows_count(export->rows) - from;
	size_t count = left < EXPORT_BLOCK_ROWS ? left : EXPORT_BLOCK_ROWS;
	struct part *part = block->parts;

	query_export_rows_spot(export->rows, from, count, &block->spot);
	pl_buf_clear(&block->alike);
	for (size_t i = 0; i < query_export_rows_columns(export->rows); i++) {
		uint32_t *codes = codes_of(block, i);
		if (export->is_repeated[i])
			continue;
		size_t before = block->alike.len;
		if (query_export_rows_codes(export->rows, &block->spot, i, codes) &&
		    make_cell(export, from, i, codes[0], &block->alike))
			continue;
		block->alike.len = before;
		*part++ = (struct part){ before, i,
					 query_export_rows_numbers(export->rows, &block->spot, i) };
	}
	*part = (struct part){ .end = block->alike.len, .column = NO_COLUMN };
	(void)pl_buf_reserve(&block->alike, COPY_BYTES); /* for add_alike() */
}

/* Most are short: copies a fixed number of bytes at once, whatever follows them. */
static void add_alike(struct query_export *export, size_t begin, size_t end)
{
	const char *from = export->block.alike.data + begin;
	char *to = pl_buf_reserve(&export->ready, end - begin + COPY_BYTES);

	if (to == NULL || export->block.alike.full)
		return;
	if (end - begin <= COPY_BYTES)
		memcpy(to, from, COPY_BYTES);
	else
		memcpy(to, from, end - begin);
	export->ready.len += end - begin;
}

static void add_cells(struct query_export *export)
{
	const struct block *block = &export->block;
	size_t done = 0;

	if (export->at >= block->spot.at + block->spot.count)
		make_block(export, export->at);
	size_t row = export->at - block->spot.at, position = block->spot.within[row];
	for (const struct part *part = block->parts;; done = part++->end) {
		add_alike(export, done, part->end);
		if (part->column == NO_COLUMN)
			return;
		const struct export_row_numbers *row_numbers = &part->row_numbers;
		uint32_t code = codes_of(block, part->column)[row];
		if (row_numbers->numbers != NULL &&
		    (code == row_numbers->codes[0] || code == row_numbers->codes[1]))
			add_number(export, part->column, row_numbers->numbers[position],
				   &export->ready);
		else
			(void)make_cell(export, export->at, part->column, code, &export->ready);
	}
}

static void csv_row(struct query_export *export)
{
	query_export_i64(&export->ready, query_export_rows_id(export->rows, export->at));
	add_cells(export);
	pl_buf_add(&export->ready, "\r\n", 2);
}

static void json_row(struct query_export *export)
{
	struct pl_buf *out = &export->ready;
	const char *run_id = query_export_rows_run_id(export->rows, export->at);

	pl_buf_add_text(out, export->at > 0 ? ",\n{\"id\":" : "\n{\"id\":");
	query_export_i64(out, query_export_rows_id(export->rows, export->at));
	pl_buf_add_text(out, ",\"run_id\":");
	if (run_id != NULL)
		pl_text_add_json(out, run_id, strlen(run_id), false);
	else
		pl_buf_add_text(out, "null");
	pl_buf_add_text(out, ",\"cells\":");
	/* each cell starts with a comma: that of the first becomes the bracket */
	size_t first = out->len;
	add_cells(export);
	if (out->len == first)
		pl_buf_add_char(out, '{');
	else
		out->data[first] = '{';
	pl_buf_add(out, "}}", 2);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void make_front(struct query_export *export)
{
	const json_t *provenance = json_object_get(export->request, "provenance");
	bool has_provenance = provenance == NULL || json_is_true(provenance);

	if (export->form == QUERY_EXPORT_CSV) {
		if (has_provenance)
			csv_provenance(export);
		pl_buf_add_text(&export->ready, "id");
		for (size_t i = 0; i < query_export_rows_columns(export->rows); i++) {
			pl_buf_add_char(&export->ready, ',');
			query_export_csv_text(&export->ready,
					      query_export_rows_column(export->rows, i));
		}
		pl_buf_add_text(&export->ready, "\r\n");
		return;
	}
	pl_buf_add_char(&export->ready, '{');
	if (has_provenance)
		json_provenance(export);
	pl_buf_add_text(&export->ready, "\"rows\":[");
}

static void make_rows(struct query_export *export)
{
	size_t count = query_export_rows_count(export->rows);

	for (; export->at < count && export->ready.len < PIECE_BYTES; export->at++) {
		if (export->form == QUERY_EXPORT_CSV)
			csv_row(export);
		else
			json_row(export);
	}
}

static int make_table_piece(struct query_export *export, struct pl_err *err)
{
	bool is_over = false;

	if (query_export_table_piece(export->table, &export->ready, &is_over, err) < 0)
		return -1;
	if (is_over)
		export->stage = STAGE_OVER;
	return 0;
}

static int make_piece(struct query_export *export, struct pl_err *err)
{
	if (export->table != NULL)
		return make_table_piece(export, err);
	switch (export->stage) {
	case STAGE_FRONT:
		make_front(export);
		export->stage = STAGE_ROWS;
		break;
	case STAGE_ROWS:
		make_rows(export);
		if (export->at == query_export_rows_count(export->rows))
			export->stage = STAGE_BACK;
		break;
	default:
		if (export->form == QUERY_EXPORT_JSON)
			pl_buf_add_text(&export->ready, "\n]}\n");
		export->stage = STAGE_OVER;
		break;
	}
	return export->ready.full || export->block.alike.full
		       ? pl_err_set(err, PL_ERR_INTERNAL, "a row is larger than %u bytes",
				    READY_MAX)
		       : 0;
}

int query_export_read(struct query_export *export, char *bytes, size_t room, size_t *ret_len,
		      struct pl_err *err)
{
	if (export->sent == export->ready.len) {
		pl_buf_clear(&export->ready);
		export->sent = 0;
	}
	while (export->ready.len == 0 && export->stage != STAGE_OVER) {
		if (make_piece(export, err) < 0)
			return -1;
	}
	size_t left = export->ready.len - export->sent;
	*ret_len = left < room ? left : room;
	memcpy(bytes, export->ready.data + export->sent, *ret_len);
	export->sent += *ret_len;
	return 0;
}

static bool *find_repeated(const struct query_export *export)
{
	size_t columns = query_export_rows_columns(export->rows);
	bool *is_repeated = pl_alloc_array(columns, sizeof(*is_repeated));

	for (size_t i = 1; export->form == QUERY_EXPORT_JSON && i < columns; i++) {
		const char *id = query_export_rows_column(export->rows, i);
		for (size_t k = 0; k < i && !is_repeated[i]; k++)
			is_repeated[i] = strcmp(query_export_rows_column(export->rows, k), id) == 0;
	}
	return is_repeated;
}

/* Prepares what CSV and JSON need. */
static void init_text(struct query_export *export)
{
	size_t columns = query_export_rows_columns(export->rows);

	pl_buf_init(&export->ready, READY_MAX);
	pl_buf_init(&export->block.alike, READY_MAX);
	export->block.codes = pl_alloc_array(columns * EXPORT_BLOCK_ROWS, sizeof(uint32_t));
	export->block.parts = pl_alloc_array(columns + 1, sizeof(*export->block.parts));
	size_t count = 0;
	export->cached_from = pl_alloc_array(columns + 1, sizeof(*export->cached_from));
	for (size_t i = 0; i < columns; i++) {
		uint32_t codes = query_export_rows_distinct(export->rows, i);
		count += codes < CACHE_CODES_MAX ? codes : CACHE_CODES_MAX;
		export->cached_from[i + 1] = count;
	}
	export->cached = pl_alloc_array(count, sizeof(*export->cached));
	pl_buf_init(&export->fronts, READY_MAX);
	export->front_ends = pl_alloc_array(columns, sizeof(*export->front_ends));
	for (size_t i = 0; i < columns; i++) {
		const char *id = query_export_rows_column(export->rows, i);
		pl_buf_add_char(&export->fronts, ',');
		if (export->form == QUERY_EXPORT_JSON) {
			pl_text_add_json(&export->fronts, id, strlen(id), false);
			pl_buf_add_char(&export->fronts, ':');
		}
		export->front_ends[i] = export->fronts.len;
	}
	export->is_repeated = find_repeated(export);
}

int query_export_new(struct mirror_snapshot *snapshot, const json_t *request,
		     const struct query_export_options *options, struct query_export **ret,
		     struct schema_faults *faults, struct pl_err *err)
{
	struct export_rows *rows = NULL;

	if (query_export_rows_new(snapshot, request, &rows, faults, err) < 0)
		return -1;
	struct query_export *export = pl_alloc(sizeof(*export));
	*export = (struct query_export){ .form = options->form,
					 .rows = rows,
					 .request = json_deep_copy(request),
					 .program = pl_strdup(options->program),
					 .time = pl_strdup(options->time) };
	if (options->form == QUERY_EXPORT_PARQUET || options->form == QUERY_EXPORT_ARROW) {
		pl_buf_init(&export->ready, TABLE_READY_MAX);
		export->table = query_export_table_new(rows, export->request, options);
	} else {
		init_text(export);
	}
	*ret = export;
	return 0;
}

void query_export_free(struct query_export *export)
{
	if (export == NULL)
		return;
	query_export_table_free(export->table);
	query_export_rows_free(export->rows);
	json_decref(export->request);
	free(export->program);
	free(export->time);
	pl_buf_done(&export->ready);
	pl_buf_done(&export->block.alike);
	free(export->block.codes);
	free(export->block.parts);
	free(export->cached);
	free(export->cached_from);
	pl_buf_done(&export->fronts);
	free(export->front_ends);
	free(export->is_repeated);
	free(export);
}
