#include "host/log/line.h"

#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"

/*
 * Docker, a container's agent, Ray, vLLM's process and its logger may each put one in front; the
 * rest is room.
 */
#define PREFIXES_MAX      8
#define SPEAKER_BYTES_MAX 96
#define HALF_YEAR_S       (183 * 86400LL)
/* what a clock shows, and int64 nanoseconds hold */
#define YEAR_MIN 2000
#define YEAR_MAX 2199

#define ESCAPE 0x1b
#define BELL   0x07

/* Behind an escape byte: "[31m", "]0;title\a", "(B". */
static size_t escape_len(const char *text, size_t len)
{
	size_t at = 1;

	/*
	 * By ECMA-48: CSI with its parameters, OSC up to BEL or the next ESC, charset selections;
	 * of any other the one byte behind ESC.
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

size_t host_log_line_clean(char *text, size_t len)
{
	size_t used = 0;

	for (size_t at = 0; at < len;) {
		if (text[at] == ESCAPE) {
			at += escape_len(text + at, len - at);
			continue;
		}
		unsigned char c = (unsigned char)text[at++];
		text[used++] = (char)(c == 0x7f || (c < 0x20 && c != '\t') ? ' ' : c);
	}
	text[used] = '\0';
	return used;
}

/* Exactly `count` digits. */
static bool take_number(const char **at, unsigned count, int *ret)
{
	int value = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!isdigit((unsigned char)(*at)[i]))
			return false;
		value = 10 * value + ((*at)[i] - '0');
	}
	*at += count;
	*ret = value;
	return true;
}

static bool take_char(const char **at, const char *any)
{
	/* strchr() finds the NUL of any text. */
	if (**at == '\0' || strchr(any, **at) == NULL)
		return false;
	(*at)++;
	return true;
}

struct stamp {
	int year; /* 0: not said */
	int month, day, hour, minute, second;
	int64_t fraction_ns;
};

/* "12:34:56", "12:34:56,789", "12:34:56.789123" */
static bool take_clock(const char **at, struct stamp *stamp)
{
	/* Digits beyond nanoseconds add nothing: the unit has become 0. */
	int64_t unit = PL_NS_PER_S / 10;

	if (!take_number(at, 2, &stamp->hour) || !take_char(at, ":") ||
	    !take_number(at, 2, &stamp->minute) || !take_char(at, ":") ||
	    !take_number(at, 2, &stamp->second))
		return false;
	if ((**at != '.' && **at != ',') || !isdigit((unsigned char)(*at)[1]))
		return true;
	for ((*at)++; isdigit((unsigned char)**at); (*at)++) {
		stamp->fraction_ns += unit * (**at - '0');
		unit /= 10;
	}
	return true;
}

static bool is_date(const struct stamp *stamp)
{
	return stamp->month >= 1 && stamp->month <= 12 && stamp->day >= 1 && stamp->day <= 31 &&
	       stamp->hour <= 23 && stamp->minute <= 59 && stamp->second <= 60;
}

static int64_t stamp_seconds(const struct stamp *stamp, int year)
{
	struct tm when = {
		.tm_year = year - 1900,
		.tm_mon = stamp->month - 1,
		.tm_mday = stamp->day,
		.tm_hour = stamp->hour,
		.tm_min = stamp->minute,
		.tm_sec = stamp->second,
	};

	/*
	 * As if it were UTC: zones are left for host/log/phases.c, which has the time of reading to
	 * compare with.
	 */
	return timegm(&when);
}

/* A stamp without a year is of the year that brings it nearest to now. */
static void set_stamp(struct host_log_line *line, const struct stamp *stamp, int64_t real_ns)
{
	int64_t now = real_ns / PL_NS_PER_S;
	struct tm today = { 0 };
	time_t t = (time_t)now;
	int year = stamp->year;

	if (year == 0) {
		gmtime_r(&t, &today);
		year = today.tm_year + 1900;
		int64_t away = stamp_seconds(stamp, year) - now;
		year += away < -HALF_YEAR_S ? 1 : away > HALF_YEAR_S ? -1 : 0;
	}
	line->stamped = true;
	line->stamp_ns = stamp_seconds(stamp, year) * PL_NS_PER_S + stamp->fraction_ns;
}

