#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

#define NAMES_MAX      64
#define HELP_BYTES_MAX (1u << 20)

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

int cli_fail(const struct pl_err *err)
{
	pl_log(PL_LOG_ERROR, "%s", err->text);
	return pl_err_exit_status(err->code);
}

int cli_print(const char *text)
{
	struct pl_err err = PL_ERR_INIT;

	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return 0;
	pl_err_errno(&err, "cannot write standard output");
	return cli_fail(&err);
}

int cli_print_json(const json_t *json)
{
	auto_free char *indented = pl_json_to_text(json, PL_JSON_INDENT);
	auto_free char *text = pl_asprintf("%s\n", indented);

	return cli_print(text);
}

int cli_print_help(const struct pl_opt_command *command)
{
	auto_buf text = { 0 };

	pl_buf_init(&text, HELP_BYTES_MAX);
	pl_opt_help(command, &text);
	return cli_print(pl_buf_text(&text));
}

int cli_catalog_open(const char *path, const struct vllm_catalog **ret, struct pl_err *err)
{
	if (path == NULL)
		path = getenv("PROFLLM_PARAMS_OVERLAY");
	if (path != NULL && path[0] != '\0')
		return vllm_catalog_overlay_file(vllm_catalog_reference(), path, ret, err);
	*ret = vllm_catalog_reference();
	return 0;
}
