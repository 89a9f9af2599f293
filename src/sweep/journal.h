/*
 * FOLDER/sweep.jsonl: what of a sweep is over, a line each, given to the disk before the next run
 * starts. A sweep that is killed goes on behind its last whole line.
 *
 *	{"sweep": "swp_…", "profllm": "0.1.0"}               the first
 *	{"start": "SERVER", "log": "servers/….log"}          a server is about to be started
 *	{"run": "KEY", "combination": "ID", "status": "completed", …}   a row of the summary; a later one of the same
 *	                                                     run takes its place
 *	{"sent": "KEY"}                                      its result is at the dashboard
 *
 * It belongs to the process that holds its lock.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "result/files.h"

#define SWEEP_JOURNAL_NAME RES_SWEEP_JOURNAL

struct sweep_journal {
	int fd;
	char *path;
	char *id;       /* "swp_20260102_030405_0a1b2c" */
	json_t *rows;   /* object: by the run's key, the last of each */
	json_t *starts; /* object: how often each server was started */
	size_t started; /* all of them */
	json_t *sent;   /* object: by the run's key, those of whose last row the result was sent */
};

/*
 * Opens or begins it. -1: another process has it (BUSY); it is there, and `resume` is not wanted, or a
 * line of it is none of a sweep's (INVALID).
 */
int sweep_journal_open(const char *folder, bool resume, struct sweep_journal *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* The same to look at what is there, which need not be anything. */
int sweep_journal_look(const char *folder, struct sweep_journal *ret,
		       struct pl_err *err) PL_MUST_CHECK;
void sweep_journal_done(struct sweep_journal *journal);
#define auto_sweep_journal __attribute__((cleanup(sweep_journal_done), unused)) struct sweep_journal

/* On the disk when it returns. */
int sweep_journal_start(struct sweep_journal *journal, const char *server, const char *log,
			struct pl_err *err) PL_MUST_CHECK;
/* Takes the row. */
int sweep_journal_row(struct sweep_journal *journal, const char *key, json_t *row,
		      struct pl_err *err) PL_MUST_CHECK;
int sweep_journal_sent(struct sweep_journal *journal, const char *key,
		       struct pl_err *err) PL_MUST_CHECK;
