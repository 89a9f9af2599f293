#include <stdlib.h>
#include <string.h>

#include "query/out_priv.h"
#include "query/rows_priv.h"

#define SIMULATED_FIELD "environment.engine.simulated"
#define VERDICT_FIELD   "quality.verdict"
#define KEYS_BYTES_MAX  (64u << 20)

struct cell_column {
	const struct mirror_column *column;
	size_t key_from, key_to; /* in `keys`: "ID": */
};

struct rows_writer {
	const struct mirror_view *view;
	struct cell_column *cells;
	size_t count;
	struct pl_buf keys;
	const struct mirror_column *simulated, *verdict;
};

static void add_column(struct rows_writer *writer, const struct mirror_column *column)
{
	struct cell_column *cell = &writer->cells[writer->count];

	/* no row has a value */
	if (!mirror_column_is_recorded(column))
		return;
	cell->column = column;
	cell->key_from = writer->keys.len;
	pl_buf_add_char(&writer->keys, ',');
	query_out_text(&writer->keys, column->field->id);
	pl_buf_add_char(&writer->keys, ':');
	cell->key_to = writer->keys.len;
	writer->count++;
}

static bool is_named(const struct mirror_column *const *columns, size_t before)
{
	for (size_t i = 0; i < before; i++) {
		if (columns[i] == columns[before])
			return true;
	}
	return false;
}

struct rows_writer *query_rows_writer_new(const struct mirror_view *view,
					  const struct mirror_column *const *columns, size_t count)
{
	struct rows_writer *writer = pl_alloc(sizeof(*writer));

	writer->view = view;
	pl_buf_init(&writer->keys, KEYS_BYTES_MAX);
	writer->simulated = mirror_view_column(view, SIMULATED_FIELD);
	writer->verdict = mirror_view_column(view, VERDICT_FIELD);
	count = columns != NULL ? count : mirror_view_column_count(view);
	writer->cells = pl_alloc_array(count, sizeof(*writer->cells));
	for (size_t i = 0; i < count; i++) {
		if (columns == NULL || !is_named(columns, i))
			add_column(writer, columns != NULL ? columns[i] : mirror_view_at(view, i));
	}
	return writer;
}

void query_rows_writer_free(struct rows_writer *writer)
{
	if (writer == NULL)
		return;
	pl_buf_done(&writer->keys);
	free(writer->cells);
	free(writer);
}

/* Writes null if it is not recorded. */
static void write_value(const struct mirror_column *column, size_t row, struct pl_buf *out)
{
	struct mirror_value value = { .class = MIRROR_MISSING };

	if (column != NULL)
		value = mirror_column_at(column, row);
	query_out_value(out, &value);
}

void query_rows_write(const struct rows_writer *writer, size_t row, struct pl_buf *out)
{
	bool is_first = true;

	pl_buf_add_text(out, "{\"id\":");
	query_out_i64(out, mirror_view_id(writer->view, row));
	pl_buf_add_text(out, ",\"run_id\":");
	query_out_text_or_null(out, mirror_view_run_id(writer->view, row));
	pl_buf_add_text(out, ",\"simulated\":");
	write_value(writer->simulated, row, out);
	pl_buf_add_text(out, ",\"verdict\":");
	write_value(writer->verdict, row, out);
	pl_buf_add_text(out, ",\"cells\":{");
	for (size_t i = 0; i < writer->count; i++) {
		const struct cell_column *cell = &writer->cells[i];
		struct mirror_value value = mirror_column_at(cell->column, row);
		if (value.class == MIRROR_MISSING)
			continue;
		/* the first one without its comma */
		pl_buf_add(out, writer->keys.data + cell->key_from + is_first,
			   cell->key_to - cell->key_from - is_first);
		query_out_value(out, &value);
		is_first = false;
	}
	pl_buf_add_text(out, "}}");
}
