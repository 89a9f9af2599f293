/*
 * Locks that every `profllm` of a host respects, whoever started it: one file a resource under
 * /run/lock/profllm, held by flock(2), so that a death of any kind sets it free.
 *
 * - The folder has mode 1777, the files 0666. No symlink is followed, no lock file is ever removed.
 * - A held file says who holds it; what a free one says counts for nothing.
 * - host_locks_enter() keeps all others out for the moments in which several locks are looked at or
 *   taken together. What is not marked "inside" below does not need it.
 * - One thread at a time.
 */
#pragma once

#include "base/json.h"

#include <stdint.h>

#define HOST_LOCK_FOLDER "/run/lock/profllm"

/* Who holds a lock, or waits for one. */
struct host_lock_who {
	const char *run_id; /* NULL: none */
	const char *name;   /* of the experiment; NULL: none */
};

struct host_locks;
/*
 * Opens the folder: $PROFLLM_LOCK_DIR, else HOST_LOCK_FOLDER, else, where that cannot be made,
 * $XDG_RUNTIME_DIR/profllm with a warning. A directory of another user than root comes with a warning,
 * too: its owner can remove locks. -1 where what stands there is not to be trusted (a
 * symlink, a folder that others may rename files in); PL_ERR_NOT_FOUND: none can be made anywhere.
 */
int host_locks_open(struct host_locks **ret, struct pl_err *err) PL_MUST_CHECK;
void host_locks_free(struct host_locks *locks);
PL_AUTO_DEFINE(struct host_locks, host_locks_free);
#define auto_locks PL_AUTO(host_locks_free)

const char *host_locks_path(const struct host_locks *locks);
/* What the user should know of the folder; NULL: nothing. */
const char *host_locks_warning(const struct host_locks *locks);

/* Blocks while another process is inside. -1 also when a signal came: PL_ERR_INTERRUPTED. */
int host_locks_enter(struct host_locks *locks, struct pl_err *err) PL_MUST_CHECK;
void host_locks_leave(struct host_locks *locks);

enum host_lock_mode { HOST_LOCK_EXCLUSIVE, HOST_LOCK_SHARED };
/*
 * Tries; never blocks. 1: *ret_fd holds it until the last copy of the descriptor is closed, or
 * host_lock_release(). 0: another holds it.
 */
int host_lock_try(const struct host_locks *locks, const char *name, enum host_lock_mode mode,
		  int *ret_fd, struct pl_err *err) PL_MUST_CHECK;
/* Writes into an exclusive lock who holds it; `more` (or NULL) is kept beside. */
void host_lock_say(int fd, const struct host_lock_who *who, const json_t *more);
/* Sets it free, also where other processes have copies of the descriptor, wakes those who wait, and
 * closes it. */
void host_lock_release(int fd);
/* What a holder said: {pid, user, run_id, name, since, …}; NULL: nothing that can be read. */
json_t *host_lock_holder(const struct host_locks *locks, const char *name);
/* "run exp_… ('suite/name') of user u, pid 123, since 12:03"; any object or NULL. free(). */
char *host_lock_holder_text(const json_t *holder);

/* Waits until a lock may have been set free, for at most timeout_ns; a signal ends it too. */
void host_locks_wait(struct host_locks *locks, int64_t timeout_ns);
