/*
 *	[preamble CRLF] --BOUNDARY blanks CRLF  head CRLF CRLF bytes  CRLF --BOUNDARY … CRLF --BOUNDARY-- …
 *
 * A part ends at CRLF, two dashes and the boundary. memmem() finds all of these in one pass over the body, so the cost
 * does not depend on the content.
 */
#include "dash/upload/form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/clean.h"
#include "base/text.h"

#define BOUNDARY_BYTES_MAX 70 /* RFC 2046, 5.1.1 */
#define HEAD_BYTES_MAX     16384
#define NAME_BYTES_MAX     500

/* A range of the body or of a header. */
struct span {
	const char *at;
	const char *end;
};

struct reader {
	const char *begin;
	const char *end;
	char delimiter[BOUNDARY_BYTES_MAX + 5]; /* "\r\n--BOUNDARY" */
	size_t delimiter_len;
};

/* The header of one part. */
struct part_head {
	bool is_file;
	char *name;
};

static int fail(const struct reader *reader, const char *at, struct pl_err *err,
		const char *expected)
{
	return pl_err_set(err, PL_ERR_INVALID, "the form, byte %zu: expected %s",
			  (size_t)(at - reader->begin) + 1, expected);
}

/* ---- parameters of a header ---------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *past_blanks(struct span span)
{
	while (span.at < span.end && is_blank(*span.at))
		span.at++;
	return span.at;
}

/*
 * Parses a quoted text and removes its backslashes (only before '"' and '\', because some clients send paths), or a
 * token. Returns its end.
 */
static const char *take_value(struct span span, struct pl_buf *value)
{
	if (span.at == span.end || *span.at != '"') {
		while (span.at < span.end && *span.at != ';' && !is_blank(*span.at))
			pl_buf_add_char(value, *span.at++);
		return span.at;
	}
	for (span.at++; span.at < span.end && *span.at != '"'; span.at++) {
		if (*span.at == '\\' && span.at + 1 < span.end &&
		    (span.at[1] == '"' || span.at[1] == '\\'))
			span.at++;
		pl_buf_add_char(value, *span.at);
	}
	return span.at < span.end ? span.at + 1 : span.at;
}

/* Returns the value of the first parameter of that name after the header's first word, free(); NULL: none. */
static char *parameter(struct span span, const char *name)
{
	while (span.at < span.end && *span.at != ';')
		span.at++;
	while (span.at < span.end) {
		auto_buf value = PL_BUF(HEAD_BYTES_MAX);
		span.at++;
		span.at = past_blanks(span);
		const char *key = span.at;
		while (span.at < span.end && *span.at != '=' && *span.at != ';')
			span.at++;
		size_t len = (size_t)(span.at - key);
		if (span.at < span.end && *span.at == '=') {
			span.at++;
			span.at = take_value(span, &value);
		}
		if (len == strlen(name) && strncasecmp(key, name, len) == 0)
			return pl_buf_take(&value);
		while (span.at < span.end && *span.at != ';')
			span.at++;
	}
	return NULL;
}

/* Parses "UTF-8''na%C3%AFve.json"; NULL for another character set. free() */
static char *extended_name(const char *text)
{
	auto_buf name = PL_BUF(HEAD_BYTES_MAX);
	const char *at;

	if (strncasecmp(text, "utf-8'", 6) != 0 || (at = strchr(text + 6, '\'')) == NULL)
		return NULL;
	for (at++; *at != '\0'; at++) {
		int high = at[0] == '%' ? pl_hex_value(at[1]) : -1;
		int low = high >= 0 ? pl_hex_value(at[2]) : -1;
		if (low >= 0 && (high > 0 || low > 0)) {
			pl_buf_add_char(&name, (char)(high * 16 + low));
			at += 2;
		} else {
			pl_buf_add_char(&name, *at);
		}
	}
	return pl_buf_take(&name);
}

/* ---- headers of parts ---------------------------------------------------------------------- */

static bool is_header(struct span line, const char *name, struct span *ret)
{
	size_t len = strlen(name);

	if ((size_t)(line.end - line.at) <= len || strncasecmp(line.at, name, len) != 0 ||
	    line.at[len] != ':')
		return false;
	*ret = (struct span){ line.at + len + 1, line.end };
	ret->at = past_blanks(*ret);
	return true;
}

static void read_disposition(struct span value, struct part_head *head)
{
	auto_free char *extended = parameter(value, "filename*");
	auto_free char *plain = parameter(value, "filename");
	auto_free char *decoded = extended != NULL ? extended_name(extended) : NULL;
	const char *name = decoded != NULL ? decoded : plain;

	if (name == NULL)
		return;
	head->is_file = true;
	free(head->name);
	/* Cuts the start of a name that is too long, because its end shows the kind of file. */
	auto_free char *clean = pl_clean_line(name);
	size_t len = strlen(clean);
	const char *from = clean + (len > NAME_BYTES_MAX ? len - NAME_BYTES_MAX : 0);
	while ((*from & 0xC0) == 0x80)
		from++;
	head->name = pl_strdup(from);
}

