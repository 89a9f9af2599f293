/*
 * Redacts secrets in output of other programs: logs, and lines quoted in a result. A run knows its secrets as texts.
 * `recover` has only fingerprints and searches with a rolling sum, and computes a hash only if the sum matches. Both
 * use the same redaction.
 */
#include "run/redact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/redact.h"
#include "base/text.h"
#include "option/secret_known.h"
#include "vllm/secret.h"

/* Parameters of the rolling sum: an odd multiplier with well-distributed bits, and the top 16 of 64 bits. */
#define SUM_FACTOR 0x9E3779B97F4A7C15u
#define SUM_SHIFT  48
#define READ_BYTES (1u << 18)

/* ---- registering secrets ---- */

/* Registers the texts hidden in `shown`, which has the form of `value` unless a whole part is hidden. */
static void know_hidden(const json_t *value, const json_t *shown, bool hidden)
{
	hidden = hidden || pl_text_equal(json_string_value(shown), OPTION_SECRET_SHOWN);
	if (hidden && json_is_string(value))
		pl_redact_add(json_string_value(value));
	else if (json_is_string(value))
		option_secret_know_hidden(json_string_value(value), json_string_value(shown));
	PL_JSON_EACH_MEMBER(key, part, value)
		know_hidden(part, json_object_get(shown, key), hidden);
	PL_JSON_EACH(part, value) {
		know_hidden(part, json_array_get(shown, part_at), hidden);
	}
}

void run_redact_know_words(const json_t *words)
{
	auto_json json_t *shown = vllm_secret_words_shown(words);

	know_hidden(words, shown, false);
}

void run_redact_know(const struct run_launch *launch)
{
	auto_json json_t *values = vllm_secret_json_shown(launch->values);
	auto_json json_t *env = vllm_secret_json_shown(launch->env);

	option_secret_know_env();
	PL_JSON_EACH(name, launch->secret_env)
		pl_redact_add(pl_json_get_text(launch->env, json_string_value(name)));
	know_hidden(launch->values, values, false);
	know_hidden(launch->env, env, false);
	run_redact_know_words(launch->argv);
	PL_JSON_EACH_MEMBER(name, value, launch->env)
		option_secret_know_urls(json_string_value(value));
	pl_redact_add(launch->bearer);
	option_secret_know_urls(launch->url);
	PL_JSON_EACH(header, launch->headers)
		option_secret_know_header(json_string_value(header));
}

static void add_secret(void *context, const char *secret)
{
	json_array_append_new(context, json_string_nocheck(secret));
}

json_t *run_redact_secrets(void)
{
	json_t *secrets = json_array();

	pl_redact_each(add_secret, secrets);
	return secrets;
}

json_t *run_redact(const json_t *value)
{
	return pl_redact_json(value, PL_REDACT_OTHERS);
}

/* ---- fingerprints ---- */

/*
 * The fingerprint of a secret in a journal: its length, a rolling sum of 16 bits and a salted SHA-256. It allows
 * recognizing the secret in a log without revealing it. A guess can be tested against it, which only endangers weak
 * passwords.
 */
static uint64_t sum_of(const char *text, size_t len)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < len; i++)
		sum = sum * SUM_FACTOR + (unsigned char)text[i];
	return sum;
}

static void print_of(const char *salt, const char *text, size_t len, char hex[65])
{
	size_t before = strlen(salt);
	auto_free char *salted = pl_alloc(before + len + 1);

	memcpy(salted, salt, before);
	memcpy(salted + before, text, len);
	pl_sha256(salted, before + len, hex);
}

json_t *run_redact_prints(const json_t *secrets, const char *salt)
{
	json_t *prints = json_array();
	char hex[65];

	PL_JSON_EACH(secret, secrets) {
		const char *text = json_string_value(secret);
		print_of(salt, text, strlen(text), hex);
		json_array_append_new(
			prints,
			json_pack("{s:I, s:I, s:s}", "bytes", (json_int_t)strlen(text), "sum",
				  (json_int_t)(sum_of(text, strlen(text)) >> SUM_SHIFT), "sha256",
				  hex));
	}
	return prints;
}

