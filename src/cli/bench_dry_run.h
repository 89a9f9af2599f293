/* `bench serve --dry-run`: the completed options and what would be sent. */
#ifndef CLI_BENCH_DRY_RUN_H
#define CLI_BENCH_DRY_RUN_H

#include <stdbool.h>

struct vllm_bench_line;
struct exp_config;
/*
 * Prints {options, set, url, endpoint, plan, problems}: `set` holds what was given, `problems` what
 * the run itself would refuse. As one JSON object or for people; returns the exit status. Nothing
 * is asked of a server, so lengths that only a tokenizer knows are null.
 */
int cli_bench_dry_run(const struct exp_config *experiment, const struct vllm_bench_line *line,
		      bool as_json);

#endif
