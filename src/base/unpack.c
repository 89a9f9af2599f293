#include "base/unpack.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/gz.h"
#include "base/zst.h"

/* GZIP_WINDOW: the largest window, with a gzip header. ZST_WINDOW_LOG: `zstd --ultra -22` needs more, all else less. */
enum { BLOCK_BYTES = 65536, MAGIC_BYTES = 4, GZIP_WINDOW = 15 + 16, ZST_WINDOW_LOG = 25 };

enum form { PLAIN, GZIP, ZSTD };

struct pl_unpack {
	enum form form;
	int fd; /* -1: a text */
	char *name;
	const char *text;
	int64_t text_len;
	int64_t at; /* the next byte of the file or text */
	z_stream gzip;
	ZSTD_DCtx *zstd;
	bool is_inside; /* of a frame or member, which the file must end */
	char block[BLOCK_BYTES];
	size_t block_len;
	size_t block_at;
};

/* Returns the number of bytes, 0 at the end, or -1. */
static int read_some(struct pl_unpack *unpack, char *bytes, size_t room, size_t *ret_len,
		     struct pl_err *err)
{
	if (unpack->fd < 0) {
		int64_t left = unpack->at < unpack->text_len ? unpack->text_len - unpack->at : 0;
		*ret_len = left < (int64_t)room ? (size_t)left : room;
		if (*ret_len > 0)
			memcpy(bytes, unpack->text + unpack->at, *ret_len);
	} else {
		ssize_t got = TEMP_FAILURE_RETRY(pread(unpack->fd, bytes, room, unpack->at));
		if (got < 0)
			return pl_err_errno(err, "could not read '%s'", unpack->name);
		*ret_len = (size_t)got;
	}
	unpack->at += (int64_t)*ret_len;
	return 0;
}

/* Starts at the first byte. */
static void restart(struct pl_unpack *unpack)
{
	unpack->at = 0;
	unpack->block_len = unpack->block_at = 0;
	unpack->is_inside = false;
	if (unpack->form == GZIP)
		inflateReset(&unpack->gzip);
	if (unpack->form == ZSTD)
		ZSTD_DCtx_reset(unpack->zstd, ZSTD_reset_session_only);
}

int pl_unpack_new(int fd, const char *name, struct pl_unpack **ret, struct pl_err *err)
{
	struct pl_unpack *unpack = pl_alloc(sizeof(*unpack));
	char magic[MAGIC_BYTES];
	size_t len = 0;

	unpack->fd = fd;
	unpack->name = pl_strdup(name);
	if (read_some(unpack, magic, sizeof(magic), &len, err) < 0) {
		pl_unpack_free(unpack);
		return -1;
	}
	bool ready = true;
	if (pl_zst_is(magic, len)) {
		unpack->zstd = ZSTD_createDCtx();
		ready = unpack->zstd != NULL &&
			!ZSTD_isError(ZSTD_DCtx_setParameter(unpack->zstd, ZSTD_d_windowLogMax,
							     ZST_WINDOW_LOG));
		unpack->form = ZSTD;
	} else if (pl_gz_is(magic, len)) {
		ready = inflateInit2(&unpack->gzip, GZIP_WINDOW) == Z_OK;
		unpack->form = ready ? GZIP : PLAIN;
	}
	if (!ready) {
		pl_unpack_free(unpack);
		return pl_err_set(err, PL_ERR_INTERNAL, "could not read '%s': out of memory", name);
	}
	restart(unpack);
	*ret = unpack;
	return 0;
}

struct pl_unpack *pl_unpack_new_text(const char *text, size_t len)
{
	struct pl_unpack *unpack = pl_alloc(sizeof(*unpack));

	unpack->fd = -1;
	unpack->text = text;
	unpack->text_len = (int64_t)len;
	return unpack;
}

void pl_unpack_free(struct pl_unpack *unpack)
{
	if (unpack == NULL)
		return;
	if (unpack->form == GZIP)
		inflateEnd(&unpack->gzip);
	ZSTD_freeDCtx(unpack->zstd);
	pl_fd_close(&unpack->fd);
	free(unpack->name);
	free(unpack);
}

bool pl_unpack_is_packed(const struct pl_unpack *unpack)
{
	return unpack->form != PLAIN;
}

void pl_unpack_seek(struct pl_unpack *unpack, int64_t at)
{
	assert(at == 0 || unpack->form == PLAIN);
	restart(unpack);
	unpack->at = at;
}

static int malformed(const struct pl_unpack *unpack, const char *reason, struct pl_err *err)
{
	return pl_err_invalid(err, "'%s' is not %s data: %s", unpack->name,
			      unpack->form == ZSTD ? "zstd" : "gzip", reason);
}

/* Decompresses from the block. *ret_len may be 0. */
static int step_zstd(struct pl_unpack *unpack, char *bytes, size_t room, size_t *ret_len,
		     struct pl_err *err)
{
	ZSTD_inBuffer in = { .src = unpack->block,
			     .size = unpack->block_len,
			     .pos = unpack->block_at };
	ZSTD_outBuffer out = { .dst = bytes, .size = room };
	size_t left = ZSTD_decompressStream(unpack->zstd, &out, &in);

	if (ZSTD_isError(left))
		return malformed(unpack, ZSTD_getErrorName(left), err);
	unpack->block_at = in.pos;
	unpack->is_inside = left != 0;
	*ret_len = out.pos;
	return 0;
}

static int step_gzip(struct pl_unpack *unpack, char *bytes, size_t room, size_t *ret_len,
		     struct pl_err *err)
{
	z_stream *stream = &unpack->gzip;

	stream->next_in = (unsigned char *)unpack->block + unpack->block_at;
	stream->avail_in = (unsigned)(unpack->block_len - unpack->block_at);
	stream->next_out = (unsigned char *)bytes;
	stream->avail_out = (unsigned)room;
	int status = inflate(stream, Z_NO_FLUSH);
	if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
		return malformed(unpack, stream->msg != NULL ? stream->msg : "damaged", err);
	unpack->block_at = unpack->block_len - stream->avail_in;
	unpack->is_inside = status != Z_STREAM_END;
	*ret_len = room - stream->avail_out;
	/* the next member */
	if (status == Z_STREAM_END)
		inflateReset(stream);
	return 0;
}

int pl_unpack_read(struct pl_unpack *unpack, char *bytes, size_t room, size_t *ret_len,
		   struct pl_err *err)
{
	size_t len = 0;

	/* counters of zlib are 32 bits wide */
	room = room < (1u << 30) ? room : 1u << 30;
	if (unpack->form == PLAIN)
		return read_some(unpack, bytes, room, ret_len, err);
	for (;;) {
		/* a decoder may hold output without further input */
		bool had_input = unpack->block_at < unpack->block_len;
		if (had_input || unpack->is_inside) {
			int rc = unpack->form == ZSTD ? step_zstd(unpack, bytes, room, &len, err)
						      : step_gzip(unpack, bytes, room, &len, err);
			if (rc < 0)
				return -1;
		}
		if (len > 0 || unpack->block_at < unpack->block_len) {
			if (len == 0)
				continue;
			*ret_len = len;
			return 0;
		}
		unpack->block_at = 0;
		if (read_some(unpack, unpack->block, sizeof(unpack->block), &unpack->block_len,
			      err) < 0)
			return -1;
		if (unpack->block_len > 0)
			continue;
		if (unpack->is_inside)
			return malformed(unpack, "truncated", err);
		*ret_len = 0;
		return 0;
	}
}
