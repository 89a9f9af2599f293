/* `profllm-dashboard backup` and `restore`: snapshots of a database and its artifacts (store/backup/backup.h). */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clean.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "dash/backup/view.h"
#include "dash/dash.h"
#include "store/store.h"

#define TEXT_BYTES_MAX (4u << 20)
#define KEEP_MAX       100000

struct backup_options {
	const char *db;
	const char *data;
	const char *snapshot;
	int64_t keep;
	bool lists;
	bool force;
	bool json;
	bool quiet;
};

#define AT(field) offsetof(struct backup_options, field)

#define JSON_ROW  PL_OPT(FLAG, 0, "json", json, NULL, "print the result as JSON")
#define QUIET_ROW PL_OPT(FLAG, 'q', "quiet", quiet, NULL, "show no progress")

static const struct pl_opt backup_rows[] = {
	PL_OPT(TEXT, 0, "db", db, "DB", "back up this database: a file or postgres://…",
	       .def = "profllm/profllm.db in XDG_DATA_HOME"),
	PL_OPT(TEXT, 0, "data", data, "DIR",
	       "find artifacts in DIR (default: next to the database)"),
	PL_OPT(INT, 0, "keep", keep, "N",
	       "after the backup, remove all snapshots but the newest N"),
	PL_OPT(FLAG, 0, "list", lists, NULL, "list the snapshots of TARGET, and back up nothing"),
	JSON_ROW,
	QUIET_ROW,
	{ .name = NULL },
};

const struct pl_opt_command dash_backup_command = {
	.name = DASH_PROGRAM " backup",
	.usage = "TARGET [--db DB] [--data DIR] [--keep N]\nTARGET --list",
	.summary = "Back up a database and its artifacts.",
	.details =
		"The command writes a snapshot of one moment to the directory TARGET, which it "
		"creates. Dashboards may serve, store and prune meanwhile; prune waits for the "
		"backup before it removes files. Later snapshots in the same TARGET copy only "
		"artifacts that it lacks.\n\n"
		"A snapshot has all results, documents, edits, uploads in progress, presets, "
		"views, sweeps, prices, baselines, decisions, annotations and watches, and all "
		"artifacts. It has no token files, TLS keys or options of the service; keep copies "
		"of these elsewhere. For PostgreSQL, the command runs pg_dump, which must be as "
		"new as the server.\n\n"
		"If the command is killed or the disk is full, the earlier snapshots remain "
		"usable. Check them with profllm-dashboard check --backup TARGET.\n\n"
		"Examples:\n"
		"  profllm-dashboard backup /mnt/backup/lab --db lab.db --keep 14\n"
		"  profllm-dashboard backup /mnt/backup/lab --list\n\n"
		"Exit status: 0 done, 1 done, but artifacts are missing or damaged in the "
		"database's directory, 2 invalid usage, an unusable database, or a full disk, 5 "
		"TARGET is in use.",
	.options = backup_rows,
	.operand = "DIR",
};

static const struct pl_opt restore_rows[] = {
	PL_OPT(TEXT, 0, "db", db, "DB",
	       "restore to this new database: a file, or the postgres://… of an empty database"),
	PL_OPT(TEXT, 0, "data", data, "DIR",
	       "restore artifacts to DIR (default: next to the database)"),
	PL_OPT(TEXT, 0, "snapshot", snapshot, "NAME", "restore the snapshot NAME",
	       .def = "the newest"),
	PL_OPT(FLAG, 0, "force", force, NULL, "replace an existing database"),
	JSON_ROW,
	QUIET_ROW,
	{ .name = NULL },
};

const struct pl_opt_command dash_restore_command = {
	.name = DASH_PROGRAM " restore",
	.usage = "TARGET --db DB [--data DIR] [--snapshot NAME] [--force]",
	.summary = "Restore a database and its artifacts from a backup.",
	.details =
		"The command first checks every file of the snapshot. If one is missing or "
		"damaged, it names the file and restores nothing. Artifacts come first and the "
		"database last, so an interrupted restore leaves no database; run it again.\n\n"
		"A snapshot of an SQLite file becomes an SQLite file, and one of PostgreSQL goes "
		"to "
		"a PostgreSQL database, into the schema with the same name. A snapshot of an older "
		"version is upgraded, and one of a newer version is refused.\n\n"
		"--force replaces a database. Stop the dashboards of an SQLite file first. "
		"Dashboards on PostgreSQL load the restored results by themselves.\n\n"
		"Examples:\n"
		"  profllm-dashboard restore /mnt/backup/lab --db new.db\n"
		"  profllm-dashboard restore /mnt/backup/lab --db postgres://lab@db/lab2\n\n"
		"Exit status: 0 done, 2 invalid usage, a damaged snapshot, an unusable database, "
		"or a full disk, 5 the database exists or is in use.",
	.options = restore_rows,
	.operand = "DIR",
};

