/*
 * What a journal keeps of a secret: its length, a rolling sum of 16 bits and a salted SHA-256.
 * Enough to know the secret where it stands in a log, and not to tell it: a guess can be tested
 * against it, which helps against a weak password only.
 */
#include "run/hide.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#define SUM_FACTOR 0x9E3779B97F4A7C15u
#define SUM_SHIFT  48

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

json_t *run_hide_prints(const json_t *secrets, const char *salt)
{
	json_t *prints = json_array();
	char hex[65];
	size_t i;
	json_t *secret;

	json_array_foreach(secrets, i, secret)
	{
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
	size_t width = (size_t)json_integer_value(json_object_get(print, "bytes"));
	uint64_t wanted = (uint64_t)json_integer_value(json_object_get(print, "sum"));
	const char *sha256 = json_string_value(json_object_get(print, "sha256"));
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
		sum = (sum - (unsigned char)data[at] * highest) * SUM_FACTOR +
		      (unsigned char)data[at + width];
	}
}

void run_hide_find(const char *data, size_t len, const json_t *prints, const char *salt,
		   json_t *secrets)
{
	size_t i;
	json_t *print;

	json_array_foreach(prints, i, print)
	{
		const char *there = find(data, len, print, salt);
		if (there != NULL)
			json_array_append_new(
				secrets, json_stringn_nocheck(
						 there, (size_t)json_integer_value(
								json_object_get(print, "bytes"))));
	}
}
