#include "upload/pending.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "result/artifacts.h"

#define LIST_BYTES_MAX (1u << 20)

static char *list_path(const char *result)
{
	return pl_asprintf("%s" UPLOAD_PENDING_SUFFIX, result);
}

/* Returns the run_id of the result in `path`; NULL if it has none or cannot be read. free() */
static char *run_id_of(const char *path)
{
	auto_json json_t *result = NULL;

	if (pl_json_read_file(path, &result, PL_ERR_IGNORED) < 0)
		return NULL;
	return pl_strdup(pl_json_get_text(result, "run_id"));
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool is_stored(const char *state)
{
	return pl_text_equal(state, "stored") || pl_text_equal(state, "duplicate");
}

/* Is the result itself at the dashboard? */
static bool has_result(const struct upload_result *outcome)
{
	if (outcome == NULL || outcome->failure != NULL || json_array_size(outcome->items) == 0)
		return false;
	PL_JSON_EACH(item, outcome->items) {
		if (!is_stored(pl_json_get_text(item, "state")) ||
		    pl_json_get_true(item, "deleted"))
			return false;
	}
	return true;
}

/* An artifact that the upload reports, other than as failed, is stored or can never be sent. */
static bool is_settled(const struct upload_result *outcome, const struct res_artifact *file)
{
	PL_JSON_EACH(artifact, outcome != NULL ? outcome->artifacts : NULL) {
		if (pl_text_equal(pl_json_get_text(artifact, "kind"), file->kind) &&
		    pl_text_equal(pl_json_get_text(artifact, "name"), file->name))
			return !pl_text_equal(pl_json_get_text(artifact, "state"), "failed");
	}
	return false;
}

static json_t *unsent_files(const char *path, const struct upload_result *outcome)
{
	auto_res_artifacts besides = { 0 };
	auto_free char *name = pl_file_name(path);
	json_t *files = json_array();

	if (!has_result(outcome))
		json_array_append_new(files, json_pack("{s:o, s:s}", "name", pl_json_text(name),
						       "kind", "result"));
	res_artifacts_of_file(path, UPLOAD_BYTES_MAX, &besides);
	for (size_t i = 0; i < besides.count; i++) {
		const struct res_artifact *file = &besides.items[i];
		if (!is_settled(outcome, file))
			json_array_append_new(files, json_pack("{s:o, s:o}", "name",
							       pl_json_text(file->name), "kind",
							       pl_json_text(file->kind)));
	}
	return files;
}

int upload_pending_write(const char *result, const char *to, const struct upload *upload,
			 const char *reason, char **ret_path, struct pl_err *err)
{
	const struct upload_result *outcome = upload != NULL ? &upload->results[0] : NULL;
	auto_free char *run_id = run_id_of(result);
	auto_free char *path = list_path(result);
	char now[32];

	pl_clock_rfc3339(pl_clock_real_ns(), now);
	auto_json json_t *list = json_pack("{s:o, s:o, s:o, s:s, s:o}", "to", pl_json_text(to),
					   "run_id", pl_json_text(run_id), "reason",
					   pl_json_text(reason), "written_at", now, "files",
					   unsent_files(result, outcome));
	auto_free char *text = pl_json_to_text(list, PL_JSON_INDENT);
	if (pl_file_write(path, text, strlen(text), err) < 0)
		return -1;
	*ret_path = pl_take(path);
	return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void pending_done(struct upload_pending *pending)
{
	free(pending->path);
	free(pending->result);
	free(pending->to);
	free(pending->run_id);
}

void upload_pendings_done(struct upload_pendings *pendings)
{
	for (size_t i = 0; i < pendings->count; i++)
		pending_done(&pendings->items[i]);
	free(pendings->items);
}

static int read_list(const char *path, struct upload_pending *ret, struct pl_err *err)
{
	auto_free char *text = NULL;
	auto_json json_t *list = NULL;
	struct stat st;
	size_t len;

	if (stat(path, &st) < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	if (st.st_uid != geteuid())
		return pl_err_invalid(err,
				      "'%s' belongs to another user; send its result with "
				      "profllm upload FILE --to URL",
				      path);
	if (pl_file_read(path, LIST_BYTES_MAX, &text, &len, err) < 0 ||
	    pl_json_parse(text, len, path, &list, err) < 0)
		return -1;
	const char *to = pl_json_get_text(list, "to");
	if (to == NULL)
		return pl_err_invalid(
			err, "'%s': 'to' is missing: expected the address of a dashboard", path);
	*ret = (struct upload_pending){
		.path = pl_strdup(path),
		.result = pl_strndup(path, strlen(path) - strlen(UPLOAD_PENDING_SUFFIX)),
		.to = pl_strdup(to),
		.run_id = pl_strdup(pl_json_get_text(list, "run_id")),
	};
	return 0;
}

static bool is_list(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	return pl_text_ends(name, UPLOAD_PENDING_SUFFIX) &&
	       strlen(name) > strlen(UPLOAD_PENDING_SUFFIX);
}

static int add_list(const char *path, struct upload_pendings *ret, struct pl_err *err)
{
	struct upload_pending pending;

	if (!is_list(path))
		return pl_err_invalid(err,
				      "'%s': found no name that ends in '" UPLOAD_PENDING_SUFFIX
				      "'; expected the list that a run wrote",
				      path);
	if (read_list(path, &pending, err) < 0)
		return -1;
	*PL_PUSH(ret->items, ret->count, ret->room) = pending;
	return 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int walk(FTS *tree, struct upload_pendings *ret, struct pl_err *err)
{
	for (FTSENT *entry; (entry = fts_read(tree)) != NULL;) {
		if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
			errno = entry->fts_errno;
			return pl_err_errno(err, "could not read '%s'", entry->fts_path);
		}
		if (entry->fts_info == FTS_F && is_list(entry->fts_path) &&
		    add_list(entry->fts_path, ret, err) < 0)
			return -1;
	}
	return 0;
}

int upload_pending_find(const char *path, struct upload_pendings *ret, struct pl_err *err)
{
	auto_free char *copy = pl_strdup(path);
	char *const roots[] = { copy, NULL };
	struct stat st;

	if (stat(path, &st) < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return add_list(path, ret, err);
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	if (tree == NULL)
		return pl_err_errno(err, "could not read '%s'", path);
	int result = walk(tree, ret, err);
	fts_close(tree);
	return result;
}

bool upload_pending_is_current(const struct upload_pending *pending)
{
	auto_free char *run_id = run_id_of(pending->result);

	return pending->run_id == NULL || pl_text_equal(run_id, pending->run_id);
}

void upload_pending_remove(const char *result, const char *to)
{
	auto_free char *path = list_path(result);
	struct upload_pending pending;

	if (!pl_file_exists(path) || read_list(path, &pending, PL_ERR_IGNORED) < 0)
		return;
	if (to == NULL || pl_text_equal(pending.to, to))
		unlink(path);
	pending_done(&pending);
}
