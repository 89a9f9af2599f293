/*
 * Parses any bytes as a form; the first line is its Content-Type. The files are in the body in
 * order, with a boundary before and after each, and their names are one line of UTF-8.
 */
#include "dash/upload/form.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct dash_form *form, const char *body, size_t len)
{
	const char *at = body;

	must(form->count <= DASH_FORM_FILES_MAX);
	for (size_t i = 0; i < form->count; i++) {
		const struct dash_form_file *file = &form->files[i];
		must(file->bytes >= at && file->bytes + file->len <= body + len);
		must(pl_text_is_utf8(file->name) && strpbrk(file->name, "\r\n") == NULL);
		must(file->len > 0 || file->name[0] != '\0');
		must(memmem(at, (size_t)(file->bytes - at), "--", 2) != NULL);
		at = file->bytes + file->len;
		must(memmem(at, (size_t)(body + len - at), "--", 2) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *line_end = size > 0 ? memchr(text, '\n', size) : NULL;
	struct dash_form form;
	struct pl_err err = PL_ERR_INIT;

	if (line_end == NULL)
		return 0;
	auto_free char *media = pl_strndup(text, (size_t)(line_end - text));
	size_t len = size - (size_t)(line_end - text) - 1;
	/* of its own size: a byte too far is seen */
	auto_free char *body = pl_alloc(len);
	memcpy(body, line_end + 1, len);

	if (dash_form_read(media, body, len, &form, &err) < 0) {
		must(err.text[0] != '\0');
		return 0;
	}
	check(&form, body, len);
	dash_form_done(&form);
	return 0;
}
