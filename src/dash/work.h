/*
 * Answers that take long to make: a few threads make them, a queue of a bounded length stands in front of
 * those, and what was answered is kept.
 *
 * - What several ask at a time, in the same words of the same data, is made once, and all have it. Answers
 *   with status 200 that are whole are kept until the data change or there is no room; those asked for
 *   longest ago go first.
 * - Who asks is part of its owner, and stays where it is until done() was called for it: exactly once
 *   behind each dash_work_add() that is true, by one of the threads, maybe before that returns.
 * - An answer that nobody is there for any more when its turn comes is not made; one that all have left for
 *   while it is being made is given up: who asks the same then asks anew.
 * - A queue without room first forgets those for which nobody is there any more.
 */
#pragma once

#include "base/err.h"
#include "dash/answer.h"

#include <stdint.h>

struct mirror_cancel_token;

/* What became of an answer. */
enum dash_work_end {
	DASH_WORK_MADE,
	DASH_WORK_DROPPED,  /* before its turn came */
	DASH_WORK_GIVEN_UP, /* while it was being made */
};

struct dash_asker {
	struct dash_asker *next; /* the queue's */
	struct dash_answer *answer;
	enum dash_work_end end; /* when done() is called */
};

struct dash_work_options {
	unsigned threads;
	size_t room;       /* of the queue */
	size_t kept_bytes; /* of answers */
	/* Its answer. What takes long asks the waiter, who speaks for all that wait for it. */
	void (*make)(struct dash_asker *asker, struct mirror_cancel_token *waiter);
	void (*done)(struct dash_asker *asker); /* the answer is there */
	/* Then its answer is not made. NULL: each is, whoever waits for it. */
	bool (*is_gone)(const struct dash_asker *asker);
};

struct dash_work;

int dash_work_start(const struct dash_work_options *options, struct dash_work **ret,
		    struct pl_err *err) PL_MUST_CHECK;
/* What waits is refused, what is being made is waited for; done() was called for all then. */
void dash_work_stop(struct dash_work *work);
/* Frees it, once nobody can ask any more. */
void dash_work_free(struct dash_work *work);

/* The question in words that are the same where its answer is, of data of that version. Is it kept? */
bool dash_work_find(struct dash_work *work, int64_t version, const char *question,
		    struct dash_answer *answer);
/* question NULL: nobody asks the same. False: the queue is full, or is no more. */
bool dash_work_add(struct dash_work *work, int64_t version, const char *question,
		   struct dash_asker *asker) PL_MUST_CHECK;
