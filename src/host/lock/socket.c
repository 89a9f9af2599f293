/*
 * Whether a socket file is in use. connect() detects a listening socket, in any namespace.
 * /proc/net/unix also lists one that is only bound: vLLM binds its socket minutes before it
 * listens.
 */
#include "host/lock/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

#define BOUND_LIST "/proc/net/unix"

/* The last part of a path. */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/*
 * Returns whether both paths may name the same file; for a relative path the directory is unknown,
 * so only the names are compared.
 */
static bool may_be_same(const char *bound, const char *path)
{
	if (bound[0] == '/' && path[0] == '/')
		return strcmp(bound, path) == 0;
	return strcmp(base_of(bound), base_of(path)) == 0;
}

static bool is_bound(const char *path)
{
	auto_free char *real = realpath(path, NULL);
	FILE *list = fopen(BOUND_LIST, "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	if (list == NULL)
		return false;
	while (!found && getline(&line, &room, list) > 0) {
		char *at = line;
		at[strcspn(at, "\n")] = '\0';
		for (int i = 0; i < 7; i++) {
			at += strspn(at, " ");
			at += strcspn(at, " ");
		}
		at += strspn(at, " ");
		const char *bound = *at != '\0' && *at != '@' ? at : NULL;
		found = bound != NULL &&
			(may_be_same(bound, path) || (real != NULL && may_be_same(bound, real)));
	}
	free(line);
	fclose(list);
	return found;
}

/* Returns 0 if no process listens, otherwise the reason as an errno. */
static int try_connect(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int why = 0;

	if (fd < 0)
		return errno;
	memcpy(addr.sun_path, path, strlen(path));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
		why = EADDRINUSE;
	else if (errno != ECONNREFUSED && errno != ENOENT)
		why = errno == EAGAIN || errno == EPROTOTYPE ? EADDRINUSE : errno;
	close(fd);
	return why;
}

/* *ret_stale: a socket that no process holds is at the path. */
static int look(const char *path, bool *ret_stale, struct pl_err *err)
{
	struct sockaddr_un addr;
	struct stat at;

	*ret_stale = false;
	if (lstat(path, &at) < 0)
		return errno == ENOENT
			       ? 0
			       : pl_err_errno(err, "could not read the attributes of '%s'", path);
	if (!S_ISSOCK(at.st_mode))
		return pl_err_invalid(err,
				      "server.uds: '%s' exists and is not a socket; use another "
				      "path or remove the file",
				      path);
	if (strlen(path) >= sizeof(addr.sun_path))
		return pl_err_invalid(err, "server.uds: found %zu bytes, expected at most %zu",
				      strlen(path), sizeof(addr.sun_path) - 1);
	int why = is_bound(path) ? EADDRINUSE : try_connect(path);
	if (why == EADDRINUSE)
		return pl_err_set(err, PL_ERR_BUSY,
				  "server.uds: a running process holds the socket '%s'", path);
	if (why != 0)
		return pl_err_set(err, PL_ERR_BUSY,
				  "server.uds: could not check whether a process uses the socket "
				  "'%s' (%s); remove it if none does",
				  path, strerror(why));
	*ret_stale = true;
	return 0;
}

int host_socket_check(const char *path, struct pl_err *err)
{
	bool stale;

	return look(path, &stale, err);
}

int host_socket_clear(const char *path, struct pl_err *err)
{
	bool stale;

	if (look(path, &stale, err) < 0)
		return -1;
	if (stale && unlink(path) < 0 && errno != ENOENT)
		return pl_err_errno(err, "could not remove the socket '%s'", path);
	return 0;
}
