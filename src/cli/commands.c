#include "cli/cli.h"

#include <string.h>

#include "base/text.h"

#define NAMES_MAX 64

const struct cli_cmd cli_cmds[] = {
	{ "run", cmd_run, "start a server, send load to it and write the result",
	  &cli_run_command },
	{ "bench", cmd_bench, "send load to a server that runs, as vllm bench serve does",
	  &cli_bench_command },
	{ "recover", cmd_recover, "make the result of a run that was killed from its journal",
	  &cli_recover_command },
	{ "validate", cmd_validate, "find what is wrong with experiments or command lines",
	  &cli_validate_command },
	{ "config", cmd_config, "turn a command line into an experiment, or the other way",
	  &cli_config_command },
	{ "params", cmd_params, "show vLLM's arguments, or what another vLLM has changed",
	  &cli_params_command },
	{ "gpus", cmd_gpus, "show the GPUs of this host, what they do and who uses them",
	  &cli_gpus_command },
	{ "schema", cmd_schema, "print the rows that everything is made from, for programs",
	  &cli_schema_command },
	{ "completion", cmd_completion, "print what lets a shell complete profllm's words",
	  &cli_completion_command },
	{ "help", cmd_help, "show the commands, or one command's options", NULL },
	{ "version", cmd_version, "show the version", &cli_version_command },
	{ NULL, NULL, NULL, NULL },
};

const struct cli_cmd *cli_cmd_find(const char *name)
{
	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL; cmd++) {
		if (strcmp(cmd->name, name) == 0)
			return cmd;
	}
	return NULL;
}

int cli_unknown_command(const char *name)
{
	const char *names[NAMES_MAX];
	struct pl_err err = PL_ERR_INIT;
	size_t count = 0;

	for (const struct cli_cmd *cmd = cli_cmds; cmd->name != NULL && count < NAMES_MAX; cmd++)
		names[count++] = cmd->name;
	const char *nearest = pl_text_nearest(name, names, count);
	if (nearest != NULL)
		pl_err_set(&err, PL_ERR_INVALID, "unknown command '%s' (did you mean '%s'?)", name,
			   nearest);
	else
		pl_err_set(&err, PL_ERR_INVALID, "unknown command '%s' (see profllm --help)", name);
	return cli_fail(&err);
}
