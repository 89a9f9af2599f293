#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/redact.h"
#include "base/text.h"

struct err_row {
	const char *name;
	int exit_status;
	int http_status;
};

static const struct err_row err_rows[] = {
#define ERR(name, exit, http, text) { #name, exit, http },
#include "tbl/errors.h"
#undef ERR
};

/*
 * Makes an error one line without secrets: control characters in external names and texts become
 * blanks, because logs are read by lines and terminals interpret escapes.
 */
static void one_line(char *text, size_t room)
{
	/* cut off where it fills the room */
	if (strlen(text) + 1 == room)
		pl_redact_text_cut(text, PL_REDACT_OURS);
	else
		pl_redact_text(text, PL_REDACT_OURS);
	pl_text_to_line(text);
}

int pl_err_set(struct pl_err *err, enum pl_err_code code, const char *format, ...)
{
	va_list args;

	err->code = code;
	err->line = err->column = 0;
	err->reason = 0;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	one_line(err->text, sizeof(err->text));
	return -1;
}

int pl_err_errno(struct pl_err *err, const char *format, ...)
{
	/* Formatting the text may change errno. */
	int saved = errno;
	va_list args;

	err->code = saved == ENOSPC || saved == EDQUOT ? PL_ERR_FULL : PL_ERR_IO;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(saved));
	one_line(err->text, sizeof(err->text));
	return -1;
}

int pl_err_set_at(struct pl_err *err, enum pl_err_code code, const char *source, int line,
		  int column, const char *reason)
{
	char position[sizeof(err->text)];

	int used = snprintf(position, sizeof(position), "%s:%d:%d: ", source, line, column);
	pl_err_set(err, code, "%s%s", position, reason);
	if (used < 0 || (size_t)used >= sizeof(position))
		return -1;
	err->line = line;
	err->column = column;
	/* a secret in the path makes the text shorter */
	err->reason = (size_t)used <= strlen(err->text) ? (size_t)used : 0;
	return -1;
}

int pl_err_wrap(struct pl_err *err, const char *format, ...)
{
	/* The text may be among the arguments of the format, and is about to be written over. */
	char inner[sizeof(err->text)];
	va_list args;

	memcpy(inner, err->text, sizeof(inner));
	err->line = err->column = 0;
	err->reason = 0;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", inner);
	one_line(err->text, sizeof(err->text));
	return -1;
}

int pl_err_exit_status(enum pl_err_code code)
{
	return err_rows[code].exit_status;
}

int pl_err_http_status(enum pl_err_code code)
{
	return err_rows[code].http_status;
}

const char *pl_err_name(enum pl_err_code code)
{
	return err_rows[code].name;
}