/* ---- output -------------------------------------------------------------------------------- */

static void add_count(struct pl_buf *text, int64_t count, const char *thing)
{
	pl_buf_addf(text, "%lld %s%s", (long long)count, thing, count == 1 ? "" : "s");
}

/* "1,234 results, 56 artifacts of 1.5 GiB, data version 789" */
static void add_summary(struct pl_buf *text, const json_t *manifest)
{
	const json_t *artifacts = json_object_get(manifest, "artifacts");
	char bytes[PL_BYTES_TEXT_BYTES];

	add_count(text, pl_json_get_i64(json_object_get(manifest, "counts"), "benchmark_runs"),
		  "result");
	pl_buf_add_text(text, ", ");
	add_count(text, pl_json_get_i64(artifacts, "count"), "artifact file");
	pl_buf_addf(text, " of %s, data version %lld",
		    pl_text_from_bytes((uint64_t)pl_json_get_i64(artifacts, "bytes"), bytes),
		    (long long)pl_json_get_i64(manifest, "data_version"));
}

static int print_backup(const struct backup_options *options, const char *target,
			const struct store_backup_result *result,
			const struct dash_backup_view *view)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	auto_free char *shown = pl_clean_line(target);
	char bytes[PL_BYTES_TEXT_BYTES];

	if (options->json) {
		auto_json json_t *json = json_pack(
			"{s:o, s:O, s:I, s:I, s:I, s:I, s:O, s:f}", "target", pl_json_text(target),
			"snapshot", result->manifest, "copied_files",
			(json_int_t)result->copied_files, "copied_bytes",
			(json_int_t)result->copied_bytes, "missing_artifacts",
			(json_int_t)result->missing, "removed_snapshots",
			(json_int_t)result->removed, "problems", view->problems, "elapsed_s",
			(double)(pl_clock_now_ns() - view->began_ns) / PL_NS_PER_S);
		return pl_program_print_json(json);
	}
	pl_buf_addf(&text, "snapshot %s in %s: ", pl_json_get_text(result->manifest, "name"),
		    shown);
	add_summary(&text, result->manifest);
	pl_buf_add_text(&text, "; copied ");
	add_count(&text, result->copied_files, "new file");
	pl_buf_addf(&text, " of %s", pl_text_from_bytes((uint64_t)result->copied_bytes, bytes));
	if (result->removed > 0) {
		pl_buf_add_text(&text, "; removed ");
		add_count(&text, result->removed, "old snapshot");
	}
	if (result->missing > 0) {
		pl_buf_add_text(&text, "; without ");
		add_count(&text, result->missing, "missing or damaged artifact");
	}
	pl_buf_add_char(&text, '\n');
	return pl_program_print(pl_buf_text(&text));
}

static int print_list(const struct backup_options *options, const json_t *list)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (options->json)
		return pl_program_print_json(list);
	PL_JSON_EACH(manifest, list) {
		pl_buf_addf(&text, "%s: ", pl_json_get_text(manifest, "name"));
		add_summary(&text, manifest);
		pl_buf_add_char(&text, '\n');
	}
	return pl_program_print(json_array_size(list) > 0 ? pl_buf_text(&text) : "no snapshots\n");
}

/* ---- backup -------------------------------------------------------------------------------- */

static int list(const struct backup_options *options, const char *target, int *ret_status,
		struct pl_err *err)
{
	auto_backup_view view;
	auto_json json_t *manifests = NULL;

	dash_backup_view_init(&view, true);
	const struct store_backup_watch watch = dash_backup_view_watch(&view);
	if (store_backup_list(target, &watch, &manifests, err) < 0)
		return -1;
	*ret_status = print_list(options, manifests);
	if (*ret_status == 0 && view.problem_count > 0)
		*ret_status = pl_err_exit_status(PL_ERR_FAILED);
	return 0;
}

