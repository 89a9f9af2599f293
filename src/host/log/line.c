#include "host/log/line.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "host/log/prefix.h"
#include "host/log/stamp.h"

/*
 * journald, a container's agent, srun, Ray, vLLM's process and its logger may each put one before
 * a line; the rest is room.
 */
#define PREFIXES_MAX 12

#define ESCAPE 0x1b
#define BELL   0x07

/* Returns the length of an escape sequence: "[31m", "]0;title\a", "(B" after its escape byte. */
static size_t escape_len(const char *text, size_t len)
{
	size_t at = 1;

	/*
	 * By ECMA-48: CSI with its parameters, OSC up to BEL or the next ESC, charset selections;
	 * for any other sequence the single byte after ESC.
	 */
	if (len < 2)
		return len;
	if (text[1] == '[') {
		for (at = 2; at < len && (text[at] < 0x40 || text[at] > 0x7e); at++)
			;
		return at < len ? at + 1 : len;
	}
	if (text[1] == ']') {
		for (at = 2; at < len && text[at] != BELL && text[at] != ESCAPE; at++)
			;
		return at < len && text[at] == BELL ? at + 1 : at;
	}
	return text[1] == '(' || text[1] == ')' ? (len < 3 ? len : 3) : 2;
}

/*
 * The same sequence after its escape byte was lost or written out: "[36m(", "^[[0m", "#033[31m".
 * Only colors, and not "[30m]", which is a range of time.
 */
static size_t written_color_len(const char *text, size_t len)
{
	static const char *const escapes[] = { "#033", "^[", "" };
	static const char digits[] = "0123456789;";

	for (size_t i = 0; i < PL_ARRAY_SIZE(escapes); i++) {
		size_t at = strlen(escapes[i]);
		if (len < at + 3 || memcmp(text, escapes[i], at) != 0 || text[at] != '[' ||
		    strchr("01349", text[at + 1]) == NULL)
			continue;
		size_t from = ++at;
		while (at < len && text[at] != '\0' && strchr(digits, text[at]) != NULL)
			at++;
		bool is_range = at + 1 < len && text[at + 1] == ']';
		if (at > from && at < len && text[at] == 'm' && !is_range)
			return at + 1;
	}
	return 0;
}

size_t host_log_line_clean(char *text, size_t len)
{
	size_t used = 0;

	for (size_t at = 0; at < len;) {
		size_t color = text[at] != '\0' && strchr("#^[", text[at]) != NULL
				       ? written_color_len(text + at, len - at)
				       : 0;
		if (text[at] == ESCAPE)
			color = escape_len(text + at, len - at);
		if (color > 0) {
			at += color;
			continue;
		}
		unsigned char c = (unsigned char)text[at++];
		text[used++] = (char)(c == 0x7f || (c < 0x20 && c != '\t') ? ' ' : c);
	}
	text[used] = '\0';
	return used;
}

static const char *member(const json_t *json, const char *const *names)
{
	for (; *names != NULL; names++) {
		const char *text = pl_json_get_text(json, *names);
		if (text != NULL)
			return text;
	}
	return NULL;
}

/* Cleans a message of several lines, which keeps its line breaks. */
static void clean_lines(char *text)
{
	char *to = text;

	for (char *from = text; from != NULL;) {
		char *end = strchr(from, '\n');
		size_t len = end != NULL ? (size_t)(end - from) : strlen(from);
		memmove(to, from, len);
		/* The cleaned part ends in a NUL, for which the line break leaves room. */
		char *next = end != NULL ? end + 1 : NULL;
		while (len > 0 && isspace((unsigned char)to[len - 1]))
			len--;
		to += host_log_line_clean(to, len);
		if (next != NULL)
			*to++ = '\n';
		from = next;
	}
	while (to > text && isspace((unsigned char)to[-1]))
		to--;
	*to = '\0';
}

static void set_time(struct host_log_line *line, const char *time, int64_t real_ns)
{
	struct host_log_stamp stamp = { 0 };

	if (!host_log_stamp_iso(&time, &stamp))
		return;
	line->stamped = true;
	line->stamp_ns = host_log_stamp_ns(&stamp, real_ns);
}

