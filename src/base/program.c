#include "base/program.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/log.h"

#define HELP_BYTES_MAX (1u << 20)

static struct rlimit core_limit;
static bool has_core_limit;

void pl_program_begin(void)
{
	signal(SIGXFSZ, SIG_IGN);
	has_core_limit = getrlimit(RLIMIT_CORE, &core_limit) == 0;
	/*
	 * 1 and not 0: if kernel.core_pattern is a pipe, the kernel runs the program with every other
	 * limit. A file needs at least one page, so 1 byte makes none. The hard limit stays, so that a
	 * child can have its own again.
	 */
	struct rlimit none = { .rlim_cur = 1, .rlim_max = core_limit.rlim_max };
	if (none.rlim_max < none.rlim_cur)
		none.rlim_cur = none.rlim_max;
	if (has_core_limit)
		setrlimit(RLIMIT_CORE, &none);
}

void pl_program_restore_limits(void)
{
	if (has_core_limit)
		setrlimit(RLIMIT_CORE, &core_limit);
}

int pl_program_fail(const struct pl_err *err)
{
	pl_log(PL_LOG_ERROR, "%s", err->text);
	return pl_err_exit_status(err->code);
}

int pl_program_refuse(const char *format, ...)
{
	struct pl_err err = PL_ERR_INIT;
	va_list args;

	va_start(args, format);
	auto_free char *message = pl_vasprintf(format, args);
	va_end(args);
	pl_err_set(&err, PL_ERR_INVALID, "%s", message);
	return pl_program_fail(&err);
}

int pl_program_print(const char *text)
{
	struct pl_err err = PL_ERR_INIT;

	/* a full disk or a closed pipe is reported only by the flush */
	if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
		return 0;
	pl_err_errno(&err, "could not write standard output");
	return pl_program_fail(&err);
}

int pl_program_print_json(const json_t *json)
{
	auto_free char *indented = pl_json_to_text(json, PL_JSON_INDENT);
	auto_free char *text = pl_asprintf("%s\n", indented);

	return pl_program_print(text);
}

int pl_program_print_help(const struct pl_opt_command *command)
{
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	pl_opt_help(command, &text);
	return pl_program_print(pl_buf_text(&text));
}
