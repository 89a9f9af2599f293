/*
 * How a result takes the place of another. What stands at OUTPUT is not touched before the new
 * result is whole, and stays where it tells more than that one (result/standing.h):
 *
 *	while the run goes on     r.exp_….server.log, r.exp_….series.jsonl.zst, …
 *	at its end                r.exp_….requests.jsonl.zst, …
 *	it tells less             r.exp_….json, named like its side files; r.json is as it was
 *	it tells as much
 *	   1  r.json              written beside its place, synced, renamed over the old one
 *	   2  r.exp_….X           renamed to r.X, one after the other; those of the old result that the
 *	                          new one has none of are removed
 *	in both cases at last     r.json.journal removed
 *
 * Killed before 1, the old result and its side files are whole, and the journal holds what `recover`
 * makes r.exp_….json of. Killed later, the new result is in its place and whole, the journal is there
 * still, and by its run's id `recover`, or the next run, finds the files that 2 has left; until
 * then their sha256 in the result tells that what stands by their names is not theirs.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "run/paths.h"

/*
 * Writes the result of a run whose other files lie at `paths`; afterwards `paths` tells where they
 * all are, and the names in the document are these. Says so where the old result stays.
 */
int run_replace(struct run_paths *paths, json_t *document, struct pl_err *err) PL_MUST_CHECK;
/* Step 2 for a run that was killed in it: `document` is its result and stands at `output`. */
int run_replace_finish(const char *output, const json_t *document,
		       struct pl_err *err) PL_MUST_CHECK;
/* Removes what a run that wrote beside `output` has left, without a result. */
void run_replace_drop(const char *output, const char *run_id);
