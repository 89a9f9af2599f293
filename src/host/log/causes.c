#include "host/log/causes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "host/log/line.h"

/* Of a pydantic exception with many problems those behind this many lines are left out. */
#define DETAIL_LINES_MAX 64

/*
 * What a line can be, by its shape; a row of tbl/log_lines.h says in which shapes its phrase
 * counts. "out of memory" in a warning or in a request's text is no cause of death.
 */
enum form {
	EXCEPTION = 1 << 0,
	DETAIL = 1 << 1,
	ERROR = 1 << 2,
	USAGE = 1 << 3,
	PLAIN = 1 << 4,
};

enum strength { CLEAR, VAGUE };
enum when { START, ANY, CONFIG };

static const struct failure {
	const char *cause;
	enum strength strength;
	enum when when;
	unsigned forms;
	const char *phrase;
	const char *also;
} failures[] = {
#define LOG_FAILURE(cause, strength, when, forms, phrase, also) \
	{ #cause, strength, when, forms, phrase, also },
#include "tbl/log_lines.h"
};

static const char *const config_frames[] = {
#define LOG_CONFIG_FRAME(phrase) phrase,
#include "tbl/log_lines.h"
};

/* "torch.OutOfMemoryError: text", "KeyboardInterrupt": a dotted name that ends as those of
 * exceptions do. */
static bool is_exception(const char *body)
{
	static const char *const ends[] = { "Error", "Exception", "Interrupt", "Exit", "Timeout" };
	size_t len = 0;

	while (isalnum((unsigned char)body[len]) || body[len] == '_' || body[len] == '.')
		len++;
	if (len == 0 || (body[len] != '\0' && (body[len] != ':' || body[len + 1] != ' ')))
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(ends); i++) {
		size_t end = strlen(ends[i]);
		if (len >= end && memcmp(body + len - end, ends[i], end) == 0)
			return true;
	}
	return false;
}

/* "vllm serve: error: text" */
static bool is_usage(const char *body)
{
	const char *at = strstr(body, ": error: ");

	return at != NULL && at > body && !isspace((unsigned char)body[0]) &&
	       memchr(body, ':', (size_t)(at - body)) == NULL;
}

/* An engine knows why it dies; the front end mostly says only that the engine has died. */
static bool is_engine(const struct host_log_line *line)
{
	return pl_text_starts(line->speaker, "Engine") || strstr(line->speaker, "Worker") != NULL;
}

/* What a line can be witness of; 0: nothing. `*body`: where its words begin. */
static unsigned forms_of(const struct host_log_line *line, const struct host_log_causes *causes,
			 const char **body)
{
	static const char what[] = "what():";
	unsigned forms = 0;

	*body = line->body;
	if (line->level == HOST_LOG_QUIET || line->level == HOST_LOG_WARNING)
		return 0;
	if (causes->details > 0 && isspace((unsigned char)line->body[0]))
		forms |= DETAIL;
	const char *inner = line->body + strspn(line->body, " \t");
	if (pl_text_starts(inner, what)) {
		*body = inner + sizeof(what) - 1;
		forms |= EXCEPTION;
	}
	if (is_exception(line->body))
		forms |= EXCEPTION;
	if (line->level == HOST_LOG_ERROR && !isspace((unsigned char)line->body[0]))
		forms |= ERROR;
	if (line->level == HOST_LOG_NO_LEVEL && is_usage(line->body))
		forms |= USAGE;
	if (line->level == HOST_LOG_NO_LEVEL && !isspace((unsigned char)line->body[0]))
		forms |= PLAIN;
	return forms;
}

static bool fits(const struct failure *row, unsigned forms, const char *body, bool listening,
		 bool in_config)
{
	if ((row->forms & forms) == 0 || (row->when != ANY && listening) ||
	    (row->when == CONFIG && !in_config))
		return false;
	return strcasestr(body, row->phrase) != NULL &&
	       (row->also[0] == '\0' || strcasestr(body, row->also) != NULL);
}

static void copy_text(char text[HOST_LOG_TOLD_BYTES], const char *body)
{
	snprintf(text, HOST_LOG_TOLD_BYTES, "%s", body + strspn(body, " \t"));
}

/* The first line of the best witness counts: what follows a cause is its consequences. */
static void note(struct host_log_causes *causes, const char *cause, enum host_log_witness witness,
		 const char *body)
{
	if (witness <= causes->witness)
		return;
	causes->witness = witness;
	causes->cause = cause;
	copy_text(causes->said, body);
}

static void note_exception(struct host_log_causes *causes, enum host_log_witness witness,
			   const char *body)
{
	if (witness <= causes->exception_witness)
		return;
	causes->exception_witness = witness;
	copy_text(causes->exception, body);
}

/* What the lines before say about those that follow. */
static void follow_traceback(struct host_log_causes *causes, const struct host_log_line *line)
{
	if (strstr(line->body, "Traceback (most recent call last)") != NULL)
		causes->in_config = false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(config_frames); i++) {
		if (isspace((unsigned char)line->body[0]) &&
		    strstr(line->body, config_frames[i]) != NULL)
			causes->in_config = true;
	}
	if (is_exception(line->body) && strstr(line->body, "ValidationError: ") != NULL)
		causes->details = DETAIL_LINES_MAX;
	else if (line->level == HOST_LOG_QUIET || is_exception(line->body))
		causes->details = 0;
	else if (causes->details > 0)
		causes->details--;
}

void host_log_causes_take(struct host_log_causes *causes, const struct host_log_line *line,
			  bool listening)
{
	const char *body;

	/* once it listens the front end speaks of requests, and these fail of other things */
	if (listening && line->speaker[0] != '\0' && !is_engine(line))
		return;
	follow_traceback(causes, line);
	unsigned forms = forms_of(line, causes, &body);
	enum host_log_witness witness = is_engine(line) ? HOST_LOG_ENGINE : HOST_LOG_FRONT;
	/* In the order of the rows: the more exact phrases stand above those that they contain. */
	for (size_t i = 0; forms != 0 && i < PL_ARRAY_SIZE(failures); i++) {
		const struct failure *row = &failures[i];
		if (!fits(row, forms, body, listening, causes->in_config))
			continue;
		if (pl_text_equal(row->cause, "killed"))
			causes->worker_killed = true;
		note(causes, row->cause, row->strength == VAGUE ? HOST_LOG_VAGUE : witness, body);
		return;
	}
	if (forms & EXCEPTION)
		note_exception(causes, witness, body);
}
