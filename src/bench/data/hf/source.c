/* Reads the records of files, one after the other, without holding a file in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "bench/data/hf/hf_priv.h"
#include "columnar/records.h"

#define CELL_BYTES_MAX  ((size_t)64 << 20)
#define CSV_COLUMNS_MAX 10000
#define MARK            "\xef\xbb\xbf" /* byte order mark */

enum form { FORM_JSON, FORM_CSV, FORM_COLUMNS };

struct hf_source {
	struct pl_strv files;
	struct pl_strv columns;
	size_t file;    /* the next one */
	int64_t record; /* in the open file, from 1 */

	/* ---- of the open file ---- */
	bool is_open;
	enum form form;
	FILE *text;
	bool is_array; /* of JSON: the records are the items */
	struct pl_strv header;
	struct columnar_records *records;
};

struct hf_source *bench_hf_source_new(const struct pl_strv *files, const char *columns)
{
	struct hf_source *source = pl_alloc(sizeof(*source));
	auto_free char *list = pl_strdup(columns);
	char *rest = list;

	*source = (struct hf_source){ 0 };
	for (size_t i = 0; i < files->count; i++)
		pl_strv_add(&source->files, files->items[i]);
	for (char *name; (name = strsep(&rest, " ")) != NULL;)
		pl_strv_add(&source->columns, name);
	return source;
}

static void close_file(struct hf_source *source)
{
	if (source->text != NULL)
		fclose(source->text);
	columnar_records_free(source->records);
	pl_strv_done(&source->header);
	source->text = NULL;
	source->records = NULL;
	source->header = (struct pl_strv){ 0 };
	source->is_open = false;
}

void bench_hf_source_free(struct hf_source *source)
{
	if (source == NULL)
		return;
	close_file(source);
	pl_strv_done(&source->files);
	pl_strv_done(&source->columns);
	free(source);
}

