/* Tells a query that its client has left (mirror_snapshot_for()). Embedded in its owner. */
#pragma once

#include <stdbool.h>

struct mirror_cancel_token {
	/* Polled by the thread that runs the query. True: the client has left. */
	bool (*has_left)(struct mirror_cancel_token *cancel_token);
};
