/*
 * Codings of bodies. Content-Encoding of a request's: gzip and zstd, unpacked before anything else looks at them.
 * Accept-Encoding of a request, and with it Content-Encoding of an answer: gzip, zstd and brotli, the last of files that
 * the build compressed.
 */
#pragma once

#include "dash/answer.h"

#include <stdint.h>

/* NULL, the name of none, is one. */
bool dash_coding_is_known(const char *coding);
bool dash_coding_is_plain(const char *coding);
/* At most bytes_max of it. True: *ret_bytes is the body (free()), or NULL where it came as it is. False:
 * refused. */
bool dash_coding_undo(const char *coding, const char *bytes, size_t len, uint64_t bytes_max,
		      char **ret_bytes, size_t *ret_len, struct dash_answer *answer);

/* As Content-Encoding names it; NULL: plain. */
const char *dash_coding_name(enum dash_coding coding);
/*
 * Returns the coding of the `offered` ones (bits 1 << DASH_CODING_…) that the client wants most by its Accept-Encoding
 * (RFC 9110, 12.5.3), of several the one that packs best; plain where it wants none of them, or sent no such header
 * (NULL).
 */
enum dash_coding dash_coding_choose(const char *accept, unsigned offered);
/*
 * Compresses an answer's JSON as the client wants it, where that is worth the work, and remembers the result for all
 * who share the bytes. An answer that could have come otherwise is marked so (varies).
 */
void dash_coding_pack(const char *accept, struct dash_answer *answer);
