#include "result/artifacts.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/gz.h"
#include "base/text.h"
#include "base/zst.h"
#include "result/files.h"
#include "result/read.h"

static bool is_name(const char *name)
{
	return name != NULL && name[0] != '\0' && strchr(name, '/') == NULL &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int64_t size_of(const json_t *artifact)
{
	const json_t *size = json_object_get(artifact, "size");

	return json_is_integer(size) ? json_integer_value(size) : -1;
}

void res_artifacts_add(json_t *document, const char *path, struct res_artifacts *ret)
{
	json_t *native = res_read_native(document);
	const char *run_id = pl_json_get_text(native, "run_id");
	auto_free char *folder = pl_file_dir(path);

	if (run_id == NULL)
		return;
	if (ret->documents == NULL)
		ret->documents = json_array();
	json_array_append(ret->documents, native);
	PL_JSON_EACH(artifact, json_object_get(native, "artifacts")) {
		const char *kind = pl_json_get_text(artifact, "kind");
		const char *name = pl_json_get_text(artifact, "name");
		const char *sha256 = pl_json_get_text(artifact, "sha256");
		if (kind == NULL || sha256 == NULL || !is_name(name))
			continue;
		*PL_PUSH(ret->items, ret->count, ret->room) = (struct res_artifact){
			.run_id = run_id,
			.kind = kind,
			.name = name,
			.sha256 = sha256,
			.bytes = size_of(artifact),
			.path = pl_asprintf("%s/%s", folder, name),
		};
	}
}

static void add_text(const char *text, size_t len, const char *path, struct res_artifacts *ret)
{
	auto_json json_t *json = NULL;

	if (pl_json_check_memory(text, len, PL_JSON_MEMORY_BYTES_MAX, path, PL_ERR_IGNORED) < 0 ||
	    pl_json_parse(text, len, path, &json, PL_ERR_IGNORED) < 0)
		return;
	if (json_is_object(json))
		res_artifacts_add(json, path, ret);
	PL_JSON_EACH(item, json)
		res_artifacts_add(item, path, ret);
}

static void add_lines(const char *text, size_t len, const char *path, struct res_artifacts *ret)
{
	for (const char *at = text, *end = text + len; at < end;) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		line_end = line_end != NULL ? line_end : end;
		add_text(at, (size_t)(line_end - at), path, ret);
		at = line_end + 1;
	}
}

static int unpack(char *bytes, size_t len, size_t bytes_max, const char *path, char **ret_text,
		  size_t *ret_len)
{
	if (pl_zst_is(bytes, len))
		return pl_zst_unpack(bytes, len, bytes_max, path, ret_text, ret_len,
				     PL_ERR_IGNORED);
	if (pl_gz_is(bytes, len))
		return pl_gz_unpack(bytes, len, bytes_max, path, ret_text, ret_len, PL_ERR_IGNORED);
	*ret_text = pl_memdup(bytes, len + 1);
	*ret_len = len;
	return 0;
}

void res_artifacts_of_file(const char *path, size_t bytes_max, struct res_artifacts *ret)
{
	auto_free char *bytes = NULL;
	auto_free char *text = NULL;
	size_t bytes_len, len;

	if (pl_file_read(path, bytes_max, &bytes, &bytes_len, PL_ERR_IGNORED) < 0 ||
	    unpack(bytes, bytes_len, bytes_max, path, &text, &len) < 0)
		return;
	if (res_holds_lines(path))
		add_lines(text, len, path, ret);
	else
		add_text(text, len, path, ret);
}

void res_artifacts_done(struct res_artifacts *besides)
{
	for (size_t i = 0; i < besides->count; i++)
		free(besides->items[i].path);
	free(besides->items);
	json_decref(besides->documents);
	*besides = (struct res_artifacts){ 0 };
}
