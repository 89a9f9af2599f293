/*
 * Codings of bodies. The Content-Encoding of a request is gzip or zstd, which is decompressed first. A response is
 * compressed with gzip, zstd or brotli by the Accept-Encoding of its request; brotli only for files that the build
 * compressed.
 */
#pragma once

#include "dash/answer.h"

#include <stdint.h>

/* NULL, which names no coding, is known and plain. */
bool dash_coding_is_known(const char *coding);
bool dash_coding_is_plain(const char *coding);
/*
 * Decompresses a request's body of at most bytes_max bytes. Returns true and sets *ret_bytes to the body (free()), or
 * NULL if it was not compressed. False: refused.
 */
bool dash_coding_undo(const char *coding, const char *bytes, size_t len, uint64_t bytes_max,
		      char **ret_bytes, size_t *ret_len, struct dash_answer *answer);

/* Returns the name in Content-Encoding; NULL: plain. */
const char *dash_coding_name(enum dash_coding coding);
/*
 * Returns the coding among the `offered` ones (bits 1 << DASH_CODING_…) that the client prefers by its Accept-Encoding
 * (RFC 9110, 12.5.3). If it prefers several equally, the one that compresses best; plain if it accepts none of them, or
 * sent no such header (NULL).
 */
enum dash_coding dash_coding_choose(const char *accept, unsigned offered);
/*
 * Compresses a JSON response as the client prefers, if it is large enough, and caches the result for all responses that
 * share the bytes. Sets `varies` if another client could get another coding.
 */
void dash_coding_pack(const char *accept, struct dash_answer *answer);
