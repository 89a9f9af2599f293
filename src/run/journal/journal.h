/*
 * OUTPUT.journal: the state of a run while it is active, so that a killed run is not lost.
 *
 *	stages ──document so far──┐
 *	                          ├──> lines ── write() ──> OUTPUT.journal
 *	feed ── a thread's ticks ─┘             fdatasync() once a second, by another thread
 *
 * - Its lines are those of the artifacts, each after a checksum (run/journal/line.h). A record is written once, when
 *   its request has finished, by the thread that reads the feed.
 * - It belongs to the process that holds its lock (fcntl, so a child does not inherit it). It is removed when the
 *   result is in place.
 * - The outcome of a request is in the file within RUN_JOURNAL_WRITE_NS, so it survives the process. After at most
 *   RUN_JOURNAL_SYNC_NS more, fdatasync() starts; when that has returned, it survives the host.
 * - A full disk ends the run (run_journal_ends()), because its result could not be written either. On any other error,
 *   the journal logs it once and writes nothing more.
 * - All functions except open and free accept NULL and do nothing: a run without a journal.
 */
#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "bench/load/load.h"
#include "result/document.h"

#include <stdbool.h>

#define RUN_JOURNAL_WRITE_NS (100 * PL_NS_PER_MS)
#define RUN_JOURNAL_SYNC_NS  PL_NS_PER_S

struct run_journal;
struct run_stop;
/*
 * Locks the journal of `output` without writing. Returns -1 with PL_ERR_BUSY if a live run owns it, or PL_ERR_INVALID
 * if a killed run left it and its result was not recovered; `overwrite` discards that one with the first line.
 */
int run_journal_open(const char *output, bool overwrite, struct run_journal **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* Closes the journal. Removes the file if nothing was ever written to it. */
void run_journal_free(struct run_journal *journal);
PL_AUTO_DEFINE(struct run_journal, run_journal_free);
#define auto_journal PL_AUTO(run_journal_free)

/* Lets a full disk (ENOSPC, EDQUOT) ask `stop`, borrowed, to end the run. Without this call it is only logged. */
void run_journal_ends(struct run_journal *journal, struct run_stop *stop);
/* Returns the error of the full disk that ended the run; NULL: none. */
const struct pl_err *run_journal_full(const struct run_journal *journal);
/* Returns whether `profllm recover` can use it. It cannot if the disk was full at the first stage. */
bool run_journal_recovers(const struct run_journal *journal);

/*
 * Writes the first lines, which replace the file's former content. separate: the run's files are not at its
 * output (run/paths.h).
 */
void run_journal_head(struct run_journal *journal, const char *run_id, bool separate,
		      int64_t started_real_ns, int64_t started_ns);
/*
 * Records that the run has reached a stage; document: the result so far (run_document_so_far()), taken. Does nothing if
 * both are unchanged.
 */
void run_journal_stage(struct run_journal *journal, enum res_stage stage, json_t *document);
/* Records the planned requests and how metrics will be computed; `how` is taken. */
void run_journal_load(struct run_journal *journal, const struct bench_request *requests,
		      size_t count, json_t *how);
/* Records that the run is alive, at most once per second. */
void run_journal_alive(struct run_journal *journal);

/* A thread writes the records of the feed, until unfollow, which writes the remaining ones. */
void run_journal_follow(struct run_journal *journal, struct bench_feed *feed);
void run_journal_unfollow(struct run_journal *journal);

/* Removes the journal when the result is in place. */
void run_journal_remove(struct run_journal *journal);
