#include "run/client/vllm_watch.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/log/server_log.h"

/*
 * Parts of the lines that the client writes at the end of its warm-ups, at the end of its load, and when the server has
 * started the profiler:
 */
#define BEGIN_LINE     "Starting main benchmark run"
#define OVER_LINE      "Serving Benchmark Result"
#define PROFILE_LINE   "Profiler started"
#define READ_BYTES     65536
#define LINE_BYTES_MAX 4096
#define WINDOW_NS_MIN  PL_NS_PER_S
#define STAT_BYTES     1024
#define IDLE_SHARE     0.005
/* The index of the field in /proc/PID/stat after the program's name: state, parent, … */
#define STAT_UTIME 11

struct cpu_sample {
	int64_t t_ns;
	double cpu_s;
};

struct run_vllm_watch {
	pid_t pid;
	const char *log;
	off_t read; /* bytes of the log that were read */
	char line[LINE_BYTES_MAX];
	size_t line_len;
	bool begun;
	bool over;
	bool profiled;
	bool has_children;
	struct cpu_sample *samples;
	size_t count;
	size_t room;
};

struct run_vllm_watch *run_vllm_watch_new(pid_t pid, const char *log)
{
	struct run_vllm_watch *watch = pl_alloc(sizeof(*watch));

	watch->pid = pid;
	watch->log = log;
	return watch;
}

void run_vllm_watch_free(struct run_vllm_watch *watch)
{
	if (watch == NULL)
		return;
	free(watch->samples);
	free(watch);
}

/* A part that was found stays found: lines come in order and are read once. */
static void take_line(struct run_vllm_watch *watch)
{
	watch->line[watch->line_len] = '\0';
	watch->begun = watch->begun || strstr(watch->line, BEGIN_LINE) != NULL;
	watch->over = watch->over || strstr(watch->line, OVER_LINE) != NULL;
	watch->profiled = watch->profiled || strstr(watch->line, PROFILE_LINE) != NULL;
	watch->line_len = 0;
}

static void follow(struct run_vllm_watch *watch)
{
	auto_fd int fd = open(watch->log, O_RDONLY | O_CLOEXEC);
	char bytes[READ_BYTES];
	ssize_t got;

	while (fd >= 0 && (got = pread(fd, bytes, sizeof(bytes), watch->read)) > 0) {
		watch->read += got;
		for (ssize_t i = 0; i < got; i++) {
			/* tqdm redraws its bar with \r */
			if (bytes[i] == '\n' || bytes[i] == '\r' ||
			    watch->line_len == LINE_BYTES_MAX - 1)
				take_line(watch);
			if (bytes[i] != '\0')
				watch->line[watch->line_len++] = bytes[i];
		}
	}
}

/*
 * Returns the CPU time of the main thread; NaN: it has ended. The client's event loop runs in it: at a share of 1 the
 * client cannot send faster, whatever cores are idle.
 */
static double cpu_s_of(pid_t pid)
{
	char path[64], text[STAT_BYTES];
	unsigned long user = 0, system = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)pid);
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (len <= 0)
		return NAN;
	text[len] = '\0';
	/* a program's name may contain blanks and parentheses, so fields count from the last parenthesis */
	char *at = strrchr(text, ')');
	for (int i = 0; at != NULL && i <= STAT_UTIME; i++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	if (at == NULL)
		return NAN;
	user = strtoul(at, &at, 10);
	system = strtoul(at, &at, 10);
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static bool has_children(pid_t pid)
{
	char path[64], byte;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, &byte, 1) > 0;
}

void run_vllm_watch_look(struct run_vllm_watch *watch)
{
	struct cpu_sample sample = { .t_ns = pl_clock_now_ns(), .cpu_s = cpu_s_of(watch->pid) };

	follow(watch);
	/* children during startup may have nothing to do with the load */
	watch->has_children = watch->has_children || (watch->begun && has_children(watch->pid));
	if (isnan(sample.cpu_s))
		return;
	*PL_PUSH(watch->samples, watch->count, watch->room) = sample;
}

bool run_vllm_watch_begun(const struct run_vllm_watch *watch)
{
	return watch->begun;
}

bool run_vllm_watch_over(const struct run_vllm_watch *watch)
{
	return watch->over;
}

bool run_vllm_watch_profiled(const struct run_vllm_watch *watch)
{
	return watch->profiled;
}

double run_vllm_watch_cpu_share(const struct run_vllm_watch *watch, int64_t from_ns, int64_t to_ns)
{
	const struct cpu_sample *first = NULL, *last = NULL;

	for (size_t i = 0; i < watch->count; i++) {
		const struct cpu_sample *sample = &watch->samples[i];
		if (sample->t_ns >= from_ns && first == NULL)
			first = sample;
		if (sample->t_ns <= to_ns)
			last = sample;
	}
	if (first == NULL || last == NULL || last->t_ns - first->t_ns < WINDOW_NS_MIN)
		return NAN;
	double share = (last->cpu_s - first->cpu_s) / ((double)(last->t_ns - first->t_ns) / 1e9);
	/* a shell that only waits for the program it started */
	return watch->has_children && share < IDLE_SHARE ? NAN : share;
}

json_t *run_vllm_log_tail(const char *log, size_t count)
{
	struct host_server_log *lines = host_server_log_new(count);

	if (host_server_log_follow(lines, log, PL_ERR_IGNORED) == 0)
		host_server_log_end(lines);
	json_t *tail = host_server_log_tail(lines);
	host_server_log_free(lines);
	return tail;
}
