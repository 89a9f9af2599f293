#include "base/gz.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/text.h"

#define BLOCK_BYTES    65536
#define GZIP_WINDOW    (16 + MAX_WBITS) /* a gzip header, not zlib's */
#define DEFLATE_MEMORY 8                /* zlib's default */

bool pl_gz_is(const void *data, size_t len)
{
	const unsigned char *bytes = data;

	return len >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

/* zlib counts in 32 bits. */
static uInt up_to_32_bits(size_t len)
{
	return len < UINT32_MAX ? (uInt)len : UINT32_MAX;
}

void *pl_gz_pack(const void *data, size_t len, int level, size_t *ret_len)
{
	z_stream stream = { .next_in = NULL };
	const unsigned char *end = (const unsigned char *)data + len;

	if (deflateInit2(&stream, level, Z_DEFLATED, GZIP_WINDOW, DEFLATE_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		pl_must(NULL);
	size_t room = deflateBound(&stream, len);
	unsigned char *packed = pl_alloc(room);
	int status = Z_OK;
	stream.next_in = (Bytef *)data;
	stream.next_out = packed;
	while (status == Z_OK) {
		size_t left = (size_t)(end - stream.next_in);
		stream.avail_in = up_to_32_bits(left);
		stream.avail_out = up_to_32_bits((size_t)(packed + room - stream.next_out));
		status = deflate(&stream, stream.avail_in == left ? Z_FINISH : Z_NO_FLUSH);
	}
	if (status != Z_STREAM_END)
		pl_must(NULL);
	*ret_len = (size_t)(stream.next_out - packed);
	deflateEnd(&stream);
	return packed;
}

static int inflate_member(z_stream *stream, const char *name, struct pl_buf *buf,
			  struct pl_err *err)
{
	char plain[BLOCK_BYTES];
	int status = Z_OK;

	while (status != Z_STREAM_END) {
		stream->next_out = (Bytef *)plain;
		stream->avail_out = sizeof(plain);
		status = inflate(stream, Z_NO_FLUSH);
		size_t got = sizeof(plain) - stream->avail_out;
		if (!pl_buf_add(buf, plain, got)) {
			char size[PL_BYTES_TEXT_BYTES];
			return pl_err_set(err, PL_ERR_INVALID,
					  "'%s' is larger than %s after decompression", name,
					  pl_text_from_bytes(buf->max, size));
		}
		if (status == Z_BUF_ERROR || (status == Z_OK && got == 0 && stream->avail_in == 0))
			return pl_err_set(err, PL_ERR_INVALID,
					  "'%s' is incomplete: its end is missing", name);
		if (status != Z_OK && status != Z_STREAM_END)
			return pl_err_set(err, PL_ERR_INVALID, "'%s' is not gzip data: %s", name,
					  stream->msg != NULL ? stream->msg : zError(status));
	}
	return 0;
}

/* Decompresses consecutive members. zlib counts in 32 bits, and no caller has more. */
static int unpack_all(z_stream *stream, const char *packed, size_t len, const char *name,
		      struct pl_buf *buf, struct pl_err *err)
{
	if (len > UINT32_MAX)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is larger than 4 GiB", name);
	stream->next_in = (Bytef *)packed;
	stream->avail_in = (uInt)len;
	do {
		if (inflate_member(stream, name, buf, err) < 0)
			return -1;
		if (inflateReset(stream) != Z_OK)
			return pl_err_set(err, PL_ERR_INTERNAL, "'%s': zlib failed", name);
	} while (stream->avail_in > 0);
	return 0;
}

int pl_gz_unpack(const void *packed, size_t len, size_t max_bytes, const char *name,
		 char **ret_text, size_t *ret_len, struct pl_err *err)
{
	auto_buf buf = PL_BUF(max_bytes);
	z_stream stream = { .next_in = NULL };

	if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		return pl_err_set(err, PL_ERR_INTERNAL, "could not read '%s': out of memory", name);
	int result = unpack_all(&stream, packed, len, name, &buf, err);
	inflateEnd(&stream);
	if (result < 0)
		return -1;
	*ret_len = buf.len;
	*ret_text = pl_buf_take(&buf);
	return 0;
}
