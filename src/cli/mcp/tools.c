#include "cli/mcp/tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/command.h"
#include "base/text.h"
#include "cli/mcp/answers.h"

#define ITEMS_MAX      100
#define SIDES_MIN      2
#define SIDES_MAX      8
#define TEXT_BYTES_MAX 65536
#define HELP_BYTES_MAX 8192
#define WHOLE_MAX      9007199254740991LL /* 2^53 - 1: the integers that every client can write */

static const struct cli_mcp_tool tools[] = {
#define TOOL(name, title, words, fixed, access, operand, options, answer, text) \
	{ #name, title, words, fixed, CLI_MCP_##access, operand, options, #answer, text },
#include "tbl/mcp_tools.h"
};

const struct cli_mcp_tool *cli_mcp_tool_at(size_t i)
{
	return i < PL_ARRAY_SIZE(tools) ? &tools[i] : NULL;
}

const struct cli_mcp_tool *cli_mcp_tool_find(const char *name)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(tools) && name != NULL; i++) {
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	}
	return NULL;
}

/* ---- the options of a tool -------------------------------------------------------------------- */

/* An option of the tool: its row, and the name of the argument ("output_dir" for --output-dir). */
struct option {
	const struct pl_opt *row;
	char name[64];
	bool is_required;
};

static const struct pl_opt *row_of(const struct pl_commands *commands,
				   const struct cli_mcp_tool *tool, const char *name, size_t len)
{
	auto_free char *command = pl_strndup(tool->words, strcspn(tool->words, " "));
	const struct pl_command *found = pl_command_find(commands, command);

	pl_must((void *)found);
	for (const struct pl_opt *row = found->options->options; row->name != NULL; row++) {
		if (strlen(row->name) == len && strncmp(row->name, name, len) == 0)
			return row;
	}
	/* the table names an option that the command does not have */
	abort();
}

/* Reads the next option of the list at *at, and moves on. Returns false at its end. */
static bool next_option(const struct pl_commands *commands, const struct cli_mcp_tool *tool,
			const char **at, struct option *ret)
{
	size_t len = strcspn(*at, " ");

	if (len == 0)
		return false;
	ret->is_required = (*at)[len - 1] == '!';
	size_t name_len = len - ret->is_required;
	ret->row = row_of(commands, tool, *at, name_len);
	for (size_t i = 0; i <= name_len; i++)
		ret->name[i] = i == name_len ? '\0' : (*at)[i] == '-' ? '_' : (*at)[i];
	*at += len + ((*at)[len] == ' ');
	return true;
}

static bool is_path(const struct pl_opt *row)
{
	return row->arg != NULL && (strcmp(row->arg, "FILE") == 0 || strcmp(row->arg, "DIR") == 0);
}

/* An option that takes JSON is an object of the call. */
static bool is_json(const struct pl_opt *row)
{
	return row->arg != NULL && strcmp(row->arg, "JSON") == 0;
}

/* ---- schemas ---------------------------------------------------------------------------------- */

static json_t *description_of(const struct pl_opt *row)
{
	auto_buf text = PL_BUF(HELP_BYTES_MAX);

	pl_buf_add_text(&text, row->help);
	pl_opt_help_after(row, &text);
	return json_string(pl_buf_text(&text));
}

static json_t *text_schema(const struct pl_opt *row)
{
	json_t *schema = json_pack("{s:s, s:i}", "type", "string", "maxLength", TEXT_BYTES_MAX);

	if (row->choices == NULL)
		return schema;
	json_t *choices = json_array();
	for (size_t i = 0; row->choices[i] != NULL; i++)
		json_array_append_new(choices, json_string(row->choices[i]));
	json_object_set_new(schema, "enum", choices);
	return schema;
}

