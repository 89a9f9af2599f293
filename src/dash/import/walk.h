/*
 * The files that paths stand for: a file for itself, a folder for the result files in it and in the
 * folders below it, in the order of their names. By its name a file may hold results (.json, .jsonl,
 * .ndjson, each also .zst), lies beside one (store_side_file()), or is none of ours.
 */
#ifndef DASH_IMPORT_WALK_H
#define DASH_IMPORT_WALK_H

#include "base/err.h"

#include <stddef.h>

struct dash_file {
	char *path;
	const char *side; /* what it is, where it only lies beside a result; static */
};

struct dash_files {
	struct dash_file *items;
	size_t count;
	size_t room;
	size_t others; /* in folders: none of ours by their names */
};

/*
 * Adds what the path stands for. A folder that is a link is entered where the path names it itself, and
 * not below; names that begin with a dot are left out there. -1: it is not there, or a folder cannot be
 * read.
 */
int dash_files_add(struct dash_files *files, const char *path, struct pl_err *err) PL_MUST_CHECK;
void dash_files_done(struct dash_files *files);
#define auto_dash_files __attribute__((cleanup(dash_files_done), unused)) struct dash_files

#endif
