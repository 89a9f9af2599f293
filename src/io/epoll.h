/* epoll_pwait2() by its number: glibc has the function since 2.35, and the programs of the wheel also run with older ones. */
#pragma once

#include <sys/epoll.h>
#include <time.h>

/* Waits as epoll_wait() does, without a mask of signals. errno is ENOSYS before Linux 5.11. */
int io_epoll_pwait2(int fd, struct epoll_event *events, int room, const struct timespec *timeout);
