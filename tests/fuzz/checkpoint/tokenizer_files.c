/*
 * The files of a tokenizer of any bytes: parts divided by a line "%%" are tokenizer.json, tokenizer_config.json and
 * special_tokens_map.json; a part that is missing is a file that is missing. Each special id is one of the
 * vocabulary and is listed once.
 */
#include "checkpoint/tokenizer_files.h"

#include <string.h>

#include "../scratch.h"
#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct ckpt_vocabulary *vocabulary)
{
	must(vocabulary->size > 0 && vocabulary->size <= 1 << 20);
	for (size_t i = 0; i < vocabulary->special_count; i++) {
		must(vocabulary->special_ids[i] < vocabulary->size);
		for (size_t k = 0; k < i; k++)
			must(vocabulary->special_ids[i] != vocabulary->special_ids[k]);
	}
}

static void write_files(const char *bytes, size_t size)
{
	static const char *const names[] = { "tokenizer.json", "tokenizer_config.json",
					     "special_tokens_map.json" };
	static const char mark[] = "\n%%\n";
	bool is_over = false;

	for (size_t i = 0; i < PL_ARRAY_SIZE(names); i++) {
		char path[128];
		const char *found = memmem(bytes, size, mark, strlen(mark));
		size_t len = found != NULL ? (size_t)(found - bytes) : size;
		size_t used = found != NULL ? len + strlen(mark) : size;
		snprintf(path, sizeof(path), "%s/%s", scratch_path(), names[i]);
		if (is_over)
			unlink(path);
		else
			scratch_write(names[i], bytes, len);
		is_over = is_over || found == NULL;
		bytes += used;
		size -= used;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ckpt_source source = { .model = scratch_path() };
	auto_vocabulary vocabulary = { .size = 7 };

	write_files(size > 0 ? (const char *)data : "", size);
	if (ckpt_vocabulary_load(&source, &vocabulary))
		check(&vocabulary);
	else
		must(vocabulary.size == 0 && vocabulary.special_ids == NULL &&
		     vocabulary.special_count == 0);
	return 0;
}
