#include "dash/import/csv.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/text.h"

#define BLANK    " \t\r"
#define BYTE_BOM "\xEF\xBB\xBF"

/* ---- errors ------------------------------------------------------------------------------------ */

/* `begin`: offset in the line of the row. `name`: of the column, or NULL. */
static int PL_PRINTF(6, 0)
	refuse(const struct dash_csv *csv, const struct dash_csv_row *row, size_t begin,
	       const char *name, struct pl_err *err, const char *format, va_list args)
{
	auto_free char *text = pl_vasprintf(format, args);
	auto_free char *reason = name != NULL ? pl_asprintf("%s: %s", name, text)
					      : pl_asprintf("%s", text);
	auto_free char *shown = pl_clean_line(reason);

	return pl_err_set_at(err, PL_ERR_INVALID, csv->source, row->line,
			     (int)pl_text_columns(row->begin, begin) + 1, shown);
}

static int PL_PRINTF(5, 6) refuse_at(const struct dash_csv *csv, const struct dash_csv_row *row,
				     size_t begin, struct pl_err *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refuse(csv, row, begin, NULL, err, format, args);
	va_end(args);
	return -1;
}

int dash_csv_refuse(const struct dash_csv *csv, size_t column, struct pl_err *err,
		    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refuse(csv, &csv->row, csv->row.fields[column].begin, dash_csv_name(csv, column), err,
	       format, args);
	va_end(args);
	return -1;
}

int dash_csv_refuse_row(const struct dash_csv *csv, struct pl_err *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refuse(csv, csv->row.count > 0 ? &csv->row : &csv->names, 0, NULL, err, format, args);
	va_end(args);
	return -1;
}

int dash_csv_refuse_name(const struct dash_csv *csv, size_t column, struct pl_err *err,
			 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	refuse(csv, &csv->names, csv->names.fields[column].begin, NULL, err, format, args);
	va_end(args);
	return -1;
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* Adds a field in quotes. *at: its quote, and then the comma or the end of the line after it. */
static int read_quoted(const struct dash_csv *csv, struct dash_csv_row *row, const char **at,
		       struct pl_err *err)
{
	size_t begin = (size_t)(*at - row->begin);
	const char *next = *at + 1;

	for (; *next != '\0' && *next != '\n' && (*next != '"' || next[1] == '"'); next++) {
		next += *next == '"';
		pl_buf_add_char(&row->texts, *next);
	}
	if (*next != '"')
		return refuse_at(csv, row, begin, err,
				 "found no closing quote in this line, expected one");
	next++;
	next += strspn(next, BLANK);
	if (*next != ',' && *next != '\n' && *next != '\0')
		return refuse_at(csv, row, (size_t)(next - row->begin), err,
				 "unexpected text after a closing quote");
	*at = next;
	return 0;
}

static void read_plain(struct dash_csv_row *row, const char **at)
{
	size_t len = strcspn(*at, ",\n"), used = len;

	while (used > 0 && strchr(BLANK, (*at)[used - 1]) != NULL)
		used--;
	pl_buf_add(&row->texts, *at, used);
	*at += len;
}

/* Reads the fields of a line, and moves to the next one. */
static int read_line(struct dash_csv *csv, struct dash_csv_row *row, struct pl_err *err)
{
	const char *at = csv->at;

	pl_buf_clear(&row->texts);
	row->begin = at;
	row->line = csv->line;
	row->count = 0;
	for (bool is_last = false; !is_last; at += !is_last) {
		at += strspn(at, BLANK);
		if (row->count == DASH_CSV_COLUMNS_MAX)
			return refuse_at(csv, row, (size_t)(at - row->begin), err,
					 "found more than %d fields", DASH_CSV_COLUMNS_MAX);
		row->fields[row->count++] = (struct dash_csv_field){ row->texts.len,
								     (size_t)(at - row->begin) };
		if (*at != '"')
			read_plain(row, &at);
		else if (read_quoted(csv, row, &at, err) < 0)
			return -1;
		pl_buf_add_char(&row->texts, '\0');
		is_last = *at != ',';
	}
	csv->line += *at == '\n';
	csv->at = at + (*at == '\n');
	return 0;
}

/* Skips comments and empty lines. Returns false at the end of the file. */
static bool find_line(struct dash_csv *csv)
{
	for (;;) {
		const char *first = csv->at + strspn(csv->at, BLANK);
		if (*first == '\0')
			return false;
		if (*first != '#' && *first != '\n')
			return true;
		csv->at = first + strcspn(first, "\n");
		csv->line += *csv->at == '\n';
		csv->at += *csv->at == '\n';
	}
}

int dash_csv_open(struct dash_csv *ret, const char *source, const char *text, struct pl_err *err)
{
	*ret = (struct dash_csv){ .source = pl_clean_line(source), .at = text, .line = 1 };
	/* each field has at least the byte of its comma in the text, so texts are not longer */
	pl_buf_init(&ret->names.texts, strlen(text) + 1);
	pl_buf_init(&ret->row.texts, strlen(text) + 1);
	if (pl_text_starts(text, BYTE_BOM))
		ret->at += strlen(BYTE_BOM);
	if (!find_line(ret)) {
		ret->names.begin = ret->at;
		ret->names.line = ret->line;
		return refuse_at(ret, &ret->names, 0, err,
				 "found nothing, expected the names of columns");
	}
	return read_line(ret, &ret->names, err);
}

void dash_csv_done(struct dash_csv *csv)
{
	free(csv->source);
	pl_buf_done(&csv->names.texts);
	pl_buf_done(&csv->row.texts);
}

int dash_csv_next(struct dash_csv *csv, struct pl_err *err)
{
	if (!find_line(csv))
		return 0;
	if (read_line(csv, &csv->row, err) < 0)
		return -1;
	if (csv->row.count > csv->names.count)
		return refuse_at(csv, &csv->row, csv->row.fields[csv->names.count].begin, err,
				 "found %zu fields, expected %zu", csv->row.count,
				 csv->names.count);
	if (csv->row.count < csv->names.count)
		return dash_csv_refuse_row(csv, err, "found %zu field%s, expected %zu",
					   csv->row.count, csv->row.count == 1 ? "" : "s",
					   csv->names.count);
	return 1;
}

/* ---- columns ----------------------------------------------------------------------------------- */

const char *dash_csv_field(const struct dash_csv *csv, size_t column)
{
	return csv->row.texts.data + csv->row.fields[column].text;
}

const char *dash_csv_name(const struct dash_csv *csv, size_t column)
{
	return csv->names.texts.data + csv->names.fields[column].text;
}

bool dash_csv_number(const struct dash_csv *csv, size_t column, double *ret)
{
	return pl_text_to_f64(dash_csv_field(csv, column), ret) && isfinite(*ret) && *ret >= 0;
}

int dash_csv_find(const struct dash_csv *csv, const char *name, bool is_required, size_t *ret,
		  struct pl_err *err)
{
	struct pl_nearest nearest = { .name = name };
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < csv->names.count; i++) {
		const char *other = dash_csv_name(csv, i);
		pl_nearest_try(&nearest, other);
		if (strcmp(other, name) != 0)
			continue;
		if (found != SIZE_MAX)
			return dash_csv_refuse_name(csv, i, err, "found column '%s' twice", name);
		found = i;
	}
	if (found == SIZE_MAX && is_required)
		return refuse_at(csv, &csv->names, 0, err, "found no column '%s'%s%s%s", name,
				 nearest.found != NULL ? " (did you mean '" : "",
				 nearest.found != NULL ? nearest.found : "",
				 nearest.found != NULL ? "'?)" : "");
	*ret = found;
	return 0;
}
