/*
 * `profllm completion SHELL`: a short script that asks `profllm complete` for every word. What can
 * be completed so is known in one place, the rows of the program that is asked, whatever shell it
 * is.
 */
#include "cli/cli.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define SHELLS           "bash|zsh|fish"
#define SCRIPT_BYTES_MAX 65536

/* COMPLETION_SCRIPT: where the build finds the scripts (CMakeLists.txt) */
#define SCRIPT(shell)                                        \
	__asm__(".pushsection .rodata\n"                     \
		"completion_" #shell ":\n"                   \
		".incbin \"" COMPLETION_SCRIPT #shell "\"\n" \
		".byte 0\n"                                  \
		".popsection\n");                            \
	extern const char completion_##shell[]
SCRIPT(bash);
SCRIPT(zsh);
SCRIPT(fish);

static const char *const shells[] = { "bash", "zsh", "fish", NULL };
static const char *const scripts[] = { completion_bash, completion_zsh, completion_fish };

struct completion_options {
	const char *overlay;
};

#define AT(field) offsetof(struct completion_options, field)

static const struct pl_opt completion_rows[] = {
	PL_OPT(TEXT, 0, "params-overlay", overlay, "FILE",
	       "server arguments of another vLLM, as profllm params --from-vllm writes them"),
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
	.words = shells,
};

/* The script asks with this overlay then, wherever the shell is; all three read such quotes. */
static void add_overlay(struct pl_buf *text, const char *shell, const char *overlay)
{
	auto_free char *path = realpath(overlay, NULL);

	pl_buf_add_text(text, strcmp(shell, "fish") == 0 ? "set -g _profllm_overlay '"
							 : "_profllm_overlay='");
	/* 'it'\''s': the quotes end, one stands by itself, they begin again */
	for (char *rest = path, *part; (part = strsep(&rest, "'")) != NULL;)
		pl_buf_addf(text, "%s%s", part, rest != NULL ? "'\\''" : "'\n");
}

static int write_script(const char *shell, const char *overlay)
{
	auto_buf text = PL_BUF(SCRIPT_BYTES_MAX);

	for (size_t i = 0; i < PL_ARRAY_SIZE(scripts); i++) {
		if (strcmp(shells[i], shell) != 0)
			continue;
		pl_buf_add_text(&text, scripts[i]);
		if (overlay != NULL)
			add_overlay(&text, shell, overlay);
		return cli_print(pl_buf_text(&text));
	}
	const char *nearest = pl_text_nearest(shell, shells, PL_ARRAY_SIZE(scripts));
	if (nearest != NULL)
		return cli_refuse("unknown shell '%s' (did you mean '%s'?)", shell, nearest);
	return cli_refuse("unknown shell '%s', expected " SHELLS, shell);
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
		return cli_refuse("expected one shell, " SHELLS);
	/* an overlay that cannot be read would be found out at every key press, and silently */
	if (cli_catalog_open(options.overlay, &catalog, &err) < 0)
		return cli_fail(&err);
	return write_script(words.items[0], options.overlay);
}
