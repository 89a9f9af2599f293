/*
 * Conditions and loops. A test with known words ([ -n "$A" ], [[ $A == b* ]], a pattern of `case`)
 * selects its branch; the commands of the others are dropped. If a condition is unknown, the first
 * branch assigns variables, and a later one only those that are unset.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vllm/shell/shell_priv.h"

static struct shell_construct *top(struct shell_lexer *lexer)
{
	return lexer->construct_count > 0 && lexer->excess == 0
		       ? &lexer->constructs[lexer->construct_count - 1]
		       : NULL;
}

static bool is_chain_dead(const struct shell_lexer *lexer)
{
	return (lexer->chain == '&' && lexer->chained == SHELL_FALSE) ||
	       (lexer->chain == '|' && lexer->chained == SHELL_TRUE);
}

bool vllm_shell_is_dead(const struct shell_lexer *lexer)
{
	for (size_t i = 0; i < lexer->construct_count; i++) {
		if (lexer->constructs[i].is_dead)
			return true;
	}
	return is_chain_dead(lexer);
}

static const char *chain_name(const struct shell_lexer *lexer)
{
	return lexer->chain == '\0' || lexer->chained != SHELL_OPEN ? NULL
	       : lexer->chain == '&'                                ? "&&"
								    : "||";
}

const char *vllm_shell_construct_name(const struct shell_lexer *lexer)
{
	const char *name = chain_name(lexer);

	for (size_t i = lexer->construct_count; name == NULL && i > 0; i--) {
		const struct shell_construct *one = &lexer->constructs[i - 1];
		if (one->is_open && !one->in_condition)
			name = one->name;
	}
	return name;
}

bool vllm_shell_is_later_branch(const struct shell_lexer *lexer)
{
	for (size_t i = 0; i < lexer->construct_count; i++) {
		if (lexer->constructs[i].is_later && lexer->constructs[i].is_open)
			return true;
	}
	return lexer->chain == '|' && lexer->chained == SHELL_OPEN;
}

bool vllm_shell_splits(const struct shell_lexer *lexer)
{
	const struct shell_construct *one = lexer->construct_count > 0
						    ? &lexer->constructs[lexer->construct_count - 1]
						    : NULL;

	return lexer->name_len == 0 && !lexer->skips_target && !lexer->is_double &&
	       !(one != NULL && one->kind == 'c' && one->in_condition);
}

static void push(struct shell_lexer *lexer, const struct shell_construct *construct)
{
	if (lexer->construct_count < SHELL_DEPTH_MAX)
		lexer->constructs[lexer->construct_count++] = *construct;
	else
		lexer->excess++;
}

static void pop(struct shell_lexer *lexer)
{
	if (lexer->excess > 0) {
		lexer->excess--;
		return;
	}
	if (lexer->construct_count > 0)
		free(lexer->constructs[--lexer->construct_count].subject);
}

void vllm_shell_control_done(struct shell_lexer *lexer)
{
	while (lexer->construct_count > 0 || lexer->excess > 0)
		pop(lexer);
}

/* A group inherits the construct that decides about its first command. */
static void push_group(struct shell_lexer *lexer, char kind)
{
	push(lexer, &(struct shell_construct){ .kind = kind,
					       .name = chain_name(lexer),
					       .is_open = chain_name(lexer) != NULL,
					       .is_later = lexer->chain == '|' &&
							   lexer->chained == SHELL_OPEN,
					       .is_dead = is_chain_dead(lexer) });
	lexer->chain = '\0';
}

static void pop_group(struct shell_lexer *lexer, char kind)
{
	const struct shell_construct *group = top(lexer);

	if (lexer->excess > 0 || (group != NULL && group->kind == kind))
		pop(lexer);
}

/* The branch after a condition. */
static void begin_branch(struct shell_construct *one)
{
	one->in_condition = false;
	one->is_open = one->condition == SHELL_OPEN;
	one->is_dead = one->has_run || one->condition == SHELL_FALSE;
	one->has_run |= one->condition == SHELL_TRUE;
}

static void end_branch(struct shell_construct *one)
{
	one->is_later |= one->is_open;
	one->is_dead = one->has_run;
	one->in_condition = false;
}

static void begin_loop(struct shell_lexer *lexer, const char *name)
{
	push(lexer, &(struct shell_construct){ .name = name,
					       .kind = name[0],
					       .in_condition = true,
					       .condition = SHELL_OPEN });
}

/* Handles "else" and "elif" of their construct. */
static void take_else(struct shell_construct *one, bool has_condition)
{
	end_branch(one);
	one->is_open = one->is_later;
	one->in_condition = has_condition;
	one->condition = SHELL_TRUE;
}

