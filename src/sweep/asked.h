/*
 * What a sweep's file says besides its sweep, as it may be shown: for who wants to run some of its cells
 * again and has the summary alone.
 */
#pragma once

#include "experiment/sweep/sweep.h"

/*
 * The file's sections without `sweep`. What is secret is left out, and its key is added to `left_out`
 * ("launch.env.HF_TOKEN"). New reference.
 */
json_t *sweep_asked(const struct exp_sweep *sweep, json_t *left_out);
/* What people call it: the file's name, else its suite, else the name of the file. free() */
char *sweep_name(const struct exp_sweep *sweep);
