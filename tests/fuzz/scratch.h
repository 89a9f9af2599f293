/*
 * A directory of the fuzz target's own: in TMPDIR where that is set and short, else in memory where the host has /dev/shm. It is removed
 * at exit; what a crash leaves goes with TMPDIR, which the caller removes.
 */
#pragma once

#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch[96];

static int scratch_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void scratch_remove(void)
{
	nftw(scratch, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Makes the directory at the first call and returns its path. */
static inline const char *scratch_path(void)
{
	if (scratch[0] == '\0') {
		const char *above = getenv("TMPDIR");
		if (above == NULL ||
		    strlen(above) + sizeof("/profllm-fuzz-XXXXXX") > sizeof(scratch))
			above = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
		snprintf(scratch, sizeof(scratch), "%s/profllm-fuzz-XXXXXX", above);
		if (mkdtemp(scratch) == NULL)
			abort();
		atexit(scratch_remove);
	}
	return scratch;
}

/* Writes a file of the directory, mode 0600, and returns its path, valid until the next call. */
static inline const char *scratch_write(const char *name, const void *data, size_t len)
{
	static char path[224];

	snprintf(path, sizeof(path), "%s/%s", scratch_path(), name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len || close(fd) != 0)
		abort();
	return path;
}
