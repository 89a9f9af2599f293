/*
 * Paths of fields, independent of a document: the set of all documents' paths shows which fields
 * none of them has, without reading any document.
 *
 * A path is a dotted list of object keys. List levels are skipped, and so are parts that are
 * numbers or empty, so "environment.gpus.0.name" and all its siblings have one path. If no document
 * has a field's path, the field is recorded nowhere; if one has it, the field may be recorded.
 */
#pragma once

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"

#include <stdint.h>

/* A longer path is truncated to this length. */
#define RES_PATH_BYTES_MAX 1024

/* `place` is valid during the call and never ""; the hash is 64-bit FNV-1a of its text. */
typedef void res_path_fn(void *context, const char *path, uint64_t hash);
#define RES_PATH_HASH_OF_NONE PL_HASH_NONE /* hash of "" */
/* Calls `told` for all paths of a document as read by res_field_value(); many repeat. */
void res_paths_of(const json_t *document, res_path_fn *on_path, void *context);
/* Returns the path of a field by its id, with or without a row. "": it may be anywhere. */
void res_path_of_field(const char *id, struct pl_buf *ret);
