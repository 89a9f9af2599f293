/*
 * The token file: the users of a dashboard, one token per line:
 *
 *	NAME ROLE EXPIRY SALT:HASH
 *	alice write 2027-03-01T00:00:00Z 5f0c…:9b41…
 *	ci admin never 08ae…:7d10…
 *
 * - A token has 256 random bits. The file has only a salted hash of it (HMAC-SHA256, the salt is the key), so the file
 *   does not grant access. A fast hash suffices, because such a token cannot be guessed.
 * - Names are unique. Empty lines, and lines that start with '#', are ignored.
 * - The file must belong to the user of the process or to root, with a mode as in access/private_file.h.
 * - A search hashes a text of the length of a token with the salt of every line, and compares all bytes of all hashes,
 *   whatever they contain. So its duration depends only on the number of lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "dash/access/user.h"

#define DASH_TOKEN_PREFIX "profllm_"
#define DASH_TOKEN_CHARS  51 /* the prefix and 256 bits in base64url */
#define DASH_TOKEN_BYTES  (DASH_TOKEN_CHARS + 1)
#define DASH_TOKENS_MAX   500
#define DASH_HASH_BYTES   32
#define DASH_EXPIRY_NEVER INT64_MAX

struct dash_token {
	char name[DASH_USER_BYTES];
	enum dash_role role;
	int64_t expires_s; /* Unix time; DASH_EXPIRY_NEVER */
	unsigned char salt[DASH_SALT_BYTES];
	unsigned char hash[DASH_HASH_BYTES];
};

/* Zero-initialized: none. */
struct dash_tokens {
	struct dash_token *items; /* in the order of the file */
	size_t count;
	size_t room;
};
void dash_tokens_done(struct dash_tokens *tokens);
#define auto_tokens __attribute__((cleanup(dash_tokens_done), unused)) struct dash_tokens

/* Parses the text of a file. `source` names it in errors. */
int dash_tokens_parse(const char *text, size_t len, const char *source, struct dash_tokens *ret,
		      struct pl_err *err) PL_MUST_CHECK;
/* Reads a file after checking its owner and mode. */
int dash_tokens_read(const char *path, struct dash_tokens *ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Returns the token with this text and true in *ret_is_valid, or false if it has expired. Returns NULL if no line has
 * it.
 */
const struct dash_token *dash_tokens_find(const struct dash_tokens *tokens, const char *text,
					  int64_t now_s, bool *ret_is_valid);
/* Returns NULL if no line has this name. */
const struct dash_token *dash_tokens_find_user(const struct dash_tokens *tokens, const char *name);

/* Fills a buffer with random bytes of the kernel. */
int dash_random(void *bytes, size_t len, struct pl_err *err) PL_MUST_CHECK;
/* Overwrites a secret, also if the compiler knows that nothing reads it again. */
void dash_wipe(void *bytes, size_t len);

/*
 * Adds a token to the file, which is created if missing, and writes its text to `ret_text`: it is stored nowhere. BUSY:
 * the name exists. The file is replaced atomically; a lock file next to it (FILE.lock) serializes writers.
 */
int dash_tokens_add(const char *path, const char *name, enum dash_role role, int64_t expires_s,
		    char ret_text[DASH_TOKEN_BYTES], struct pl_err *err) PL_MUST_CHECK;
/* Removes a token in the same way. NOT_FOUND: no line has this name. */
int dash_tokens_revoke(const char *path, const char *name, struct pl_err *err) PL_MUST_CHECK;
