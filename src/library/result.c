/* Results, read without the program. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "library/library.h"
#include "result/artifacts.h"
#include "result/existing.h"
#include "schema/former.h"
#include "schema/schema.h"

#define FAULTS_MAX 1000

struct profllm_result {
	json_t *document;
	char *path; /* of the file that it was read from; NULL: none */
};

profllm_result *library_result_new(json_t *document, const char *path)
{
	profllm_result *result = pl_alloc(sizeof(*result));

	result->document = document;
	result->path = pl_strdup(path);
	return result;
}

void profllm_result_free(profllm_result *result)
{
	if (result == NULL)
		return;
	json_decref(result->document);
	free(result->path);
	free(result);
}

/* `path` NULL: not from a file. */
static int read_text(const char *text, size_t len, const char *path, profllm_result **ret,
		     struct pl_err *err)
{
	const char *source = path != NULL ? path : "result";
	auto_json json_t *document = NULL;

	if (library_json_parse(text, len, source, &document, err) < 0)
		return -1;
	if (pl_json_get_text(document, "run_id") == NULL ||
	    pl_json_get_text(document, "status") == NULL)
		return pl_err_invalid(
			err, "'%s' is not a result of ProfLLM: run_id or status is missing",
			source);
	schema_rename_former_result(document);
	*ret = library_result_new(pl_take(document), path);
	return 0;
}

int profllm_result_read(const char *path, profllm_result **ret, struct profllm_error *error)
{
	auto_free char *text = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t len;

	if (pl_file_read(path, PL_JSON_BYTES_MAX, &text, &len, &err) < 0 ||
	    read_text(text, len, path, ret, &err) < 0)
		return library_fail(error, &err);
	return PROFLLM_OK;
}

int profllm_result_parse(const char *text, size_t length, profllm_result **ret,
			 struct profllm_error *error)
{
	struct pl_err err = PL_ERR_INIT;

	return read_text(text, length, NULL, ret, &err) < 0 ? library_fail(error, &err)
							    : PROFLLM_OK;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Decodes a token of a JSON Pointer in place. Returns false if it is malformed. */
static bool decode(char *token)
{
	char *to = token;

	for (const char *at = token; *at != '\0'; at++) {
		if (*at == '~' && at[1] != '0' && at[1] != '1')
			return false;
		*to++ = *at != '~' ? *at : *++at == '0' ? '~' : '/';
	}
	*to = '\0';
	return true;
}

static json_t *item_at(const json_t *list, const char *token)
{
	int64_t at;

	/* RFC 6901: digits without leading zeros */
	if (strspn(token, "0123456789") != strlen(token) || (token[0] == '0' && token[1] != '\0') ||
	    !pl_text_to_i64(token, &at))
		return NULL;
	return json_array_get(list, (size_t)at);
}

json_t *library_field(const json_t *document, const char *path)
{
	if (path[0] == '\0')
		return (json_t *)document;
	if (path[0] != '/')
		return pl_json_get_path(document, path);
	auto_free char *copy = pl_strdup(path + 1);
	char *rest = copy;
	json_t *at = (json_t *)document;
	for (char *token; at != NULL && (token = strsep(&rest, "/")) != NULL;) {
		if (!decode(token))
			return NULL;
		at = json_is_array(at) ? item_at(at, token) : json_object_get(at, token);
	}
	return at;
}

const char *profllm_result_text(const profllm_result *result, const char *path)
{
	return json_string_value(library_field(result->document, path));
}

int profllm_result_number(const profllm_result *result, const char *path, double *ret,
			  struct profllm_error *error)
{
	const json_t *value = library_field(result->document, path);

	if (value == NULL || json_is_null(value))
		return library_refuse(error, PL_ERR_NOT_FOUND, "the result has no '%s'%s", path,
				      value != NULL ? ": it is null" : "");
	if (!json_is_number(value))
		return library_refuse(error, PL_ERR_INVALID, "'%s' is not a number", path);
	*ret = json_number_value(value);
	return PROFLLM_OK;
}

int profllm_result_json(const profllm_result *result, const char *path, char **ret,
			struct profllm_error *error)
{
	const json_t *value = library_field(result->document, path);

