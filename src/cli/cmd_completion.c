#include "cli/cmd_completion_priv.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

#define SCRIPT_BYTES_MAX (4u << 20)
#define SHELLS           "bash|zsh|fish"

struct completion_options {
	const char *overlay;
};

static const struct pl_opt completion_rows[] = {
	{ .name = "params-overlay",
	  .type = PL_OPT_TEXT,
	  .offset = offsetof(struct completion_options, overlay),
	  .arg = "FILE",
	  .help = "server arguments of another vLLM, as profllm params --from-vllm writes them" },
	{ .name = NULL },
};

const struct pl_opt_command cli_completion_command = {
	.name = "profllm completion",
	.usage = SHELLS " [options]",
	.summary = "Print what lets a shell complete commands, options and --set keys and values.",
	.details = "Examples:\n"
		   "  source <(profllm completion bash)        # in ~/.bashrc\n"
		   "  source <(profllm completion zsh)         # in ~/.zshrc, behind compinit\n"
		   "  profllm completion fish | source         # in config.fish",
	.options = completion_rows,
};

static const struct {
	const char *name;
	void (*write)(struct pl_buf *text);
} shells[] = {
	{ "bash", cli_completion_bash },
	{ "zsh", cli_completion_zsh },
	{ "fish", cli_completion_fish },
};

static int write_script(const char *shell)
{
	const char *names[PL_ARRAY_SIZE(shells)];
	struct pl_err err = PL_ERR_INIT;
	auto_buf text = { 0 };

	pl_buf_init(&text, SCRIPT_BYTES_MAX);
	for (size_t i = 0; i < PL_ARRAY_SIZE(shells); i++) {
		names[i] = shells[i].name;
		if (strcmp(shells[i].name, shell) != 0)
			continue;
		shells[i].write(&text);
		return cli_print(pl_buf_text(&text));
	}
	const char *nearest = pl_text_nearest(shell, names, PL_ARRAY_SIZE(names));
	if (nearest != NULL)
		pl_err_set(&err, PL_ERR_INVALID, "unknown shell '%s' (did you mean '%s'?)", shell,
			   nearest);
	else
		pl_err_set(&err, PL_ERR_INVALID, "unknown shell '%s', expected " SHELLS, shell);
	return cli_fail(&err);
}

int cmd_completion(int argc, char **argv)
{
	struct completion_options options = { 0 };
	struct pl_err err = PL_ERR_INIT;
	char **rest;
	int rest_count;
	bool help = false;

	if (pl_opt_parse(&cli_completion_command, argc, argv, &options, &rest, &rest_count, &help,
			 &err) < 0)
		return cli_fail(&err);
	if (help)
		return cli_print_help(&cli_completion_command);
	if (rest_count != 1) {
		pl_err_set(&err, PL_ERR_INVALID, "expected one shell, " SHELLS);
		return cli_fail(&err);
	}
	if (cli_use_overlay(options.overlay, &err) < 0)
		return cli_fail(&err);
	return write_script(rest[0]);
}
