/*
 * Lock files for the files of this folder: host/lock/lock.c and host/lock/queue.c.
 */
#ifndef HOST_LOCK_LOCK_PRIV_H
#define HOST_LOCK_LOCK_PRIV_H

#include "host/lock/lock.h"

/* Opens NAME.lock of the folder, which is made where it is absent. */
int host_lock_open(const struct host_locks *locks, const char *name, int *ret_fd,
		   struct pl_err *err) PL_MUST_CHECK;
/* The object that stands in a lock file; NULL: none. New reference. */
json_t *host_lock_read(int fd);
/* The same file without making it; -1: there is none, or it is not to be trusted. */
int host_lock_open_existing(const struct host_locks *locks, const char *name);

#endif
