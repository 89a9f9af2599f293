#include "host/lock/port.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "host/user.h"

#define TABLE_BYTES_MAX   (64u << 20)
#define COMMAND_BYTES_MAX 65536
#define COMMAND_SHOWN_MAX 100
#define STATE_LISTEN      0x0A

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
	auto_free char *text = NULL;
	struct pl_err ignored = PL_ERR_INIT;

	if (pl_file_read(table, TABLE_BYTES_MAX, &text, NULL, &ignored) < 0)
		return false;
	for (char *rest = text, *row; (row = strsep(&rest, "\n")) != NULL;) {
		if (row_listens(row, port, ret_uid, ret_inode))
			return true;
	}
	return false;
}

static bool has_socket(const char *pid, const char *wanted)
{
	auto_free char *path = pl_asprintf("/proc/%s/fd", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
		char target[64];
		ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = '\0';
		found = strcmp(target, wanted) == 0;
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

/* Other users' descriptors cannot be seen; 0: not found. */
static long find_process(unsigned long inode)
{
	auto_free char *wanted = pl_asprintf("socket:[%lu]", inode);
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	long pid = 0;

	while (dir != NULL && pid == 0 && (entry = readdir(dir)) != NULL) {
		if (isdigit((unsigned char)entry->d_name[0]) && has_socket(entry->d_name, wanted))
			pid = strtol(entry->d_name, NULL, 10);
	}
	if (dir != NULL)
		closedir(dir);
	return pid;
}

/*
 * The first words of its command line, up to the first option: behind one there may be a secret.
 * "": not readable.
 */
static void read_command(long pid, char shown[COMMAND_SHOWN_MAX])
{
	auto_free char *path = pl_asprintf("/proc/%ld/cmdline", pid);
	auto_free char *text = NULL;
	struct pl_err ignored = PL_ERR_INIT;
	size_t len = 0, used = 0;

	shown[0] = '\0';
	if (pl_file_read(path, COMMAND_BYTES_MAX, &text, &len, &ignored) < 0)
		return;
	for (const char *word = text; word < text + len; word += strlen(word) + 1) {
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

	return find_listener(port, &uid, &inode) ? (pid_t)find_process(inode) : 0;
}

char *host_port_listener(uint16_t port)
{
	unsigned uid = 0;
	unsigned long inode = 0;
	char command[COMMAND_SHOWN_MAX];

	if (!find_listener(port, &uid, &inode))
		return NULL;
	auto_free char *user = host_user_name(uid);
	auto_free char *number = pl_asprintf("%u", uid);
	const char *name = user != NULL ? user : number;
	long pid = find_process(inode);
	if (pid == 0)
		return pl_asprintf("a process of user '%s'", name);
	read_command(pid, command);
	return pl_asprintf("pid %ld '%s' of user '%s'", pid, command, name);
}
