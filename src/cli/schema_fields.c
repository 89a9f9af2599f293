#include "cli/schema_fields.h"

#include "base/text.h"
#include "cli/cli.h"
#include "result/fields/list.h"
#include "result/read.h"

#define TEXT_BYTES_MAX (64u << 20)

/* Selects the requested fields, or all. free() */
static int choose(const struct res_fields *fields, const struct pl_opt_list *ids,
		  struct res_field **ret, size_t *ret_count, struct pl_err *err)
{
	size_t count = ids->count > 0 ? ids->count : res_fields_count(fields);
	auto_free struct res_field *chosen = pl_alloc_array(count, sizeof(*chosen));

	for (size_t i = 0; i < count; i++) {
		if (ids->count == 0)
			chosen[i] = *res_fields_at(fields, i);
		else if (res_fields_resolve(fields, ids->items[i], &chosen[i], err) < 0)
			return pl_err_wrap(err, "--field");
	}
	*ret = pl_take(chosen);
	*ret_count = count;
	return 0;
}

static json_t *values_json(const struct res_fields *fields, const struct res_field *chosen,
			   size_t count, const json_t *document)
{
	json_t *values = json_object();

	for (size_t i = 0; i < count; i++) {
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		res_field_value(fields, &chosen[i], document, &value);
		json_object_set_new(values, chosen[i].id, res_value_to_json(&value));
	}
	return values;
}

/* Prints the recorded values, one per line. */
static int print_values(const json_t *files)
{
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);

	PL_JSON_EACH(file, files) {
		if (json_array_size(files) > 1)
			pl_buf_addf(&text, "%s%s\n", file_at > 0 ? "\n" : "",
				    pl_json_get_text(file, "file"));
		PL_JSON_EACH_MEMBER(id, value, json_object_get(file, "fields")) {
			auto_free char *shown = pl_json_to_text(json_object_get(value, "value"),
								PL_JSON_COMPACT);
			const char *state = pl_json_get_text(value, "state");
			if (pl_text_equal(state, "not_recorded"))
				continue;
			pl_buf_addf(&text, "%-50s %s%s\n", id, shown,
				    pl_json_get_true(value, "explicit") ? "  (set)" : "");
		}
	}
	return cli_print(pl_buf_text(&text));
}

/* {file, fields: {id: value}} of each. */
static int read_files(const struct res_fields *fields, const struct res_field *chosen, size_t count,
		      char *const *files, int file_count, json_t *into, struct pl_err *err)
{
	for (int i = 0; i < file_count; i++) {
		auto_json json_t *document = NULL;
		if (res_read_file(fields, files[i], &document, err) < 0)
			return -1;
		json_array_append_new(
			into,
			json_pack("{s:o, s:s, s:o}", "file", pl_json_text(files[i]), "form",
				  json_object_get(document, "run_id") != NULL ? "profllm" : "vllm",
				  "fields", values_json(fields, chosen, count, document)));
	}
	return 0;
}

int cli_schema_fields(const struct pl_opt_list *ids, char *const *files, int file_count, bool json)
{
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	auto_json json_t *read = json_array();
	auto_free struct res_field *chosen = NULL;
	struct pl_err err = PL_ERR_INIT;
	size_t count = 0;

	if (choose(fields, ids, &chosen, &count, &err) < 0)
		return cli_fail(&err);
	if (file_count == 0) {
		auto_buf text = PL_BUF(TEXT_BYTES_MAX);
		if (json) {
			auto_json json_t *rows = res_fields_list_json(chosen, count);
			return cli_print_json(rows);
		}
		res_fields_list_text(chosen, count, &text);
		return cli_print(pl_buf_text(&text));
	}
	if (read_files(fields, chosen, count, files, file_count, read, &err) < 0)
		return cli_fail(&err);
	return json ? cli_print_json(read) : print_values(read);
}
