/*
 * From the journal of a run that was killed to its result.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "vllm/bench_options.h"

#include <stdbool.h>

struct run_recovered {
	json_t *result;
	char *path;       /* where it stands: OUTPUT, or beside it where that holds a better one */
	size_t count;     /* requests of the plan */
	size_t over;      /* those of which the journal holds the end */
	size_t cut_bytes; /* at the journal's end: a torn last line, or what follows */
	size_t damaged_line; /* this one; 0: none is damaged */
	bool was_whole;      /* the result was there already: only the journal was left */
	bool no_journal;     /* nor was that: there was nothing to do */
};

/*
 * Writes OUTPUT and its requests file from OUTPUT.journal and removes that; what stands at OUTPUT
 * and tells more stays, and the result goes beside it (run/replace.h). First waits until the
 * server of that run, which is being stopped, has ended. A finished result without a journal is given
 * back as it is. -1: there is neither, the journal cannot be read, or its run lives: nothing was
 * changed.
 */
int run_recover(const char *output, struct run_recovered *ret, struct pl_err *err) PL_MUST_CHECK;
void run_recovered_done(struct run_recovered *recovered);

/* The options that the console table and the pictures of a result are made with; *ret:
 * vllm_bench_done(). */
void run_recovered_bench(const json_t *result, struct vllm_bench *ret);
