/* `run --dry-run`: shows what would be started. */
#pragma once

#include <stdbool.h>

struct exp_config;
struct option_problems;
/* Prints {"problems": [...]} of a refused experiment; returns the exit status. */
int cli_dry_run_refused(const struct option_problems *problems);
/* Prints the launch with the warnings among `problems`, as one JSON object or as text; returns the exit status. */
int cli_dry_run(const struct exp_config *experiment, const struct option_problems *problems,
		bool as_json);
