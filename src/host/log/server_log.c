#include "host/log/server_log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "host/log/causes.h"
#include "host/log/facts.h"
#include "host/log/line.h"

#define LINE_BYTES_MAX      16384
#define READ_BYTES          65536
#define TAIL_LINE_BYTES_MAX 2048
#define TAIL_BYTES_MAX      (16u << 20)
/* Maximum size of unread text that is searched for the cause of a death. */
#define BACKLOG_BYTES_MAX (8u << 20)

/* A ring of lines: [first, first + count) modulo room. */
struct tail {
	char **lines;
	size_t room;
	size_t first;
	size_t count;
	size_t bytes;
};

/*
 *    file ──pread──> bytes ──feed──> line (cleaned) ──> causes: all of its life
 *                       |                          └──> phases, facts: until it listens
 *                       └─ "\r": the next state of a progress bar overwrites this one
 *
 * The log is read while it is written, so any piece may end in the middle of a line.
 */
struct host_server_log {
	int fd; /* -1: not opened yet */
	off_t offset;
	struct host_log_time seen; /* the last bytes */
	char line[LINE_BYTES_MAX + 1];
	size_t line_len;
	bool after_return; /* the line's last byte was a carriage return */
	bool ready;        /* it is known to answer */
	bool in_backlog;   /* up to the next line break it is half a line */
	struct host_log_moment moments[HOST_LOG_PHASE_COUNT];
	struct host_log_facts facts;
	struct host_log_causes causes;
	struct tail tail;
};

struct host_server_log *host_server_log_new(size_t tail_lines)
{
	struct host_server_log *log = pl_alloc(sizeof(*log));

	log->fd = -1;
	log->tail.room = tail_lines;
	log->tail.lines = pl_alloc_array(tail_lines + 1, sizeof(*log->tail.lines));
	return log;
}

static void tail_drop(struct tail *tail)
{
	char *line = tail->lines[tail->first];

	tail->bytes -= strlen(line) + 1;
	free(line);
	tail->first = (tail->first + 1) % tail->room;
	tail->count--;
}

void host_server_log_free(struct host_server_log *log)
{
	if (log == NULL)
		return;
	while (log->tail.count > 0)
		tail_drop(&log->tail);
	free(log->tail.lines);
	host_log_facts_done(&log->facts);
	pl_fd_close(&log->fd);
	free(log);
}

static void tail_add(struct tail *tail, const char *text, size_t len)
{
	if (len > TAIL_LINE_BYTES_MAX)
		len = TAIL_LINE_BYTES_MAX;
	if (tail->room == 0)
		return;
	while (tail->count == tail->room ||
	       (tail->count > 0 && tail->bytes + len + 1 > TAIL_BYTES_MAX))
		tail_drop(tail);
	tail->lines[(tail->first + tail->count) % tail->room] = pl_strndup(text, len);
	tail->count++;
	tail->bytes += len + 1;
}

static void take_phases(struct host_server_log *log, const struct host_log_line *line,
			const struct host_log_time *seen)
{
	bool before[HOST_LOG_PHASE_COUNT];

	for (size_t i = 0; i < HOST_LOG_PHASE_COUNT; i++)
		before[i] = log->moments[i].reached;
	host_log_phases_take(log->moments, line, seen);
	/* The first line of all reaches nothing that could be survived. */
	for (size_t i = HOST_LOG_FIRST_LINE + 1; i < HOST_LOG_PHASE_COUNT; i++) {
		if (log->moments[i].reached && !before[i])
			host_log_causes_reach(&log->causes, (enum host_log_phase)i);
	}
}

/* overwritten: the next state of a progress bar replaces this line. */
static void take_line(struct host_server_log *log, bool overwritten,
		      const struct host_log_time *seen)
{
	struct host_log_line line;
	size_t len = host_log_line_clean(log->line, log->line_len);
	bool blank = log->line[strspn(log->line, " \t")] == '\0';

	log->line_len = 0;
	log->after_return = false;
	if (!overwritten)
		tail_add(&log->tail, log->line, len);
	if (blank)
		return;
	bool listening = host_server_log_is_listening(log);
	host_log_line_read(log->line, seen->real_ns, &line);
	do {
		host_log_causes_take(&log->causes, &line, listening);
		if (!listening) {
			take_phases(log, &line, seen);
			host_log_facts_take(&log->facts, &line);
			listening = host_server_log_is_listening(log);
		}
	} while (host_log_line_next(&line, seen->real_ns));
}

void host_server_log_feed(struct host_server_log *log, const char *data, size_t len,
			  const struct host_log_time *seen)
{
	log->seen = *seen;
	for (size_t i = 0; i < len; i++) {
		if (log->in_backlog) {
			log->in_backlog = data[i] != '\n';
			continue;
		}
		if (data[i] == '\n') {
			take_line(log, false, seen);
			continue;
		}
		if (data[i] == '\r') {
			log->after_return = true;
			continue;
		}
		/* Only now it is known that something follows: "\r\n" is one line end. */
		if (log->after_return)
			take_line(log, true, seen);
		if (log->line_len < LINE_BYTES_MAX)
			log->line[log->line_len++] = data[i];
	}
}

