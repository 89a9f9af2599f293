#include "store/artifacts/prepared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "base/unique.h"
#include "store/artifacts/files.h"
#include "store/artifacts/prepared_priv.h"
#include "store/store_priv.h"

#define DIGITS       "0123456789"
#define ABANDONED_NS (PL_NS_PER_S * 3600) /* since the last write to a file that is being written */

static char *folder_of(const struct store_files *files)
{
	return pl_asprintf("%s/prepared", store_files_folder(files));
}

/* ---- reading --------------------------------------------------------------------------------- */

int store_prepared_open(struct store *store, const char *sha256, const char *form, int *ret_fd,
			struct pl_err *err)
{
	if (store->files == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "no directory for artifacts is set");
	auto_free char *folder = folder_of(store->files);
	auto_free char *path = pl_asprintf("%s/%s.%s", folder, sha256, form);
	/* a pipe without a writer would never open */
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "'%s' is missing", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return pl_err_invalid(err, "'%s' is not a regular file", path);
	/* for the order of removal; without this right, the order is that of writing */
	(void)futimens(fd, NULL);
	*ret_fd = pl_take_fd(fd);
	return 0;
}

/* ---- removal --------------------------------------------------------------------------------- */

struct found {
	char *path;
	int64_t bytes;
	int64_t time_ns;
};

struct list {
	struct found *items;
	size_t count;
	size_t room;
	int64_t bytes;
};

static void list_done(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].path);
	free(list->items);
}

/* Returns the hash of the artifact, or NULL if the name is none of a complete file. free() */
static char *sha256_of(const char *name)
{
	auto_free char *sha256 = pl_strndup(name, STORE_SHA256_LEN);

	return store_sha256_is(sha256) && name[STORE_SHA256_LEN] == '.' ? pl_take(sha256) : NULL;
}

/* Returns whether it is the name of a file that is being written: PROCESS-NUMBER.new. */
static bool is_new(const char *name)
{
	size_t process = strspn(name, DIGITS), number;

	if (process == 0 || name[process] != '-')
		return false;
	number = strspn(name + process + 1, DIGITS "abcdef");
	return number > 0 && strcmp(name + process + 1 + number, ".new") == 0;
}

static bool is_artifact(const struct store_files *files, const char *sha256)
{
	return store_files_bytes(files, sha256) >= 0;
}

/* Returns whether no one needs the file: its artifact is gone, or its writer. */
static bool is_useless(const struct store_files *files, const char *sha256, int64_t time_ns)
{
	return sha256 != NULL ? !is_artifact(files, sha256)
			      : time_ns < pl_clock_real_ns() - ABANDONED_NS;
}

/* Removes useless files, and adds the others. The directory may have been the user's before: other names are not ours. */
static void look(const struct store_files *files, struct list *ret)
{
	auto_free char *folder = folder_of(files);
	auto_dir dir = opendir(folder);
	const char *name;
	struct stat st;

	while ((name = pl_dir_next(dir)) != NULL) {
		auto_free char *path = pl_asprintf("%s/%s", folder, name);
		auto_free char *sha256 = sha256_of(name);
		if ((sha256 == NULL && !is_new(name)) || lstat(path, &st) < 0)
			continue;
		int64_t time_ns = st.st_mtim.tv_sec * PL_NS_PER_S + st.st_mtim.tv_nsec;
		if (is_useless(files, sha256, time_ns)) {
			unlink(path);
			continue;
		}
		ret->bytes += st.st_size;
		*PL_PUSH(ret->items, ret->count, ret->room) = (struct found){ pl_take(path),
									      st.st_size, time_ns };
	}
}

static int by_time(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

static void keep_bounded(const struct store_files *files)
{
	__attribute__((cleanup(list_done))) struct list list = { 0 };

	look(files, &list);
	if (list.bytes <= STORE_PREPARED_BYTES_MAX)
		return;
	qsort(list.items, list.count, sizeof(list.items[0]), by_time);
	for (size_t i = 0; i < list.count && list.bytes > STORE_PREPARED_BYTES_MAX; i++) {
		unlink(list.items[i].path);
		list.bytes -= list.items[i].bytes;
	}
}

void store_prepared_sweep(const struct store_files *files)
{
	__attribute__((cleanup(list_done))) struct list list = { 0 };

	look(files, &list);
}

void store_prepared_drop(const struct store_files *files, const char *sha256)
{
	auto_free char *folder = folder_of(files);
	auto_dir dir = opendir(folder);
	const char *name;

	while ((name = pl_dir_next(dir)) != NULL) {
		auto_free char *path = pl_asprintf("%s/%s", folder, name);
		auto_free char *owner = sha256_of(name);
		if (owner != NULL && strcmp(owner, sha256) == 0)
			unlink(path);
	}
}

/* ---- writing --------------------------------------------------------------------------------- */

static int check_space(const char *folder, struct pl_err *err)
{
	struct statvfs disk;

	if (statvfs(folder, &disk) < 0)
		return pl_err_errno(err, "could not read the free space of '%s'", folder);
	/* some network file systems report no block size */
	if (disk.f_frsize > 0 &&
	    (int64_t)disk.f_bavail < STORE_PREPARED_BYTES_MAX / (int64_t)disk.f_frsize)
		return pl_err_set(err, PL_ERR_FULL, "the disk of '%s' is almost full", folder);
	return 0;
}

/* Not synced: after a power failure, the reader's checksum refuses what was lost. */
static int write_file(const char *path, store_prepared_save_fn *save, const void *data,
		      struct pl_err *err)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return pl_err_errno(err, "could not write '%s'", path);
	return save(data, fd, err);
}

int store_prepared_write(struct store *store, const char *sha256, const char *form,
			 store_prepared_save_fn *save, const void *data, struct pl_err *err)
{
	if (store->files == NULL || !is_artifact(store->files, sha256))
		return pl_err_set(err, PL_ERR_NOT_FOUND, "the artifact was removed");
	auto_free char *folder = folder_of(store->files);
	auto_free char *path = pl_asprintf("%s/%s.%s", folder, sha256, form);
	auto_free char *new = pl_asprintf("%s/%d-%08x.new", folder, (int)getpid(),
					  (unsigned)pl_unique_u32());

	if (pl_file_make_dir(folder, 0700, err) < 0 || check_space(folder, err) < 0)
		return -1;
	if (write_file(new, save, data, err) < 0) {
		unlink(new);
		return -1;
	}
	if (rename(new, path) < 0) {
		pl_err_errno(err, "could not write '%s'", path);
		unlink(new);
		return -1;
	}
	/* a sweep may have run meanwhile */
	if (!is_artifact(store->files, sha256))
		unlink(path);
	keep_bounded(store->files);
	return 0;
}
