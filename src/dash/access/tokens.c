#include "dash/access/tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clean.h"
#include "base/file.h"
#include "base/text.h"
#include "dash/access/private_file.h"

#define FILE_BYTES_MAX DASH_PRIVATE_FILE_BYTES_MAX
#define SECRET_BYTES   32
#define FILE_MODE      0600
#define EXPIRY_FORM    "%Y-%m-%dT%H:%M:%SZ"
#define NEVER          "never"
#define FOUND_CHARS    40 /* of a wrong value in a message; a token is longer */
#define HEAD_LINE      "# Tokens of profllm-dashboard. 'profllm-dashboard token' changes this file.\n"

void dash_tokens_done(struct dash_tokens *tokens)
{
	free(tokens->items);
	*tokens = (struct dash_tokens){ 0 };
}

/* ---- secrets ------------------------------------------------------------------------------- */

int dash_random(void *bytes, size_t len, struct pl_err *err)
{
	unsigned char *at = bytes;

	while (len > 0) {
		ssize_t got = TEMP_FAILURE_RETRY(getrandom(at, len, 0));
		if (got < 0)
			return pl_err_errno(err, "could not read random bytes from the kernel");
		at += got;
		len -= (size_t)got;
	}
	return 0;
}

void dash_wipe(void *bytes, size_t len)
{
	OPENSSL_cleanse(bytes, len);
}

static bool hash_token(const char *text, size_t len, const unsigned char salt[DASH_SALT_BYTES],
		       unsigned char ret[DASH_HASH_BYTES])
{
	unsigned hash_len = DASH_HASH_BYTES;

	return HMAC(EVP_sha256(), salt, DASH_SALT_BYTES, (const unsigned char *)text, len, ret,
		    &hash_len) != NULL;
}

const struct dash_token *dash_tokens_find(const struct dash_tokens *tokens, const char *text,
					  int64_t now_s, bool *ret_is_valid)
{
	const struct dash_token *found = NULL;
	size_t len = strlen(text);

	*ret_is_valid = false;
	if (len != DASH_TOKEN_CHARS)
		return NULL;
	for (size_t i = 0; i < tokens->count; i++) {
		const struct dash_token *token = &tokens->items[i];
		unsigned char hash[DASH_HASH_BYTES] = { 0 };
		bool is_hashed = hash_token(text, len, token->salt, hash);
		bool is_equal = CRYPTO_memcmp(hash, token->hash, DASH_HASH_BYTES) == 0;
		if (is_hashed && is_equal)
			found = token;
	}
	if (found != NULL)
		*ret_is_valid = found->expires_s > now_s;
	return found;
}

const struct dash_token *dash_tokens_find_user(const struct dash_tokens *tokens, const char *name)
{
	for (size_t i = 0; i < tokens->count; i++) {
		if (strcmp(tokens->items[i].name, name) == 0)
			return &tokens->items[i];
	}
	return NULL;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct place {
	const char *source;
	int line;
};

/* Shows only the beginning of a value, which may be a token in the wrong column. */
static int refuse(const struct place *place, const char *key, const char *found,
		  const char *expected, struct pl_err *err)
{
	auto_free char *clean = pl_clean_shown(found);
	bool is_secret = strstr(found, DASH_TOKEN_PREFIX) != NULL;

	return pl_err_invalid(err, "%s:%d: %s: found %s%.*s%s, expected %s", place->source,
			      place->line, key, is_secret ? "" : "'", FOUND_CHARS,
			      is_secret ? "a token" : clean, is_secret ? "" : "'", expected);
}

static bool read_expiry(const char *text, int64_t *ret)
{
	struct tm tm = { 0 };
	char again[32];

	if (strcmp(text, NEVER) == 0) {
		*ret = DASH_EXPIRY_NEVER;
		return true;
	}
	const char *end = strptime(text, EXPIRY_FORM, &tm);
	if (end == NULL || *end != '\0')
		return false;
	*ret = timegm(&tm);
	/* strptime() accepts shorter numbers and dates such as February 31 */
	return strftime(again, sizeof(again), EXPIRY_FORM, &tm) > 0 && strcmp(again, text) == 0;
}

/* Returns the end of the digits; NULL: there are fewer. */
static const char *read_hex(const char *text, unsigned char *ret, size_t len)
{
	for (size_t i = 0; i < len; i++, text += 2) {
		int high = pl_hex_value(text[0]);
		int low = high >= 0 ? pl_hex_value(text[1]) : -1;
		if (low < 0)
			return NULL;
		ret[i] = (unsigned char)(high << 4 | low);
	}
	return text;
}

static bool read_hash(const char *text, struct dash_token *token)
{
	text = read_hex(text, token->salt, DASH_SALT_BYTES);
	if (text == NULL || *text != ':')
		return false;
	text = read_hex(text + 1, token->hash, DASH_HASH_BYTES);
	return text != NULL && *text == '\0';
}

static int parse_line(char *line, const struct place *place, struct dash_tokens *tokens,
		      struct pl_err *err)
{
	static const char *const keys[] = { "name", "role", "expiry", "hash" };
	struct dash_token token = { .role = DASH_ROLE_NONE };
	char *words[PL_ARRAY_SIZE(keys)];
	char *at = line;

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		words[i] = strsep(&at, " \t");
		if (words[i] == NULL || words[i][0] == '\0')
			return pl_err_invalid(err,
					      "%s:%d: %s: found nothing, expected four words "
					      "separated by one space",
					      place->source, place->line, keys[i]);
	}
	if (at != NULL)
		return refuse(place, "hash", at, "the end of the line", err);
	if (!dash_user_is_valid(words[0]))
		return refuse(
			place, "name", words[0],
			"1 to 64 letters, digits and '._@+-', starting with a letter or digit",
			err);
	if (!dash_role_find(words[1], &token.role) || token.role == DASH_ROLE_NONE)
		return refuse(place, "role", words[1], "read, write or admin", err);
	if (!read_expiry(words[2], &token.expires_s))
		return refuse(place, "expiry", words[2],
			      "'never' or a time such as 2027-01-31T00:00:00Z", err);
	if (!read_hash(words[3], &token))
		return pl_err_invalid(err,
				      "%s:%d: hash: found another value, expected 32 and 64 "
				      "hexadecimal digits separated by ':'",
				      place->source, place->line);
	if (dash_tokens_find_user(tokens, words[0]) != NULL)
		return refuse(place, "name", words[0], "a name that no earlier line has", err);
	if (tokens->count == DASH_TOKENS_MAX)
		return pl_err_invalid(err, "%s:%d: found more than %d tokens", place->source,
				      place->line, DASH_TOKENS_MAX);
	memcpy(token.name, words[0], strlen(words[0]) + 1);
	*PL_PUSH(tokens->items, tokens->count, tokens->room) = token;
	return 0;
}

