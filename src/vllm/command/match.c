/*
 * Which argument each flag means and which words are its value: Python's argparse with the options
 * of the table. Unlike argparse this goes on behind a fault.
 */
#include "vllm/command/command_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { NEAREST_MAX = 100, CANDIDATES_SHOWN_MAX = 6, OPTIONS_MAX = 1024 };

struct option {
	const char *text; /* "--tensor-parallel-size"; len bytes of it */
	size_t len;
	const struct option_row *arg; /* NULL: --help */
	bool negative;
	bool exact; /* no prefix means it */
};

struct matcher {
	struct vllm_parse *parse;
	struct option options[OPTIONS_MAX];
	size_t count;
	bool model_taken;
	bool after_unknown; /* the words behind it may be its values */
};

/* What a word is to the parser. */
struct meaning {
	bool is_option;
	const struct option *option; /* NULL: unknown */
	const char *joined;
	bool refused; /* told already */
};

static void add_option(struct matcher *matcher, const char *text, size_t len,
		       const struct option_row *arg, bool negative, bool exact)
{
	if (matcher->count < OPTIONS_MAX)
		matcher->options[matcher->count++] = (struct option){
			.text = text,
			.len = len,
			.arg = arg,
			.negative = negative,
			.exact = exact,
		};
}

/* Each flag of "--long -s". */
static void add_flags(struct matcher *matcher, const char *flags, const struct option_row *arg,
		      bool negative, bool exact)
{
	while (flags != NULL && *flags != '\0') {
		size_t len = strcspn(flags, " ");
		/* a joined -O was turned before, and no other is known */
		if (len != 2 || strncmp(flags, "-O", 2) != 0)
			add_option(matcher, flags, len, arg, negative, exact);
		flags += len + strspn(flags + len, " ");
	}
}

/* Does the target release lack an argument that an older one has? */
static bool is_gone(const struct vllm_parse *parse, const struct option_row *arg)
{
	struct vllm_version removed;
	struct pl_err err = PL_ERR_INIT;

	if (!arg->gone)
		return false;
	if (!parse->target_known || arg->removed_in == NULL ||
	    vllm_version_parse(arg->removed_in, &removed, &err) < 0)
		return parse->at_reference;
	return vllm_version_compare(&parse->target, &removed) >= 0;
}

static void fill_options(struct matcher *matcher)
{
	add_option(matcher, "--help", strlen("--help"), NULL, false, false);
	add_option(matcher, "-h", strlen("-h"), NULL, false, false);
	for (size_t i = 0; i < vllm_arg_count(); i++) {
		const struct option_row *arg = vllm_arg_at(i);
		bool exact = is_gone(matcher->parse, arg);
		if (exact && matcher->parse->target_known && !matcher->parse->allow_gone)
			continue;
		add_flags(matcher, arg->flag, arg, false, exact);
		add_flags(matcher, arg->aliases, arg, false, exact);
		add_flags(matcher, arg->negative_flag, arg, true, exact);
	}
}

static const struct option *find_exact(const struct matcher *matcher, const char *text, size_t len)
{
	for (size_t i = 0; i < matcher->count; i++) {
		const struct option *option = &matcher->options[i];
		if (option->len == len && strncmp(option->text, text, len) == 0)
			return option;
	}
	return NULL;
}

static bool begins_with(const struct option *option, const char *text, size_t len)
{
	return !option->exact && option->len >= len && strncmp(option->text, text, len) == 0;
}

/* "-q4" is "-q 4" where no longer flag begins like that. */
static bool is_letter_of(const struct option *option, const char *text)
{
	return text[1] != '-' && option->len == 2 && strncmp(option->text, text, 2) == 0;
}

static void tell_ambiguous(struct matcher *matcher, const struct vllm_token *token,
			   const struct option *const *found, size_t count)
{
	auto_buf expected = { 0 };

	pl_buf_init(&expected, 4096);
	pl_buf_add_text(&expected, "more of the flag: ");
	for (size_t i = 0; i < count && i < CANDIDATES_SHOWN_MAX; i++)
		pl_buf_addf(&expected, "%s%.*s",
			    i == 0           ? ""
			    : i + 1 == count ? " or "
					     : ", ",
			    (int)found[i]->len, found[i]->text);
	if (count > CANDIDATES_SHOWN_MAX)
		pl_buf_addf(&expected, " … (%zu in all)", count);
	vllm_parse_add(matcher->parse, OPTION_ERROR, token, "an abbreviation of several flags",
		       pl_buf_text(&expected), NULL);
}

/* By its beginning; fills *ret and returns true when there is one, or too many. */
static bool find_prefix(struct matcher *matcher, const struct vllm_token *token,
			struct meaning *ret)
{
	const struct option *found[OPTIONS_MAX];
	const char *text = token->text;
	bool is_long = text[1] == '-';
	size_t len = is_long ? strcspn(text, "=") : strlen(text);
	size_t count = 0;

