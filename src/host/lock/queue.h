/*
 * The queue of those who wait for locks: first come, first served, over all users of the host.
 *
 * A waiter holds a file of its own, waiter-N.lock, which says since when and for what it waits. The
 * kernel lets go of it when the waiter dies, so nobody waits for the dead.
 */
#pragma once

#include "host/lock/lock.h"

struct host_ticket;

/* Joins at the end. `claim` (an object) is what it waits for. Inside host_locks_enter(). */
int host_ticket_take(const struct host_locks *locks, const struct host_lock_who *who, json_t *claim,
		     struct host_ticket **ret, struct pl_err *err) PL_MUST_CHECK;
/* Leaves the queue and wakes the others. NULL: nothing. */
void host_ticket_leave(struct host_ticket *ticket);

/*
 * Those who came before `ticket` (NULL: all who wait), first come first: an array of what they say
 * as host_lock_holder(), with `claim`. Inside host_locks_enter(). New reference.
 */
json_t *host_queue_before(const struct host_locks *locks, const struct host_ticket *ticket);
