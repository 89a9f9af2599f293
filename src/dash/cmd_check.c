/*
 * `profllm-dashboard check` and `reindex`: compare rows with their documents. `reindex` also rewrites the rows that differ.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clean.h"
#include "base/file.h"
#include "base/program.h"
#include "base/text.h"
#include "dash/contract.h"
#include "dash/dash.h"
#include "store/backup/backup.h"
#include "store/reindex.h"

#define REPORTED_MAX     100 /* lines; --json reports all */
#define FILTER_BYTES_MAX (4u << 20)

struct check_options {
	const char *db;
	const char *data;
	const char *filter;
	const char *backup;
	const char *snapshot;
	bool json;
	bool dry_run;
	bool quick;
};

#define AT(field) offsetof(struct check_options, field)

#define DB_ROW                                                                                   \
	PL_OPT(TEXT, 0, "db", db, "FILE", "use this database: an existing file or postgres://…", \
	       .def = "profllm/profllm.db in XDG_DATA_HOME")
#define DATA_ROW PL_OPT(TEXT, 0, "data", data, "DIR", "find artifacts in DIR (default: FILE.files)")
#define JSON_ROW PL_OPT(FLAG, 0, "json", json, NULL, "print JSON")

static const struct pl_opt check_rows[] = {
	DB_ROW,
	DATA_ROW,
	PL_OPT(FLAG, 0, "quick", quick, NULL,
	       "compare only the sizes of artifacts, and do not read them"),
	PL_OPT(TEXT, 0, "backup", backup, "TARGET",
	       "check the snapshots of this backup instead of a database"),
	PL_OPT(TEXT, 0, "snapshot", snapshot, "NAME",
	       "with --backup: check only the snapshot NAME"),
	JSON_ROW,
	{ .name = NULL },
};

const struct pl_opt_command dash_check_command = {
	.name = DASH_PROGRAM " check",
	.usage = "[--db FILE] [--data DIR] [--quick] [--json]\n"
		 "--backup TARGET [--snapshot NAME] [--quick] [--json]",
	.summary = "Check that rows, documents and artifacts are consistent.",
	.details = "The command reads each stored document and compares its row with it. It "
		   "checks that each result has its document, that run_id and hash match the "
		   "document, and that each artifact has a file with its SHA-256. It runs the "
		   "integrity check of the database. The command changes nothing, and other "
		   "programs may read and write meanwhile.\n\n"
		   "To restore a damaged or missing artifact, remove the damaged file and upload "
		   "its result again. Files that belong to no run are counted; profllm-dashboard "
		   "prune removes them.\n\n"
		   "A row may differ because this version reads more from its document than the "
		   "version that wrote it. profllm-dashboard reindex rebuilds such rows.\n\n"
		   "With --backup, the command checks that each file of each snapshot exists and "
		   "has its SHA-256 (with --quick, its size), and that SQLite databases pass "
		   "their integrity check.\n\n"
		   "Exit status: 0 consistent, 1 inconsistencies found, 2 invalid usage or an "
		   "unusable database, 5 another process kept writing for 20 s.",
	.options = check_rows,
};

static const struct pl_opt reindex_rows[] = {
	DB_ROW,
	PL_OPT(TEXT, 0, "filter", filter, "JSON",
	       "rebuild only the results that match the filter JSON "
	       "(docs/reference/filters.md); @FILE reads the filter from FILE"),
	PL_OPT(FLAG, 0, "dry-run", dry_run, NULL, "show what would be written, and write nothing"),
	JSON_ROW,
	{ .name = NULL },
};

const struct pl_opt_command dash_reindex_command = {
	.name = DASH_PROGRAM " reindex",
	.usage = "[--db FILE] [--filter JSON] [--dry-run] [--json]",
	.summary = "Rebuild rows from the stored documents.",
	.details =
		"Documents do not change. The command rewrites each row that differs from what "
		"this version reads in its document, with all columns. New columns are filled when "
		"a "
		"database is opened; use reindex after a change in how documents are read.\n\n"
		"A server may use the database meanwhile, and picks up the new rows. If the "
		"command is killed, each row is either unchanged or completely rewritten.\n\n"
		"Examples:\n"
		"  " DASH_PROGRAM " reindex --dry-run\n"
		"  " DASH_PROGRAM " reindex --filter '{\"field\": \"run.suite\", \"op\": \"eq\", "
		"\"value\": \"nightly\"}'\n\n"
		"Exit status: 0 done, 1 some documents cannot be read, 2 invalid usage, an invalid "
		"filter or an unusable database, 5 another process kept writing for 20 s.",
	.options = reindex_rows,
};

