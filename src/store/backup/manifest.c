#include "store/backup/manifest.h"

#include <string.h>

#include "base/text.h"

/* Returns the hash of all members but "sha256". */
static void hash_of(const json_t *manifest, char hex[PL_SHA256_HEX_BYTES])
{
	auto_json json_t *rest = json_copy((json_t *)manifest);

	json_object_del(rest, "sha256");
	auto_free char *text = pl_json_to_text(rest, PL_JSON_SORTED);
	pl_sha256(text, strlen(text), hex);
}

void store_manifest_seal(json_t *manifest)
{
	char hex[PL_SHA256_HEX_BYTES];

	hash_of(manifest, hex);
	json_object_set_new(manifest, "sha256", json_string(hex));
}

static const json_t *file_of(const json_t *manifest, const char *name)
{
	PL_JSON_EACH(file, json_object_get(manifest, "files")) {
		if (pl_text_equal(pl_json_get_text(file, "name"), name))
			return file;
	}
	return NULL;
}

static bool is_count(const json_t *object, const char *key)
{
	return json_is_integer(json_object_get(object, key)) && pl_json_get_i64(object, key) >= 0;
}

static bool has_file(const json_t *manifest, const char *name)
{
	const json_t *file = file_of(manifest, name);

	return store_sha256_is(pl_json_get_text(file, "sha256")) && is_count(file, "bytes");
}

bool store_manifest_is_sqlite(const json_t *manifest)
{
	return pl_text_equal(pl_json_path_text(manifest, "database.kind"), "sqlite");
}

static const char *database_name(const json_t *manifest)
{
	return store_manifest_is_sqlite(manifest) ? MANIFEST_SQLITE : MANIFEST_POSTGRES;
}

/* Returns the member that is missing or of another type; NULL: none. */
static const char *fault_of(const json_t *manifest)
{
	const json_t *database = json_object_get(manifest, "database");
	const char *kind = pl_json_get_text(database, "kind");

	if (!pl_text_equal(kind, "sqlite") && !pl_text_equal(kind, "postgresql"))
		return "database.kind";
	if (!is_count(database, "format"))
		return "database.format";
	if (pl_text_equal(kind, "postgresql") && pl_json_get_text(database, "schema") == NULL)
		return "database.schema";
	if (!is_count(manifest, "data_version"))
		return "data_version";
	if (pl_json_get_text(manifest, "created_at") == NULL)
		return "created_at";
	if (!json_is_object(json_object_get(manifest, "counts")))
		return "counts";
	if (!is_count(json_object_get(manifest, "artifacts"), "count") ||
	    !is_count(json_object_get(manifest, "artifacts"), "bytes"))
		return "artifacts";
	return has_file(manifest, database_name(manifest)) && has_file(manifest, MANIFEST_ARTIFACTS)
		       ? NULL
		       : "files";
}

int store_manifest_parse(const char *text, size_t len, const char *name, const char *source,
			 json_t **ret, struct pl_err *err)
{
	auto_json json_t *manifest = NULL;
	char hex[PL_SHA256_HEX_BYTES];

	if (pl_json_parse(text, len, source, &manifest, err) < 0)
		return -1;
	const char *expected = pl_json_get_text(manifest, "sha256");
	if (!json_is_object(manifest) || !store_sha256_is(expected))
		return pl_err_invalid(err, "'%s' is damaged: it has no SHA-256", source);
	hash_of(manifest, hex);
	if (strcmp(hex, expected) != 0)
		return pl_err_invalid(err, "'%s' is damaged: found SHA-256 %s, expected %s", source,
				      hex, expected);
	if (pl_json_get_i64(manifest, "layout") != MANIFEST_LAYOUT)
		return pl_err_invalid(err,
				      "'%s' was written by another version: found layout %lld, "
				      "expected %d",
				      source, (long long)pl_json_get_i64(manifest, "layout"),
				      MANIFEST_LAYOUT);
	const char *shown = pl_json_get_text(manifest, "name");
	if (!pl_text_equal(shown, name))
		return pl_err_invalid(err, "'%s': name: found '%s', expected '%s'", source,
				      shown != NULL ? shown : "nothing", name);
	const char *fault = fault_of(manifest);
	if (fault != NULL)
		return pl_err_invalid(err, "'%s': %s is missing or malformed", source, fault);
	*ret = pl_take(manifest);
	return 0;
}

const json_t *store_manifest_database(const json_t *manifest)
{
	return file_of(manifest, database_name(manifest));
}

const json_t *store_manifest_artifacts(const json_t *manifest)
{
	return file_of(manifest, MANIFEST_ARTIFACTS);
}

bool store_manifest_read_line(const char *line, char sha256[STORE_SHA256_LEN + 1],
			      int64_t *ret_bytes)
{
	size_t len = strlen(line);
	char number[MANIFEST_LINE_BYTES];
	int64_t bytes;

	if (len < STORE_SHA256_LEN + 3 || len >= MANIFEST_LINE_BYTES || line[len - 1] != '\n' ||
	    line[STORE_SHA256_LEN] != ' ')
		return false;
	memcpy(number, line + STORE_SHA256_LEN + 1, len - STORE_SHA256_LEN - 2);
	number[len - STORE_SHA256_LEN - 2] = '\0';
	if (number[0] < '0' || number[0] > '9' || !pl_text_to_i64(number, &bytes) || bytes < 0)
		return false;
	memcpy(sha256, line, STORE_SHA256_LEN);
	sha256[STORE_SHA256_LEN] = '\0';
	if (!store_sha256_is(sha256))
		return false;
	*ret_bytes = bytes;
	return true;
}
