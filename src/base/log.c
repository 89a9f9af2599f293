#include "base/log.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/redact.h"
#include "base/text.h"

static const char *const level_names[] = { "error", "warning", "info", "debug" };
/* Set before the first thread and read by all afterwards: no lock. */
static const char *log_program = "profllm";
static enum pl_log_level log_level = PL_LOG_INFO;
static atomic_uint log_count;

void pl_log_init(const char *program)
{
	const char *wanted = getenv("PROFLLM_LOG");

	log_program = program;
	for (size_t i = 0; wanted != NULL && i < PL_ARRAY_SIZE(level_names); i++) {
		if (strcmp(wanted, level_names[i]) == 0)
			log_level = (enum pl_log_level)i;
	}
}

bool pl_log_redraws(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term != NULL && strcmp(term, "dumb") != 0;
}

/* NO_COLOR by its convention (no-color.org): set and not empty, whatever its value. */
bool pl_log_has_color(int fd)
{
	const char *no_color = getenv("NO_COLOR");

	return pl_log_redraws(fd) && (no_color == NULL || no_color[0] == '\0');
}

void pl_log(enum pl_log_level level, const char *format, ...)
{
	char line[4096];
	va_list args;

	if (level > log_level)
		return;
	/* Information has no level prefix: it is the normal output of a program. */
	int used = level == PL_LOG_INFO ? snprintf(line, sizeof(line), "%s: ", log_program)
					: snprintf(line, sizeof(line), "%s: %s: ", log_program,
						   level_names[level]);
	va_start(args, format);
	vsnprintf(line + used, sizeof(line) - (size_t)used - 1, format, args);
	va_end(args);
	pl_redact_text_cut(line, PL_REDACT_OURS);
	pl_text_to_line(line);
	strcat(line, "\n");
	atomic_fetch_add(&log_count, 1);
	/* one write, so that lines of several threads and processes do not mix */
	ssize_t ignored = write(STDERR_FILENO, line, strlen(line));
	(void)ignored;
}

unsigned pl_log_count(void)
{
	return atomic_load(&log_count);
}
