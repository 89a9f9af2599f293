/*
 * "$NAME", "${NAME…}", "$(…)" and "`…`". Between double quotes a value is one text; elsewhere it is
 * split on IFS. An expansion whose value the text does not define keeps its spelling.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vllm/shell/shell_priv.h"

enum {
	PATTERN_BYTES_MAX = 512,
	TRIMS_MAX = 1000,
	VALUE_WORDS_MAX = 100000,
};

#define NOT_SET  "a variable that the command or script assigns"
#define NOT_RUN  "text; profllm does not run the command in it"
#define NOT_READ "an expansion that is supported: $NAME, ${NAME}, ${NAME:-text}"

void vllm_shell_take_backquotes(struct shell_lexer *lexer)
{
	vllm_shell_keep_unknown(lexer, vllm_shell_group_end(lexer->at, lexer->end), NOT_RUN);
}

/* The word's next byte comes from a value. */
static void put_value_byte(struct shell_lexer *lexer, const struct shell_value *value, size_t i,
			   const char *at)
{
	int line, column;

	if (!vllm_marks_find(&value->marks, i, &line, &column))
		vllm_shell_locate(lexer, at, &line, &column);
	vllm_shell_begin_word(lexer, line, column);
	vllm_shell_mark(lexer->words, &lexer->marks, lexer->word.len, line, column);
	pl_buf_add_char(&lexer->word, value->text[i]);
}

static const char *separators(const struct shell_lexer *lexer)
{
	const struct shell_variable *ifs = vllm_shell_lookup(lexer, "IFS", 3);

	return ifs != NULL && ifs->count > 0 ? ifs->items[0].text : " \t\n";
}

static bool is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/*
 * One separator of IFS. White space ends a field; any other byte ends one too, an empty one where
 * no field started after the last such byte.
 */
static void put_separator(struct shell_lexer *lexer, char c, const char *at)
{
	int line, column;
	bool had_word = lexer->in_word;

	if (is_white(c)) {
		lexer->after_blank |= had_word;
		vllm_shell_end_word(lexer);
		return;
	}
	if (!had_word && !lexer->after_blank) {
		vllm_shell_locate(lexer, at, &line, &column);
		vllm_shell_begin_word(lexer, line, column);
	}
	vllm_shell_end_word(lexer);
	lexer->after_blank = false;
}

/* A text of the expansion at `at`, split where it is not quoted. Between sentinels nothing is. */
static void put_value(struct shell_lexer *lexer, const struct shell_value *value, bool quoted,
		      const char *at)
{
	const char *ifs = separators(lexer);
	bool inside = false;
	int line, column;

	quoted = quoted || !vllm_shell_splits(lexer);
	lexer->after_blank = false;
	if (quoted && !lexer->in_word) {
		vllm_shell_locate(lexer, at, &line, &column);
		vllm_shell_begin_word(lexer, line, column);
	}
	for (size_t i = 0; value->text[i] != '\0'; i++) {
		char c = value->text[i];
		if (c == SHELL_UNKNOWN_BEGIN || c == SHELL_UNKNOWN_END) {
			inside = c == SHELL_UNKNOWN_BEGIN;
			put_value_byte(lexer, value, i, at);
		} else if (!quoted && !inside && strchr(ifs, c) != NULL) {
			put_separator(lexer, c, at);
		} else {
			put_value_byte(lexer, value, i, at);
		}
	}
}

static void warn_of(struct shell_lexer *lexer, const struct shell_variable *variable,
		    const char *at, const char *end)
{
	auto_free char *spelling = pl_strndup(at, (size_t)(end - at));
	const char *value = variable->count > 0 ? variable->items[0].text : "";
	const char *unknown = strchr(value, SHELL_UNKNOWN_BEGIN);
	int before = lexer->word_column;

	if (!lexer->in_word)
		vllm_shell_locate(lexer, at, &(int){ 0 }, &lexer->word_column);
	if (variable->construct != NULL) {
		auto_free char *found = pl_asprintf("%.60s, which '%s' assigns", spelling,
						    variable->construct);
		vllm_shell_add_problem(
			lexer, OPTION_WARNING, found,
			strcmp(variable->construct, "for") == 0
				? "one value; profllm uses the first of the loop"
				: "a value without a condition; profllm uses the first branch");
	}
	if (unknown != NULL) {
		auto_free char *found = pl_asprintf(
			"%.60s, which contains %.*s", spelling,
			(int)strcspn(unknown + 1, (char[]){ SHELL_UNKNOWN_END, '\0' }),
			unknown + 1);
		vllm_shell_add_problem(lexer, OPTION_WARNING, found, "a literal value");
	}
	lexer->word_column = before;
}

