/*
 * `profllm-dashboard import`: the command line of dash/import/. Each document is reported as soon as it is on disk.
 * Failures are printed on standard error, so they are visible whatever happens to the rest.
 */
#include "dash/dash.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "dash/import/baseline.h"
#include "dash/import/import.h"
#include "dash/import/prices.h"
#include "dash/import/watch.h"
#include "result/files.h"
#include "store/analysis/baseline.h"
#include "store/analysis/prices.h"

#define TEXT_BYTES_MAX     (1u << 20)
#define FAULTS_SHOWN       10
#define BASELINE_BYTES_MAX 200
#define FIRST_NS           (2 * PL_NS_PER_S) /* short imports show no progress */
#define LINE_NS            (10 * PL_NS_PER_S)
#define DRAW_NS            (200 * PL_NS_PER_MS)

struct import_options {
	const char *db;
	const char *data;
	struct pl_opt_list watch;
	const char *prices;
	const char *baseline;
	const char *source;
	const char *date;
	const char *on_conflict;
	bool without_artifacts;
	bool json;
	bool quiet;
};

#define AT(field) offsetof(struct import_options, field)

static const char *const policy_names[] = {
#define STORE_CONFLICT_POLICY(NAME, name, text) #name,
#include "tbl/store_words.h"
	NULL,
};

static const struct pl_opt import_rows[] = {
	PL_OPT(TEXT, 0, "db", db, "FILE",
	       "use this database: a file, created if missing, or postgres://…",
	       .def = "profllm/profllm.db in XDG_DATA_HOME"),
	PL_OPT(TEXT, 0, "data", data, "DIR",
	       "store artifacts in DIR (default: next to the database)"),
	PL_OPT(LIST, 0, "watch", watch, "DIR",
	       "import the results in DIR and its subdirectories, then new ones until "
	       "interrupted; may be repeated"),
	PL_OPT(TEXT, 0, "prices", prices, "FILE",
	       "replace the prices of GPUs by those in FILE, a CSV file with the columns gpu and "
	       "per_hour, and currency if it is to be shown"),
	PL_OPT(TEXT, 0, "baseline", baseline, "NAME",
	       "store the public results in the files as the baseline NAME, apart from results; "
	       "replace an earlier one"),
	PL_OPT(TEXT, 0, "source", source, "TEXT",
	       "with --baseline: the source of rows that name none"),
	PL_OPT(TEXT, 0, "date", date, "DATE",
	       "with --baseline: the date of rows that have none, such as 2026-10-31"),
	PL_OPT(TEXT, 0, "on-conflict", on_conflict, "POLICY",
	       "handle a result whose run_id is stored with other content: skip it, replace the "
	       "stored one, or keep both",
	       .choices = policy_names, .def = "skip"),
	/* the spelling of earlier versions */
	PL_OPT(TEXT, 0, "on-known", on_conflict, "WORD", "", .choices = policy_names,
	       .hidden = true),
	PL_OPT(FLAG, 0, "without-artifacts", without_artifacts, NULL,
	       "import results without their artifacts"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print the outcome of each document as one JSON object; with --watch, one "
	       "object per line"),
	PL_OPT(FLAG, 'q', "quiet", quiet, NULL, "print only failures and the summary"),
	{ .name = NULL },
};