/*
 * {"log": "…", "time": "…"} of docker, {"level": "INFO", "message": "…", "exc_info": "…"} of a
 * JSON formatter
 */
static void unwrap_json(char *text, struct host_log_line *line, int64_t real_ns)
{
	static const char *const messages[] = { "message", "msg", "log", "event", "text", NULL };
	static const char *const tracebacks[] = { "exc_info", "exception", "stack_trace", NULL };
	static const char *const level_names[] = { "level", "levelname", "severity", NULL };
	static const char *const times[] = { "timestamp", "asctime", "time", "ts", NULL };
	size_t len = strlen(text);

	if (text[len - 1] != '}')
		return;
	auto_json json_t *json = json_loads(text, 0, NULL);
	const char *message = member(json, messages), *level = member(json, level_names);
	const char *time = member(json, times), *traceback = member(json, tracebacks);
	if (message == NULL)
		return;
	if (level != NULL)
		host_log_level_find(level, strlen(level), &line->level);
	if (time != NULL)
		set_time(line, time, real_ns);
	/* Decoded, both are shorter than they were with their names. */
	size_t used = strlen(message), more = traceback != NULL ? strlen(traceback) : 0;
	if (used + 1 + more > len)
		return;
	memmove(text, message, used);
	text[used] = '\0';
	if (more > 0) {
		text[used] = '\n';
		memmove(text + used + 1, traceback, more + 1);
	}
	clean_lines(text);
}

/* Decodes the quoted text at `from` to the start of `to`, which is not after it. */
static void unquote(char *to, const char *from)
{
	for (; *from != '\0' && *from != '"'; from++) {
		bool escaped = from[0] == '\\' && from[1] != '\0';
		if (escaped)
			from++;
		*to++ = (char)(escaped && *from == 'n' ? '\n' : *from);
	}
	*to = '\0';
}

/* time="…" level=error msg="…" of container engines */
static void unwrap_logfmt(char *text, struct host_log_line *line, int64_t real_ns)
{
	static const char level_key[] = "level=", message_key[] = " msg=\"";
	const char *level = strstr(text, level_key), *message = strstr(text, message_key);

	if (level == NULL || message == NULL)
		return;
	level += sizeof(level_key) - 1;
	host_log_level_find(level, strcspn(level, " "), &line->level);
	if (pl_text_starts(text, "time="))
		set_time(line, text + 5 + strspn(text + 5, "\""), real_ns);
	unquote(text, message + sizeof(message_key) - 1);
	clean_lines(text);
}

static void take_prefixes(struct host_log_line *line, int64_t real_ns)
{
	for (unsigned i = 0; i < PREFIXES_MAX; i++) {
		if (!host_log_prefix_take(line, real_ns))
			break;
	}
}

/* Ends the body at its line break. */
static void cut(struct host_log_line *line)
{
	line->rest = strchr(line->body, '\n');
	if (line->rest != NULL)
		*line->rest++ = '\0';
}

void host_log_line_read(char *text, int64_t real_ns, struct host_log_line *ret)
{
	*ret = (struct host_log_line){ .body = text };
	if (text[0] == '{')
		unwrap_json(text, ret, real_ns);
	else if (pl_text_starts(text, "time=") || pl_text_starts(text, "level="))
		unwrap_logfmt(text, ret, real_ns);
	cut(ret);
	/* A line may start after another process's progress bar: "… 20.10it/s](Worker pid=1) INFO …" */
	const char *at = strstr(ret->body, "/s](");
	if (at == NULL)
		at = strstr(ret->body, "s/it](");
	if (at != NULL)
		ret->body = strchr(at, '(');
	take_prefixes(ret, real_ns);
}

bool host_log_line_next(struct host_log_line *line, int64_t real_ns)
{
	if (line->rest == NULL)
		return false;
	line->body = line->rest;
	cut(line);
	take_prefixes(line, real_ns);
	return true;
}
