/*
 * `validate --upgrade-to`: from which release an input comes, and which defaults change under it. What
 * of the input itself must change is among its problems, as it is read and checked for the new
 * release.
 */
#pragma once

#include "cli/validate_input.h"

struct cli_upgrade {
	struct run_release from;
	const char *to;   /* NULL: nothing is upgraded; borrowed */
	json_t *defaults; /* of vllm_release_defaults() */
};

void cli_upgrade_done(struct cli_upgrade *upgrade);
#define auto_upgrade __attribute__((cleanup(cli_upgrade_done), unused)) struct cli_upgrade

/* `today`: the input read for the release that it has now, or for `version` (NULL: none was given);
 * `to` is one that can be read. `ret` starts as { 0 }, and stays so where nothing was read. */
void cli_upgrade_look(const struct cli_input *today, const char *version, const char *to,
		      struct cli_upgrade *ret);
/*
 * Warns of each flag of a command line that sets another argument in the new release than it does
 * today, as -O3 does: it would be taken, and do something else.
 */
void cli_upgrade_flags(const struct cli_upgrade *upgrade, const struct cli_input *today,
		       struct cli_input *input);
/* "FILE: from vLLM 0.8.5 to 0.32.0" */
void cli_upgrade_head(const struct cli_upgrade *upgrade, const char *name, struct pl_buf *buf);
/* The defaults that matter most, and how many more there are. */
void cli_upgrade_text(const struct cli_upgrade *upgrade, struct pl_buf *buf);
/* {from: {version, assumed}, to, defaults: [{key, old, new}]}. New reference. */
json_t *cli_upgrade_json(const struct cli_upgrade *upgrade);