/* Appends the items of an array as separate words; "…@" also between quotes. */
static void put_items(struct shell_lexer *lexer, const struct shell_variable *array, char kind,
		      bool in_double, const char *at)
{
	const char *ifs = separators(lexer);
	bool is_one = !vllm_shell_splits(lexer) || (in_double && kind == '*');
	bool quoted = lexer->quoted;
	int line, column;

	if (array->count == 0 && in_double && kind == '@')
		lexer->empty_lists++;
	vllm_shell_locate(lexer, at, &line, &column);
	for (size_t i = 0; i < array->count; i++) {
		if (i > 0 && is_one && (vllm_shell_splits(lexer) ? ifs[0] : ' ') != '\0')
			vllm_shell_put(lexer, vllm_shell_splits(lexer) ? ifs[0] : ' ', at);
		else if (i > 0 && !is_one)
			vllm_shell_end_word(lexer);
		if (in_double && !is_one) {
			/* an empty item is a word too */
			bool has_own = vllm_marks_find(&array->items[i].marks, 0, &line, &column);
			if (!has_own)
				vllm_shell_locate(lexer, at, &line, &column);
			vllm_shell_begin_word(lexer, line, column);
			if (lexer->word.len == 0) {
				lexer->word_line = line;
				lexer->word_column = column;
			}
			lexer->quoted = quoted;
			lexer->quotes += lexer->quotes == 0;
		}
		put_value(lexer, &array->items[i], in_double, at);
	}
}

/* A parsed parameter expansion in braces. */
struct parameter {
	const char *name;
	size_t name_len;
	char kind; /* '@' or '*' of an array, '0' one item of it, '\0' a variable */
	size_t item;
	bool length;      /* "${#NAME}" */
	const char *op;   /* after the name */
	const char *word; /* of the operator */
	const char *end;  /* the closing brace */
};

/* False: a form that is not known. */
static bool read_parameter(const char *at, const char *end, struct parameter *ret)
{
	*ret = (struct parameter){ .end = end - 1 };
	at += 2;
	ret->length = *at == '#' && at + 1 < ret->end;
	at += ret->length;
	ret->name = at;
	ret->name_len = vllm_shell_name_len(at, ret->end);
	if (ret->name_len == 0 && at < ret->end && (*at == '@' || *at == '*')) {
		ret->kind = *at;
		ret->name_len = 1;
	}
	at += ret->name_len;
	if (ret->name_len == 0)
		return false;
	if (*at == '[') {
		const char *close = memchr(at, ']', (size_t)(ret->end - at));
		if (close == NULL || close == at + 1)
			return false;
		bool all = close == at + 2 && (at[1] == '@' || at[1] == '*');
		ret->kind = all ? at[1] : '0';
		ret->item = strtoul(at + 1, NULL, 10);
		if (!all && strspn(at + 1, "0123456789") != (size_t)(close - at - 1))
			return false;
		at = close + 1;
	}
	ret->op = at;
	ret->word = at + (at < ret->end);
	if (*at == ':' && at + 1 < ret->end && strchr("-=+?", at[1]) != NULL)
		ret->word = at + 2;
	else if ((*at == '#' || *at == '%') && at + 1 < ret->end && at[1] == *at)
		ret->word = at + 2;
	else if (at < ret->end && strchr("-=+?#%", *at) == NULL)
		return false;
	return !ret->length || at == ret->end;
}

/* The value where the parameter is one text; NULL: it has none. */
static const struct shell_value *value_of(const struct shell_variable *variable,
					  const struct parameter *parameter)
{
	size_t item = parameter->kind == '0' ? parameter->item : 0;

	return variable != NULL && item < variable->count ? &variable->items[item] : NULL;
}

