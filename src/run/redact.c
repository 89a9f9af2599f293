/*
 * Secrets struck out of what others wrote: logs, and the lines that a result quotes. A run knows
 * its secrets as texts; `recover` has prints alone and looks for them with a rolling sum, a hash
 * only where the sum fits. Both end in the same search over the mapped file.
 */
#include "run/redact.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "vllm/secret.h"

/* A shorter text may stand for itself anywhere in a log, and tells nothing. */
#define SECRET_BYTES_MIN 4
/* Of the rolling sum: any odd number with bits all over, and what is left of 64 bits. */
#define SUM_FACTOR 0x9E3779B97F4A7C15u
#define SUM_SHIFT  48

/* ---- what the secrets are ---- */

static void add(json_t *secrets, const char *text)
{
	if (text != NULL && strlen(text) >= SECRET_BYTES_MIN &&
	    !pl_text_equal(text, OPTION_SECRET_SHOWN))
		json_array_append_new(secrets, json_string_nocheck(text));
}

/* What "***" stands for in `shown`, as the password of a URL. */
static void add_part(json_t *secrets, const char *text, const char *shown)
{
	const char *first = shown != NULL && text != NULL ? strstr(shown, OPTION_SECRET_SHOWN)
							  : NULL;
	const char *last = first;

	if (first == NULL || strcmp(text, shown) == 0)
		return;
	for (const char *at = first; at != NULL; at = strstr(at + 1, OPTION_SECRET_SHOWN))
		last = at;
	size_t before = (size_t)(first - shown);
	size_t behind = strlen(last) - strlen(OPTION_SECRET_SHOWN);
	if (strlen(text) < before + behind)
		return;
	auto_free char *part = pl_strndup(text + before, strlen(text) - before - behind);
	add(secrets, part);
}

/* What stands hidden in `shown`, which has the form of `value` but where a whole part is hidden. */
static void collect(const json_t *value, const json_t *shown, bool hidden, json_t *secrets)
{
	hidden = hidden || pl_text_equal(json_string_value(shown), OPTION_SECRET_SHOWN);
	if (hidden && json_is_string(value))
		add(secrets, json_string_value(value));
	else if (json_is_string(value))
		add_part(secrets, json_string_value(value), json_string_value(shown));
	PL_JSON_EACH_MEMBER(key, part, value)
		collect(part, json_object_get(shown, key), hidden, secrets);
	PL_JSON_EACH(part, value) {
		collect(part, json_array_get(shown, part_at), hidden, secrets);
	}
}

static void collect_inherited(json_t *secrets)
{
	for (char **at = environ; at != NULL && *at != NULL; at++) {
		const char *equals = strchr(*at, '=');
		if (equals == NULL)
			continue;
		auto_free char *name = pl_strndup(*at, (size_t)(equals - *at));
		auto_free char *shown = option_secret_urls_shown(equals + 1);
		if (option_secret_is_name(name))
			add(secrets, equals + 1);
		else
			add_part(secrets, equals + 1, shown);
	}
}

/* "Authorization=Bearer sk-…": what a server tells of it is the key alone as well. */
static void collect_headers(const json_t *headers, json_t *secrets)
{
	PL_JSON_EACH(item, headers) {
		const char *value = option_secret_assigned(json_string_value(item));
		const char *scheme_end = value != NULL ? strchr(value, ' ') : NULL;
		add(secrets, value);
		if (scheme_end != NULL)
			add(secrets, scheme_end + 1);
	}
}

json_t *run_redact_secrets(const struct run_launch *launch)
{
	json_t *secrets = json_array();

	PL_JSON_EACH(name, launch->secret_env)
		add(secrets, pl_json_get_text(launch->env, json_string_value(name)));
	auto_json json_t *shown = vllm_secret_json_shown(launch->values);
	auto_json json_t *env = vllm_secret_json_shown(launch->env);
	collect(launch->values, shown, false, secrets);
	collect(launch->env, env, false, secrets);
	add(secrets, launch->bearer);
	collect_headers(launch->headers, secrets);
	collect_inherited(secrets);
	return secrets;
}

/* ---- in texts ---- */

static json_t *redact_text(const char *text, const json_t *secrets)
{
	auto_free char *now = pl_strdup(text);

	PL_JSON_EACH(secret, secrets) {
		char *before = now;
		now = pl_text_replace(before, json_string_value(secret), OPTION_SECRET_SHOWN);
		free(before);
	}
	return json_string(now);
}

