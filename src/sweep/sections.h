/*
 * The content of a sweep's file other than the sweep, without secrets: to run some cells again from the summary alone.
 */
#pragma once

#include "experiment/sweep/sweep.h"

/*
 * Returns the file's sections without `sweep`. Secrets are omitted, and their keys are added to `left_out`
 * ("launch.env.HF_TOKEN"). New reference.
 */
json_t *sweep_sections(const struct exp_sweep *sweep, json_t *left_out);
/* Returns its display name: the name in the file, else its suite, else the name of the file. free() */
char *sweep_name(const struct exp_sweep *sweep);
