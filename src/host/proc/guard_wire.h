/* The protocol between profllm and its guard: one packet per message on a SOCK_SEQPACKET pair. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HOST_GUARD_FDS_MAX 2

enum host_guard_word {
	/* to the guard */
	/* a: arguments, b: variables, c: secrets, d: 2 for a container's runtime and name; fds: memory
	 * with the texts, the log */
	HOST_GUARD_START,
	HOST_GUARD_HOLD, /* fds: the descriptor to hold */
	HOST_GUARD_STOP, /* ns: CLOCK_MONOTONIC time at which SIGKILL follows SIGTERM */
	HOST_GUARD_KILL,
	/* from the guard */
	HOST_GUARD_READY,   /* it has its session and ignores signals */
	HOST_GUARD_STARTED, /* a: pid; fds: its pidfd */
	HOST_GUARD_FAILED,  /* a: errno */
	HOST_GUARD_ENDED,   /* a: CLD_EXITED …, b: exit status or signal */
	/* a: the head was killed, b: number of processes that could not be ended */
	HOST_GUARD_GONE,
};

struct host_guard_msg {
	int32_t word; /* enum host_guard_word */
	int32_t a;
	int32_t b;
	int32_t c;
	int32_t d;
	int32_t spare; /* 0 */
	int64_t ns;
};

/* Sends a message with fd_count descriptors. Returns -1 with errno on failure. */
int host_guard_send(int socket, const struct host_guard_msg *msg, const int *fds, size_t fd_count);
/*
 * Receives one message without waiting. Returns 1: *ret and its descriptors (-1: none) belong to
 * the caller; 0: no message; -1: the peer closed.
 */
int host_guard_take(int socket, struct host_guard_msg *ret, int fds[HOST_GUARD_FDS_MAX]);
/* Closes the descriptors of a message that were not taken (set to -1). */
void host_guard_close_fds(int fds[HOST_GUARD_FDS_MAX]);