/* Encodings that RFC 7578 (4.7) deprecates would have to be decoded; no known client uses them. */
static bool is_plain_encoding(struct span value)
{
	static const char *const plain[] = { "binary", "8bit", "7bit" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(plain); i++) {
		size_t len = strlen(plain[i]);
		if ((size_t)(value.end - value.at) >= len &&
		    strncasecmp(value.at, plain[i], len) == 0)
			return true;
	}
	return false;
}

/* `*at` is after the delimiter's line; on return it is at the part's first byte. */
static int read_head(const struct reader *reader, const char **at, struct part_head *head,
		     struct pl_err *err)
{
	const char *begin = *at;

	for (;;) {
		struct span line = { *at, NULL }, value;
		size_t left = (size_t)(reader->end - *at);
		line.end = memmem(*at, left, "\r\n", 2);
		if (line.end == NULL || line.end - begin > HEAD_BYTES_MAX)
			return fail(reader, *at, err,
				    "an empty line after the part's header, within 16384 bytes");
		*at = line.end + 2;
		if (line.at == line.end)
			return 0;
		if (is_header(line, "content-disposition", &value))
			read_disposition(value, head);
		else if (is_header(line, "content-transfer-encoding", &value) &&
			 !is_plain_encoding(value))
			return fail(reader, line.at, err, "no Content-Transfer-Encoding");
	}
}

/* ---- the body ------------------------------------------------------------------------------ */

static bool is_boundary(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	return len > 0 && len <= BOUNDARY_BYTES_MAX && text[len - 1] != ' ';
}

static int read_boundary(const char *media, struct reader *reader, struct pl_err *err)
{
	auto_free char *boundary = parameter((struct span){ media, media + strlen(media) },
					     "boundary");

	if (boundary == NULL || !is_boundary(boundary))
		return pl_err_set(err, PL_ERR_INVALID,
				  "Content-Type: found no boundary of 1 to %d characters, expected "
				  "multipart/form-data; boundary=…",
				  BOUNDARY_BYTES_MAX);
	reader->delimiter_len = (size_t)snprintf(reader->delimiter, sizeof(reader->delimiter),
						 "\r\n--%s", boundary);
	return 0;
}

static const char *find_delimiter(const struct reader *reader, const char *from)
{
	return memmem(from, (size_t)(reader->end - from), reader->delimiter, reader->delimiter_len);
}

/* `*at` is after a delimiter. Returns 1 if it was the last one, 0 if the header of a part follows. */
static int end_delimiter(const struct reader *reader, const char **at, struct pl_err *err)
{
	struct span rest = { *at, reader->end };

	if (rest.end - rest.at >= 2 && rest.at[0] == '-' && rest.at[1] == '-')
		return 1;
	rest.at = past_blanks(rest);
	if (rest.end - rest.at < 2 || rest.at[0] != '\r' || rest.at[1] != '\n')
		return fail(reader, rest.at, err, "the end of the line after the boundary");
	*at = rest.at + 2;
	return 0;
}

static int read_part(const struct reader *reader, const char **at, struct dash_form *form,
		     struct pl_err *err)
{
	struct part_head head = { 0 };
	int rc = read_head(reader, at, &head, err);
	auto_free char *name = head.name;

	if (rc < 0)
		return -1;
	/* the delimiter's CRLF may also end an empty header */
	const char *end = find_delimiter(reader, *at - 2);
	if (end == NULL)
		return fail(reader, reader->end, err, "the boundary at the end of the part");
	size_t len = end > *at ? (size_t)(end - *at) : 0;
	if (head.is_file && (name[0] != '\0' || len > 0)) {
		if (form->count == DASH_FORM_FILES_MAX)
			return fail(reader, *at, err, "at most 10000 files");
		*PL_PUSH(form->files, form->count, form->room) =
			(struct dash_form_file){ .bytes = *at, .len = len, .name = pl_take(name) };
	}
	*at = end + reader->delimiter_len;
	return 0;
}

int dash_form_read(const char *media, const char *bytes, size_t len, struct dash_form *ret,
		   struct pl_err *err)
{
	struct reader reader = { .begin = bytes, .end = bytes + len };
	auto_form form = { 0 };
	const char *at;
	int last;

	if (read_boundary(media, &reader, err) < 0)
		return -1;
	/* the first delimiter needs no line break before it */
	size_t first_len = reader.delimiter_len - 2;
	if (len >= first_len && memcmp(bytes, reader.delimiter + 2, first_len) == 0)
		at = bytes + first_len;
	else if ((at = find_delimiter(&reader, bytes)) != NULL)
		at += reader.delimiter_len;
	else
		return fail(&reader, bytes, err, "the boundary that Content-Type names");
	while ((last = end_delimiter(&reader, &at, err)) == 0) {
		if (read_part(&reader, &at, &form, err) < 0)
			return -1;
	}
	if (last < 0)
		return -1;
	*ret = form;
	form = (struct dash_form){ 0 };
	return 0;
}

void dash_form_done(struct dash_form *form)
{
	for (size_t i = 0; i < form->count; i++)
		free(form->files[i].name);
	free(form->files);
	*form = (struct dash_form){ 0 };
}
