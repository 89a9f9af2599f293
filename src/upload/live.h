/*
 * Sends the snapshots of a run to a dashboard while the run lasts (POST /api/live/{run_id}). A thread sends the latest
 * one, so a slow dashboard skips some, and the run never waits for it.
 * - A dashboard that cannot be reached, or refuses a snapshot, costs one warning. The thread keeps trying, at growing
 *   intervals, unless the answer to the first one says that it is useless (no such route, no permission).
 * - All functions may be called from any thread, stop only once.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

struct run_target;
struct upload_live;

struct upload_live_options {
	const struct run_target *target; /* borrowed */
	const char *run_id;
	/* Called at most once, on the thread: why snapshots do not arrive. */
	void (*warn)(void *data, const char *why);
	void *data;
};

int upload_live_start(const struct upload_live_options *options, struct upload_live **ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* Replaces the snapshot that is to be sent next. Takes the text, which free() releases. */
void upload_live_put(struct upload_live *live, char *snapshot);
/* Waits at most wait_ns until the last snapshot has arrived, ends the thread and frees everything. */
void upload_live_stop(struct upload_live *live, int64_t wait_ns);