static void copy_word(char *to, const char *from, size_t len)
{
	if (len >= HOST_LOG_WORD_BYTES)
		len = HOST_LOG_WORD_BYTES - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/* "(EngineCore pid=12) ", "(VllmWorker TP0 pid=12) ", "(RayWorkerWrapper pid=12, ip=10.0.0.1) " */
static bool take_speaker(struct host_log_line *line)
{
	const char *text = line->body;

	if (text[0] != '(')
		return false;
	/* Names of processes are short: a bracket further on belongs to the message. */
	const char *end = memchr(text, ')', strnlen(text, SPEAKER_BYTES_MAX));
	const char *pid = end != NULL ? memmem(text, (size_t)(end - text), "pid=", 4) : NULL;
	if (pid == NULL || !isdigit((unsigned char)pid[4]))
		return false;
	size_t len = (size_t)(pid - text) - 1;
	while (len > 0 && text[len] == ' ')
		len--;
	if (len > 0)
		copy_word(line->speaker, text + 1, len);
	line->body = end + 1;
	take_char(&line->body, " ");
	return true;
}

/* "[rank0]:", "[rank0]: " of torch */
static bool take_rank(struct host_log_line *line)
{
	const char *at = line->body;

	if (!pl_text_starts(at, "[rank"))
		return false;
	for (at += 5; isdigit((unsigned char)*at); at++)
		;
	if (!pl_text_starts(at, "]:"))
		return false;
	line->body = at + 2;
	take_char(&line->body, " ");
	return true;
}

/* "vllm-1  | " of docker compose */
static bool take_container(struct host_log_line *line)
{
	const char *at = line->body;

	if (!isalpha((unsigned char)*at))
		return false;
	while (isalnum((unsigned char)*at) || strchr("-_.", *at) != NULL) {
		if (*at++ == '\0')
			return false;
	}
	if (*at != ' ')
		return false;
	while (*at == ' ')
		at++;
	if (at[0] != '|' || (at[1] != ' ' && at[1] != '\0'))
		return false;
	line->body = at + 1;
	take_char(&line->body, " ");
	return true;
}

/* "Z", "+01:00", "+0100": left out of account, as all stamps of a log are in one zone */
static void skip_zone(const char **at)
{
	int ignored;
	const char *zone = *at;

	if (take_char(&zone, "Z")) {
		*at = zone;
		return;
	}
	if (!take_char(&zone, "+-") || !take_number(&zone, 2, &ignored))
		return;
	take_char(&zone, ":");
	if (take_number(&zone, 2, &ignored))
		*at = zone;
}

/* "2026-01-02T03:04:05.678Z stdout F ", "2026-01-02 03:04:05,678 - " */
static bool take_iso_stamp(struct host_log_line *line, int64_t real_ns)
{
	const char *at = line->body;
	struct stamp stamp = { 0 };

	if (!take_number(&at, 4, &stamp.year) || !take_char(&at, "-") ||
	    !take_number(&at, 2, &stamp.month) || !take_char(&at, "-") ||
	    !take_number(&at, 2, &stamp.day) || !take_char(&at, "T ") || !take_clock(&at, &stamp) ||
	    stamp.year < YEAR_MIN || stamp.year > YEAR_MAX || !is_date(&stamp))
		return false;
	set_stamp(line, &stamp, real_ns);
	skip_zone(&at);
	take_char(&at, " \t");
	if (pl_text_starts(at, "stdout ") || pl_text_starts(at, "stderr ")) {
		at += 7;
		if (pl_text_starts(at, "F ") || pl_text_starts(at, "P "))
			at += 2;
	} else if (pl_text_starts(at, "- ")) {
		at += 2;
	}
	line->body = at;
	return true;
}

static const struct {
	const char *word;
	enum host_log_level level;
} levels[] = {
	{ "TRACE", HOST_LOG_QUIET },  { "DEBUG", HOST_LOG_QUIET },     { "INFO", HOST_LOG_QUIET },
	{ "NOTICE", HOST_LOG_QUIET }, { "WARNING", HOST_LOG_WARNING }, { "WARN", HOST_LOG_WARNING },
	{ "ERROR", HOST_LOG_ERROR },  { "CRITICAL", HOST_LOG_ERROR },  { "FATAL", HOST_LOG_ERROR },
};

static bool find_level(const char *word, size_t len, enum host_log_level *ret)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(levels); i++) {
		if (strlen(levels[i].word) == len && strncasecmp(levels[i].word, word, len) == 0) {
			*ret = levels[i].level;
			return true;
		}
	}
	return false;
}

/* "[core.py:133] ", "core.py:133] " (older), "worker.py:1771 -- " (Ray) */
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
	take_char(&number, " ");
	return number;
}

