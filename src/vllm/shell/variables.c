/*
 * Variables of the text. A command's assignments take effect when it ends, and only where it has no
 * program: "A=1 prog $A" expands the older $A. Within a command of assignments alone each sees those
 * before it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vllm/shell/shell_priv.h"

static void values_done(struct shell_variable *variable)
{
	for (size_t i = 0; i < variable->count; i++) {
		free(variable->items[i].text);
		vllm_marks_done(&variable->items[i].marks);
	}
	free(variable->items);
	variable->items = NULL;
	variable->count = variable->room = 0;
}

void vllm_shell_variables_done(struct vllm_variables *variables)
{
	for (size_t i = 0; i < variables->count; i++) {
		values_done(&variables->items[i]);
		free(variables->items[i].name);
	}
	free(variables->items);
	json_decref(variables->index);
	*variables = (struct vllm_variables){ .exports_all = variables->exports_all };
}

struct shell_variable *vllm_shell_variable_find(const struct vllm_variables *variables,
						const char *name)
{
	const json_t *at = json_object_get(variables->index, name);

	return at != NULL ? &variables->items[json_integer_value(at)] : NULL;
}

static struct shell_variable *variable_add(struct vllm_variables *variables, const char *name)
{
	struct shell_variable *variable = vllm_shell_variable_find(variables, name);

	if (variable != NULL)
		return variable;
	if (variables->index == NULL)
		variables->index = json_object();
	json_object_set_new(variables->index, name, json_integer((json_int_t)variables->count));
	variable = PL_PUSH(variables->items, variables->count, variables->room);
	*variable = (struct shell_variable){ .name = pl_strdup(name) };
	return variable;
}

const struct shell_variable *vllm_shell_lookup(const struct shell_lexer *lexer, const char *name,
					       size_t len)
{
	auto_free char *key = pl_strndup(name, len);
	/* assignments before a program are that program's alone */
	const struct shell_variable *pending =
		lexer->position == SHELL_PREFIX && lexer->name_len > 0
			? vllm_shell_variable_find(&lexer->pending, key)
			: NULL;
	const struct shell_variable *variable =
		pending != NULL ? pending : vllm_shell_variable_find(lexer->words->variables, key);

	return variable != NULL && variable->is_set ? variable : NULL;
}

size_t vllm_shell_assignment_len(const struct shell_lexer *lexer, const char *at)
{
	size_t len = vllm_shell_name_len(at, lexer->end);
	const char *next = at + len;

	if (len == 0)
		return 0;
	if (next < lexer->end && *next == '[') {
		while (next < lexer->end && *next != ']' && *next != '\n' && *next != ' ')
			next++;
		next += next < lexer->end && *next == ']';
	}
	next += next + 1 < lexer->end && *next == '+' && next[1] == '=';
	return next < lexer->end && *next == '=' ? (size_t)(next + 1 - at) : 0;
}

/* Takes the values of `from`, or adds them: "+=". */
static void set_values(struct shell_lexer *lexer, struct shell_variable *variable,
		       const struct shell_variable *from, bool appends)
{
	if (!appends)
		values_done(variable);
	variable->is_set = true;
	variable->is_array = from->is_array || (appends && variable->is_array);
	variable->construct = from->construct;
	for (size_t i = 0; i < from->count; i++)
		*PL_PUSH(variable->items, variable->count, variable->room) = vllm_shell_value_copy(
			lexer, from->items[i].text, &from->items[i].marks);
}

/* "A+=text": one text of both. */
static void append_text(struct shell_lexer *lexer, struct shell_variable *variable,
			const struct shell_value *value)
{
	if (variable->count == 0)
		*PL_PUSH(variable->items, variable->count, variable->room) = vllm_shell_value_copy(
			lexer, "", &(struct vllm_marks){ 0 });
	struct shell_value *first = &variable->items[0];
	size_t len = strlen(first->text);
	char *joined = pl_asprintf("%s%s", first->text, value->text);
	vllm_shell_marks_copy(lexer->words, &first->marks, len, &value->marks, 0,
			      strlen(value->text) + 1);
	free(first->text);
	first->text = joined;
	lexer->words->bytes += len;
}

