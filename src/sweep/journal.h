/*
 * FOLDER/sweep.jsonl: the finished runs of a sweep, one per line, synced before the next run starts. A killed sweep
 * continues after its last complete line.
 *
 *	{"sweep": "swp_…", "profllm": "0.1.0"}                              the first line
 *	{"start": "SERVER", "log": "servers/….log"}                         a server is about to be started
 *	{"run": "KEY", "combination": "ID", "status": "completed", …}       a row of the summary; it replaces an
 *	                                                                    earlier row of the same run
 *	{"sent": "KEY"}                                                     its result was uploaded
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
	json_t *rows;   /* object: by the run's key, the last row of each */
	json_t *starts; /* object: number of starts per server */
	size_t started; /* total number of starts */
	json_t *sent;   /* object: by the run's key, those whose last result was uploaded */
};

/*
 * Opens or creates it. Returns -1 with BUSY if another process owns it, or INVALID if it exists without `resume`, or a
 * line does not belong to a sweep.
 */
int sweep_journal_open(const char *folder, bool resume, struct sweep_journal *ret,
		       struct pl_err *err) PL_MUST_CHECK;
/* The same for reading; it may be missing. */
int sweep_journal_look(const char *folder, struct sweep_journal *ret,
		       struct pl_err *err) PL_MUST_CHECK;
void sweep_journal_done(struct sweep_journal *journal);
#define auto_sweep_journal __attribute__((cleanup(sweep_journal_done), unused)) struct sweep_journal

/* On disk when it returns. */
int sweep_journal_start(struct sweep_journal *journal, const char *server, const char *log,
			struct pl_err *err) PL_MUST_CHECK;
/* Takes the row. */
int sweep_journal_row(struct sweep_journal *journal, const char *key, json_t *row,
		      struct pl_err *err) PL_MUST_CHECK;
int sweep_journal_sent(struct sweep_journal *journal, const char *key,
		       struct pl_err *err) PL_MUST_CHECK;
