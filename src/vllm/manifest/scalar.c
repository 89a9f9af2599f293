/* Scalars of YAML as words: their locations, environments and commands. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/manifest/manifest_priv.h"
#include "vllm/shell/shell_priv.h"

/* The document's text at a line (from 1) and column; NULL: it has no such place. */
static const char *text_at(const struct manifest_reader *reader, int line, int column)
{
	const char *at = reader->text;
	const char *end = reader->text + reader->len;

	for (int i = 1; i < line; i++) {
		at = memchr(at, '\n', (size_t)(end - at));
		if (at == NULL || ++at >= end)
			return NULL;
	}
	return end - at >= column ? at + column - 1 : NULL;
}

/* The lines of "|" and ">": each is found in the text again. */
static void mark_block(const struct manifest_reader *reader, struct vllm_words *words,
		       const struct pl_yaml *node, const char *header, struct vllm_marks *ret)
{
	const char *end = reader->text + reader->len;
	const char *at = memchr(header, '\n', (size_t)(end - header));
	const char *text = node->text;

	for (int line = node->line + 1; at != NULL && ++at < end && *text != '\0'; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		const char *from = at;
		size_t len = (size_t)((stop != NULL ? stop : end) - at);
		while (len > 0 && (*from == ' ' || *from == '\t')) {
			from++;
			len--;
		}
		while (len > 0 && (from[len - 1] == '\r' || from[len - 1] == ' '))
			len--;
		const char *found = len > 0 ? memmem(text, strlen(text), from, len) : NULL;
		if (found != NULL) {
			vllm_shell_mark(words, ret, (size_t)(found - node->text),
					line + reader->line_offset, (int)(from - at) + 1);
			text = found + len;
		}
		at = stop;
	}
}

/* Locations of a scalar's text; the words are those that are charged for them. */
static void marks_of(const struct manifest_reader *reader, struct vllm_words *words,
		     const struct pl_yaml *node, struct vllm_marks *ret)
{
	const char *at = text_at(reader, node->line, node->column);
	bool is_quoted = at != NULL && (*at == '"' || *at == '\'');

	if (at != NULL && !node->plain && (*at == '|' || *at == '>'))
		mark_block(reader, words, node, at, ret);
	if (ret->count == 0 || ret->items[0].offset > 0) {
		vllm_marks_done(ret);
		vllm_shell_mark(words, ret, 0, node->line + reader->line_offset,
				node->column + is_quoted);
	}
}

/* A text whose variables are being replaced, with the locations of its bytes. */
struct mapped {
	struct vllm_words *words; /* that the marks are charged to; NULL: no marks */
	const struct vllm_marks *from;
	struct vllm_marks marks;
	struct pl_buf text;
	bool is_unknown; /* has a variable whose value is not known */
};

/* Bytes of the text as they are. */
static void put_run(struct mapped *to, const char *text, size_t from, size_t len)
{
	if (to->words != NULL)
		vllm_shell_marks_copy(to->words, &to->marks, to->text.len, to->from, from, len);
	pl_buf_add(&to->text, text + from, len);
}

/* A value in the place of a variable: its bytes are all where the variable is. */
static void put_value(struct mapped *to, const char *value, size_t from)
{
	if (to->words != NULL)
		vllm_shell_marks_copy(to->words, &to->marks, to->text.len, to->from, from, 1);
	pl_buf_add_text(&to->text, value);
}

/* The value of "$NAME", "${NAME:-x}" in a compose file; NULL: it is not known. */
static char *compose_value(const struct manifest_reader *reader, const char *text, size_t len)
{
	auto_words value = { 0 };
	auto_problems ignored = { 0 };
	auto_free char *quoted = pl_asprintf("\"%.*s\"", (int)len, text);

	vllm_words_inherit(&value, reader->variables, false);
	if (vllm_words_split(quoted, strlen(quoted), &(struct vllm_words_options){ .source = "" },
			     &value, &ignored, PL_ERR_IGNORED) < 0 ||
	    value.count != 1 || value.items[0].unknown)
		return NULL;
	return pl_strdup(value.items[0].text);
}

/*
 * Returns the length of the reference at `at`, 0: none. *ret_value: its value, owned by the caller,
 * or NULL.
 */
