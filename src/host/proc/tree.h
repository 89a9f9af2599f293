/*
 * The processes of a run and what they use: all that carry its mark (host/proc/mark.h) and their
 * children, however deep and in whatever session.
 *
 * - What was there when the tree was made is not of the run. New processes are looked for by
 *   host_proc_tree_scan(): one that lives shorter than the time between two scans may go unseen.
 * - A process is held by its open /proc files, so a number that is given out again is no mix-up.
 * - Counters of processes that ended stay in the sums: sums never fall.
 * - One thread at a time.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>
#include <sys/types.h>

struct host_proc_tree;
struct host_proc_tree *host_proc_tree_new(const char *run_id);
void host_proc_tree_free(struct host_proc_tree *tree);
PL_AUTO_DEFINE(struct host_proc_tree, host_proc_tree_free);
#define auto_proc_tree PL_AUTO(host_proc_tree_free)

/* Looks for new processes and counts open files. */
void host_proc_tree_scan(struct host_proc_tree *tree);
/* The process and all its children to come are not counted, whatever mark they carry. */
void host_proc_tree_leave_out(struct host_proc_tree *tree, pid_t pid);
bool host_proc_tree_holds(const struct host_proc_tree *tree, pid_t pid);

/* NaN: not known, as of all of them where one cannot be read. */
struct host_proc_use {
	double processes;
	double cpu_s; /* since each began, ended ones included; 10 ms fine */
	/* of cpu_s, what grew since the read before, found processes' past left out */
	double cpu_grown_s;
	double memory_bytes;
	double threads;
	double open_files; /* at the last scan */
	double read_grown_bytes;
	double written_grown_bytes;
};

void host_proc_tree_read(struct host_proc_tree *tree, struct host_proc_use *ret);
