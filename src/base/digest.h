/*
 * SHA-256 of bytes that come in parts. Without memory, the process ends as in base/mem.h: a digest that was not computed
 * would be stored as if it were one.
 */
#pragma once

#include <stddef.h>

#include "base/mem.h"

#define PL_SHA256_HEX_BYTES 65 /* 64 hexadecimal digits and a NUL */

struct pl_digest;

struct pl_digest *pl_digest_new(void);
void pl_digest_add(struct pl_digest *digest, const void *data, size_t len);
/* Writes the digest of all bytes. Nothing can be added afterwards. */
void pl_digest_end(struct pl_digest *digest, char hex[PL_SHA256_HEX_BYTES]);
/* Takes NULL. */
void pl_digest_free(struct pl_digest *digest);
PL_AUTO_DEFINE(struct pl_digest, pl_digest_free);
#define auto_digest PL_AUTO(pl_digest_free) struct pl_digest
