#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/zst.h"
#include "mirror/gather.h"
#include "mirror/image/image_priv.h"

/* Written bytes are synced in steps, so that no other fsync of the file system waits for all of them. */
#define SYNC_BYTES ((uint64_t)8 << 20)

_Static_assert(sizeof(struct image_top) == 208, "no padding in the head");

struct out {
	int fd;
	const atomic_bool *stop;
	uint64_t at; /* offset of the next block */
	uint64_t synced;
	uint64_t plain; /* bytes of all blocks, unpacked */
	struct image_block *blocks;
	size_t count;
	size_t room;
	struct pl_buf buf; /* the current block */
};

static void out_done(struct out *out)
{
	free(out->blocks);
	pl_buf_done(&out->buf);
}
#define auto_out __attribute__((cleanup(out_done), unused)) struct out

static int too_large(struct pl_err *err)
{
	return pl_err_set(err, PL_ERR_FAILED, "a column snapshot of these results is too large");
}

/* Appends an array, padded to 8 bytes. */
static int add(struct out *out, const void *items, size_t len, struct pl_err *err)
{
	static const char zeros[8];

	if (!pl_buf_add(&out->buf, items, len) ||
	    !pl_buf_add(&out->buf, zeros, image_padded(len) - len))
		return too_large(err);
	return 0;
}

static int write_packed(struct out *out, const void *packed, size_t len, struct pl_err *err)
{
	if (pl_fd_write(out->fd, packed, len) < 0)
		return pl_err_errno(err, "could not write the column snapshot");
	out->at += len;
	if (out->at - out->synced < SYNC_BYTES)
		return 0;
	out->synced = out->at;
	if (fdatasync(out->fd) < 0)
		return pl_err_errno(err, "could not write the column snapshot");
	return 0;
}

/* Writes the current block. */
static int end_block(struct out *out, struct image_block block, struct pl_err *err)
{
	size_t len;

	if (atomic_load(out->stop))
		return pl_err_set(err, PL_ERR_INTERRUPTED, "the column snapshot was not finished");
	auto_free void *packed = pl_zst_pack_brief(pl_buf_text(&out->buf), out->buf.len, &len);
	if (len > UINT32_MAX)
		return too_large(err);
	block.bytes = (uint32_t)out->buf.len;
	block.packed = (uint32_t)len;
	out->plain += out->buf.len;
	*PL_PUSH(out->blocks, out->count, out->room) = block;
	pl_buf_clear(&out->buf);
	return write_packed(out, packed, len, err);
}

/* ---- values -------------------------------------------------------------------------------------- */

/* Returns the number of values of the next block; *ret_texts: bytes of their texts. */
static uint32_t count_values(const struct mirror_column *column, uint32_t from, size_t *ret_texts)
{
	uint32_t code = from;
	size_t texts = 0;

	for (; code < column->distinct; code++) {
		const char *text = mirror_column_value(column, code)->text;
		if ((code - from) * sizeof(struct image_value) + texts >= IMAGE_BLOCK_BYTES)
			break;
		texts += text != NULL ? strlen(text) + 1 : 0;
	}
	*ret_texts = texts;
	return code - from;
}

static int write_some_values(struct out *out, const struct mirror_column *column, size_t at,
			     uint32_t from, uint32_t *ret_count, struct pl_err *err)
{
	size_t text_bytes = 0, text_at = 0;
	uint32_t count = count_values(column, from, &text_bytes);
	auto_free struct image_value *saved = pl_alloc_array(count, sizeof(*saved));
	auto_free char *texts = NULL;

	if (text_bytes > IMAGE_BLOCK_BYTES_MAX)
		return too_large(err);
	texts = pl_alloc(text_bytes + 1);
	for (uint32_t i = 0; i < count; i++) {
		const struct mirror_value *value = mirror_column_value(column, from + i);
		saved[i] = (struct image_value){ .class = value->class,
						 .is_explicit = value->is_explicit,
						 .is_time = value->is_time,
						 .is_elsewhere = value->is_elsewhere,
						 .same = value->same,
						 .text_len = IMAGE_NO_TEXT };
		memcpy(&saved[i].bits, &value->number, sizeof(saved[i].bits));
		if (value->text == NULL)
			continue;
		size_t len = strlen(value->text);
		saved[i].text_at = (uint32_t)text_at;
		saved[i].text_len = (uint32_t)len;
		memcpy(texts + text_at, value->text, len + 1);
		text_at += len + 1;
	}
	*ret_count = count;
	if (add(out, saved, count * sizeof(*saved), err) < 0 ||
	    add(out, texts, text_bytes, err) < 0)
		return -1;
	return end_block(
		out,
		(struct image_block){
			.kind = IMAGE_VALUES, .of = (uint32_t)at, .from = from, .count = count },
		err);
}

