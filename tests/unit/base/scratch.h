/*
 * The scratch directory of a test program, in TMPDIR or /tmp. It is made at the first request and
 * removed with its contents when the program ends, even after a failure. A running program locks
 * its directory. The next program removes the directories of programs that were killed.
 */
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH_PATH 160 /* bytes of the paths that are given out */
#define SCRATCH_NAME "profllm-test-"

static char scratch_root[SCRATCH_PATH - 16]; /* "": not made yet */
static pid_t scratch_owner;                  /* a forked child must not end it */

static inline int scratch_remove_one(const char *path, const struct stat *stat, int type,
				     struct FTW *ftw)
{
	(void)stat;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void scratch_remove(const char *folder)
{
	nftw(folder, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void scratch_end(void)
{
	if (getpid() == scratch_owner)
		scratch_remove(scratch_root);
}

/* -1: it is gone, or another living program's. */
static inline int scratch_lock(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && access(folder, F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

static inline void scratch_remove_left(const char *above)
{
	char pattern[SCRATCH_PATH];
	glob_t found = { 0 };

	snprintf(pattern, sizeof(pattern), "%s/" SCRATCH_NAME "??????", above);
	glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = scratch_lock(found.gl_pathv[i]);
		if (fd < 0)
			continue;
		scratch_remove(found.gl_pathv[i]);
		close(fd);
	}
	globfree(&found);
}

static inline const char *scratch_in(void)
{
	const char *above = getenv("TMPDIR");

	if (scratch_root[0] != '\0')
		return scratch_root;
	above = above != NULL && above[0] != '\0' ? above : "/tmp";
	scratch_remove_left(above);
	/* repeat if another program removed the new directory as abandoned */
	do {
		snprintf(scratch_root, sizeof(scratch_root), "%s/" SCRATCH_NAME "XXXXXX", above);
		if (mkdtemp(scratch_root) == NULL) {
			perror(scratch_root);
			abort();
		}
	} while (scratch_lock(scratch_root) < 0);
	scratch_owner = getpid();
	atexit(scratch_end);
	return scratch_root;
}

/* A new empty folder. */
static inline void scratch_folder(char path[SCRATCH_PATH])
{
	snprintf(path, SCRATCH_PATH, "%s/XXXXXX", scratch_in());
	if (mkdtemp(path) == NULL)
		abort();
}

/* A new empty file, open to read and write. */
static inline int scratch_file(char path[SCRATCH_PATH])
{
	snprintf(path, SCRATCH_PATH, "%s/XXXXXX", scratch_in());
	int fd = mkstemp(path);
	if (fd < 0)
		abort();
	return fd;
}

/* A folder for each test that is a scratch_test(). */
struct scratch {
	char dir[SCRATCH_PATH];
	char path[320]; /* the last one asked for */
};

static inline int scratch_setup(void **state)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));

	scratch_folder(scratch->dir);
	*state = scratch;
	return 0;
}

static inline int scratch_teardown(void **state)
{
	free(*state);
	return 0;
}

static inline const char *scratch_path(struct scratch *scratch, const char *name)
{
	snprintf(scratch->path, sizeof(scratch->path), "%s/%s", scratch->dir, name);
	return scratch->path;
}

/* Files in the folder. */
static inline int scratch_count(struct scratch *scratch)
{
	DIR *dir = opendir(scratch->dir);
	struct dirent *entry;
	int count = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	if (dir != NULL)
		closedir(dir);
	return count;
}

#define scratch_test(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)