const struct pl_opt_command dash_import_command = {
	.name = DASH_PROGRAM " import",
	.usage = "PATH… [options]\n[PATH…] --watch DIR [options]\n--prices FILE [options]\n"
		 "--baseline NAME FILE… [options]",
	.summary = "Import result files into the database.",
	.details =
		"A PATH is a file or a directory. From a directory and its subdirectories, the "
		"command imports all .json, .jsonl and .ndjson files, also those compressed as "
		".zst "
		"or .gz. A file holds one result, a JSON array of results, one result per line, or "
		"a log with tables of vllm bench serve. Results may be from any version of "
		"profllm, from vllm bench serve, or any document with a run_id.\n\n"
		"Examples:\n"
		"  profllm-dashboard import r.json results/\n"
		"  profllm-dashboard import --db lab.db --json nightly.jsonl.zst\n"
		"  profllm-dashboard import --watch /data/results\n\n"
		"With a result, the command imports the artifacts that it names (requests, "
		"series, logs, plots, traces). Each is stored once, by its SHA-256. The command "
		"reports missing and changed artifacts, and ignores artifacts without a "
		"result.\n\n"
		"For the directory of a sweep (profllm sweep run), the command also imports "
		"summary.json. It holds the planned runs, so the map of the sweep shows missing "
		"ones.\n\n"
		"--watch continues until ^C or SIGTERM, and then finishes the files that it is "
		"reading. It imports only complete files: closed after writing, renamed into "
		"DIR, or unchanged for 2 s, so it also works on network file systems. It "
		"imports files that appeared while it was not running, and rereads files that "
		"were replaced. Artifacts may arrive later than their result.\n\n"
		"--prices stores the price per hour of each GPU model, in any currency, for the "
		"fields with costs. It takes no PATH. gpu is a value of "
		"system.hardware_info.gpu_name. The stored prices are replaced as a whole. A "
		"file without the column currency keeps the stored currency.\n\n"
		"--baseline stores aggregate results of InferenceX (JSON), or rows of CSV files "
		"with "
		"the columns model, gpu and one or more metrics, to be drawn next to results. They "
		"are never part of counts, filters and analyses. Nothing is downloaded.\n\n"
		"The same content is stored once. A different result with a stored run_id is a "
		"conflict, which --on-conflict resolves. A "
		"deleted result is restored by --on-conflict replace, but never by --watch. "
		"Secrets in stored documents are replaced by ***. Artifacts are stored "
		"unchanged. The command reports a result as stored only when it is on disk. If "
		"the command was killed, repeat it to import the remaining results. "
		"profllm-dashboard may use the database "
		"meanwhile, and shows new results.\n\n"
		"Exit status: 0 everything is in the database, or a signal ended --watch, 1 a "
		"result was rejected, is in conflict, is deleted in the database or could not "
		"be copied, 2 invalid usage, a missing PATH or an unusable database (also one of a "
		"newer version), 5 another process keeps writing to the database.",
	.options = import_rows,
	.operand = "FILE",
};

/* The outcomes of artifacts. */
static const char *const artifact_states[] = { "stored", "duplicate", "missing", "changed",
					       "failed" };
#define ARTIFACT_STATES PL_ARRAY_SIZE(artifact_states)

