/*
 * All columns of a snapshot as bytes of a file, in the form of this program and processor: a cache that a later process
 * of the same program reads faster than a database.
 * - The bytes are in blocks, each a zstd frame with a checksum. The head has a SHA-256 of itself.
 * - An image has the live rows only. Values of former rows remain in the dictionaries.
 * - Reading accepts any bytes: an image that is damaged, or of another form, fails with INVALID.
 */
#pragma once

#include <stdatomic.h>

#include "base/digest.h"
#include "mirror/mirror.h"

#define MIRROR_IMAGE_TOKEN_LEN 32 /* hexadecimal digits */

struct mirror_image_head {
	char form[PL_SHA256_HEX_BYTES]; /* of the program and its columns: mirror_image_form() */
	char token[MIRROR_IMAGE_TOKEN_LEN + 1]; /* of the writer */
	int64_t version;                        /* of the snapshot */
	uint64_t rows;
};

/*
 * Two mirrors have the same form if they have the same columns in the same order, and programs of the same version.
 * `more` is part of it.
 */
void mirror_image_form(const struct mirror *mirror, int64_t more, char ret[PL_SHA256_HEX_BYTES]);

/*
 * Writes an image from the start of a new file. The head is written last, so that an incomplete image has none. It
 * returns with INTERRUPTED soon after *stop was set.
 */
int mirror_image_write(const struct mirror_snapshot *snapshot, const struct mirror_image_head *head,
		       int fd, const atomic_bool *stop, struct pl_err *err) PL_MUST_CHECK;

/* Reads and checks the head alone. */
int mirror_image_read_head(int fd, struct mirror_image_head *ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Reads an image with up to `threads` threads into a mirror that had no row yet, and sets its version. The caller has
 * compared the form of the head with that of the mirror. If it fails, the mirror is unchanged. Call mirror_publish().
 */
int mirror_image_read(struct mirror *mirror, int fd, unsigned threads,
		      struct pl_err *err) PL_MUST_CHECK;
