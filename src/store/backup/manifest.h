/* The manifest of a snapshot, and its list of artifacts. Both are read from disks that may have damaged them. */
#pragma once

#include "base/file.h"
#include "base/json.h"
#include "store/artifacts/files.h"

#define MANIFEST_LAYOUT     1
#define MANIFEST_BYTES_MAX  ((size_t)1 << 20)
#define MANIFEST_SQLITE     "database.sqlite"
#define MANIFEST_POSTGRES   "database.dump"
#define MANIFEST_ARTIFACTS  "artifacts.list"
#define MANIFEST_LINE_BYTES 128

/* Sets the member "sha256" to the hash of the others. */
void store_manifest_seal(json_t *manifest);
/*
 * Parses a manifest and checks its hash, its layout, and the types of what it must have. `name`: of the snapshot; `source`:
 * for messages. INVALID: it is damaged, or of a newer layout. *ret: a new reference.
 */
int store_manifest_parse(const char *text, size_t len, const char *name, const char *source,
			 json_t **ret, struct pl_err *err) PL_MUST_CHECK;
/* Returns the entry of a file of the snapshot; never NULL for a manifest that was parsed. Borrowed. */
const json_t *store_manifest_database(const json_t *manifest);
const json_t *store_manifest_artifacts(const json_t *manifest);
bool store_manifest_is_sqlite(const json_t *manifest);

/* A line of the list of artifacts, "SHA256 BYTES\n" with its NUL. Returns false if it is malformed. */
bool store_manifest_read_line(const char *line, char sha256[STORE_SHA256_LEN + 1],
			      int64_t *ret_bytes);
