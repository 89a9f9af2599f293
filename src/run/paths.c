/*
 * The paths of a run's files, which all follow from that of the result.
 *
 *	r.json               r.requests.jsonl.zst              r.server.log              …
 *	r.exp_….json         r.exp_….requests.jsonl.zst        r.exp_….server.log        …
 *
 * The second line is a run whose files have its id in their names, because an earlier result stays until the new one is
 * complete. Code that moves, removes or recovers files iterates over tbl/run_artifacts.h: a new artifact is a row and a
 * member.
 */
#include "run/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

#define RESULT_SUFFIX ".json"

static const struct {
	size_t at;
	const char *suffix;
} artifacts[] = {
#define RUN_ARTIFACT(member, suffix, what) { offsetof(struct run_paths, member), suffix },
#include "tbl/run_artifacts.h"
};

static char **side_at(const struct run_paths *paths, size_t i)
{
	return (char **)((char *)paths + artifacts[i].at);
}

void run_paths_make(const char *output, const char *run_id, struct run_paths *ret)
{
	auto_free char *suffix = run_id != NULL ? pl_asprintf(".%s" RESULT_SUFFIX, run_id) : NULL;

	*ret = (struct run_paths){
		.output = pl_strdup(output),
		.is_alternative = run_id != NULL,
		.result = run_id != NULL ? pl_file_sibling(output, RESULT_SUFFIX, suffix)
					 : pl_strdup(output),
	};
	for (size_t i = 0; i < PL_ARRAY_SIZE(artifacts); i++)
		*side_at(ret, i) = pl_file_sibling(ret->result, RESULT_SUFFIX, artifacts[i].suffix);
}

void run_paths_done(struct run_paths *paths)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(artifacts); i++)
		free(*side_at(paths, i));
	free(paths->output);
	free(paths->result);
	*paths = (struct run_paths){ 0 };
}

size_t run_paths_artifact_count(void)
{
	return PL_ARRAY_SIZE(artifacts);
}

const char *run_paths_artifact(const struct run_paths *paths, size_t i)
{
	return *side_at(paths, i);
}

/* Results are much smaller. */
#define RESULT_BYTES_MAX (64u << 20)

static bool is_taken(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Returns whether a JSON text names one of the existing artifacts. */
static bool names_any(const char *text, const struct run_paths *paths)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(artifacts); i++) {
		const char *path = run_paths_artifact(paths, i);
		auto_free char *name = pl_file_name(path);
		auto_free char *quoted = pl_asprintf("\"%s\"", name);
		if (is_taken(path) && strstr(text, quoted) != NULL)
			return true;
	}
	return false;
}

/* Returns the path of a result in the same directory that names one of the existing artifacts, or NULL; free(). */
static char *find_owner(const struct run_paths *paths)
{
	auto_free char *folder = pl_file_dir(paths->result);
	auto_dir dir = opendir(folder);
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL) {
		if (!pl_text_ends(name, RESULT_SUFFIX))
			continue;
		auto_free char *path = pl_asprintf("%s/%s", folder, name);
		auto_free char *text = pl_file_text(path, RESULT_BYTES_MAX, NULL);
		if (text != NULL && names_any(text, paths))
			return pl_take(path);
	}
	return NULL;
}

int run_paths_check_free(const struct run_paths *paths, struct pl_err *err)
{
	auto_free char *found = NULL;

	for (size_t i = 0; i < PL_ARRAY_SIZE(artifacts); i++) {
		const char *path = run_paths_artifact(paths, i);
		if (!is_taken(path))
			continue;
		char *more = found == NULL ? pl_asprintf("'%s'", path)
					   : pl_asprintf("%s, '%s'", found, path);
		free(found);
		found = more;
	}
	auto_free char *owner = found != NULL ? find_owner(paths) : NULL;
	if (owner == NULL)
		return 0;
	return pl_err_invalid(err,
			      "artifacts of '%s' exist: %s; use another --output or --overwrite",
			      owner, found);
}

int run_paths_set_aside(const struct run_paths *paths, struct pl_err *err)
{
	bool moved = false;

	for (size_t i = 0; i < PL_ARRAY_SIZE(artifacts); i++) {
		const char *path = run_paths_artifact(paths, i);
		if (!is_taken(path))
			continue;
		for (int number = 1;; number++) {
			auto_free char *aside = pl_asprintf("%s.%d", path, number);
			if (is_taken(aside))
				continue;
			if (rename(path, aside) < 0)
				return pl_err_errno(err, "could not move '%s' to '%s'", path,
						    aside);
			pl_log(PL_LOG_WARNING, "moved '%s', whose result does not exist, to '%s'",
			       path, aside);
			moved = true;
			break;
		}
	}
	/* before new files take the names */
	return moved ? pl_file_sync_dir_of(paths->result, err) : 0;
}
