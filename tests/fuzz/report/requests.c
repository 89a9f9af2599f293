/*
 * Any bytes as a result and its records: the first line is the document, the others are records. Each form of the report
 * is complete, and shows the texts of the document as text.
 */
#include "report/report.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define RECORDS_BYTES_MAX ((size_t)64 << 20)

static void must(bool holds)
{
	if (!holds)
		abort();
}

static size_t count_lines(const char *text, size_t len)
{
	size_t lines = 0;

	for (size_t at = 0; at < len; at++)
		lines += text[at] != '\n' && (at + 1 == len || text[at + 1] == '\n');
	return lines;
}

static void check_forms(const json_t *report)
{
	auto_buf html = PL_BUF(REPORT_BYTES_MAX), markdown = PL_BUF(REPORT_BYTES_MAX);
	auto_buf text = PL_BUF(REPORT_BYTES_MAX);

	report_html(report, &html);
	report_markdown(report, &markdown);
	report_terminal(report, false, &text);
	must(pl_text_starts(pl_buf_text(&html), "<!doctype html>") &&
	     (html.full || pl_text_ends(pl_buf_text(&html), "</html>\n")));
	must(strstr(pl_buf_text(&html), "<script") == NULL &&
	     strstr(pl_buf_text(&html), "<img") == NULL);
	const struct pl_buf *const all[] = { &html, &markdown, &text };
	for (size_t i = 0; i < PL_ARRAY_SIZE(all); i++)
		must(pl_text_is_utf8(pl_buf_text(all[i])) &&
		     strchr(pl_buf_text(all[i]), '\x1b') == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct res_fields *fields;
	const char *text = (const char *)bytes;
	const char *newline = size > 0 ? memchr(text, '\n', size) : NULL;
	size_t head = newline != NULL ? (size_t)(newline - text) : size;
	size_t rest = newline != NULL ? head + 1 : size;
	auto_report_data data;
	auto_json json_t *document = NULL;

	if (fields == NULL)
		fields = res_fields_new(NULL);
	auto_unpack struct pl_unpack *file = pl_unpack_new_text(text + rest, size - rest);
	report_data_init(&data);
	must(records_read(file, NULL, RECORDS_BYTES_MAX, &data.records, PL_ERR_IGNORED) == 0);
	must(data.records->count + data.records->skipped <= count_lines(text + rest, size - rest));
	if (pl_json_parse(text, head, "a result", &document, PL_ERR_IGNORED) < 0 ||
	    !json_is_object(document)) {
		json_decref(document);
		document = json_object();
	}
	auto_json json_t *report = report_of_result(
		fields,
		&(struct report_input){ .path = "r.json", .document = document, .data = &data });
	check_forms(report);
	return 0;
}
