/*
 * A container known by its name, through the command line of its runtime (docker or podman).
 *
 * - Its processes may be children of a daemon, so neither a process group nor a parent finds them:
 *   signals, removal and the proof that it is gone use the name.
 * - The name is PREFIX and the mark of the run (host/proc/mark.h), so that it can be made from the
 *   mark alone.
 * - Every call runs the runtime's program and blocks; a program that does not end in time is
 *   killed. The functions may be called in the guard, after a fork without exec.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_buf;

#define HOST_CONTAINER_PREFIX "profllm_"

struct host_container {
	const char *program; /* path of the runtime's program; NULL: no container */
	const char *name;
};

enum host_container_state {
	HOST_CONTAINER_GONE,
	HOST_CONTAINER_EXISTS, /* in any state, also created or exited */
	HOST_CONTAINER_UNKNOWN /* the runtime did not answer */
};

/*
 * Runs the program with the arguments (NULL-terminated, without the program) and our environment,
 * at most timeout_ns. Appends its standard output, and its standard error with `with_errors`, to
 * `output` as far as there is room. Returns its exit status; -1 with `err` if it could not be run,
 * was killed or did not end in time.
 */
int host_container_call(const char *program, const char *const *args, bool with_errors,
			int64_t timeout_ns, struct pl_buf *output, struct pl_err *err);

/* Looks among all containers of this user, running or not. */
enum host_container_state host_container_look(const struct host_container *container);
/* Returns false if the container is not running, or the runtime did not answer. */
bool host_container_signal(const struct host_container *container, int signal_number);
/*
 * Kills and removes the container, repeatedly, until it is gone or timeout_ns has passed. `twice`:
 * it counts as gone only if two looks miss it, because a client that was killed may have asked for
 * it just before. Returns whether it is gone.
 */
bool host_container_remove(const struct host_container *container, bool twice, int64_t timeout_ns);
