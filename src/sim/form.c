#include "sim/form.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

#define BOUNDARY_BYTES_MAX 70

struct reader {
	const char *at;
	const char *end;
	char mark[BOUNDARY_BYTES_MAX + 5]; /* CR LF, "--" and the boundary */
	size_t mark_len;
	struct sim_form *form;
};

static int refuse(struct sim_refusal *refusal, const char *what)
{
	return sim_refuse(refusal, 400, "BadRequestError", NULL,
			  "There was an error parsing the body: %s", what);
}

/* Returns the value of a parameter ("; name=value") in [text, end), with its length; NULL: none. */
static const char *find_parameter(const char *text, const char *end, const char *name,
				  size_t *ret_len)
{
	size_t name_len = strlen(name);

	while (text < end && (text = memchr(text, ';', (size_t)(end - text))) != NULL) {
		text++;
		while (text < end && (*text == ' ' || *text == '\t'))
			text++;
		if ((size_t)(end - text) <= name_len || strncasecmp(text, name, name_len) != 0 ||
		    text[name_len] != '=')
			continue;
		const char *value = text + name_len + 1;
		bool quoted = value < end && *value == '"';
		value += quoted;
		const char *stop = quoted ? memchr(value, '"', (size_t)(end - value))
					  : memchr(value, ';', (size_t)(end - value));
		if (stop == NULL && quoted)
			return NULL;
		*ret_len = (size_t)((stop != NULL ? stop : end) - value);
		return value;
	}
	return NULL;
}

static int read_boundary(const char *type, struct reader *reader, struct sim_refusal *refusal)
{
	static const char form_type[] = "multipart/form-data";
	size_t len = 0;
	const char *boundary = NULL;

	if (type != NULL && strncasecmp(type, form_type, sizeof(form_type) - 1) == 0)
		boundary = find_parameter(type, type + strlen(type), "boundary", &len);
	if (boundary == NULL)
		return sim_refuse_absent(refusal, NULL, "file", "string");
	if (len == 0 || len > BOUNDARY_BYTES_MAX)
		return refuse(refusal, "the boundary has 1 to 70 bytes");
	memcpy(reader->mark, "\r\n--", 4);
	memcpy(reader->mark + 4, boundary, len);
	reader->mark_len = len + 4;
	return 0;
}

/* Reads one line of a part's head. Returns the line and its length; NULL: the form ends within it. */
static const char *next_line(struct reader *reader, size_t *ret_len)
{
	const char *line = reader->at;
	const char *stop = memmem(line, (size_t)(reader->end - line), "\r\n", 2);

	if (stop == NULL)
		return NULL;
	*ret_len = (size_t)(stop - line);
	reader->at = stop + 2;
	return line;
}

/* Sets *ret to the Content-Disposition of a part, or NULL, and moves to its bytes. */
static int read_head(struct reader *reader, const char **ret, size_t *ret_len,
		     struct sim_refusal *refusal)
{
	static const char key[] = "content-disposition:";
	size_t len;

	*ret = NULL;
	for (;;) {
		const char *line = next_line(reader, &len);
		if (line == NULL)
			return refuse(refusal, "the head of a part has no end");
		if (len == 0)
			return 0;
		if (len >= sizeof(key) - 1 && strncasecmp(line, key, sizeof(key) - 1) == 0) {
			*ret = line;
			*ret_len = len;
		}
	}
}

static int add_text(struct reader *reader, const char *name, size_t name_len, const char *bytes,
		    size_t len, struct sim_refusal *refusal)
{
	char key[SIM_FORM_NAME_BYTES_MAX + 1];

	if (name_len > SIM_FORM_NAME_BYTES_MAX || len > SIM_FORM_TEXT_BYTES_MAX)
		return refuse(refusal, "a field is too large");
	memcpy(key, name, name_len);
	key[name_len] = '\0';
	/* both check the bytes */
	if (json_object_set_new(reader->form->fields, key, json_stringn(bytes, len)) < 0)
		return refuse(refusal, "a field is not UTF-8");
	return 0;
}

/* Reads a part up to the next boundary. */
static int read_part(struct reader *reader, struct sim_refusal *refusal)
{
	const char *head;
	size_t head_len, name_len, ignored;

	if (read_head(reader, &head, &head_len, refusal) < 0)
		return -1;
	const char *bytes = reader->at;
	const char *stop = memmem(bytes, (size_t)(reader->end - bytes), reader->mark,
				  reader->mark_len);
	if (stop == NULL)
		return refuse(refusal, "a part has no end");
	reader->at = stop + reader->mark_len;
	if (head == NULL)
		return refuse(refusal, "a part has no Content-Disposition");
	const char *name = find_parameter(head, head + head_len, "name", &name_len);
	if (name == NULL)
		return refuse(refusal, "a part has no name");
	if (find_parameter(head, head + head_len, "filename", &ignored) == NULL)
		return add_text(reader, name, name_len, bytes, (size_t)(stop - bytes), refusal);
	if (name_len == 4 && memcmp(name, "file", 4) == 0) {
		reader->form->file = bytes;
		reader->form->file_len = (size_t)(stop - bytes);
	}
	return 0;
}

int sim_form_read(const char *type, const char *body, size_t len, struct sim_form *ret,
		  struct sim_refusal *refusal)
{
	struct reader reader = { .at = body, .end = body + len, .form = ret };

	*ret = (struct sim_form){ .fields = json_object() };
	if (read_boundary(type, &reader, refusal) < 0)
		return -1;
	/* the first boundary has no line end before it */
	if (len < reader.mark_len - 2 || memcmp(body, reader.mark + 2, reader.mark_len - 2) != 0)
		return refuse(refusal, "the body does not start with the boundary");
	reader.at += reader.mark_len - 2;
	for (int parts = 0;; parts++) {
		size_t left = (size_t)(reader.end - reader.at);
		if (left >= 2 && memcmp(reader.at, "--", 2) == 0)
			return 0;
		if (left < 2 || memcmp(reader.at, "\r\n", 2) != 0)
			return refuse(refusal, "unexpected bytes after a boundary");
		if (parts == SIM_FORM_PARTS_MAX)
			return refuse(refusal, "more than 64 parts");
		reader.at += 2;
		if (read_part(&reader, refusal) < 0)
			return -1;
	}
}

void sim_form_done(struct sim_form *form)
{
	json_decref(form->fields);
	*form = (struct sim_form){ 0 };
}