json_t *run_redact(const json_t *value, const json_t *secrets)
{
	if (json_is_string(value))
		return redact_text(json_string_value(value), secrets);
	if (!json_is_array(value))
		return json_incref((json_t *)value);
	json_t *texts = json_array();
	PL_JSON_EACH(item, value)
		json_array_append_new(texts, run_redact(item, secrets));
	return texts;
}

/* ---- known again by their prints ---- */

/*
 * What a journal keeps of a secret: its length, a rolling sum of 16 bits and a salted SHA-256.
 * Enough to know the secret where it stands in a log, and not to tell it: a guess can be tested
 * against it, which helps against a weak password only.
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

/* The first place where the text stands that the print is of; NULL: it does not. */
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
		/* the byte that leaves was multiplied width - 1 times since it came */
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

struct span {
	const char *at;
	size_t len;
};

/* A secret and where it stands next: NULL: nowhere any more. */
struct needle {
	struct span text;
	const char *next;
};

static void look_from(struct needle *needle, const char *from, const char *end)
{
	if (needle->next != NULL && needle->next < from)
		needle->next = memmem(from, (size_t)(end - from), needle->text.at,
				      needle->text.len);
}

/* The one that stands first, the longest of them; NULL: none. */
static const struct needle *first_of(struct needle *needles, size_t count, const char *from,
				     const char *end)
{
	const struct needle *first = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct needle *here = &needles[i];
		look_from(&needles[i], from, end);
		if (here->next == NULL)
			continue;
		if (first == NULL || here->next < first->next ||
		    (here->next == first->next && here->text.len > first->text.len))
			first = here;
	}
	return first;
}

/* A failed write shows at the commit. */
static int write_shown(const char *path, struct needle *needles, size_t count, const char *from,
		       const char *end, struct pl_err *err)
{
	auto_file_new file = { 0 };
	const struct needle *needle;

	if (pl_file_new_open(&file, path, err) < 0)
		return -1;
	while ((needle = first_of(needles, count, from, end)) != NULL) {
		fwrite(from, 1, (size_t)(needle->next - from), file.stream);
		fputs(OPTION_SECRET_SHOWN, file.stream);
		from = needle->next + needle->text.len;
	}
	fwrite(from, 1, (size_t)(end - from), file.stream);
	return pl_file_new_commit(&file, err);
}

static int redact_mapped(const char *path, const char *data, size_t len, const json_t *secrets,
			 struct pl_err *err)
{
	size_t count = len > 0 ? json_array_size(secrets) : 0;
	auto_free struct needle *needles = pl_alloc_array(count, sizeof(*needles));
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const char *secret = json_string_value(json_array_get(secrets, i));
		needles[i].text = (struct span){ secret, strlen(secret) };
		needles[i].next = memmem(data, len, secret, needles[i].text.len);
		any |= needles[i].next != NULL;
	}
	return any ? write_shown(path, needles, count, data, data + len, err) : 0;
}

/* *ret NULL: nothing stands in it. */
static int map(const char *path, char **ret, size_t *ret_len, struct pl_err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	*ret = NULL;
	*ret_len = 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return pl_err_errno(err, "cannot open '%s'", path);
	if (st.st_size == 0)
		return 0;
	/* a page at a time is in memory, however long the log is */
	char *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return pl_err_errno(err, "cannot read '%s'", path);
	*ret = data;
	*ret_len = (size_t)st.st_size;
	return 0;
}

/* prints NULL: there are none to look for. What is found joins the secrets. */
static int redact(const char *path, json_t *secrets, const json_t *prints, const char *salt,
		  struct pl_err *err)
{
	char *data;
	size_t len;

	if (map(path, &data, &len, err) < 0)
		return -1;
	run_redact_find(data, len, prints, salt, secrets);
	int ret = redact_mapped(path, data, len, secrets, err);
	if (data != NULL)
		munmap(data, len);
	return ret;
}

int run_redact_file(const char *path, const json_t *secrets, struct pl_err *err)
{
	return redact(path, (json_t *)secrets, NULL, NULL, err);
}

int run_redact_printed(const char *path, const json_t *prints, const char *salt, struct pl_err *err)
{
	auto_json json_t *secrets = json_array();

	return redact(path, secrets, prints, salt, err);
}