	for (size_t i = 0; i < matcher->count; i++) {
		const struct option *option = &matcher->options[i];
		if (is_letter_of(option, text) || begins_with(option, text, len))
			found[count++] = option;
	}
	if (count == 0)
		return false;
	ret->is_option = true;
	if (count > 1) {
		tell_ambiguous(matcher, token, found, count);
		ret->refused = true;
		return true;
	}
	ret->option = found[0];
	if (is_letter_of(found[0], text))
		ret->joined = text + 2;
	else if (text[len] == '=')
		ret->joined = text + len + 1;
	return true;
}

/* "-1", "-.5" */
static bool is_negative_number(const char *text)
{
	const char *at = text + 1;
	size_t whole = strspn(at, "0123456789");

	if (at[whole] == '\0')
		return whole > 0;
	if (at[whole] != '.')
		return false;
	size_t part = strspn(at + whole + 1, "0123456789");
	return part > 0 && at[whole + 1 + part] == '\0';
}

static struct meaning classify(struct matcher *matcher, const struct vllm_token *token)
{
	const char *text = token->text;
	size_t name_len = strcspn(text, "=");
	struct meaning meaning = { .is_option = true };

	if (text[0] != '-' || text[1] == '\0')
		return (struct meaning){ 0 };
	meaning.option = find_exact(matcher, text, strlen(text));
	if (meaning.option != NULL)
		return meaning;
	meaning.option = text[name_len] == '=' ? find_exact(matcher, text, name_len) : NULL;
	if (meaning.option != NULL) {
		meaning.joined = text + name_len + 1;
		return meaning;
	}
	if (find_prefix(matcher, token, &meaning))
		return meaning;
	meaning.is_option = !is_negative_number(text) && strchr(text, ' ') == NULL;
	return meaning;
}

/* The long flag of the release that is nearest to an unknown one. The caller's (free()). */
static char *nearest_flag(const struct matcher *matcher, const char *text)
{
	const char **names = pl_alloc_array(matcher->count + 1, sizeof(*names));
	char **copies = pl_alloc_array(matcher->count + 1, sizeof(*copies));
	auto_free char *name = pl_strndup(text, strcspn(text, "="));
	size_t count = 0;
	char *nearest = NULL;

	for (size_t i = 0; i < matcher->count; i++) {
		const struct option *option = &matcher->options[i];
		if (option->len < 3 || option->text[1] != '-')
			continue;
		copies[count] = pl_strndup(option->text + 2, option->len - 2);
		names[count] = copies[count];
		count++;
	}
	const char *found = pl_text_nearest(name + strspn(name, "-"), names, count);
	if (found != NULL)
		nearest = pl_asprintf("--%s", found);
	for (size_t i = 0; i < count; i++)
		free(copies[i]);
	free(copies);
	free(names);
	return nearest;
}

/* The argument of another release that this flag is. */
static const struct option_row *find_gone(const char *text)
{
	auto_free char *name = pl_strndup(text, strcspn(text, "="));

	if (!pl_text_starts(name, "--"))
		return NULL;
	const struct option_row *arg = vllm_arg_find(name + 2);
	return arg != NULL ? arg : vllm_arg_find_negative(name + 2);
}

static void tell_unknown(struct matcher *matcher, const struct vllm_token *token)
{
	const struct option_row *gone = find_gone(token->text);
	auto_free char *nearest = NULL;
	auto_free char *found = NULL;

	json_array_append_new(matcher->parse->command->unknown, json_string(token->written));
	if (gone != NULL) {
		found = pl_asprintf("an argument that vLLM %s no longer has",
				    matcher->parse->target_text);
		nearest = gone->replaced_by != NULL ? vllm_flag_of(gone->replaced_by) : NULL;
		vllm_parse_add(matcher->parse, OPTION_ERROR, token, found, "an older release",
			       nearest);
		return;
	}
	if (matcher->parse->problems->errors < NEAREST_MAX)
		nearest = nearest_flag(matcher, token->text);
	vllm_parse_add(matcher->parse, OPTION_ERROR, token, "an unknown argument", "one of vLLM's",
		       nearest);
}

static void value_expected(struct matcher *matcher, const struct vllm_token *token,
			   const char *found, const struct option_row *arg)
{
	auto_free char *expected = pl_asprintf("a value: '%s' takes %s", arg->flag,
					       arg->style == OPTION_STYLE_LIST ? "one or more"
									       : "one");

	vllm_parse_add(matcher->parse, OPTION_ERROR, token, found, expected, NULL);
}

static bool takes_value(const struct option *option)
{
	return !option->negative && option->arg->style != OPTION_STYLE_TOGGLE &&
	       option->arg->style != OPTION_STYLE_FLAG;
}

/* How many of the `room` words behind the flag are its values. */
static size_t count_values(const struct option *option, size_t room)
{
	if (!takes_value(option))
		return 0;
	if (option->arg->style == OPTION_STYLE_LIST)
		return room;
	return room > 0 ? 1 : 0;
}