int dash_tokens_parse(const char *text, size_t len, const char *source, struct dash_tokens *ret,
		      struct pl_err *err)
{
	auto_tokens tokens = { 0 };
	auto_free char *copy = pl_strndup(text, len);
	struct place place = { .source = source };
	char *rest = copy;

	if (strlen(copy) != len)
		return pl_err_invalid(err, "%s: found a NUL byte, expected lines of text", source);
	while (rest != NULL) {
		char *line = strsep(&rest, "\n");
		size_t line_len = strlen(line);
		place.line++;
		if (line_len > 0 && line[line_len - 1] == '\r')
			line[line_len - 1] = '\0';
		if (line[0] != '\0' && line[0] != '#' && parse_line(line, &place, &tokens, err) < 0)
			return -1;
	}
	*ret = tokens;
	tokens = (struct dash_tokens){ 0 };
	return 0;
}

int dash_tokens_read(const char *path, struct dash_tokens *ret, struct pl_err *err)
{
	auto_buf text = PL_BUF(FILE_BYTES_MAX);

	if (dash_private_file_read(path, &text, err) < 0)
		return -1;
	return dash_tokens_parse(pl_buf_text(&text), text.len, path, ret, err);
}

/* ---- writing ------------------------------------------------------------------------------- */

static void add_hex(struct pl_buf *text, const unsigned char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		pl_buf_addf(text, "%02x", bytes[i]);
}

static void add_line(struct pl_buf *text, const struct dash_token *token)
{
	char expiry[32] = NEVER;
	time_t at = (time_t)token->expires_s;
	struct tm tm;

	if (token->expires_s != DASH_EXPIRY_NEVER && gmtime_r(&at, &tm) != NULL)
		(void)strftime(expiry, sizeof(expiry), EXPIRY_FORM, &tm);
	pl_buf_addf(text, "%s %s %s ", token->name, dash_role_name(token->role), expiry);
	add_hex(text, token->salt, sizeof(token->salt));
	pl_buf_add_char(text, ':');
	add_hex(text, token->hash, sizeof(token->hash));
	pl_buf_add_char(text, '\n');
}

/* Returns the descriptor whose end unlocks the file. All links to the file have one lock. */
static int lock(const char *path, int *ret_fd, struct pl_err *err)
{
	auto_free char *target = realpath(path, NULL);
	auto_free char *name = pl_asprintf("%s.lock", target != NULL ? target : path);
	auto_fd int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);

	if (fd < 0)
		return pl_err_errno(err, "could not open '%s'", name);
	if (TEMP_FAILURE_RETRY(flock(fd, LOCK_EX)) < 0)
		return pl_err_errno(err, "could not lock '%s'", name);
	*ret_fd = pl_take_fd(fd);
	return 0;
}