static int backup(const struct backup_options *options, const char *target, const char *db,
		  int *ret_status, struct pl_err *err)
{
	auto_backup_view view;
	auto_backup_result result = { 0 };

	dash_backup_view_init(&view, options->quiet);
	const struct store_backup made = { .db = db,
					   .data = options->data,
					   .target = target,
					   .keep = options->keep,
					   .watch = dash_backup_view_watch(&view) };
	int failed = store_backup_make(&made, &result, err);
	dash_backup_view_wipe(&view);
	if (failed < 0)
		return -1;
	*ret_status = print_backup(options, target, &result, &view);
	if (*ret_status == 0 && result.missing > 0)
		*ret_status = pl_err_exit_status(PL_ERR_FAILED);
	return 0;
}

static int read_target(const struct pl_words *words, const char **ret, struct pl_err *err)
{
	if (words->count != 1)
		return pl_err_set(err, PL_ERR_INVALID, "found %d directories, expected one: TARGET",
				  words->count);
	*ret = words->items[0];
	return (*ret)[0] != '\0' ? 0
				 : pl_err_set(err, PL_ERR_INVALID,
					      "TARGET: found an empty name, expected a directory");
}

static int run_backup(const struct backup_options *options, const struct pl_words *words,
		      int *ret_status, struct pl_err *err)
{
	auto_free char *default_db = NULL;
	const char *target = NULL;

	if (read_target(words, &target, err) < 0)
		return -1;
	if (options->keep < 0 || options->keep > KEEP_MAX)
		return pl_err_set(err, PL_ERR_INVALID, "--keep: found %lld, expected 1 to %d",
				  (long long)options->keep, KEEP_MAX);
	/* the database may contain the bytes of uploads that wait */
	pl_file_set_mode(0600);
	if (options->lists)
		return list(options, target, ret_status, err);
	if (options->db == NULL && store_default_path(&default_db, err) < 0)
		return -1;
	return backup(options, target, options->db != NULL ? options->db : default_db, ret_status,
		      err);
}

/* ---- restore ------------------------------------------------------------------------------- */

static int print_restore(const struct backup_options *options, const json_t *manifest)
{
	auto_free char *plain = store_path_shown(options->db);
	auto_free char *shown = pl_clean_line(plain);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (options->json) {
		auto_json json_t *json = json_pack("{s:o, s:O}", "db", pl_json_text(plain),
						   "snapshot", manifest);
		return pl_program_print_json(json);
	}
	pl_buf_addf(&text, "restored %s to %s: ", pl_json_get_text(manifest, "name"), shown);
	add_summary(&text, manifest);
	pl_buf_add_char(&text, '\n');
	return pl_program_print(pl_buf_text(&text));
}

static int run_restore(const struct backup_options *options, const struct pl_words *words,
		       int *ret_status, struct pl_err *err)
{
	auto_backup_view view;
	auto_json json_t *manifest = NULL;
	const char *target = NULL;

	if (read_target(words, &target, err) < 0)
		return -1;
	if (options->db == NULL || options->db[0] == '\0')
		return pl_err_set(err, PL_ERR_INVALID,
				  "--db: found nothing, expected the database to restore to");
	dash_backup_view_init(&view, options->quiet);
	const struct store_restore restore = { .target = target,
					       .name = options->snapshot,
					       .db = options->db,
					       .data = options->data,
					       .replaces = options->force,
					       .watch = dash_backup_view_watch(&view) };
	int failed = store_backup_restore(&restore, &manifest, err);
	dash_backup_view_wipe(&view);
	if (failed < 0)
		return -1;
	*ret_status = print_restore(options, manifest);
	return 0;
}

/* ---- commands ------------------------------------------------------------------------------ */

typedef int work_fn(const struct backup_options *options, const struct pl_words *words,
		    int *ret_status, struct pl_err *err);

static int run(const struct pl_opt_command *command, work_fn *work, int argc, char **argv)
{
	struct backup_options options = { 0 };
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int status;

	if (!pl_command_read(command, argc, argv, &options, &words, &status))
		return status;
	return work(&options, &words, &status, &err) < 0 ? pl_program_fail(&err) : status;
}

int dash_cmd_backup(int argc, char **argv)
{
	return run(&dash_backup_command, run_backup, argc, argv);
}

int dash_cmd_restore(int argc, char **argv)
{
	return run(&dash_restore_command, run_restore, argc, argv);
}
