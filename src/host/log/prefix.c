#include "host/log/prefix.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "host/log/stamp.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"
/* Names of hosts, containers, pods, modules and functions. */
#define NAME_CHARS LETTERS DIGITS "_.-/@"

#define SPEAKER_BYTES_MAX 96
#define NAME_BYTES_MAX    128
/* srun pads its labels to the width of the largest. */
#define LABEL_SPACES_MAX 2
#define LABEL_DIGITS_MAX 5

static void set_stamp(struct host_log_line *line, const struct host_log_stamp *stamp,
		      int64_t real_ns)
{
	line->stamped = true;
	line->stamp_ns = host_log_stamp_ns(stamp, real_ns);
}

static void set_body(struct host_log_line *line, const char *at)
{
	line->body = at;
	/* One blank at most: those after it are the indentation of a traceback. */
	host_log_skip_char(&line->body, " \t");
}

static void copy_word(char *to, const char *from, size_t len)
{
	if (len >= HOST_LOG_WORD_BYTES)
		len = HOST_LOG_WORD_BYTES - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

static const struct {
	const char *word;
	enum host_log_level level;
} levels[] = {
	{ "TRACE", HOST_LOG_QUIET },  { "DEBUG", HOST_LOG_QUIET },     { "INFO", HOST_LOG_QUIET },
	{ "NOTICE", HOST_LOG_QUIET }, { "WARNING", HOST_LOG_WARNING }, { "WARN", HOST_LOG_WARNING },
	{ "ERROR", HOST_LOG_ERROR },  { "CRITICAL", HOST_LOG_ERROR },  { "FATAL", HOST_LOG_ERROR },
};

bool host_log_level_find(const char *word, size_t len, enum host_log_level *ret)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(levels); i++) {
		if (strlen(levels[i].word) == len && strncasecmp(levels[i].word, word, len) == 0) {
			*ret = levels[i].level;
			return true;
		}
	}
	return false;
}

/*
 * "(EngineCore pid=12) ", "(VllmWorker TP0 pid=12) ", "(RayWorkerWrapper pid=12, ip=10.0.0.1) ",
 * "(raylet) ", "(autoscaler +3s) "
 */
static bool take_speaker(struct host_log_line *line, int64_t real_ns)
{
	const char *text = line->body;

	(void)real_ns;
	if (text[0] != '(')
		return false;
	/* Names of processes are short: a bracket further on belongs to the message. */
	const char *end = memchr(text, ')', strnlen(text, SPEAKER_BYTES_MAX));
	if (end == NULL)
		return false;
	const char *pid = memmem(text, (size_t)(end - text), "pid=", 4);
	size_t len = 0;
	if (pid != NULL && isdigit((unsigned char)pid[4]))
		len = (size_t)(pid - text) - 1;
	else if (pl_text_starts(text, "(raylet") || pl_text_starts(text, "(autoscaler "))
		len = strcspn(text + 1, " ,)");
	else
		return false;
	while (len > 0 && text[len] == ' ')
		len--;
	if (len > 0)
		copy_word(line->speaker, text + 1, len);
	set_body(line, end + 1);
	return true;
}

/* Skips "host vllm[12]: " and, after a time that only syslog writes, "host vllm: ". */
static const char *skip_host(const char *at, bool is_syslog)
{
	size_t host = strspn(at, NAME_CHARS);

	if (host == 0 || at[host] != ' ')
		return at;
	const char *name = at + host + 1, *end = name + strspn(name, NAME_CHARS);
	if (end == name)
		return at;
	bool has_pid = *end == '[' && isdigit((unsigned char)end[1]);
	if (has_pid) {
		end += 1 + strspn(end + 1, DIGITS);
		if (*end++ != ']')
			return at;
	}
	if (end[0] != ':' || (end[1] != ' ' && end[1] != '\0'))
		return at;
	return has_pid || is_syslog || pl_text_starts(name, "kernel:") ? end + 1 : at;
}

/* "Jan  2 03:04:05 host vllm[12]: " of syslog and journald; "Jan  2 03:04:05 " of ts */
static bool take_syslog(struct host_log_line *line, int64_t real_ns)
{
	struct host_log_stamp stamp = { 0 };
	const char *at = line->body;

	if (!host_log_stamp_syslog(&at, &stamp))
		return false;
	host_log_skip_char(&at, " ");
	set_stamp(line, &stamp, real_ns);
	set_body(line, skip_host(at, true));
	return true;
}

