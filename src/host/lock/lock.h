/*
 * Locks that every `profllm` on a host respects, for all users: one file per resource under
 * /run/lock/profllm, held by flock(2), so that the kernel releases it if the holder dies.
 *
 * - The directory has mode 1777, the files 0666. Symbolic links are not followed; lock files are
 *   never removed.
 * - A held file names its holder; the content of a free one is meaningless.
 * - host_locks_enter() gives exclusive access for reading or taking several locks together.
 *   Functions not marked "inside" do not need it.
 * - One thread at a time.
 */
#pragma once

#include "base/json.h"

#include <stdint.h>

#define HOST_LOCK_FOLDER "/run/lock/profllm"

/* The holder of a lock, or a process that waits for one. */
struct host_lock_owner {
	const char *run_id; /* NULL: none */
	const char *name;   /* of the experiment; NULL: none */
};

struct host_locks;
/*
 * Opens the directory: $PROFLLM_LOCK_DIR, else HOST_LOCK_FOLDER, else, if that cannot be made,
 * $XDG_RUNTIME_DIR/profllm with a warning. A directory owned by a user other than root also causes
 * a warning, because its owner can remove locks. Returns -1 if an existing directory is not safe (a
 * symbolic link, or a directory in which others may rename files). PL_ERR_NOT_FOUND: no directory
 * can be made.
 */
int host_locks_open(struct host_locks **ret, struct pl_err *err) PL_MUST_CHECK;
void host_locks_free(struct host_locks *locks);
PL_AUTO_DEFINE(struct host_locks, host_locks_free);
#define auto_locks PL_AUTO(host_locks_free)

const char *host_locks_path(const struct host_locks *locks);
/* Returns a warning about the directory for the user; NULL: none. */
const char *host_locks_warning(const struct host_locks *locks);

/*
 * Blocks while another process is inside. Returns -1 also if a signal arrived: PL_ERR_INTERRUPTED.
 */
int host_locks_enter(struct host_locks *locks, struct pl_err *err) PL_MUST_CHECK;
void host_locks_leave(struct host_locks *locks);

enum host_lock_mode { HOST_LOCK_EXCLUSIVE, HOST_LOCK_SHARED };
/*
 * Tries to take the lock; never blocks. Returns 1 if *ret_fd holds it, until the last copy of the
 * descriptor is closed or host_lock_release() is called; 0 if another process holds it.
 */
int host_lock_try(const struct host_locks *locks, const char *name, enum host_lock_mode mode,
		  int *ret_fd, struct pl_err *err) PL_MUST_CHECK;
/* Writes the holder into an exclusive lock, together with `more` (or NULL). */
void host_lock_write_owner(int fd, const struct host_lock_owner *who, const json_t *more);
/*
 * Releases the lock, even if other processes have copies of the descriptor, wakes waiting
 * processes, and closes the descriptor.
 */
void host_lock_release(int fd);
/* Returns what the holder wrote: {pid, user, run_id, name, since, …}; NULL: not readable. */
json_t *host_lock_holder(const struct host_locks *locks, const char *name);
/*
 * Formats any such object or NULL: "run exp_… ('suite/name') of user u, pid 123, since 12:03". Free
 * with free().
 */
char *host_lock_holder_text(const json_t *holder);

/*
 * Waits until a lock may have been released, for at most timeout_ns; a signal also ends the wait.
 */
void host_locks_wait(struct host_locks *locks, int64_t timeout_ns);
