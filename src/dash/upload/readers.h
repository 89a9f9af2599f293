/*
 * Threads that read documents ahead of the one that stores them. Reading takes as long as storing and can run in
 * parallel. The results are consumed in order. They prefetch up to DASH_READ_BYTES of documents, or one that is larger,
 * because a document in memory is many times its size.
 */
#pragma once

#include "store/store.h"

#define DASH_READ_MAX   256
#define DASH_READ_BYTES ((size_t)8 << 20)

/* A document to read. */
struct dash_source {
	const char *bytes;
	size_t len;
	const char *name;
	int line;          /* as in store_source */
	const char *fault; /* why it cannot be read, or NULL */
};
/* Returns the source at an index; borrowed until dash_readers_end(). Called from any thread. */
typedef struct dash_source dash_source_fn(const void *context, size_t index);

/* A document that was read, or the reason why it cannot be. It must not move, because `prepared` borrows from it. */
struct dash_read {
	struct store_document document;
	struct store_prepared *prepared;
	bool is_rejected;
	json_t *faults;
	char *message;
	char *retained; /* of a rejected one, for reading it again */
	size_t len;
};
void dash_read_done(struct dash_read *read);

struct dash_readers;
/* Borrows both. */
int dash_readers_new(struct store *store, const struct store_reader *reader,
		     struct dash_readers **ret, struct pl_err *err) PL_MUST_CHECK;
void dash_readers_free(struct dash_readers *readers);

/* Starts reading sources 0 to count - 1. The previous sources must have ended. */
void dash_readers_begin(struct dash_readers *readers, dash_source_fn *source, const void *context,
			size_t count);
/*
 * Waits until the document at an index was read, and returns it, owned by the readers. The index must be within
 * DASH_READ_MAX documents, and within the prefetched bytes, after the last released one.
 */
struct dash_read *dash_readers_wait(struct dash_readers *readers, size_t index);
/* Releases the next `count` documents. */
void dash_readers_release(struct dash_readers *readers, size_t count);
/* Stops reading, and returns when all threads are idle. Discards the remaining documents. */
void dash_readers_end(struct dash_readers *readers);
