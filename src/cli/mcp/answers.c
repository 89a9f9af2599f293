#include "cli/mcp/answers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const struct row {
	enum { ANSWER_ROW, MEMBER_ROW, OUTPUT_ROW, DASH_OUTPUT_ROW } kind;
	const char *name; /* answer, key or command */
	const char *type; /* of a member or an output */
	const char *text; /* of an answer or a member; option of an output */
} rows[] = {
#define ANSWER(name, text)                  { ANSWER_ROW, #name, NULL, text },
#define MEMBER(key, type, text)             { MEMBER_ROW, key, type, text },
#define OUTPUT(command, option, type_)      { OUTPUT_ROW, command, type_, option },
#define DASH_OUTPUT(command, option, type_) { DASH_OUTPUT_ROW, command, type_, option },
#include "tbl/answers.h"
};

static const struct plain {
	const char *name;
	const char *type; /* NULL: any */
	bool is_count;
} plains[] = {
	{ "text", "string", false },     { "count", "integer", true },
	{ "integer", "integer", false }, { "number", "number", false },
	{ "yes", "boolean", false },     { "object", "object", false },
	{ "json", NULL, false },
};

/* How an object refers to another one. */
typedef json_t *refer_fn(const char *name);

static json_t *refer_to_defs(const char *name)
{
	return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", name));
}

static json_t *plain_json(const struct plain *plain, bool has_null)
{
	json_t *schema = json_object();

	if (plain->type != NULL && has_null)
		json_object_set_new(schema, "type", json_pack("[s, s]", plain->type, "null"));
	else if (plain->type != NULL)
		json_object_set_new(schema, "type", json_string(plain->type));
	if (plain->is_count)
		json_object_set_new(schema, "minimum", json_integer(0));
	return schema;
}

static json_t *type_json(const char *type, refer_fn *refer);

/* "A|B" */
static json_t *choice_json(const char *type, refer_fn *refer)
{
	auto_free char *copy = pl_strdup(type);
	json_t *list = json_array();

	for (char *rest = copy, *one; (one = strsep(&rest, "|")) != NULL;)
		json_array_append_new(list, type_json(one, refer));
	return json_pack("{s:o}", "anyOf", list);
}

static json_t *type_json(const char *type, refer_fn *refer)
{
	size_t len = strlen(type);
	bool has_null = len > 0 && type[len - 1] == '?';
	auto_free char *own = pl_strndup(type, has_null ? len - 1 : len);
	json_t *schema = NULL;

	len = strlen(own);
	if (strchr(own, '|') != NULL)
		return choice_json(own, refer);
	for (size_t i = 0; i < PL_ARRAY_SIZE(plains); i++) {
		if (strcmp(own, plains[i].name) == 0)
			return plain_json(&plains[i], has_null);
	}
	if (own[0] == '[') {
		auto_free char *inner = pl_strndup(own + 1, len - 2);
		schema = json_pack("{s:s, s:o}", "type", "array", "items", type_json(inner, refer));
	} else if (own[0] == '@') {
		schema = json_pack("{s:o}", "$ref", json_sprintf("%s.schema.json", own + 1));
	} else {
		schema = refer(own);
	}
	return has_null ? json_pack("{s:[o, {s:s}]}", "anyOf", schema, "type", "null") : schema;
}

/* Returns the index of the row of an answer, PL_ARRAY_SIZE(rows): none. */
static size_t find(const char *name)
{
	size_t i = 0;

	while (i < PL_ARRAY_SIZE(rows) &&
	       (rows[i].kind != ANSWER_ROW || strcmp(rows[i].name, name) != 0))
		i++;
	return i;
}

static json_t *object_json(size_t at, refer_fn *refer)
{
	json_t *properties = json_object(), *required = json_array();
	const char *text = rows[at].text;

	for (size_t i = at + 1; i < PL_ARRAY_SIZE(rows) && rows[i].kind == MEMBER_ROW; i++) {
		size_t len = strlen(rows[i].name);
		bool is_optional = rows[i].name[len - 1] == '?';
		auto_free char *key = pl_strndup(rows[i].name, is_optional ? len - 1 : len);
		json_t *schema = type_json(rows[i].type, refer);
		json_object_set_new(schema, "description", json_string(rows[i].text));
		json_object_set_new(properties, key, schema);
		if (!is_optional)
			json_array_append_new(required, json_string(key));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:b}", "description", text, "type", "object",
			 "properties", properties, "required", required, "additionalProperties",
			 false);
}

json_t *cli_answer_schema(const char *name)
{
	size_t at = find(name);

	/* no answer contains itself, so this ends */
	return at < PL_ARRAY_SIZE(rows) ? object_json(at, cli_answer_schema) : NULL;
}

static const char *program_of(const struct row *row)
{
	return row->kind == OUTPUT_ROW ? "profllm" : "profllm-dashboard";
}

/* "sweep run" with "--dry-run --json" is "profllm_sweep_run__dry_run__json". free() */
static char *output_name(const struct row *row)
{
	auto_free char *words = pl_asprintf("%s %s %s", program_of(row), row->name, row->text);
	char *name = pl_alloc(strlen(words) + 1);
	size_t len = 0;

	for (const char *at = words; *at != '\0'; at++) {
		bool is_dashes = at[0] == ' ' && at[1] == '-' && at[2] == '-';
		if (is_dashes) {
			name[len++] = '_';
			name[len++] = '_';
			at += 2;
		} else {
			name[len++] = isalnum((unsigned char)*at) ? *at : '_';
		}
	}
	return name;
}

json_t *cli_outputs_schema(void)
{
	json_t *defs = json_object();

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		if (rows[i].kind == ANSWER_ROW)
			json_object_set_new(defs, rows[i].name, object_json(i, refer_to_defs));
		if (rows[i].kind != OUTPUT_ROW && rows[i].kind != DASH_OUTPUT_ROW)
			continue;
		auto_free char *name = output_name(&rows[i]);
		json_t *schema = type_json(rows[i].type, refer_to_defs);
		json_object_set_new(schema, "description",
				    json_sprintf("Output of %s %s %s", program_of(&rows[i]),
						 rows[i].name, rows[i].text));
		json_object_set_new(defs, name, schema);
	}
	return json_pack(
		"{s:s, s:s, s:s, s:o}", "$schema", "https://json-schema.org/draft/2020-12/schema",
		"title", "Output of the commands of profllm and profllm-dashboard", "description",
		"One definition per command and option. Generated by tools/make-schemas from "
		"src/tbl/answers.h.",
		"$defs", defs);
}

static void append(json_t *lists, const char *name, json_t *row)
{
	json_t *list = json_object_get(lists, name);

	if (list == NULL) {
		list = json_array();
		json_object_set_new(lists, name, list);
	}
	json_array_append_new(list, row);
}

void cli_answers_add(json_t *lists)
{
	const char *answer = NULL;

	for (size_t i = 0; i < PL_ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		if (row->kind == ANSWER_ROW) {
			answer = row->name;
			append(lists, "answers",
			       json_pack("{s:s, s:s}", "name", answer, "text", row->text));
		} else if (row->kind == MEMBER_ROW) {
			append(lists, "answer_members",
			       json_pack("{s:s, s:s, s:s, s:s}", "answer", answer, "key", row->name,
					 "type", row->type, "text", row->text));
		} else {
			append(lists, row->kind == OUTPUT_ROW ? "outputs" : "dashboard_outputs",
			       json_pack("{s:s, s:s, s:s}", "command", row->name, "option",
					 row->text, "type", row->type));
		}
	}
}
