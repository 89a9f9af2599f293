/*
 * Bytes that hold one document or many, cut into documents: one JSON object (also over many lines), an
 * array of objects, or JSON lines; each of them also packed (zstd, gzip). Of a text with tables of
 * `vllm bench serve` each table is a document: the flat result that it stands for
 * (result/flat/console.h). What a document is, is store/documents/document.h's to find out.
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
	char *name; /* "r.json"; of many "r.jsonl:3" (line) or "r.json[2]" (place in the array) */
	int line;   /* of the whole, where it begins: 1 and up */
};

struct store_parts {
	struct store_part *items;
	size_t count;
	size_t room;
	char *text; /* of all parts: its own */
	char *made; /* of the parts that were made of tables */
};

/*
 * `name` is the whole's. -1: nothing to be read, the error says why (and where). A part that is no
 * document is a part all the same: the others do not suffer by it. Overwrites *ret.
 */
int store_parts_of(const char *bytes, size_t len, const char *name, struct store_parts *ret,
		   struct pl_err *err) PL_MUST_CHECK;
void store_parts_done(struct store_parts *parts);
#define auto_store_parts __attribute__((cleanup(store_parts_done), unused)) struct store_parts
