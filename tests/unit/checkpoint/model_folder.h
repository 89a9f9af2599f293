/* Small model folders in a temporary directory, for the tests of what is read from them. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch.h"

struct folder {
	char path[SCRATCH_PATH];
};

static inline int folder_setup(void **state)
{
	struct folder *folder = pl_alloc(sizeof(*folder));

	scratch_folder(folder->path);
	*state = folder;
	return 0;
}

static inline int folder_teardown(void **state)
{
	free(*state);
	return 0;
}

static inline char *folder_join(const struct folder *folder, const char *name)
{
	return pl_asprintf("%s/%s", folder->path, name);
}

/* Makes the folders on the way. */
static inline void folder_write(const struct folder *folder, const char *name, const void *data,
				size_t len)
{
	auto_free char *path = folder_join(folder, name);
	struct pl_err err = PL_ERR_INIT;

	for (char *at = path + strlen(folder->path) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = '\0';
		mkdir(path, 0777);
		*at = '/';
	}
	if (pl_file_write(path, data, len, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

static inline void folder_text(const struct folder *folder, const char *name, const char *text)
{
	folder_write(folder, name, text, strlen(text));
}

/* A safetensors file: the head's length, the head and `data_bytes` zeros. */
static inline void folder_tensors(const struct folder *folder, const char *name, const char *head,
				  size_t data_bytes)
{
	size_t len = strlen(head);
	auto_free unsigned char *bytes = pl_alloc(8 + len + data_bytes);

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)((uint64_t)len >> (8 * i));
	memcpy(bytes + 8, head, len);
	folder_write(folder, name, bytes, 8 + len + data_bytes);
}