/* The operator's word: read as the text around it, with its blanks as those of a value. */
static void take_word(struct shell_lexer *lexer, const struct parameter *parameter, bool in_double)
{
	const char *end = lexer->end;

	vllm_shell_skip_to(lexer, parameter->word);
	lexer->end = parameter->end;
	lexer->depth++;
	lexer->after_blank = false;
	while (lexer->at < lexer->end) {
		char c = *lexer->at;
		int line, column;
		vllm_shell_locate(lexer, lexer->at, &line, &column);
		if (in_double && c == '"') {
			lexer->at++;
		} else if (in_double) {
			vllm_shell_take_double_byte(lexer, "$`\"\\}");
		} else if (c == '\'' || c == '"') {
			vllm_shell_begin_word(lexer, line, column);
			lexer->quoted = true;
			lexer->at++;
			if (c == '"')
				vllm_shell_take_double(lexer);
			else
				vllm_shell_take_single(lexer, false);
		} else if (c == '\\' && lexer->at + 1 < lexer->end) {
			size_t joined = vllm_shell_continuation_len(lexer);
			lexer->at += joined > 0 ? 0 : 1;
			if (joined > 0)
				vllm_shell_skip_to(lexer, lexer->at + joined);
			else
				vllm_shell_take_byte(lexer);
		} else if (c == '$') {
			vllm_shell_take_dollar(lexer, false);
		} else if (c == '`') {
			vllm_shell_take_backquotes(lexer);
		} else if (vllm_shell_splits(lexer) && strchr(separators(lexer), c) != NULL) {
			const char *at = lexer->at;
			vllm_shell_skip_to(lexer, lexer->at + 1);
			put_separator(lexer, c, at);
		} else {
			vllm_shell_take_byte(lexer);
		}
	}
	lexer->depth--;
	lexer->end = end;
}

/* Returns whether it is set, with ":" to a non-empty value. -1: the text does not define it. */
static int is_usable(const struct shell_variable *variable, const struct parameter *parameter)
{
	const struct shell_value *value = value_of(variable, parameter);
	bool is_unknown = value != NULL && value->text[0] == SHELL_UNKNOWN_BEGIN;

	if (value == NULL)
		return 0;
	if (*parameter->op != ':')
		return 1;
	if (parameter->kind == '@' || parameter->kind == '*')
		return variable->count > 1 || value->text[0] != '\0';
	return is_unknown ? -1 : value->text[0] != '\0';
}

/* The value without the text that the pattern of "#" or "%" matches; NULL: the pattern or the value
 * is not plain text. */
static char *trimmed(struct shell_lexer *lexer, const struct shell_value *value,
		     const struct parameter *parameter)
{
	size_t len = strlen(value->text);
	size_t pattern_len = (size_t)(parameter->end - parameter->word);
	auto_free char *pattern = pl_strndup(parameter->word, pattern_len);
	bool front = *parameter->op == '#';
	bool longest = parameter->word - parameter->op == 2;

	if (len > PATTERN_BYTES_MAX || lexer->trims++ > TRIMS_MAX ||
	    pattern_len > SHELL_FOUND_BYTES_MAX ||
	    strchr(value->text, SHELL_UNKNOWN_BEGIN) != NULL || strpbrk(pattern, "$`\"'\\") != NULL)
		return NULL;
	for (size_t step = 0; step <= len; step++) {
		size_t cut = longest ? len - step : step;
		auto_free char *part = front ? pl_strndup(value->text, cut)
					     : pl_strdup(value->text + (len - cut));
		if (fnmatch(pattern, part, 0) == 0)
			return front ? pl_strdup(value->text + cut)
				     : pl_strndup(value->text, len - cut);
	}
	return pl_strdup(value->text);
}

static bool has_unknown(const struct shell_variable *variable)
{
	for (size_t i = 0; i < variable->count; i++) {
		if (strchr(variable->items[i].text, SHELL_UNKNOWN_BEGIN) != NULL)
			return true;
	}
	return false;
}

static void put_text(struct shell_lexer *lexer, const char *text, bool in_double, const char *at)
{
	const struct shell_value value = { .text = (char *)text };

	put_value(lexer, &value, in_double, at);
}

