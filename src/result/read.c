#include "result/read.h"

#include <string.h>

#include "base/file.h"
#include "result/flat/document.h"
#include "result/flat/offline.h"

/* A document that tells little is one too: its name is what all have. */
json_t *res_read_own(json_t *json)
{
	json_t *inside = json_object_get(json, "profllm");

	if (json_is_string(json_object_get(json, "run_id")))
		return json;
	return json_is_string(json_object_get(inside, "run_id")) ? inside : NULL;
}

static int read_offline(const json_t *json, json_t **ret, enum res_form *ret_form,
			struct pl_err *err)
{
	auto_json json_t *figures = NULL;

	if (res_offline_figures(res_offline_kind_of(json), json, &figures, err) < 0)
		return -1;
	*ret = res_offline_document(json);
	if (ret_form != NULL)
		*ret_form = RES_FORM_FLAT;
	return 0;
}

int res_read_json(const struct res_fields *fields, json_t *json, const char *source, json_t **ret,
		  enum res_form *ret_form, struct pl_err *err)
{
	auto_flat struct res_flat *flat = NULL;
	json_t *own = res_read_own(json);

	if (own == NULL && res_offline_kind_of(json) != NULL)
		return read_offline(json, ret, ret_form, err);
	if (own == NULL && res_flat_of_json(json, source, &flat, err) < 0)
		return json_is_object(json) ? pl_err_wrap(err, "'run_id' is not there, nor is it "
							       "another form of a result")
					    : -1;
	*ret = own != NULL ? json_incref(own) : res_flat_document(fields, flat);
	if (ret_form != NULL)
		*ret_form = own != NULL ? RES_FORM_OWN : RES_FORM_FLAT;
	return 0;
}

int res_read_text(const struct res_fields *fields, const char *text, size_t len, const char *source,
		  json_t **ret, enum res_form *ret_form, struct pl_err *err)
{
	auto_json json_t *json = NULL;
	auto_flat struct res_flat *flat = NULL;

	/* what vLLM writes may be no JSON: its own reader takes that */
	if (pl_json_parse(text, len, source, &json, PL_ERR_IGNORED) < 0) {
		if (res_flat_parse(text, len, source, &flat, err) < 0)
			return -1;
		json = json_incref(flat->json);
	}
	return res_read_json(fields, json, source, ret, ret_form, err);
}

/* ---- one member ---------------------------------------------------------------------------- */

/* JSON that was taken for such before: NULL where it is not what was expected, and then somebody else is to read it. */
struct text {
	const char *at;
	const char *end;
};

static bool has(const struct text *text, char c)
{
	return text->at < text->end && *text->at == c;
}

static void pass_blanks(struct text *text)
{
	while (text->at < text->end && strchr(" \t\r\n", *text->at) != NULL)
		text->at++;
}

/* From its first quote to behind its last one. */
static bool pass_string(struct text *text)
{
	const char *begin = ++text->at, *quote;

	while ((quote = memchr(text->at, '"', (size_t)(text->end - text->at))) != NULL) {
		size_t backslashes = 0;
		while (quote - backslashes > begin && quote[-1 - (ptrdiff_t)backslashes] == '\\')
			backslashes++;
		text->at = quote + 1;
		if (backslashes % 2 == 0)
			return true;
	}
	return false;
}

static bool pass_nested(struct text *text)
{
	size_t depth = 0;

	while (text->at < text->end) {
		char c = *text->at;
		if (c == '"') {
			if (!pass_string(text))
				return false;
			continue;
		}
		text->at++;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		if (depth == 0)
			return true;
	}
	return false;
}

static bool pass_value(struct text *text)
{
	const char *begin = text->at;

	if (has(text, '"'))
		return pass_string(text);
	if (has(text, '{') || has(text, '['))
		return pass_nested(text);
	while (text->at < text->end && strchr(",}] \t\r\n", *text->at) == NULL)
		text->at++;
	return text->at > begin;
}

/* A member with a plain name, and the comma behind it. */
static bool pass_member(struct text *text, struct text *ret_name, struct text *ret_value)
{
	ret_name->at = text->at + 1;
	if (!has(text, '"') || !pass_string(text))
		return false;
	ret_name->end = text->at - 1;
	pass_blanks(text);
	if (!has(text, ':'))
		return false;
	text->at++;
	pass_blanks(text);
	ret_value->at = text->at;
	if (!pass_value(text))
		return false;
	ret_value->end = text->at;
	pass_blanks(text);
	if (has(text, ','))
		text->at++;
	else if (!has(text, '}'))
		return false;
	pass_blanks(text);
	return memchr(ret_name->at, '\\', (size_t)(ret_name->end - ret_name->at)) == NULL;
}

static bool is_name(const struct text *name, const char *wanted)
{
	size_t len = strlen(wanted);

	return (size_t)(name->end - name->at) == len && memcmp(name->at, wanted, len) == 0;
}

/* False: it is not plainly one of ours. */
static bool find_member(struct text text, const char *member, struct text *ret)
{
	bool is_own = false;
	struct text name, value;

	*ret = (struct text){ NULL, NULL };
	pass_blanks(&text);
	if (!has(&text, '{'))
		return false;
	text.at++;
	pass_blanks(&text);
	while (!has(&text, '}')) {
		if (!pass_member(&text, &name, &value))
			return false;
		is_own = is_own || (is_name(&name, "run_id") && has(&value, '"'));
		if (is_name(&name, member))
			*ret = value;
	}
	return is_own;
}

int res_read_member(const struct res_fields *fields, const char *text, size_t len,
		    const char *source, const char *member, json_t **ret, struct pl_err *err)
{
	struct text found;
	json_t *value = NULL;

	if (!find_member((struct text){ text, text + len }, member, &found) ||
	    (found.at != NULL && pl_json_parse(found.at, (size_t)(found.end - found.at), source,
					       &value, PL_ERR_IGNORED) < 0))
		return res_read_text(fields, text, len, source, ret, NULL, err);
	*ret = json_object();
	if (value != NULL)
		json_object_set_new(*ret, member, value);
	return 0;
}

int res_read_file(const struct res_fields *fields, const char *path, json_t **ret,
		  enum res_form *ret_form, struct pl_err *err)
{
	auto_free char *text = NULL;
	size_t len = 0;

	if (pl_file_read(path, PL_JSON_BYTES_MAX, &text, &len, err) < 0)
		return -1;
	return res_read_text(fields, text, len, path, ret, ret_form, err);
}
