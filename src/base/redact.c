#include "base/redact.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/redact_forms.h"
#include "base/text.h"

/* The first bytes of a pattern, by which it is found. */
#define KEY_BYTES 4
/* One bit for each value of a hash of the key: 8 KiB, which stay in the first cache. */
#define SIEVE_BITS     65536
#define DIGITS_MIN     6
#define LINE_BYTES_MIN 16

/*
 *    text ──> every position: is its key's bit in the sieve set? ──no──> next position
 *                                  │ yes (rare)
 *                                  └──> the longest pattern with that key that matches
 *
 * A set never changes once it is published; adding a secret publishes a larger one. A reader may
 * still use the previous set, so old sets stay, and share their patterns with the new one.
 */
struct pattern {
	uint32_t key;
	uint32_t len;
	const char *bytes;
};

struct set {
	struct set *older;
	char **secrets;
	size_t secret_count;
	size_t secret_room;
	struct pattern *patterns; /* by key, long ones first */
	size_t count;
	size_t room;
	uint64_t sieve[SIEVE_BITS / 64];
};

static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct set *) newest;

/* ---- the set ---- */

static uint32_t key_at(const char *bytes)
{
	uint32_t key;

	memcpy(&key, bytes, sizeof(key));
	return key;
}

static uint32_t sieve_bit(uint32_t key)
{
	return key * 0x9E3779B1u >> 16;
}

/* The first position from `at` on where a pattern may begin; `last` + 1: none up to `last`. */
static size_t next_start(const struct set *set, const char *bytes, size_t at, size_t last)
{
	for (; at <= last; at++) {
		uint32_t bit = sieve_bit(key_at(bytes + at));
		if ((set->sieve[bit / 64] >> bit % 64 & 1) != 0)
			break;
	}
	return at;
}

static int compare_patterns(const void *a, const void *b)
{
	const struct pattern *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->len != y->len)
		return x->len > y->len ? -1 : 1;
	return memcmp(x->bytes, y->bytes, x->len);
}

static void add_pattern(void *context, const char *form, size_t len)
{
	struct set *set = context;

	if (len < KEY_BYTES)
		return;
	*PL_PUSH(set->patterns, set->count, set->room) = (struct pattern){
		.key = key_at(form), .len = (uint32_t)len, .bytes = pl_strndup(form, len)
	};
}

static bool is_common(const char *secret, size_t len)
{
	/* people give such keys to servers that need none; to hide them would make logs unreadable */
	static const char *const words[] = {
		"true",     "false",  "null",     "none",    "auto",   "empty",  "default",
		"vllm",     "test",   "dummy",    "fake",    "token",  "secret", "password",
		"changeme", "admin",  "root",     "user",    "guest",  "local",  "localhost",
		"model",    "openai", "postgres", "api-key", "apikey", "bearer"
	};

	if (strspn(secret, "0123456789") == len && len < DIGITS_MIN)
		return true;
	for (size_t i = 0; i < PL_ARRAY_SIZE(words); i++) {
		if (strcasecmp(secret, words[i]) == 0)
			return true;
	}
	return strspn(secret, "*") == len;
}

static bool is_known(const struct set *set, const char *secret)
{
	for (size_t i = 0; set != NULL && i < set->secret_count; i++) {
		if (strcmp(set->secrets[i], secret) == 0)
			return true;
	}
	return false;
}

static void publish_with(struct set *before, const char *secret)
{
	struct set *set = pl_alloc(sizeof(*set));

	set->older = before;
	for (size_t i = 0; before != NULL && i < before->count; i++)
		*PL_PUSH(set->patterns, set->count, set->room) = before->patterns[i];
	for (size_t i = 0; before != NULL && i < before->secret_count; i++)
		*PL_PUSH(set->secrets, set->secret_count, set->secret_room) = before->secrets[i];
	*PL_PUSH(set->secrets, set->secret_count, set->secret_room) = pl_strdup(secret);
	pl_redact_forms(secret, strlen(secret), add_pattern, set);
	/* A server prints a key of several lines line by line. */
	for (const char *at = secret; *at != '\0'; at += strspn(at, "\r\n")) {
		size_t len = strcspn(at, "\r\n");
		bool is_only = at == secret && at[len] == '\0';
		/* "-----BEGIN PRIVATE KEY-----" is in every key */
		if (len >= LINE_BYTES_MIN && !is_only && !pl_text_starts(at, "-----"))
			pl_redact_forms(at, len, add_pattern, set);
		at += len;
	}
	/* Sorts the patterns, drops those that repeat, and sets their bits. */
	size_t retained = 0;
	qsort(set->patterns, set->count, sizeof(*set->patterns), compare_patterns);
	for (size_t i = 0; i < set->count; i++) {
		const struct pattern *pattern = &set->patterns[i];
		uint32_t bit = sieve_bit(pattern->key);
		if (retained > 0 && compare_patterns(&set->patterns[retained - 1], pattern) == 0) {
			free((char *)pattern->bytes);
			continue;
		}
		set->sieve[bit / 64] |= UINT64_C(1) << bit % 64;
		set->patterns[retained++] = *pattern;
	}
	set->count = retained;
	atomic_store_explicit(&newest, set, memory_order_release);
}

