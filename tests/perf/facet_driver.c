/*
 * Requests over many results in memory, without HTTP and without a database
 * (tests/perf/facets.py). One JSON object per line on standard input, one in return for each:
 *   {describe: true}                    {fields: [{id, type, role, distinct, there}]} of the base
 *   {fill: {rows, order, ids}}          {seconds, bytes_a_row, counted_bytes_a_row}; order:
 *                                       clustered, shuffled; ids: fields to fill, null: all
 *   {dump: {rows, order, ids, path}}    {seconds}: writes the same rows for PostgreSQL's COPY
 *   {ask: request}                      {answer}
 *   {time: request, times: n}           {ms: [of each]}
 * or {error}. The base is argv[1] results of a synthetic history (demo/). Rows beyond it repeat the
 * base with other names, times and metrics: making a million documents would take an hour.
 */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "demo/history.h"
#include "facet_mirror.h"

#define SEED      1
#define TEXT_ROOM 48

struct base {
	struct res_fields *fields;
	const struct res_field *const *columns;
	size_t column_count;
	struct mirror_row *rows;
	size_t count; /* whole sweeps */
};

/* Rows one after the other: so many, in an order, of some columns. */
struct source {
	const struct base *base;
	size_t rows;
	uint32_t *order; /* NULL: as they come */
	bool *has;       /* [column_count] */
	struct mirror_cell *cells;
	char run_id[TEXT_ROOM];
	char time[TEXT_ROOM];
};

/* ---- the base ------------------------------------------------------------------------------ */

static int open_base(struct base *base, int64_t wanted, struct pl_err *err)
{
	auto_history struct demo *history = NULL;

	base->fields = res_fields_new(NULL);
	base->columns = mirror_column_fields(base->fields, &base->column_count);
	base->count = (size_t)(wanted / DEMO_SWEEP * DEMO_SWEEP);
	base->rows = pl_alloc_array(base->count, sizeof(*base->rows));
	if (demo_new(SEED, (int64_t)base->count, &history, err) < 0)
		return -1;
	for (size_t i = 0; i < base->count; i++) {
		auto_json json_t *document = NULL;
		if (demo_document(history, (int64_t)i, &document, err) < 0)
			return -1;
		mirror_row_of_document(base->fields, document, &base->rows[i]);
	}
	return 0;
}

static void close_base(struct base *base)
{
	for (size_t i = 0; i < base->count; i++)
		mirror_row_done(&base->rows[i]);
	free(base->rows);
	res_fields_free(base->fields);
}

static uint64_t mixed(uint64_t number)
{
	number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
	number = (number ^ number >> 27) * 0x94d049bb133111ebu;
	return number ^ number >> 31;
}

static uint64_t cell_hash(const struct mirror_cell *cell)
{
	uint64_t hash = mixed((uint64_t)cell->state * 8 + cell->kind);
	uint64_t bits;

	if (cell->state != RES_VALUE_PRESENT)
		return hash;
	memcpy(&bits, &cell->number, sizeof(bits));
	for (const char *at = cell->text != NULL ? cell->text : ""; *at != '\0'; at++)
		hash = mixed(hash + (unsigned char)*at);
	return cell->text != NULL ? hash : mixed(hash ^ bits);
}

static int compare_hashes(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return *one < *other ? -1 : *one > *other;
}

static json_t *describe_column(const struct base *base, size_t column)
{
	static const char *const roles[] = { "input", "output", "engine", "host", "provenance" };
	auto_free uint64_t *hashes = pl_alloc_array(base->count, sizeof(*hashes));
	const struct res_field *field = base->columns[column];
	size_t there = 0, distinct = 0;

	for (size_t i = 0; i < base->count; i++) {
		const struct mirror_cell *cell = &base->rows[i].cells[column];
		hashes[i] = cell_hash(cell);
		there += cell->state == RES_VALUE_PRESENT;
	}
	qsort(hashes, base->count, sizeof(*hashes), compare_hashes);
	for (size_t i = 0; i < base->count; i++)
		distinct += i == 0 || hashes[i] != hashes[i - 1];
	auto_json json_t *reported = res_field_to_json(field);
	return json_pack("{s:s, s:O, s:s, s:I, s:I}", "id", field->id, "type",
			 json_object_get(reported, "type"), "role", roles[field->role], "distinct",
			 (json_int_t)distinct, "there", (json_int_t)there);
}

