/*
 * Evaluates the watches (store/analysis/watch.h) in a thread of its own at a low priority: once after each change of the
 * data, however many results it has. It looks for changes every second, so those of imports and of other processes count,
 * too, and it rests four times as long as an evaluation takes. A watch that another process has evaluated for these data
 * is skipped.
 */
#pragma once

#include "base/err.h"

#include <stdatomic.h>

struct dash_context;
struct dash_watches;

/*
 * webhook NULL: none. Else each new state of any watch, also of one that another process has evaluated, is sent to this
 * URL. Borrows both.
 */
int dash_watches_start(const struct dash_context *context, const char *webhook,
		       struct dash_watches **ret, struct pl_err *err) PL_MUST_CHECK;
/* A watch is new or has another question. Any thread. */
void dash_watches_wake(struct dash_watches *watches);
/* Ends the current evaluation, and with it all questions of the store (store_end_questions()). Accepts NULL. */
void dash_watches_stop(struct dash_watches *watches);
