/*
 * The guard's own life, on its side of the socket: see host/proc/guard.h for what it promises.
 */
#pragma once

#include <sys/types.h>

/* `parent` is profllm. */
struct host_guard_self {
	int socket;
	pid_t parent;
	const char *run_id;
};
/* Called in the forked copy; never returns. */
_Noreturn void host_guard_main(const struct host_guard_self *self);