/* The state of an import. */
struct view {
	const struct import_options *options;
	json_t *results;       /* with --json */
	json_t *artifact_list; /* the same for artifacts */
	json_t *sweeps;        /* the same for summaries of sweeps */
	bool has_head;         /* the heads of the columns are printed */
	size_t counts[STORE_OUTCOME_COUNT];
	size_t deleted; /* duplicates whose stored result is deleted */
	size_t passed_over;
	size_t others; /* files in directories whose names are not those of results */
	size_t sweeps_cache, sweeps_failed;
	size_t artifacts[ARTIFACT_STATES];
	char failure[512]; /* start of the message of the last failed artifact */
	bool is_watching;
	int64_t began_ns;
	int64_t shown_ns; /* time of the last progress line */
	bool is_drawn;    /* a progress line is on the terminal */
	int status;       /* error of standard output */
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

static void report_failure(struct view *view, const struct dash_imported *imported)
{
	const char *deleted = imported->is_deleted ? ", and was deleted in the database; use "
						     "--on-conflict replace, or restore it"
						   : "";

	wipe(view);
	if (imported->outcome == STORE_CONFLICT) {
		auto_free char *run_id = pl_clean_line(imported->document->run_id);
		pl_log(PL_LOG_ERROR,
		       "'%s' not stored: run_id '%s' is already stored with other content (result "
		       "%lld)%s",
		       imported->path, run_id, (long long)imported->id, deleted);
		return;
	}
	if (imported->outcome == STORE_DUPLICATE) {
		pl_log(PL_LOG_ERROR, "'%s' not stored: duplicate of result %lld%s", imported->path,
		       (long long)imported->id, deleted);
		return;
	}
	pl_log(PL_LOG_ERROR, "%s", imported->message);
	/* The first fault is already in the line above if there are no details. */
	size_t count = json_array_size(imported->faults);
	for (size_t i = 0; count > 1 && i < count && i < FAULTS_SHOWN; i++) {
		const json_t *fault = json_array_get(imported->faults, i);
		int64_t line = pl_json_get_i64(fault, "line");
		auto_free char *words = pl_clean_line(
			json_string_value(json_object_get(fault, "message")));
		if (line > 0)
			fprintf(stderr, "  line %lld: %s\n", (long long)line, words);
		else
			fprintf(stderr, "  %s\n", words);
	}
	if (count > FAULTS_SHOWN)
		fprintf(stderr, "  and %zu more (--json lists all)\n", count - FAULTS_SHOWN);
}

static void report_success(struct view *view, const struct dash_imported *imported)
{
	const char *run_id = imported->document->run_id;
	auto_free char *shown = pl_clean_line(run_id != NULL ? run_id : "-");
	auto_free char *name = pl_clean_line(imported->name);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (!view->has_head)
		pl_buf_addf(&text, "%-9s %6s  %-27s %s\n", "outcome", "result", "run_id", "file");
	view->has_head = true;
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

	return json_pack("{s:o, s:o, s:s, s:s?, s:o, s:b, s:o, s:o, s:O}", "path",
			 pl_json_text(imported->path), "name", pl_json_text(imported->name),
			 "state", store_outcome_name(imported->outcome), "form",
			 document != NULL ? store_form_name(document->form) : NULL, "id",
			 imported->id > 0 ? json_integer(imported->id) : json_null(), "deleted",
			 (int)imported->is_deleted, "run_id",
			 pl_json_text(document != NULL ? document->run_id : NULL), "message",
			 pl_json_text(imported->message), "faults", imported->faults);
}

/* Prints it at once if the import has no end. Takes the reference. */
static void add_json(struct view *view, json_t *list, json_t *json)
{
	if (view->is_watching) {
		auto_free char *text = pl_json_to_text(json, PL_JSON_COMPACT);
		auto_free char *line = pl_asprintf("%s\n", text);
		print_line(view, line);
		json_decref(json);
		return;
	}
	json_array_append_new(list, json);
}

static void report_result(void *context, const struct dash_imported *imported)
{
	struct view *view = context;
	bool is_deleted = imported->outcome == STORE_DUPLICATE && imported->is_deleted;
	bool fails = imported->outcome == STORE_CONFLICT || imported->outcome == STORE_REJECTED ||
		     is_deleted;

	view->counts[imported->outcome]++;
	view->deleted += is_deleted;
	/* existing results are read again at each start, and whenever an artifact of theirs appears */
	if (view->is_watching && imported->outcome == STORE_DUPLICATE)
		return;
	if (view->options->json)
		add_json(view, view->results, imported_json(imported));
	if (fails)
		report_failure(view, imported);
	else if (!view->options->json && !view->options->quiet)
		report_success(view, imported);
}

static json_t *artifact_json(const struct dash_imported *imported,
			     const struct dash_imported_artifact *artifact)
{
	return json_pack("{s:o, s:s, s:o, s:I, s:o, s:s, s:o}", "path",
			 pl_json_text(artifact->path), "artifact", artifact->kind, "name",
			 pl_json_text(artifact->name), "id", (json_int_t)imported->id, "run_id",
			 pl_json_text(imported->document->run_id), "state", artifact->state,
			 "message", pl_json_text(artifact->message));
}

/* One cause fails all artifacts of a result, as an unreadable database does: it has one line, and the summary counts them. */
static void fail_artifact(struct view *view, const struct dash_imported_artifact *artifact)
{
	const char *message = artifact->message;

	if (strncmp(view->failure, message, sizeof(view->failure) - 1) == 0)
		return;
	snprintf(view->failure, sizeof(view->failure), "%s", message);
	wipe(view);
	pl_log(PL_LOG_ERROR, "'%s' is not stored: %s", artifact->path, message);
}

/* While watching, a missing artifact may still appear. */
static void on_artifact(void *context, const struct dash_imported *imported,
			const struct dash_imported_artifact *artifact)
{
	struct view *view = context;
	bool is_new = strcmp(artifact->state, "stored") == 0;
	bool is_failed = strcmp(artifact->state, "failed") == 0;

	for (size_t i = 0; i < ARTIFACT_STATES; i++)
		view->artifacts[i] += strcmp(artifact->state, artifact_states[i]) == 0;
	if (view->is_watching && !is_new && !is_failed)
		return;
	if (view->options->json)
		add_json(view, view->artifact_list, artifact_json(imported, artifact));
	auto_free char *name = pl_clean_line(artifact->name);
	if (is_failed) {
		fail_artifact(view, artifact);
	} else if (!view->options->json && !view->options->quiet &&
		   strcmp(artifact->state, "duplicate") != 0) {
		auto_free char *line = pl_asprintf("  %-9s %s (%s)\n", artifact->state, name,
						   artifact->kind);
		print_line(view, line);
	}
}

/* A running sweep rewrites its summary after each run: only failures are reported then. */
static void on_sweep(void *context, const struct dash_imported_sweep *sweep)
{
	struct view *view = context;
	bool fails = sweep->message != NULL;

	view->sweeps_cache += !fails;
	view->sweeps_failed += fails;
	if (view->options->json)
		add_json(view, view->sweeps,
			 json_pack("{s:o, s:o, s:s, s:o}", "path", pl_json_text(sweep->path),
				   "sweep", pl_json_text(sweep->id), "state",
				   fails ? "failed" : "stored", "message",
				   pl_json_text(sweep->message)));
	if (fails) {
		wipe(view);
		pl_log(PL_LOG_ERROR, "%s", sweep->message);
	} else if (!view->options->json && !view->options->quiet && !view->is_watching) {
		auto_free char *path = pl_clean_line(sweep->path);
		auto_free char *line = pl_asprintf("stored    sweep   %-27s %s\n", sweep->id, path);
		print_line(view, line);
	}
}

static void pass_over(struct view *view, const struct res_file *file)
{
	view->passed_over++;
	if (view->options->json) {
		json_array_append_new(view->results,
				      json_pack("{s:o, s:s, s:s}", "path", pl_json_text(file->path),
						"state", "skipped", "message", file->side));
		return;
	}
	if (view->options->quiet)
		return;
	auto_free char *path = pl_clean_line(file->path);
	auto_free char *line = pl_asprintf("skipped           %s: %s\n", path, file->side);
	print_line(view, line);
}

/* ---- the command --------------------------------------------------------------------------- */

static void add_artifact_counts(const struct view *view, struct pl_buf *text)
{
	size_t all = 0;

	for (size_t i = 0; i < ARTIFACT_STATES; i++)
		all += view->artifacts[i];
	if (all > 0)
		pl_buf_addf(text,
			    "; %zu artifact%s: %zu stored, %zu duplicates, %zu missing, %zu "
			    "changed, %zu failed",
			    all, all == 1 ? "" : "s", view->artifacts[0], view->artifacts[1],
			    view->artifacts[2], view->artifacts[3], view->artifacts[4]);
}

static int print_summary(struct view *view, const char *db, int64_t total)
{
	const size_t *counts = view->counts;
	auto_free char *plain = store_path_shown(db);
	auto_free char *shown = pl_clean_line(plain);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	wipe(view);
	if (view->options->json) {
		auto_json json_t *reported_counts = json_object();
		for (int i = 0; i < STORE_OUTCOME_COUNT; i++)
			json_object_set_new(reported_counts,
					    store_outcome_name((enum store_outcome)i),
					    json_integer((json_int_t)counts[i]));
		json_object_set_new(reported_counts, "deleted",
				    json_integer((json_int_t)view->deleted));
		json_object_set_new(reported_counts, "skipped",
				    json_integer((json_int_t)view->passed_over));
		json_object_set_new(reported_counts, "not_looked_at",
				    json_integer((json_int_t)view->others));
		auto_json json_t *artifacts = json_object();
		for (size_t i = 0; i < ARTIFACT_STATES; i++)
			json_object_set_new(artifacts, artifact_states[i],
					    json_integer((json_int_t)view->artifacts[i]));
		auto_json json_t *all = json_pack(
			"{s:o, s:O, s:O, s:O, s:O, s:O, s:I}", "db", pl_json_text(plain), "results",
			view->results, "counts", reported_counts, "artifacts", view->artifact_list,
			"artifact_counts", artifacts, "sweeps", view->sweeps, "total",
			(json_int_t)total);
		return pl_program_print_json(all);
	}
	pl_buf_addf(&text, "%zu stored, %zu duplicates, %zu in conflict, %zu rejected",
		    counts[STORE_STORED], counts[STORE_DUPLICATE] - view->deleted,
		    counts[STORE_CONFLICT], counts[STORE_REJECTED]);
	if (view->deleted > 0)
		pl_buf_addf(&text, ", %zu deleted in the database", view->deleted);
	if (view->passed_over > 0)
		pl_buf_addf(&text, ", %zu files skipped", view->passed_over);
	if (view->others > 0)
		pl_buf_addf(&text, "; %zu file%s ignored, because %s", view->others,
			    view->others == 1 ? "" : "s",
			    view->others == 1 ? "its name is not that of a result"
					      : "their names are not those of results");
	if (view->sweeps_cache + view->sweeps_failed > 0)
		pl_buf_addf(&text, "; %zu sweep%s", view->sweeps_cache,
			    view->sweeps_cache == 1 ? "" : "s");
	if (view->sweeps_failed > 0)
		pl_buf_addf(&text, ", %zu failed", view->sweeps_failed);
	add_artifact_counts(view, &text);
	pl_buf_addf(&text, "; %lld result%s in %s\n", (long long)total, total == 1 ? "" : "s",
		    shown);
	return pl_program_print(pl_buf_text(&text));
}

static int import_files(struct view *view, const struct res_files *files, struct store *store,
			const struct store_reader *reader, struct pl_err *err)
{
	auto_dash_import struct dash_import *import = dash_import_new(
		store, reader, report_result, view->options->without_artifacts ? NULL : on_artifact,
		view);

	dash_import_choose(import, store_conflict_policy_of(view->options->on_conflict), false);
	dash_import_report_sweeps(import, on_sweep);
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

static void print_watching(void *context)
{
	struct view *view = context;

	if (!view->options->quiet && !view->options->json)
		print_line(view, "watching\n");
}

static int watch_folders(struct view *view, struct store *store, const struct store_reader *reader,
			 struct pl_err *err)
{
	const struct dash_watch_options options = {
		.folders = &view->options->watch,
		.store = store,
		.reader = reader,
		.on_result = report_result,
		.artifact = view->options->without_artifacts ? NULL : on_artifact,
		.sweep = on_sweep,
		.on_conflict = store_conflict_policy_of(view->options->on_conflict),
		.context = view,
		.looked = print_watching,
	};
	auto_dash_watch struct dash_watch *watch = NULL;
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	auto_fd int stop = signalfd(-1, &signals, SFD_CLOEXEC);

	if (stop < 0)
		return pl_err_errno(err, "could not wait for signals");
	view->is_watching = true;
	if (dash_watch_new(&options, &watch, err) < 0)
		return -1;
	dash_watch_run(watch, stop);
	return 0;
}

static int import_all(struct view *view, const struct res_files *files, const char *db,
		      int64_t *ret_total, struct pl_err *err)
{
	const struct import_options *options = view->options;
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store_reader struct store_reader *reader = NULL;
	auto_store struct store *store = NULL;

	if (store_reader_new(fields, &reader, err) < 0 ||
	    store_open(
		    &(struct store_options){ .path = db, .data = options->data, .fields = fields },
		    &store, err) < 0 ||
	    import_files(view, files, store, reader, err) < 0 ||
	    (options->watch.count > 0 && watch_folders(view, store, reader, err) < 0))
		return -1;
	return store_count(store, ret_total, err);
}

static int store_prices(const char *db, const char *data, const json_t *prices, struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store struct store *store = NULL;
	auto_json json_t *stored = NULL;

	if (store_open(&(struct store_options){ .path = db, .data = data, .fields = fields },
		       &store, err) < 0)
		return -1;
	return store_prices_set(store, 0, prices, NULL, &stored, err);
}

static int import_prices(const struct import_options *options, const struct pl_words *words,
			 const char *db)
{
	auto_free char *plain = store_path_shown(db);
	auto_free char *shown = pl_clean_line(plain);
	auto_json json_t *prices = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (words->count > 0 || options->watch.count > 0)
		pl_err_invalid(&err, "--prices: found a PATH or --watch, expected neither");
	if (words->count > 0 || options->watch.count > 0 ||
	    dash_prices_read(options->prices, &prices, &err) < 0 ||
	    store_prices(db, options->data, prices, &err) < 0)
		return pl_program_fail(&err);
	const json_t *list = json_object_get(prices, "prices");
	size_t count = json_array_size(list);
	if (options->json) {
		auto_json json_t *all = json_pack("{s:o, s:O, s:O*}", "db", pl_json_text(plain),
						  "prices", list, "currency",
						  json_object_get(prices, "currency"));
		return pl_program_print_json(all);
	}
	auto_free char *line = pl_asprintf("%zu price%s stored in %s\n", count,
					   count == 1 ? "" : "s", shown);
	return options->quiet ? 0 : pl_program_print(line);
}

/* Sets a property of the rows that lack it. */
static void complete_rows(json_t *rows, const char *key, const char *text)
{
	PL_JSON_EACH(row, rows) {
		if (text != NULL && json_is_null(json_object_get(row, key)))
			json_object_set_new(row, key, pl_json_text(text));
	}
}

static int read_baseline(const struct import_options *options, const struct pl_words *words,
			 json_t *rows, json_t *ignored, struct pl_err *err)
{
	if (words->count == 0 || options->watch.count > 0 || options->prices != NULL)
		return pl_err_invalid(
			err, "--baseline: expected a FILE, and neither --watch nor --prices");
	if (options->baseline[0] == '\0' || strlen(options->baseline) > BASELINE_BYTES_MAX)
		return pl_err_invalid(err, "--baseline: found %zu bytes, expected 1 to %d",
				      strlen(options->baseline), BASELINE_BYTES_MAX);
	if (!pl_text_is_utf8(options->baseline))
		return pl_err_invalid(err, "--baseline: the name is not valid UTF-8");
	if (options->date != NULL && !dash_baseline_is_date(options->date))
		return pl_err_invalid(err, "--date: found '%s', expected a date such as 2026-10-31",
				      options->date);
	for (int i = 0; i < words->count; i++) {
		if (dash_baseline_read(words->items[i], rows, ignored, err) < 0)
			return -1;
	}
	complete_rows(rows, "source", options->source);
	complete_rows(rows, "date", options->date);
	return 0;
}

static int store_baseline(const char *db, const struct import_options *options, const json_t *rows,
			  struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store struct store *store = NULL;
	int64_t id = 0;

	if (store_open(
		    &(struct store_options){ .path = db, .data = options->data, .fields = fields },
		    &store, err) < 0 ||
	    store_baseline_put(store, options->baseline, rows, &id, err) < 0)
		return -1;
	return id > 0 ? 0
		      : pl_err_invalid(err,
				       "the limit of %d baselines is reached; delete one first",
				       STORE_BASELINES_MAX);
}

/* Adds a line with the ignored columns, and what each of them may have been meant to be. */
static void add_ignored(const json_t *ignored, struct pl_buf *text)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);

