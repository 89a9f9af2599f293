#include "base/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/redact.h"
#include "base/text.h"

static const char *const level_names[] = { "error", "warning", "info", "debug" };
/* Set before the first thread and read by all afterwards: no lock. */
static const char *log_program = "profllm";
static enum pl_log_level log_level = PL_LOG_INFO;
static enum pl_log_format log_format = PL_LOG_TEXT;
static void (*log_observer)(enum pl_log_level level, const char *message);
static atomic_uint log_count;

const char *pl_log_level_name(enum pl_log_level level)
{
	return level_names[level];
}

bool pl_log_level_find(const char *name, enum pl_log_level *ret)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(level_names); i++) {
		if (strcmp(name, level_names[i]) == 0) {
			*ret = (enum pl_log_level)i;
			return true;
		}
	}
	return false;
}

void pl_log_init(const char *program)
{
	const char *wanted = getenv("PROFLLM_LOG");

	log_program = program;
	if (wanted != NULL)
		(void)pl_log_level_find(wanted, &log_level);
}

void pl_log_set_level(enum pl_log_level level)
{
	log_level = level;
}

void pl_log_set_format(enum pl_log_format format)
{
	log_format = format;
}

void pl_log_set_observer(void (*observer)(enum pl_log_level level, const char *message))
{
	log_observer = observer;
}

bool pl_log_has(enum pl_log_level level)
{
	return level <= log_level;
}

enum pl_log_format pl_log_format(void)
{
	return log_format;
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

/* One write, so that lines of several threads and processes do not mix. */
static void write_line(const char *line, size_t len)
{
	atomic_fetch_add(&log_count, 1);
	ssize_t done = TEMP_FAILURE_RETRY(write(STDERR_FILENO, line, len));
	/* the rest, of which a signal or a full pipe kept a part */
	if (done > 0 && (size_t)done < len)
		done = pl_fd_write_wait(STDERR_FILENO, line + done, len - (size_t)done);
}

static void write_object(enum pl_log_level level, const char *message, const json_t *members)
{
	auto_json json_t *object = json_object();
	auto_buf line = PL_BUF(1 << 16);
	char time[32];

	pl_clock_rfc3339(pl_clock_real_ns(), time);
	json_object_set_new(object, "time", json_string(time));
	json_object_set_new(object, "level", json_string(level_names[level]));
	json_object_set_new(object, "program", json_string(log_program));
	/* invalid UTF-8 becomes U+FFFD */
	json_object_set_new(object, "message", pl_json_text(message));
	PL_JSON_EACH_MEMBER(key, value, members)
		json_object_set(object, key, value);
	auto_json json_t *shown = pl_redact_json(object, PL_REDACT_OURS);
	if (!pl_json_write(shown, PL_JSON_COMPACT, &line) || !pl_buf_add_char(&line, '\n'))
		return;
	write_line(line.data, line.len);
}

static void observe(enum pl_log_level level, const char *message)
{
	if (log_observer != NULL && level <= PL_LOG_WARNING)
		log_observer(level, message);
}

void pl_log_object(enum pl_log_level level, const char *message, json_t *members)
{
	auto_json json_t *owned = members;

	observe(level, message);
	if (pl_log_has(level))
		write_object(level, message, owned);
}

void pl_log(enum pl_log_level level, const char *format, ...)
{
	char line[4096];
	va_list args;

	if (level > log_level && level > PL_LOG_WARNING)
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
	observe(level, line + used);
	if (level > log_level)
		return;
	if (log_format == PL_LOG_JSON) {
		write_object(level, line + used, NULL);
		return;
	}
	strcat(line, "\n");
	write_line(line, strlen(line));
}

unsigned pl_log_count(void)
{
	return atomic_load(&log_count);
}