static size_t read_reference(const struct manifest_reader *reader,
			     const struct vllm_container *container, const char *at,
			     char **ret_value)
{
	const char *end = at + strlen(at);

	*ret_value = NULL;
	if (reader->variables != NULL) {
		const char *stop = at[1] == '{' ? vllm_shell_group_end(at + 1, end)
						: at + 1 + vllm_shell_name_len(at + 1, end);
		if (stop == at + 1)
			return 0;
		*ret_value = compose_value(reader, at, (size_t)(stop - at));
		return (size_t)(stop - at);
	}
	size_t len = at[1] == '(' ? vllm_shell_name_len(at + 2, end) : 0;
	if (len == 0 || at[2 + len] != ')' || container == NULL)
		return 0;
	auto_free char *name = pl_strndup(at + 2, len);
	*ret_value = pl_strdup(pl_json_get_text(container->env, name));
	return len + 3;
}

/* Replaces "$NAME" of compose and "$(NAME)" of Kubernetes; "$$" is "$". */
static void replace_all(const struct manifest_reader *reader,
			const struct vllm_container *container, const char *text, struct mapped *to)
{
	size_t from = 0;
	size_t at = 0;

	while (text[at] != '\0') {
		bool escaped = text[at] == '$' && text[at + 1] == '$' &&
			       (reader->variables != NULL || text[at + 2] == '(');
		char *value = NULL;
		size_t len = text[at] == '$' && !escaped
				     ? read_reference(reader, container, text + at, &value)
				     : 0;
		to->is_unknown |= len > 0 && value == NULL;
		if (!escaped && value == NULL) {
			at += len > 0 ? len : 1;
			continue;
		}
		put_run(to, text, from, at - from);
		if (value != NULL)
			put_value(to, value, at);
		free(value);
		from = at + (escaped ? 1 : len);
		/* the literal "$" is not read again */
		at += escaped ? 2 : len;
	}
	put_run(to, text, from, at - from);
}

static char *taken(struct pl_buf *buf)
{
	char *text = pl_strdup(pl_buf_text(buf));

	pl_buf_done(buf);
	return text;
}

/*
 * Returns a scalar's text with the variables of a compose file expanded; the caller frees it with
 * free().
 */
static char *text_of(const struct manifest_reader *reader, const struct pl_yaml *node)
{
	struct mapped to = { .text = PL_BUF(VLLM_WORDS_BYTES_MAX) };

	replace_all(reader, NULL, node->text, &to);
	return taken(&to.text);
}

/*
 * Returns a scalar of a container with the locations of its bytes. *ret_unknown: it contains text
 * that other programs replace: "${A}" of compose, "$(A)" of Kubernetes, "{{ … }}" of Helm.
 */
static char *container_text(const struct manifest_reader *reader, struct vllm_container *container,
			    const struct pl_yaml *node, struct vllm_marks *ret, bool *ret_unknown)
{
	struct vllm_marks marks = { 0 };
	struct mapped to = { .words = &container->words,
			     .from = &marks,
			     .text = PL_BUF(VLLM_WORDS_BYTES_MAX) };

	marks_of(reader, &container->words, node, &marks);
	replace_all(reader, container, node->text, &to);
	if (to.marks.count == 0)
		vllm_shell_marks_copy(&container->words, &to.marks, 0, &marks, 0, 1);
	vllm_marks_done(&marks);
	*ret = to.marks;
	/* in a script "$(date)" is a command of the shell */
	*ret_unknown = strstr(node->text, "{{") != NULL ||
		       (to.is_unknown && strpbrk(node->text, " \n") == NULL);
	return taken(&to.text);
}

static void add_word(struct vllm_container *container, const char *text, bool is_unknown,
		     struct vllm_marks *marks)
{
	struct vllm_words *words = &container->words;
	int line = 1, column = 1;

	(void)vllm_marks_find(marks, 0, &line, &column);
	if (!vllm_words_add(words, text, line, column, 0)) {
		vllm_marks_done(marks);
		return;
	}
	struct vllm_word *word = &words->items[words->count - 1];
	word->unknown = word->optional = is_unknown;
	if (marks->count > 1)
		word->marks = *marks;
	else
		vllm_marks_done(marks);
}

