/*
 * Computes slow responses on a thread pool with a bounded queue, and caches them.
 * - Identical requests for the same data version are computed once, and all of them get the response. Complete
 *   responses with status 200 are cached until the data change or the cache is full; the least recently used are
 *   dropped first.
 * - A dash_asker is embedded in its owner and must not move until done() was called. done() is called exactly once for
 *   each dash_work_add() that returned true, by one of the threads, maybe before dash_work_add() returns.
 * - A response is not computed if all its clients have left before its turn. If they leave during the computation, it
 *   is cancelled; later identical requests start a new one.
 * - A full queue first drops requests whose clients have left.
 */
#pragma once

#include "base/err.h"
#include "dash/answer.h"

#include <stdint.h>

struct mirror_cancel_token;

/* The outcome of a request. */
enum dash_work_end {
	DASH_WORK_MADE,
	DASH_WORK_DROPPED,  /* the client left before its turn */
	DASH_WORK_GIVEN_UP, /* cancelled during the computation */
};

struct dash_asker {
	struct dash_asker *next; /* used by the queue */
	struct dash_answer *answer;
	enum dash_work_end end; /* set when done() is called */
};

struct dash_work_options {
	unsigned threads;
	size_t room;        /* length of the queue */
	size_t cache_bytes; /* limit of the cache */
	int nice;           /* added to the nice value of the threads */
	/* Makes the response. Long computations poll the token, which covers all waiting clients. */
	void (*make)(struct dash_asker *asker, struct mirror_cancel_token *cancel_token);
	void (*done)(struct dash_asker *asker); /* the response is complete */
	/* Returns whether the client has left, so that no response is needed. NULL: every response is made. */
	bool (*is_gone)(const struct dash_asker *asker);
};

struct dash_work;

int dash_work_start(const struct dash_work_options *options, struct dash_work **ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* Refuses queued requests and waits for the current ones. Afterwards done() was called for all of them. */
void dash_work_stop(struct dash_work *work);
/* Frees it, when no thread can use it any longer. */
void dash_work_free(struct dash_work *work);

/*
 * Looks up a response in the cache. `question` must be equal for requests with the same response; `version` is that of
 * the data. Returns false if it is not cached.
 */
bool dash_work_find(struct dash_work *work, int64_t version, const char *question,
		    struct dash_answer *answer);
/* Queues a request. question NULL: never shared. Returns false if the queue is full or was stopped. */
bool dash_work_add(struct dash_work *work, int64_t version, const char *question,
		   struct dash_asker *asker) PL_MUST_CHECK;

/* Counts since the start, and the current state. */
struct dash_work_counts {
	size_t waiting;
	size_t running;
	int64_t oldest_ns; /* waiting time of the oldest one */
	uint64_t refused;  /* because the queue was full */
	uint64_t hits;     /* of the cache */
	uint64_t misses;
	size_t cache_bytes;
};
void dash_work_count(struct dash_work *work, struct dash_work_counts *ret);
