/*
 * Parses a command line like vLLM: argparse, preceded by the additions of FlexibleArgumentParser.
 *
 *   --a_b        "--a-b", up to the first '.' or '='
 *   --x.k=v      all keys of --x joined to one object, put at the end as "--x JSON"
 *   each word    flag, abbreviation, unknown flag or word, on its own: argparse does not consider
 *                the preceding word, so "--x -1e3" is two flags
 *   each flag    takes as many of the following words as it accepts
 *
 * Nothing is printed and no error stops it: each word keeps its kind, and the caller reports it.
 */
#include "option/argv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/dotted.h"

/*
 * Adds each flag of "--long -s". Each row knows all its flags, and each flag whether it is
 * negative.
 */
static void add_flags(struct option_argv *argv, const char *flags,
		      const struct option_argv_flag *how)
{
	for (size_t len; flags != NULL && *flags != '\0'; flags += len + strspn(flags + len, " ")) {
		len = strcspn(flags, " ");
		struct option_argv_flag *flag = PL_PUSH(argv->flags, argv->flag_count,
							argv->flag_room);
		*flag = *how;
		flag->text = pl_strndup(flags, len);
	}
}

void option_argv_add_row(struct option_argv *argv, const struct option_row *row, bool whole)
{
	struct option_argv_flag how = { .row = row, .whole = whole };

	add_flags(argv, row->flag, &how);
	add_flags(argv, row->aliases, &how);
	how.whole = true;
	add_flags(argv, row->own_aliases, &how);
	how.whole = whole;
	how.negative = true;
	add_flags(argv, row->negative_flag, &how);
	add_flags(argv, row->negative_aliases, &how);
}

void option_argv_add_negative(struct option_argv *argv, const struct option_row *row,
			      const char *flag, bool whole)
{
	const struct option_argv_flag how = { .row = row, .whole = whole, .negative = true };

	add_flags(argv, flag, &how);
}

struct option_argv_word *option_argv_add_word(struct option_argv *argv, const char *text,
					      const char *source, int line, int column)
{
	struct option_argv_word *word = PL_PUSH(argv->words, argv->count, argv->room);
	*word = (struct option_argv_word){
		.text = pl_strdup(text),
		.written = pl_strdup(text),
		.source = source,
		.line = line,
		.column = column,
	};
	return word;
}

static void word_done(struct option_argv_word *word)
{
	free(word->text);
	free(word->written);
	free(word->candidates);
}

void option_argv_drop(struct option_argv *argv, size_t at, size_t count)
{
	for (size_t i = at; i < at + count; i++)
		word_done(&argv->words[i]);
	memmove(&argv->words[at], &argv->words[at + count],
		(argv->count - at - count) * sizeof(argv->words[0]));
	argv->count -= count;
}

/* Only towards the front: `to` is at most `from`. */
void option_argv_move(struct option_argv *argv, size_t from, size_t count, size_t to)
{
	auto_free struct option_argv_word *moved = pl_alloc_array(count + 1, sizeof(*moved));

	memcpy(moved, &argv->words[from], count * sizeof(*moved));
	memmove(&argv->words[to + count], &argv->words[to], (from - to) * sizeof(*moved));
	memcpy(&argv->words[to], moved, count * sizeof(*moved));
}

void option_argv_set_text(struct option_argv_word *word, char *text)
{
	free(word->text);
	word->text = text;
}

void option_argv_done(struct option_argv *argv)
{
	for (size_t i = 0; i < argv->flag_count; i++)
		free(argv->flags[i].text);
	free(argv->flags);
	for (size_t i = 0; i < argv->count; i++)
		word_done(&argv->words[i]);
	free(argv->words);
	for (size_t i = 0; i < argv->refused_count; i++)
		word_done(&argv->refused[i]);
	free(argv->refused);
	for (size_t i = 0; i < argv->dotted_count; i++) {
		struct option_argv_dotted *dotted = &argv->dotted[i];
		for (size_t j = 0; j < dotted->count; j++)
			free(dotted->keys[j].path);
		free(dotted->keys);
		free(dotted->flag);
		json_decref(dotted->object);
	}
	free(argv->dotted);
	*argv = (struct option_argv){ 0 };
}

/* '_' is '-' in a flag up to its first '.' or '='. */
static void turn_underscores(char *text)
{
	if (!pl_text_starts(text, "--"))
		return;
	for (char *at = text + 2; *at != '\0' && *at != '.' && *at != '='; at++) {
		if (*at == '_')
			*at = '-';
	}
}

