/*
 * `profllm-dashboard import`: words around dash/import/. Each document has its line as soon as it is on
 * the disk; what was not taken is told on standard error, so that it shows whatever becomes of the rest.
 */
#include "dash/dash.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/log.h"
#include "dash/import/import.h"
#include "result/files.h"

#define TEXT_BYTES_MAX (1u << 20)
#define FAULTS_SHOWN   10
#define FIRST_NS       (2 * PL_NS_PER_S) /* what is quick needs no progress */
#define LINE_NS        (10 * PL_NS_PER_S)
#define DRAW_NS        (200 * PL_NS_PER_MS)

struct import_options {
	const char *db;
	bool json;
	bool quiet;
};

#define AT(field) offsetof(struct import_options, field)

static const struct pl_opt import_rows[] = {
	PL_OPT(TEXT, 0, "db", db, "FILE", "the database, made where there is none",
	       .def = "profllm/profllm.db in XDG_DATA_HOME"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "what became of each document as one JSON object, alone on standard output"),
	PL_OPT(FLAG, 'q', "quiet", quiet, NULL,
	       "no line for what went well, and no progress: the summary only"),
	{ .name = NULL },
};

const struct pl_opt_command dash_import_command = {
	.name = DASH_PROGRAM " import",
	.usage = "PATH ... [--db FILE] [--json] [--quiet]",
	.summary = "Take result files into the database.",
	.details =
		"A PATH is a file, or a folder: then all files in it and below that may hold "
		"results "
		"by their names (.json, .jsonl, .ndjson, each also .zst). A file holds one result, "
		"a "
		"JSON array of them, or one a line. What it is, is found out from what it holds: a "
		"result of profllm, of any schema_version, of vllm bench serve, or a document with "
		"a "
		"run_id.\n\n"
		"Examples:\n"
		"  " DASH_PROGRAM " import r.json results/\n"
		"  " DASH_PROGRAM " import --db lab.db --json nightly.jsonl.zst\n\n"
		"Files beside a result (its requests, series, logs, drawings) are passed over. The "
		"same content is stored once, however often it comes. Other content under a run_id "
		"that is there is a conflict: the result that is there stays. Secrets stand as *** "
		"in "
		"what is kept. A result is told as stored when it is on the disk; after a kill, "
		"the "
		"same command again takes the rest. profllm-dashboard may be running on the "
		"database "
		"meanwhile, and shows what comes.\n\n"
		"Exit status: 0 all is in the database, 1 something was rejected or is a conflict, "
		"2 "
		"bad usage, a PATH that is not there or a database that cannot be used (one that a "
		"newer program has changed, too), 5 another process keeps writing to it.",
	.options = import_rows,
	.operand = "FILE",
};

/* An import under way. */
struct view {
	const struct import_options *options;
	json_t *results; /* with --json */
	size_t counts[STORE_OUTCOME_COUNT];
	size_t passed_over;
	int64_t began_ns;
	int64_t shown_ns; /* when progress was told last */
	bool is_drawn;    /* a line that is to be drawn over stands there */
	int status;       /* of standard output */
};

/* ---- progress ------------------------------------------------------------------------------ */

static void wipe(struct view *view)
{
	if (view->is_drawn)
		fputs("\r\033[K", stderr);
	view->is_drawn = false;
}

static void show_progress(struct view *view, size_t done, size_t count)
{
	bool draws = isatty(STDERR_FILENO) == 1;
	int64_t now_ns = pl_clock_now_ns();

	if (view->options->quiet || now_ns - view->began_ns < FIRST_NS ||
	    now_ns - view->shown_ns < (draws ? DRAW_NS : LINE_NS))
		return;
	view->shown_ns = now_ns;
	wipe(view);
	if (draws)
		fprintf(stderr, "%zu of %zu files", done, count);
	else
		pl_log(PL_LOG_INFO, "%zu of %zu files", done, count);
	view->is_drawn = draws;
}