/* The older value, which "+=" adds to. */
static void copy_older(struct shell_lexer *lexer, struct shell_variable *variable)
{
	const struct shell_variable *older = vllm_shell_variable_find(lexer->words->variables,
								      variable->name);

	if (!variable->is_set && older != NULL && older->is_set)
		set_values(lexer, variable, older, false);
}

/* "A[2]=text": an item of an array, the next one at most. */
static void set_item(struct shell_lexer *lexer, struct shell_variable *variable, const char *index,
		     struct shell_value *value)
{
	size_t number = strtoul(index, NULL, 10);

	copy_older(lexer, variable);
	variable->is_array = true;
	if (!isdigit((unsigned char)*index) || number > variable->count) {
		vllm_shell_add_problem(lexer, OPTION_WARNING,
				       "an assignment to one item of an array",
				       "the index of an existing item or of the next one; profllm "
				       "ignores the assignment");
		return;
	}
	if (number == variable->count) {
		*PL_PUSH(variable->items, variable->count, variable->room) = *value;
	} else {
		free(variable->items[number].text);
		vllm_marks_done(&variable->items[number].marks);
		variable->items[number] = *value;
	}
	*value = (struct shell_value){ 0 };
}

void vllm_shell_assign_word(struct shell_lexer *lexer)
{
	const char *word = pl_buf_text(&lexer->word);
	const char *after = word + lexer->name_len;
	const char *equals = strchr(after, '=');
	auto_free char *name = pl_strndup(word, lexer->name_len);

	/* an array was read on its way */
	if (equals == NULL || lexer->is_array_word)
		return;
	size_t from = (size_t)(equals + 1 - word);
	struct shell_value value = { .text = pl_strdup(equals + 1) };
	vllm_shell_marks_copy(lexer->words, &value.marks, 0, &lexer->marks, from,
			      lexer->word.len + 1 - from);
	struct shell_variable *variable = variable_add(&lexer->pending, name);
	if (*after == '[') {
		set_item(lexer, variable, after + 1, &value);
	} else if (*after == '+') {
		copy_older(lexer, variable);
		append_text(lexer, variable, &value);
	} else {
		values_done(variable);
		variable->is_array = false;
		*PL_PUSH(variable->items, variable->count, variable->room) = value;
		value = (struct shell_value){ 0 };
	}
	variable->is_set = true;
	free(value.text);
	vllm_marks_done(&value.marks);
}

void vllm_shell_assign_array(struct shell_lexer *lexer, const char *name,
			     struct shell_variable *items, bool appends)
{
	struct shell_variable *variable = variable_add(&lexer->pending, name);

	if (appends)
		copy_older(lexer, variable);
	set_values(lexer, variable, items, appends);
	values_done(items);
}

static void export_name(struct vllm_words *words, struct shell_variable *variable)
{
	variable->exported = true;
	if (!variable->is_set || variable->is_array)
		return;
	auto_buf text = PL_BUF(2 * SHELL_BYTES_MAX);
	for (const char *at = variable->items[0].text; *at != '\0'; at++) {
		if (*at != SHELL_UNKNOWN_BEGIN && *at != SHELL_UNKNOWN_END)
			pl_buf_add_char(&text, *at);
	}
	if (pl_text_is_utf8(pl_buf_text(&text)))
		json_object_set_new(words->exported, variable->name,
				    json_string(pl_buf_text(&text)));
}

static void assign(struct shell_lexer *lexer, struct shell_variable *from, bool exports)
{
	struct vllm_words *words = lexer->words;
	struct shell_variable *variable = variable_add(words->variables, from->name);

	/* of the branches of a condition that is not known the first counts */
	if (from->is_set && !(vllm_shell_is_later_branch(lexer) && variable->is_set)) {
		from->construct = vllm_shell_construct_name(lexer);
		values_done(variable);
		variable->items = from->items;
		variable->count = from->count;
		variable->room = from->room;
		variable->is_set = true;
		variable->is_array = from->is_array;
		variable->construct = from->construct;
		from->items = NULL;
		from->count = from->room = 0;
	}
	if (exports || variable->exported || words->variables->exports_all)
		export_name(words, variable);
}

static const char *word_text(const struct shell_lexer *lexer, size_t i)
{
	return lexer->words->items[i].text;
}

