#include "host/mark.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"

#define ENVIRON_BYTES_MAX (4u << 20)
#define LOOK_AGAIN_NS     (10 * PL_NS_PER_MS)

static bool carries_mark(pid_t pid, const char *mark)
{
	char path[64];
	auto_free char *env = NULL;
	size_t len = 0;
	struct pl_err err = PL_ERR_INIT;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	/* a zombie's is empty; another user's cannot be read and is not ours */
	if (pl_file_read(path, ENVIRON_BYTES_MAX, &env, &len, &err) < 0)
		return false;
	for (size_t at = 0; at < len; at += strlen(env + at) + 1) {
		if (strcmp(env + at, mark) == 0)
			return true;
	}
	return false;
}

/* Signal 0 only counts. */
static size_t for_each_marked(const char *run_id, int signal_number)
{
	auto_free char *mark = pl_asprintf("%s=%s", HOST_MARK_NAME, run_id);
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid == getpid() || !carries_mark(pid, mark))
			continue;
		count++;
		if (signal_number != 0)
			kill(pid, signal_number);
	}
	if (dir != NULL)
		closedir(dir);
	return count;
}

size_t host_mark_count(const char *run_id)
{
	return for_each_marked(run_id, 0);
}

size_t host_mark_kill(const char *run_id, int64_t timeout_ns)
{
	int64_t due_ns = pl_clock_now_ns() + timeout_ns;
	size_t left;

	while ((left = for_each_marked(run_id, SIGKILL)) > 0 && pl_clock_now_ns() < due_ns)
		pl_clock_sleep_until(pl_clock_now_ns() + LOOK_AGAIN_NS);
	return left;
}
