/* `bench serve --dry-run`: the completed options and what would be sent. */
#pragma once

#include <stdbool.h>

struct vllm_bench_line;
struct exp_config;
struct option_problems;
/*
 * Prints {options, set, url, endpoint, plan, problems}: `set` holds what was given; `problems` are
 * objects as those of `validate --json` with a `text` more, in the words of a command line. As one JSON
 * object or for people; returns the exit status. Nothing is asked of a server, so lengths that only a
 * tokenizer knows are null.
 */
int cli_bench_dry_run(const struct exp_config *experiment, const struct vllm_bench_line *line,
		      const struct option_problems *problems, bool as_json);
/* Prints {problems} of a line that is refused. */
int cli_bench_refused(const struct vllm_bench_line *line, const struct option_problems *problems);