/* Returns the first occurrence of the text with this fingerprint; NULL: none. */
static const char *find(const char *data, size_t len, const json_t *print, const char *salt)
{
	size_t width = (size_t)pl_json_get_i64(print, "bytes");
	uint64_t wanted = (uint64_t)pl_json_get_i64(print, "sum");
	const char *sha256 = pl_json_get_text(print, "sha256");
	uint64_t highest = 1;
	char hex[65];

	if (width == 0 || width > len || sha256 == NULL)
		return NULL;
	for (size_t i = 1; i < width; i++)
		highest *= SUM_FACTOR;
	uint64_t sum = sum_of(data, width);
	for (size_t at = 0;; at++) {
		if (sum >> SUM_SHIFT == wanted) {
			print_of(salt, data + at, width, hex);
			if (strcmp(hex, sha256) == 0)
				return data + at;
		}
		if (at + width == len)
			return NULL;
		/* the outgoing byte was multiplied width - 1 times since it was added */
		sum = (sum - (unsigned char)data[at] * highest) * SUM_FACTOR +
		      (unsigned char)data[at + width];
	}
}

void run_redact_find(const char *data, size_t len, const json_t *prints, const char *salt,
		     json_t *secrets)
{
	PL_JSON_EACH(print, prints) {
		const char *there = find(data, len, print, salt);
		if (there != NULL)
			json_array_append_new(
				secrets, json_stringn_nocheck(
						 there, (size_t)pl_json_get_i64(print, "bytes")));
	}
}

/* ---- in files ---- */

/* Reads the file through the redactor. out NULL: only searches. *ret: whether it contains a secret. */
static int pass_through(int fd, FILE *out, bool *ret)
{
	struct pl_redactor *redactor = pl_redactor_new();
	auto_free char *bytes = pl_alloc(READ_BYTES);
	size_t read_bytes = 0, written = 0;
	const char *clean;
	ssize_t got;

	do {
		got = TEMP_FAILURE_RETRY(read(fd, bytes, READ_BYTES));
		size_t len = got > 0 ? pl_redactor_feed(redactor, bytes, (size_t)got, &clean)
				     : pl_redactor_end(redactor, &clean);
		read_bytes += got > 0 ? (size_t)got : 0;
		written += len;
		/* commit reports a failed write */
		if (out != NULL)
			fwrite(clean, 1, len, out);
	} while (got > 0);
	pl_redactor_free(redactor);
	/* "***" is shorter than any secret */
	*ret = written != read_bytes;
	return got < 0 ? -1 : 0;
}

int run_redact_file(const char *path, struct pl_err *err)
{
	auto_file_new file = { 0 };
	struct stat st;
	bool has_secret;

	if (!pl_redact_is_needed())
		return 0;
	auto_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	if (pass_through(fd, NULL, &has_secret) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	if (!has_secret)
		return 0;
	if (pl_file_new_open_private(&file, path, err) < 0)
		return -1;
	/* the log keeps its mode, which may be private */
	if (fstat(fd, &st) < 0 || fchmod(fileno(file.stream), st.st_mode & 07777) < 0)
		return pl_err_errno(err, "could not write '%s'", path);
	if (pass_through(fd, file.stream, &has_secret) < 0)
		return pl_err_errno(err, "could not read '%s'", path);
	return pl_file_new_commit(&file, err);
}

/* *ret NULL: the file is empty. */
static int map(const char *path, char **ret, size_t *ret_len, struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	*ret = NULL;
	*ret_len = 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return pl_err_errno(err, "could not open '%s'", path);
	if (st.st_size == 0)
		return 0;
	/* maps the file, so that memory use does not depend on its length */
	char *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return pl_err_errno(err, "could not read '%s'", path);
	*ret = data;
	*ret_len = (size_t)st.st_size;
	return 0;
}

int run_redact_printed(const char *path, const json_t *prints, const char *salt, struct pl_err *err)
{
	auto_json json_t *secrets = json_array();
	char *data;
	size_t len;

	if (map(path, &data, &len, err) < 0)
		return -1;
	run_redact_find(data, len, prints, salt, secrets);
	if (data != NULL)
		munmap(data, len);
	PL_JSON_EACH(secret, secrets)
		pl_redact_add(json_string_value(secret));
	return run_redact_file(path, err);
}
