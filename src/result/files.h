/*
 * The files that paths name: a file names itself, a directory its result files, including
 * subdirectories, in name order. The name decides whether a file may hold results (.json, .jsonl,
 * .ndjson, also with .zst or .gz), is an artifact (res_artifact_suffix()), or is another file.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* Files in a sweep's directory other than results (docs/reference/sweeps.md). */
#define RES_SWEEP_JOURNAL "sweep.jsonl"
#define RES_SWEEP_SUMMARY "summary.json"

struct res_file {
	char *path;
	const char *side; /* description of an artifact; NULL: may be a result; static */
};

struct res_files {
	struct res_file *items;
	size_t count;
	size_t room;
	size_t others; /* number of other files in directories */
};

/*
 * Adds the files that the path names. Follows a link to a directory only if `path` itself is that
 * link; skips names that begin with a dot inside directories. Returns -1 if the path does not exist
 * or a directory cannot be read.
 */
int res_files_add(struct res_files *files, const char *path, struct pl_err *err) PL_MUST_CHECK;
void res_files_done(struct res_files *files);
#define auto_res_files __attribute__((cleanup(res_files_done), unused)) struct res_files

/*
 * Returns the description of an artifact by the end of its name: "records of requests"; NULL: it
 * may be a result. A sweep's journal is recognized by its whole name.
 */
const char *res_artifact_suffix(const char *name);
/*
 * Returns whether the file's name is that of a sweep's summary; res_sweep_id() checks its content.
 */
bool res_may_be_sweep(const char *path);
/* Returns the sweep's id from a summary; NULL: not a summary. Borrowed. */
const char *res_sweep_id(const json_t *summary);
/* Decides by the end of the name; also true for some artifacts. */
bool res_may_hold_results(const char *name);
/*
 * Returns whether each line is a document, by the end of the name: .jsonl, .ndjson, also
 * compressed.
 */
bool res_holds_lines(const char *name);
