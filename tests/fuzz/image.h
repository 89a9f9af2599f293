/*
 * An image (base/image.h) with changes and a right checksum. Each change has 12 bytes: the part, the offset as two bytes,
 * the length, and 8 bytes of which as many are written as the length says. A length above 8 cuts the part at the offset.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/image.h"

#define IMAGE_CHANGE_BYTES 12
#define IMAGE_BYTES_MAX    ((size_t)64 << 20)
#define IMAGE_FORM_AT      8 /* after the magic number */
#define IMAGE_FORM_BYTES   200

static inline void image_must(bool holds)
{
	if (!holds)
		abort();
}

static inline int image_file(void)
{
	int fd = memfd_create("image", MFD_CLOEXEC);

	image_must(fd >= 0);
	return fd;
}

static inline void image_change(struct pl_image_part *parts, char **bytes, size_t count,
				const uint8_t *change)
{
	size_t part = change[0], at = change[1] | (size_t)change[2] << 8, len = change[3];

	if (part >= count || at > parts[part].len)
		return;
	if (len > 8)
		parts[part].len = at;
	else if (len <= parts[part].len - at)
		memcpy(bytes[part] + at, change + 4, len);
}

/* Replaces the image in *fd, a memfd. Its parts may be changed and cut in any way. */
static inline void image_apply(int *fd, const uint8_t *changes, size_t len)
{
	char form[IMAGE_FORM_BYTES + 1] = "";
	struct pl_image_part parts[PL_IMAGE_PARTS_MAX];
	char *bytes[PL_IMAGE_PARTS_MAX];
	auto_image struct pl_image *image = NULL;

	image_must(pread(*fd, form, IMAGE_FORM_BYTES, IMAGE_FORM_AT) == IMAGE_FORM_BYTES);
	image_must(lseek(*fd, 0, SEEK_SET) == 0);
	image_must(pl_image_read(*fd, form, IMAGE_BYTES_MAX, &image, PL_ERR_IGNORED) == 0);
	size_t count = pl_image_count(image);
	for (size_t i = 0; i < count; i++) {
		bytes[i] = pl_image_take(image, 1, &parts[i].len);
		parts[i].bytes = bytes[i];
	}
	for (; len >= IMAGE_CHANGE_BYTES; len -= IMAGE_CHANGE_BYTES, changes += IMAGE_CHANGE_BYTES)
		image_change(parts, bytes, count, changes);
	pl_fd_close(fd);
	*fd = image_file();
	image_must(pl_image_write(*fd, form, parts, count, PL_ERR_IGNORED) == 0);
	image_must(lseek(*fd, 0, SEEK_SET) == 0);
	for (size_t i = 0; i < count; i++)
		free(bytes[i]);
}
