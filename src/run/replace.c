#include "run/replace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "result/existing.h"

/* Replaces the object's text at `key` if it equals `from`. */
static void rename_text(json_t *object, const char *key, const char *from, const char *to)
{
	auto_free char *old_name = pl_file_name(from);
	auto_free char *new_name = pl_file_name(to);

	if (pl_text_equal(pl_json_get_text(object, key), old_name))
		json_object_set_new(object, key, pl_json_text(new_name));
}

/* Files that were already moved are named but missing, so repeating this only does the remaining work. */
static int move_artifacts(const json_t *document, const struct run_paths *from,
			  const struct run_paths *to, struct pl_err *err)
{
	for (size_t i = 0; i < run_paths_artifact_count(); i++) {
		const char *old_path = run_paths_artifact(from, i),
			   *new_path = run_paths_artifact(to, i);
		if (rename(old_path, new_path) == 0)
			continue;
		if (errno != ENOENT)
			return pl_err_errno(err, "could not move '%s' to '%s'", old_path, new_path);
		/* the new result lacks this kind, so the file belongs to the old one */
		const json_t *artifacts = json_object_get(document, "artifacts");
		auto_free char *name = pl_file_name(new_path);
		bool found = false;
		PL_JSON_EACH(artifact, artifacts)
			found |= pl_text_equal(pl_json_get_text(artifact, "name"), name);
		if (!found)
			unlink(new_path);
	}
	/* the journal, removed next, is the only record of the files that must be moved */
	return pl_file_sync_dir_of(to->result, err);
}

/*
 * Removes the traces of a replaced result: their names have its run id, so no new file takes their places. Files named
 * otherwise than run_traces_move() names them may belong to another result, of which this one was a copy. old: the former
 * document; NULL: none.
 */
static void drop_traces(const char *result, const json_t *old)
{
	const char *run_id = pl_json_get_text(old, "run_id");
	auto_free char *folder = pl_file_dir(result);

	if (run_id == NULL || run_id[0] == '\0' || strchr(run_id, '/') != NULL)
		return;
	auto_free char *suffix = pl_asprintf(".%s.", run_id);
	auto_free char *start_path = pl_file_sibling(result, ".json", suffix);
	auto_free char *start = pl_file_name(start_path);
	PL_JSON_EACH(artifact, json_object_get(old, "artifacts")) {
		const char *name = pl_json_get_text(artifact, "name");
		if (!pl_text_equal(pl_json_get_text(artifact, "kind"), "trace") || name == NULL ||
		    strchr(name, '/') != NULL || !pl_text_starts(name, start))
			continue;
		auto_free char *path = pl_asprintf("%s/%s", folder, name);
		unlink(path);
	}
}

/* NULL: there is none, or it is unreadable. */
static json_t *read_former(const char *path, const json_t *document)
{
	json_t *old = NULL;

	if (!pl_file_exists(path) || pl_json_read_file(path, &old, PL_ERR_IGNORED) < 0)
		return NULL;
	if (!json_equal(json_object_get(old, "run_id"), json_object_get(document, "run_id")))
		return old;
	json_decref(old);
	return NULL;
}

static int take_place(struct run_paths *paths, json_t *document, struct pl_err *err)
{
	struct run_paths to;

	/*
	 * the result first, with the final names: if the process is killed after this, the run id in the journal leads
	 * to the files that must be moved. In the reverse order, the old result would name files of another run
	 */
	run_paths_make(paths->output, NULL, &to);
	const json_t *artifacts = json_object_get(document, "artifacts");
	for (size_t i = 0; i < run_paths_artifact_count(); i++) {
		const char *old_path = run_paths_artifact(paths, i),
			   *new_path = run_paths_artifact(&to, i);
		PL_JSON_EACH(artifact, artifacts)
			rename_text(artifact, "name", old_path, new_path);
		rename_text(json_object_get(document, "series"), "file", old_path, new_path);
	}
	auto_json json_t *old = read_former(to.result, document);
	int done = pl_json_write_file(document, to.result, err);
	if (done == 0)
		done = move_artifacts(document, paths, &to, err);
	if (done == 0)
		drop_traces(to.result, old);
	if (done < 0) {
		run_paths_done(&to);
		return -1;
	}
	run_paths_done(paths);
	*paths = to;
	return 0;
}

int run_replace(struct run_paths *paths, json_t *document, struct pl_err *err)
{
	/* equal is enough: a user who repeats a complete run wants the new result */
	if (paths->is_alternative && res_worth(document) >= res_existing_worth(paths->output))
		return take_place(paths, document, err);
	auto_json json_t *old = read_former(paths->result, document);
	if (pl_json_write_file(document, paths->result, err) < 0)
		return -1;
	if (!paths->is_alternative) {
		drop_traces(paths->result, old);
		return 0;
	}
	auto_free char *what = res_existing_text(paths->output);
	pl_log(PL_LOG_WARNING,
	       "kept '%s', which has %s; the result of this run, status %s, is '%s'", paths->output,
	       what, pl_json_get_text(document, "status"), paths->result);
	return 0;
}

int run_replace_finish(const char *output, const json_t *document, struct pl_err *err)
{
	const char *run_id = pl_json_get_text(document, "run_id");
	auto_paths from = { 0 };
	auto_paths to = { 0 };

	run_paths_make(output, run_id, &from);
	run_paths_make(output, NULL, &to);
	return move_artifacts(document, &from, &to, err);
}

void run_replace_drop(const char *output, const char *run_id)
{
	auto_paths paths = { 0 };

	run_paths_make(output, run_id, &paths);
	for (size_t i = 0; i < run_paths_artifact_count(); i++)
		unlink(run_paths_artifact(&paths, i));
}
