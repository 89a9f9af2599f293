/*
 * `profllm sweep serve | serve_workload | serve_sla | startup`, and the same behind `profllm bench`:
 * vLLM's sweeps.
 */
#pragma once

#include "base/opt.h"

#include <stdbool.h>

/* Ended by one with name NULL. */
extern const struct pl_opt_command cli_sweep_vllm_commands[];

/* Is the word one of them? */
bool cli_sweep_is_vllms(const char *name);
/* argv[0] is that word; returns the exit status. */
int cli_sweep_vllm(int argc, char **argv);
/* Its options; NULL: it is none of them. */
const struct pl_opt_command *cli_sweep_vllm_command(const char *name);
