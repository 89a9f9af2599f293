#include "base/image.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define FORM_BYTES 200
#define MAGIC      UINT64_C(0x70726f66696d6731) /* differs in the other byte order */
#define PRIME      UINT64_C(0x9e3779b185ebca87)
#define LANES      4

/*
 *	head │ lengths of the parts │ part │ part │ …
 */
struct head {
	uint64_t magic;
	char form[FORM_BYTES]; /* padded with NUL */
	uint64_t count;
	uint64_t sum; /* of the lengths and the parts */
};

struct pl_image {
	size_t count;
	size_t next;
	uint64_t lens[PL_IMAGE_PARTS_MAX];
	void *parts[PL_IMAGE_PARTS_MAX]; /* NULL: taken, or not read yet */
};

/* ---- the sum --------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum ^= word;
	return (sum << 29 | sum >> 35) * PRIME;
}

/* Continues the sum of the bytes before. Each word can be concluded from the sums before and after it: a change shows. */
static uint64_t sum_of(uint64_t sum, const void *bytes, size_t len)
{
	/* an empty part may be NULL */
	const char *at = bytes != NULL ? bytes : "", *end = at + len;
	uint64_t lanes[LANES] = { sum, 1, 2, 3 }, words[LANES];

	/* lanes do not wait for each other */
	for (; (size_t)(end - at) >= sizeof(words); at += sizeof(words)) {
		memcpy(words, at, sizeof(words));
		for (size_t i = 0; i < LANES; i++)
			lanes[i] = mix(lanes[i], words[i]);
	}
	memset(words, 0, sizeof(words));
	if (at < end)
		memcpy(words, at, (size_t)(end - at));
	for (size_t i = 0; i < LANES; i++)
		lanes[0] = mix(mix(lanes[0], words[i]), i > 0 ? lanes[i] : len);
	return lanes[0];
}

static uint64_t sum_of_parts(const struct pl_image_part *parts, const uint64_t *lens, size_t count)
{
	uint64_t sum = sum_of(MAGIC, lens, count * sizeof(lens[0]));

	for (size_t i = 0; i < count; i++)
		sum = sum_of(sum, parts[i].bytes, parts[i].len);
	return sum;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void set_form(struct head *head, const char *form)
{
	size_t len = strlen(form);

	memcpy(head->form, form, len < FORM_BYTES ? len : FORM_BYTES - 1);
}

int pl_image_write(int fd, const char *form, const struct pl_image_part *parts, size_t count,
		   struct pl_err *err)
{
	struct head head = { .magic = MAGIC, .count = count };
	auto_free uint64_t *lens = pl_alloc_array(count, sizeof(*lens));

	for (size_t i = 0; i < count; i++)
		lens[i] = parts[i].len;
	set_form(&head, form);
	head.sum = sum_of_parts(parts, lens, count);
	if (pl_fd_write(fd, (const char *)&head, sizeof(head)) < 0 ||
	    pl_fd_write(fd, (const char *)lens, count * sizeof(*lens)) < 0)
		return pl_err_errno(err, "could not write an image");
	for (size_t i = 0; i < count; i++) {
		if (pl_fd_write(fd, parts[i].bytes, parts[i].len) < 0)
			return pl_err_errno(err, "could not write an image");
	}
	return 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

static int read_bytes(int fd, void *bytes, size_t len, struct pl_err *err)
{
	for (char *at = bytes, *end = at + len; at < end;) {
		ssize_t got = TEMP_FAILURE_RETRY(read(fd, at, (size_t)(end - at)));
		if (got < 0)
			return pl_err_errno(err, "could not read an image");
		if (got == 0)
			return pl_err_invalid(err, "the image is truncated");
		at += got;
	}
	return 0;
}

static int read_head(int fd, const char *form, struct head *ret, struct pl_err *err)
{
	struct head expected = { .magic = MAGIC };

	set_form(&expected, form);
	if (read_bytes(fd, ret, sizeof(*ret), err) < 0)
		return -1;
	if (ret->magic != expected.magic ||
	    memcmp(ret->form, expected.form, sizeof(expected.form)) != 0 ||
	    ret->count > PL_IMAGE_PARTS_MAX)
		return pl_err_invalid(err, "the image has another form");
	return 0;
}

/* The file has exactly as many bytes as its parts, so that none is allocated for missing bytes. */
static int check_lens(int fd, const struct pl_image *image, size_t bytes_max, struct pl_err *err)
{
	uint64_t total = 0;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pl_err_errno(err, "could not read an image");
	for (size_t i = 0; i < image->count; i++) {
		if (image->lens[i] > bytes_max - total)
			return pl_err_invalid(err, "the image has more than %zu bytes", bytes_max);
		total += image->lens[i];
	}
	if ((uint64_t)st.st_size !=
	    sizeof(struct head) + image->count * sizeof(image->lens[0]) + total)
		return pl_err_invalid(err, "the image is truncated");
	return 0;
}

int pl_image_read(int fd, const char *form, size_t bytes_max, struct pl_image **ret,
		  struct pl_err *err)
{
	auto_image struct pl_image *image = pl_alloc(sizeof(*image));
	struct pl_image_part parts[PL_IMAGE_PARTS_MAX];
	struct head head;

	if (read_head(fd, form, &head, err) < 0 ||
	    read_bytes(fd, image->lens, head.count * sizeof(image->lens[0]), err) < 0)
		return -1;
	image->count = head.count;
	if (check_lens(fd, image, bytes_max, err) < 0)
		return -1;
	for (size_t i = 0; i < image->count; i++) {
		image->parts[i] = pl_alloc(image->lens[i]);
		parts[i] = (struct pl_image_part){ image->parts[i], image->lens[i] };
		if (read_bytes(fd, image->parts[i], image->lens[i], err) < 0)
			return -1;
	}
	if (sum_of_parts(parts, image->lens, image->count) != head.sum)
		return pl_err_invalid(err, "the image was changed");
	*ret = pl_take(image);
	return 0;
}

void pl_image_free(struct pl_image *image)
{
	if (image == NULL)
		return;
	for (size_t i = 0; i < image->count; i++)
		free(image->parts[i]);
	free(image);
}

size_t pl_image_count(const struct pl_image *image)
{
	return image->count;
}

void *pl_image_take(struct pl_image *image, size_t item_size, size_t *ret_count)
{
	size_t at = image->next;

	if (at == image->count || image->lens[at] % item_size != 0)
		return NULL;
	*ret_count = image->lens[at] / item_size;
	image->next++;
	return pl_take(image->parts[at]);
}
