/*
 * A folder of a test's own, removed with what is in it (files only) when the test ends.
 */
#ifndef TEST_BASE_SCRATCH_H
#define TEST_BASE_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scratch {
	char dir[64];
	char path[320]; /* the last one asked for */
};

static inline int scratch_setup(void **state)
{
	struct scratch *scratch = calloc(1, sizeof(*scratch));

	strcpy(scratch->dir, "/tmp/profllm-test-XXXXXX");
	*state = scratch;
	return mkdtemp(scratch->dir) == NULL ? -1 : 0;
}

static inline const char *scratch_path(struct scratch *scratch, const char *name)
{
	snprintf(scratch->path, sizeof(scratch->path), "%s/%s", scratch->dir, name);
	return scratch->path;
}

/* Files in the folder; with `remove_them` they are gone afterwards. */
static inline int scratch_count(struct scratch *scratch, int remove_them)
{
	DIR *dir = opendir(scratch->dir);
	struct dirent *entry;
	int count = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		char path[400];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		count++;
		snprintf(path, sizeof(path), "%s/%s", scratch->dir, entry->d_name);
		if (remove_them && unlink(path) < 0)
			rmdir(path);
	}
	if (dir != NULL)
		closedir(dir);
	return count;
}

static inline int scratch_teardown(void **state)
{
	struct scratch *scratch = *state;

	scratch_count(scratch, 1);
	rmdir(scratch->dir);
	free(scratch);
	return 0;
}

#define scratch_test(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

#endif
