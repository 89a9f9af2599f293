/*
 * A column snapshot whose blocks were changed, with right checksums: it is refused, or its columns can be read, and grow.
 * The first byte is the form of the input. 'f': the rest is a file. Else: a number of rows, and changes of 12 bytes: the
 * block (65535: the index, 65534: the head), the offset as three bytes, the length, and 6 bytes of which as many are
 * written as the length says. A length above 6 cuts the block at the offset.
 */
#include "mirror/image/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/zst.h"
#include "mirror/image/image_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHANGE_BYTES 12
#define ROWS_MAX     200
#define BLOCK_INDEX  65535
#define BLOCK_TOP    65534
#define SHAPES       6

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int no_document(void *context, int64_t id, const char *member, json_t **ret,
		       int64_t *ret_changed, struct pl_err *err)
{
	(void)context;
	(void)id;
	(void)member;
	(void)ret;
	(void)ret_changed;
	return pl_err_set(err, PL_ERR_IO, "there are no documents");
}

static struct res_fields *all_fields(void)
{
	static struct res_fields *fields;

	if (fields == NULL)
		fields = res_fields_new(NULL);
	return fields;
}

static void set_cell(struct mirror_cell *cell, unsigned shape, int64_t id)
{
	static const char *const texts[] = { "a", "bb", "2026-01-02T03:04:05Z", "[1,2]" };
	bool is_text = shape == 1 || shape == 2;

	*cell = (struct mirror_cell){
		.state = shape == 5 ? RES_VALUE_NOT_RECORDED : RES_VALUE_PRESENT,
		.kind = shape == 1   ? RES_VALUE_TEXT
			: shape == 2 ? RES_VALUE_JSON
				     : RES_VALUE_NUMBER,
		.is_explicit = id % 3 == 0,
		.number = shape == 3   ? (double)(id / 30)
			  : shape == 4 ? (double)(id % 50 == 0)
				       : 7,
		.text = is_text ? texts[shape == 2 ? 3 : id % 3] : NULL,
	};
}

static void append(struct mirror *mirror, int64_t id, struct mirror_cell *cells, size_t count)
{
	const struct mirror_row row = { .id = id,
					.run_id = id % 4 != 0 ? "run" : NULL,
					.cells = cells };

	for (size_t i = 0; i < count; i += 40)
		set_cell(&cells[i], (unsigned)(i / 40 % SHAPES), id);
	if (!mirror_replace(mirror, &row))
		mirror_append(mirror, &row);
}

static int base_image(size_t rows)
{
	struct mirror *mirror = mirror_new(all_fields(), no_document, NULL);
	struct mirror_cell *cells = pl_alloc_array(mirror->column_count, sizeof(*cells));
	struct mirror_image_head head = { .version = 1 };
	atomic_bool stop = false;
	int fd = memfd_create("image", MFD_CLOEXEC);

	/* numbers without codes from the start */
	mirror_dictionary_refuse_numbers(&mirror->values[120]->dictionary);
	for (size_t i = 1; i <= rows; i++)
		append(mirror, (int64_t)i, cells, mirror->column_count);
	mirror_publish(mirror);
	struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	must(fd >= 0 && mirror_image_write(snapshot, &head, fd, &stop, PL_ERR_IGNORED) == 0);
	mirror_snapshot_put(snapshot);
	mirror_free(mirror);
	free(cells);
	return fd;
}

/* ---- changes ------------------------------------------------------------------------------------- */

struct part {
	const char *packed; /* in the file */
	char *bytes;        /* NULL: unchanged */
	size_t len;
};

static struct part unpack(const char *packed, size_t packed_len, size_t len)
{
	struct part part = { .bytes = pl_alloc(len + 1), .len = len };

	must(pl_zst_unpack_exactly(packed, packed_len, part.bytes, len, PL_ERR_IGNORED) == 0);
	return part;
}

static void change(struct part *part, const uint8_t *change)
{
	size_t at = change[2] | (size_t)change[3] << 8 | (size_t)change[4] << 16, len = change[5];

	if (at > part->len)
		return;
	if (len > CHANGE_BYTES - 6)
		part->len = at;
	else if (len <= part->len - at)
		memcpy(part->bytes + at, change + 6, len);
}

static void change_all(struct part *parts, size_t count, unsigned which, struct part *part,
		       const uint8_t *changes, size_t len)
{
	for (; len >= CHANGE_BYTES; len -= CHANGE_BYTES, changes += CHANGE_BYTES) {
		unsigned block = changes[0] | (unsigned)changes[1] << 8;
		if (part != NULL && block == which)
			change(part, changes);
		else if (part == NULL && block < count)
			change(&parts[block], changes);
	}
}

