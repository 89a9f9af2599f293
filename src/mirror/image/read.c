/* Threads take the blocks in their order. A column's values are one unit, because they share a dictionary. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread.h"
#include "base/zst.h"
#include "mirror/image/image_priv.h"

#define THREADS_MAX 16

/* An image that is being read, apart from the mirror until it is complete. */
struct reading {
	int fd;
	struct image_top top;
	uint64_t file_bytes;
	char *index;
	size_t columns;
	size_t segments;
	size_t block_count;
	const uint32_t *rows; /* of each segment */
	const struct image_column *saved;
	const struct image_block *blocks;
	uint64_t *offsets; /* of each block */
	const struct res_field *const *fields;

	/* ---- what is made ---- */
	struct values **values;
	struct segment **made;

	/* ---- shared by the threads ---- */
	atomic_size_t next; /* block */
	pthread_mutex_t lock;
	struct pl_err err; /* the first failure, under the lock */
	atomic_bool has_failed;
};

static void reading_done(struct reading *reading)
{
	for (size_t i = 0; reading->values != NULL && i < reading->columns; i++) {
		if (reading->values[i] != NULL)
			mirror_values_put(reading->values[i]);
	}
	for (size_t i = 0; reading->made != NULL && i < reading->segments; i++)
		mirror_segment_put(reading->made[i]);
	free(reading->values);
	free(reading->made);
	free(reading->offsets);
	free(reading->index);
	pthread_mutex_destroy(&reading->lock);
}
#define auto_reading __attribute__((cleanup(reading_done), unused)) struct reading

/* ---- head and index ------------------------------------------------------------------------------ */

static int read_at(int fd, void *to, size_t len, uint64_t at, struct pl_err *err)
{
	for (size_t got = 0; got < len;) {
		ssize_t some = TEMP_FAILURE_RETRY(
			pread(fd, (char *)to + got, len - got, (off_t)(at + got)));
		if (some < 0)
			return pl_err_errno(err, "could not read it");
		if (some == 0)
			return pl_err_set(err, PL_ERR_INVALID, "it is truncated");
		got += (size_t)some;
	}
	return 0;
}

static int read_top(int fd, struct image_top *ret, uint64_t *ret_file_bytes, struct pl_err *err)
{
	char sha256[PL_SHA256_HEX_BYTES];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pl_err_errno(err, "could not read it");
	if (read_at(fd, ret, sizeof(*ret), 0, err) < 0)
		return -1;
	if (ret->magic != IMAGE_MAGIC)
		return pl_err_set(err, PL_ERR_INVALID, "it is not a column snapshot");
	pl_sha256(ret, offsetof(struct image_top, sha256), sha256);
	if (memcmp(sha256, ret->sha256, sizeof(ret->sha256)) != 0)
		return mirror_image_damaged(err);
	*ret_file_bytes = (uint64_t)st.st_size;
	if (ret->index_at < sizeof(*ret) || ret->index_at > *ret_file_bytes ||
	    ret->index_packed != *ret_file_bytes - ret->index_at)
		return pl_err_set(err, PL_ERR_INVALID, "it is truncated");
	if (ret->index_bytes > IMAGE_INDEX_BYTES_MAX || ret->index_packed > IMAGE_INDEX_BYTES_MAX ||
	    ret->index_bytes / IMAGE_RATIO_MAX >
		    *ret_file_bytes + IMAGE_RATIO_EXTRA / IMAGE_RATIO_MAX)
		return mirror_image_damaged(err);
	return 0;
}

int mirror_image_read_head(int fd, struct mirror_image_head *ret, struct pl_err *err)
{
	struct image_top top;
	uint64_t file_bytes;

	if (read_top(fd, &top, &file_bytes, err) < 0)
		return -1;
	*ret = (struct mirror_image_head){ .version = top.version, .rows = top.rows };
	memcpy(ret->form, top.form, sizeof(top.form));
	memcpy(ret->token, top.token, sizeof(top.token));
	return 0;
}

/* *ret: free(). */
static int read_packed(int fd, uint64_t at, size_t packed_len, size_t len, char **ret,
		       struct pl_err *err)
{
	auto_free char *packed = pl_realloc_array(NULL, packed_len + 1, 1);
	auto_free char *plain = pl_realloc_array(NULL, len + 1, 1);

	if (read_at(fd, packed, packed_len, at, err) < 0)
		return -1;
	if (pl_zst_unpack_exactly(packed, packed_len, plain, len, err) < 0)
		return mirror_image_damaged(err);
	*ret = pl_take(plain);
	return 0;
}

/* The columns of a block, and the segments, are as small as their bytes. */
static bool is_block(const struct reading *reading, const struct image_block *block)
{
	size_t least = block->kind == IMAGE_VALUES  ? sizeof(struct image_value)
		       : block->kind == IMAGE_NAMES ? sizeof(int64_t)
						    : sizeof(struct image_chunk);
	size_t of_max = block->kind == IMAGE_VALUES ? reading->columns : reading->segments;

	return block->kind <= IMAGE_CHUNKS && block->of < of_max && block->count > 0 &&
	       block->bytes <= IMAGE_BLOCK_BYTES_MAX && block->bytes / least >= block->count;
}

