/* Access to lock files, for host/lock/lock.c and host/lock/queue.c only. */
#pragma once

#include "host/lock/lock.h"

/* Returns the object in a lock file; NULL: none. New reference. */
json_t *host_lock_read(int fd);
/* Opens NAME.lock without creating it; -1: it does not exist or is not safe. */
int host_lock_open_existing(const struct host_locks *locks, const char *name);
