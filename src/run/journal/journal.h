/*
 * OUTPUT.journal: what is known of a run while it goes on, so that a run that is killed is not lost.
 *
 *	stages ──document so far──┐
 *	                          ├──> lines ── write() ──> OUTPUT.journal
 *	feed ── a thread's ticks ─┘             fdatasync() once a second, by another thread
 *
 * - Its lines are those of the side files, with a sum before each (run/journal/line.h): a record's
 *   is written once, when the request is over, by the thread that takes the feed.
 * - Belongs to the process that holds its lock (fcntl, so that a child does not inherit it); removed
 *   when the result is in its place.
 * - What a request's end brought is in the file within RUN_JOURNAL_WRITE_NS: it outlives the process.
 *   Within RUN_JOURNAL_SYNC_NS more it is given to the disk, however long that takes: it outlives
 *   the host.
 * - A full disk ends the run (run_journal_ends()): its result could not be written either. Any other
 *   error does not: the journal logs it once and writes nothing more.
 * - All but open and free take NULL and do nothing: a run without one.
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
 * Takes the journal of `output` and writes nothing yet. -1 with PL_ERR_BUSY: a run that lives has
 * it; with PL_ERR_INVALID: a killed run left it and its result was not recovered; `overwrite` gives
 * that one up at the first line.
 */
int run_journal_open(const char *output, bool overwrite, struct run_journal **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* Closes. A file in which nothing was ever written goes, any other stays. */
void run_journal_free(struct run_journal *journal);
PL_AUTO_DEFINE(struct run_journal, run_journal_free);
#define auto_journal PL_AUTO(run_journal_free)

/* A full disk (ENOSPC, EDQUOT) asks `stop`, borrowed, to end the run. Without this call it only logs. */
void run_journal_ends(struct run_journal *journal, struct run_stop *stop);
/* The error of the full disk that ended the run; NULL: none did. */
const struct pl_err *run_journal_full(const struct run_journal *journal);
/* Does it hold what `profllm recover` needs? Not if the disk was full at the first stage. */
bool run_journal_recovers(const struct run_journal *journal);

/* The first lines: give up what the file held. beside: the run's files do not lie at its output
 * (run/paths.h). */
void run_journal_head(struct run_journal *journal, const char *run_id, bool beside,
		      int64_t started_real_ns, int64_t started_ns);
/* The run has come here; document: the result so far (run_document_so_far()), taken. Nothing where
 * both are as they were. */
void run_journal_stage(struct run_journal *journal, enum res_stage stage, json_t *document);
/* What will be sent, and how figures will be made of it; `how` is taken. */
void run_journal_load(struct run_journal *journal, const struct bench_request *requests,
		      size_t count, json_t *how);
/* The run lives: at most one line a second. */
void run_journal_alive(struct run_journal *journal);

/* A thread takes what the feed brings, until unfollow, which takes the rest. */
void run_journal_follow(struct run_journal *journal, struct bench_feed *feed);
void run_journal_unfollow(struct run_journal *journal);

/* The result is in its place: the journal has done its work. */
void run_journal_remove(struct run_journal *journal);
