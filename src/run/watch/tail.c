#include "run/watch/tail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/mem.h"
#include "base/text.h"

#define READ_BYTES     65536
#define READ_BYTES_MAX (8u << 20)
/* The severity is near the start of a line: "(EngineCore pid=7) WARNING 11-29 14:14:35 [core.py:1] …". */
#define SEVERITY_WITHIN 60

void run_tail_open(struct run_tail *tail, const char *path)
{
	run_tail_done(tail);
	tail->path = pl_strdup(path);
}

void run_tail_done(struct run_tail *tail)
{
	free(tail->path);
	*tail = (struct run_tail){ 0 };
}

/* Blank lines and the former states of progress bars are not shown. */
static void end_line(struct run_tail *tail)
{
	struct run_tail_line *current = &tail->current;

	tail->line++;
	current->text[current->len] = '\0';
	if (strspn(current->text, " \t") < current->len) {
		current->line = tail->line;
		if (tail->count == RUN_TAIL_LINES)
			memmove(tail->lines, tail->lines + 1,
				(RUN_TAIL_LINES - 1) * sizeof(tail->lines[0]));
		else
			tail->count++;
		tail->lines[tail->count - 1] = *current;
	}
	current->len = 0;
}

static void take(struct run_tail *tail, const char *bytes, size_t len)
{
	struct run_tail_line *current = &tail->current;

	for (size_t i = 0; i < len; i++) {
		/* CR LF ends a line, as on the terminal of a container */
		if (tail->has_returned && bytes[i] != '\n' && bytes[i] != '\r')
			current->len = 0;
		tail->has_returned = bytes[i] == '\r';
		if (bytes[i] == '\n')
			end_line(tail);
		else if (bytes[i] != '\r' && current->len < sizeof(current->text) - 1)
			current->text[current->len++] = bytes[i];
	}
}

void run_tail_read(struct run_tail *tail)
{
	static _Thread_local char bytes[READ_BYTES];
	size_t total = 0;
	ssize_t got;

	if (tail->path == NULL)
		return;
	auto_fd int fd = open(tail->path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && total < READ_BYTES_MAX &&
	       (got = pread(fd, bytes, sizeof(bytes), tail->at)) > 0) {
		take(tail, bytes, (size_t)got);
		tail->at += got;
		total += (size_t)got;
	}
}

static const char *severity_of(const char *text)
{
	static const char *const names[] = { "CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG" };
	auto_free char *start = pl_strndup(text, strnlen(text, SEVERITY_WITHIN));

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		if (strstr(start, names[i]) != NULL)
			return names[i];
	}
	return NULL;
}

json_t *run_tail_json(const struct run_tail *tail)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < tail->count; i++) {
		const struct run_tail_line *line = &tail->lines[i];
		auto_free char *clean = pl_clean_line(line->text);
		json_array_append_new(lines,
				      json_pack("{s:I, s:o, s:o}", "line", (json_int_t)line->line,
						"severity", pl_json_text(severity_of(clean)),
						"text", pl_json_text(clean)));
	}
	return lines;
}
