/*
 * `profllm schema --fields`: the fields of a result, and what they have in result files.
 */
#pragma once

#include "base/opt.h"

#include <stdbool.h>

/*
 * Without files the fields, with files what they have in each; only those of `ids` where there are
 * any. Returns the exit status.
 */
int cli_schema_fields(const struct pl_opt_list *ids, char *const *files, int file_count, bool json);
