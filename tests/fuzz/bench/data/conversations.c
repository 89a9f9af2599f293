/*
 * Any bytes as a file of conversations, read from an open file and from a text: both give the same turns, or the same
 * error. The first byte says how many bytes of the file are read at once, from 3 on.
 */
#include "bench/data/conversations.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool is_same(const struct bench_entries *a, const struct bench_entries *b)
{
	bool same = a->count == b->count && a->with_media == b->with_media &&
		    a->mended == b->mended && a->first_mended == b->first_mended;

	for (size_t i = 0; same && i < a->count; i++)
		same = pl_text_equal(a->items[i].prompt, b->items[i].prompt) &&
		       pl_text_equal(a->items[i].completion, b->items[i].completion);
	return same;
}

/* Returns an open file of these bytes, whose offset is 0. */
static int file_of(const char *bytes, size_t len)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("conversations", MFD_CLOEXEC);
	must(fd >= 0 && ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	must(pwrite(fd, bytes, len, 0) == (ssize_t)len);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size > 0 ? size - 1 : 0, at_once = size > 0 ? data[0] + 3u : 3;
	/* exactly the bytes: the sanitizer notices a read past the end */
	auto_free char *copy = pl_memdup(size > 0 ? data + 1 : data, len);
	auto_entries parsed = { 0 };
	auto_entries read = { 0 };
	struct pl_err why = PL_ERR_INIT, err = PL_ERR_INIT;

	int of_text = bench_conversations_parse("x.json", copy, len, &parsed, &why);
	int of_file = bench_conversations_read_by("x.json", file_of(copy, len), at_once, &read,
						  &err);
	must(of_text == of_file && strcmp(why.text, err.text) == 0);
	must(of_text == 0 || pl_text_starts(why.text, "x.json:"));
	must(is_same(&parsed, &read));
	return 0;
}
