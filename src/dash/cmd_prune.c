/* `profllm-dashboard prune`: removes deleted results permanently. */
#include "dash/dash.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/clock.h"
#include "store/artifacts/artifact.h"
#include "store/change.h"

#define TEXT_BYTES_MAX 65536
/* Artifacts may arrive before their result. */
#define UNCLAIMED_NS (7 * 24 * 3600 * PL_NS_PER_S)

struct prune_options {
	const char *db;
	const char *data;
	int64_t older_than_ns;
	bool json;
};

#define AT(field) offsetof(struct prune_options, field)

static const struct pl_opt prune_rows[] = {
	PL_OPT(TEXT, 0, "db", db, "DB", "use this database: a file or postgres://…",
	       .def = "profllm/profllm.db in XDG_DATA_HOME"),
	PL_OPT(TEXT, 0, "data", data, "DIR",
	       "find artifacts in DIR (default: next to the database)"),
	PL_OPT(DURATION, 0, "older-than", older_than_ns, "TIME",
	       "remove only results that were deleted more than TIME ago, such as 30d or 12h"),
	PL_OPT(FLAG, 0, "json", json, NULL, "print the counts as one JSON object"),
	{ .name = NULL },
};

const struct pl_opt_command dash_prune_command = {
	.name = DASH_PROGRAM " prune",
	.usage = "[options]",
	.summary = "Remove deleted results for good.",
	.details =
		"A result that was deleted in the web UI or through the API is hidden, but can "
		"be restored. This command removes such results with their documents, tags, "
		"notes, changes and artifacts. If the same content is uploaded later, it "
		"counts as new. The command also removes unreferenced artifacts, and artifacts of "
		"runs whose result did not arrive within seven days.\n\n"
		"Examples:\n"
		"  profllm-dashboard prune --older-than 30d\n"
		"  profllm-dashboard prune --db lab.db\n\n"
		"profllm-dashboard may use the database meanwhile.\n\n"
		"Exit status: 0 done, 2 invalid usage, or a missing or unusable database, 5 "
		"another process keeps writing to the database.",
	.options = prune_rows,
};

static int print(const struct prune_options *options, const char *db, int64_t results, size_t files)
{
	auto_free char *plain = store_path_shown(db);
	auto_free char *shown = pl_clean_line(plain);
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	if (options->json) {
		auto_json json_t *json = json_pack("{s:o, s:I, s:I}", "db", pl_json_text(plain),
						   "results", (json_int_t)results, "files",
						   (json_int_t)files);
		return pl_program_print_json(json);
	}
	pl_buf_addf(&text, "removed %lld result%s and %zu file%s from %s\n", (long long)results,
		    results == 1 ? "" : "s", files, files == 1 ? "" : "s", shown);
	return pl_program_print(pl_buf_text(&text));
}

static int prune(const struct prune_options *options, const char *db, int64_t *ret_results,
		 size_t *ret_files, struct pl_err *err)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_store struct store *store = NULL;
	int64_t now_ns = pl_clock_real_ns();
	if (store_open(&(struct store_options){ .path = db,
						.data = options->data,
						.fields = fields,
						.must_exist = true },
		       &store, err) < 0)
		return -1;
	if (store_prune(store, now_ns, options->older_than_ns, ret_results, err) < 0)
		return -1;
	return store_artifacts_sweep(store, now_ns, UNCLAIMED_NS, ret_files, err);
}

int dash_cmd_prune(int argc, char **argv)
{
	struct prune_options options = { 0 };
	auto_free char *default_db = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int64_t results = 0;
	size_t files = 0;
	int status;

	if (!pl_command_read(&dash_prune_command, argc, argv, &options, &words, &status))
		return status;
	if (words.count > 0)
		pl_err_set(&err, PL_ERR_INVALID, "found '%s', expected no arguments",
			   words.items[0]);
	else if (options.db == NULL && store_default_path(&default_db, &err) < 0)
		return pl_program_fail(&err);
	if (err.code != PL_ERR_NONE)
		return pl_program_fail(&err);
	const char *db = options.db != NULL ? options.db : default_db;
	if (prune(&options, db, &results, &files, &err) < 0)
		return pl_program_fail(&err);
	return print(&options, db, results, files);
}
