/* The ordered releases of `profllm bisect`, and the experiment file of each. */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "base/opt.h"

#include <stdbool.h>

#define CLI_RELEASES_MAX 4096

struct cli_release {
	char *name;
	char *command; /* words of launch.command; NULL: that of the file */
};

/* Initialize with { 0 }. */
struct cli_releases {
	struct cli_release *items; /* from good to bad */
	size_t count;
	size_t room;
};
void cli_releases_done(struct cli_releases *releases);
#define auto_releases __attribute__((cleanup(cli_releases_done), unused)) struct cli_releases

/*
 * Sets the releases from `good` to `bad`: of `list` ("NAME" or "NAME=COMMAND" each), of the lines of
 * the file at `path` ("NAME" or "NAME COMMAND"), or, without both, the releases of vLLM.
 */
int cli_releases_read(const struct pl_opt_list *list, const char *path, const char *good,
		      const char *bad, struct cli_releases *ret, struct pl_err *err) PL_MUST_CHECK;

/*
 * Returns the experiment of a release: {release} in each text is its name, its command is
 * launch.command, and tags.release is its name. New reference.
 */
json_t *cli_release_experiment(const json_t *experiment, const struct cli_release *release);
/* Returns whether a text of the experiment contains {release}. */
bool cli_release_is_used(const json_t *experiment);
