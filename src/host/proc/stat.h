/* Data about a process from /proc/PID/stat. */
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
	char state; /* R S D Z …: proc(5) */
	/* since boot: together with the pid it identifies a process uniquely */
	uint64_t start_ticks;
	double cpu_ticks; /* user and system time */
	double threads;
	double resident_pages;
};

/* Returns false if the process does not exist. */
bool host_proc_read(pid_t pid, struct host_proc *ret);
/* Reads its open file /proc/PID/stat, which fails once that process has ended. */
bool host_proc_read_fd(int fd, pid_t pid, struct host_proc *ret);
/* Returns the next pid in /proc, open as `dir` (NULL: returns false). */
bool host_proc_next(DIR *dir, pid_t *ret);
/*
 * Lists all processes in /proc in order of their pids; free *ret with free(). Returns their number.
 */
size_t host_proc_list(struct host_proc **ret);
/* Returns the index of the process in such a list; `count`: not in it. */
size_t host_proc_find(const struct host_proc *list, size_t count, pid_t pid);
/*
 * Returns whether the process is, or descends from, `above`. Returns true if its ancestors are not
 * visible.
 */
bool host_proc_may_descend(pid_t pid, pid_t above);
/* Returns whether it has ended and only waits to be reaped. */
bool host_proc_is_dead(const struct host_proc *proc);
/*
 * Signals the listed process, but not a later one with the same pid. Returns false if it has ended.
 */
bool host_proc_signal(const struct host_proc *proc, int signal_number);
