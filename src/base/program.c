#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"

#define HELP_BYTES_MAX     (1u << 20)
#define EXAMPLES           "configs/examples/"
#define INSTALLED_EXAMPLES "share/doc/profllm/examples"

static struct rlimit core_limit;
static bool has_core_limit;

/*
 * A standard stream that the parent closed would give its number to the next file, and messages would be written into
 * it. It stays unusable: standard input cannot be read, and the others cannot be written.
 */
static void take_closed_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* the lowest free number: this one */
		int taken = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		if (taken >= 0 && taken != fd)
			close(taken);
	}
}

void pl_program_begin(void)
{
	take_closed_streams();
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

/* Returns the directory of the installed examples: PREFIX/share/… of PREFIX/bin. NULL: not installed. free() */
static char *find_examples(void)
{
	const char *named = getenv("PROFLLM_EXAMPLES");
	char self[PATH_MAX];

	if (named != NULL && named[0] != '\0')
		return pl_strdup(named);
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len <= 0)
		return NULL;
	self[len] = '\0';
	auto_free char *folder = pl_file_dir(self);
	auto_free char *prefix = pl_file_dir(folder);
	char *examples = pl_asprintf("%s%s" INSTALLED_EXAMPLES, prefix,
				     strcmp(prefix, "/") == 0 ? "" : "/");
	if (pl_file_exists(examples))
		return examples;
	free(examples);
	return NULL;
}

int pl_program_print_page(const char *text)
{
	auto_free char *folder = find_examples();
	auto_free char *with = folder != NULL ? pl_asprintf("%s/", folder) : NULL;
	auto_free char *shown = with != NULL ? pl_text_replace(text, EXAMPLES, with) : NULL;

	return pl_program_print(shown != NULL ? shown : text);
}

int pl_program_print_help(const struct pl_opt_command *command)
{
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	pl_opt_help(command, &text);
	return pl_program_print_page(pl_buf_text(&text));
}