/* Returns how many values or columns come before the block, of the same column or segment. */
static size_t end_of_previous(const struct reading *reading, size_t i)
{
	const struct image_block *block = &reading->blocks[i], *previous = block - 1;

	if (i == 0 || previous->kind != block->kind || previous->of != block->of)
		return 0;
	return (size_t)previous->from + previous->count;
}

/* Returns the block that has to follow: `kind` and `of` are those of the next unit. */
static void expect_next(const struct reading *reading, const struct image_block *block,
			uint32_t *kind, uint32_t *of)
{
	size_t end = (size_t)block->from + block->count;

	*kind = block->kind;
	*of = block->of;
	if (block->kind == IMAGE_VALUES && end == reading->saved[block->of].distinct) {
		*of = block->of + 1;
		if (*of == reading->columns) {
			*kind = IMAGE_NAMES;
			*of = 0;
		}
	} else if (block->kind == IMAGE_NAMES) {
		*kind = IMAGE_CHUNKS;
	} else if (block->kind == IMAGE_CHUNKS && end == reading->columns) {
		*kind = IMAGE_NAMES;
		*of = block->of + 1;
	}
}

/* Each column has all of its values, and each segment all of its columns, once and in order. */
static bool are_blocks(struct reading *reading)
{
	uint32_t kind = IMAGE_VALUES, of = 0;
	uint64_t at = sizeof(reading->top), plain = reading->top.index_bytes;

	for (size_t i = 0; i < reading->block_count; i++) {
		const struct image_block *block = &reading->blocks[i];
		if (!is_block(reading, block) || block->kind != kind || block->of != of ||
		    block->from != end_of_previous(reading, i))
			return false;
		size_t most = kind == IMAGE_VALUES  ? reading->saved[of].distinct
			      : kind == IMAGE_NAMES ? reading->rows[of]
						    : reading->columns;
		if ((size_t)block->from + block->count > most ||
		    (kind == IMAGE_NAMES && block->count != most))
			return false;
		reading->offsets[i] = at;
		at += block->packed;
		plain += block->bytes;
		expect_next(reading, block, &kind, &of);
	}
	return at == reading->top.index_at && kind == IMAGE_NAMES && of == reading->segments &&
	       plain / IMAGE_RATIO_MAX <= reading->file_bytes + IMAGE_RATIO_EXTRA / IMAGE_RATIO_MAX;
}

static bool are_columns(const struct reading *reading)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < reading->columns; i++) {
		const struct image_column *column = &reading->saved[i];
		if (column->distinct <= DICTIONARY_NULL || column->has_odd_times > 1 ||
		    column->refuses_numbers > 1 ||
		    column->distinct > UINT32_MAX / 4 /* the slots of a dictionary */ ||
		    column->elsewhere[0] >= column->distinct ||
		    column->elsewhere[1] >= column->distinct)
			return false;
	}
	for (size_t i = 0; i < reading->segments; i++) {
		if (reading->rows[i] == 0 || reading->rows[i] > MIRROR_SEGMENT_ROWS)
			return false;
		rows += reading->rows[i];
	}
	return rows == reading->top.rows && reading->segments < UINT32_MAX / MIRROR_SEGMENT_ROWS;
}

static int read_index(struct reading *reading, struct pl_err *err)
{
	const struct image_top *top = &reading->top;

	if (read_packed(reading->fd, top->index_at, (size_t)top->index_packed,
			(size_t)top->index_bytes, &reading->index, err) < 0)
		return -1;
	struct image_bytes bytes = { .data = reading->index, .len = (size_t)top->index_bytes };
	const struct image_counts *counts = mirror_image_take(&bytes, 1, sizeof(*counts));
	if (counts == NULL || counts->columns != reading->columns)
		return mirror_image_damaged(err);
	reading->rows = mirror_image_take(&bytes, counts->segments, sizeof(*reading->rows));
	reading->saved = mirror_image_take(&bytes, counts->columns, sizeof(*reading->saved));
	reading->blocks = mirror_image_take(&bytes, counts->blocks, sizeof(*reading->blocks));
	if (reading->rows == NULL || reading->saved == NULL || reading->blocks == NULL)
		return mirror_image_damaged(err);
	reading->segments = counts->segments;
	reading->block_count = counts->blocks;
	reading->offsets = pl_alloc_array(reading->block_count, sizeof(*reading->offsets));
	return are_columns(reading) && are_blocks(reading) ? 0 : mirror_image_damaged(err);
}

/* ---- blocks -------------------------------------------------------------------------------------- */

