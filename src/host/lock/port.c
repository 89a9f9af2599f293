#include "host/lock/port.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/unique.h"
#include "host/proc/stat.h"
#include "host/user.h"
#include "io/sock.h"

#define LOCAL_RANGE     "/proc/sys/net/ipv4/ip_local_port_range"
#define SPAN            (HOST_PORT_LAST - HOST_PORT_FIRST + 1)
#define NAME_BYTES      32
#define RANGE_BYTES_MAX 4096

#define TABLE_BYTES_MAX   (64u << 20)
#define COMMAND_BYTES_MAX 65536
#define COMMAND_SHOWN_MAX 100
#define STATE_LISTEN      0x0A /* TCP_LISTEN of the kernel's include/net/tcp_states.h */

/* ---- who listens ---- */

/* A row of /proc/net/tcp: local address, state, uid, inode. False: no listener on the port. */
static bool row_listens(const char *row, uint16_t port, unsigned *ret_uid, unsigned long *ret_inode)
{
	unsigned local_port, state, uid;
	unsigned long inode;

	if (sscanf(row,
		   " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*x:%*x %*x:%*x %*x %u %*d %lu",
		   &local_port, &state, &uid, &inode) != 4 ||
	    local_port != port || state != STATE_LISTEN)
		return false;
	*ret_uid = uid;
	*ret_inode = inode;
	return true;
}

static bool find_socket(const char *table, uint16_t port, unsigned *ret_uid,
			unsigned long *ret_inode)
{
	auto_free char *text = pl_file_text(table, TABLE_BYTES_MAX, NULL);

	for (char *rest = text, *row; (row = strsep(&rest, "\n")) != NULL;) {
		if (row_listens(row, port, ret_uid, ret_inode))
			return true;
	}
	return false;
}

static bool has_socket(pid_t pid, const char *wanted)
{
	auto_free char *path = pl_asprintf("/proc/%d/fd", (int)pid);
	auto_dir dir = opendir(path);
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL) {
		char target[64];
		ssize_t len = readlinkat(dirfd(dir), name, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = '\0';
		if (strcmp(target, wanted) == 0)
			return true;
	}
	return false;
}

/* Other users' descriptors cannot be seen; 0: not found. */
static pid_t find_process(unsigned long inode)
{
	auto_free char *wanted = pl_asprintf("socket:[%lu]", inode);
	auto_dir dir = opendir("/proc");
	pid_t pid;

	while (host_proc_next(dir, &pid)) {
		if (has_socket(pid, wanted))
			return pid;
	}
	return 0;
}

/*
 * Reads the first words of its command line, up to the first option, whose value may be a secret.
 * "": not readable.
 */
static void read_command(pid_t pid, char shown[COMMAND_SHOWN_MAX])
{
	auto_free char *path = pl_asprintf("/proc/%d/cmdline", (int)pid);
	size_t len = 0, used = 0;
	auto_free char *text = pl_file_text(path, COMMAND_BYTES_MAX, &len);

	shown[0] = '\0';
	for (const char *word = text; text != NULL && word < text + len; word += strlen(word) + 1) {
		if (word > text && word[0] == '-' && strcmp(word, "-m") != 0)
			break;
		int added = snprintf(shown + used, COMMAND_SHOWN_MAX - used, "%s%s",
				     used > 0 ? " " : "", word);
		if (added < 0 || (used += (size_t)added) >= COMMAND_SHOWN_MAX)
			break;
	}
	for (char *at = shown; *at != '\0'; at++) {
		if ((unsigned char)*at < ' ' || (unsigned char)*at >= 127)
			*at = '?';
	}
}

static bool find_listener(uint16_t port, unsigned *ret_uid, unsigned long *ret_inode)
{
	return find_socket("/proc/net/tcp", port, ret_uid, ret_inode) ||
	       find_socket("/proc/net/tcp6", port, ret_uid, ret_inode);
}

pid_t host_port_listener_pid(uint16_t port)
{
	unsigned uid;
	unsigned long inode;

	return find_listener(port, &uid, &inode) ? find_process(inode) : 0;
}

char *host_port_listener(uint16_t port)
{
	unsigned uid = 0;
	unsigned long inode = 0;
	char command[COMMAND_SHOWN_MAX];

	if (!find_listener(port, &uid, &inode))
		return NULL;
	auto_free char *user = host_user_name(uid);
	pid_t pid = find_process(inode);
	if (pid == 0)
		return pl_asprintf("a process of user '%s'", user);
	read_command(pid, command);
	return pl_asprintf("pid %d '%s' of user '%s'", (int)pid, command, user);
}

/* ---- taking one ---- */