/* Variables made of variables grow fast. */
static bool fits(const struct shell_lexer *lexer, const struct shell_variable *variable)
{
	size_t bytes = lexer->words->bytes + lexer->word.len;

	for (size_t i = 0; i < variable->count; i++)
		bytes += strlen(variable->items[i].text) + 1;
	return bytes <= SHELL_BYTES_MAX && lexer->words->count + variable->count <= VALUE_WORDS_MAX;
}

static void put_parameter(struct shell_lexer *lexer, const struct shell_variable *variable,
			  const struct parameter *parameter, bool in_double)
{
	const struct shell_value *value = value_of(variable, parameter);
	const char *at = lexer->at;

	if (!fits(lexer, variable)) {
		vllm_shell_keep_unknown(lexer, parameter->end + 1, NOT_SET);
		return;
	}
	warn_of(lexer, variable, at, parameter->end + 1);
	if (parameter->kind == '@' || parameter->kind == '*')
		put_items(lexer, variable, parameter->kind, in_double, at);
	else if (value != NULL)
		put_value(lexer, value, in_double, at);
	vllm_shell_skip_to(lexer, parameter->end + 1);
}

/* "${A:=text}" assigns a text without expansions. */
static void assign_default(struct shell_lexer *lexer, const struct parameter *parameter)
{
	auto_free char *name = pl_strndup(parameter->name, parameter->name_len);
	auto_free char *text = pl_strndup(parameter->word,
					  (size_t)(parameter->end - parameter->word));

	if (strpbrk(text, "$`\"'\\\xFE\xFF") == NULL && isalpha((unsigned char)name[0]))
		vllm_words_assign(lexer->words, name, text, false);
}

/* "-", "=", "+" and "?", with or without ":". */
static void take_choice(struct shell_lexer *lexer, const struct shell_variable *variable,
			const struct parameter *parameter, bool in_double)
{
	int usable = is_usable(variable, parameter);
	char op = parameter->word[-1];

	if (usable < 0 || (op == '?' && usable == 0)) {
		vllm_shell_keep_unknown(lexer, parameter->end + 1, NOT_SET);
	} else if ((op == '+') == (usable == 1)) {
		take_word(lexer, parameter, in_double);
		if (op == '=')
			assign_default(lexer, parameter);
		vllm_shell_skip_to(lexer, parameter->end + 1);
	} else if (op == '+') {
		/* an environment may set it: the text does not */
		vllm_shell_add_problem(lexer, OPTION_WARNING,
				       "an expansion of a variable that is not set",
				       "a value; it is read as empty");
		vllm_shell_skip_to(lexer, parameter->end + 1);
	} else {
		put_parameter(lexer, variable, parameter, in_double);
	}
}

static void take_braced(struct shell_lexer *lexer, bool in_double)
{
	const char *end = vllm_shell_group_end(lexer->at + 1, lexer->end);
	struct parameter parameter;
	bool is_closed = end - lexer->at > 3 && end[-1] == '}';

	if (!is_closed || lexer->depth >= SHELL_DEPTH_MAX ||
	    !read_parameter(lexer->at, end, &parameter)) {
		vllm_shell_keep_unknown(lexer, end, NOT_READ);
		return;
	}
	/* the arguments of the script have one name */
	bool is_arguments = parameter.name_len == 1 && strchr("@*", *parameter.name) != NULL;
	const struct shell_variable *variable = is_arguments
							? vllm_shell_lookup(lexer, "@", 1)
							: vllm_shell_lookup(lexer, parameter.name,
									    parameter.name_len);
	bool is_all = parameter.kind == '@' || parameter.kind == '*';
	const struct shell_value *value = value_of(variable, &parameter);
	if (parameter.op < parameter.end && strchr("#%", *parameter.op) == NULL) {
		take_choice(lexer, variable, &parameter, in_double);
	} else if (variable == NULL) {
		vllm_shell_keep_unknown(lexer, end, NOT_SET);
		lexer->is_list |= is_all;
	} else if (parameter.length && has_unknown(variable)) {
		vllm_shell_keep_unknown(lexer, end, NOT_SET);
	} else if (parameter.length) {
		char number[PL_I64_TEXT_BYTES + 1];
		size_t len = is_all || value == NULL ? variable->count : strlen(value->text);
		*pl_text_put_i64(number, (int64_t)len) = '\0';
		put_text(lexer, number, in_double, lexer->at);
		vllm_shell_skip_to(lexer, end);
	} else if (parameter.op == parameter.end) {
		put_parameter(lexer, variable, &parameter, in_double);
	} else {
		auto_free char *text = is_all || value == NULL ? NULL
							       : trimmed(lexer, value, &parameter);
		if (text == NULL) {
			vllm_shell_keep_unknown(lexer, end, NOT_READ);
			return;
		}
		warn_of(lexer, variable, lexer->at, end);
		put_text(lexer, text, in_double, lexer->at);
		vllm_shell_skip_to(lexer, end);
	}
}