	PL_JSON_EACH(column, ignored) {
		struct pl_nearest nearest = { .name = json_string_value(column) };
		auto_free char *shown = pl_clean_line(nearest.name);
		dash_baseline_nearest(fields, &nearest);
		pl_buf_addf(text, "%s%s", column_at == 0 ? "ignored columns: " : ", ", shown);
		if (nearest.found != NULL)
			pl_buf_addf(text, " (did you mean '%s'?)", nearest.found);
	}
	pl_buf_add_text(text, json_array_size(ignored) > 0 ? "\n" : "");
}

static int import_baseline(const struct import_options *options, const struct pl_words *words,
			   const char *db)
{
	auto_free char *plain = store_path_shown(db);
	auto_free char *shown = pl_clean_line(plain);
	auto_free char *name = pl_clean_line(options->baseline);
	auto_json json_t *rows = json_array();
	auto_json json_t *ignored = json_array();
	struct pl_err err = PL_ERR_INIT;

	if (read_baseline(options, words, rows, ignored, &err) < 0 ||
	    store_baseline(db, options, rows, &err) < 0)
		return pl_program_fail(&err);
	size_t count = json_array_size(rows);
	if (options->json) {
		auto_json json_t *all = json_pack("{s:o, s:o, s:I, s:O}", "db", pl_json_text(plain),
						  "baseline", pl_json_text(options->baseline),
						  "row_count", (json_int_t)count, "ignored_columns",
						  ignored);
		return pl_program_print_json(all);
	}
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	pl_buf_addf(&text, "baseline '%s': %zu row%s stored in %s\n", name, count,
		    count == 1 ? "" : "s", shown);
	add_ignored(ignored, &text);
	return options->quiet ? 0 : pl_program_print(pl_buf_text(&text));
}