static json_t *option_schema(const struct pl_opt *row)
{
	json_t *schema = NULL;

	switch (row->type) {
	case PL_OPT_FLAG:
		schema = json_pack("{s:s}", "type", "boolean");
		break;
	case PL_OPT_INT:
		schema = json_pack("{s:s}", "type", "integer");
		break;
	case PL_OPT_F64:
		schema = json_pack("{s:s}", "type", "number");
		break;
	case PL_OPT_LIST:
		schema = json_pack("{s:s, s:o, s:i}", "type", "array", "items", text_schema(row),
				   "maxItems", ITEMS_MAX);
		break;
	case PL_OPT_TEXT:
	case PL_OPT_DURATION:
		schema = is_json(row) ? json_pack("{s:s}", "type", "object") : text_schema(row);
		break;
	}
	json_object_set_new(schema, "description", description_of(row));
	return schema;
}

static json_t *operand_schema(const char *operand)
{
	json_t *path = json_pack("{s:s, s:i, s:i}", "type", "string", "minLength", 1, "maxLength",
				 TEXT_BYTES_MAX);
	bool is_sides = strcmp(operand, "sides") == 0;

	if (strcmp(operand, "file") == 0) {
		json_object_set_new(path, "description",
				    json_string("path of the experiment file, below the root"));
		return path;
	}
	return json_pack(
		"{s:s, s:o, s:i, s:i, s:s}", "type", "array", "items", path, "minItems",
		is_sides ? SIDES_MIN : 1, "maxItems", is_sides ? SIDES_MAX : ITEMS_MAX,
		"description",
		is_sides ? "the baseline, then the candidates: each the path of a result, of a "
			   "directory of results, or SWEEP#ID for a combination of a sweep"
			 : "paths of the files, below the root");
}

static json_t *input_schema(const struct pl_commands *commands, const struct cli_mcp_tool *tool)
{
	json_t *properties = json_object(), *required = json_array();
	const char *at = tool->options;
	struct option option;

	if (*tool->operand != '\0') {
		json_object_set_new(properties, tool->operand, operand_schema(tool->operand));
		json_array_append_new(required, json_string(tool->operand));
	}
	while (next_option(commands, tool, &at, &option)) {
		json_object_set_new(properties, option.name, option_schema(option.row));
		if (option.is_required)
			json_array_append_new(required, json_string(option.name));
	}
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
			 "required", required, "additionalProperties", false);
}

json_t *cli_mcp_tool_json(const struct pl_commands *commands, const struct cli_mcp_tool *tool)
{
	bool runs = tool->access == CLI_MCP_RUN;
	auto_free char *text = pl_asprintf("%s%s", tool->text,
					   runs ? " Needs --allow-run of 'profllm mcp'." : "");

	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:{s:s, s:b, s:b, s:b, s:b}}", "name",
			 tool->name, "title", tool->title, "description", text, "inputSchema",
			 input_schema(commands, tool), "outputSchema",
			 cli_answer_schema(tool->answer), "annotations", "title", tool->title,
			 "readOnlyHint", !runs, "destructiveHint", runs, "idempotentHint", !runs,
			 "openWorldHint", tool->access != CLI_MCP_READ);
}

/* ---- the words of a call ---------------------------------------------------------------------- */

/* Refuses what no path, name or number needs, and what could be mistaken in a message. *ret: free() */
static int read_text(const char *name, const json_t *value, const char **ret, struct pl_err *err)
{
	const char *text = json_string_value(value);
	size_t len = json_string_length(value);

	if (text == NULL) {
		auto_free char *shown = pl_json_to_text(value, PL_JSON_COMPACT);
		return pl_err_invalid(err, "%s: found %.60s, expected a text", name, shown);
	}
	if (len > TEXT_BYTES_MAX)
		return pl_err_invalid(err, "%s: found %zu bytes, expected at most %d", name, len,
				      TEXT_BYTES_MAX);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c < ' ' || c == 0x7f)
			return pl_err_invalid(
				err, "%s: found the control character U+%04X, expected none", name,
				c);
	}
	*ret = text;
	return 0;
}

