/*
 * `profllm-dashboard demo`: fills a database with synthetic results (demo/) and serves it. Unless a database is named,
 * it is temporary and removed at the end.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "dash/dash.h"
#include "dash/serve.h"
#include "demo/fill.h"
#include "store/sweeps/sweep.h"

#define ROWS_DEFAULT 1000
#define DRAW_NS      (100 * PL_NS_PER_MS)
#define BAR_COLUMNS  40

struct demo_options {
	struct dash_serve_options serve;
	int64_t rows;
	int64_t seed;
	bool add;
};

#define AT(field) offsetof(struct demo_options, field)

static const struct pl_opt demo_rows[] = {
	PL_OPT(INT, 'n', "rows", rows, "N", "create N results", .def = "1000"),
	PL_OPT(INT, 0, "seed", seed, "S",
	       "use the seed S; the same seed and number create the same results", .def = "0"),
	PL_OPT(TEXT, 0, "db", serve.db, "FILE",
	       "use and keep this database (default: a temporary one, removed at exit)"),
	PL_OPT(FLAG, 0, "add", add, NULL, "add results to a database that already has some"),
	PL_OPT(TEXT, 0, "host", serve.host, "ADDRESS", "listen on this loopback address",
	       .def = DASH_HOST_DEFAULT),
	PL_OPT(INT, 'p', "port", serve.port, "PORT", "listen on this port; 0 takes a free one",
	       .def = DASH_PORT_TEXT),
	PL_OPT(FLAG, 'v', "verbose", serve.verbose, NULL,
	       "print one line per request to standard error"),
	PL_OPT(FLAG, 0, "json", serve.json, NULL,
	       "print the first line as a JSON object with the address and the database"),
	{ .name = NULL },
};

const struct pl_opt_command dash_demo_command = {
	.name = DASH_PROGRAM " demo",
	.usage =
		"[--rows N] [--seed S] [--db FILE [--add]] [--host ADDRESS] [--port PORT] [--json]",
	.summary = "Create a database of synthetic results and serve it.",
	.details = "The results resemble ten months of a laboratory: sweeps of 20 runs of one "
		   "model on one host, vLLM releases, failed launches and disturbed runs. They "
		   "have the fields and the ranges of real results, but were not measured. Each "
		   "is marked in its name, in the tag synthetic and in "
		   "environment.engine.simulated.\n\n"
		   "The command then works like serve: the first line on standard output is "
		   "'listening on http://ADDRESS:PORT', and ^C or SIGTERM ends it.\n\n"
		   "Examples:\n"
		   "  " DASH_PROGRAM " demo\n"
		   "  " DASH_PROGRAM " demo --rows 100000 --db big.db --port 0\n\n"
		   "Exit status: 0 ended by a signal, 2 invalid usage, an unusable address or "
		   "database, or the database has results and --add is not given, 5 another "
		   "program uses the port or processes the uploads of the database.",
	.options = demo_rows,
};

/* ---- progress ------------------------------------------------------------------------------ */

struct progress {
	int64_t rows;
	int64_t began_ns;
	int64_t drawn_ns;
	bool draws;
	bool was_stopped;
};

static bool is_stopped(void)
{
	sigset_t waiting;

	return sigpending(&waiting) == 0 &&
	       (sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
		sigismember(&waiting, SIGHUP) == 1);
}

static void draw(struct progress *progress, int64_t done)
{
	double share = (double)done / (double)progress->rows;
	double left_s = (double)(pl_clock_now_ns() - progress->began_ns) / PL_NS_PER_S *
			(1 / share - 1);
	int filled = (int)(share * BAR_COLUMNS);

	fprintf(stderr, "\r\033[K[%.*s%*s] %lld of %lld results, %.0f s remaining", filled,
		"########################################", BAR_COLUMNS - filled, "",
		(long long)done, (long long)progress->rows, left_s);
}

static bool report_progress(void *context, int64_t done)
{
	struct progress *progress = context;
	int64_t now_ns = pl_clock_now_ns();

	if (progress->draws && now_ns - progress->drawn_ns >= DRAW_NS) {
		progress->drawn_ns = now_ns;
		draw(progress, done);
	}
	progress->was_stopped = is_stopped();
	return !progress->was_stopped;
}

/* ---- the database -------------------------------------------------------------------------- */

static int check_options(const struct demo_options *options, struct pl_err *err)
{
	if (options->rows < 1 || options->rows > DEMO_ROWS_MAX)
		return pl_err_invalid(err, "--rows: found %lld, expected 1 to %d",
				      (long long)options->rows, DEMO_ROWS_MAX);
	if (options->seed < 0)
		return pl_err_invalid(err, "--seed: found %lld, expected 0 or more",
				      (long long)options->seed);
	if (options->add && options->serve.db == NULL)
		return pl_err_invalid(
			err, "--add works only with --db; add --db FILE to name the database");
	return dash_serve_check(&options->serve, err);
}

