/*
 * `validate --upgrade-to`: the current release of an input, and the defaults that change. The required changes in the
 * input itself are among its problems, because it is read and checked for the new release.
 */
#pragma once

#include "cli/validate_input.h"

struct cli_upgrade {
	struct run_release from;
	const char *to;   /* NULL: no upgrade; borrowed */
	json_t *defaults; /* from vllm_release_defaults() */
};

void cli_upgrade_done(struct cli_upgrade *upgrade);
#define auto_upgrade __attribute__((cleanup(cli_upgrade_done), unused)) struct cli_upgrade

/*
 * `today` is the input read for its current release, or for `version` (NULL: not given); `to` is a valid release. `ret`
 * starts as { 0 }, and stays so if nothing was read.
 */
void cli_upgrade_look(const struct cli_input *today, const char *version, const char *to,
		      struct cli_upgrade *ret);
/*
 * Warns about each flag of a command line that sets another argument in the new release than today, such as -O3: it
 * would be accepted with another effect.
 */
void cli_upgrade_flags(const struct cli_upgrade *upgrade, const struct cli_input *today,
		       struct cli_input *input);
/* "FILE: from vLLM 0.8.5 to 0.32.0" */
void cli_upgrade_head(const struct cli_upgrade *upgrade, const char *name, struct pl_buf *buf);
/* Writes the most important changed defaults, and the number of the others. */
void cli_upgrade_text(const struct cli_upgrade *upgrade, struct pl_buf *buf);
/* {from: {version, assumed}, to, defaults: [{key, old, new}]}. New reference. */
json_t *cli_upgrade_json(const struct cli_upgrade *upgrade);
