#include "result/read.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/text.h"
#include "result/document.h"
#include "result/flat/console.h"
#include "result/flat/python_json.h"
#include "result/producer.h"
#include "schema/former.h"

#define VERSION "schema_version"

/* Also accepts a minimal document: every document has a run_id. */
json_t *res_read_native(json_t *json)
{
	json_t *inside = json_object_get(json, "profllm");

	if (json_is_string(json_object_get(json, "run_id")))
		return json;
	return json_is_string(json_object_get(inside, "run_id")) ? inside : NULL;
}

int res_read_json(const struct res_fields *fields, json_t *json, const char *source, json_t **ret,
		  struct pl_err *err)
{
	json_t *native = res_read_native(json);

	if (native == NULL)
		return res_producer_read(fields, json, source, ret, err);
	schema_rename_former_result(native);
	*ret = json_incref(native);
	return 0;
}

/* The one table of a log. */
static int read_table(const char *text, size_t len, const char *source, json_t **ret,
		      struct pl_err *err)
{
	const char *title;
	size_t at = 0;

	*ret = res_console_next(text, len, &at, &title);
	if (*ret == NULL)
		return pl_err_invalid(err,
				      "'%s' has a table of vllm bench serve without 'Successful "
				      "requests:' or 'Benchmark duration (s):'",
				      source);
	auto_json json_t *more = res_console_next(text, len, &at, &title);
	if (more != NULL)
		return pl_err_invalid(err,
				      "'%s': found several tables of vllm bench serve, expected "
				      "one; profllm-dashboard import takes each as a result",
				      source);
	return 0;
}

int res_read_text(const struct res_fields *fields, const char *text, size_t len, const char *source,
		  json_t **ret, struct pl_err *err)
{
	auto_json json_t *json = NULL;

	if (res_console_is(text, len)) {
		if (read_table(text, len, source, &json, err) < 0)
			return -1;
		return res_read_json(fields, json, source, ret, err);
	}
	/* Python's output may not be JSON */
	if (pl_json_parse(text, len, source, &json, PL_ERR_IGNORED) < 0 &&
	    res_python_json_parse(text, len, source, &json, NULL, err) < 0)
		return -1;
	return res_read_json(fields, json, source, ret, err);
}

/* ---- one member ---------------------------------------------------------------------------- */

struct span {
	const char *begin, *end;
};

static bool is_name(struct span name, const char *wanted)
{
	size_t len = strlen(wanted);

	return (size_t)(name.end - name.begin) == len && memcmp(name.begin, wanted, len) == 0;
}

/* Skips a member whose name has no escapes; *at is then at its end. */
static bool pass_member(const char **at, const char *end, struct span *ret_name,
			struct span *ret_value)
{
	const char *quote = *at, *after = pl_scan_string(quote, end);
	const char *colon = pl_scan_blanks(after, end);

	if (colon == end || *quote != '"' || *colon != ':')
		return false;
	*ret_name = (struct span){ quote + 1, after - 1 };
	ret_value->begin = pl_scan_blanks(colon + 1, end);
	ret_value->end = *at = pl_scan_value(ret_value->begin, end, ",}");
	return *at < end && memchr(quote, '\\', (size_t)(after - quote)) == NULL;
}

/*
 * Finds the member and the version in JSON that was already recognized as such. Returns false if
 * it is not clearly our document; another function then reads it.
 */
static bool find_member(const char *text, size_t len, const char *member, struct span *ret,
			struct span *ret_version)
{
	const char *end = text + len, *at = pl_scan_blanks(text, end);
	bool is_own = false;
	struct span name, value;

	*ret = *ret_version = (struct span){ NULL, NULL };
	if (at == end || *at != '{')
		return false;
	do {
		at = pl_scan_blanks(at + 1, end);
		if (at == end || !pass_member(&at, end, &name, &value))
			return false;
		is_own = is_own || (is_name(name, "run_id") && *value.begin == '"');
		if (is_name(name, member))
			*ret = value;
		if (is_name(name, VERSION))
			*ret_version = value;
	} while (*at == ',');
	return is_own;
}

/* Adds the member to the object unless the text has none. */
static int add_member(json_t *object, const char *member, struct span found)
{
	json_t *value = NULL;

	if (found.begin == NULL)
		return 0;
	if (pl_json_parse(found.begin, (size_t)(found.end - found.begin), member, &value,
			  PL_ERR_IGNORED) < 0)
		return -1;
	return json_object_set_new(object, member, value);
}

int res_read_member(const struct res_fields *fields, const char *text, size_t len,
		    const char *source, const char *member, json_t **ret, struct pl_err *err)
{
	auto_json json_t *made = json_object();
	struct span found, version;

	if (!find_member(text, len, member, &found, &version) ||
	    add_member(made, VERSION, version) < 0 || add_member(made, member, found) < 0)
		return res_read_text(fields, text, len, source, ret, err);
	schema_rename_former_result(made);
	if (strcmp(member, VERSION) != 0)
		json_object_del(made, VERSION);
	*ret = pl_take(made);
	return 0;
}

/* A metric that is a text would count as not recorded. Keys that no row knows may hold anything. */
static int check_numbers(const struct res_fields *fields, const json_t *document,
			 struct pl_err *err)
{
	PL_JSON_EACH_MEMBER(key, value, json_object_get(document, "results")) {
		auto_free char *id = pl_asprintf("results.%s", key);
		struct res_field field;
		/* JSON has no infinity */
		bool is_infinite = pl_text_equal(json_string_value(value), "inf");
		if (json_is_number(value) || json_is_null(value) || is_infinite ||
		    res_fields_resolve(fields, id, &field, PL_ERR_IGNORED) < 0)
			continue;
		if (field.type == RES_FIELD_NUMBER || field.type == RES_FIELD_COUNT)
			return res_refuse_value(value, "a number or null", err, "/results/%s", key);
	}
	return 0;
}

int res_read_file(const struct res_fields *fields, const char *path, json_t **ret,
		  struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (pl_file_read(path, PL_JSON_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	auto_json json_t *document = NULL;
	if (res_read_text(fields, text, len, path, &document, err) < 0)
		return -1;
	if (check_numbers(fields, document, err) < 0)
		return pl_err_wrap(err, "'%s'", path);
	*ret = pl_take(document);
	return 0;
}
