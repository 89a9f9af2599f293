/*
 * How a result replaces another one. The result at OUTPUT is not touched before the new one is complete, and it stays
 * if it is more complete than the new one (result/existing.h):
 *
 *	during the run          r.exp_….server.log, r.exp_….series.jsonl.zst, …
 *	at its end              r.exp_….requests.jsonl.zst, …
 *	if it is less complete  r.exp_….json, named like its artifacts; r.json is unchanged
 *	otherwise
 *	  1                     r.json written under a temporary name, synced, renamed over the old one
 *	  2                     each r.exp_….X renamed to r.X; artifacts of the old result that the
 *	                        new one lacks are removed
 *	finally                 r.json.journal removed
 *
 * If the process is killed before 1, the old result and its artifacts are complete, and `recover` makes r.exp_….json
 * from the journal. If it is killed later, the new result is complete and in place, and the journal still exists.
 * `recover`, or the next run, uses its run id to find the files that 2 has left. Until then, their sha256 in the result
 * shows that the files at their names are not theirs.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "run/paths.h"

/*
 * Writes the result of a run whose other files are at `paths`. Afterwards `paths` and the names in the document are the
 * final ones. Reports if the old result stays.
 */
int run_replace(struct run_paths *paths, json_t *document, struct pl_err *err) PL_MUST_CHECK;
/* Completes step 2 of a killed run: `document` is its result at `output`. */
int run_replace_finish(const char *output, const json_t *document,
		       struct pl_err *err) PL_MUST_CHECK;
/* Removes the files that a run without a result left under names with its run id. */
void run_replace_drop(const char *output, const char *run_id);