static json_t *describe(const struct base *base)
{
	json_t *fields = json_array();

	for (size_t i = 0; i < base->column_count; i++)
		json_array_append_new(fields, describe_column(base, i));
	return json_pack("{s:o}", "fields", fields);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void shuffle(struct source *source)
{
	struct pl_pcg64 rng;

	source->order = pl_alloc_array(source->rows, sizeof(*source->order));
	for (size_t i = 0; i < source->rows; i++)
		source->order[i] = (uint32_t)i;
	pl_pcg64_seed(&rng, SEED);
	for (size_t i = source->rows; i > 1; i--) {
		size_t other = (size_t)pl_pcg64_integers(&rng, 0, (int64_t)i);
		uint32_t retained = source->order[i - 1];
		source->order[i - 1] = source->order[other];
		source->order[other] = retained;
	}
}

static void source_init(struct source *source, const struct base *base, const json_t *requested)
{
	const json_t *ids = json_object_get(requested, "ids");

	*source = (struct source){ .base = base,
				   .rows = (size_t)pl_json_get_i64(requested, "rows") };
	source->has = pl_alloc_array(base->column_count, sizeof(*source->has));
	source->cells = pl_alloc_array(base->column_count, sizeof(*source->cells));
	for (size_t i = 0; i < base->column_count; i++)
		source->has[i] = !json_is_array(ids) || pl_json_has_text(ids, base->columns[i]->id);
	if (pl_text_equal(pl_json_get_text(requested, "order"), "shuffled"))
		shuffle(source);
}

static void source_done(struct source *source)
{
	free(source->order);
	free(source->has);
	free(source->cells);
}
#define auto_source __attribute__((cleanup(source_done), unused)) struct source

/* Another run of the same sweep: its figures differ by some percent. */
static void renew(struct source *source, const struct res_field *field, size_t number,
		  struct mirror_cell *cell)
{
	double share = (double)(mixed(number * 1024 + (size_t)(cell - source->cells)) >> 11) *
		       0x1p-53;

	if (cell->state != RES_VALUE_PRESENT)
		return;
	if (field->type == RES_FIELD_TIME)
		cell->text = source->time;
	else if (strcmp(field->id, "run.run_id") == 0)
		cell->text = source->run_id;
	else if (field->role == RES_FIELD_OUTPUT && cell->kind == RES_VALUE_NUMBER &&
		 field->type == RES_FIELD_NUMBER)
		cell->number *= 0.95 + 0.1 * share;
	else if (field->role == RES_FIELD_OUTPUT && cell->kind == RES_VALUE_NUMBER &&
		 cell->number > 1000)
		cell->number = floor(cell->number * (0.95 + 0.1 * share));
}

static struct mirror_row source_row(struct source *source, size_t at)
{
	const struct base *base = source->base;
	size_t number = source->order != NULL ? source->order[at] : at;
	size_t sweep = number / DEMO_SWEEP, sweeps = base->count / DEMO_SWEEP;
	bool is_repeat = sweep >= sweeps;

	if (is_repeat)
		sweep = mixed(sweep) % sweeps;
	const struct mirror_row *from = &base->rows[sweep * DEMO_SWEEP + number % DEMO_SWEEP];
	snprintf(source->run_id, sizeof(source->run_id), "exp_20260101_000000_%07zx", number);
	pl_clock_rfc3339(1767571200 * PL_NS_PER_S + (int64_t)number * 26 * PL_NS_PER_S,
			 source->time);
	for (size_t i = 0; i < base->column_count; i++) {
		if (!source->has[i])
			continue;
		source->cells[i] = from->cells[i];
		if (is_repeat)
			renew(source, base->columns[i], number, &source->cells[i]);
	}
	return (struct mirror_row){ .id = (int64_t)at + 1,
				    .run_id = source->run_id,
				    .cells = source->cells };
}

static double resident_bytes(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	malloc_trim(0);
	if (file != NULL && fscanf(file, "%*d %ld", &pages) != 1)
		pages = 0;
	if (file != NULL)
		fclose(file);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static json_t *fill(const struct base *base, const json_t *requested, struct mirror **mirror)
{
	auto_source source;

	driver_mirror_free(*mirror);
	*mirror = driver_mirror_new(base->fields);
	source_init(&source, base, requested);
	double before = resident_bytes();
	int64_t began_ns = pl_clock_now_ns();
	for (size_t i = 0; i < source.rows; i++) {
		struct mirror_row row = source_row(&source, i);
		driver_mirror_append(*mirror, &row);
	}
	mirror_end(*mirror);
	double seconds = (double)(pl_clock_now_ns() - began_ns) / PL_NS_PER_S;
	double rows = (double)source.rows;
	return json_pack("{s:f, s:f, s:f}", "seconds", seconds, "bytes_a_row",
			 (resident_bytes() - before) / rows, "counted_bytes_a_row",
			 mirror_bytes(*mirror) / rows);
}

/* ---- a file for others --------------------------------------------------------------------- */

static void put_text(FILE *file, const char *text)
{
	for (; *text != '\0'; text++) {
		const char *escaped = strchr("\tt\nn\rr\\\\", *text);
		if (escaped != NULL && (escaped - "\tt\nn\rr\\\\") % 2 == 0)
			fprintf(file, "\\%c", escaped[1]);
		else
			fputc(*text, file);
	}
}

/* Nothing, and a word among numbers, is NULL: plain SQL has one nothing, and one type per
 * column. */
static void put_cell(FILE *file, const struct res_field *field, const struct mirror_cell *cell)
{
	bool is_number = field->type == RES_FIELD_NUMBER || field->type == RES_FIELD_COUNT;
	char number[PL_F64_TEXT_BYTES];

	if (cell->state != RES_VALUE_PRESENT || is_number != (cell->kind == RES_VALUE_NUMBER)) {
		fputs("\\N", file);
	} else if (cell->text != NULL) {
		put_text(file, cell->text);
	} else if (cell->kind == RES_VALUE_YES) {
		fputc(cell->number > 0 ? '1' : '0', file);
	} else {
		pl_text_from_f64(cell->number, number);
		fputs(number, file);
	}
}

static json_t *dump(const struct base *base, const json_t *requested)
{
	const char *path = pl_json_get_text(requested, "path");
	FILE *file = fopen(path, "w");
	int64_t began_ns = pl_clock_now_ns();
	auto_source source;

	if (file == NULL)
		return json_pack("{s:s+}", "error", "cannot write ", path);
	source_init(&source, base, requested);
	for (size_t i = 0; i < source.rows; i++) {
		struct mirror_row row = source_row(&source, i);
		fprintf(file, "%lld", (long long)row.id);
		for (size_t j = 0; j < base->column_count; j++) {
			if (!source.has[j])
				continue;
			fputc('\t', file);
			put_cell(file, base->columns[j], &row.cells[j]);
		}
		fputc('\n', file);
	}
	bool is_whole = ferror(file) == 0;
	if (fclose(file) != 0 || !is_whole)
		return json_pack("{s:s+}", "error", "cannot write ", path);
	return json_pack("{s:f}", "seconds", (double)(pl_clock_now_ns() - began_ns) / PL_NS_PER_S);
}

/* ---- questions ----------------------------------------------------------------------------- */

static json_t *ask(struct mirror *mirror, const json_t *request)
{
	struct pl_err err = PL_ERR_INIT;
	auto_free char *text = NULL;

	if (mirror_ask(mirror, request, &text, &err) < 0)
		return json_pack("{s:s}", "error", err.text);
	return json_pack("{s:o}", "answer", json_loads(text, 0, NULL));
}

static json_t *measure(struct mirror *mirror, const json_t *requested)
{
	json_int_t times = pl_json_get_i64(requested, "times");
	json_t *ms = json_array();

	for (json_int_t i = 0; i < times; i++) {
		struct pl_err err = PL_ERR_INIT;
		auto_free char *text = NULL;
		int64_t began_ns = pl_clock_now_ns();
		if (mirror_ask(mirror, json_object_get(requested, "time"), &text, &err) < 0) {
			json_decref(ms);
			return json_pack("{s:s}", "error", err.text);
		}
		json_array_append_new(
			ms, json_real((double)(pl_clock_now_ns() - began_ns) / PL_NS_PER_MS));
	}
	return json_pack("{s:o}", "ms", ms);
}

static json_t *take_line(const struct base *base, const json_t *requested, struct mirror **mirror)
{
	const json_t *filling = json_object_get(requested, "fill");
	const json_t *dumping = json_object_get(requested, "dump");
	const json_t *asking = json_object_get(requested, "ask");

	if (filling != NULL)
		return fill(base, filling, mirror);
	if (dumping != NULL)
		return dump(base, dumping);
	if (asking != NULL)
		return ask(*mirror, asking);
	if (json_object_get(requested, "time") != NULL)
		return measure(*mirror, requested);
	return describe(base);
}

int main(int argc, char **argv)
{
	struct pl_err err = PL_ERR_INIT;
	struct base base = { .count = 0 };
	struct mirror *mirror = NULL;
	char *line = NULL;
	size_t room = 0;
	int64_t wanted = 0;

	if (argc != 2 || !pl_text_to_i64(argv[1], &wanted) || wanted < DEMO_SWEEP ||
	    open_base(&base, wanted, &err) < 0) {
		fprintf(stderr, "facet_driver: %s\n", err.text);
		return 2;
	}
	for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;) {
		auto_json json_t *requested = json_loadb(line, (size_t)len, 0, NULL);
		auto_json json_t *heard = take_line(&base, requested, &mirror);
		auto_free char *text = pl_json_to_text(heard, PL_JSON_COMPACT);
		puts(text);
		fflush(stdout);
	}
	free(line);
	driver_mirror_free(mirror);
	close_base(&base);
	return 0;
}
