/*
 * What the kernel tells of a process in /proc/PID/stat.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct host_proc {
	pid_t pid;
	pid_t parent;
	pid_t group;
	pid_t session;
	char state;           /* R S D Z …: proc(5) */
	uint64_t start_ticks; /* since boot: with the pid it names one process for ever */
	double cpu_ticks;     /* user and system time */
	double threads;
	double resident_pages;
};

/* False: there is none. */
bool host_proc_read(pid_t pid, struct host_proc *ret);
/* The same from its file /proc/PID/stat, which may stay open: it fails once that process is gone. */
bool host_proc_read_fd(int fd, pid_t pid, struct host_proc *ret);
/* The next number in /proc, which is open as `dir` (NULL: there is none). */
bool host_proc_next(DIR *dir, pid_t *ret);
/* Everything in /proc, in the order of the numbers; *ret: free(). Returns how many. */
size_t host_proc_list(struct host_proc **ret);
/* Where the process stands in such a list; `count`: it does not. */
size_t host_proc_find(const struct host_proc *list, size_t count, pid_t pid);
/* Is the process, or one that it comes from, `above`? As far as they can be seen: else true. */
bool host_proc_may_descend(pid_t pid, pid_t above);
/* Ended: it only waits for its parent to look. */
bool host_proc_is_dead(const struct host_proc *proc);
/* Signals the process that was listed, and no later one of the same number. False: it is gone. */
bool host_proc_signal(const struct host_proc *proc, int signal_number);
