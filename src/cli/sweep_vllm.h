/* `profllm sweep serve | serve_workload | serve_sla | startup`, and the same after `profllm bench`: vLLM's sweeps. */
#pragma once

#include "base/opt.h"

#include <stdbool.h>

/* The last one has name NULL. */
extern const struct pl_opt_command cli_sweep_vllm_commands[];

/* Returns whether the word is one of them. */
bool cli_sweep_is_vllms(const char *name);
/* argv[0] is that word; returns the exit status. */
int cli_sweep_vllm(int argc, char **argv);
/* Returns its options; NULL: it is not one of them. */
const struct pl_opt_command *cli_sweep_vllm_command(const char *name);
