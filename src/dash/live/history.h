/*
 * The history of a run: columns of at most DASH_LIVE_POINTS_MAX points. When they are full, each two neighbors become
 * their mean, and a point holds twice as many snapshots from then on, so the points always cover the whole run. Not
 * thread-safe.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

#include <stddef.h>

struct dash_live_history;

struct dash_live_history *dash_live_history_new(void);
void dash_live_history_free(struct dash_live_history *history);
/* Adds the values of a snapshot. If it is more than gap_s later than the one before, there is a gap between them. */
void dash_live_history_add(struct dash_live_history *history, const json_t *snapshot, double gap_s);
/* Returns the number of points. */
size_t dash_live_history_count(const struct dash_live_history *history);
/* Appends {"t_s":[...],"in_flight":[...],...}. */
void dash_live_history_write(const struct dash_live_history *history, struct pl_buf *buf);
