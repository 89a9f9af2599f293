#include "base/zst.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

/* 3 is zstd's own default: quick enough that the disk is what a series waits for. */
enum { ZST_LEVEL = 3, ZST_BLOCK_BYTES = 65536 };

struct pl_zst {
	struct pl_file_new file;
	ZSTD_CCtx *context;
};

int pl_zst_open(const char *path, struct pl_zst **ret, struct pl_err *err)
{
	struct pl_zst *zst = pl_alloc(sizeof(*zst));

	if (pl_file_new_open(&zst->file, path, err) < 0) {
		free(zst);
		return -1;
	}
	zst->context = ZSTD_createCCtx();
	if (zst->context == NULL) {
		pl_zst_free(zst);
		return pl_err_set(err, PL_ERR_INTERNAL, "cannot write '%s': no memory", path);
	}
	ZSTD_CCtx_setParameter(zst->context, ZSTD_c_compressionLevel, ZST_LEVEL);
	/* A side file is believed years later: a flipped bit must not become a figure. */
	ZSTD_CCtx_setParameter(zst->context, ZSTD_c_checksumFlag, 1);
	*ret = zst;
	return 0;
}

/* Packs `data` and writes what comes out; with ZSTD_e_end until the frame is complete. */
static int feed(struct pl_zst *zst, const void *data, size_t len, ZSTD_EndDirective end,
		struct pl_err *err)
{
	ZSTD_inBuffer in = { .src = data, .size = len };
	size_t left;

	do {
		char block[ZST_BLOCK_BYTES];
		ZSTD_outBuffer out = { .dst = block, .size = sizeof(block) };
		left = ZSTD_compressStream2(zst->context, &out, &in, end);
		if (ZSTD_isError(left))
			return pl_err_set(err, PL_ERR_INTERNAL, "cannot pack '%s': %s",
					  zst->file.path, ZSTD_getErrorName(left));
		if (fwrite(block, 1, out.pos, zst->file.stream) != out.pos)
			return pl_err_errno(err, "cannot write '%s'", zst->file.path);
	} while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

int pl_zst_write(struct pl_zst *zst, const void *data, size_t len, struct pl_err *err)
{
	return feed(zst, data, len, ZSTD_e_continue, err);
}

int pl_zst_commit(struct pl_zst *zst, struct pl_err *err)
{
	/*
	 * Without its end the frame reads as cut off: who finds such a file knows that its writer
	 * was killed.
	 */
	if (feed(zst, NULL, 0, ZSTD_e_end, err) < 0)
		return -1;
	return pl_file_new_commit(&zst->file, err);
}

void pl_zst_free(struct pl_zst *zst)
{
	if (zst == NULL)
		return;
	pl_file_new_close(&zst->file);
	ZSTD_freeCCtx(zst->context);
	free(zst);
}

static int unpack_into(ZSTD_DCtx *context, const char *path, int fd, struct pl_buf *buf,
		       struct pl_err *err)
{
	char packed[ZST_BLOCK_BYTES];
	char plain[ZST_BLOCK_BYTES];
	/* 0 once a frame is whole; several frames in a row are one text. An empty file is none. */
	size_t left = 1;
	ssize_t got;

	while ((got = TEMP_FAILURE_RETRY(read(fd, packed, sizeof(packed)))) != 0) {
		if (got < 0)
			return pl_err_errno(err, "cannot read '%s'", path);
		ZSTD_inBuffer in = { .src = packed, .size = (size_t)got };
		ZSTD_outBuffer out = { .size = 0 };
		/* a full output block may leave more behind in the decoder */
		while (in.pos < in.size || out.pos == sizeof(plain)) {
			out = (ZSTD_outBuffer){ .dst = plain, .size = sizeof(plain) };
			left = ZSTD_decompressStream(context, &out, &in);
			if (ZSTD_isError(left))
				return pl_err_set(err, PL_ERR_INVALID, "'%s' is not zstd data: %s",
						  path, ZSTD_getErrorName(left));
			if (!pl_buf_add(buf, plain, out.pos))
				return pl_err_set(err, PL_ERR_INVALID,
						  "'%s' is larger than %zu bytes unpacked", path,
						  buf->max);
			if (left == 0 && in.pos == in.size)
				break;
		}
	}
	if (left != 0)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is cut off", path);
	return 0;
}

int pl_zst_read_file(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len,
		     struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_buf buf = PL_BUF(max_bytes);

	if (fd < 0)
		return pl_err_errno(err, "cannot open '%s'", path);
	ZSTD_DCtx *context = ZSTD_createDCtx();
	if (context == NULL)
		return pl_err_set(err, PL_ERR_INTERNAL, "cannot read '%s': no memory", path);
	int result = unpack_into(context, path, fd, &buf, err);
	ZSTD_freeDCtx(context);
	if (result < 0)
		return -1;
	if (ret_len != NULL)
		*ret_len = buf.len;
	*ret_text = pl_buf_take(&buf);
	return 0;
}
