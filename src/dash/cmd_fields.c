#include "dash/dash.h"

#include <stddef.h>

#include "result/fields/list.h"

#define TEXT_BYTES_MAX (4u << 20)

struct fields_options {
	bool count;
	bool json;
};

#define AT(field) offsetof(struct fields_options, field)

static const struct pl_opt fields_rows[] = {
	PL_OPT(FLAG, 0, "count", count, NULL, "print only the number of fields and of columns"),
	PL_OPT(FLAG, 0, "json", json, NULL, "print JSON"),
	{ .name = NULL },
};

const struct pl_opt_command dash_fields_command = {
	.name = DASH_PROGRAM " fields",
	.usage = "[--count] [--json]",
	.summary = "List the fields that filters accept.",
	.details = "Each line shows the id, type and role of a field, whether it is a column of "
		   "the database, and its unit. Other fields are read from the documents.\n\n"
		   "The keys of a result that no line names (tags, keys of JSON arguments, other "
		   "percentiles) are fields, too.\n\n"
		   "Exit status: 0 done, 2 invalid usage.",
	.options = fields_rows,
};

static int print(const struct res_fields *fields, const struct fields_options *options)
{
	const struct res_field *rows = res_fields_at(fields, 0);
	size_t count = res_fields_count(fields), columns;
	auto_buf text = PL_BUF(TEXT_BYTES_MAX);
	auto_json json_t *json = NULL;

	res_fields_columns(fields, &columns);
	if (options->json) {
		json = options->count ? json_pack("{s:I, s:I}", "fields", (json_int_t)count,
						  "columns", (json_int_t)columns)
				      : res_fields_list_json(rows, count);
		return pl_program_print_json(json);
	}
	if (options->count)
		res_fields_count_text(rows, count, &text);
	else
		res_fields_list_text(rows, count, &text);
	return pl_program_print(pl_buf_text(&text));
}

int dash_cmd_fields(int argc, char **argv)
{
	struct fields_options options = { 0 };
	struct pl_words words;
	int status;

	if (!pl_command_read(&dash_fields_command, argc, argv, &options, &words, &status))
		return status;
	auto_fields struct res_fields *fields = res_fields_new(NULL);
	return print(fields, &options);
}