/* Lines that a user wrote as comments are lost; the tokens keep their order. */
static int write_file(const char *path, const struct dash_tokens *tokens, struct pl_err *err)
{
	auto_buf text = PL_BUF(FILE_BYTES_MAX);
	auto_file_new file = { 0 };

	pl_buf_add_text(&text, HEAD_LINE);
	for (size_t i = 0; i < tokens->count; i++)
		add_line(&text, &tokens->items[i]);
	if (pl_file_new_open(&file, path, err) < 0)
		return -1;
	if (fchmod(fileno(file.stream), FILE_MODE) < 0 ||
	    fwrite(pl_buf_text(&text), 1, text.len, file.stream) != text.len)
		return pl_err_errno(err, "could not write '%s'", path);
	return pl_file_new_commit(&file, err);
}

/* A missing file is an empty one. */
static int read_for_change(const char *path, struct dash_tokens *ret, struct pl_err *err)
{
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	return dash_tokens_read(path, ret, err);
}

/* Before the lock file is created: one of root would lock the owner of the tokens out. */
static int check_for_change(const char *path, struct pl_err *err)
{
	auto_tokens tokens = { 0 };

	return read_for_change(path, &tokens, err);
}

static int make_token(struct dash_token *token, char ret_text[DASH_TOKEN_BYTES], struct pl_err *err)
{
	unsigned char secret[SECRET_BYTES];
	/* with room for the padding that is cut */
	char text[DASH_TOKEN_BYTES + 1] = DASH_TOKEN_PREFIX;
	size_t at = strlen(text);

	if (dash_random(secret, sizeof(secret), err) < 0 ||
	    dash_random(token->salt, sizeof(token->salt), err) < 0)
		return -1;
	at += (size_t)EVP_EncodeBlock((unsigned char *)text + at, secret, sizeof(secret));
	dash_wipe(secret, sizeof(secret));
	/* RFC 4648, 5: base64url without padding */
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '+' ? '-' : *c == '/' ? '_' : *c;
	text[at - 1] = '\0';
	bool is_hashed = hash_token(text, at - 1, token->salt, token->hash);
	if (is_hashed)
		memcpy(ret_text, text, DASH_TOKEN_BYTES);
	dash_wipe(text, sizeof(text));
	return is_hashed ? 0 : pl_err_set(err, PL_ERR_INTERNAL, "could not hash the token");
}

int dash_tokens_add(const char *path, const char *name, enum dash_role role, int64_t expires_s,
		    char ret_text[DASH_TOKEN_BYTES], struct pl_err *err)
{
	struct dash_token token = { .role = role, .expires_s = expires_s };
	auto_tokens tokens = { 0 };
	auto_fd int lock_fd = -1;

	if (check_for_change(path, err) < 0 || lock(path, &lock_fd, err) < 0 ||
	    read_for_change(path, &tokens, err) < 0)
		return -1;
	if (dash_tokens_find_user(&tokens, name) != NULL)
		return pl_err_set(err, PL_ERR_BUSY,
				  "'%s' has a token named '%s'; revoke it first, or use another "
				  "name",
				  path, name);
	if (tokens.count == DASH_TOKENS_MAX)
		return pl_err_invalid(err, "'%s' has %d tokens, the maximum", path,
				      DASH_TOKENS_MAX);
	snprintf(token.name, sizeof(token.name), "%s", name);
	if (make_token(&token, ret_text, err) < 0)
		return -1;
	*PL_PUSH(tokens.items, tokens.count, tokens.room) = token;
	if (write_file(path, &tokens, err) == 0)
		return 0;
	dash_wipe(ret_text, DASH_TOKEN_BYTES);
	return -1;
}

int dash_tokens_revoke(const char *path, const char *name, struct pl_err *err)
{
	auto_tokens tokens = { 0 };
	auto_fd int lock_fd = -1;

	if (!pl_file_exists(path))
		return pl_err_set(err, PL_ERR_NOT_FOUND, "'%s' does not exist", path);
	if (check_for_change(path, err) < 0 || lock(path, &lock_fd, err) < 0 ||
	    dash_tokens_read(path, &tokens, err) < 0)
		return -1;
	const struct dash_token *token = dash_tokens_find_user(&tokens, name);
	if (token == NULL)
		return pl_err_set(err, PL_ERR_NOT_FOUND, "'%s' has no token named '%s'", path,
				  name);
	size_t at = (size_t)(token - tokens.items);
	memmove(&tokens.items[at], &tokens.items[at + 1],
		(tokens.count - at - 1) * sizeof(*tokens.items));
	tokens.count--;
	return write_file(path, &tokens, err);
}
