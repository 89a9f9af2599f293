/* The guard process's side of the socket. host/proc/guard.h describes its contract. */
#pragma once

#include <sys/types.h>

/* `parent` is the pid of profllm. */
struct host_guard_self {
	int socket;
	pid_t parent;
	const char *run_id;
};
/* Runs in the forked child; never returns. */
_Noreturn void host_guard_main(const struct host_guard_self *self);
