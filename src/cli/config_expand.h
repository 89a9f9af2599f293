/* `config expand`: lists the experiments of a sweep. */
#pragma once

#include "cli/sweep_file.h"

/*
 * Writes all remaining experiments as a stream of YAML documents, or as one JSON object; `cell`: only the one with this
 * id (NULL: all), as an experiment file. Returns 0, or the exit status after reporting the error.
 */
int cli_config_expand(const char *path, const struct cli_sweep_options *options, const char *cell,
		      bool as_json, struct pl_buf *text);
