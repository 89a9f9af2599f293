#include "result/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/strv.h"
#include "base/text.h"

#define DEPTH_MAX 100

static const struct {
	const char *suffix, *what;
} artifacts[] = {
#define RUN_ARTIFACT(member, suffix, what) { suffix, what },
#include "tbl/run_artifacts.h"
	/*
	 * not an artifact of every result: the journal of an unfinished or killed run, and files
	 * for other tools
	 */
	{ ".journal", "a journal; use profllm recover to write its result" },
	{ ".pytorch.json", "metrics in PyTorch's benchmark format" },
	{ ".pt.trace.json", "a trace" },
	{ ".pt.trace.json.gz", "a trace" },
};

/*
 * Suffixes of files that may hold results, and of their compressed forms; web/src/upload/kinds.ts
 * has the same list.
 */
static const char *const result_ends[] = { ".json", ".jsonl", ".ndjson" };
static const char *const packed_ends[] = { ".zst", ".gz" };

static bool is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash != NULL ? slash + 1 : path, name) == 0;
}

bool res_may_be_sweep(const char *path)
{
	return is_called(path, RES_SWEEP_SUMMARY);
}

const char *res_sweep_id(const json_t *summary)
{
	return json_is_array(json_object_get(summary, "runs")) ? pl_json_get_text(summary, "sweep")
							       : NULL;
}

const char *res_artifact_suffix(const char *name)
{
	if (is_called(name, RES_SWEEP_JOURNAL))
		return "a sweep's journal";
	for (size_t i = 0; i < PL_ARRAY_SIZE(artifacts); i++) {
		if (pl_text_ends(name, artifacts[i].suffix))
			return artifacts[i].what;
	}
	return NULL;
}

/* The end of the name, that of packing left out; NULL: no result has it. */
static const char *result_end(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < PL_ARRAY_SIZE(packed_ends); i++) {
		if (pl_text_ends(name, packed_ends[i]))
			len = strlen(name) - strlen(packed_ends[i]);
	}
	auto_free char *plain = pl_strndup(name, len);
	for (size_t i = 0; i < PL_ARRAY_SIZE(result_ends); i++) {
		if (pl_text_ends(plain, result_ends[i]))
			return result_ends[i];
	}
	return NULL;
}

bool res_may_hold_results(const char *name)
{
	return result_end(name) != NULL;
}

bool res_holds_lines(const char *name)
{
	const char *end = result_end(name);

	return end != NULL && strcmp(end, ".json") != 0;
}

static void add_file(struct res_files *files, const char *path)
{
	*PL_PUSH(files->items, files->count, files->room) = (struct res_file){
		.path = pl_strdup(path),
		.side = res_artifact_suffix(path),
	};
}

static int add_folder(struct res_files *files, const char *path, int depth, struct pl_err *err);

/* A file that disappears in the meantime counts as missing. */
static int add_entry(struct res_files *files, const char *path, int depth, struct pl_err *err)
{
	struct stat file_facts, meant;

	if (lstat(path, &file_facts) < 0 || stat(path, &meant) < 0)
		return 0;
	if (S_ISDIR(file_facts.st_mode))
		return add_folder(files, path, depth + 1, err);
	if (!S_ISREG(meant.st_mode))
		return 0;
	if (res_artifact_suffix(path) != NULL || res_may_hold_results(path))
		add_file(files, path);
	else
		files->others++;
	return 0;
}

static int add_folder(struct res_files *files, const char *path, int depth, struct pl_err *err)
{
	auto_dir dir = opendir(path);
	auto_strv names = { 0 };
	const char *name;

	if (dir == NULL)
		return pl_err_errno(err, "could not read directory '%s'", path);
	if (depth > DEPTH_MAX)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'%s' is nested more than %d directories deep", path, DEPTH_MAX);
	while ((name = pl_dir_next(dir)) != NULL) {
		if (name[0] != '.')
			pl_strv_add(&names, name);
	}
	if (names.count > 0)
		qsort(names.items, names.count, sizeof(*names.items), pl_text_compare);
	for (size_t i = 0; i < names.count; i++) {
		bool has_slash = pl_text_ends(path, "/");
		auto_free char *below = pl_asprintf("%s%s%s", path, has_slash ? "" : "/",
						    names.items[i]);
		if (add_entry(files, below, depth, err) < 0)
			return -1;
	}
	return 0;
}

int res_files_add(struct res_files *files, const char *path, struct pl_err *err)
{
	struct stat meant;

	if (stat(path, &meant) < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	if (S_ISDIR(meant.st_mode))
		return add_folder(files, path, 0, err);
	/* /dev/zero has no end */
	if (S_ISCHR(meant.st_mode) || S_ISBLK(meant.st_mode))
		return pl_err_invalid(err, "'%s': found a device, expected a file or directory",
				      path);
	add_file(files, path);
	return 0;
}

void res_files_done(struct res_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->items[i].path);
	free(files->items);
	*files = (struct res_files){ 0 };
}
