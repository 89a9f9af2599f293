/* Compression of a part: Zstandard by base/zst.h, Snappy and gzip by their libraries. */
#include <stdlib.h>

#include <snappy-c.h>
#include <zlib.h>

#include "base/zst.h"
#include "columnar/columnar_priv.h"

/* No two bytes of Snappy make more than 64. */
#define SNAPPY_RATIO_MAX 64
/* No byte of gzip makes more than 1,032; this is more, for small texts with a head. */
#define GZIP_RATIO_MAX 1032

void columnar_pack(enum columnar_codec codec, const void *bytes, size_t len, struct pl_buf *out)
{
	size_t used;

	switch (codec) {
	case COLUMNAR_PLAIN:
		pl_buf_add(out, bytes, len);
		break;
	case COLUMNAR_SNAPPY: {
		used = snappy_max_compressed_length(len);
		char *at = pl_buf_reserve(out, used);
		if (at == NULL)
			return;
		if (snappy_compress(bytes, len, at, &used) != SNAPPY_OK)
			pl_must(NULL);
		out->len += used;
		break;
	}
	case COLUMNAR_ZSTD: {
		auto_free char *packed = pl_zst_pack_brief(bytes, len, &used);
		pl_buf_add(out, packed, used);
		break;
	}
	case COLUMNAR_GZIP:
		pl_must(NULL); /* the writers have no such option */
		break;
	}
}

static int unpack_snappy(const void *packed, size_t len, size_t size, char **ret,
			 struct pl_err *err)
{
	size_t found;

	if (snappy_uncompressed_length(packed, len, &found) != SNAPPY_OK)
		return pl_err_invalid(err, "the Snappy bytes are malformed");
	if (found != size || size / SNAPPY_RATIO_MAX > len)
		return pl_err_invalid(err, "found %zu bytes after decompression, expected %zu",
				      found, size);
	auto_free char *bytes = pl_alloc(size);
	if (snappy_uncompress(packed, len, bytes, &found) != SNAPPY_OK)
		return pl_err_invalid(err, "the Snappy bytes are malformed");
	*ret = pl_take(bytes);
	return 0;
}

/* Some writers store several gzip members in a page. */
static int unpack_gzip(const void *packed, size_t len, size_t size, char **ret, struct pl_err *err)
{
	z_stream stream = { .next_in = (Bytef *)packed, .avail_in = (uInt)len };
	auto_free char *bytes = pl_alloc(size);
	int status = Z_OK;

	if (len > UINT32_MAX || size > UINT32_MAX || size / GZIP_RATIO_MAX > len)
		return pl_err_invalid(err, "found %zu bytes of gzip for %zu bytes", len, size);
	/* either of the heads of gzip and zlib */
	if (inflateInit2(&stream, MAX_WBITS + 32) != Z_OK)
		return pl_err_invalid(err, "zlib could not start");
	stream.next_out = (Bytef *)bytes;
	stream.avail_out = (uInt)size;
	do {
		status = inflate(&stream, Z_FINISH);
	} while (status == Z_STREAM_END && stream.avail_in > 0 && stream.avail_out > 0 &&
		 inflateReset(&stream) == Z_OK);
	inflateEnd(&stream);
	if (status != Z_STREAM_END)
		return pl_err_invalid(err, "the gzip bytes are malformed");
	if (stream.avail_out != 0)
		return pl_err_invalid(err, "found %zu bytes after decompression, expected %zu",
				      size - stream.avail_out, size);
	*ret = pl_take(bytes);
	return 0;
}

int columnar_unpack(enum columnar_codec codec, const void *packed, size_t len, size_t size,
		    char **ret, struct pl_err *err)
{
	auto_free char *bytes = NULL;
	size_t found = len;

	if (codec == COLUMNAR_SNAPPY)
		return unpack_snappy(packed, len, size, ret, err);
	if (codec == COLUMNAR_GZIP)
		return unpack_gzip(packed, len, size, ret, err);
	if (codec == COLUMNAR_ZSTD) {
		if (pl_zst_unpack(packed, len, size, "zstd", &bytes, &found, err) < 0)
			return -1;
	} else if (len == size) {
		bytes = pl_memdup(packed, len);
	}
	if (found != size)
		return pl_err_invalid(err, "found %zu bytes after decompression, expected %zu",
				      found, size);
	*ret = pl_take(bytes);
	return 0;
}
