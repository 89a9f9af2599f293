#include "base/digest.h"

#include <openssl/evp.h>
#include <stdbool.h>
#include <stdlib.h>

#define SHA256_BYTES 32

struct pl_digest {
	EVP_MD_CTX *context;
};

/* The bytes and SHA-256 are always valid: OpenSSL can fail for lack of memory alone. */
static void must(bool is_done)
{
	if (!is_done)
		pl_must(NULL);
}

struct pl_digest *pl_digest_new(void)
{
	struct pl_digest *digest = pl_alloc(sizeof(*digest));

	digest->context = pl_must(EVP_MD_CTX_new());
	must(EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL) == 1);
	return digest;
}

void pl_digest_add(struct pl_digest *digest, const void *data, size_t len)
{
	must(EVP_DigestUpdate(digest->context, data, len) == 1);
}

void pl_digest_end(struct pl_digest *digest, char hex[PL_SHA256_HEX_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[EVP_MAX_MD_SIZE];

	must(EVP_DigestFinal_ex(digest->context, bytes, NULL) == 1);
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[2 * SHA256_BYTES] = '\0';
}

void pl_digest_free(struct pl_digest *digest)
{
	if (digest == NULL)
		return;
	EVP_MD_CTX_free(digest->context);
	free(digest);
}
