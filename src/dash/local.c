#include "dash/local.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOCKET_UMASK 0177

static int clear_path(const struct io_addr *addr, struct pl_err *err)
{
	const char *path = addr->u.local.sun_path;
	auto_fd int fd = -1;
	struct stat st;

	if (lstat(path, &st) < 0)
		return errno == ENOENT
			       ? 0
			       : pl_err_errno(err, "could not read the status of '%s'", path);
	if (!S_ISSOCK(st.st_mode))
		return pl_err_invalid(err, "--socket: '%s' exists and is not a socket", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return pl_err_errno(err, "could not open a socket");
	if (connect(fd, &addr->u.any, addr->len) == 0 || errno != ECONNREFUSED)
		return pl_err_set(err, PL_ERR_BUSY, "another program listens on '%s'", path);
	if (unlink(path) < 0 && errno != ENOENT)
		return pl_err_errno(err, "could not remove '%s'", path);
	return 0;
}

int dash_local_listen(const struct io_addr *addr, int backlog, struct dash_local *ret, int *ret_fd,
		      struct pl_err *err)
{
	const char *path = addr->u.local.sun_path;
	struct stat st;

	if (clear_path(addr, err) < 0)
		return -1;
	/* bind() creates the file, which must be private from the start */
	mode_t before = umask(SOCKET_UMASK);
	int done = io_sock_listen(addr, backlog, ret_fd, err);
	umask(before);
	if (done < 0)
		return -1;
	if (lstat(path, &st) < 0) {
		pl_err_errno(err, "could not open '%s'", path);
		pl_fd_close(ret_fd);
		return -1;
	}
	*ret = (struct dash_local){ .path = pl_strdup(path),
				    .device = st.st_dev,
				    .inode = st.st_ino };
	return 0;
}

void dash_local_done(struct dash_local *local)
{
	struct stat st;

	if (local->path != NULL && lstat(local->path, &st) == 0 && st.st_dev == local->device &&
	    st.st_ino == local->inode)
		(void)unlink(local->path);
	free(pl_take(local->path));
}

bool dash_local_is_ours(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}
