#include "dash/observe/notify.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/* Set before the first thread and read by all afterwards. */
static int socket_fd = -1;
static int64_t watchdog_ns;

/* A path, or a name of the abstract namespace after '@'. */
static int connect_to(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = strlen(path);

	if ((path[0] != '/' && path[0] != '@') || len < 2 || len >= sizeof(addr.sun_path))
		return -1;
	memcpy(addr.sun_path, path, len);
	if (path[0] == '@')
		addr.sun_path[0] = '\0';
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, size) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int64_t read_watchdog(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	int64_t us, process;

	if (usec == NULL || !pl_text_to_i64(usec, &us) || us <= 0 || us > INT64_MAX / PL_NS_PER_US)
		return 0;
	/* that of another process of the service */
	if (pid != NULL && (!pl_text_to_i64(pid, &process) || process != getpid()))
		return 0;
	return us * PL_NS_PER_US;
}

void dash_notify_init(void)
{
	const char *path = getenv("NOTIFY_SOCKET");

	if (path != NULL)
		socket_fd = connect_to(path);
	if (socket_fd >= 0)
		watchdog_ns = read_watchdog();
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void dash_notify(const char *format, ...)
{
	char message[512];
	va_list args;

	if (socket_fd < 0)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	ssize_t ignored = send(socket_fd, message, strlen(message), MSG_NOSIGNAL);
	(void)ignored;
}

bool dash_notify_is_managed(void)
{
	return socket_fd >= 0;
}

int64_t dash_notify_watchdog_ns(void)
{
	return watchdog_ns;
}