/* "SWEEP#ID" keeps the part after the mark. *ret: free() */
static int resolve(const struct cli_mcp_limits *limits, const char *name, const char *text,
		   bool is_side, char **ret, struct pl_err *err)
{
	const char *mark = is_side ? strrchr(text, '#') : NULL;
	auto_free char *path = NULL;

	if (cli_mcp_root_resolve(&limits->root, text, &path, err) < 0) {
		err->code = PL_ERR_INVALID;
		return pl_err_wrap(err, "%s", name);
	}
	if (mark == NULL || access(path, F_OK) == 0) {
		*ret = pl_take(path);
		return 0;
	}
	auto_free char *folder = pl_strndup(text, (size_t)(mark - text));
	auto_free char *whole = NULL;
	for (const char *c = mark + 1; *c != '\0'; c++) {
		if (strchr("0123456789abcdef", *c) == NULL)
			return pl_err_invalid(
				err, "%s: '%s': expected the id of a combination after '#'", name,
				text);
	}
	if (cli_mcp_root_resolve(&limits->root, folder, &whole, err) < 0) {
		err->code = PL_ERR_INVALID;
		return pl_err_wrap(err, "%s", name);
	}
	*ret = pl_asprintf("%s%s", whole, mark);
	return 0;
}

static int add_text(const struct cli_mcp_limits *limits, const struct option *option,
		    const json_t *value, struct pl_strv *ret, struct pl_err *err)
{
	auto_free char *path = NULL;
	const char *text = NULL;

	if (read_text(option->name, value, &text, err) < 0)
		return -1;
	if (is_path(option->row)) {
		if (resolve(limits, option->name, text, false, &path, err) < 0)
			return -1;
		text = path;
	}
	pl_strv_addf(ret, "--%s=%s", option->row->name, text);
	return 0;
}

static int add_list(const struct cli_mcp_limits *limits, const struct option *option,
		    const json_t *value, struct pl_strv *ret, struct pl_err *err)
{
	if (!json_is_array(value) || json_array_size(value) > ITEMS_MAX)
		return pl_err_invalid(err, "%s: expected a list of at most %d texts", option->name,
				      ITEMS_MAX);
	PL_JSON_EACH(item, value) {
		if (add_text(limits, option, item, ret, err) < 0)
			return -1;
	}
	return 0;
}

static int add_number(const struct option *option, const json_t *value, struct pl_strv *ret,
		      struct pl_err *err)
{
	bool is_whole = option->row->type == PL_OPT_INT;

	if (is_whole && (!json_is_integer(value) || llabs(json_integer_value(value)) > WHOLE_MAX))
		return pl_err_invalid(err, "%s: expected an integer between -2^53 and 2^53",
				      option->name);
	if (!json_is_number(value))
		return pl_err_invalid(err, "%s: expected a number", option->name);
	if (is_whole)
		pl_strv_addf(ret, "--%s=%lld", option->row->name,
			     (long long)json_integer_value(value));
	else
		pl_strv_addf(ret, "--%s=%.17g", option->row->name, json_number_value(value));
	return 0;
}

static int add_object(const struct option *option, const json_t *value, struct pl_strv *ret,
		      struct pl_err *err)
{
	if (!json_is_object(value))
		return pl_err_invalid(err, "%s: expected an object", option->name);
	auto_free char *text = pl_json_to_text(value, PL_JSON_COMPACT);
	if (strlen(text) > TEXT_BYTES_MAX)
		return pl_err_invalid(err, "%s: found %zu bytes, expected at most %d", option->name,
				      strlen(text), TEXT_BYTES_MAX);
	pl_strv_addf(ret, "--%s=%s", option->row->name, text);
	return 0;
}

static int add_option(const struct cli_mcp_limits *limits, const struct option *option,
		      const json_t *value, struct pl_strv *ret, struct pl_err *err)
{
	switch (option->row->type) {
	case PL_OPT_FLAG:
		if (!json_is_boolean(value))
			return pl_err_invalid(err, "%s: expected true or false", option->name);
		if (json_is_true(value))
			pl_strv_addf(ret, "--%s", option->row->name);
		return 0;
	case PL_OPT_INT:
	case PL_OPT_F64:
		return add_number(option, value, ret, err);
	case PL_OPT_LIST:
		return add_list(limits, option, value, ret, err);
	case PL_OPT_TEXT:
	case PL_OPT_DURATION:
		break;
	}
	return is_json(option->row) ? add_object(option, value, ret, err)
				    : add_text(limits, option, value, ret, err);
}

