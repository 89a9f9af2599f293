#include "host/proc/stat.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"

#define STAT_BYTES 1024

/* The name is in parentheses and may itself contain parentheses and spaces. */
static bool parse(const char *text, pid_t pid, struct host_proc *ret)
{
	const char *after = strrchr(text, ')');
	struct host_proc proc = { .pid = pid };
	double user_ticks, system_ticks;
	unsigned long long start;

	/* the values are numbered in proc(5): state is the 3rd, utime the 14th, rss the 24th */
	if (after == NULL ||
	    sscanf(after + 1,
		   " %c %d %d %d %*s %*s %*s %*s %*s %*s %*s %lf %lf %*s %*s %*s %*s %lf %*s %llu "
		   "%*s %lf",
		   &proc.state, &proc.parent, &proc.group, &proc.session, &user_ticks,
		   &system_ticks, &proc.threads, &start, &proc.resident_pages) != 9)
		return false;
	proc.start_ticks = start;
	proc.cpu_ticks = user_ticks + system_ticks;
	*ret = proc;
	return true;
}

bool host_proc_read_fd(int fd, pid_t pid, struct host_proc *ret)
{
	char text[STAT_BYTES];
	ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (got <= 0)
		return false;
	text[got] = '\0';
	return parse(text, pid, ret);
}

bool host_proc_read(pid_t pid, struct host_proc *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	return host_proc_read_fd(fd, pid, ret);
}

bool host_proc_next(DIR *dir, pid_t *ret)
{
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL) {
		if (!isdigit((unsigned char)name[0]))
			continue;
		*ret = (pid_t)strtol(name, NULL, 10);
		return true;
	}
	return false;
}

size_t host_proc_list(struct host_proc **ret)
{
	auto_dir dir = opendir("/proc");
	struct host_proc *list = NULL, proc;
	size_t count = 0, room = 0;
	pid_t pid;

	while (host_proc_next(dir, &pid)) {
		if (host_proc_read(pid, &proc))
			*PL_PUSH(list, count, room) = proc;
	}
	*ret = list;
	return count;
}

/*
 * The kernel lists /proc in the order of the numbers (next_tgid() in fs/proc/base.c), so halving
 * finds one.
 */
size_t host_proc_find(const struct host_proc *list, size_t count, pid_t pid)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && list[low].pid == pid ? low : count;
}

bool host_proc_may_descend(pid_t pid, pid_t above)
{
	struct host_proc proc;

	/* Up to init: looks up parents one at a time, any of which may end in the meantime. */
	while (pid > 1) {
		if (pid == above || !host_proc_read(pid, &proc))
			return true;
		pid = proc.parent;
	}
	return false;
}

bool host_proc_is_dead(const struct host_proc *proc)
{
	return proc->state == 'Z' || proc->state == 'X';
}

/*
 * The only safe way to signal a process by its pid, which may be reused: open a descriptor, check
 * the start time, then signal through the descriptor.
 */
bool host_proc_signal(const struct host_proc *proc, int signal_number)
{
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, proc->pid, 0);
	struct host_proc now;

	/*
	 * the descriptor refers to the current process with that pid: check that it is the intended
	 * one
	 */
	if (pidfd < 0 || !host_proc_read(proc->pid, &now) || now.start_ticks != proc->start_ticks)
		return false;
	return syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0) == 0;
}
