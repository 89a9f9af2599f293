/*
 * The processes of a run and their resource use: all that carry its mark (host/proc/mark.h), and
 * their descendants in any session.
 *
 * - Processes that existed when the tree was created do not belong to the run.
 *   host_proc_tree_scan() looks for new processes: one that lives shorter than the time between two
 *   scans may be missed.
 * - A process is identified by its open /proc files, so a reused pid causes no confusion.
 * - Counters of ended processes remain in the sums: sums never decrease.
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
/* Excludes the process and its future children, whatever mark they carry. */
void host_proc_tree_leave_out(struct host_proc_tree *tree, pid_t pid);
/*
 * Includes the process and its present and future descendants, without a mark: of a container whose
 * processes belong to another user.
 */
void host_proc_tree_take_in(struct host_proc_tree *tree, pid_t pid);
bool host_proc_tree_holds(const struct host_proc_tree *tree, pid_t pid);

/* NaN: unknown; if one process cannot be read, the sum is unknown. */
struct host_proc_use {
	double processes;
	double cpu_s; /* since the start of each process, including ended ones; 10 ms resolution */
	/*
	 * growth of cpu_s since the previous reading, without the earlier time of newly found
	 * processes
	 */
	double cpu_grown_s;
	double memory_bytes;
	double threads;
	double open_files; /* at the last scan */
	double read_grown_bytes;
	double written_grown_bytes;
};

void host_proc_tree_read(struct host_proc_tree *tree, struct host_proc_use *ret);
