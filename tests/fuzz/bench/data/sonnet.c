/*
 * Any bytes as a poem: its lines put together are the text, with each end of a line as "\n"; or one
 * message that names the source.
 */
#include "bench/data/dataset_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Compares the first line of the text with `line`; returns the text after it. */
static const char *match_line(const char *text, const char *line)
{
	size_t body = strcspn(text, "\r\n");

	must(strncmp(text, line, body) == 0);
	must(strcmp(line + body, text[body] != '\0' ? "\n" : "") == 0);
	text += body;
	if (text[0] == '\r' && text[1] == '\n')
		text++;
	return *text != '\0' ? text + 1 : text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_strndup(size > 0 ? (const char *)data : "", size);
	auto_free char *copy = pl_alloc(size + 1);
	auto_entries lines = { 0 };
	const struct vllm_bench bench = { .dataset_path = (char *)"x.txt" };
	struct pl_err err = PL_ERR_INIT;
	const char *rest = text;

	if (size > 0)
		memcpy(copy, data, size);
	if (bench_entries_parse(&bench_dataset_sonnet, &bench, copy, size, &lines, &err) < 0) {
		must(lines.count == 0);
		must(err.code == PL_ERR_INVALID && pl_text_starts(err.text, "x.txt:"));
		return 0;
	}
	must(lines.count > 0);
	for (size_t i = 0; i < lines.count; i++) {
		must(*rest != '\0');
		rest = match_line(rest, lines.items[i].prompt);
	}
	must(*rest == '\0');
	return 0;
}
