#include "base/zst.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

/* 3 is zstd's default: fast enough that the disk is the bottleneck of a time series. */
enum { ZST_LEVEL = 3, ZST_BRIEF_LEVEL = 1, ZST_SMALL_LEVEL = 9, ZST_BLOCK_BYTES = 65536 };

struct pl_zst {
	struct pl_file_new file;
	ZSTD_CCtx *context;
};

int pl_zst_open(const char *path, struct pl_zst **ret, struct pl_err *err)
{
	struct pl_zst *zst = pl_alloc(sizeof(*zst));

	if (pl_file_new_open_private(&zst->file, path, err) < 0) {
		free(zst);
		return -1;
	}
	zst->context = ZSTD_createCCtx();
	if (zst->context == NULL) {
		pl_zst_free(zst);
		return pl_err_set(err, PL_ERR_INTERNAL, "could not write '%s': out of memory",
				  path);
	}
	ZSTD_CCtx_setParameter(zst->context, ZSTD_c_compressionLevel, ZST_LEVEL);
	/* Artifacts are read years later: a checksum detects flipped bits. */
	ZSTD_CCtx_setParameter(zst->context, ZSTD_c_checksumFlag, 1);
	*ret = zst;
	return 0;
}

/* Compresses `data` and writes the output; with ZSTD_e_end until the frame is complete. */
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
			return pl_err_set(err, PL_ERR_INTERNAL, "could not compress '%s': %s",
					  zst->file.path, ZSTD_getErrorName(left));
		if (fwrite(block, 1, out.pos, zst->file.stream) != out.pos)
			return pl_err_errno(err, "could not write '%s'", zst->file.path);
	} while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

int pl_zst_write(struct pl_zst *zst, const void *data, size_t len, struct pl_err *err)
{
	return feed(zst, data, len, ZSTD_e_continue, err);
}

