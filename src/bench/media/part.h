/* Parts of a chat message, and data URLs. */
#pragma once

#include <stddef.h>

#include "base/json.h"

/*
 * Returns {"type": "NAME", "NAME": {"url": URL}}: `name` is image_url or video_url. Takes the URL, a
 * string. New reference.
 */
json_t *bench_media_url_part(const char *name, json_t *url);
/* Returns "data:TYPE;base64,…" as a string; new reference. At most 1 GiB of bytes. */
json_t *bench_media_data_url(const char *type, const void *bytes, size_t len);
/* Returns the bytes as base64 text, which the caller frees; *ret_len: its length. */
char *bench_media_base64(const char *before, const void *bytes, size_t len, size_t *ret_len);
