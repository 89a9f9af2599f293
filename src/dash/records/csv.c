#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dash/records/records_priv.h"
#include "query/export/export.h"

#define PIECE_BYTES_MAX ((size_t)1 << 20) /* of one row: a text has at most 1 KB */

struct dash_records_csv {
	struct records *records;
	int64_t origin_ns;
	uint32_t *rows;
	size_t count;
	size_t next;
	struct pl_buf piece; /* bytes to send before the next row */
	size_t sent;
};

static void add_head(struct pl_buf *piece)
{
	for (size_t i = 0; i < RECORDS_COLUMNS; i++)
		pl_buf_addf(piece, "%s%s", i > 0 ? "," : "", dash_records_columns[i].id);
	pl_buf_add_text(piece, "\r\n");
}

static void add_row(struct dash_records_csv *csv, const struct records_row *row)
{
	for (size_t i = 0; i < RECORDS_COLUMNS; i++) {
		enum records_column column = (enum records_column)i;
		if (i > 0)
			pl_buf_add_char(&csv->piece, ',');
		if (dash_records_columns[i].type == TEXT) {
			const char *text = dash_records_column_text(csv->records, row, column);
			if (text != NULL)
				query_export_csv_marked(&csv->piece, text);
			continue;
		}
		double number = dash_records_number(csv->records, row, column, csv->origin_ns);
		if (!isnan(number))
			query_export_csv_number(&csv->piece, number);
	}
	pl_buf_add_text(&csv->piece, "\r\n");
}

struct dash_records_csv *dash_records_csv_new(struct records *records,
					      const struct dash_records_question *question)
{
	struct dash_records_csv *csv = pl_alloc(sizeof(*csv));

	csv->records = records_ref(records);
	csv->origin_ns = question->origin_ns;
	csv->rows = dash_records_match(records, question, &csv->count);
	dash_records_sort(records, question, csv->rows, csv->count);
	pl_buf_init(&csv->piece, PIECE_BYTES_MAX);
	add_head(&csv->piece);
	return csv;
}

void dash_records_csv_free(struct dash_records_csv *csv)
{
	records_unref(csv->records);
	free(csv->rows);
	pl_buf_done(&csv->piece);
	free(csv);
}

size_t dash_records_csv_read(struct dash_records_csv *csv, char *bytes, size_t room)
{
	size_t used = 0;

	while (used < room) {
		size_t left = csv->piece.len - csv->sent;
		size_t len = left < room - used ? left : room - used;
		if (left == 0) {
			if (csv->next == csv->count)
				break;
			pl_buf_clear(&csv->piece);
			csv->sent = 0;
			add_row(csv, &csv->records->rows[csv->rows[csv->next++]]);
			continue;
		}
		memcpy(bytes + used, csv->piece.data + csv->sent, len);
		csv->sent += len;
		used += len;
	}
	return used;
}