static int check_empty(const struct demo_options *options, struct store *store, struct pl_err *err)
{
	int64_t count = 0;

	if (store_count(store, &count, err) < 0)
		return -1;
	if (count == 0 || options->add)
		return 0;
	auto_free char *shown = store_path_shown(options->serve.db);
	return pl_err_invalid(err,
			      "'%s' has %lld results, and synthetic ones would mix with them; use "
			      "a new file, or --add to add them",
			      shown, (long long)count);
}

static int put_sweeps(struct store *store, const struct demo *history, struct pl_err *err)
{
	for (size_t i = 0; i < demo_study_count(history); i++) {
		auto_json json_t *plan = demo_study(history, i);
		bool fits;
		if (store_sweep_put(store, pl_json_get_text(plan, "sweep"), plan, &fits, err) < 0)
			return -1;
	}
	return 0;
}

static int fill(const struct demo_options *options, const char *db, struct progress *progress,
		struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store struct store *store = NULL;
	auto_history struct demo *history = NULL;
	int64_t counts[STORE_OUTCOME_COUNT];

	/* owns the jobs, so that no other process serves it meanwhile */
	if (store_open(&(struct store_options){ .path = db, .fields = fields, .with_jobs = true },
		       &store, err) < 0 ||
	    check_empty(options, store, err) < 0 ||
	    demo_new((uint64_t)options->seed, options->rows, &history, err) < 0)
		return -1;
	const struct demo_fill work = { .store = store,
					.history = history,
					.rows = options->rows,
					.on_progress = report_progress,
					.context = progress };
	int result = demo_fill(&work, counts, err);
	if (progress->draws)
		fputs("\r\033[K", stderr);
	if (result < 0 || (!progress->was_stopped && put_sweeps(store, history, err) < 0))
		return -1;
	auto_free char *plain = store_path_shown(db);
	auto_free char *shown = pl_clean_line(plain);
	pl_log(PL_LOG_INFO,
	       "synthetic results in '%s': %lld stored, %lld duplicates, %lld in conflict", shown,
	       (long long)counts[STORE_STORED], (long long)counts[STORE_DUPLICATE],
	       (long long)counts[STORE_CONFLICT]);
	return 0;
}

/* Creates a directory for the file and the ones that SQLite adds. */
static int make_folder(char **ret, struct pl_err *err)
{
	const char *variable = getenv("TMPDIR");
	auto_free char *folder = pl_asprintf("%s/profllm-demo-XXXXXX",
					     variable != NULL && variable[0] != '\0' ? variable
										     : "/tmp");

	if (mkdtemp(folder) == NULL)
		return pl_err_errno(err, "could not create directory '%s'", folder);
	*ret = pl_take(folder);
	return 0;
}

static void remove_folder(const char *folder)
{
	auto_dir dir = opendir(folder);

	for (const char *name; (name = pl_dir_next(dir)) != NULL;) {
		auto_free char *path = pl_asprintf("%s/%s", folder, name);
		unlink(path);
	}
	rmdir(folder);
}

/* ---- the command --------------------------------------------------------------------------- */

/* While the database is filled, a signal ends the work between two transactions; later, it ends the server. */
static void hold_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int demo(const struct demo_options *options, const char *db, struct pl_err *err)
{
	struct dash_serve_options serve = options->serve;
	struct progress progress = { .rows = options->rows,
				     .began_ns = pl_clock_now_ns(),
				     .draws = isatty(STDERR_FILENO) == 1 };

	if (fill(options, db, &progress, err) < 0)
		return -1;
	if (progress.was_stopped)
		return 0;
	serve.db = db;
	return dash_serve(&serve, err);
}

int dash_cmd_demo(int argc, char **argv)
{
	struct demo_options options = { .serve = { .host = DASH_HOST_DEFAULT,
						   .port = DASH_PORT_DEFAULT },
					.rows = ROWS_DEFAULT };
	struct pl_words words;
	struct pl_err err = PL_ERR_INIT;
	auto_free char *folder = NULL;
	int status;

	if (!pl_command_read(&dash_demo_command, argc, argv, &options, &words, &status))
		return status;
	if (check_options(&options, &err) < 0)
		return pl_program_fail(&err);
	/* before the directory exists, because only this process removes it */
	hold_signals();
	if (options.serve.db == NULL && make_folder(&folder, &err) < 0)
		return pl_program_fail(&err);
	auto_free char *db = folder != NULL ? pl_asprintf("%s/demo.db", folder)
					    : pl_strdup(options.serve.db);
	int result = demo(&options, db, &err);
	if (folder != NULL)
		remove_folder(folder);
	return result < 0 ? pl_program_fail(&err) : 0;
}
