/*
 * Moves the wall clock of a program that is started with this library in LD_PRELOAD, and of its children: CLOCK_REALTIME in all
 * its forms, and the kernel's stamps of packets, which are of that clock. Monotonic clocks and times of files stay.
 *
 *	PROFLLM_CLOCK_FILE   a file of 8 bytes: by how many nanoseconds, an int64; read at each call
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "next.h"

#define NS_PER_S INT64_C(1000000000)

static _Atomic int64_t *moved_ns;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("PROFLLM_CLOCK_FILE");
	int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	void *memory = mmap(NULL, sizeof(*moved_ns), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (memory == MAP_FAILED)
		abort();
	moved_ns = memory;
}

static void move(struct timespec *at)
{
	if (moved_ns == NULL)
		return;
	int64_t ns = at->tv_sec * NS_PER_S + at->tv_nsec + atomic_load(moved_ns);
	at->tv_sec = ns / NS_PER_S - (ns % NS_PER_S < 0);
	at->tv_nsec = (ns % NS_PER_S + NS_PER_S) % NS_PER_S;
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int done = NEXT(clock_gettime)(clock, ret);

	if (done == 0 &&
	    (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI))
		move(ret);
	return done;
}

int timespec_get(struct timespec *ret, int base)
{
	if (base != TIME_UTC || clock_gettime(CLOCK_REALTIME, ret) != 0)
		return 0;
	return base;
}

time_t time(time_t *ret)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (ret != NULL)
		*ret = now.tv_sec;
	return now.tv_sec;
}

int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*ret = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
	return 0;
}

/* SCM_TIMESTAMPNS holds one time, SCM_TIMESTAMPING three, of which unset ones are zero. */
static void move_stamps(struct cmsghdr *c)
{
	size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(struct timespec);

	if (c->cmsg_level != SOL_SOCKET ||
	    (c->cmsg_type != SCM_TIMESTAMPNS && c->cmsg_type != SCM_TIMESTAMPING))
		return;
	for (size_t i = 0; i < count; i++) {
		struct timespec at;
		memcpy(&at, CMSG_DATA(c) + i * sizeof(at), sizeof(at));
		if (at.tv_sec == 0)
			continue;
		move(&at);
		memcpy(CMSG_DATA(c) + i * sizeof(at), &at, sizeof(at));
	}
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t done = NEXT(recvmsg)(fd, message, flags);

	for (struct cmsghdr *c = done >= 0 && moved_ns != NULL ? CMSG_FIRSTHDR(message) : NULL;
	     c != NULL; c = CMSG_NXTHDR(message, c))
		move_stamps(c);
	return done;
}