/* "$NAME", and "$env:NAME" of PowerShell. */
static void take_plain(struct shell_lexer *lexer, size_t len, bool in_double)
{
	const char *name = lexer->at + 1;
	bool is_env = len == 3 && strncmp(name, "env:", lexer->end - name >= 4 ? 4 : 3) == 0 &&
		      lexer->end - name > 4;
	size_t inner = is_env ? vllm_shell_name_len(name + 4, lexer->end) : 0;

	if (inner > 0) {
		name += 4;
		len = inner;
	}
	const struct parameter parameter = {
		.name = name, .name_len = len, .op = name + len, .end = name + len - 1
	};
	const struct shell_variable *variable = vllm_shell_lookup(lexer, name, len);

	if (variable == NULL)
		vllm_shell_keep_unknown(lexer, name + len, NOT_SET);
	else
		put_parameter(lexer, variable, &parameter, in_double);
}

/* "$1" and "$#" after "set -- …", "$@" and "$*"; "$?" and the like are never known. */
static void take_special(struct shell_lexer *lexer, bool in_double)
{
	const struct shell_variable *arguments = vllm_shell_lookup(lexer, "@", 1);
	const char *at = lexer->at;
	char kind = at[1];

	if (arguments != NULL && !fits(lexer, arguments))
		arguments = NULL;
	if (arguments != NULL && (kind == '@' || kind == '*')) {
		warn_of(lexer, arguments, at, at + 2);
		put_items(lexer, arguments, kind, in_double, at);
		lexer->at += 2;
	} else if (arguments != NULL && kind >= '1' && kind <= '9') {
		if ((size_t)(kind - '0') <= arguments->count)
			put_value(lexer, &arguments->items[kind - '1'], in_double, at);
		lexer->at += 2;
	} else if (arguments != NULL && kind == '#') {
		char number[PL_I64_TEXT_BYTES + 1];
		*pl_text_put_i64(number, (int64_t)arguments->count) = '\0';
		put_text(lexer, number, in_double, at);
		lexer->at += 2;
	} else {
		vllm_shell_keep_unknown(lexer, at + 2, NOT_SET);
		lexer->is_list |= kind == '@' || kind == '*';
	}
}

void vllm_shell_take_dollar(struct shell_lexer *lexer, bool in_double)
{
	const char *next = lexer->at + 1;
	char kind = next < lexer->end ? *next : ' ';
	size_t len = vllm_shell_name_len(next, lexer->end);
	int line, column;

	if (!in_double && (kind == '\'' || kind == '"')) {
		vllm_shell_locate(lexer, lexer->at, &line, &column);
		vllm_shell_begin_word(lexer, line, column);
		lexer->at += 2;
		lexer->quoted = true;
		if (kind == '\'')
			vllm_shell_take_single(lexer, true);
		else
			vllm_shell_take_double(lexer);
	} else if (kind == '{') {
		take_braced(lexer, in_double);
	} else if (kind == '(') {
		vllm_shell_keep_unknown(lexer, vllm_shell_group_end(next, lexer->end), NOT_RUN);
	} else if (len > 0) {
		take_plain(lexer, len, in_double);
	} else if (isdigit((unsigned char)kind) || (kind != '\0' && strchr("@*#?!$-", kind))) {
		take_special(lexer, in_double);
	} else {
		vllm_shell_take_byte(lexer);
	}
}