/* "set -- a b": the arguments of the script. */
static void set_arguments(struct shell_lexer *lexer, size_t from)
{
	struct shell_variable *variable = variable_add(lexer->words->variables, "@");

	values_done(variable);
	variable->is_set = variable->is_array = true;
	variable->construct = vllm_shell_construct_name(lexer);
	for (size_t i = from; i < lexer->words->count; i++) {
		const struct vllm_word *word = &lexer->words->items[i];
		struct vllm_marks here = { 0 };
		vllm_shell_mark(lexer->words, &here, 0, word->line, word->column);
		*PL_PUSH(variable->items, variable->count, variable->room) = vllm_shell_value_copy(
			lexer, word->text, word->marks.count > 0 ? &word->marks : &here);
		lexer->words->bytes += strlen(word->text);
		lexer->words->mark_count -= here.count;
		vllm_marks_done(&here);
	}
}

/* Builtins that change variables. */
static void run_builtin(struct shell_lexer *lexer, size_t program)
{
	struct vllm_words *words = lexer->words;
	const char *name = word_text(lexer, program);
	const char *first = program + 1 < words->count ? word_text(lexer, program + 1) : "";

	if (strcmp(name, "set") == 0 && strcmp(first, "--") == 0) {
		set_arguments(lexer, program + 2);
	} else if (strcmp(name, "set") == 0 &&
		   (strcmp(first, "-a") == 0 || strcmp(first, "+a") == 0)) {
		words->variables->exports_all = first[0] == '-';
	} else if (strcmp(name, "unset") == 0) {
		for (size_t i = program + 1; i < words->count; i++) {
			struct shell_variable *variable = vllm_shell_variable_find(
				words->variables, word_text(lexer, i));
			if (variable != NULL)
				variable->is_set = variable->exported = false;
			json_object_del(words->exported, word_text(lexer, i));
		}
	}
}

/* "export A B" */
static void export_names(struct shell_lexer *lexer, size_t from)
{
	for (size_t i = from; i < lexer->words->count; i++) {
		const char *name = word_text(lexer, i);
		if (name[0] != '\0' &&
		    vllm_shell_name_len(name, name + strlen(name)) == strlen(name))
			export_name(lexer->words, variable_add(lexer->words->variables, name));
	}
}

void vllm_shell_assign_all(struct shell_lexer *lexer)
{
	const struct vllm_words *words = lexer->words;
	size_t program = lexer->first;

	if (vllm_shell_is_dead(lexer))
		return;
	if (lexer->position == SHELL_WORDS) {
		while (program < words->count && vllm_word_name_len(word_text(lexer, program)) > 0)
			program++;
		if (program < words->count)
			run_builtin(lexer, program);
		return;
	}
	while (lexer->position == SHELL_DECLARE && program + 1 < words->count &&
	       strcmp(word_text(lexer, program), "export") != 0 &&
	       strcmp(word_text(lexer, program), "-x") != 0)
		program++;
	bool exports = lexer->position == SHELL_DECLARE && program < words->count &&
		       (strcmp(word_text(lexer, program), "export") == 0 ||
			strcmp(word_text(lexer, program), "-x") == 0);
	for (size_t i = 0; i < lexer->pending.count; i++)
		assign(lexer, &lexer->pending.items[i], exports);
	if (exports)
		export_names(lexer, program + 1);
}

void vllm_words_assign(struct vllm_words *words, const char *name, const char *value, bool exported)
{
	if (words->variables == NULL)
		words->variables = pl_alloc(sizeof(*words->variables));
	if (words->exported == NULL)
		words->exported = json_object();
	struct shell_variable *variable = variable_add(words->variables, name);
	values_done(variable);
	*PL_PUSH(variable->items, variable->count,
		 variable->room) = (struct shell_value){ .text = pl_strdup(value) };
	variable->is_set = true;
	if (exported)
		export_name(words, variable);
}

void vllm_words_inherit(struct vllm_words *words, const struct vllm_words *from, bool exported)
{
	for (size_t i = 0; from->variables != NULL && i < from->variables->count; i++) {
		const struct shell_variable *one = &from->variables->items[i];
		if (!one->is_set || one->count == 0 || (exported && !one->exported))
			continue;
		vllm_words_assign(words, one->name, one->items[0].text, one->exported);
	}
}
