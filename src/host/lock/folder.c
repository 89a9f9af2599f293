#include "host/lock/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/unique.h"
#include "host/lock/lock.h"
#include "host/user.h"

#define SHARED_MODE  01777
#define PRIVATE_MODE 0700
#define TRIES        16

/*
 * Makes a directory that has its final mode when it becomes visible: makes it under a temporary
 * name, then renames it. Returns -1 with errno; EEXIST: another one exists.
 */
static int make_folder(int parent_fd, const char *name, mode_t mode)
{
	char user_folder[64];

	snprintf(user_folder, sizeof(user_folder), ".profllm.%ld.%08x", (long)getpid(),
		 pl_unique_u32());
	if (mkdirat(parent_fd, user_folder, PRIVATE_MODE) < 0)
		return -1;
	if (fchmodat(parent_fd, user_folder, mode, 0) == 0 &&
	    renameat2(parent_fd, user_folder, parent_fd, name, RENAME_NOREPLACE) == 0)
		return 0;
	int code = errno;
	unlinkat(parent_fd, user_folder, AT_REMOVEDIR);
	/* a file system without RENAME_NOREPLACE: for a moment it is ours alone */
	if (code == EINVAL && mkdirat(parent_fd, name, PRIVATE_MODE) == 0)
		return fchmodat(parent_fd, name, mode, 0);
	errno = code == EINVAL ? EEXIST : code;
	return -1;
}

/*
 * Checks that others cannot remove our files: either the sticky bit prevents it, or only the owner
 * may write. A sticky directory may have any owner, because the first user creates it.
 */
static int check_folder(int fd, const char *path, struct pl_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pl_err_errno(err, "lock directory '%s'", path);
	if (st.st_mode & S_ISVTX)
		return 0;
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0 && (st.st_uid == 0 || st.st_uid == geteuid()))
		return 0;
	return pl_err_set(
		err, PL_ERR_IO,
		"lock directory '%s' is unsafe: found mode %04o of user %u, expected 1777", path,
		(unsigned)(st.st_mode & 07777), (unsigned)st.st_uid);
}

static int not_a_folder(const char *path, struct pl_err *err)
{
	struct stat st;
	bool is_link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);

	return pl_err_set(err, PL_ERR_IO,
			  "lock directory '%s' is unsafe: found a %s, expected a directory", path,
			  is_link ? "symlink" : "file");
}

/* 0 with *ret_fd; -1 with err, or with err->code PL_ERR_NOT_FOUND where it cannot be made. */
static int open_at(const char *path, mode_t mode, int *ret_fd, struct pl_err *err)
{
	auto_free char *parent = pl_file_dir(path);
	auto_free char *name = pl_file_name(path);
	auto_fd int parent_fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; parent_fd >= 0 && i < TRIES; i++) {
		/*
		 * Uses the descriptor from here on: the checked directory is the one used, even if
		 * it is replaced.
		 */
		auto_fd int fd = openat(parent_fd, name,
					O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0) {
			/* Adds the missing permissions to HOST_LOCK_FOLDER if we own it and others cannot write to it. */
			struct stat st;
			if (strcmp(path, HOST_LOCK_FOLDER) == 0 && fstat(fd, &st) == 0 &&
			    st.st_uid == geteuid() && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
				(void)!fchmod(fd, SHARED_MODE);
			if (check_folder(fd, path, err) < 0)
				return -1;
			*ret_fd = pl_take_fd(fd);
			return 0;
		}
		if (errno == ENOTDIR || errno == ELOOP)
			return not_a_folder(path, err);
		if (errno != ENOENT || (make_folder(parent_fd, name, mode) < 0 && errno != EEXIST))
			break;
	}
	pl_err_errno(err, "could not open or create lock directory '%s'", path);
	err->code = PL_ERR_NOT_FOUND;
	return -1;
}

/*
 * Used if /run/lock is not writable (a container, an unprivileged user): locks among the user's own
 * runs are better than none, and a warning says so.
 */
static int open_personal(const struct pl_err *why, int *ret_fd, char **ret_path, char **ret_warning,
			 struct pl_err *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (runtime == NULL || runtime[0] != '/')
		return pl_err_set(err, PL_ERR_NOT_FOUND,
				  "%s; set PROFLLM_LOCK_DIR to a directory that all users share",
				  why->text);
	auto_free char *path = pl_asprintf("%s/profllm", runtime);
	if (open_at(path, PRIVATE_MODE, ret_fd, err) < 0)
		return pl_err_wrap(err, "%s", why->text);
	*ret_warning = pl_asprintf("%s: using locks in '%s', which runs of other users do not see",
				   why->text, path);
	*ret_path = pl_take(path);
	return 0;
}

/* The sticky bit does not keep the directory's owner from removing files. NULL: the owner is trusted. */
static char *owner_warning(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_uid == 0 || st.st_uid == geteuid())
		return NULL;
	auto_free char *user = host_user_name(st.st_uid);
	return pl_asprintf("lock directory '%s' belongs to user '%s', who can remove the locks of "
			   "other users; 'chown root %s' as root prevents it",
			   path, user, path);
}

int host_lock_folder_open(int *ret_fd, char **ret_path, char **ret_warning, struct pl_err *err)
{
	const char *named = getenv("PROFLLM_LOCK_DIR");
	const char *path = named != NULL && named[0] != '\0' ? named : HOST_LOCK_FOLDER;
	struct pl_err why = PL_ERR_INIT;

	*ret_warning = NULL;
	if (open_at(path, SHARED_MODE, ret_fd, &why) == 0) {
		*ret_path = pl_strdup(path);
		*ret_warning = owner_warning(*ret_fd, path);
		return 0;
	}
	/* A directory set by the user that cannot be used is an error: the user meant that one. */
	if (why.code == PL_ERR_NOT_FOUND && path != named)
		return open_personal(&why, ret_fd, ret_path, ret_warning, err);
	*err = why;
	if (err->code == PL_ERR_NOT_FOUND)
		err->code = PL_ERR_IO;
	return -1;
}
