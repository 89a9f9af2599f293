/* profllm: finds the command and runs it. The commands are in cli/commands.c. */
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"
#include "host/proc/reaper.h"
#include "option/secret_known.h"

static void report(const char *run_id, size_t killed, size_t left)
{
	if (killed > 0)
		pl_log(PL_LOG_WARNING, "ended %zu process%s of the killed run '%s'", killed,
		       killed == 1 ? "" : "es", run_id);
	if (left > 0)
		pl_log(PL_LOG_WARNING, "could not end %zu process%s of the killed run '%s'", left,
		       left == 1 ? "" : "es", run_id);
}

/*
 * The next command ends servers that a killed run has left, because no other process does. Commands that only print do
 * not check, because a shell runs some of them at each key press.
 */
static void end_orphans(const char *command)
{
	static const char *const quick[] = { "completion", "help", "schema", "version" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(quick); i++) {
		if (pl_text_equal(command, quick[i]))
			return;
	}
	host_reaper_end_orphans(report);
}

int main(int argc, char **argv)
{
	pl_log_init("profllm");
	pl_program_begin();
	if (argc < 2) {
		char help[] = "help";
		char *help_argv[] = { help, NULL };
		cmd_help(1, help_argv);
		return pl_err_exit_status(PL_ERR_INVALID);
	}
	if (argc > 2 && strcmp(argv[1], "complete") == 0)
		return cmd_complete(argc - 1, argv + 1);
	if (argv[1][0] == '-') {
		if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
			return cmd_version(1, argv);
		if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
			return cmd_help(argc - 1, argv + 1);
		return cli_refuse("unknown option '%s'; see 'profllm --help'", argv[1]);
	}
	const struct pl_command *cmd = pl_command_find(&cli_commands, argv[1]);
	if (cmd == NULL)
		return cli_unknown_command(argv[1]);
	option_secret_know_env();
	for (int i = 1; i < argc; i++)
		option_secret_know_urls(argv[i]);
	end_orphans(cmd->name);
	return cmd->run(argc - 1, argv + 1);
}