/* With SO_REUSEADDR, ports in TIME_WAIT count as free. */
static int bind_port(const char *host, uint16_t port, int *ret_fd, struct pl_err *err)
{
	struct io_addr addr;
	int on = 1;

	if (io_addr_resolve(host, port, &addr, err) < 0)
		return -1;
	auto_fd int fd = socket(addr.u.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return pl_err_errno(err, "could not create a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* two bound sockets with SO_REUSEADDR do not see each other until one listens */
	if (bind(fd, &addr.u.any, addr.len) < 0 || listen(fd, 1) < 0) {
		int code = errno;
		pl_err_errno(err, "could not use port '%u' of '%s'", port, host);
		if (code == EADDRINUSE)
			err->code = PL_ERR_BUSY;
		return -1;
	}
	*ret_fd = pl_take_fd(fd);
	return 0;
}

static void lock_name(uint16_t number, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "port-%u", (unsigned)number);
}

static int locked_by_another(const struct host_locks *locks, uint16_t number, struct pl_err *err)
{
	char name[NAME_BYTES];

	lock_name(number, name);
	auto_json json_t *holder = host_lock_holder(locks, name);
	auto_free char *text = host_lock_holder_text(holder);
	return pl_err_set(err, PL_ERR_BUSY, "port '%u' is held by %s", (unsigned)number, text);
}

/* Lock first: two runs that try at once must not see each other's trial bind as a server. */
static int take_one(const struct host_locks *locks, const char *host, uint16_t number,
		    const struct host_lock_owner *who, struct host_port *ret, struct pl_err *err)
{
	struct host_port port = HOST_PORT_NONE;
	char name[NAME_BYTES];

	lock_name(number, name);
	port.number = number;
	if (locks != NULL) {
		int taken = host_lock_try(locks, name, HOST_LOCK_EXCLUSIVE, &port.lock_fd, err);
		if (taken < 0)
			return -1;
		if (taken == 0)
			return locked_by_another(locks, number, err);
	}
	if (bind_port(host, number, &port.bound_fd, err) < 0) {
		/* a lock that was only tried has no waiters to notify */
		pl_fd_close(&port.lock_fd);
		return -1;
	}
	if (port.lock_fd >= 0)
		host_lock_write_owner(port.lock_fd, who, NULL);
	*ret = port;
	return 0;
}

static int take_fixed(const struct host_locks *locks, const char *host, uint16_t fixed,
		      const struct host_lock_owner *who, struct host_port *ret, struct pl_err *err)
{
	if (take_one(locks, host, fixed, who, ret, err) == 0)
		return 0;
	auto_free char *listener = err->code == PL_ERR_BUSY ? host_port_listener(fixed) : NULL;
	if (listener != NULL && strstr(err->text, " is held by ") == NULL)
		pl_err_set(err, PL_ERR_BUSY, "port '%u' of '%s' is in use by %s", (unsigned)fixed,
			   host, listener);
	return -1;
}

size_t host_port_usable(const char *local_range, uint16_t ret[SPAN])
{
	unsigned first = 1, last = 0; /* none */
	size_t count = 0;

	if (sscanf(local_range, "%u %u", &first, &last) != 2) {
		first = 1;
		last = 0;
	}
	/*
	 * Outside of the kernel's range for outgoing connections, which could take the port between
	 * our check and the server's bind(), minutes later.
	 */
	for (unsigned port = HOST_PORT_FIRST; port <= HOST_PORT_LAST; port++) {
		if (port < first || port > last)
			ret[count++] = (uint16_t)port;
	}
	for (unsigned port = HOST_PORT_FIRST; count == 0 && port <= HOST_PORT_LAST; port++)
		ret[port - HOST_PORT_FIRST] = (uint16_t)port;
	return count > 0 ? count : SPAN;
}

int host_port_take(const struct host_locks *locks, const char *host, uint16_t fixed,
		   const struct host_lock_owner *who, struct host_port *ret, struct pl_err *err)
{
	auto_free uint16_t *usable = pl_alloc_array(SPAN, sizeof(*usable));
	auto_free char *range = pl_file_text(LOCAL_RANGE, RANGE_BYTES_MAX, NULL);

	if (fixed != 0)
		return take_fixed(locks, host, fixed, who, ret, err);
	size_t count = host_port_usable(range != NULL ? range : "", usable);
	/*
	 * Starts at a random port, so that runs started together do not try the same ports in the
	 * same order.
	 */
	unsigned start = pl_unique_u32();
	for (size_t i = 0; i < count; i++) {
		if (take_one(locks, host, usable[(start + i) % count], who, ret, err) == 0)
			return 0;
		if (err->code != PL_ERR_BUSY)
			return -1;
	}
	return pl_err_set(err, PL_ERR_BUSY, "no free port from %d to %d on '%s'", HOST_PORT_FIRST,
			  HOST_PORT_LAST, host);
}

/* Until the server's bind() the lock keeps other runs away, but not other programs. */
void host_port_unbind(struct host_port *port)
{
	pl_fd_close(&port->bound_fd);
}

void host_port_release(struct host_port *port)
{
	host_port_unbind(port);
	if (port->lock_fd >= 0)
		host_lock_release(port->lock_fd);
	port->lock_fd = -1;
}
