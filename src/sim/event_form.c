#include "sim/event_form.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Chunk frame around what is added to `text`. */
static void add_chunk(struct pl_buf *out, const struct pl_buf *text)
{
	pl_buf_addf(out, "%zx\r\n", text->len);
	pl_buf_add(out, pl_buf_text(text), text->len);
	pl_buf_add_text(out, "\r\n");
}

/* One data line with its end, "data: …\n\n", in another form. */
static void reform_data(enum sim_event_form form, const char *text, size_t len, struct pl_buf *out)
{
	/*
	 * An event may have several data lines, which are joined by a line feed (WHATWG HTML,
	 * 9.2.6), and JSON may have one between its members: so this is where it can be cut.
	 */
	static const char *const members[] = { ",\"choices\":", ",\"sequence_number\":" };
	const char *at = NULL;

	if (form == SIM_FORM_NO_SPACE) {
		pl_buf_add_text(out, "data:");
		pl_buf_add(out, text + strlen("data: "), len - strlen("data: "));
		return;
	}
	for (size_t i = 0; form == SIM_FORM_LINES && at == NULL && i < PL_ARRAY_SIZE(members); i++)
		at = memmem(text, len, members[i], strlen(members[i]));
	if (at != NULL) {
		pl_buf_add(out, text, (size_t)(at - text));
		pl_buf_add_text(out, "\ndata: ");
		len -= (size_t)(at - text);
		text = at;
	}
	pl_buf_add(out, text, len);
}

/* One message, its empty line included. */
static void reform_message(enum sim_event_form form, const char *text, size_t len,
			   struct pl_buf *out)
{
	const char *data = memmem(text, len, "data: ", strlen("data: "));

	if (form == SIM_FORM_CRLF) {
		for (size_t i = 0; i < len; i++) {
			if (text[i] == '\n')
				pl_buf_add_char(out, '\r');
			pl_buf_add_char(out, text[i]);
		}
		return;
	}
	/* An event of /v1/responses has a name already. */
	if (form == SIM_FORM_FIELDS && data == text)
		pl_buf_add_text(out, "event: message\n");
	if (form == SIM_FORM_FIELDS)
		pl_buf_add_text(out, "id: 1\nretry: 3000\n");
	pl_buf_add(out, text, (size_t)(data - text));
	reform_data(form, data, len - (size_t)(data - text), out);
}

/* The messages of one chunk. */
static void reform(enum sim_event_form form, const char *text, size_t len, struct pl_buf *out)
{
	const char *end = text + len;

	while (text < end) {
		const char *gap = memmem(text, (size_t)(end - text), "\n\n", 2);
		const char *next = gap != NULL ? gap + 2 : end;

		reform_message(form, text, (size_t)(next - text), out);
		text = next;
	}
}

void sim_event_reform(enum sim_event_form form, const char *chunks, size_t len, struct pl_buf *out)
{
	const char *end = chunks + len;
	auto_buf text = PL_BUF(64u << 20);

	if (form == SIM_FORM_PLAIN || form == SIM_FORM_COMMENTS) {
		pl_buf_add(out, chunks, len);
		return;
	}
	/* The chunks are our own, so sizes and line ends are where they belong. */
	while (chunks < end) {
		char *body;
		size_t size = strtoul(chunks, &body, 16);

		body += 2;
		pl_buf_clear(&text);
		if (size > 0)
			reform(form, body, size, &text);
		add_chunk(out, &text);
		chunks = body + size + 2;
	}
}

void sim_event_error(const struct sim_refusal *refusal, enum sim_api api, struct pl_buf *out)
{
	auto_buf text = PL_BUF(1u << 20);

	pl_buf_add_text(&text, api == SIM_RESPONSES ? "event: error\ndata: " : "data: ");
	sim_refusal_write(refusal, &text);
	pl_buf_add_text(&text, api == SIM_RESPONSES ? "\n\n" : "\n\ndata: [DONE]\n\n");
	add_chunk(out, &text);
	pl_buf_add_text(out, "0\r\n\r\n");
}