int pl_zst_commit(struct pl_zst *zst, struct pl_err *err)
{
	/* Without its end the frame reads as truncated, which shows that the writer was killed. */
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

/* An unpacking under way: `left` is 0 once a frame is whole; several in a row are one text. */
struct unpack {
	ZSTD_DCtx *context;
	const char *name;
	struct pl_buf *buf;
	size_t left;
};

static int unpack_some(struct unpack *unpack, const void *packed, size_t len, struct pl_err *err)
{
	ZSTD_inBuffer in = { .src = packed, .size = len };
	ZSTD_outBuffer out = { .size = 0 };
	char plain[ZST_BLOCK_BYTES];

	/* a full output block may leave more data in the decoder */
	while (in.pos < in.size || out.pos == sizeof(plain)) {
		out = (ZSTD_outBuffer){ .dst = plain, .size = sizeof(plain) };
		unpack->left = ZSTD_decompressStream(unpack->context, &out, &in);
		if (ZSTD_isError(unpack->left))
			return pl_err_set(err, PL_ERR_INVALID, "'%s' is not zstd data: %s",
					  unpack->name, ZSTD_getErrorName(unpack->left));
		if (!pl_buf_add(unpack->buf, plain, out.pos)) {
			char size[PL_BYTES_TEXT_BYTES];
			return pl_err_set(err, PL_ERR_INVALID,
					  "'%s' is larger than %s after decompression",
					  unpack->name, pl_text_from_bytes(unpack->buf->max, size));
		}
		if (unpack->left == 0 && in.pos == in.size)
			break;
	}
	return 0;
}

static int unpack_file(struct unpack *unpack, int fd, struct pl_err *err)
{
	char packed[ZST_BLOCK_BYTES];
	ssize_t got;

	while ((got = TEMP_FAILURE_RETRY(read(fd, packed, sizeof(packed)))) != 0) {
		if (got < 0)
			return pl_err_errno(err, "could not read '%s'", unpack->name);
		if (unpack_some(unpack, packed, (size_t)got, err) < 0)
			return -1;
	}
	return 0;
}

struct pl_zst_dictionary {
	ZSTD_CDict *packs;
	ZSTD_DDict *unpacks;
};

/*
 * The input to decompress: a file, or, if fd is -1, bytes. dictionary NULL: compressed without one.
 */
struct unpack_source {
	int fd;
	const void *packed;
	size_t len;
	const struct pl_zst_dictionary *dictionary;
};

static int unpack_all(const struct unpack_source *from, const char *name, struct pl_buf *buf,
		      struct pl_err *err)
{
	/* an empty file is not a frame */
	struct unpack unpack = { .name = name, .buf = buf, .left = 1 };

	unpack.context = ZSTD_createDCtx();
	if (unpack.context == NULL)
		return pl_err_set(err, PL_ERR_INTERNAL, "could not read '%s': out of memory", name);
	if (from->dictionary != NULL)
		ZSTD_DCtx_refDDict(unpack.context, from->dictionary->unpacks);
	int result = from->fd >= 0 ? unpack_file(&unpack, from->fd, err)
				   : unpack_some(&unpack, from->packed, from->len, err);
	ZSTD_freeDCtx(unpack.context);
	if (result < 0)
		return -1;
	if (unpack.left != 0)
		return pl_err_set(err, PL_ERR_INVALID, "'%s' is incomplete: its end is missing",
				  name);
	return 0;
}

static void give(struct pl_buf *buf, char **ret_text, size_t *ret_len)
{
	if (ret_len != NULL)
		*ret_len = buf->len;
	*ret_text = pl_buf_take(buf);
}

int pl_zst_read_file(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len,
		     struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_buf buf = PL_BUF(max_bytes);

	if (fd < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	if (unpack_all(&(struct unpack_source){ .fd = fd }, path, &buf, err) < 0)
		return -1;
	give(&buf, ret_text, ret_len);
	return 0;
}

/* ---- in memory ----------------------------------------------------------------------------- */

bool pl_zst_is(const void *data, size_t len)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

	return len >= sizeof(magic) && memcmp(data, magic, sizeof(magic)) == 0;
}

struct pl_zst_dictionary *pl_zst_dictionary_new(const void *bytes, size_t len)
{
	struct pl_zst_dictionary *dictionary = pl_alloc(sizeof(*dictionary));

	/* any bytes will do: only memory can lack */
	dictionary->packs = pl_must(ZSTD_createCDict(bytes, len, ZST_LEVEL));
	dictionary->unpacks = pl_must(ZSTD_createDDict(bytes, len));
	return dictionary;
}

void pl_zst_dictionary_free(struct pl_zst_dictionary *dictionary)
{
	if (dictionary == NULL)
		return;
	ZSTD_freeCDict(dictionary->packs);
	ZSTD_freeDDict(dictionary->unpacks);
	free(dictionary);
}

/*
 * Creating a context takes longer than compressing a document: each thread reuses one until it
 * ends.
 */
static pthread_key_t packer_key;
static pthread_once_t packer_once = PTHREAD_ONCE_INIT;

static void free_packer(void *context)
{
	ZSTD_freeCCtx(context);
}

static void make_packer_key(void)
{
	if (pthread_key_create(&packer_key, free_packer) != 0)
		pl_must(NULL);
}

static void *pack(int level, const struct pl_zst_dictionary *dictionary, const void *data,
		  size_t len, size_t room, size_t *ret_len)
{
	size_t most = ZSTD_compressBound(len);
	char *packed = malloc(room + most);
	pthread_once(&packer_once, make_packer_key);
	ZSTD_CCtx *context = pthread_getspecific(packer_key);
	if (context == NULL) {
		context = pl_must(ZSTD_createCCtx());
		if (pthread_setspecific(packer_key, context) != 0)
			pl_must(NULL);
	}
	ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);

	/* room for the worst and a context are all that it can lack */
	if (packed == NULL)
		pl_must(NULL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	if (dictionary != NULL)
		ZSTD_CCtx_refCDict(context, dictionary->packs);
	size_t used = ZSTD_compress2(context, packed + room, most, data, len);
	if (ZSTD_isError(used))
		pl_must(NULL);
	*ret_len = room + used;
	return packed;
}

void *pl_zst_pack_with(const struct pl_zst_dictionary *dictionary, const void *data, size_t len,
		       size_t room, size_t *ret_len)
{
	return pack(ZST_LEVEL, dictionary, data, len, room, ret_len);
}

void *pl_zst_pack(const void *data, size_t len, size_t *ret_len)
{
	return pack(ZST_LEVEL, NULL, data, len, 0, ret_len);
}

void *pl_zst_pack_brief(const void *data, size_t len, size_t *ret_len)
{
	return pack(ZST_BRIEF_LEVEL, NULL, data, len, 0, ret_len);
}

void *pl_zst_pack_small(const void *data, size_t len, size_t *ret_len)
{
	return pack(ZST_SMALL_LEVEL, NULL, data, len, 0, ret_len);
}

int pl_zst_unpack_with(const struct pl_zst_dictionary *dictionary, const void *packed, size_t len,
		       size_t max_bytes, const char *name, char **ret_text, size_t *ret_len,
		       struct pl_err *err)
{
	const struct unpack_source from = {
		.fd = -1, .packed = packed, .len = len, .dictionary = dictionary
	};
	auto_buf buf = PL_BUF(max_bytes);

	if (unpack_all(&from, name, &buf, err) < 0)
		return -1;
	give(&buf, ret_text, ret_len);
	return 0;
}

int pl_zst_unpack(const void *packed, size_t len, size_t max_bytes, const char *name,
		  char **ret_text, size_t *ret_len, struct pl_err *err)
{
	return pl_zst_unpack_with(NULL, packed, len, max_bytes, name, ret_text, ret_len, err);
}

int pl_zst_unpack_exactly(const void *packed, size_t len, void *to, size_t room, struct pl_err *err)
{
	size_t got = ZSTD_decompress(to, room, packed, len);

	if (ZSTD_isError(got))
		return pl_err_set(err, PL_ERR_INVALID, "not zstd data: %s", ZSTD_getErrorName(got));
	return got == room
		       ? 0
		       : pl_err_set(err, PL_ERR_INVALID,
				    "found %zu bytes after decompression, expected %zu", got, room);
}
