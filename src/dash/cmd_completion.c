/* `profllm-dashboard completion SHELL`, and `complete`, which its script calls (base/completion.h). */
#include "dash/dash.h"

#include <stddef.h>

#include "base/completion.h"

struct completion_options {
	bool json;
};

#define AT(field) offsetof(struct completion_options, field)

static const struct pl_opt completion_rows[] = {
	PL_OPT(FLAG, 0, "json", json, NULL,
	       "print one JSON object with the script and the file from which the shell loads it"),
	{ .name = NULL },
};

const struct pl_opt_command dash_completion_command = {
	.name = DASH_PROGRAM " completion",
	.usage = PL_SHELLS " [--json]",
	.summary = "Print the script that completes commands for a shell.",
	.details = "Examples:\n"
		   "  source <(" DASH_PROGRAM " completion bash)   # in ~/.bashrc\n"
		   "  source <(" DASH_PROGRAM " completion zsh)    # in ~/.zshrc, after compinit\n"
		   "  " DASH_PROGRAM " completion fish | source    # in config.fish\n\n"
		   "Exit status: 0 done, 2 invalid usage.",
	.options = completion_rows,
	.words = pl_shells,
};

int dash_cmd_completion(int argc, char **argv)
{
	struct completion_options options = { 0 };
	auto_free char *script = NULL;
	struct pl_err err = PL_ERR_INIT;
	struct pl_words words;
	int status;

	if (!pl_command_read(&dash_completion_command, argc, argv, &options, &words, &status))
		return status;
	if (words.count != 1)
		return pl_program_refuse("expected one shell, " PL_SHELLS);
	if (pl_completion_script(DASH_PROGRAM, words.items[0], &script, &err) < 0)
		return pl_program_fail(&err);
	return options.json ? pl_completion_print_json(DASH_PROGRAM, words.items[0], script)
			    : pl_program_print(script);
}

int dash_cmd_complete(int argc, char **argv)
{
	const struct pl_command *serve = pl_command_find(&dash_commands, DASH_COMMAND_DEFAULT);
	struct pl_completion completion;
	int front = dash_front_words(argv + 1, argc - 1);
	char **words = argv + 1 + front;
	int count = argc - 1 - front;

	pl_completion_init(&completion, &dash_commands, argc, argv);
	const struct pl_command *command = pl_command_find(&dash_commands, words[0]);
	if (words[0][0] == '-') {
		/* a line without a command is a line of `serve` */
		pl_completion_offer_options(&completion, serve->options, words, count);
	} else if (count == 1) {
		pl_completion_offer_commands(&completion);
		pl_completion_offer(&completion, "--help", "show the help and exit");
		pl_completion_offer(&completion, "--version", "show the version and exit");
	} else if (command != NULL) {
		pl_completion_offer_options(&completion, command->options, words + 1, count - 1);
	}
	return pl_completion_done(&completion);
}