void pl_redact_add(const char *text)
{
	if (text == NULL)
		return;
	text += strspn(text, " \t\r\n");
	size_t len = strlen(text);
	while (len > 0 && strchr(" \t\r\n", text[len - 1]) != NULL)
		len--;
	auto_free char *secret = pl_strndup(text, len);
	if (len < PL_REDACT_OTHERS || is_common(secret, len))
		return;
	pthread_mutex_lock(&adding);
	struct set *before = atomic_load_explicit(&newest, memory_order_relaxed);
	if (!is_known(before, secret))
		publish_with(before, secret);
	pthread_mutex_unlock(&adding);
}

static const struct set *get_set(void)
{
	return atomic_load_explicit(&newest, memory_order_acquire);
}

bool pl_redact_is_needed(void)
{
	return get_set() != NULL;
}

void pl_redact_each(void (*take)(void *context, const char *secret), void *context)
{
	const struct set *set = get_set();

	for (size_t i = 0; set != NULL && i < set->secret_count; i++)
		take(context, set->secrets[i]);
}

/* ---- the search ---- */

enum end {
	END_WHOLE, /* the text is complete */
	END_CUT,   /* its last part may be the first part of a secret */
	END_OPEN,  /* more follows: such a part is held back */
};

struct search {
	const struct set *set;
	size_t least;
	enum end end;
	const char *bytes;
	size_t len;
	char *out; /* the bytes themselves, except for END_OPEN */
	size_t used;
	size_t done;    /* of the bytes, copied or left out */
	size_t covered; /* up to here the bytes belong to the last secret found */
	/* its "***" is not written yet: writing in place would overwrite unread bytes */
	bool pending;
};

