/* Files of lines: Dockerfiles (the last stage's ENTRYPOINT and CMD) and systemd units (ExecStart). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/problem.h"
#include "vllm/manifest/manifest_priv.h"
#include "vllm/shell/shell_priv.h"

/* A line with those that it continues on, and where its bytes are. */
struct logical_line {
	struct pl_buf text;
	struct vllm_marks marks;
};

/* Reads the next line that is not a comment; false: the end. */
static bool next_line(const struct manifest_reader *reader, const char **at, int *number,
		      struct vllm_words *words, struct logical_line *ret)
{
	const char *end = reader->text + reader->len;
	bool continues = true;

	pl_buf_clear(&ret->text);
	ret->marks.count = 0;
	if (*at >= end)
		return false;
	while (continues && *at < end) {
		const char *stop = memchr(*at, '\n', (size_t)(end - *at));
		size_t len = (size_t)((stop != NULL ? stop : end) - *at);
		size_t blanks = 0;
		++*number;
		/* the text has no zero at its end */
		while (blanks < len && ((*at)[blanks] == ' ' || (*at)[blanks] == '\t'))
			blanks++;
		while (len > 0 && isspace((unsigned char)(*at)[len - 1]))
			len--;
		continues = len > 0 && (*at)[len - 1] == '\\';
		/* a comment between continued lines does not end them */
		if (blanks < len && strchr("#;", (*at)[blanks]) != NULL &&
		    (ret->text.len > 0 || !continues)) {
			continues = ret->text.len > 0;
			len = 0;
		}
		if (len > 0) {
			vllm_shell_mark(words, &ret->marks, ret->text.len, *number, 1);
			pl_buf_add(&ret->text, *at, len - continues);
		}
		*at = stop != NULL ? stop + 1 : end;
	}
	return true;
}

/* ["vllm", "serve"] or a shell's text; `from` is its offset in the line. */
struct instruction {
	char *text;
	struct vllm_marks marks;
	bool is_list;
};

static void instruction_set(struct instruction *ret, const struct logical_line *line, size_t from,
			    struct vllm_words *words)
{
	const char *text = pl_buf_text(&line->text) + from;

	free(ret->text);
	vllm_marks_done(&ret->marks);
	ret->text = pl_strdup(text);
	ret->is_list = *text == '[';
	vllm_shell_marks_copy(words, &ret->marks, 0, &line->marks, from, strlen(text) + 1);
}

static void instruction_done(struct instruction *instruction)
{
	free(instruction->text);
	vllm_marks_done(&instruction->marks);
}

/* The items of a list, which is JSON. */
static void add_items(struct manifest_reader *reader, struct vllm_container *container,
		      const struct instruction *from)
{
	auto_yaml struct pl_yaml_doc *doc = NULL;
	int line = 1, column = 1;
	struct pl_err err = PL_ERR_INIT;

	(void)vllm_marks_find(&from->marks, 0, &line, &column);
	if (pl_yaml_parse(from->text, strlen(from->text), reader->source, &doc, &err) < 0) {
		option_problem_report(reader->problems, .severity = OPTION_ERROR,
				      .source = reader->source, .line = line, .column = column,
				      .key = "", .found = "a list that is not JSON",
				      .expected = "[\"program\", \"argument\"]");
		return;
	}
	const struct pl_yaml *root = pl_yaml_root(doc);
	for (size_t i = 0; root->kind == PL_YAML_LIST && i < root->count; i++) {
		const struct pl_yaml *item = root->items[i];
		size_t offset = item->line == 1 ? (size_t)item->column - 1 : 0;
		offset += !item->plain;
		(void)vllm_marks_find(&from->marks, offset, &line, &column);
		if (item->kind == PL_YAML_SCALAR)
			(void)vllm_words_add(&container->words, item->text, line, column, 0);
	}
}

static void add_instruction(struct manifest_reader *reader, struct vllm_container *container,
			    const struct instruction *from)
{
	struct vllm_words *words = &container->words;
	auto_words split = { 0 };

	if (from->text == NULL)
		return;
	if (from->is_list) {
		add_items(reader, container, from);
		return;
	}
	PL_JSON_EACH_MEMBER(name, value, container->env) {
		if (json_is_string(value))
			vllm_words_assign(&split, name, json_string_value(value), true);
	}
	if (vllm_words_split(from->text, strlen(from->text),
			     &(struct vllm_words_options){ .source = reader->source,
							   .origin = &from->marks,
							   .first_number = words->count },
			     &split, &container->problems, PL_ERR_IGNORED) < 0)
		return;
	words->commands = 0;
	vllm_words_append(words, &split);
	words->commands = words->commands > 0 ? words->commands : 1;
}

/* "ENV A=1 B=2", "ENV A 1", "Environment=A=1 'B=2'": assignments as a shell reads them. */
static void take_env(struct vllm_container *container, const char *text)
{
	auto_words words = { 0 };
	auto_problems ignored = { 0 };
	size_t name = vllm_shell_name_len(text, text + strlen(text));

	if (name > 0 && (text[name] == ' ' || text[name] == '\t')) {
		auto_free char *key = pl_strndup(text, name);
		json_object_set_new(container->env, key,
				    json_string(text + name + strspn(text + name, " \t")));
		return;
	}
	PL_JSON_EACH_MEMBER(key, value, container->env)
		vllm_words_assign(&words, key, json_string_value(value), false);
	if (vllm_words_split(text, strlen(text), &(struct vllm_words_options){ .source = "" },
			     &words, &ignored, PL_ERR_IGNORED) < 0)
		return;
	for (size_t i = 0; i < words.count; i++) {
		const char *word = words.items[i].text;
		size_t len = vllm_word_name_len(word);
		auto_free char *key = pl_strndup(word, len);
		if (len > 0)
			json_object_set_new(container->env, key, json_string(word + len + 1));
	}
}