/* ---- a document ---------------------------------------------------------------------------- */

static void print_line(struct view *view, const char *text)
{
	wipe(view);
	if (view->status == 0)
		view->status = pl_program_print(text);
}

/* The first is in the line above it where there is no more to say than that. */
static void log_faults(const json_t *faults)
{
	size_t count = json_array_size(faults);

	for (size_t i = 0; count > 1 && i < count && i < FAULTS_SHOWN; i++) {
		const json_t *fault = json_array_get(faults, i);
		auto_free char *line = pl_clean_line(
			json_string_value(json_object_get(fault, "message")));
		fprintf(stderr, "  %s\n", line);
	}
	if (count > FAULTS_SHOWN)
		fprintf(stderr, "  and %zu more (all of them: --json)\n", count - FAULTS_SHOWN);
}

static void tell_failure(struct view *view, const struct dash_imported *imported)
{
	wipe(view);
	if (imported->outcome == STORE_CONFLICT) {
		auto_free char *run_id = pl_clean_line(imported->document->run_id);
		pl_log(PL_LOG_ERROR,
		       "'%s' is not stored: other content is there under its run_id '%s' (result "
		       "%lld)",
		       imported->path, run_id, (long long)imported->id);
		return;
	}
	pl_log(PL_LOG_ERROR, "%s", imported->message);
	log_faults(imported->faults);
}

static void tell_success(struct view *view, const struct dash_imported *imported)
{
	const char *run_id = imported->document->run_id;
	auto_free char *shown = pl_clean_line(run_id != NULL ? run_id : "-");
	auto_free char *name = pl_clean_line(imported->name);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	pl_buf_addf(&text, "%-9s %6lld  %-27s %s\n", store_outcome_name(imported->outcome),
		    (long long)imported->id, shown, name);
	for (size_t i = 0; i < json_array_size(imported->faults) && i < FAULTS_SHOWN; i++) {
		auto_free char *line = pl_clean_line(json_string_value(
			json_object_get(json_array_get(imported->faults, i), "message")));
		pl_buf_addf(&text, "          note: %s\n", line);
	}
	print_line(view, pl_buf_text(&text));
}

static json_t *imported_json(const struct dash_imported *imported)
{
	const struct store_document *document = imported->document;

	return json_pack("{s:o, s:o, s:s, s:s?, s:o, s:o, s:o, s:O}", "path",
			 pl_json_text(imported->path), "name", pl_json_text(imported->name),
			 "state", store_outcome_name(imported->outcome), "form",
			 document != NULL ? store_form_name(document->form) : NULL, "id",
			 imported->id > 0 ? json_integer(imported->id) : json_null(), "run_id",
			 pl_json_text(document != NULL ? document->run_id : NULL), "message",
			 pl_json_text(imported->message), "faults", imported->faults);
}

static void told(void *context, const struct dash_imported *imported)
{
	struct view *view = context;
	bool fails = imported->outcome == STORE_CONFLICT || imported->outcome == STORE_REJECTED;

	view->counts[imported->outcome]++;
	if (view->options->json)
		json_array_append_new(view->results, imported_json(imported));
	if (fails)
		tell_failure(view, imported);
	else if (!view->options->json && !view->options->quiet)
		tell_success(view, imported);
}

