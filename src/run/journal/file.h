/* The file OUTPUT.journal: its owner, and whether it may be discarded. */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "result/document.h"

#include <stdbool.h>
#include <stdint.h>

/* OUTPUT.journal; free(). */
char *run_journal_path(const char *output);

struct run_journal_file {
	char *path;
	int fd;    /* locked by this process */
	bool made; /* created by this process */
	/* a killed run whose other files are removed with the journal's former content; empty: none */
	char given_up[RES_RUN_ID_BYTES];
};

/* As run_journal_open(). */
int run_journal_file_take(const char *output, bool overwrite, struct run_journal_file *ret,
			  struct pl_err *err) PL_MUST_CHECK;
/*
 * Finds an existing journal to read. Returns -1 with PL_ERR_NOT_FOUND (none) or PL_ERR_BUSY (its run is still alive).
 */
int run_journal_file_find(const char *output, struct run_journal_file *ret,
			  struct pl_err *err) PL_MUST_CHECK;
void run_journal_file_done(struct run_journal_file *file);
/* Removes files that process `pid` was writing for this run when it was killed. */
void run_journal_drop_temporaries(const char *output, const char *run_id, int64_t pid);

/*
 * Returns this run's result at `output` or next to it, and its path in *ret_path (free()); NULL: it does not exist. New
 * reference.
 */
json_t *run_journal_result(const char *output, const char *run_id, char **ret_path);

/* Maps the complete file for reading; *ret_len 0 and *ret_data NULL for an empty one. */
int run_journal_file_map(const struct run_journal_file *file, void **ret_data, size_t *ret_len,
			 struct pl_err *err) PL_MUST_CHECK;
void run_journal_file_unmap(void *data, size_t len);
