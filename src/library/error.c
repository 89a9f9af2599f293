#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "library/library.h"

/* The ABI: the caller has it in its memory. */
_Static_assert(sizeof(struct profllm_error) == 1024, "the size of struct profllm_error changed");

/* The header has fixed numbers, which do not follow the order of the rows. */
static int code_of(enum pl_err_code code)
{
	switch (code) {
#define PROFLLM_NONE PROFLLM_OK
#define ERR(name, exit, http, text) \
	case PL_ERR_##name:         \
		return PROFLLM_##name;
#include "tbl/errors.h"
#undef PROFLLM_NONE
#undef ERR
	case PL_ERR_COUNT:
		break;
	}
	return PROFLLM_INTERNAL;
}

const char *profllm_code_name(int code)
{
	if (code == PROFLLM_OK)
		return "OK";
	for (int i = PL_ERR_NONE + 1; i < PL_ERR_COUNT; i++) {
		if (code_of((enum pl_err_code)i) == code)
			return pl_err_name((enum pl_err_code)i);
	}
	return "UNKNOWN";
}

enum pl_err_code library_code(const char *name, enum pl_err_code otherwise)
{
	for (int i = PL_ERR_NONE + 1; i < PL_ERR_COUNT; i++) {
		if (pl_text_equal(name, pl_err_name((enum pl_err_code)i)))
			return (enum pl_err_code)i;
	}
	return otherwise;
}

const char *profllm_version(void)
{
	return PROFLLM_VERSION;
}

void profllm_free(void *text)
{
	free(text);
}

/* Cuts a longer text before a character, not within it. */
static void copy_text(const char *text, char *to, size_t room)
{
	size_t len = strlen(text);

	if (len >= room) {
		len = room - 1;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(to, text, len);
	to[len] = '\0';
}

int library_fail(struct profllm_error *error, const struct pl_err *err)
{
	int code = code_of(err->code);

	if (error != NULL) {
		error->code = code;
		copy_text(err->text, error->message, sizeof(error->message));
	}
	return code;
}

int library_refuse(struct profllm_error *error, enum pl_err_code code, const char *format, ...)
{
	struct pl_err err = PL_ERR_INIT;
	va_list args;

	va_start(args, format);
	auto_free char *text = pl_vasprintf(format, args);
	va_end(args);
	pl_err_set(&err, code, "%s", text);
	return library_fail(error, &err);
}