bool vllm_shell_take_reserved(struct shell_lexer *lexer, const char *word)
{
	static const char *const plain[] = { "time", "!", "function" };
	static const char *const loops[] = { "while", "until", "for", "select", "case" };
	struct shell_construct *one = top(lexer);
	size_t loop = pl_text_index(word, loops, PL_ARRAY_SIZE(loops));

	if (strcmp(word, "if") == 0) {
		push(lexer, &(struct shell_construct){ .name = "if",
						       .kind = 'i',
						       .in_condition = true,
						       .condition = SHELL_TRUE });
	} else if (loop < 2) {
		begin_loop(lexer, loops[loop]);
	} else if (loop < PL_ARRAY_SIZE(loops)) {
		begin_loop(lexer, loops[loop]);
		/* its words are not a command's */
		lexer->position = SHELL_WORDS;
	} else if (strcmp(word, "then") == 0 || strcmp(word, "do") == 0) {
		if (one != NULL && one->in_condition && one->kind != 'c')
			begin_branch(one);
	} else if (strcmp(word, "else") == 0 || strcmp(word, "elif") == 0) {
		if (one != NULL && one->kind == 'i')
			take_else(one, word[2] == 'i');
	} else if (strcmp(word, "fi") == 0 || strcmp(word, "done") == 0 ||
		   strcmp(word, "esac") == 0) {
		if (lexer->excess > 0 || (one != NULL && strchr("iwufsc", one->kind) != NULL))
			pop(lexer);
	} else if (strcmp(word, "{") == 0) {
		push_group(lexer, '{');
	} else if (strcmp(word, "}") == 0) {
		pop_group(lexer, '{');
	} else {
		return PL_TEXT_IS_ONE_OF(word, plain);
	}
	return true;
}

static enum shell_truth truth(bool value)
{
	return value ? SHELL_TRUE : SHELL_FALSE;
}

static enum shell_truth compare(const char *a, const char *op, const char *b, bool patterns)
{
	bool equal = patterns ? fnmatch(b, a, 0) == 0 : strcmp(a, b) == 0;

	if (strcmp(op, "=") == 0 || strcmp(op, "==") == 0)
		return truth(equal);
	if (strcmp(op, "!=") == 0)
		return truth(!equal);
	int64_t x, y;
	if (!pl_text_to_i64(a, &x) || !pl_text_to_i64(b, &y))
		return SHELL_OPEN;
	if (strcmp(op, "-eq") == 0)
		return truth(x == y);
	if (strcmp(op, "-ne") == 0)
		return truth(x != y);
	if (strcmp(op, "-gt") == 0)
		return truth(x > y);
	if (strcmp(op, "-ge") == 0)
		return truth(x >= y);
	if (strcmp(op, "-lt") == 0)
		return truth(x < y);
	return strcmp(op, "-le") == 0 ? truth(x <= y) : SHELL_OPEN;
}

static const char *text_at(const struct shell_lexer *lexer, size_t i)
{
	return lexer->words->items[i].text;
}

/* The operands of a test. */
static enum shell_truth test(const struct shell_lexer *lexer, size_t from, size_t end,
			     bool patterns)
{
	size_t count = end - from;

	for (size_t i = from; i < end; i++) {
		if (lexer->words->items[i].unknown || lexer->words->items[i].construct != NULL)
			return SHELL_OPEN;
	}
	if (count == 0)
		return SHELL_FALSE;
	const char *first = text_at(lexer, from);
	if (count == 1)
		return truth(first[0] != '\0');
	if (strcmp(first, "!") == 0) {
		enum shell_truth inner = test(lexer, from + 1, end, patterns);
		return inner == SHELL_OPEN ? inner : truth(inner == SHELL_FALSE);
	}
	if (count == 2 && (strcmp(first, "-n") == 0 || strcmp(first, "-z") == 0))
		return truth((text_at(lexer, from + 1)[0] != '\0') == (first[1] == 'n'));
	return count == 3 ? compare(first, text_at(lexer, from + 1), text_at(lexer, from + 2),
				    patterns)
			  : SHELL_OPEN;
}

/* The outcome of the command that ends here; *ret_is_test: it is a condition. */
static enum shell_truth outcome(const struct shell_lexer *lexer, bool *ret_is_test)
{
	static const char *const before[] = { "if",   "elif", "while", "until",
					      "then", "do",   "else",  "{" };
	size_t from = lexer->first;
	size_t end = lexer->words->count;
	bool negated = false;

	while (from < end && PL_TEXT_IS_ONE_OF(text_at(lexer, from), before))
		from++;
	for (; from < end && strcmp(text_at(lexer, from), "!") == 0; from++)
		negated = !negated;
	if (from == end)
		return SHELL_OPEN;
	const char *name = text_at(lexer, from);
	const char *close = strcmp(name, "[") == 0 ? "]" : strcmp(name, "[[") == 0 ? "]]" : NULL;
	*ret_is_test = close != NULL || strcmp(name, "test") == 0 || strcmp(name, "true") == 0 ||
		       strcmp(name, "false") == 0;
	if (!*ret_is_test)
		return SHELL_OPEN;
	enum shell_truth found;
	if (close == NULL && strcmp(name, "test") != 0)
		found = truth(name[0] == 't');
	else if (close != NULL && strcmp(text_at(lexer, end - 1), close) != 0)
		found = SHELL_OPEN;
	else
		found = test(lexer, from + 1, end - (close != NULL), strcmp(name, "[[") == 0);
	return found == SHELL_OPEN || !negated ? found : truth(found == SHELL_FALSE);
}

