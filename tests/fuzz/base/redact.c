/*
 * Any bytes as a stream, in pieces of any size: the output has none of the secrets, is the same
 * as in one piece, and keeps every byte outside of them.
 */
#include "base/redact.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const secrets[] = { "aab1", "ab1aab", "1111a", "b1%2/+\\\"a" };

static void redact_in_pieces(const uint8_t *data, size_t size, size_t step, struct pl_buf *out)
{
	struct pl_redactor *redactor = pl_redactor_new();
	const char *now;

	for (size_t at = 0; at < size; at += step) {
		size_t len = step < size - at ? step : size - at;
		size_t count = pl_redactor_feed(redactor, (const char *)data + at, len, &now);
		pl_buf_add(out, now, count);
	}
	size_t count = pl_redactor_end(redactor, &now);
	pl_buf_add(out, now, count);
	pl_redactor_free(redactor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf whole = PL_BUF(SIZE_MAX / 2);
	auto_buf pieces = PL_BUF(SIZE_MAX / 2);

	for (size_t i = 0; i < PL_ARRAY_SIZE(secrets); i++)
		pl_redact_add(secrets[i]);
	if (size < 1)
		return 0;
	redact_in_pieces(data + 1, size - 1, size, &whole);
	redact_in_pieces(data + 1, size - 1, data[0] % 7 + 1U, &pieces);
	assert(whole.len == pieces.len);
	assert(whole.len == 0 || memcmp(whole.data, pieces.data, whole.len) == 0);
	for (size_t i = 0; i < PL_ARRAY_SIZE(secrets); i++)
		assert(whole.len == 0 ||
		       memmem(whole.data, whole.len, secrets[i], strlen(secrets[i])) == NULL);
	return 0;
}
