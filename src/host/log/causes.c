#include "host/log/causes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* A pydantic exception with many problems is read up to this many lines. */
#define DETAIL_LINES_MAX 64

/*
 * The forms that a line can have. A row of tbl/log_failures.h says in which forms its phrase
 * counts: "out of memory" in a warning or in a request's text is not a cause.
 */
enum form {
	EXCEPTION = 1 << 0,
	DETAIL = 1 << 1,
	ERROR = 1 << 2,
	USAGE = 1 << 3,
	PLAIN = 1 << 4,
};

enum strength { CLEAR, VAGUE };

static const struct failure {
	const char *cause;
	enum strength strength;
	enum host_log_step when;
	unsigned forms;
	const char *phrase;
	const char *also;
} failures[] = {
#define LOG_FAILURE(cause, strength, when, forms, phrase, also) \
	{ #cause, strength, HOST_STEP_##when, forms, phrase, also },
#include "tbl/log_failures.h"
};

static const struct {
	enum host_log_step step;
	const char *phrase;
} frames[] = {
#define LOG_FRAME(step, phrase) { HOST_STEP_##step, phrase },
#include "tbl/log_failures.h"
};

static const struct {
	enum host_log_phase phase;
	enum host_log_step step;
} reached[] = {
#define LOG_REACHED(phase, step) { HOST_LOG_##phase, HOST_STEP_##step },
#include "tbl/log_failures.h"
};

static const char *const symptoms[] = {
#define LOG_SYMPTOM(phrase) phrase,
#include "tbl/log_failures.h"
};

static const struct {
	const char *cause;
	enum host_log_step step;
	const char *phrase;
	const char *hint;
} hints[] = {
#define LOG_HINT(cause, step, phrase, hint) { #cause, HOST_STEP_##step, phrase, hint },
#include "tbl/log_hints.h"
};

static bool ends_in(const char *text, size_t len, const char *end)
{
	size_t count = strlen(end);

	return len >= count && memcmp(text + len - count, end, count) == 0;
}

/*
 * "torch.OutOfMemoryError: text", "KeyboardInterrupt", "socket.gaierror: text": a dotted name that
 * ends as those of exceptions do, or names a class of a module: "triton.errors.OutOfResources: text".
 */
static bool is_exception(const char *body)
{
	static const char *const ends[] = { "Error", "Exception", "Interrupt", "Exit", "Timeout" };
	size_t len = 0, last = 0;

	for (; isalnum((unsigned char)body[len]) || body[len] == '_' || body[len] == '.'; len++) {
		if (body[len] == '.')
			last = len + 1;
	}
	bool has_text = body[len] == ':' && body[len + 1] == ' ';
	if (len == 0 || (body[len] != '\0' && !has_text))
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(ends); i++) {
		if (ends_in(body, len, ends[i]))
			return true;
	}
	return has_text && last > 0 &&
	       (isupper((unsigned char)body[last]) || ends_in(body, len, "error"));
}

/* "vllm serve: error: text" */
static bool is_usage(const char *body)
{
	const char *at = strstr(body, ": error: ");

	return at != NULL && at > body && !isspace((unsigned char)body[0]) &&
	       memchr(body, ':', (size_t)(at - body)) == NULL;
}

/* An engine knows why it dies; the front end usually reports only that the engine has died. */
static bool is_engine(const struct host_log_line *line)
{
	return pl_text_starts(line->speaker, "Engine") || strstr(line->speaker, "Worker") != NULL;
}

/* Returns the forms of the line, 0 if it can name no cause, and in `*body` where its text begins. */
static unsigned forms_of(const struct host_log_line *line, const struct host_log_causes *causes,
			 const char **body)
{
	static const char what[] = "what():";
	unsigned forms = 0;

	*body = line->body;
	if (line->level == HOST_LOG_QUIET || line->level == HOST_LOG_WARNING)
		return 0;
	if (causes->details > 0 &&
	    (isspace((unsigned char)line->body[0]) || strstr(line->body, "[type=") != NULL))
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
		 enum host_log_step step)
{
	if ((row->forms & forms) == 0 || (row->when != HOST_STEP_ANY && listening) ||
	    (row->when > HOST_STEP_ANY && row->when != step))
		return false;
	return strcasestr(body, row->phrase) != NULL &&
	       (row->also[0] == '\0' || strcasestr(body, row->also) != NULL);
}

/* field: the key that the line is about; "": none. */
static void copy_text(char text[HOST_LOG_QUOTE_BYTES], const char *body, const char *field)
{
	snprintf(text, HOST_LOG_QUOTE_BYTES, "%s%s%s", field, field[0] != '\0' ? ": " : "",
		 body + strspn(body, " \t"));
}

/* NULL: none that is more exact than that of the cause. */
static const char *find_hint(const char *cause, enum host_log_step step, const char *body)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(hints); i++) {
		if (pl_text_equal(hints[i].cause, cause) &&
		    (hints[i].step == HOST_STEP_ANY || hints[i].step == step) &&
		    strcasestr(body, hints[i].phrase) != NULL)
			return hints[i].hint;
	}
	return NULL;
}

