/*
 * Lock files for the files of this folder: host/lock/lock.c and host/lock/queue.c.
 */
#pragma once

#include "host/lock/lock.h"

/* The object that stands in a lock file; NULL: none. New reference. */
json_t *host_lock_read(int fd);
/* Opens NAME.lock without making it; -1: there is none, or it is not to be trusted. */
int host_lock_open_existing(const struct host_locks *locks, const char *name);
