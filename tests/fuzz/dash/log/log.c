/*
 * Any bytes as a log, a cause and a text to search: the lines are those of a plain loop, and so are the matches of an
 * ASCII text. If the text has letters of other scripts, each line in which the loop finds it is a match. The first byte
 * is the length of the text to search, which is at the start of the rest; all is also read as a file.
 */
#include "dash/log/log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct dash_log_index lines;
static struct dash_log_matches matches;

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

/* The text in the line, in either case, as a plain loop finds it. */
static bool is_in(const char *line, size_t len, const char *text, size_t text_len)
{
	for (size_t at = 0; at + text_len <= len; at++) {
		size_t same = 0;
		while (same < text_len && lower(line[at + same]) == lower(text[same]))
			same++;
		if (same == text_len)
			return true;
	}
	return false;
}

/* Whether each letter has two forms: "k" and "s" have a third one, which is not ASCII. */
static bool is_plain(const char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text >= 0x80 || strchr("kKsS", *text) != NULL)
			return false;
	}
	return true;
}

static void check_lines(struct dash_log *log, const char *text, size_t len, const char *needle)
{
	int64_t line = 0;
	size_t found = 0;

	must(dash_log_search(log, &lines, needle, 1, 16, &matches, PL_ERR_IGNORED) == 0);
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line_len = end != NULL ? (size_t)(end - text) - at : len - at;
		line++;
		bool is_searched = matches.next == 0 || line < matches.next;
		bool is_match = found < matches.count && matches.items[found].line == line;
		if (is_searched && is_in(text + at, line_len, needle, strlen(needle)))
			must(is_match || !pl_text_is_utf8(needle));
		else
			must(!is_match || !is_plain(needle));
		found += is_match;
		at += line_len + (end != NULL);
	}
	must(line == lines.lines && found == matches.count);
}

static void check_rows(struct dash_log *log)
{
	const struct dash_log_wanted wanted[] = { { .line = 1 }, { .line = lines.lines } };
	size_t count = lines.lines > 1 ? 2 : (size_t)lines.lines;
	json_t *rows = NULL;

	must(dash_log_rows(log, &lines, wanted, count, &rows, PL_ERR_IGNORED) == 0);
	must(json_array_size(rows) == count);
	PL_JSON_EACH(row, rows) {
		must(json_is_string(json_object_get(row, "text")));
		must(pl_json_get_i64(row, "bytes") <= lines.bytes);
	}
	json_decref(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char needle[DASH_LOG_NEEDLE_BYTES + 1] = "";

	if (size < 2)
		return 0;
	size_t len = data[0] % 32 + 1u;
	const char *text = (const char *)data + 1;
	size_t text_len = size - 1;
	memcpy(needle, text, len < text_len ? len : text_len);
	auto_dash_log struct dash_log *log = dash_log_open_text(text, text_len);
	must(dash_log_index_make(log, needle, &lines, PL_ERR_IGNORED) == 0);
	must(lines.bytes == (int64_t)text_len && lines.cause <= lines.lines);
	check_rows(log);
	if (needle[0] != '\0' && strpbrk(needle, "\r\n") == NULL)
		check_lines(log, text, text_len, needle);

	int fd = memfd_create("log", 0);
	must(fd >= 0 && write(fd, text, text_len) == (ssize_t)text_len);
	auto_dash_log struct dash_log *file = NULL;
	must(dash_log_open(fd, "x", NULL, &file, PL_ERR_IGNORED) == 0);
	if (dash_log_index_make(file, needle, &lines, PL_ERR_IGNORED) == 0 && lines.lines > 0)
		check_rows(file);
	return 0;
}
