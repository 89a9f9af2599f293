/*
 * The reference page of the server's arguments, docs/reference, as `make docs` writes it: a table a
 * group and, behind it, the keys of each argument that is an object.
 */
#include "cli/cmd_params_priv.h"

#include <string.h>

#include "vllm/arg_json.h"

#define CELL_BYTES_MAX 65536

void cli_params_cell(const char *cell, struct pl_buf *text)
{
	for (; *cell != '\0'; cell++) {
		if (strchr("|<*_\\", *cell) != NULL)
			pl_buf_add_char(text, '\\');
		pl_buf_add_char(text, *cell);
	}
}

/* `value`; a bar would end the cell. */
static void add_code(const char *value, struct pl_buf *text)
{
	pl_buf_add_char(text, '`');
	for (; *value != '\0'; value++) {
		if (*value == '|')
			pl_buf_add_char(text, '\\');
		pl_buf_add_char(text, *value);
	}
	pl_buf_add_char(text, '`');
}

static void add_code_value(const json_t *value, struct pl_buf *text)
{
	auto_buf words = PL_BUF(CELL_BYTES_MAX);

	cli_params_value(value, &words);
	add_code(pl_buf_text(&words), text);
}

static void add_code_list(const char *words, const json_t *list, struct pl_buf *text)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		pl_buf_add_text(text, i == 0 ? words : " ");
		add_code_value(json_array_get(list, i), text);
	}
}

static void add_names(const struct option_row *arg, struct pl_buf *text)
{
	auto_json json_t *aliases = vllm_arg_json_value(arg, "aliases");
	auto_json json_t *negatives = vllm_arg_json_value(arg, "negative_aliases");

	add_code(arg->flag, text);
	add_code_list(" ", aliases, text);
	if (arg->negative_flag != NULL) {
		pl_buf_add_char(text, ' ');
		add_code(arg->negative_flag, text);
	}
	add_code_list(" ", negatives, text);
}

static void add_type(const struct option_row *arg, struct pl_buf *text)
{
	auto_json json_t *special = vllm_arg_json_value(arg, "special_values");
	auto_buf bounds = PL_BUF(CELL_BYTES_MAX);

	cli_params_bounds(arg, &bounds);
	cli_params_cell(option_type_words(arg), text);
	if (bounds.len > 0)
		pl_buf_addf(text, ", %s", pl_buf_text(&bounds));
	add_code_list("; also ", special, text);
}

static void add_meaning(const struct option_row *arg, struct pl_buf *text)
{
	auto_json json_t *choices = vllm_arg_json_value(arg, "choices");
	auto_json json_t *older = vllm_arg_json_value(arg, "older_choices");

	cli_params_cell(arg->help, text);
	add_code_list(". One of ", choices, text);
	if (json_array_size(choices) > 0 && option_row_is_open(arg))
		pl_buf_add_text(text, " or another");
	add_code_list(". Other releases: ", older, text);
	if (arg->since != NULL)
		pl_buf_addf(text, ". Since %s", arg->since);
	if (arg->absent)
		pl_buf_addf(text, ". Gone in %s",
			    arg->removed_in != NULL ? arg->removed_in : VLLM_REFERENCE_RELEASE);
	else if (arg->deprecated)
		pl_buf_add_text(text, ". Deprecated");
	if (arg->replaced_by != NULL) {
		pl_buf_add_text(text, ", use ");
		add_code(arg->replaced_by, text);
	}
	if (arg->note != NULL) {
		pl_buf_add_text(text, ". Note: ");
		cli_params_cell(arg->note, text);
	}
}

static void add_arg(const struct option_row *arg, struct pl_buf *text)
{
	auto_json json_t *value = vllm_arg_json_value(arg, "default");

	pl_buf_add_text(text, "| ");
	add_code(arg->name, text);
	pl_buf_add_text(text, " | ");
	add_names(arg, text);
	pl_buf_add_text(text, " | ");
	add_type(arg, text);
	pl_buf_add_text(text, " | ");
	add_code_value(value, text);
	pl_buf_add_text(text, " | ");
	add_meaning(arg, text);
	pl_buf_add_text(text, " |\n");
}

static void add_field(const struct option_row *field, struct pl_buf *text)
{
	auto_json json_t *choices = pl_json_of_text(field->choices);
	auto_buf bounds = PL_BUF(CELL_BYTES_MAX);

	cli_params_bounds(field, &bounds);
	pl_buf_add_text(text, "| ");
	add_code(field->name, text);
	pl_buf_addf(text, " | %s", option_type_name(field->type));
	if (field->type == OPTION_LIST && field->items != OPTION_ANY)
		pl_buf_addf(text, " of %s", option_type_name(field->items));
	if (bounds.len > 0)
		pl_buf_addf(text, ", %s", pl_buf_text(&bounds));
	pl_buf_add_text(text, field->nullable ? ", or null | " : " | ");
	if (field->default_json != NULL)
		add_code(field->default_json, text);
	pl_buf_add_text(text, field->required ? "must be given | " : " | ");
	add_code_list("", choices, text);
	pl_buf_add_text(text, field->choices_open ? " or another |\n" : " |\n");
}

static void add_fields(const struct option_row *arg, struct pl_buf *text)
{
	bool is_first = true;

	for (const struct option_row *field = option_field_next(arg, NULL); field != NULL;
	     field = option_field_next(arg, field)) {
		if (is_first)
			pl_buf_addf(text,
				    "\n### Keys of `%s`\n\n| key | type | default | choices |\n"
				    "| --- | --- | --- | --- |\n",
				    arg->name);
		add_field(field, text);
		is_first = false;
	}
}

void cli_params_markdown(const struct option_row *const *args, size_t count, const char *release,
			 struct pl_buf *text)
{
	pl_buf_addf(text,
		    "# Server arguments\n\n"
		    "Made by `profllm params --markdown` from the rows of `src/tbl/engine_args/` "
		    "and `src/tbl/engine_fields.h`; `make docs` writes it anew.\n\n"
		    "These are the %zu arguments of vLLM's server that an experiment file takes "
		    "under `server:`, by name in `snake_case` or `kebab-case`. Defaults and "
		    "choices are those of vLLM %s; `null` is unset. A key inside an object is "
		    "written as a mapping or as `argument.key`.\n",
		    count, release != NULL ? release : VLLM_REFERENCE_RELEASE);
	for (size_t i = 0; i < count;) {
		const char *group = args[i]->group;
		size_t end = i;
		pl_buf_addf(text,
			    "\n## %s\n\n| argument | flags | type | default | meaning |\n"
			    "| --- | --- | --- | --- | --- |\n",
			    group);
		for (; end < count && strcmp(args[end]->group, group) == 0; end++)
			add_arg(args[end], text);
		for (; i < end; i++)
			add_fields(args[i], text);
	}
}