static void pass_over(struct view *view, const struct res_file *file)
{
	view->passed_over++;
	if (view->options->json) {
		json_array_append_new(view->results,
				      json_pack("{s:o, s:s, s:s}", "path", pl_json_text(file->path),
						"state", "passed_over", "message", file->side));
		return;
	}
	if (view->options->quiet)
		return;
	auto_free char *path = pl_clean_line(file->path);
	auto_free char *line = pl_asprintf("passed over       %s: %s\n", path, file->side);
	print_line(view, line);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int print_summary(struct view *view, const char *db, int64_t total)
{
	const size_t *counts = view->counts;
	auto_free char *shown = pl_clean_line(db);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	wipe(view);
	if (view->options->json) {
		auto_json json_t *told_counts = json_object();
		for (int i = 0; i < STORE_OUTCOME_COUNT; i++)
			json_object_set_new(told_counts, store_outcome_name((enum store_outcome)i),
					    json_integer((json_int_t)counts[i]));
		json_object_set_new(told_counts, "passed_over",
				    json_integer((json_int_t)view->passed_over));
		auto_json json_t *all = json_pack("{s:o, s:O, s:O, s:I}", "db", pl_json_text(db),
						  "results", view->results, "counts", told_counts,
						  "total", (json_int_t)total);
		return pl_program_print_json(all);
	}
	pl_buf_addf(&text, "%zu stored, %zu there already, %zu in conflict, %zu rejected",
		    counts[STORE_STORED], counts[STORE_DUPLICATE], counts[STORE_CONFLICT],
		    counts[STORE_REJECTED]);
	if (view->passed_over > 0)
		pl_buf_addf(&text, ", %zu files passed over", view->passed_over);
	pl_buf_addf(&text, "; %lld result%s in %s\n", (long long)total, total == 1 ? "" : "s",
		    shown);
	return pl_program_print(pl_buf_text(&text));
}

static int import_files(struct view *view, const struct res_files *files, struct store *store,
			const struct store_reader *reader, struct pl_err *err)
{
	auto_dash_import struct dash_import *import = dash_import_new(store, reader, told, view);

	for (size_t i = 0; i < files->count; i++) {
		const struct res_file *file = &files->items[i];
		show_progress(view, i, files->count);
		if (file->side != NULL)
			pass_over(view, file);
		else if (dash_import_file(import, file->path, err) < 0)
			return -1;
	}
	return dash_import_finish(import, err);
}

static int import_all(struct view *view, const struct res_files *files, const char *db,
		      int64_t *ret_total, struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store_reader struct store_reader *reader = NULL;
	auto_store struct store *store = NULL;

	if (store_reader_new(fields, &reader, err) < 0 ||
	    store_open(&(struct store_options){ .path = db, .fields = fields }, &store, err) < 0 ||
	    import_files(view, files, store, reader, err) < 0)
		return -1;
	return store_count(store, ret_total, err);
}

static int find_files(const struct pl_words *words, struct res_files *files, struct pl_err *err)
{
	if (words->count == 0)
		return pl_err_set(err, PL_ERR_INVALID, "found no PATH, expected a file or folder");
	for (int i = 0; i < words->count; i++) {
		if (res_files_add(files, words->items[i], err) < 0)
			return -1;
	}
	return 0;
}

/* All paths are looked at first: a slip of the pen is no reason for half an import. */
static int run(const struct import_options *options, const struct pl_words *words)
{
	auto_res_files files = { 0 };
	auto_free char *default_db = NULL;
	auto_json json_t *results = json_array();
	struct view view = { .options = options,
			     .results = results,
			     .began_ns = pl_clock_now_ns() };
	struct pl_err err = PL_ERR_INIT;
	int64_t total = 0;

	if (find_files(words, &files, &err) < 0 ||
	    (options->db == NULL && store_default_path(&default_db, &err) < 0))
		return pl_program_fail(&err);
	const char *db = options->db != NULL ? options->db : default_db;
	if (import_all(&view, &files, db, &total, &err) < 0) {
		wipe(&view);
		return pl_program_fail(&err);
	}
	int status = print_summary(&view, db, total);
	if (status == 0)
		status = view.status;
	if (status == 0 && view.counts[STORE_CONFLICT] + view.counts[STORE_REJECTED] > 0)
		status = pl_err_exit_status(PL_ERR_FAILED);
	return status;
}

int dash_cmd_import(int argc, char **argv)
{
	struct import_options options = { 0 };
	struct pl_words words;
	int status;

	if (pl_command_read(&dash_import_command, argc, argv, &options, &words, &status))
		status = run(&options, &words);
	return status;
}