/* A joined value of a flag that takes none. */
static bool refuse_joined(struct matcher *matcher, const struct vllm_token *token,
			  const struct meaning *meaning)
{
	const struct option *option = meaning->option;
	bool is_off = strcasecmp(meaning->joined, "false") == 0 ||
		      strcmp(meaning->joined, "0") == 0;

	if (takes_value(option))
		return false;
	vllm_parse_add(matcher->parse, OPTION_ERROR, token, NULL,
		       "the flag alone: it takes no value",
		       is_off && !option->negative ? option->arg->negative_flag : NULL);
	return true;
}

static void take_option(struct matcher *matcher, size_t at, const struct meaning *meaning,
			size_t room)
{
	const struct option *option = meaning->option;
	const struct vllm_token *token = &matcher->parse->tokens[at];
	struct vllm_match match = {
		.arg = option->arg,
		.negative = option->negative,
		.joined = meaning->joined,
		.flag = at,
		.first = at + 1,
		.count = meaning->joined != NULL ? 0 : count_values(option, room),
	};

	if (meaning->joined != NULL && refuse_joined(matcher, token, meaning))
		return;
	if (meaning->joined == NULL && match.count == 0 && takes_value(option) &&
	    option->arg->style != OPTION_STYLE_OPTIONAL_VALUE) {
		value_expected(matcher, token, "no value", option->arg);
		return;
	}
	vllm_command_take(matcher->parse, &match);
}

/* A long flag whose dashes a text processor has joined into one: "–x". */
static bool has_wide_dash(const char *text)
{
	return pl_text_starts(text, "\xE2\x80\x93") || pl_text_starts(text, "\xE2\x80\x94");
}

static void take_word(struct matcher *matcher, size_t at)
{
	struct vllm_parse *parse = matcher->parse;
	const struct vllm_token *token = &parse->tokens[at];
	const struct vllm_match match = {
		.arg = vllm_arg_find("model"), .joined = token->text, .flag = at, .first = at
	};
	auto_free char *nearest = NULL;

	if (!matcher->model_taken && !has_wide_dash(token->text)) {
		matcher->model_taken = true;
		vllm_command_take(parse, &match);
		return;
	}
	if (matcher->after_unknown)
		return;
	if (has_wide_dash(token->text))
		nearest = nearest_flag(matcher, token->text + strlen("\xE2\x80\x93"));
	else if (vllm_arg_find(token->text) != NULL)
		nearest = pl_strdup(vllm_arg_find(token->text)->flag);
	json_array_append_new(parse->command->unknown, json_string(token->text));
	matcher->after_unknown = has_wide_dash(token->text);
	vllm_parse_add(parse, OPTION_ERROR, token, NULL, "a flag: the model is given once",
		       nearest);
}

/* Options behind "--" are words. */
static void classify_all(struct matcher *matcher, struct meaning *meanings)
{
	struct vllm_parse *parse = matcher->parse;
	bool words_only = false;

	for (size_t i = 0; i < parse->count; i++) {
		if (!words_only && strcmp(parse->tokens[i].text, "--") != 0)
			meanings[i] = classify(matcher, &parse->tokens[i]);
		words_only |= strcmp(parse->tokens[i].text, "--") == 0;
	}
}

static size_t words_behind(const struct vllm_parse *parse, const struct meaning *meanings,
			   size_t at)
{
	size_t end = at + 1;

	while (end < parse->count && !meanings[end].is_option &&
	       strcmp(parse->tokens[end].text, "--") != 0)
		end++;
	return end - at - 1;
}

static void tell_help(struct matcher *matcher, const struct vllm_token *token)
{
	vllm_parse_add(matcher->parse, OPTION_ERROR, token, "a call for help",
		       "arguments of a server: this one starts none", NULL);
}

void vllm_command_match(struct vllm_parse *parse)
{
	auto_free struct matcher *matcher = pl_alloc(sizeof(*matcher));
	auto_free struct meaning *meanings = pl_alloc_array(parse->count + 1, sizeof(*meanings));

	matcher->parse = parse;
	fill_options(matcher);
	classify_all(matcher, meanings);
	for (size_t i = 0; i < parse->count; i++) {
		const struct meaning *meaning = &meanings[i];
		size_t room = words_behind(parse, meanings, i);
		if (strcmp(parse->tokens[i].text, "--") == 0 && !meaning->is_option)
			continue;
		if (!meaning->is_option) {
			take_word(matcher, i);
			continue;
		}
		matcher->after_unknown = meaning->option == NULL;
		if (meaning->option == NULL) {
			if (!meaning->refused)
				tell_unknown(matcher, &parse->tokens[i]);
		} else if (meaning->option->arg == NULL) {
			tell_help(matcher, &parse->tokens[i]);
		} else {
			take_option(matcher, i, meaning, room);
			i += meaning->joined == NULL ? count_values(meaning->option, room) : 0;
		}
	}
}