static size_t first_with_key(const struct set *set, uint32_t key)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (set->patterns[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns the longest pattern that matches at `at`; *ret_part: a longer one matches up to the end
 * of the text.
 */
static size_t match_at(const struct search *search, size_t at, bool *ret_part)
{
	const struct set *set = search->set;
	const char *text = search->bytes + at;
	size_t left = search->len - at;
	uint32_t key = key_at(text);

	for (size_t i = first_with_key(set, key); i < set->count && set->patterns[i].key == key;
	     i++) {
		const struct pattern *pattern = &set->patterns[i];
		if (pattern->len < search->least)
			break;
		if (pattern->len > left) {
			*ret_part |= memcmp(pattern->bytes, text, left) == 0;
			continue;
		}
		if (memcmp(pattern->bytes, text, pattern->len) == 0)
			return pattern->len;
	}
	return 0;
}

/* Returns whether a pattern begins with the remaining bytes, which are fewer than a key. */
static bool may_follow(const struct search *search, size_t at)
{
	const struct set *set = search->set;

	for (size_t i = 0; i < set->count; i++) {
		if (set->patterns[i].len >= search->least &&
		    memcmp(set->patterns[i].bytes, search->bytes + at, search->len - at) == 0)
			return true;
	}
	return false;
}

/* Writes the text up to `at`, which is not within a secret where the output is in place. */
static void copy_to(struct search *search, size_t at)
{
	size_t from = search->done > search->covered ? search->done : search->covered;

	if (search->pending) {
		memcpy(search->out + search->used, PL_REDACT_SHOWN, strlen(PL_REDACT_SHOWN));
		search->used += strlen(PL_REDACT_SHOWN);
		search->pending = false;
	}
	if (from < at) {
		memmove(search->out + search->used, search->bytes + from, at - from);
		search->used += at - from;
	}
	search->done = at;
}

/* Overlapping secrets become one "***". */
static void hide(struct search *search, size_t at, size_t len)
{
	if (at >= search->covered) {
		copy_to(search, at);
		search->pending = true;
	}
	if (at + len > search->covered)
		search->covered = at + len;
}

/* Leaves the search at the first byte that is held back, otherwise at the end. */
static void run_search(struct search *search)
{
	size_t at = search->done;

	for (; at + KEY_BYTES <= search->len; at++) {
		bool is_part = false;
		at = next_start(search->set, search->bytes, at, search->len - KEY_BYTES);
		if (at + KEY_BYTES > search->len)
			break;
		size_t len = match_at(search, at, &is_part);
		if (is_part && search->end == END_OPEN) {
			copy_to(search, at);
			return;
		}
		if (is_part && search->end == END_CUT)
			len = search->len - at;
		if (len > 0)
			hide(search, at, len);
	}
	for (; at < search->len && search->end == END_OPEN; at++) {
		if (may_follow(search, at)) {
			copy_to(search, at);
			return;
		}
	}
	copy_to(search, search->len);
}

static size_t redact(char *bytes, size_t len, size_t least, enum end end)
{
	struct search search = {
		.set = get_set(),
		.least = least,
		.end = end,
		.bytes = bytes,
		.len = len,
		.out = bytes,
	};

	if (search.set == NULL || len < KEY_BYTES)
		return len;
	run_search(&search);
	return search.used;
}

size_t pl_redact(char *bytes, size_t len, size_t least)
{
	return redact(bytes, len, least, END_WHOLE);
}

size_t pl_redact_cut(char *bytes, size_t len, size_t least)
{
	return redact(bytes, len, least, END_CUT);
}

void pl_redact_text(char *text, size_t least)
{
	if (pl_redact_is_needed())
		text[pl_redact(text, strlen(text), least)] = '\0';
}

void pl_redact_text_cut(char *text, size_t least)
{
	if (pl_redact_is_needed())
		text[pl_redact_cut(text, strlen(text), least)] = '\0';
}

/* ---- JSON ---- */

static json_t *redact_string(const json_t *string, size_t least)
{
	size_t len = json_string_length(string);
	auto_free char *text = pl_memdup(json_string_value(string), len + 1);
	size_t redacted = pl_redact(text, len, least);

	/* no secret is longer than "***" and as long: an equal length is an equal text */
	return redacted == len ? json_incref((json_t *)string)
			       : json_stringn_nocheck(text, redacted);
}

static json_t *redact_object(const json_t *object, size_t least)
{
	json_t *copy = json_object();
	bool changed = false;

	PL_JSON_EACH_MEMBER(key, value, object) {
		auto_free char *name = pl_strdup(key);
		pl_redact_text(name, least);
		json_t *redacted = pl_redact_json(value, least);
		changed |= redacted != value || strcmp(name, key) != 0;
		json_object_set_new_nocheck(copy, name, redacted);
	}
	if (changed)
		return copy;
	json_decref(copy);
	return json_incref((json_t *)object);
}

json_t *pl_redact_json(const json_t *value, size_t least)
{
	if (pl_redact_is_needed() && json_is_string(value))
		return redact_string(value, least);
	if (pl_redact_is_needed() && json_is_object(value))
		return redact_object(value, least);
	if (pl_redact_is_needed() && json_is_array(value)) {
		json_t *copy = json_array();
		bool changed = false;
		PL_JSON_EACH(item, value) {
			json_t *redacted = pl_redact_json(item, least);
			changed |= redacted != item;
			json_array_append_new(copy, redacted);
		}
		if (changed)
			return copy;
		json_decref(copy);
		return json_incref((json_t *)value);
	}
	return json_incref((json_t *)value);
}

/* ---- streams ---- */

struct pl_redactor {
	struct pl_buf bytes; /* held back, then those of this call */
	struct pl_buf out;
	size_t covered; /* number of held-back bytes of a secret whose "***" was written */
};

struct pl_redactor *pl_redactor_new(void)
{
	struct pl_redactor *redactor = pl_alloc(sizeof(*redactor));

	pl_buf_init(&redactor->bytes, SIZE_MAX / 2);
	pl_buf_init(&redactor->out, SIZE_MAX / 2);
	return redactor;
}

void pl_redactor_free(struct pl_redactor *redactor)
{
	if (redactor == NULL)
		return;
	pl_buf_done(&redactor->bytes);
	pl_buf_done(&redactor->out);
	free(redactor);
}

static size_t redact_piece(struct pl_redactor *redactor, enum end end, const char **ret)
{
	const struct pl_buf *bytes = &redactor->bytes;
	struct search search = {
		.set = get_set(),
		.least = PL_REDACT_OTHERS,
		.end = end,
		.bytes = pl_buf_text(bytes),
		.len = bytes->len,
		.covered = redactor->covered,
	};

	pl_buf_clear(&redactor->out);
	search.out = pl_buf_reserve(&redactor->out, bytes->len + strlen(PL_REDACT_SHOWN));
	if (search.set != NULL)
		run_search(&search);
	else
		copy_to(&search, search.len);
	redactor->covered = search.covered > search.done ? search.covered - search.done : 0;
	pl_buf_consume(&redactor->bytes, search.done);
	*ret = search.out;
	return search.used;
}

size_t pl_redactor_feed(struct pl_redactor *redactor, const char *bytes, size_t len,
			const char **ret)
{
	pl_buf_add(&redactor->bytes, bytes, len);
	return redact_piece(redactor, END_OPEN, ret);
}

size_t pl_redactor_end(struct pl_redactor *redactor, const char **ret)
{
	return redact_piece(redactor, END_CUT, ret);
}