/* "INFO 07-22 12:00:00 [x.py:12] ", "INFO:     ", "INFO\tworker.py:12 -- ", "INFO - x.py:12 - " */
static bool take_level(struct host_log_line *line, int64_t real_ns)
{
	const char *at = line->body;
	struct stamp stamp = { 0 };
	size_t len = 0;

	while (isupper((unsigned char)at[len]))
		len++;
	enum host_log_level level;
	if (len == 0 || at[len] == '\0' || strchr(": \t", at[len]) == NULL ||
	    !find_level(at, len, &level))
		return false;
	at += len;
	/* uvicorn's form, which has neither time nor source. */
	if (*at == ':') {
		for (at++; *at == ' '; at++)
			;
	} else {
		at++;
		const char *when = at;
		if (take_number(&when, 2, &stamp.month) && take_char(&when, "-") &&
		    take_number(&when, 2, &stamp.day) && take_char(&when, " ") &&
		    take_clock(&when, &stamp) && is_date(&stamp)) {
			take_char(&when, " ");
			set_stamp(line, &stamp, real_ns);
			at = when;
		} else if (pl_text_starts(at, "- ")) {
			at += 2;
		}
		at = skip_source(at, line);
	}
	line->level = level;
	line->body = at;
	return true;
}

/* "[E1121 02:32:50.142952055 utils.cpp:68] " of C++, "E1121 02:32:50.142952 12 x.py:1] " */
static bool take_glog(struct host_log_line *line, int64_t real_ns)
{
	const char *at = line->body, *end;
	struct stamp stamp = { 0 };
	int date;

	take_char(&at, "[");
	const char *letter = *at != '\0' ? strchr("DIWEF", *at) : NULL;
	if (letter == NULL)
		return false;
	at++;
	if (!take_number(&at, 4, &date) && !take_number(&at, 3, &date))
		return false;
	stamp.month = date / 100;
	stamp.day = date % 100;
	if (!take_char(&at, " ") || !take_clock(&at, &stamp) || !is_date(&stamp))
		return false;
	end = strstr(at, "] ");
	if (end == NULL)
		return false;
	set_stamp(line, &stamp, real_ns);
	line->level = *letter == 'W'                     ? HOST_LOG_WARNING
		      : *letter == 'E' || *letter == 'F' ? HOST_LOG_ERROR
							 : HOST_LOG_QUIET;
	line->body = end + 2;
	return true;
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

/* {"log": "…", "time": "…"} of docker, {"level": "INFO", "message": "…"} of a JSON formatter */
static bool take_json(char *text, struct host_log_line *line, int64_t real_ns)
{
	static const char *const messages[] = { "message", "msg", "log", "event", "text", NULL };
	static const char *const level_names[] = { "level", "levelname", "severity", NULL };
	static const char *const times[] = { "timestamp", "asctime", "time", "ts", NULL };
	size_t len = strlen(text);

	if (line->body != text || text[0] != '{' || text[len - 1] != '}')
		return false;
	auto_json json_t *json = json_loads(text, 0, NULL);
	const char *message = member(json, messages), *level = member(json, level_names);
	const char *time = member(json, times);
	if (message == NULL || strlen(message) > len)
		return false;
	if (level != NULL)
		find_level(level, strlen(level), &line->level);
	if (time != NULL) {
		struct host_log_line stamp = { .body = time };
		if (take_iso_stamp(&stamp, real_ns)) {
			line->stamped = true;
			line->stamp_ns = stamp.stamp_ns;
		}
	}
	/* decoded it is shorter than it was */
	size_t used = strlen(message);
	memmove(text, message, used + 1);
	while (used > 0 && isspace((unsigned char)text[used - 1]))
		text[--used] = '\0';
	host_log_line_clean(text, used);
	line->body = text;
	return true;
}

/* A line may begin where a progress bar of another process stands: "… 20.10it/s](Worker pid=1) INFO
 * …" */
static void skip_progress(struct host_log_line *line)
{
	const char *at = strstr(line->body, "/s](");

	if (at == NULL)
		at = strstr(line->body, "s/it](");
	if (at != NULL)
		line->body = strchr(at, '(');
}

void host_log_line_read(char *text, int64_t real_ns, struct host_log_line *ret)
{
	*ret = (struct host_log_line){ .body = text };
	if (text[0] == '{')
		take_json(text, ret, real_ns);
	skip_progress(ret);
	/*
	 * In any order and any number: each writer puts its own in front of what it was given. A
	 * level may be said twice; the innermost is the one that the message's own logger gave it.
	 */
	for (unsigned i = 0; i < PREFIXES_MAX; i++) {
		if (!take_speaker(ret) && !take_rank(ret) && !take_iso_stamp(ret, real_ns) &&
		    !take_level(ret, real_ns) && !take_glog(ret, real_ns) && !take_container(ret))
			break;
	}
}
