/*
 * What profllm and its guard say to each other: one packet a message on a SOCK_SEQPACKET pair.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HOST_GUARD_FDS_MAX 2

enum host_guard_word {
	/* to the guard */
	HOST_GUARD_START, /* a: arguments, b: variables, c: secrets; fds: memory with the texts, the log */
	HOST_GUARD_HOLD, /* fds: one to hold */
	HOST_GUARD_STOP, /* ns: CLOCK_MONOTONIC, when SIGKILL follows SIGTERM */
	HOST_GUARD_KILL,
	/* from the guard */
	HOST_GUARD_READY,   /* it has its session and heeds no signals */
	HOST_GUARD_STARTED, /* a: pid; fds: its pidfd */
	HOST_GUARD_FAILED,  /* a: errno */
	HOST_GUARD_ENDED,   /* a: CLD_EXITED …, b: exit status or signal */
	HOST_GUARD_GONE,    /* a: was the head killed, b: how many could not be ended */
};

struct host_guard_msg {
	int32_t word; /* enum host_guard_word */
	int32_t a;
	int32_t b;
	int32_t c;
	int64_t ns;
};

/* fd_count descriptors go along. -1: errno. */
int host_guard_send(int socket, const struct host_guard_msg *msg, const int *fds, size_t fd_count);
/*
 * Takes one message without waiting. 1: *ret and its descriptors (-1: none; the caller's), 0: none
 * there, -1: the other side is gone.
 */
int host_guard_take(int socket, struct host_guard_msg *ret, int fds[HOST_GUARD_FDS_MAX]);
/* Closes those that came with a message and were not kept (-1). */
void host_guard_close_fds(int fds[HOST_GUARD_FDS_MAX]);