/* Writes the changed parts; the index gets their new sizes before it is changed itself. */
static int changed_image(const char *file, const uint8_t *changes, size_t len)
{
	struct image_top top;
	int fd = memfd_create("image", MFD_CLOEXEC);
	uint64_t at = sizeof(top);
	size_t packed_len;

	memcpy(&top, file, sizeof(top));
	struct part index = unpack(file + top.index_at, (size_t)top.index_packed,
				   (size_t)top.index_bytes);
	struct image_counts counts;
	memcpy(&counts, index.bytes, sizeof(counts));
	size_t blocks_at = sizeof(counts) + image_padded(counts.segments * sizeof(uint32_t)) +
			   image_padded(counts.columns * sizeof(struct image_column));
	struct image_block *blocks = (void *)(index.bytes + blocks_at);
	struct part *parts = pl_alloc_array(counts.blocks, sizeof(*parts));
	/* most blocks stay packed: there is one for each column */
	for (size_t i = 0; i < counts.blocks; i++) {
		parts[i].packed = file + at;
		at += blocks[i].packed;
	}
	for (size_t i = 0; i + CHANGE_BYTES <= len; i += CHANGE_BYTES) {
		unsigned block = changes[i] | (unsigned)changes[i + 1] << 8;
		if (block < counts.blocks && parts[block].bytes == NULL)
			parts[block] = unpack(parts[block].packed, blocks[block].packed,
					      blocks[block].bytes);
	}
	change_all(parts, counts.blocks, 0, NULL, changes, len);
	must(fd >= 0 && lseek(fd, sizeof(top), SEEK_SET) == sizeof(top));
	at = sizeof(top);
	for (size_t i = 0; i < counts.blocks; i++) {
		if (parts[i].bytes == NULL) {
			must(pl_fd_write(fd, parts[i].packed, blocks[i].packed) == 0);
			at += blocks[i].packed;
			continue;
		}
		void *packed = pl_zst_pack_brief(parts[i].bytes, parts[i].len, &packed_len);
		must(pl_fd_write(fd, packed, packed_len) == 0);
		blocks[i].packed = (uint32_t)packed_len;
		blocks[i].bytes = (uint32_t)parts[i].len;
		at += packed_len;
		free(packed);
		free(parts[i].bytes);
	}
	change_all(NULL, 0, BLOCK_INDEX, &index, changes, len);
	void *packed = pl_zst_pack_brief(index.bytes, index.len, &packed_len);
	must(pl_fd_write(fd, packed, packed_len) == 0);
	top.index_at = at;
	top.index_packed = packed_len;
	top.index_bytes = index.len;
	struct part head = { .bytes = (char *)&top, .len = offsetof(struct image_top, sha256) };
	change_all(NULL, 0, BLOCK_TOP, &head, changes, len);
	char sha256[PL_SHA256_HEX_BYTES];
	pl_sha256(&top, offsetof(struct image_top, sha256), sha256);
	memcpy(top.sha256, sha256, sizeof(top.sha256));
	must(pwrite(fd, &top, sizeof(top), 0) == sizeof(top));
	free(packed);
	free(parts);
	free(index.bytes);
	return fd;
}

/* ---- use ----------------------------------------------------------------------------------------- */

static volatile uint64_t sum;

static void use_column(const struct mirror_snapshot *snapshot, size_t at)
{
	const struct mirror_column *column = &snapshot->columns[at];
	uint32_t *counts = pl_alloc_array(column->distinct + 16, sizeof(*counts));
	uint32_t *codes = pl_alloc_array(MIRROR_SEGMENT_ROWS, sizeof(*codes));
	uint64_t live[MIRROR_SEGMENT_WORDS];

	for (uint32_t code = 0; code < column->distinct; code++) {
		const struct mirror_value *value = mirror_column_value(column, code);
		sum += value->text != NULL ? strlen(value->text) : value->same;
	}
	for (size_t i = 0; i < snapshot->segment_count; i++) {
		const struct chunk *chunk = mirror_column_chunk(column, i);
		size_t rows = snapshot->rows[i];
		mirror_chunk_decode(chunk, rows, codes);
		for (size_t row = 0; row < rows; row += 1 + rows / 64) {
			struct mirror_value value = mirror_column_at(column,
								     i * MIRROR_SEGMENT_ROWS + row);
			sum += value.class + (value.number > 0) + mirror_chunk_code(chunk, row) +
			       codes[row];
		}
		mirror_snapshot_live(snapshot, i, live);
		struct mask mask;
		mirror_mask_init(&mask, live, rows);
		mirror_chunk_count(chunk, &mask, column->distinct, counts);
		mirror_mask_done(&mask);
		sum += counts[0];
	}
	free(counts);
	free(codes);
}

static void use(struct mirror *mirror)
{
	struct mirror_cell *cells = pl_alloc_array(mirror->column_count, sizeof(*cells));

	mirror_publish(mirror);
	struct mirror_snapshot *snapshot = mirror_snapshot_take(mirror);
	for (size_t i = 0; i < mirror->column_count; i++)
		use_column(snapshot, i);
	for (size_t i = 0; i < snapshot->segment_count; i++) {
		for (size_t row = 0; row < snapshot->rows[i]; row++) {
			const char *run_id = snapshot->segments[i]->names->run_ids[row];
			sum += run_id != NULL ? strlen(run_id) : 0;
		}
	}
	mirror_snapshot_put(snapshot);
	for (int64_t id = 1; id < 8; id++)
		append(mirror, id, cells, mirror->column_count);
	(void)mirror_remove(mirror, 2);
	mirror_publish(mirror);
	free(cells);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *files[ROWS_MAX + 1];
	struct mirror *mirror;
	struct pl_err err = PL_ERR_INIT;
	int fd;

	if (size == 0)
		return 0;
	if (data[0] == 'f') {
		fd = memfd_create("image", MFD_CLOEXEC);
		must(fd >= 0 && pl_fd_write(fd, (const char *)data + 1, size - 1) == 0);
	} else {
		size_t rows = data[0] % (ROWS_MAX + 1);
		if (files[rows] == NULL) {
			auto_fd int base = base_image(rows);
			off_t len = lseek(base, 0, SEEK_END);
			files[rows] = pl_alloc((size_t)len + 1);
			must(pread(base, files[rows], (size_t)len, 0) == len);
		}
		fd = changed_image(files[rows], data + 1, size - 1);
	}
	mirror = mirror_new(all_fields(), no_document, NULL);
	int result = mirror_image_read(mirror, fd, 1, &err);
	must(result == 0 || err.text[0] != '\0');
	must(result == 0 || data[0] == 'f' || size > CHANGE_BYTES);
	if (result == 0)
		use(mirror);
	mirror_free(mirror);
	close(fd);
	return 0;
}