/* Merges objects, joins lists, and replaces anything else, like vLLM's recursive_dict_update(). */
static void merge(json_t *into, const char *key, json_t *value)
{
	json_t *known = json_object_get(into, key);

	if (json_is_object(known) && json_is_object(value)) {
		PL_JSON_EACH_MEMBER(name, member, value)
			merge(known, name, member);
	} else if (json_is_array(known) && json_is_array(value)) {
		json_array_extend(known, value);
	} else {
		json_object_set(into, key, value);
	}
}

static struct option_argv_dotted *dotted_of(struct option_argv *argv, const char *flag,
					    size_t first)
{
	for (size_t i = 0; i < argv->dotted_count; i++) {
		if (strcmp(argv->dotted[i].flag, flag) == 0)
			return &argv->dotted[i];
	}
	struct option_argv_dotted *dotted = PL_PUSH(argv->dotted, argv->dotted_count,
						    argv->dotted_room);
	*dotted = (struct option_argv_dotted){
		.flag = pl_strdup(flag),
		.object = json_object(),
		.first = first,
	};
	return dotted;
}

/*
 * Puts the value under the path of "--x.a.b" into the object of "--x"; takes it. Built from the
 * inside: the last part of the path is the key of the value, the first is a key of the object.
 */
static void put_dotted(struct option_argv *argv, size_t at, char *key, json_t *value)
{
	const struct option_argv_word *word = &argv->words[at];
	char *path = strchr(key, '.');

	*path++ = '\0';
	struct option_argv_dotted *dotted = dotted_of(argv, key, at);
	*PL_PUSH(dotted->keys, dotted->count, dotted->room) = (struct option_argv_key){
		.path = pl_strdup(path),
		.line = word->line,
		.column = word->column,
	};
	for (char *dot; (dot = strrchr(path, '.')) != NULL; *dot = '\0') {
		json_t *outer = json_object();
		json_object_set_new(outer, dot + 1, value);
		value = outer;
	}
	merge(dotted->object, path, value);
	json_decref(value);
}