void vllm_manifest_add_scalar(struct manifest_reader *reader, struct vllm_container *container,
			      const struct pl_yaml *node)
{
	struct vllm_marks marks = { 0 };
	bool is_unknown;
	auto_free char *text = container_text(reader, container, node, &marks, &is_unknown);

	add_word(container, text, is_unknown, &marks);
}

void vllm_manifest_add_text(struct manifest_reader *reader, struct vllm_container *container,
			    const char *text, const struct pl_yaml *at)
{
	struct vllm_marks marks = { 0 };

	marks_of(reader, &container->words, at, &marks);
	if (marks.count > 1)
		marks.count = 1;
	add_word(container, text, strstr(text, "{{") != NULL, &marks);
}

void vllm_manifest_add_command(struct manifest_reader *reader, struct vllm_container *container,
			       const struct pl_yaml *node)
{
	struct vllm_words *words = &container->words;
	struct vllm_marks marks = { 0 };
	auto_words split = { 0 };

	if (node == NULL || pl_yaml_is_null(node) || node->kind == PL_YAML_MAP)
		return;
	if (node->kind == PL_YAML_LIST) {
		for (size_t i = 0; i < node->count; i++) {
			if (node->items[i]->kind == PL_YAML_SCALAR)
				vllm_manifest_add_scalar(reader, container, node->items[i]);
		}
		return;
	}
	bool is_unknown;
	auto_free char *text = container_text(reader, container, node, &marks, &is_unknown);
	if (vllm_words_split(text, strlen(text),
			     &(struct vllm_words_options){ .source = reader->source,
							   .origin = &marks,
							   .first_number = words->count },
			     &split, &container->problems, PL_ERR_IGNORED) == 0) {
		words->commands = 0;
		vllm_words_append(words, &split);
		words->commands = words->commands > 0 ? words->commands : 1;
	}
	vllm_marks_done(&marks);
}

static void set_env(struct manifest_reader *reader, struct vllm_container *container,
		    const char *name, const struct pl_yaml *value)
{
	if (value == NULL || value->kind != PL_YAML_SCALAR || pl_yaml_is_null(value)) {
		json_object_set_new(container->env, name, json_null());
		return;
	}
	auto_free char *text = text_of(reader, value);
	json_object_set_new(container->env, name, json_string(text));
}

void vllm_manifest_take_env(struct manifest_reader *reader, struct vllm_container *container,
			    const struct pl_yaml *node)
{
	if (node == NULL || node->kind == PL_YAML_SCALAR)
		return;
	for (size_t i = 0; i < node->count; i++) {
		const struct pl_yaml *item = node->items[i];
		const char *name = item->kind == PL_YAML_MAP ? vllm_manifest_scalar(item, "name")
							     : NULL;
		if (node->kind == PL_YAML_MAP) {
			set_env(reader, container, node->keys[i]->text, item);
		} else if (name != NULL) {
			set_env(reader, container, name, pl_yaml_get(item, "value"));
		} else if (item->kind == PL_YAML_SCALAR) {
			auto_free char *text = text_of(reader, item);
			size_t len = strcspn(text, "=");
			auto_free char *key = pl_strndup(text, len);
			json_object_set_new(container->env, key,
					    text[len] == '=' ? json_string(text + len + 1)
							     : json_null());
		}
	}
}

const char *vllm_manifest_scalar(const struct pl_yaml *map, const char *key)
{
	const struct pl_yaml *node = pl_yaml_get(map, key);

	return node != NULL && node->kind == PL_YAML_SCALAR && !pl_yaml_is_null(node) ? node->text
										      : NULL;
}

/* "IMAGE", or {repository, tag} of a chart. */
void vllm_manifest_set_image(struct manifest_reader *reader, struct vllm_container *container,
			     const struct pl_yaml *node)
{
	const char *repository = vllm_manifest_scalar(node, "repository");
	const char *tag = vllm_manifest_scalar(node, "tag");

	free(pl_take(container->image));
	if (repository != NULL)
		container->image = pl_asprintf("%s%s%s", repository, tag != NULL ? ":" : "",
					       tag != NULL ? tag : "");
	else if (node != NULL && node->kind == PL_YAML_SCALAR)
		container->image = text_of(reader, node);
}