/* Keeps the first line of the best witness: those that follow a cause are its consequences. */
static bool note(struct host_log_causes *causes, const char *cause, enum host_log_witness witness,
		 const char *body)
{
	if (witness <= causes->witness)
		return false;
	causes->witness = witness;
	causes->cause = cause;
	causes->hint = find_hint(
		cause, causes->step != HOST_STEP_START ? causes->step : causes->reached, body);
	/* The problem that a pydantic exception reports in several lines is named by the first. */
	if (causes->details > 0 && causes->detail[0] != '\0')
		body = causes->detail;
	copy_text(causes->quote, body, causes->details > 0 ? causes->field : "");
	return true;
}

static void note_exception(struct host_log_causes *causes, enum host_log_witness witness,
			   const char *body)
{
	if (witness <= causes->exception_witness)
		return;
	for (size_t i = 0; i < PL_ARRAY_SIZE(symptoms); i++) {
		if (strstr(body, symptoms[i]) != NULL)
			return;
	}
	causes->exception_witness = witness;
	copy_text(causes->exception, body, "");
}

/* "gpu_memory_utilization", "compilation_config.mode": the line above a problem of pydantic */
static bool is_field(const char *body)
{
	size_t len = strspn(body, "abcdefghijklmnopqrstuvwxyz0123456789_.");

	return len > 0 && len < HOST_LOG_WORD_BYTES && body[len] == '\0';
}

/* Follows what the lines before say about those that come. */
static void follow_traceback(struct host_log_causes *causes, const struct host_log_line *line)
{
	if (strstr(line->body, "Traceback (most recent call last)") != NULL)
		causes->step = HOST_STEP_START;
	for (size_t i = 0; i < PL_ARRAY_SIZE(frames); i++) {
		if (isspace((unsigned char)line->body[0]) &&
		    strstr(line->body, frames[i].phrase) != NULL)
			causes->step = frames[i].step;
	}
	/* Counts the lines of a pydantic exception and keeps the first of each problem. */
	const char *body = line->body;
	if (is_exception(body) && strstr(body, "ValidationError: ") != NULL) {
		causes->details = DETAIL_LINES_MAX;
		causes->field[0] = causes->detail[0] = '\0';
	} else if (line->level == HOST_LOG_QUIET || is_exception(body)) {
		causes->details = 0;
	} else if (causes->details > 0) {
		causes->details--;
		if (isspace((unsigned char)body[0]) && causes->detail[0] == '\0')
			copy_text(causes->detail, body, "");
		else if (is_field(body))
			snprintf(causes->field, sizeof(causes->field), "%s", body);
	}
}

static void take_cause(struct host_log_causes *causes, const struct host_log_line *line,
		       bool listening)
{
	const char *body;
	unsigned forms = forms_of(line, causes, &body);
	enum host_log_witness witness = is_engine(line) ? HOST_LOG_ENGINE : HOST_LOG_FRONT;

	/* In the order of the rows: more specific phrases precede those that they contain. */
	for (size_t i = 0; forms != 0 && i < PL_ARRAY_SIZE(failures); i++) {
		const struct failure *row = &failures[i];
		if (!fits(row, forms, body, listening, causes->step))
			continue;
		if (pl_text_equal(row->cause, "killed"))
			causes->worker_killed = true;
		/* Compilers, NCCL, the kernel and schedulers write before the engine notices. */
		bool is_outside = (row->forms & forms & ~(unsigned)(PLAIN | USAGE)) == 0;
		enum host_log_witness best = row->strength == VAGUE ? HOST_LOG_VAGUE
					     : is_outside           ? HOST_LOG_ENGINE
								    : witness;
		if (note(causes, row->cause, best, body))
			causes->is_lasting = is_engine(line);
		return;
	}
	if (forms & EXCEPTION)
		note_exception(causes, witness, body);
}

void host_log_causes_take(struct host_log_causes *causes, const struct host_log_line *line,
			  bool listening)
{
	/* once it listens the front end speaks of requests, and these fail of other things */
	if (listening && line->speaker[0] != '\0' && !is_engine(line))
		return;
	follow_traceback(causes, line);
	take_cause(causes, line, listening);
	if (strstr(line->body, "[type=") != NULL)
		causes->field[0] = causes->detail[0] = '\0';
}

void host_log_causes_reach(struct host_log_causes *causes, enum host_log_phase phase)
{
	enum host_log_step step = causes->reached;

	for (size_t i = 0; i < PL_ARRAY_SIZE(reached); i++) {
		if (reached[i].phase == phase && reached[i].step > step)
			step = reached[i].step;
	}
	if (phase == HOST_LOG_LISTENING)
		*causes = (struct host_log_causes){ 0 };
	/* An engine's word stays: its workers reach a phase each for itself. */
	if (!causes->is_lasting) {
		causes->witness = HOST_LOG_NOBODY;
		causes->cause = NULL;
	}
	if (causes->exception_witness != HOST_LOG_ENGINE)
		causes->exception_witness = HOST_LOG_NOBODY;
	causes->reached = step;
}
