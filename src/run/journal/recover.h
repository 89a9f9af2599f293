/* Makes the result of a killed run from its journal. */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "vllm/bench_options.h"

#include <stdbool.h>

struct run_recovered {
	json_t *result;
	char *path;   /* OUTPUT, or a name next to it if OUTPUT holds a better result */
	size_t count; /* planned requests */
	size_t over;  /* requests whose end is in the journal */
	size_t cut_bytes; /* ignored at the journal's end: a torn last line, or everything from a damaged line on */
	size_t damaged_line; /* the damaged line; 0: none */
	bool was_whole;      /* the result existed already: only the journal remained */
	bool no_journal;     /* the result existed, without a journal: there was nothing to do */
};

/*
 * Writes OUTPUT and its requests file from OUTPUT.journal and removes the journal. A more complete result at OUTPUT
 * stays, and this one is written next to it (run/replace.h). First waits until the stopping server of that run has
 * ended. Returns a finished result without a journal as it is. Returns -1 if there is neither, the journal cannot be
 * read, or its run is still alive: nothing was changed.
 */
int run_recover(const char *output, struct run_recovered *ret, struct pl_err *err) PL_MUST_CHECK;
void run_recovered_done(struct run_recovered *recovered);

/* The options for the console table and the charts of a result; *ret: vllm_bench_done(). */
void run_recovered_bench(const json_t *result, struct vllm_bench *ret);
