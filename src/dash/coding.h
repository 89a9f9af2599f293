/* Content-Encoding of bodies: "gzip" and "zstd", unpacked before anything else looks at them. */
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
