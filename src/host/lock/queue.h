/*
 * The queue for locks: first come, first served, across all users of the host.
 *
 * A waiter holds its own file, waiter-N.lock, which says since when and for what it waits. The
 * kernel releases the file if the waiter dies, so dead processes leave the queue.
 */
#pragma once

#include "host/lock/lock.h"

struct host_ticket;

/*
 * Joins at the end. `claim` (an object) describes what it waits for. Call inside
 * host_locks_enter().
 */
int host_ticket_take(const struct host_locks *locks, const struct host_lock_owner *who,
		     json_t *claim, struct host_ticket **ret, struct pl_err *err) PL_MUST_CHECK;
/* Leaves the queue and wakes the others. Ignores NULL. */
void host_ticket_leave(struct host_ticket *ticket);

/*
 * Returns the waiters before `ticket` (NULL: all waiters), the oldest first, as an array of objects
 * like host_lock_holder() with `claim`. Call inside host_locks_enter(). New reference.
 */
json_t *host_queue_before(const struct host_locks *locks, const struct host_ticket *ticket);
