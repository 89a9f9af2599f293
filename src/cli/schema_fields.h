/* `profllm schema --fields`: the fields of a result, and their values in result files. */
#pragma once

#include "base/opt.h"

#include <stdbool.h>

/*
 * Without files, prints the fields; with files, their values in each. `ids` selects fields, if not empty. Returns the
 * exit status.
 */
int cli_schema_fields(const struct pl_opt_list *ids, char *const *files, int file_count, bool json);
