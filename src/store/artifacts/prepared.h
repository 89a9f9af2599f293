/*
 * What a program has computed from artifacts and would otherwise compute again, as files next to them:
 *
 *	DIR/prepared/SHA256.FORM          complete
 *	DIR/prepared/NUMBER.new           being written
 *
 * A cache: any of them may be removed at any time. They have at most STORE_PREPARED_BYTES_MAX together; the ones that
 * were used least recently are removed first. None outlives a sweep after its artifact. Any number of processes may use
 * the directory.
 */
#pragma once

#include "store/store.h"

#define STORE_PREPARED_BYTES_MAX ((int64_t)1 << 30)

/* *ret_fd is the caller's. NOT_FOUND: it does not exist. */
int store_prepared_open(struct store *store, const char *sha256, const char *form, int *ret_fd,
			struct pl_err *err) PL_MUST_CHECK;

/* Writes the bytes of one file. */
typedef int store_prepared_save_fn(const void *data, int fd, struct pl_err *err);
/*
 * Writes or replaces a file. FULL: the disk would have less than STORE_PREPARED_BYTES_MAX left, so that a cache never
 * takes the last space from artifacts. NOT_FOUND: its artifact was removed.
 */
int store_prepared_write(struct store *store, const char *sha256, const char *form,
			 store_prepared_save_fn *save, const void *data,
			 struct pl_err *err) PL_MUST_CHECK;
