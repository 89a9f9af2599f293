/*
 * Whoever waits for the answer to a question (mirror_snapshot_for()): part of its owner.
 */
#pragma once

#include <stdbool.h>

struct mirror_cancel_token {
	/* Every now and then by the thread that makes the answer. True: nobody wants it any more. */
	bool (*has_left)(struct mirror_cancel_token *waiter);
};
