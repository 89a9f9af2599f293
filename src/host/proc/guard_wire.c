#include "host/proc/guard_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"

union control {
	char bytes[CMSG_SPACE(HOST_GUARD_FDS_MAX * sizeof(int))];
	struct cmsghdr align;
};

int host_guard_send(int socket, const struct host_guard_msg *msg, const int *fds, size_t fd_count)
{
	/* sendmsg() takes no const. */
	struct host_guard_msg copy = *msg;
	struct iovec part = { .iov_base = &copy, .iov_len = sizeof(copy) };
	union control control;
	struct msghdr head = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd_count > 0) {
		memset(&control, 0, sizeof(control));
		head.msg_control = control.bytes;
		head.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		struct cmsghdr *item = CMSG_FIRSTHDR(&head);
		item->cmsg_level = SOL_SOCKET;
		item->cmsg_type = SCM_RIGHTS;
		item->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(item), fds, fd_count * sizeof(int));
	}
	ssize_t sent = TEMP_FAILURE_RETRY(sendmsg(socket, &head, MSG_NOSIGNAL));
	return sent == (ssize_t)sizeof(copy) ? 0 : -1;
}

void host_guard_close_fds(int fds[HOST_GUARD_FDS_MAX])
{
	for (size_t i = 0; i < HOST_GUARD_FDS_MAX; i++)
		pl_fd_close(&fds[i]);
}

int host_guard_take(int socket, struct host_guard_msg *ret, int fds[HOST_GUARD_FDS_MAX])
{
	struct iovec part = { .iov_base = ret, .iov_len = sizeof(*ret) };
	union control control;
	struct msghdr head = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};

	for (size_t i = 0; i < HOST_GUARD_FDS_MAX; i++)
		fds[i] = -1;
	ssize_t got = TEMP_FAILURE_RETRY(recvmsg(socket, &head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
	if (got < 0 && errno == EAGAIN)
		return 0;
	/* An end of 0 bytes is a broken message below: SEQPACKET has no other sign for "closed". */
	if (got < 0)
		return -1;
	/* The kernel drops descriptors that do not fit into the control buffer. */
	for (struct cmsghdr *item = CMSG_FIRSTHDR(&head); item != NULL;
	     item = CMSG_NXTHDR(&head, item)) {
		if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS)
			continue;
		/* At most HOST_GUARD_FDS_MAX: the control buffer has room for no more. */
		size_t count = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(item), count * sizeof(int));
	}
	if (got == (ssize_t)sizeof(*ret))
		return 1;
	/* descriptors of a malformed message must also be closed */
	host_guard_close_fds(fds);
	return -1;
}
