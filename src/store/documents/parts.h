/*
 * Splits bytes into documents: one JSON object (also over many lines), an array of objects, or JSON lines; each also
 * compressed (zstd, gzip). In a text with tables of `vllm bench serve`, each table becomes a document, the equivalent
 * flat result (result/flat/console.h). store/documents/document.h determines the form of each document.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define STORE_PARTS_BYTES_MAX (256u << 20)
#define STORE_PARTS_MAX       100000

struct store_part {
	const char *bytes;
	size_t len;
	char *name; /* "r.json"; of several, "r.jsonl:3" (line) or "r.json[2]" (index in the array) */
	int line;   /* of the whole, where the part starts, from 1 */
};

struct store_parts {
	struct store_part *items;
	size_t count;
	size_t room;
	char *text; /* of all parts; owned */
	char *made; /* the parts that were made from tables; owned */
};

/*
 * `name` is that of the whole. Returns -1 if it is unreadable, with the reason and location. An invalid document is
 * still a part and does not affect the others. Overwrites *ret.
 */
int store_parts_of(const char *bytes, size_t len, const char *name, struct store_parts *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void store_parts_done(struct store_parts *parts);
#define auto_store_parts __attribute__((cleanup(store_parts_done), unused)) struct store_parts
