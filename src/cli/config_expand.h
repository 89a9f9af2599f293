/*
 * `config expand`: the experiments of a sweep.
 */
#pragma once

#include "cli/sweep_file.h"

/* All that stay as a stream of YAML documents, or as one JSON object; `cell`: the one with this id
 * alone (NULL: all), as the file of an experiment. 0, or the exit status, and that was told. */
int cli_config_expand(const char *path, const struct cli_sweep_options *options, const char *cell,
		      bool as_json, struct pl_buf *text);
