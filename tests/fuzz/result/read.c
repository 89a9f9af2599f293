/* A result from anywhere, or none: refused, or each field is one of three things and stays it. */
#include "result/read.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(const struct res_fields *fields, const struct res_field *field,
			const json_t *document)
{
	auto_value value = { .state = RES_VALUE_NOT_RECORDED };

	res_field_value(fields, field, document, &value);
	auto_json json_t *reported = res_value_to_json(&value);
	bool is_there = value.state == RES_VALUE_PRESENT;
	if (reported == NULL || is_there != !json_is_null(json_object_get(reported, "value")) ||
	    (value.state == RES_VALUE_NOT_RECORDED) != (value.json == NULL) ||
	    (is_there && value.kind == RES_VALUE_NUMBER && isnan(value.number)) ||
	    (is_there && value.text == NULL &&
	     (value.kind == RES_VALUE_TEXT || value.kind == RES_VALUE_JSON)))
		abort();
}

/* Checks that a member that is read alone equals that of the complete document. */
static void check_member(const struct res_fields *fields, const uint8_t *data, size_t size,
			 const char *member, const json_t *document)
{
	auto_json json_t *lean = NULL;

	if (res_read_member(fields, (const char *)data, size, "input", member, &lean,
			    PL_ERR_IGNORED) < 0)
		abort();
	json_t *found = json_object_get(lean, member), *wanted = json_object_get(document, member);
	if (found != wanted && !json_equal(found, wanted))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct res_fields *fields;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *document = NULL;
	struct res_field field;
	const char *key;
	json_t *ignored;

	if (fields == NULL)
		fields = res_fields_new(NULL);
	if (res_read_text(fields, (const char *)data, size, "input", &document, &err) < 0)
		return 0;
	check_member(fields, data, size, "tags", document);
	check_member(fields, data, size, "results", document);
	for (size_t i = 0; i < res_fields_count(fields); i++)
		check_value(fields, res_fields_at(fields, i), document);
	/* clients may request any key of the document as an id */
	json_object_foreach(pl_json_get_path(document, "results"), key, ignored)
	{
		auto_free char *id = pl_asprintf("results.%s", key);
		if (res_fields_resolve(fields, id, &field, &err) == 0)
			check_value(fields, &field, document);
	}
	return 0;
}