/* "2026-01-02T03:04:05.678Z stdout F ", "2026-01-02 03:04:05,678 - ", "… host vllm[12]: " */
static bool take_iso_stamp(struct host_log_line *line, int64_t real_ns)
{
	struct host_log_stamp stamp = { 0 };
	const char *at = line->body;

	if (!host_log_stamp_iso(&at, &stamp))
		return false;
	set_stamp(line, &stamp, real_ns);
	host_log_skip_char(&at, " \t");
	line->body = at;
	if (pl_text_starts(at, "stdout ") || pl_text_starts(at, "stderr ")) {
		at += 7;
		if (pl_text_starts(at, "F ") || pl_text_starts(at, "P "))
			at += 2;
		line->body = at;
	} else if (pl_text_starts(at, "- ")) {
		line->body = at + 2;
	} else if (skip_host(at, false) != at) {
		set_body(line, skip_host(at, false));
	}
	return true;
}

/* "03:04:05 ", which has no date: not the line's time */
static bool take_clock(struct host_log_line *line, int64_t real_ns)
{
	struct host_log_stamp stamp = { 0 };
	const char *at = line->body;

	(void)real_ns;
	if (!host_log_stamp_clock(&at, &stamp) || *at != ' ')
		return false;
	set_body(line, at);
	return true;
}

/* Skips "[core.py:133] ", "core.py:133] " (older), "worker.py:1771 -- " (Ray). */
static const char *skip_source(const char *at, struct host_log_line *line)
{
	const char *start = *at == '[' ? at + 1 : at, *end = start;

	while (*end != '\0' && strchr(":] [", *end) == NULL)
		end++;
	const char *number = end;
	if (*number++ != ':' || !isdigit((unsigned char)*number))
		return at;
	while (isdigit((unsigned char)*number))
		number++;
	if (*number == ']')
		number++;
	else if (pl_text_starts(number, " --"))
		number += 3;
	else
		return at;
	copy_word(line->source, start, (size_t)(end - start));
	host_log_skip_char(&number, " ");
	return number;
}

/*
 * Skips the name of a logger after a level: "vllm.engine - ", "vllm.engine: ", "module:run:12 - ".
 * Names of exceptions stay, whose last part starts in upper case or ends in "error".
 */
static const char *skip_logger(const char *at)
{
	const char *name = at + strspn(at, " ");
	size_t len = strspn(name, NAME_CHARS ":<>");
	bool has_colon = len > 0 && name[len - 1] == ':';
	const char *end = name + (has_colon ? len - 1 : len);

	if (end == name || len > NAME_BYTES_MAX)
		return at;
	for (const char *c = name; c < end; c++) {
		if (isupper((unsigned char)*c) && (c == name || c[-1] == '.'))
			return at;
	}
	if (end - name >= 5 && memcmp(end - 5, "error", 5) == 0)
		return at;
	if (pl_text_starts(end, " - "))
		return end + 3;
	bool is_dotted = memchr(name, '.', (size_t)(end - name)) != NULL;
	return has_colon && is_dotted && end[1] == ' ' ? end + 2 : at;
}

/*
 * "INFO 07-22 12:00:00 [x.py:12] ", "INFO:     ", "INFO\tworker.py:12 -- ", "INFO - x.py:12 - ",
 * "ERROR    | ", "ERROR:vllm.engine:"
 */