static int add_operand(const struct cli_mcp_limits *limits, const char *operand,
		       const json_t *value, struct pl_strv *ret, struct pl_err *err)
{
	bool is_side = strcmp(operand, "sides") == 0, is_one = strcmp(operand, "file") == 0;
	size_t least = is_side ? SIDES_MIN : 1, most = is_side ? SIDES_MAX : ITEMS_MAX;
	size_t count = is_one ? 1 : json_array_size(value);

	if (!is_one && (!json_is_array(value) || count < least || count > most))
		return pl_err_invalid(err, "%s: expected a list of %zu to %zu paths", operand,
				      least, most);
	for (size_t i = 0; i < count; i++) {
		auto_free char *path = NULL;
		const char *text = NULL;
		if (read_text(operand, is_one ? value : json_array_get(value, i), &text, err) < 0 ||
		    resolve(limits, operand, text, is_side, &path, err) < 0)
			return -1;
		pl_strv_add(ret, path);
	}
	return 0;
}

static int refuse_unknown(const struct pl_commands *commands, const struct cli_mcp_tool *tool,
			  const char *key, struct pl_err *err)
{
	auto_free char *shown = pl_clean_line(key);
	struct pl_nearest nearest = { .name = key };
	char names[16][64];
	const char *at = tool->options;
	struct option option;

	if (*tool->operand != '\0')
		pl_nearest_try(&nearest, tool->operand);
	for (size_t i = 0; i < PL_ARRAY_SIZE(names) && next_option(commands, tool, &at, &option);
	     i++) {
		memcpy(names[i], option.name, sizeof(names[i]));
		pl_nearest_try(&nearest, names[i]);
	}
	return pl_err_invalid(err, "unknown argument '%.60s'%s%s%s", shown,
			      nearest.found != NULL ? " (did you mean '" : "",
			      nearest.found != NULL ? nearest.found : "",
			      nearest.found != NULL ? "'?)" : "");
}

static bool is_known(const struct pl_commands *commands, const struct cli_mcp_tool *tool,
		     const char *key)
{
	const char *at = tool->options;
	struct option option;

	if (*tool->operand != '\0' && strcmp(tool->operand, key) == 0)
		return true;
	while (next_option(commands, tool, &at, &option)) {
		if (strcmp(option.name, key) == 0)
			return true;
	}
	return false;
}

static void add_words(const char *words, struct pl_strv *ret)
{
	auto_json json_t *list = pl_json_words(words);

	pl_strv_add_json(ret, list);
}

int cli_mcp_tool_words(const struct cli_mcp_tool *tool, const struct cli_mcp_limits *limits,
		       const json_t *arguments, struct pl_strv *ret, struct pl_err *err)
{
	const struct pl_commands *commands = limits->commands;
	const char *at = tool->options;
	struct option option;

	if (arguments != NULL && !json_is_null(arguments) && !json_is_object(arguments))
		return pl_err_invalid(err, "arguments: expected an object");
	PL_JSON_EACH_MEMBER(key, value, arguments) {
		if (!is_known(commands, tool, key))
			return refuse_unknown(commands, tool, key, err);
	}
	add_words(tool->words, ret);
	add_words(tool->fixed, ret);
	if (tool->access == CLI_MCP_ASK) {
		pl_strv_addf(ret, "--dashboard=%s", limits->dashboard);
		if (limits->token_file != NULL)
			pl_strv_addf(ret, "--token-file=%s", limits->token_file);
		if (limits->ca_file != NULL)
			pl_strv_addf(ret, "--ca-file=%s", limits->ca_file);
	}
	while (next_option(commands, tool, &at, &option)) {
		const json_t *value = json_object_get(arguments, option.name);
		if (value == NULL || json_is_null(value)) {
			if (option.is_required)
				return pl_err_invalid(err, "%s is missing", option.name);
			continue;
		}
		if (add_option(limits, &option, value, ret, err) < 0)
			return -1;
	}
	if (*tool->operand == '\0')
		return 0;
	const json_t *operand = json_object_get(arguments, tool->operand);
	if (operand == NULL)
		return pl_err_invalid(err, "%s is missing", tool->operand);
	return add_operand(limits, tool->operand, operand, ret, err);
}
