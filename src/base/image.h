/*
 * Arrays in a file, as they are in memory, so that they are read as fast as the disk. Only the same version of the
 * program on the same kind of machine reads them. The reader refuses any other file, and one that was cut or changed.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>

#define PL_IMAGE_PARTS_MAX 1024

struct pl_image_part {
	const void *bytes;
	size_t len;
};

/*
 * `form` says what the parts are: the reader needs the same text. It must change whenever their layout or meaning
 * does; the version of the program is part of it. count is at most PL_IMAGE_PARTS_MAX.
 */
int pl_image_write(int fd, const char *form, const struct pl_image_part *parts, size_t count,
		   struct pl_err *err) PL_MUST_CHECK;

struct pl_image;
/*
 * Reads an image from the start of a file. Returns -1 with INVALID if it is not one of this form, or its parts have more
 * than bytes_max.
 */
int pl_image_read(int fd, const char *form, size_t bytes_max, struct pl_image **ret,
		  struct pl_err *err) PL_MUST_CHECK;
void pl_image_free(struct pl_image *image);
PL_AUTO_DEFINE(struct pl_image, pl_image_free);
#define auto_image PL_AUTO(pl_image_free)

size_t pl_image_count(const struct pl_image *image);
/*
 * Moves the next part to the caller, who frees it with free(). *ret_count: the number of its items. Returns NULL if no
 * part remains, or it is not a whole number of items. An empty part is not NULL.
 */
void *pl_image_take(struct pl_image *image, size_t item_size, size_t *ret_count);
