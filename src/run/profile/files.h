/*
 * The trace files of a directory: those that appeared after it was first looked at, whether they are complete, and
 * their move to the result, in whose directory artifacts are.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_TRACES_MAX 256

struct run_trace {
	char *name;      /* in the directory */
	int64_t bytes;   /* when it was last looked at */
	int64_t rank;    /* -1: unknown */
	int64_t checked; /* bytes when it was last read; -1: never */
	bool is_whole;   /* it was complete then */
	char *path;      /* next to the result; NULL: not moved */
};

struct run_traces {
	char *dir;
	struct run_trace *items; /* by rank, then by name, after run_traces_move() */
	size_t count;
	size_t room;
	char **old; /* names that the directory had before */
	size_t old_count;
	size_t old_room;
	bool is_full; /* it has more than RUN_TRACES_MAX new files */
};

/* Notes the files that a directory has; one that does not exist has none. */
void run_traces_begin(const char *dir, struct run_traces *ret);
void run_traces_done(struct run_traces *traces);

/* Looks for new files and changed sizes. Returns whether anything has changed since the last look. */
bool run_traces_look(struct run_traces *traces);
/*
 * Returns the first file that is not complete, NULL if all are: a JSON trace needs its end, compressed or not; a
 * file that Nsight Systems is still converting never is; of others nothing is known.
 */
const char *run_traces_find_incomplete(struct run_traces *traces);
/*
 * Moves the files to "STEM.ID.NAME" for the result STEM.json; `copies` leaves them where they are, too. Returns -1 for
 * the first that could not be moved, and moves the others anyway.
 */
int run_traces_move(struct run_traces *traces, const char *result, const char *run_id, bool copies,
		    struct pl_err *err) PL_MUST_CHECK;
