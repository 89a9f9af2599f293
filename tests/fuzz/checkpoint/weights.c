/*
 * Weight files of any bytes: the input is the head of a safetensors file, alone and in a directory next
 * to an index. Parts divided by a line "%%": the head's JSON, then the index. The length before
 * the head is the head's own, except that a first byte '!' takes the whole input as the file.
 */
#include "checkpoint/weights.h"

#include <math.h>
#include <string.h>

#include "../scratch.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LENGTH_BYTES 8
#define LAYERS       4

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_sums(const struct ckpt_weights *weights)
{
	const double sums[] = { weights->file_bytes, weights->float_numbers, weights->other_bytes,
				weights->head_numbers, weights->skipped_bytes };

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		must(isfinite(sums[i]) && sums[i] >= 0);
	must(weights->files >= 0 && weights->missing >= 0);
	must(weights->head_numbers <= weights->float_numbers);
	must(!weights->heads_read || (weights->files > 0 && weights->missing == 0));
}

/* With the file's size, and without one. */
static void check_parse(const char *file, size_t len, int64_t file_bytes)
{
	auto_free char *copy = pl_memdup(file, len);
	const struct ckpt_weights before = { .files = 3, .float_numbers = 7 };
	struct ckpt_weights weights = before;
	struct pl_err err = PL_ERR_INIT;

	if (ckpt_weights_head_parse(copy, len, file_bytes, LAYERS, &weights, &err) < 0)
		must(err.text[0] != '\0' && memcmp(&weights, &before, sizeof(before)) == 0);
	else
		check_sums(&weights);
}

/* The index goes first; `len` 0: a directory without one. */
static void check_folder(const char *index, size_t len)
{
	struct ckpt_weights weights = { 0 };
	struct pl_err err = PL_ERR_INIT;
	char path[128];

	snprintf(path, sizeof(path), "%s/model.safetensors.index.json", scratch_path());
	if (len > 0)
		scratch_write("model.safetensors.index.json", index, len);
	else
		unlink(path);
	if (ckpt_weights_read(scratch_path(), scratch_path(), LAYERS, &weights, &err) < 0)
		must(err.text[0] != '\0');
	else
		check_sums(&weights);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = "\n%%\n";
	const char *bytes = size > 0 ? (const char *)data : "";
	const char *found = memmem(bytes, size, mark, strlen(mark));
	size_t head = found != NULL ? (size_t)(found - bytes) : size;
	size_t begin = found != NULL ? head + strlen(mark) : size;
	bool is_raw = size > 0 && bytes[0] == '!';
	size_t len = is_raw ? size - 1 : head + LENGTH_BYTES;
	auto_free char *file = pl_alloc(len + 1);

	if (is_raw) {
		memcpy(file, bytes + 1, len);
	} else {
		for (size_t i = 0; i < LENGTH_BYTES; i++)
			file[i] = (char)((uint64_t)head >> (8 * i));
		memcpy(file + LENGTH_BYTES, bytes, head);
	}
	check_parse(file, len, -1);
	check_parse(file, len, (int64_t)len);
	scratch_write("model.safetensors", file, len);
	check_folder(NULL, 0);
	if (!is_raw && begin < size)
		check_folder(bytes + begin, size - begin);
	return 0;
}
