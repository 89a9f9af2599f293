#include "io/epoll.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

int io_epoll_pwait2(int fd, struct epoll_event *events, int room, const struct timespec *timeout)
{
	return (int)syscall(SYS_epoll_pwait2, fd, events, room, timeout, NULL, 0);
}
