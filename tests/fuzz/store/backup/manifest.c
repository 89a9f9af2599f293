/*
 * Any bytes as the manifest of a snapshot, and as a list of artifacts. An accepted manifest has what its readers use. One
 * that is an object is also sealed, so that the checks after its hash are reached; then its hash never is the fault.
 */
#include "store/backup/manifest.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(const json_t *manifest)
{
	must(store_sha256_is(pl_json_get_text(store_manifest_database(manifest), "sha256")));
	must(store_sha256_is(pl_json_get_text(store_manifest_artifacts(manifest), "sha256")));
	must(pl_json_get_i64(store_manifest_database(manifest), "bytes") >= 0);
	must(store_manifest_is_sqlite(manifest) ||
	     pl_json_get_text(json_object_get(manifest, "database"), "schema") != NULL);
}

static void read_manifest(const char *text, size_t len, const char *fault)
{
	auto_json json_t *manifest = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (store_manifest_parse(text, len, "n", "manifest.json", &manifest, &err) == 0)
		check(manifest);
	else
		must(err.text[0] != '\0' && (fault == NULL || strstr(err.text, fault) == NULL));
}

static void read_sealed(const char *text, size_t len)
{
	auto_json json_t *manifest = NULL;

	if (pl_json_parse(text, len, "x", &manifest, PL_ERR_IGNORED) < 0 ||
	    !json_is_object(manifest))
		return;
	store_manifest_seal(manifest);
	auto_free char *sealed = pl_json_to_text(manifest, PL_JSON_INDENT);
	read_manifest(sealed, strlen(sealed), "is damaged");
}

static void read_lines(char *text)
{
	char line[MANIFEST_LINE_BYTES + 2], sha256[STORE_SHA256_LEN + 1];
	int64_t bytes;

	for (char *at = text; *at != '\0'; at += strlen(line)) {
		size_t len = strcspn(at, "\n") + 1;
		snprintf(line, len + 1 < sizeof(line) ? len + 1 : sizeof(line), "%s", at);
		if (store_manifest_read_line(line, sha256, &bytes))
			must(store_sha256_is(sha256) && bytes >= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = pl_strndup(size > 0 ? (const char *)data : "", size);

	read_manifest(size > 0 ? (const char *)data : "", size, NULL);
	read_sealed(size > 0 ? (const char *)data : "", size);
	read_lines(text);
	return 0;
}