/* ---- output -------------------------------------------------------------------------------- */

struct report {
	bool json;
	json_t *list;
	size_t count;
};

static void report_one(void *context, int64_t id, const char *text)
{
	struct report *report = context;
	auto_free char *line = pl_clean_line(text);

	report->count++;
	if (report->json)
		json_array_append_new(report->list,
				      json_pack("{s:o, s:o}", "id",
						id > 0 ? json_integer(id) : json_null(), "message",
						pl_json_text(line)));
	else if (report->count > REPORTED_MAX)
		return;
	else if (id > 0)
		printf("result %lld: %s\n", (long long)id, line);
	else
		printf("%s\n", line);
}

static int print_summary(const struct report *report, const char *text, json_t *counts)
{
	if (report->json) {
		json_object_set(counts, "problems", report->list);
		return pl_program_print_json(counts);
	}
	if (report->count > REPORTED_MAX)
		printf("and %zu more\n", report->count - REPORTED_MAX);
	return pl_program_print(text);
}

/* ---- the work ------------------------------------------------------------------------------ */

static int open_store(const struct check_options *options, const struct res_fields *fields,
		      bool with_columns, struct store **ret, struct pl_err *err)
{
	auto_free char *path = pl_strdup(options->db);

	if (path == NULL && store_default_path(&path, err) < 0)
		return -1;
	return store_open(&(struct store_options){ .path = path,
						   .data = options->data,
						   .fields = fields,
						   .must_exist = true,
						   .with_columns = with_columns },
			  ret, err);
}

static void show_nothing(void *context, const char *stage, int64_t done, int64_t total)
{
	(void)context;
	(void)stage;
	(void)done;
	(void)total;
}

static void report_fault(void *context, const char *text)
{
	report_one(context, 0, text);
}

static int check_backup(const struct check_options *options, struct report *report, int *ret_status,
			struct pl_err *err)
{
	const struct store_backup_watch watch = { .progress = show_nothing,
						  .report = report_fault,
						  .context = report };
	struct store_backup_check counts;
	char bytes[PL_BYTES_TEXT_BYTES];

	if (options->db != NULL || options->data != NULL)
		return pl_err_invalid(err, "--backup: found %s, expected neither --db nor --data",
				      options->db != NULL ? "--db" : "--data");
	if (store_backup_check(options->backup, options->snapshot, options->quick, &watch, &counts,
			       err) < 0)
		return -1;
	auto_json json_t *json = json_pack(
		"{s:I, s:I, s:I, s:I}", "snapshots", (json_int_t)counts.snapshots, "files",
		(json_int_t)counts.files, "bytes", (json_int_t)counts.bytes, "faults",
		(json_int_t)counts.faults);
	auto_free char *text = pl_asprintf(
		"%lld snapshot%s: %lld files of %s, %lld faulty files\n",
		(long long)counts.snapshots, counts.snapshots == 1 ? "" : "s",
		(long long)counts.files, pl_text_from_bytes((uint64_t)counts.bytes, bytes),
		(long long)counts.faults);
	*ret_status = print_summary(report, text, json);
	if (*ret_status == 0 && counts.faults > 0)
		*ret_status = pl_err_exit_status(PL_ERR_FAILED);
	return 0;
}

static int check_database(const struct check_options *options, struct report *report,
			  int *ret_status, struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store struct store *store = NULL;
	struct store_reindex reindex = { .checks = true, .report = report_one, .context = report };
	struct store_reindex_counts counts;
	struct store_reindex_faults database_faults;

	if (open_store(options, fields, false, &store, err) < 0 ||
	    store_reindex_database(store, options->quick, report_one, report, &database_faults,
				   err) < 0 ||
	    store_reindex(store, &reindex, &counts, err) < 0)
		return -1;
	int64_t faults = database_faults.reported + counts.misnamed;
	auto_json json_t *json = json_pack(
		"{s:I, s:I, s:I, s:I, s:I}", "results", (json_int_t)counts.results, "differing",
		(json_int_t)counts.differing, "broken", (json_int_t)counts.broken, "faults",
		(json_int_t)faults, "unnamed_files", (json_int_t)database_faults.unnamed);
	auto_free char *text = pl_asprintf(
		"%lld result%s: %lld rows differ from their documents, %lld unreadable documents, "
		"%lld other problems; %zu files without a run\n",
		(long long)counts.results, counts.results == 1 ? "" : "s",
		(long long)counts.differing, (long long)counts.broken, (long long)faults,
		database_faults.unnamed);
	*ret_status = print_summary(report, text, json);
	if (*ret_status == 0 && counts.differing + counts.broken + faults > 0)
		*ret_status = pl_err_exit_status(PL_ERR_FAILED);
	return 0;
}