static int write_values(struct out *out, const struct mirror_snapshot *snapshot, size_t column,
			struct image_column *ret, struct pl_err *err)
{
	const struct mirror_column *values = &snapshot->columns[column];
	uint32_t count = 0;

	*ret = (struct image_column){ .distinct = values->distinct,
				      .classes = values->classes,
				      .has_odd_times = values->has_odd_times,
				      .refuses_numbers = values->values->refuses_numbers };
	for (uint32_t code = 0; code < values->distinct; code++) {
		const struct mirror_value *value = mirror_column_value(values, code);
		if (value->is_elsewhere)
			ret->elsewhere[value->is_explicit] = code;
	}
	for (uint32_t from = 0; from < values->distinct; from += count) {
		if (write_some_values(out, values, column, from, &count, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- segments ------------------------------------------------------------------------------------ */

void mirror_image_chunk_arrays(struct chunk *chunk, const struct image_chunk *head, size_t rows,
			       struct image_array ret[IMAGE_CHUNK_ARRAYS])
{
	enum chunk_form form = (enum chunk_form)head->form;
	bool has_codes = form == CHUNK_EXCEPTIONS || form == CHUNK_BITMAPS;
	const struct image_array arrays[IMAGE_CHUNK_ARRAYS] = {
		{ &chunk->codes, rows, head->width },
		{ (void **)&chunk->numbers, head->number_room, sizeof(*chunk->numbers) },
		{ (void **)&chunk->part_codes, has_codes ? head->parts : 0,
		  sizeof(*chunk->part_codes) },
		{ (void **)&chunk->part_ends, form == CHUNK_EXCEPTIONS ? head->parts : 0,
		  sizeof(*chunk->part_ends) },
		{ (void **)&chunk->part_rows, form == CHUNK_EXCEPTIONS ? head->part_rows : 0,
		  sizeof(*chunk->part_rows) },
		{ (void **)&chunk->runs, form == CHUNK_RUNS ? head->parts : 0,
		  sizeof(*chunk->runs) },
		{ (void **)&chunk->bitmaps,
		  form == CHUNK_BITMAPS ? (size_t)head->parts * mirror_bitmap_words(rows) : 0,
		  sizeof(*chunk->bitmaps) },
		{ (void **)&chunk->totals, head->has_totals ? head->total_count : 0,
		  sizeof(*chunk->totals) },
	};

	memcpy(ret, arrays, sizeof(arrays));
}

/* `chunk` is sealed. */
static int write_chunk(struct out *out, const struct chunk *chunk, struct pl_err *err)
{
	struct chunk copy = *chunk;
	struct image_array arrays[IMAGE_CHUNK_ARRAYS];
	struct image_chunk head = { .form = chunk->form,
				    .width = chunk->width,
				    .has_totals = chunk->totals != NULL,
				    .base = chunk->base,
				    .parts = chunk->parts,
				    .number_room = chunk->numbers != NULL ? chunk->number_room : 0,
				    .total_count = chunk->total_count };

	if (chunk->form == CHUNK_EXCEPTIONS && chunk->parts > 0)
		head.part_rows = chunk->part_ends[chunk->parts - 1];
	if (add(out, &head, sizeof(head), err) < 0)
		return -1;
	mirror_image_chunk_arrays(&copy, &head, chunk->rows, arrays);
	for (size_t i = 0; i < IMAGE_CHUNK_ARRAYS; i++) {
		if (arrays[i].count * arrays[i].size > 0 &&
		    add(out, *arrays[i].items, arrays[i].count * arrays[i].size, err) < 0)
			return -1;
	}
	return 0;
}

static int write_names(struct out *out, const struct mirror_snapshot *snapshot,
		       const struct gather_group *group, uint32_t segment, struct pl_err *err)
{
	auto_free int64_t *ids = pl_alloc_array(group->rows, sizeof(*ids));
	auto_free uint32_t *places = pl_alloc_array(group->rows, sizeof(*places));
	auto_buf texts = PL_BUF(IMAGE_BLOCK_BYTES_MAX);
	size_t count = 0;

	for (size_t i = 0; i < group->count; i++) {
		const struct names *names = snapshot->segments[group->first + i]->names;
		for (size_t row = 0; row < snapshot->rows[group->first + i]; row++) {
			if (!gather_is_live(group, i, row))
				continue;
			const char *run_id = names->run_ids[row];
			ids[count] = names->ids[row];
			places[count++] = run_id != NULL ? (uint32_t)texts.len + 1 : 0;
			if (run_id != NULL && !pl_buf_add(&texts, run_id, strlen(run_id) + 1))
				return too_large(err);
		}
	}
	if (add(out, ids, count * sizeof(*ids), err) < 0 ||
	    add(out, places, count * sizeof(*places), err) < 0 ||
	    add(out, pl_buf_text(&texts), texts.len, err) < 0)
		return -1;
	return end_block(out,
			 (struct image_block){
				 .kind = IMAGE_NAMES, .of = segment, .count = (uint32_t)count },
			 err);
}

static int write_group(struct out *out, const struct mirror_snapshot *snapshot,
		       const struct gather_group *group, const struct gather_room *room,
		       uint32_t segment, struct pl_err *err)
{
	struct image_block block = { .kind = IMAGE_CHUNKS, .of = segment };
	size_t columns = snapshot->mirror->column_count;

	if (write_names(out, snapshot, group, segment, err) < 0)
		return -1;
	for (size_t i = 0; i < columns; i++) {
		struct chunk made = { 0 };
		const struct gather_column column = { .snapshot = snapshot,
						      .at = i,
						      .distinct = snapshot->columns[i].distinct,
						      .has_numbers = true };
		if (!group->is_whole)
			mirror_gather_chunk(group, &column, room, &made);
		int result = write_chunk(
			out, group->is_whole ? &snapshot->chunks[group->first][i] : &made, err);
		mirror_chunk_done(&made);
		if (result < 0)
			return -1;
		block.count++;
		if (out->buf.len < IMAGE_BLOCK_BYTES && i + 1 < columns)
			continue;
		if (end_block(out, block, err) < 0)
			return -1;
		block.from = (uint32_t)i + 1;
		block.count = 0;
	}
	return 0;
}

static int write_segments(struct out *out, const struct mirror_snapshot *snapshot, uint32_t *rows,
			  uint32_t *ret_count, struct pl_err *err)
{
	struct gather_room room;
	struct gather_group group;
	uint32_t count = 0;
	int result = 0;

	mirror_gather_room_init(&room);
	for (size_t first = 0; first < snapshot->segment_count && result == 0;
	     first += group.count) {
		mirror_gather_group_init(&group, snapshot, first);
		if (group.rows > 0) {
			rows[count] = (uint32_t)group.rows;
			result = write_group(out, snapshot, &group, &room, count, err);
			count++;
		}
		mirror_gather_group_done(&group);
	}
	mirror_gather_room_done(&room);
	*ret_count = count;
	return result;
}

/* ---- the image ----------------------------------------------------------------------------------- */

static int write_index(struct out *out, const struct image_counts *counts, const uint32_t *rows,
		       const struct image_column *columns, struct image_top *top,
		       struct pl_err *err)
{
	size_t len;

	if (add(out, counts, sizeof(*counts), err) < 0 ||
	    add(out, rows, counts->segments * sizeof(*rows), err) < 0 ||
	    add(out, columns, counts->columns * sizeof(*columns), err) < 0 ||
	    add(out, out->blocks, counts->blocks * sizeof(*out->blocks), err) < 0)
		return -1;
	auto_free void *packed = pl_zst_pack_brief(pl_buf_text(&out->buf), out->buf.len, &len);
	top->index_at = out->at;
	top->index_packed = len;
	top->index_bytes = out->buf.len;
	out->plain += out->buf.len;
	if (write_packed(out, packed, len, err) < 0)
		return -1;
	return out->plain / IMAGE_RATIO_MAX > out->at + IMAGE_RATIO_EXTRA / IMAGE_RATIO_MAX
		       ? too_large(err)
		       : 0;
}

static int write_top(struct out *out, const struct mirror_image_head *head, uint64_t rows,
		     struct image_top *top, struct pl_err *err)
{
	char sha256[PL_SHA256_HEX_BYTES];

	top->magic = IMAGE_MAGIC;
	top->version = head->version;
	top->rows = rows;
	memcpy(top->form, head->form, sizeof(top->form));
	memcpy(top->token, head->token, sizeof(top->token));
	pl_sha256(top, offsetof(struct image_top, sha256), sha256);
	memcpy(top->sha256, sha256, sizeof(top->sha256));
	ssize_t written = TEMP_FAILURE_RETRY(pwrite(out->fd, top, sizeof(*top), 0));
	if (written >= 0 && written < (ssize_t)sizeof(*top))
		errno = ENOSPC;
	if (written != (ssize_t)sizeof(*top) || fsync(out->fd) < 0)
		return pl_err_errno(err, "could not write the column snapshot");
	return 0;
}

int mirror_image_write(const struct mirror_snapshot *snapshot, const struct mirror_image_head *head,
		       int fd, const atomic_bool *stop, struct pl_err *err)
{
	size_t columns = snapshot->mirror->column_count;
	auto_out out = { .fd = fd,
			 .stop = stop,
			 .at = sizeof(struct image_top),
			 .buf = PL_BUF(IMAGE_BLOCK_BYTES_MAX) };
	struct image_top top = { 0 };
	auto_free struct image_column *saved = pl_alloc_array(columns, sizeof(*saved));
	auto_free uint32_t *rows = pl_alloc_array(snapshot->segment_count, sizeof(*rows));
	uint32_t segments = 0;

	/* zeros until all else is on disk */
	if (pl_fd_write(fd, (const char *)&top, sizeof(top)) < 0)
		return pl_err_errno(err, "could not write the column snapshot");
	for (size_t i = 0; i < columns; i++) {
		if (write_values(&out, snapshot, i, &saved[i], err) < 0)
			return -1;
	}
	if (write_segments(&out, snapshot, rows, &segments, err) < 0)
		return -1;
	const struct image_counts counts = { .columns = (uint32_t)columns,
					     .segments = segments,
					     .blocks = (uint32_t)out.count };
	if (write_index(&out, &counts, rows, saved, &top, err) < 0)
		return -1;
	if (fdatasync(fd) < 0)
		return pl_err_errno(err, "could not write the column snapshot");
	return write_top(&out, head, snapshot->live, &top, err);
}

void mirror_image_form(const struct mirror *mirror, int64_t more, char ret[PL_SHA256_HEX_BYTES])
{
	auto_digest *digest = pl_digest_new();
	auto_free char *head = pl_asprintf("columns %d, " PROFLLM_VERSION ", %lld", IMAGE_FORMAT,
					   (long long)more);

	pl_digest_add(digest, head, strlen(head) + 1);
	for (size_t i = 0; i < mirror->column_count; i++) {
		const struct res_field *field = mirror->column_fields[i];
		unsigned char type = (unsigned char)field->type;
		pl_digest_add(digest, field->id, strlen(field->id) + 1);
		pl_digest_add(digest, &type, sizeof(type));
	}
	pl_digest_end(digest, ret);
}