static bool take_level(struct host_log_line *line, int64_t real_ns)
{
	struct host_log_stamp stamp = { 0 };
	const char *at = line->body;
	enum host_log_level level;
	size_t len = 0;

	while (isupper((unsigned char)at[len]))
		len++;
	if (len == 0 || at[len] == '\0' || strchr(": \t", at[len]) == NULL ||
	    !host_log_level_find(at, len, &level))
		return false;
	line->level = level;
	at += len;
	const char *bar = at + strspn(at, " ");
	if (*bar == '|') {
		set_body(line, bar + 1);
		return true;
	}
	if (at[0] == ':' && at[1] != ' ') {
		/* "ERROR:vllm.engine:text" of Python's default format. */
		size_t name = strspn(at + 1, NAME_CHARS);
		line->body = name > 0 && at[1 + name] == ':' ? at + name + 2 : at + 1;
		return true;
	}
	/* uvicorn's form, which has neither time nor source. */
	if (*at == ':') {
		line->body = at + 1 + strspn(at + 1, " ");
		return true;
	}
	at++;
	if (host_log_stamp_short(&at, &stamp)) {
		host_log_skip_char(&at, " ");
		set_stamp(line, &stamp, real_ns);
	} else if (pl_text_starts(at, "- ")) {
		at += 2;
	}
	line->body = skip_source(at, line);
	if (line->body == at && stamp.month == 0)
		line->body = skip_logger(at);
	return true;
}

/* "vllm.engine - ERROR - ", "startup.py[line:705] - INFO: ", after a time */
static bool take_named_level(struct host_log_line *line, int64_t real_ns)
{
	const char *at = line->body;
	size_t name = strspn(at, NAME_CHARS "[]:"), len = 0;

	(void)real_ns;
	if (!line->stamped || name == 0 || !pl_text_starts(at + name, " - "))
		return false;
	at += name + 3;
	while (isupper((unsigned char)at[len]))
		len++;
	bool ends = pl_text_starts(at + len, " - ") || pl_text_starts(at + len, ": ");
	if (!ends || !host_log_level_find(at, len, &line->level))
		return false;
	line->body = at + len + (at[len] == ':' ? 2 : 3);
	return true;
}

/* "[E1121 02:32:50.142952055 utils.cpp:68] " of C++, "E1121 02:32:50.142952 12 x.py:1] " */
static bool take_glog(struct host_log_line *line, int64_t real_ns)
{
	struct host_log_stamp stamp = { 0 };
	const char *at = line->body;

	host_log_skip_char(&at, "[");
	char letter = *at;
	if (!host_log_skip_char(&at, "DIWEF") || !host_log_stamp_glog(&at, &stamp))
		return false;
	const char *end = strstr(at, "] ");
	if (end == NULL)
		return false;
	set_stamp(line, &stamp, real_ns);
	line->level = letter == 'W'                    ? HOST_LOG_WARNING
		      : letter == 'E' || letter == 'F' ? HOST_LOG_ERROR
						       : HOST_LOG_QUIET;
	line->body = end + 2;
	return true;
}

/*
 * "[rank0]:" of torch, "[default0]:" of torchrun, "[1,0]<stderr>: " of mpirun, "[ERROR] ",
 * "[2026-01-02 03:04:05 +0000] ", "[12] " of gunicorn, "[pod/vllm-0/vllm] " of kubectl
 */
static bool take_bracket(struct host_log_line *line, int64_t real_ns)
{
	struct host_log_stamp stamp = { 0 };
	const char *at = line->body;
	enum host_log_level level;

	if (*at++ != '[')
		return false;
	const char *inner = at, *time = at;
	bool has_time = host_log_stamp_iso(&time, &stamp) && *time == ']';
	at = has_time ? time : at + strspn(at, NAME_CHARS DIGITS ",:");
	bool is_rank = pl_text_starts(inner, "Rank ") || pl_text_starts(inner, "rank ");
	if (is_rank)
		at = inner + 5 + strspn(inner + 5, DIGITS);
	size_t len = (size_t)(at - inner);
	if (*at++ != ']' || len == 0 || len > NAME_BYTES_MAX)
		return false;
	if (pl_text_starts(at, "<stderr>") || pl_text_starts(at, "<stdout>"))
		at += 8;
	bool has_level = host_log_level_find(inner, len, &level);
	if (*at != '\0' && strchr(" :[", *at) == NULL)
		return false;
	if (has_time)
		set_stamp(line, &stamp, real_ns);
	if (has_level)
		line->level = level;
	host_log_skip_char(&at, ":");
	set_body(line, at);
	if (has_level && pl_text_starts(line->body, "- "))
		line->body += 2;
	return true;
}

