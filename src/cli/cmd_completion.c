/* `profllm completion SHELL`: the script of base/completion.h, which passes on an overlay if one is given. */
#include "cli/cli.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/completion.h"

#define SCRIPT_BYTES_MAX 65536

struct completion_options {
	const char *overlay;
	bool json;
};

#define AT(field) offsetof(struct completion_options, field)

static const struct pl_opt completion_rows[] = {
	PL_OPT(TEXT, 0, "params-overlay", overlay, "FILE",
	       "accept the server arguments of another vLLM, as listed in FILE by profllm "
	       "params --from-vllm"),
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print one JSON object with the script and the file from which the shell loads it"),
	{ .name = NULL },
};

const struct pl_opt_command cli_completion_command = {
	.name = "profllm completion",
	.usage = PL_SHELLS " [options]",
	.summary = "Print the script that completes commands for a shell.",
	.details = "Examples:\n"
		   "  source <(profllm completion bash)        # in ~/.bashrc\n"
		   "  source <(profllm completion zsh)         # in ~/.zshrc, after compinit\n"
		   "  profllm completion fish | source         # in config.fish\n\n"
		   "Exit status: 0 done, 2 invalid usage, or FILE cannot be read.",
	.options = completion_rows,
	.words = pl_shells,
};

/* Makes the script use this overlay in any directory; all three shells support such quotes. */
static void add_overlay(struct pl_buf *text, const char *shell, const char *overlay)
{
	auto_free char *path = realpath(overlay, NULL);

	pl_buf_add_text(text, strcmp(shell, "fish") == 0 ? "set -g _profllm_overlay '"
							 : "_profllm_overlay='");
	/* 'it'\''s': the quotes end before an escaped quote and begin again */
	for (char *rest = path, *part; (part = strsep(&rest, "'")) != NULL;)
		pl_buf_addf(text, "%s%s", part, rest != NULL ? "'\\''" : "'\n");
}

static int write_script(const char *shell, const struct completion_options *options)
{
	auto_buf text = PL_BUF(SCRIPT_BYTES_MAX);
	auto_free char *script = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (pl_completion_script("profllm", shell, &script, &err) < 0)
		return cli_fail(&err);
	pl_buf_add_text(&text, script);
	if (options->overlay != NULL)
		add_overlay(&text, shell, options->overlay);
	if (options->json)
		return pl_completion_print_json("profllm", shell, pl_buf_text(&text));
	return cli_print(pl_buf_text(&text));
}

int cmd_completion(int argc, char **argv)
{
	struct completion_options options = { 0 };
	auto_catalog const struct vllm_catalog *catalog = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int status;

	if (!pl_command_read(&cli_completion_command, argc, argv, &options, &words, &status))
		return status;
	if (words.count != 1)
		return cli_refuse("expected one shell, " PL_SHELLS);
	/* otherwise an unreadable overlay would fail silently at every key press */
	if (cli_catalog_open(options.overlay, &catalog, &err) < 0)
		return cli_fail(&err);
	return write_script(words.items[0], &options);
}
