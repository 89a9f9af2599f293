/*
 * Where a run's files lie: all names come of the result's.
 *
 *	r.json               r.requests.jsonl.zst              r.server.log              …
 *	r.exp_….json         r.exp_….requests.jsonl.zst        r.exp_….server.log        …
 *
 * The second line is a run beside a result that stays until the new one is whole. Whoever moves,
 * drops or recovers files goes over the rows of tbl/side_files.h: a new side file is a row and a
 * member.
 */
#include "run/paths.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#define RESULT_SUFFIX ".json"

static const struct {
	size_t at;
	const char *suffix;
} side_files[] = {
#define SIDE_FILE(member, suffix, what) { offsetof(struct run_paths, member), suffix },
#include "tbl/side_files.h"
};

static char **side_at(const struct run_paths *paths, size_t i)
{
	return (char **)((char *)paths + side_files[i].at);
}

void run_paths_make(const char *output, const char *run_id, struct run_paths *ret)
{
	auto_free char *suffix = run_id != NULL ? pl_asprintf(".%s" RESULT_SUFFIX, run_id) : NULL;

	*ret = (struct run_paths){
		.output = pl_strdup(output),
		.beside = run_id != NULL,
		.result = run_id != NULL ? pl_file_sibling(output, RESULT_SUFFIX, suffix)
					 : pl_strdup(output),
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(side_files); i++)
		*side_at(ret, i) = pl_file_sibling(ret->result, RESULT_SUFFIX,
						   side_files[i].suffix);
}

void run_paths_done(struct run_paths *paths)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(side_files); i++)
		free(*side_at(paths, i));
	free(paths->output);
	free(paths->result);
	*paths = (struct run_paths){ 0 };
}

size_t run_paths_side_count(void)
{
	return PL_ARRAY_SIZE(side_files);
}

const char *run_paths_side(const struct run_paths *paths, size_t i)
{
	return *side_at(paths, i);
}

int run_paths_check_free(const struct run_paths *paths, struct pl_err *err)
{
	auto_free char *found = NULL;
	struct stat st;

	for (size_t i = 0; i < PL_ARRAY_SIZE(side_files); i++) {
		const char *path = run_paths_side(paths, i);
		if (lstat(path, &st) < 0)
			continue;
		char *more = found == NULL ? pl_asprintf("'%s'", path)
					   : pl_asprintf("%s, '%s'", found, path);
		free(found);
		found = more;
	}
	if (found == NULL)
		return 0;
	return pl_err_invalid(err,
			      "artifacts of another run exist: %s; use another --output or "
			      "--overwrite",
			      found);
}