/* The value of "$NAME" and "${NAME:-x}" in FROM. */
static char *image_of(const struct vllm_words *arguments, const char *text)
{
	auto_words words = { 0 };
	auto_problems ignored = { 0 };

	vllm_words_inherit(&words, arguments, false);
	if (vllm_words_split(text, strlen(text), &(struct vllm_words_options){ .source = "" },
			     &words, &ignored, PL_ERR_IGNORED) < 0)
		return NULL;
	for (size_t i = 0; i < words.count; i++) {
		if (words.items[i].text[0] != '-')
			return pl_strdup(words.items[i].text);
	}
	return NULL;
}

/* The file while its instructions are read. */
struct dockerfile {
	struct vllm_words arguments; /* of ARG */
	struct instruction entrypoint;
	struct instruction command;
	json_t *stages; /* object: name -> image */
};

static void take_from(struct dockerfile *file, struct vllm_container *container, const char *rest)
{
	char *image = image_of(&file->arguments, rest);
	const char *as = strcasestr(rest, " as ");
	const char *stage = image != NULL ? pl_json_get_text(file->stages, image) : NULL;

	if (stage != NULL) {
		char *base = pl_strdup(stage);
		free(image);
		image = base;
	} else {
		/* another base has no variables of the stage before */
		json_object_clear(container->env);
	}
	free(container->image);
	container->image = image;
	instruction_done(&file->entrypoint);
	instruction_done(&file->command);
	file->entrypoint = file->command = (struct instruction){ 0 };
	if (as != NULL && image != NULL)
		json_object_set_new(file->stages, as + 4, json_string(image));
}

static void take_instruction(struct dockerfile *file, struct vllm_container *container,
			     const struct logical_line *line)
{
	const char *text = pl_buf_text(&line->text);
	size_t from = strspn(text, " \t");
	size_t len = strcspn(text + from, " \t");
	auto_free char *name = pl_strndup(text + from, len);
	size_t rest = from + len + strspn(text + from + len, " \t");
	size_t argument = vllm_word_name_len(text + rest);

	if (strcasecmp(name, "FROM") == 0) {
		take_from(file, container, text + rest);
	} else if (strcasecmp(name, "ARG") == 0 && argument > 0) {
		auto_free char *key = pl_strndup(text + rest, argument);
		auto_free char *value = image_of(&file->arguments, text + rest + argument + 1);
		vllm_words_assign(&file->arguments, key, value != NULL ? value : "", false);
	} else if (strcasecmp(name, "ENV") == 0) {
		take_env(container, text + rest);
	} else if (strcasecmp(name, "ENTRYPOINT") == 0) {
		instruction_set(&file->entrypoint, line, rest, &container->words);
		/* it takes back the command of the base */
		instruction_done(&file->command);
		file->command = (struct instruction){ 0 };
	} else if (strcasecmp(name, "CMD") == 0) {
		instruction_set(&file->command, line, rest, &container->words);
	}
}

void vllm_manifest_read_dockerfile(struct manifest_reader *reader)
{
	struct vllm_container *container = vllm_manifest_add(reader, "dockerfile", "Dockerfile",
							     NULL, 1);
	struct dockerfile file = { .stages = json_object() };
	struct logical_line line = { .text = PL_BUF(VLLM_WORDS_BYTES_MAX) };
	const char *at = reader->text;
	int number = 0;

	while (next_line(reader, &at, &number, &container->words, &line))
		take_instruction(&file, container, &line);
	add_instruction(reader, container, &file.entrypoint);
	/* an entrypoint for the shell ignores the command */
	if (file.entrypoint.text == NULL || file.entrypoint.is_list)
		add_instruction(reader, container, &file.command);
	container->starts_server = file.entrypoint.text == NULL &&
				   vllm_manifest_is_vllm_image(container->image);
	instruction_done(&file.entrypoint);
	instruction_done(&file.command);
	vllm_words_done(&file.arguments);
	json_decref(file.stages);
	vllm_marks_done(&line.marks);
	pl_buf_done(&line.text);
}

static void take_setting(struct manifest_reader *reader, struct vllm_container *container,
			 struct instruction *start, const struct logical_line *line)
{
	const char *text = pl_buf_text(&line->text);
	size_t from = strlen("ExecStart=");

	if (pl_text_starts(text, "Environment=")) {
		take_env(container, text + strlen("Environment="));
	} else if (pl_text_starts(text, "ExecStart=")) {
		from += strspn(text + from, "@-:+!");
		instruction_set(start, line, from, &container->words);
		start->is_list = false;
	} else if (pl_text_starts(text, "EnvironmentFile=")) {
		int number = 1, column = 1;
		(void)vllm_marks_find(&line->marks, 0, &number, &column);
		option_problem_report(
			reader->problems, .severity = OPTION_WARNING, .source = reader->source,
			.line = number, .column = column, .key = "EnvironmentFile",
			.found = "a file of variables",
			.expected = "variables in the unit; profllm does not read the file");
	}
}

void vllm_manifest_read_unit(struct manifest_reader *reader)
{
	struct vllm_container *container = vllm_manifest_add(reader, "systemd", "ExecStart", NULL,
							     1);
	struct instruction start = { 0 };
	struct logical_line line = { .text = PL_BUF(VLLM_WORDS_BYTES_MAX) };
	const char *at = reader->text;
	int number = 0;

	while (next_line(reader, &at, &number, &container->words, &line))
		take_setting(reader, container, &start, &line);
	(void)vllm_marks_find(&start.marks, 0, &container->line, &number);
	add_instruction(reader, container, &start);
	instruction_done(&start);
	vllm_marks_done(&line.marks);
	pl_buf_done(&line.text);
}