static int find_files(const struct pl_words *words, struct res_files *files, struct pl_err *err)
{
	for (int i = 0; i < words->count; i++) {
		if (res_files_add(files, words->items[i], err) < 0)
			return -1;
	}
	return 0;
}

/* Checks all paths first, so that a typing error does not cause half an import. */
static int run(const struct import_options *options, const struct pl_words *words)
{
	auto_res_files files = { 0 };
	auto_free char *default_db = NULL;
	auto_json json_t *results = json_array();
	auto_json json_t *artifact_list = json_array();
	auto_json json_t *sweeps = json_array();
	struct view view = { .options = options,
			     .results = results,
			     .artifact_list = artifact_list,
			     .sweeps = sweeps,
			     .began_ns = pl_clock_now_ns() };
	struct pl_err err = PL_ERR_INIT;
	int64_t total = 0;

	if (words->count == 0 && options->watch.count == 0 && options->prices == NULL &&
	    options->baseline == NULL) {
		pl_err_invalid(&err, "found no PATH, expected a file or directory");
		return pl_program_fail(&err);
	}
	if (options->db == NULL && store_default_path(&default_db, &err) < 0)
		return pl_program_fail(&err);
	const char *db = options->db != NULL ? options->db : default_db;
	if (options->baseline != NULL)
		return import_baseline(options, words, db);
	if (options->source != NULL || options->date != NULL) {
		pl_err_invalid(&err, "--source and --date need --baseline");
		return pl_program_fail(&err);
	}
	if (options->prices != NULL)
		return import_prices(options, words, db);
	if (find_files(words, &files, &err) < 0)
		return pl_program_fail(&err);
	view.others = files.others;
	if (import_all(&view, &files, db, &total, &err) < 0) {
		wipe(&view);
		return pl_program_fail(&err);
	}
	/* the results were already printed one by one */
	bool is_reported = view.is_watching && options->json;
	int status = is_reported ? 0 : print_summary(&view, db, total);
	if (status == 0)
		status = view.status;
	size_t failed = view.counts[STORE_CONFLICT] + view.counts[STORE_REJECTED] + view.deleted +
			view.artifacts[ARTIFACT_STATES - 1] + view.sweeps_failed;
	if (status == 0 && !view.is_watching && failed > 0)
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
	pl_opt_list_done(&options.watch);
	return status;
}