/* "vllm-1  | " of docker compose, "stderr | ", and a bar alone */
static bool take_bar(struct host_log_line *line, int64_t real_ns)
{
	const char *at = line->body;
	size_t name = isalpha((unsigned char)*at) ? strspn(at, NAME_CHARS) : 0;
	const char *bar = at + name + strspn(at + name, " ");

	(void)real_ns;
	if (bar[0] != '|' || (bar[1] != ' ' && bar[1] != '\0') || (name == 0 && bar != at) ||
	    (name > 0 && bar == at + name))
		return false;
	/* A wrapper that reads stderr gives every line the same level. */
	if (name == 6 && (memcmp(at, "stderr", 6) == 0 || memcmp(at, "stdout", 6) == 0))
		line->level = HOST_LOG_NO_LEVEL;
	set_body(line, bar + 1);
	return true;
}

/* "module:run:12 - " of loguru and "controller 12 state.py:34 -- " of Ray Serve, after a level */
static bool take_logger(struct host_log_line *line, int64_t real_ns)
{
	const char *at = line->body;
	size_t name = strspn(at, NAME_CHARS ":<> ");

	(void)real_ns;
	if (line->level == HOST_LOG_NO_LEVEL || !line->stamped || line->source[0] != '\0')
		return false;
	/* Both end in a line number, and names contain no quotes. */
	for (size_t i = 0; i + 3 < name && i < NAME_BYTES_MAX; i++) {
		bool is_dash = pl_text_starts(at + i, " - ") || pl_text_starts(at + i, " -- ");
		if (!is_dash || i < 3 || !isdigit((unsigned char)at[i - 1]) ||
		    memchr(at, ':', i) == NULL)
			continue;
		line->body = at + i + (at[i + 2] == '-' ? 4 : 3);
		return true;
	}
	return false;
}

/* "0: ", " 0: " of srun --label; "node01: " of pdsh */
static bool take_label(struct host_log_line *line, int64_t real_ns)
{
	const char *at = line->body;
	size_t blanks = strspn(at, " ");
	size_t len = strspn(at + blanks, DIGITS);

	(void)real_ns;
	if (len > 0) {
		if (blanks > LABEL_SPACES_MAX || len > LABEL_DIGITS_MAX)
			return false;
	} else {
		len = blanks == 0 && islower((unsigned char)*at)
			      ? strspn(at, "abcdefghijklmnopqrstuvwxyz" DIGITS "-.")
			      : 0;
		bool has_digit = len > 0 && strcspn(at, DIGITS) < len;
		/* "python3: error: …" and "libx.so.1: …" are messages */
		if (!has_digit || pl_text_starts(at + len, ": error") ||
		    memmem(at, len, ".so", 3) != NULL)
			return false;
	}
	at += blanks + len;
	if (at[0] != ':' || (at[1] != ' ' && at[1] != '\0'))
		return false;
	set_body(line, at + 1);
	return true;
}

/* "<27>" of syslog; what wrappers of a child's output write */
static bool take_stream(struct host_log_line *line, int64_t real_ns)
{
	static const char *const words[] = { "vLLM STDOUT: ", "vLLM STDERR: ", "stdout: ",
					     "stderr: " };
	const char *at = line->body;

	(void)real_ns;
	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		if (pl_text_starts(at, words[i])) {
			line->body = at + strlen(words[i]);
			return true;
		}
	}
	if (at[0] != '<' || !isdigit((unsigned char)at[1]))
		return false;
	at += 1 + strspn(at + 1, DIGITS);
	if (*at != '>')
		return false;
	line->body = at + 1;
	return true;
}

/* "  | ValueError: …": an exception within a group, which Python draws as a tree */
static bool take_group(struct host_log_line *line, int64_t real_ns)
{
	size_t blanks = strspn(line->body, " ");

	(void)real_ns;
	if (blanks < 2 || !pl_text_starts(line->body + blanks, "| "))
		return false;
	line->body += blanks + 2;
	return true;
}

bool host_log_prefix_take(struct host_log_line *line, int64_t real_ns)
{
	static bool (*const takes[])(struct host_log_line *, int64_t) = {
		take_stream, take_syslog,  take_iso_stamp, take_clock,       take_speaker,
		take_glog,   take_bracket, take_level,     take_named_level, take_logger,
		take_bar,    take_label,   take_group,
	};

	for (size_t i = 0; i < PL_ARRAY_SIZE(takes); i++) {
		if (takes[i](line, real_ns))
			return true;
	}
	return false;
}
