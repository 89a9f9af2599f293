/* `bench serve --dry-run`: shows the complete options and the requests to send. */
#pragma once

#include <stdbool.h>

struct vllm_bench_line;
struct exp_config;
struct option_problems;
/*
 * Prints {options, set, url, endpoint, plan, problems}, as one JSON object or as text; returns the exit status. `set`
 * contains the given options; `problems` are objects as in `validate --json` with an additional `text` for a command
 * line. Queries no server, so lengths that require a tokenizer are null.
 */
int cli_bench_dry_run(const struct exp_config *experiment, const struct vllm_bench_line *line,
		      const struct option_problems *problems, bool as_json);
/* Prints {problems} of a refused command line. */
int cli_bench_refused(const struct vllm_bench_line *line, const struct option_problems *problems);