/* "A && B", "A || B" so far. Any other command than a test is assumed to succeed before "&&". */
static enum shell_truth chain_outcome(const struct shell_lexer *lexer,
				      enum shell_truth outcome_before, bool is_test, char op)
{
	if (is_chain_dead(lexer))
		return lexer->chained;
	if (!is_test && op == '&' && lexer->chain != '|')
		return SHELL_TRUE;
	if (lexer->chain != '\0' && lexer->chained == SHELL_OPEN && outcome_before != SHELL_OPEN)
		return (lexer->chain == '&') == (outcome_before == SHELL_FALSE) ? outcome_before
										: SHELL_OPEN;
	return outcome_before;
}

/* "for NAME in A B": the first item. */
static void take_for(struct shell_lexer *lexer, struct shell_construct *one)
{
	size_t from = lexer->first;
	size_t count = lexer->words->count - from;

	if (count < 3 || strcmp(text_at(lexer, from + 2), "in") != 0)
		return;
	const char *name = text_at(lexer, from + 1);
	if (count > 3 && vllm_shell_name_len(name, name + strlen(name)) == strlen(name) &&
	    !lexer->words->items[from + 3].unknown && !vllm_shell_is_dead(lexer)) {
		vllm_words_assign(lexer->words, name, text_at(lexer, from + 3), false);
		vllm_shell_variable_find(lexer->words->variables, name)->construct = count > 4
											     ? "for"
											     : NULL;
	}
	one->condition = count == 4 ? SHELL_TRUE : SHELL_OPEN;
}

/* "case WORD in" and the patterns before a ")". They are not a command. */
static void take_patterns(struct shell_lexer *lexer, struct shell_construct *one, char op)
{
	struct vllm_words *words = lexer->words;
	size_t from = lexer->first;

	bool begins = words->count > from && strcmp(text_at(lexer, from), "case") == 0;

	if (begins && words->count - from < 3) {
		/* not a case without "in" */
		pop(lexer);
		return;
	}
	if (begins) {
		if (!words->items[from + 1].unknown)
			one->subject = pl_strdup(text_at(lexer, from + 1));
		one->condition = SHELL_FALSE;
		from += 3;
	}
	for (; from < words->count; from++) {
		const struct vllm_word *pattern = &words->items[from];
		if (one->subject == NULL || pattern->unknown)
			one->condition = SHELL_OPEN;
		else if (one->condition == SHELL_FALSE)
			one->condition = truth(fnmatch(pattern->text, one->subject, 0) == 0);
	}
	vllm_words_truncate(words, lexer->first);
	if (op == ')')
		begin_branch(one);
}

struct shell_operator vllm_shell_control_decide(struct shell_lexer *lexer, char op, bool doubled)
{
	struct shell_construct *one = top(lexer);
	bool had_words = lexer->words->count > lexer->first;
	bool is_test = false;
	enum shell_truth outcome_before = outcome(lexer, &is_test);
	enum shell_truth found = chain_outcome(lexer, outcome_before, is_test, op);

	if (one != NULL && one->in_condition) {
		if (one->kind == 'f')
			take_for(lexer, one);
		else if (one->kind == 'c')
			take_patterns(lexer, one, op);
		else if (one->kind == 'i' && had_words)
			one->condition = found;
	}
	return (struct shell_operator){
		.op = op,
		.is_doubled = doubled,
		.had_words = had_words,
		.is_function = op == '(' && had_words && lexer->at + 1 < lexer->end &&
			       lexer->at[1] == ')',
		.found = found,
		.construct = one,
	};
}

void vllm_shell_control_apply(struct shell_lexer *lexer, const struct shell_operator *end)
{
	struct shell_construct *one = end->construct;
	char op = end->op;

	if (end->is_doubled && (op == '&' || op == '|')) {
		lexer->chain = op;
		lexer->chained = end->found;
	} else if (end->had_words || op != '\n') {
		lexer->chain = op == '(' ? lexer->chain : '\0';
	}
	if (op == ';' && end->is_doubled && one != NULL && one->kind == 'c') {
		/* ";;" */
		end_branch(one);
		one->is_dead = false;
		one->in_condition = true;
		one->condition = SHELL_FALSE;
	}
	if (op == '(' && !end->is_function &&
	    !(one != NULL && one->kind == 'c' && one->in_condition))
		push_group(lexer, '(');
	else if (op == ')')
		pop_group(lexer, '(');
}
