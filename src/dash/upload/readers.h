/*
 * Threads that read documents ahead of the one that stores them: which is as much work as the storing, and
 * can be done to any number of them at a time. They are taken in their order.
 *
 * So many are read ahead as fit in DASH_READ_BYTES, or one that is larger: what documents become in
 * memory is many times their bytes.
 */
#pragma once

#include "store/store.h"

#define DASH_READ_MAX   256
#define DASH_READ_BYTES ((size_t)8 << 20)

/* What is to be read. */
struct dash_source {
	const char *bytes;
	size_t len;
	const char *name;
	int line;          /* as of store_source */
	const char *fault; /* why there is nothing to read, or NULL */
};
/* The one of that index; what it borrows is there until dash_readers_end(). Of any thread. */
typedef struct dash_source dash_source_fn(const void *context, size_t index);

/* A document that was read, or why it cannot be. It stays where it is: prepared borrows from it. */
struct dash_read {
	struct store_document document;
	struct store_prepared *prepared;
	bool is_rejected;
	json_t *faults;
	char *message;
	char *kept; /* of a rejected one, to be read again */
	size_t len;
};
void dash_read_done(struct dash_read *read);

struct dash_readers;
/* Both are borrowed. */
int dash_readers_new(struct store *store, const struct store_reader *reader,
		     struct dash_readers **ret, struct pl_err *err) PL_MUST_CHECK;
void dash_readers_free(struct dash_readers *readers);

/* What is read from now on: sources 0 to count - 1. Those of before have ended. */
void dash_readers_begin(struct dash_readers *readers, dash_source_fn *source, const void *context,
			size_t count);
/* The one of that index, when it was read; the reader's. Not for indices behind DASH_READ_MAX that were not released, nor
 * for more bytes at once than are read ahead. */
struct dash_read *dash_readers_wait(struct dash_readers *readers, size_t index);
/* The next `count` are not needed any more. */
void dash_readers_release(struct dash_readers *readers, size_t count);
/* Returns when nobody reads; nothing is needed of the rest. */
void dash_readers_end(struct dash_readers *readers);