static size_t count_parts(const char *path)
{
	size_t count = 0;

	for (const char *dot = strchr(path, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
		count++;
	return count;
}

/* "-.5" is a number. */
static bool is_dotted(const char *text, size_t name_len)
{
	return text[0] == '-' && (text[1] == '-' || isalpha((unsigned char)text[1])) &&
	       memchr(text, '.', name_len) != NULL;
}

/* "--x.a.b=v", "--x.a v", "--x.a+=v,w"; how many words it takes, 0: no dotted key. */
static size_t read_dotted(struct option_argv *argv, size_t at)
{
	struct option_argv_word *word = &argv->words[at];
	size_t len = strcspn(word->text, "=");
	bool joined = word->text[len] == '=';

	if (!is_dotted(word->text, len))
		return 0;
	if (!joined && at + 1 == argv->count) {
		word->kind = OPTION_ARGV_DOTTED_BARE;
		return 1;
	}
	auto_free char *key = pl_strndup(word->text, len);
	const char *text = joined ? word->text + len + 1 : argv->words[at + 1].text;
	bool appends = key[len - 1] == '+';
	if (appends)
		key[len - 1] = '\0';
	json_t *value = appends ? option_dotted_list(text) : option_dotted_value(text);
	if (value == NULL) {
		word->kind = OPTION_ARGV_DOTTED_EXCESS;
		word->excess = option_json_excess(text);
	} else if (count_parts(key) > OPTION_ARGV_DEPTH_MAX) {
		word->kind = OPTION_ARGV_DOTTED_DEEP;
		json_decref(value);
	} else {
		put_dotted(argv, at, key, value);
	}
	return joined ? 1 : 2;
}

/* "--x JSON" at the end, in the place of the first of its keys. json.dumps() makes the text
 * there too. The words before may move: `first` is a copy. */
static void add_joined(struct option_argv *argv, size_t index)
{
	const struct option_argv_dotted *dotted = &argv->dotted[index];
	const struct option_argv_word first = argv->words[dotted->first];
	auto_free char *json = pl_json_to_text(dotted->object, PL_JSON_PYTHON);
	auto_free char *written = pl_strndup(first.written, strcspn(first.written, ".="));
	auto_free char *turned = pl_strdup(written);
	struct option_argv_word *flag = option_argv_add_word(argv, dotted->flag, first.source,
							     first.line, first.column);

	flag->dotted = index + 1;
	turn_underscores(turned);
	/* otherwise the first word belongs to another flag */
	if (strcmp(turned, dotted->flag) == 0) {
		free(flag->written);
		flag->written = pl_take(written);
	}
	option_argv_add_word(argv, json, first.source, first.line, first.column)->dotted = index +
											   1;
}

/*
 * Removes the dotted keys and appends the joined objects. In two passes: a key may be anywhere, and
 * its words are needed until its object is written.
 */
static void join_dotted(struct option_argv *argv)
{
	size_t count = argv->count;
	size_t retained = 0;
	auto_free bool *taken = pl_alloc_array(count + 1, sizeof(*taken));

	for (size_t i = 0, used; i<count; i += used> 0 ? used : 1) {
		used = read_dotted(argv, i);
		for (size_t j = i; j < i + used; j++)
			taken[j] = true;
	}
	for (size_t i = 0; i < argv->dotted_count; i++)
		add_joined(argv, i);
	for (size_t i = 0; i < argv->count; i++) {
		if (i >= count || !taken[i])
			argv->words[retained++] = argv->words[i];
		else if (argv->words[i].kind != OPTION_ARGV_WORD)
			*PL_PUSH(argv->refused, argv->refused_count,
				 argv->refused_room) = argv->words[i];
		else
			word_done(&argv->words[i]);
	}
	argv->count = retained;
}

/*
 * Call it before abbreviations: "--a" is not a prefix of "--ab" if both are flags. An argument of
 * the release precedes an absent one: "--disable-x" was a separate argument before it became the
 * negative of "--enable-x".
 */
static const struct option_argv_flag *find_whole(const struct option_argv *argv, const char *text,
						 size_t len)
{
	const struct option_argv_flag *absent = NULL;

	for (size_t i = 0; i < argv->flag_count; i++) {
		const struct option_argv_flag *flag = &argv->flags[i];
		if (strncmp(flag->text, text, len) != 0 || flag->text[len] != '\0')
			continue;
		if (!flag->row->absent)
			return flag;
		if (absent == NULL)
			absent = flag;
	}
	return absent;
}

/* "-q4" is "-q 4" where no longer flag begins like that. */
static bool is_letter_of(const struct option_argv_flag *flag, const char *text)
{
	return text[1] != '-' && flag->text[2] == '\0' && strncmp(flag->text, text, 2) == 0;
}

/*
 * Finds a flag by its prefix; false: no match. Like argparse's allow_abbrev: with two dashes it
 * compares the text before '=', with one all of it.
 */
static bool find_beginning(const struct option_argv *argv, struct option_argv_word *word)
{
	const char *text = word->text;
	size_t len = text[1] == '-' ? strcspn(text, "=") : strlen(text);
	auto_free const struct option_argv_flag **found = pl_alloc_array(
		argv->flag_count + 1, sizeof(const struct option_argv_flag *));
	size_t count = 0;

	for (size_t i = 0; i < argv->flag_count; i++) {
		const struct option_argv_flag *flag = &argv->flags[i];
		if (!flag->whole &&
		    (is_letter_of(flag, text) || strncmp(flag->text, text, len) == 0))
			found[count++] = flag;
	}
	if (count == 0)
		return false;
	if (count > 1) {
		word->kind = OPTION_ARGV_AMBIGUOUS;
		word->candidates = pl_take(found);
		word->candidate_count = count;
		return true;
	}
	word->flag = found[0];
	if (is_letter_of(found[0], text))
		word->joined = text + 2;
	else if (text[len] == '=')
		word->joined = text + len + 1;
	return true;
}

/* "-1", "-.5"; "-1e3" and "-5." are flags to Python. Its pattern is '^-\d+$|^-\d*\.\d+$'. */
static bool is_negative_number(const char *text)
{
	size_t whole = strspn(text + 1, "0123456789");
	const char *rest = text + 1 + whole;
	size_t part = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;

	return *rest == '\0' ? whole > 0 : part > 0 && rest[1 + part] == '\0';
}

/*
 * Classifies the word on its own: a flag, known or unknown, or not a flag. A word with a blank is
 * not an unknown flag: argparse takes it as a value.
 */
static void classify(const struct option_argv *argv, struct option_argv_word *word)
{
	const char *text = word->text;
	size_t len = strcspn(text, "=");

	if (text[0] != '-' || text[1] == '\0')
		return;
	word->kind = OPTION_ARGV_FLAG;
	word->flag = find_whole(argv, text, strlen(text));
	if (word->flag != NULL)
		return;
	word->flag = text[len] == '=' ? find_whole(argv, text, len) : NULL;
	if (word->flag != NULL)
		word->joined = text + len + 1;
	else if (!find_beginning(argv, word))
		word->kind = is_negative_number(text) || strchr(text, ' ') != NULL
				     ? OPTION_ARGV_WORD
				     : OPTION_ARGV_UNKNOWN;
}

bool option_argv_is_switch(const struct option_argv_flag *flag)
{
	return flag->negative || flag->row->style == OPTION_STYLE_TOGGLE ||
	       flag->row->style == OPTION_STYLE_FLAG;
}

static size_t least_values(const struct option_argv_flag *flag)
{
	if (option_argv_is_switch(flag) || flag->row->style == OPTION_STYLE_OPTIONAL_VALUE)
		return 0;
	return flag->row->style == OPTION_STYLE_WORDS ? (size_t)flag->row->words_least : 1;
}

static size_t most_values(const struct option_argv_flag *flag)
{
	if (option_argv_is_switch(flag))
		return 0;
	return flag->row->style == OPTION_STYLE_LIST || flag->row->style == OPTION_STYLE_WORDS
		       ? SIZE_MAX
		       : 1;
}

/*
 * Assigns the following words to the flag; if required ones are missing, that is an error. It takes
 * words greedily: a list also takes the model that follows it.
 */
static void give_values(struct option_argv *argv, size_t at)
{
	struct option_argv_word *word = &argv->words[at];
	size_t room = argv->count - at - 1;
	size_t most = most_values(word->flag);

	if (word->joined != NULL) {
		if (most == 0)
			word->kind = OPTION_ARGV_TAKES_NONE;
		return;
	}
	while (word->values < most && word->values < room &&
	       word[1 + word->values].kind == OPTION_ARGV_WORD)
		word[1 + word->values++].kind = OPTION_ARGV_VALUE;
	if (word->values < least_values(word->flag))
		word->kind = OPTION_ARGV_NO_VALUE;
}

void option_argv_read(struct option_argv *argv)
{
	for (size_t i = 0; i < argv->count; i++)
		turn_underscores(argv->words[i].text);
	join_dotted(argv);
	/* Classifies all words before values are assigned, like argparse. */
	bool words_only = false;
	for (size_t i = 0; i < argv->count; i++) {
		struct option_argv_word *word = &argv->words[i];
		if (strcmp(word->text, "--") == 0) {
			word->kind = OPTION_ARGV_SEPARATOR;
			words_only = true;
		} else if (!words_only) {
			classify(argv, word);
		}
	}
	for (size_t i = 0; i < argv->count; i++) {
		if (argv->words[i].kind == OPTION_ARGV_FLAG)
			give_values(argv, i);
	}
}

size_t option_argv_value_count(const struct option_argv_word *flag)
{
	return flag->joined != NULL ? 1 : flag->values;
}

const char *option_argv_value(const struct option_argv_word *flag, size_t i)
{
	return flag->joined != NULL ? flag->joined : flag[1 + i].text;
}

const struct option_argv_flag *option_argv_find(const struct option_argv *argv, const char *word)
{
	struct option_argv_word alone = { .text = pl_strndup(word, strcspn(word, "=.")) };

	turn_underscores(alone.text);
	classify(argv, &alone);
	word_done(&alone);
	return alone.flag;
}

/* With or without dashes, as in `text`: the returned text has the compared form. */
const char *option_argv_nearest(const struct option_argv *argv, const char *text)
{
	auto_free char *name = pl_strndup(text, strcspn(text, "="));
	size_t dashes = pl_text_starts(text, "--") ? 0 : 2;
	struct pl_nearest nearest = { .name = name };

	for (size_t i = 0; i < argv->flag_count; i++) {
		if (pl_text_starts(argv->flags[i].text, "--"))
			pl_nearest_try(&nearest, argv->flags[i].text + dashes);
	}
	return nearest.found != NULL ? nearest.found - dashes : NULL;
}