void host_server_log_end(struct host_server_log *log)
{
	if (log->line_len > 0)
		take_line(log, false, &log->seen);
}

static int open_log(struct host_server_log *log, const char *path, struct pl_err *err)
{
	if (log->fd >= 0)
		return 0;
	log->fd = open(path, O_RDONLY | O_CLOEXEC);
	return log->fd < 0 ? pl_err_errno(err, "could not open '%s'", path) : 0;
}

static void skip_backlog(struct host_server_log *log, off_t size)
{
	if (!host_server_log_is_listening(log) || size - log->offset <= BACKLOG_BYTES_MAX)
		return;
	log->offset = size - BACKLOG_BYTES_MAX;
	log->line_len = 0;
	log->after_return = false;
	log->in_backlog = true;
}

int host_server_log_follow(struct host_server_log *log, const char *path, struct pl_err *err)
{
	/* Reads both clocks once per call: lines since the last call are at most that old. */
	struct host_log_time seen = { .mono_ns = pl_clock_now_ns(), .real_ns = pl_clock_real_ns() };
	struct stat st;

	if (open_log(log, path, err) < 0)
		return -1;
	if (fstat(log->fd, &st) < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	auto_free char *bytes = NULL;
	while (log->offset < st.st_size) {
		skip_backlog(log, st.st_size);
		/*
		 * Only where there is something to read: followed many times a second, a log mostly
		 * has not grown.
		 */
		if (bytes == NULL)
			bytes = pl_alloc(READ_BYTES);
		ssize_t got = TEMP_FAILURE_RETRY(pread(log->fd, bytes, READ_BYTES, log->offset));
		if (got < 0)
			return pl_err_errno(err, "could not read '%s'", path);
		if (got == 0)
			break;
		log->offset += got;
		host_server_log_feed(log, bytes, (size_t)got, &seen);
	}
	return 0;
}

const struct host_log_moment *host_server_log_moment(const struct host_server_log *log,
						     enum host_log_phase phase)
{
	return &log->moments[phase];
}

int64_t host_server_log_phase_ns(const struct host_server_log *log, enum host_log_phase phase)
{
	return host_log_phases_ns(log->moments, phase);
}

bool host_server_log_is_listening(const struct host_server_log *log)
{
	return log->ready || log->moments[HOST_LOG_LISTENING].reached;
}

void host_server_log_set_ready(struct host_server_log *log)
{
	if (!host_server_log_is_listening(log))
		host_log_causes_reach(&log->causes, HOST_LOG_LISTENING);
	log->ready = true;
}

const char *host_server_log_engine(const struct host_server_log *log)
{
	return log->facts.text[HOST_FACT_engine_config];
}

json_t *host_server_log_facts(const struct host_server_log *log)
{
	return host_log_facts_json(&log->facts);
}

const char *host_server_log_cause_name(const struct host_server_log *log)
{
	return log->causes.cause;
}

const char *host_server_log_cause_quote(const struct host_server_log *log)
{
	return log->causes.cause != NULL ? log->causes.quote : NULL;
}

const char *host_server_log_hint(const struct host_server_log *log)
{
	return log->causes.cause != NULL ? log->causes.hint : NULL;
}

const char *host_server_log_exception(const struct host_server_log *log)
{
	return log->causes.exception_witness != HOST_LOG_NOBODY ? log->causes.exception : NULL;
}

/* Signals that users, schedulers and container runtimes send; crashes have their own signals. */
static bool is_requested(int signal_number)
{
	return signal_number == SIGKILL || signal_number == SIGTERM || signal_number == SIGINT ||
	       signal_number == SIGHUP;
}

const char *host_server_log_cause(const struct host_server_log *log, const struct host_death *death)
{
	const struct host_log_causes *causes = &log->causes;
	bool killed = death->signal_number == SIGKILL || causes->worker_killed;

	/*
	 * From the most to the least certain: a clear line of the log, the kernel's count of
	 * out-of-memory kills, a vague line, the signal, and the death itself.
	 */
	if (causes->witness > HOST_LOG_VAGUE)
		return causes->cause;
	if (death->oom_killed && killed)
		return "host_memory";
	if (causes->cause != NULL)
		return causes->cause;
	if (is_requested(death->signal_number))
		return "killed";
	if (death->signal_number != 0 || death->was_ready || host_server_log_is_listening(log))
		return "crashed";
	return "unknown";
}

json_t *host_server_log_tail(const struct host_server_log *log)
{
	const struct tail *tail = &log->tail;
	json_t *lines = json_array();
	size_t count = tail->count;

	for (; count > 0; count--) {
		const char *last = tail->lines[(tail->first + count - 1) % tail->room];
		if (last[strspn(last, " \t")] != '\0')
			break;
	}
	for (size_t i = 0; i < count; i++)
		json_array_append_new(lines,
				      pl_json_text(tail->lines[(tail->first + i) % tail->room]));
	return lines;
}
