/*
 * Any bytes as a gzip file: exactly as much room as what is in it is enough, a byte less is refused.
 */
#include "base/gz.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (1u << 18)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pl_err err = PL_ERR_INIT;
	char *text = NULL, *retry = NULL;
	size_t len = 0, again_len = 0;

	if (pl_gz_unpack(data, size, MAX_BYTES, "fuzz", &text, &len, &err) < 0) {
		assert(text == NULL && strncmp(err.text, "'fuzz' is ", 10) == 0);
		return 0;
	}
	assert(pl_gz_is(data, size) && len <= MAX_BYTES && text[len] == '\0');
	/* exactly so much is enough, and a byte less is not */
	assert(pl_gz_unpack(data, size, len, "fuzz", &retry, &again_len, &err) == 0);
	assert(again_len == len && memcmp(text, retry, len) == 0);
	free(retry);
	retry = NULL;
	assert(len == 0 || pl_gz_unpack(data, size, len - 1, "fuzz", &retry, &again_len, &err) < 0);
	assert(retry == NULL);
	free(text);
	return 0;
}