char *bench_hf_source_place(const struct hf_source *source)
{
	return pl_asprintf("%s: record %lld", source->files.items[source->file - 1],
			   (long long)source->record);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Returns the next character that is not blank, which is not consumed; EOF at the end. */
static int peek(FILE *text)
{
	int c;

	do {
		c = getc(text);
	} while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
	if (c != EOF)
		ungetc(c, text);
	return c;
}

/* Consumes the comma after an item of the array. Returns 1 if an item follows, 0 at its end, -1 for anything else. */
static int next_item(const struct hf_source *source)
{
	int c = peek(source->text);

	if (c == ']')
		return 0;
	if (source->record == 0)
		return c != EOF ? 1 : -1;
	if (c != ',')
		return -1;
	(void)getc(source->text);
	return 1;
}

static int next_json(struct hf_source *source, json_t **ret, struct pl_err *err)
{
	json_error_t fault;
	int more = source->is_array ? next_item(source) : peek(source->text) != EOF;

	*ret = NULL;
	if (ferror(source->text))
		return pl_err_errno(err, "could not read it");
	if (more < 0)
		return pl_err_invalid(err, "not valid JSON: expected ',' or ']'");
	if (more == 0)
		return 0;
	*ret = json_loadf(source->text, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &fault);
	if (*ret == NULL)
		return pl_err_invalid(err, "not valid JSON: %s", fault.text);
	return 0;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/*
 * Reads a cell, which may be in quotes and then contain commas and line ends. Returns the character after it: ',', '\n'
 * or EOF; -2 if it is malformed.
 */
static int read_cell(FILE *text, struct pl_buf *cell, bool *is_quoted)
{
	int c = getc(text);

	pl_buf_clear(cell);
	*is_quoted = c == '"';
	if (*is_quoted) {
		for (c = getc(text); c != EOF; c = getc(text)) {
			if (c == '"') {
				c = getc(text);
				if (c != '"')
					break;
			}
			if (!pl_buf_add_char(cell, (char)c))
				return -2;
		}
	}
	for (; c != ',' && c != '\n' && c != EOF; c = getc(text)) {
		if (c != '\r' && !pl_buf_add_char(cell, (char)c))
			return -2;
	}
	return c;
}

/* Skips empty lines. Blanks belong to the first cell. */
static bool has_row(FILE *text)
{
	int c;

	do {
		c = getc(text);
	} while (c == '\r' || c == '\n');
	if (c != EOF)
		ungetc(c, text);
	return c != EOF;
}

/* An empty cell is null, as for the readers of Python. */
static int next_csv(struct hf_source *source, json_t **ret, struct pl_err *err)
{
	auto_buf cell = PL_BUF(CELL_BYTES_MAX);
	auto_json json_t *record = json_object();
	bool is_quoted;
	int end = ',';

	*ret = NULL;
	if (!has_row(source->text))
		return ferror(source->text) ? pl_err_errno(err, "could not read it") : 0;
	for (size_t i = 0; end == ','; i++) {
		end = read_cell(source->text, &cell, &is_quoted);
		if (end == -2)
			return pl_err_invalid(err, "found a cell of more than %zu bytes",
					      CELL_BYTES_MAX);
		if (i >= source->header.count)
			return pl_err_invalid(err, "found more cells than the header has (%zu)",
					      source->header.count);
		json_object_set_new_nocheck(record, source->header.items[i],
					    cell.len == 0 && !is_quoted
						    ? json_null()
						    : pl_json_text(pl_buf_text(&cell)));
	}
	*ret = json_incref(record);
	return 0;
}

static int read_header(struct hf_source *source, struct pl_err *err)
{
	auto_buf cell = PL_BUF(CELL_BYTES_MAX);
	bool is_quoted;
	int end = ',';

	while (end == ',') {
		end = read_cell(source->text, &cell, &is_quoted);
		if (end == -2 || source->header.count == CSV_COLUMNS_MAX)
			return pl_err_invalid(err,
					      "its header is malformed or has more than %d "
					      "columns",
					      CSV_COLUMNS_MAX);
		auto_json json_t *name = pl_json_text(pl_buf_text(&cell));
		pl_strv_add(&source->header, json_string_value(name));
	}
	return 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int open_text(struct hf_source *source, const char *path, struct pl_err *err)
{
	char mark[sizeof(MARK) - 1];

	source->text = fopen(path, "re");
	if (source->text == NULL)
		return pl_err_errno(err, "could not open it");
	if (fread(mark, 1, sizeof(mark), source->text) != sizeof(mark) ||
	    memcmp(mark, MARK, sizeof(mark)) != 0)
		rewind(source->text);
	source->form = pl_text_ends(path, ".csv") ? FORM_CSV : FORM_JSON;
	if (source->form == FORM_CSV)
		return read_header(source, err);
	source->is_array = peek(source->text) == '[';
	if (source->is_array)
		(void)getc(source->text);
	return 0;
}

static int open_file(struct hf_source *source, const char *path, struct pl_err *err)
{
	char start[64] = "";
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return pl_err_errno(err, "could not open it");
	ssize_t len = TEMP_FAILURE_RETRY(read(fd, start, sizeof(start)));
	if (len < 0)
		return pl_err_errno(err, "could not read it");
	const char *other = bench_entries_other_file(start, (size_t)len);
	if (other != NULL)
		return pl_err_invalid(err, "%s", other);
	source->record = 0;
	source->is_open = true;
	if (!columnar_is_records(start, (size_t)len))
		return open_text(source, path, err);
	source->form = FORM_COLUMNS;
	return columnar_records_open_file(fd, pl_strv_texts(&source->columns), &COLUMNAR_LIMITS,
					  &source->records, err);
}

static int next_of_file(struct hf_source *source, json_t **ret, struct pl_err *err)
{
	int status = source->form == FORM_JSON  ? next_json(source, ret, err)
		     : source->form == FORM_CSV ? next_csv(source, ret, err)
						: columnar_records_next(source->records, ret, err);

	if (status < 0 && source->form != FORM_COLUMNS)
		return pl_err_wrap(err, "record %lld", (long long)source->record + 1);
	return status;
}

int bench_hf_source_next(struct hf_source *source, json_t **ret, struct pl_err *err)
{
	*ret = NULL;
	for (;;) {
		if (!source->is_open) {
			if (source->file == source->files.count)
				return 0;
			if (open_file(source, source->files.items[source->file++], err) < 0)
				break;
		}
		if (next_of_file(source, ret, err) < 0)
			break;
		source->record++;
		if (*ret != NULL)
			return 0;
		close_file(source);
	}
	return pl_err_wrap(err, "%s", source->files.items[source->file - 1]);
}