static int read_block(const struct reading *reading, size_t i, char **ret, struct pl_err *err)
{
	const struct image_block *block = &reading->blocks[i];

	return read_packed(reading->fd, reading->offsets[i], block->packed, block->bytes, ret, err);
}

/* Reads all blocks of the values of a column. */
static int read_column(struct reading *reading, size_t first, struct pl_err *err)
{
	size_t at = reading->blocks[first].of;
	const struct image_column *column = &reading->saved[at];
	struct values *values = reading->values[at] = pl_alloc(sizeof(*values));
	struct dictionary *dictionary = &values->dictionary;

	atomic_init(&values->users, 1);
	mirror_dictionary_init_empty(dictionary, reading->fields[at]->type);
	for (size_t i = first; dictionary->count < column->distinct; i++) {
		auto_free char *plain = NULL;
		if (read_block(reading, i, &plain, err) < 0)
			return -1;
		struct image_bytes bytes = { .data = plain, .len = reading->blocks[i].bytes };
		if (mirror_image_read_values(&bytes, &reading->blocks[i], column, dictionary, err) <
		    0)
			return -1;
	}
	dictionary->classes = column->classes;
	dictionary->has_odd_times = column->has_odd_times;
	if (column->refuses_numbers)
		mirror_dictionary_refuse_numbers(dictionary);
	return mirror_dictionary_restored(dictionary) ? 0 : mirror_image_damaged(err);
}

static int read_one(struct reading *reading, size_t i, struct pl_err *err)
{
	const struct image_block *block = &reading->blocks[i];
	struct segment *segment = block->kind != IMAGE_VALUES ? reading->made[block->of] : NULL;
	auto_free char *plain = NULL;

	if (block->kind == IMAGE_VALUES)
		return block->from == 0 ? read_column(reading, i, err) : 0;
	if (read_block(reading, i, &plain, err) < 0)
		return -1;
	struct image_bytes bytes = { .data = plain, .len = block->bytes };
	if (block->kind == IMAGE_NAMES)
		return mirror_image_read_names(&bytes, segment->rows, segment->names, err);
	for (uint32_t k = 0; k < block->count; k++) {
		if (mirror_image_read_chunk(&bytes, &reading->saved[block->from + k], segment->rows,
					    &segment->chunks[block->from + k], err) < 0)
			return -1;
	}
	return 0;
}

static void *read_blocks(void *data)
{
	struct reading *reading = data;
	struct pl_err err = PL_ERR_INIT;

	while (!atomic_load(&reading->has_failed)) {
		size_t i = atomic_fetch_add(&reading->next, 1);
		if (i >= reading->block_count)
			break;
		if (read_one(reading, i, &err) == 0)
			continue;
		pthread_mutex_lock(&reading->lock);
		if (!atomic_exchange(&reading->has_failed, true))
			reading->err = err;
		pthread_mutex_unlock(&reading->lock);
	}
	return NULL;
}

static int read_all(struct reading *reading, unsigned threads, struct pl_err *err)
{
	pthread_t others[THREADS_MAX];
	unsigned count = 0;

	while (count + 1 < threads && count < THREADS_MAX &&
	       pl_thread_start(&others[count], read_blocks, reading, PL_ERR_IGNORED) == 0)
		count++;
	(void)read_blocks(reading);
	while (count > 0)
		pthread_join(others[--count], NULL);
	if (!atomic_load(&reading->has_failed))
		return 0;
	*err = reading->err;
	return -1;
}

/* ---- the mirror ---------------------------------------------------------------------------------- */

static void make_room(struct reading *reading)
{
	reading->values = pl_alloc_array(reading->columns, sizeof(*reading->values));
	reading->made = pl_alloc_array(reading->segments, sizeof(*reading->made));
	for (size_t i = 0; i < reading->segments; i++) {
		struct names *names = pl_alloc(sizeof(*names));
		atomic_init(&names->users, 1);
		reading->made[i] = mirror_segment_new(reading->columns, names);
		reading->made[i]->rows = reading->rows[i];
	}
}

int mirror_image_read(struct mirror *mirror, int fd, unsigned threads, struct pl_err *err)
{
	auto_reading reading = { .fd = fd,
				 .columns = mirror->column_count,
				 .fields = mirror->column_fields,
				 .lock = PTHREAD_MUTEX_INITIALIZER,
				 .err = PL_ERR_INIT };

	if (read_top(fd, &reading.top, &reading.file_bytes, err) < 0 ||
	    read_index(&reading, err) < 0)
		return -1;
	make_room(&reading);
	if (read_all(&reading, threads, err) < 0)
		return -1;
	if (!mirror_restore(mirror, reading.values, reading.made, reading.segments))
		return mirror_image_damaged(err);
	/* the mirror has them now */
	memset(reading.values, 0, reading.columns * sizeof(*reading.values));
	memset(reading.made, 0, reading.segments * sizeof(*reading.made));
	mirror_set_version(mirror, reading.top.version);
	return 0;
}
