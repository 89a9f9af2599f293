/*
 * Any bytes as one line of a log: its body lies within the line and, unless the line is wrapped in
 * JSON or logfmt, ends where the line ends. Going through a message of several lines ends.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "host/log/line.h"

#define REAL_NS 1772690828000000000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const struct host_log_line *line, const char *text, size_t len)
{
	if (line->body < text || line->body + strlen(line->body) > text + len ||
	    strlen(line->speaker) >= HOST_LOG_WORD_BYTES ||
	    strlen(line->source) >= HOST_LOG_WORD_BYTES || line->level > HOST_LOG_ERROR)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_alloc(size + 1);
	struct host_log_line line;
	size_t count = 0;

	memcpy(text, data, size);
	size_t len = host_log_line_clean(text, size);
	if (len > size || strlen(text) != len)
		abort();
	bool is_wrapped = text[0] == '{' || pl_text_starts(text, "time=") ||
			  pl_text_starts(text, "level=");
	host_log_line_read(text, REAL_NS, &line);
	check_line(&line, text, len);
	if (!is_wrapped && (line.body + strlen(line.body) != text + len || line.rest != NULL))
		abort();
	while (host_log_line_next(&line, REAL_NS)) {
		check_line(&line, text, len);
		if (++count > size)
			abort();
	}
	return 0;
}