	if (value == NULL)
		return library_refuse(error, PL_ERR_NOT_FOUND, "the result has no '%s'", path);
	*ret = pl_json_to_text(value, PL_JSON_INDENT);
	return PROFLLM_OK;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void add_problem(json_t *problems, const char *severity, const char *key, const char *found,
			const char *expected, const char *nearest)
{
	auto_json json_t *problem = library_json(
		json_pack("{s:s, s:o, s:o, s:o, s:o}", "severity", severity, "key",
			  pl_json_text(key), "found", pl_json_text(found), "expected",
			  pl_json_text(expected), "nearest", pl_json_text(nearest)));

	library_json_add(problems, problem);
}

static int check_schema(const json_t *document, json_t *problems, struct pl_err *err)
{
	auto_schema const struct schema *schema = NULL;
	auto_schema_faults faults = { 0 };
	/* this is renamed in place */
	auto_json json_t *copy = library_json(json_deep_copy(document));

	if (schema_open("result", &schema, err) < 0)
		return -1;
	auto_json json_t *checked = schema_result_to_check(copy);
	if (schema_check(schema, checked, FAULTS_MAX, &faults))
		return 0;
	for (size_t i = 0; i < faults.count; i++) {
		const struct schema_fault *fault = &faults.items[i];
		auto_buf pointer = PL_BUF(LIBRARY_LINE_BYTES_MAX);
		if (fault->level > 0)
			continue;
		pl_buf_add_text(&pointer, fault->pointer);
		if (fault->key != NULL)
			schema_pointer_add(&pointer, fault->key);
		add_problem(problems, "error", pl_buf_text(&pointer), fault->found, fault->expected,
			    fault->nearest);
	}
	return 0;
}

/* An artifact may be missing: results are copied without them. One that differs is another run's, or damaged. */
static void check_artifact(const json_t *one, size_t at, const char *folder, json_t *problems)
{
	auto_free char *key = pl_asprintf("/artifacts/%zu", at);
	const char *name = pl_json_get_text(one, "name");
	const json_t *size = json_object_get(one, "size");
	struct res_artifact artifact = {
		.name = name,
		.sha256 = pl_json_get_text(one, "sha256"),
		.bytes = json_is_integer(size) ? json_integer_value(size) : -1,
	};
	struct pl_err err = PL_ERR_INIT;
	int64_t bytes = 0;

	/* the schema reports these */
	if (name == NULL || artifact.sha256 == NULL)
		return;
	if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0) {
		add_problem(problems, "error", key, name, "a name in the directory of the result",
			    NULL);
		return;
	}
	auto_free char *path = pl_asprintf("%s/%s", folder, name);
	artifact.path = path;
	switch (res_artifact_check(&artifact, &bytes, &err)) {
	case RES_ARTIFACT_INTACT:
		break;
	case RES_ARTIFACT_MISSING:
		add_problem(problems, "warning", key, "no such file", name, NULL);
		break;
	case RES_ARTIFACT_CHANGED:
		add_problem(problems, "error", key, "a file with other bytes",
			    "the size and the SHA-256 of the result", NULL);
		break;
	case RES_ARTIFACT_UNREADABLE:
		add_problem(problems, "error", key, err.text, "a file that can be read", NULL);
		break;
	}
}

int profllm_result_check(const profllm_result *result, profllm_findings **ret,
			 struct profllm_error *error)
{
	auto_json json_t *problems = library_json(json_array());
	struct pl_err err = PL_ERR_INIT;

	if (check_schema(result->document, problems, &err) < 0)
		return library_fail(error, &err);
	if (result->path != NULL) {
		auto_free char *folder = pl_file_dir(result->path);
		PL_JSON_EACH(artifact, json_object_get(result->document, "artifacts"))
			check_artifact(artifact, artifact_at, folder, problems);
	}
	*ret = library_findings_new(library_json(json_pack("{s:O}", "problems", problems)),
				    problems);
	return PROFLLM_OK;
}

int profllm_result_write(const profllm_result *result, const char *path, bool overwrite,
			 struct profllm_error *error)
{
	struct pl_err err = PL_ERR_INIT;

	if (overwrite && res_existing_check_replaced(path, "path", true, &err) < 0)
		return library_fail(error, &err);
	auto_free char *text = pl_json_to_text(result->document, PL_JSON_INDENT);
	auto_free char *content = pl_asprintf("%s\n", text);
	int done = overwrite ? pl_file_write(path, content, strlen(content), &err)
			     : pl_file_write_new(path, content, strlen(content), &err);
	return done < 0 ? library_fail(error, &err) : PROFLLM_OK;
}
