#include "run/child.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

const char **run_child_argv(const json_t *words)
{
	size_t count = json_array_size(words);
	const char **argv = pl_alloc_array(count + 1, sizeof(*argv));

	for (size_t i = 0; i < count; i++)
		argv[i] = json_string_value(json_array_get(words, i));
	return argv;
}

char **run_child_env(const json_t *variables)
{
	char **env = pl_alloc_array(json_object_size(variables) + 1, sizeof(*env));
	size_t used = 0;
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)variables, name, value)
		env[used++] = pl_asprintf("%s=%s", name, json_string_value(value));
	return env;
}

void run_child_env_free(char **env)
{
	for (size_t i = 0; env != NULL && env[i] != NULL; i++)
		free(env[i]);
	free(env);
}
