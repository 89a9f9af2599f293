/*
 * What a child process is started with, of JSON.
 */
#ifndef RUN_CHILD_H
#define RUN_CHILD_H

#include "base/json.h"

/* Texts of an array, NULL-ended; they are the array's own. free(). */
const char **run_child_argv(const json_t *words);
/* "NAME=text" of each variable of an object, NULL-ended. run_child_env_free(). */
char **run_child_env(const json_t *variables);
void run_child_env_free(char **env);

#endif