static int check(const struct check_options *options, struct report *report, int *ret_status,
		 struct pl_err *err)
{
	if (options->backup != NULL)
		return check_backup(options, report, ret_status, err);
	if (options->snapshot != NULL)
		return pl_err_invalid(err, "--snapshot: expected --backup TARGET, too");
	return check_database(options, report, ret_status, err);
}

/* Checks the filter like that of a request. Null selects every result. */
static int check_filter(const char *name, const json_t *filter, struct pl_err *err)
{
	auto_contract struct dash_contract *contract = NULL;
	auto_schema_faults faults = { 0 };
	auto_buf line = PL_BUF(sizeof(err->text));

	if (json_is_null(filter))
		return 0;
	if (dash_contract_open(&contract, err) < 0)
		return -1;
	if (dash_contract_check_filter(contract, filter, &faults))
		return 0;
	schema_fault_text(&faults.items[0], &line);
	return pl_err_invalid(err, "%s: %s", name, pl_buf_text(&line));
}

static int read_filter(const char *text, json_t **ret, struct pl_err *err)
{
	auto_free char *read = NULL;
	auto_json json_t *filter = NULL;
	const char *name = "--filter";
	size_t len = 0;

	if (text == NULL)
		return 0;
	if (text[0] == '@') {
		name = text + 1;
		if (pl_file_read(name, FILTER_BYTES_MAX, &read, &len, err) < 0)
			return -1;
		text = read;
	} else {
		len = strlen(text);
	}
	if (pl_json_parse(text, len, name, &filter, err) < 0 || check_filter(name, filter, err) < 0)
		return -1;
	*ret = pl_take(filter);
	return 0;
}

static int rebuild(const struct check_options *options, struct report *report, int *ret_status,
		   struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store struct store *store = NULL;
	auto_json json_t *filter = NULL;
	struct store_reindex_counts counts;

	if (read_filter(options->filter, &filter, err) < 0 ||
	    open_store(options, fields, filter != NULL, &store, err) < 0)
		return -1;
	const struct store_reindex reindex = { .writes = !options->dry_run,
					       .filter = filter,
					       .report = report_one,
					       .context = report };
	if (store_reindex(store, &reindex, &counts, err) < 0)
		return -1;
	auto_json json_t *json = json_pack(
		"{s:I, s:I, s:I, s:b}", "results", (json_int_t)counts.results, "written",
		(json_int_t)(options->dry_run ? 0 : counts.differing), "broken",
		(json_int_t)counts.broken, "dry_run", options->dry_run);
	auto_free char *text = pl_asprintf("%lld results: %lld %s, %lld unreadable documents\n",
					   (long long)counts.results, (long long)counts.differing,
					   options->dry_run ? "would be rewritten" : "rewritten",
					   (long long)counts.broken);
	*ret_status = print_summary(report, text, json);
	if (*ret_status == 0 && counts.broken > 0)
		*ret_status = pl_err_exit_status(PL_ERR_FAILED);
	return 0;
}

typedef int work_fn(const struct check_options *options, struct report *report, int *ret_status,
		    struct pl_err *err);

static int run(const struct pl_opt_command *command, work_fn *work, int argc, char **argv)
{
	struct check_options options = { 0 };
	auto_json json_t *list = json_array();
	struct pl_words words;
	struct pl_err err = PL_ERR_INIT;
	int status;

	if (!pl_command_read(command, argc, argv, &options, &words, &status))
		return status;
	struct report report = { .json = options.json, .list = list };
	return work(&options, &report, &status, &err) < 0 ? pl_program_fail(&err) : status;
}

int dash_cmd_check(int argc, char **argv)
{
	return run(&dash_check_command, check, argc, argv);
}

int dash_cmd_reindex(int argc, char **argv)
{
	return run(&dash_reindex_command, rebuild, argc, argv);
}
