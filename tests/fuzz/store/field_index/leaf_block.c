/* Bytes of the field index from a damaged database: refused, or leaves that survive a round trip. */
#include "store/field_index/leaf_block.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_row(const uint8_t *data, size_t size)
{
	auto_leaf_row row = { 0 };
	auto_leaf_list list = { 0 };
	struct pl_err err = PL_ERR_INIT;
	struct res_leaf leaf;
	int result;

	if (store_leaf_row_open(data, size, &row, &err) < 0) {
		if (err.text[0] == '\0')
			abort();
		return;
	}
	while ((result = store_leaf_row_next(&row, &leaf, &err)) > 0)
		store_leaf_list_add(&list, &leaf);
	if (result < 0 && err.text[0] == '\0')
		abort();
	/* what was read can be written and read */
	size_t count = 0, len;
	auto_free void *packed = store_leaf_row_pack(&list, &len);
	auto_leaf_row again = { 0 };
	if (store_leaf_row_open(packed, len, &again, &err) < 0)
		abort();
	while ((result = store_leaf_row_next(&again, &leaf, &err)) > 0)
		count++;
	if (result < 0 || count > list.count)
		abort();
}

static void read_chunk(const uint8_t *data, size_t size, size_t rows)
{
	auto_leaf_chunk chunk = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (store_leaf_chunk_unpack(data, size, rows, &chunk, &err) < 0) {
		if (err.text[0] == '\0')
			abort();
		return;
	}
	size_t len;
	auto_free void *packed = store_leaf_chunk_pack(&chunk, &len);
	auto_leaf_chunk again = { 0 };
	if (store_leaf_chunk_unpack(packed, len, rows, &again, &err) < 0 ||
	    again.count != chunk.count ||
	    memcmp(again.codes, chunk.codes, rows * sizeof(*chunk.codes)) != 0)
		abort();
	for (size_t i = 0; i < chunk.count; i++) {
		if (strcmp(again.items[i].text, chunk.items[i].text) != 0)
			abort();
	}
}

static void read_ids(const uint8_t *data, size_t size)
{
	int64_t ids[STORE_LEAF_SEGMENT_ROWS], again[STORE_LEAF_SEGMENT_ROWS];
	struct pl_err err = PL_ERR_INIT;
	size_t count, len, found;

	if (store_leaf_ids_unpack(data, size, ids, &count, &err) < 0) {
		if (err.text[0] == '\0')
			abort();
		return;
	}
	auto_free void *packed = store_leaf_ids_pack(ids, count, &len);
	if (store_leaf_ids_unpack(packed, len, again, &found, &err) < 0 || found != count ||
	    memcmp(ids, again, count * sizeof(*ids)) != 0)
		abort();
}

/* The first byte chooses the form: a number of rows of a chunk, or a row, or ids. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] == 'r')
		read_row(data + 1, size - 1);
	else if (data[0] == 'i')
		read_ids(data + 1, size - 1);
	else
		read_chunk(data + 1, size - 1, data[0]);
	return 0;
}
