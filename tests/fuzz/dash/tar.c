/*
 * Writes any text as the name of a file in an archive: the head is whole blocks with a correct
 * checksum and contains the name, directly or in a preceding record.
 */
#include "dash/tar.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* The sum of a block as the format has it: the field of the sum as blanks. */
static void check_sum(const char *block)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < DASH_TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)block[i];
	must(strtoul(block + 148, NULL, 8) == sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t sizes[] = { 0, 511, ((int64_t)1 << 33) - 1, (int64_t)1 << 33 };
	auto_free char *name = pl_strndup((const char *)data, size < 4096 ? size : 4096);

	for (size_t i = 0; i < PL_ARRAY_SIZE(sizes); i++) {
		auto_buf tar = PL_BUF(1u << 20);
		dash_tar_add_head(&tar, name, sizes[i], 1);
		const char *text = pl_buf_text(&tar);
		must(tar.len >= DASH_TAR_BLOCK && tar.len % DASH_TAR_BLOCK == 0);
		check_sum(text);
		check_sum(text + tar.len - DASH_TAR_BLOCK);
		must(memmem(text, tar.len, name, strlen(name)) != NULL);
		must((tar.len > DASH_TAR_BLOCK) == (text[156] == 'x'));
		must(sizes[i] < (int64_t)1 << 33 || text[156] == 'x');
		must((sizes[i] + (int64_t)dash_tar_padding(sizes[i])) % (int64_t)DASH_TAR_BLOCK ==
		     0);
	}
	return 0;
}
