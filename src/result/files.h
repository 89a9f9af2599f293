/*
 * The files that paths stand for: a file for itself, a folder for the result files in it and in the
 * folders below it, in the order of their names. By its name a file may hold results (.json, .jsonl,
 * .ndjson, each also .zst and .gz), lies beside one (res_side_file()), or is none of ours.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* What a sweep's folder has besides results (docs/reference/sweeps.md). */
#define RES_SWEEP_JOURNAL "sweep.jsonl"
#define RES_SWEEP_SUMMARY "summary.json"

struct res_file {
	char *path;
	const char *side; /* what it is, where it only lies beside a result; static */
};

struct res_files {
	struct res_file *items;
	size_t count;
	size_t room;
	size_t others; /* in folders: none of ours by their names */
};

/*
 * Adds what the path stands for. A folder that is a link is entered where the path names it itself, and
 * not below; names that begin with a dot are left out there. -1: it is not there, or a folder cannot be
 * read.
 */
int res_files_add(struct res_files *files, const char *path, struct pl_err *err) PL_MUST_CHECK;
void res_files_done(struct res_files *files);
#define auto_res_files __attribute__((cleanup(res_files_done), unused)) struct res_files

/*
 * What a file beside a result is, by the end of its name: "records of requests"; NULL: by its name it
 * may be a result. A sweep's journal is known by its whole name.
 */
const char *res_side_file(const char *name);
/* Is the file, by its name, a sweep's summary? What is in it says more: res_sweep_id(). */
bool res_may_be_sweep(const char *path);
/* The sweep's id of a summary; NULL: it is none. Borrowed. */
const char *res_sweep_id(const json_t *summary);
/* By the end of its name; so may those beside results. */
bool res_may_hold_results(const char *name);
/* A document a line, by the end of its name: .jsonl, .ndjson, packed too. */
bool res_holds_lines(const char *name);
