#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/text.h"

#define HELP_BYTES_MAX (1u << 20)

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
