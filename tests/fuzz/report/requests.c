/*
 * Any bytes as a result and its records: the first line is the document, the others are records. Each form of the report
 * is complete, and shows the texts of the document as text.
 */
#include "report/report.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct res_fields *fields;
	const char *text = (const char *)data;
	const char *newline = size > 0 ? memchr(text, '\n', size) : NULL;
	size_t head = newline != NULL ? (size_t)(newline - text) : size;
	size_t rest = newline != NULL ? head + 1 : size;
	auto_report_requests requests = { 0 };
	auto_json json_t *document = NULL;

	if (fields == NULL)
		fields = res_fields_new(NULL);
	auto_unpack struct pl_unpack *file = pl_unpack_new_text(text + rest, size - rest);
	must(report_requests_read(file, NULL, &requests, PL_ERR_IGNORED) == 0);
	must(requests.count + requests.skipped <= count_lines(text + rest, size - rest));
	for (size_t i = 0; i < requests.count; i++)
		must(requests.items[i].start_s >= 0);
	if (pl_json_parse(text, head, "a result", &document, PL_ERR_IGNORED) < 0 ||
	    !json_is_object(document)) {
		json_decref(document);
		document = json_object();
	}
	auto_json json_t *report = report_of_result(
		fields, &(struct report_input){
				.path = "r.json", .document = document, .requests = &requests });
	check_forms(report);
	return 0;
}
