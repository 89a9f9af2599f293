#include "vllm/bench/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/bench/line_priv.h"
#include "option/dotted.h"

enum { HINTS_BYTES_MAX = 16384, DOTTED_DEPTH_MAX = 32 };

struct option {
	char *flag;
	enum vllm_bench_id id;             /* VLLM_BENCH_COUNT: --help or our own */
	const struct vllm_bench_flag *own; /* NULL: vLLM's */
	bool negative;                     /* --no-self-timed */
	bool exact;                        /* no beginning of it means it */
};

/* A word as vLLM's parser gets it. */
struct token {
	char *text;
	size_t word;
	const struct option *option; /* NULL: a value, or unknown */
	const char *joined;          /* behind "=" */
	bool is_option;
	bool refused; /* its fault is told already */
};

struct reader {
	struct vllm_bench_line *line;
	struct option *options;
	size_t option_count;
	size_t option_room;
	struct token *tokens;
	size_t count;
	size_t room;
	json_t *dotted; /* object: flag -> object of its keys */
	struct pl_buf unknown;
	struct pl_buf hints;
	size_t first_unknown;
	bool has_unknown;
	bool behind_unknown; /* the word before was unknown, and this may be its value */
};

char *vllm_bench_flag_of(enum vllm_bench_id id)
{
	return pl_strdup(vllm_bench_row(id)->flag);
}

struct vllm_bench_fault *vllm_bench_fault_add(struct vllm_bench_line *line, size_t word, char *text,
					      const char *hint)
{
	pl_grow((void **)&line->faults, &line->fault_room, line->fault_count + 1,
		sizeof(line->faults[0]));
	line->faults[line->fault_count++] = (struct vllm_bench_fault){
		.word = word,
		.text = text,
		.hint = pl_strdup(hint),
	};
	return &line->faults[line->fault_count - 1];
}

int vllm_bench_words_least(enum vllm_bench_id id)
{
	const struct option_row *row = vllm_bench_row(id);

	return row->style == OPTION_STYLE_WORDS ? row->words_least : -1;
}

static void add_option(struct reader *reader, char *flag, enum vllm_bench_id id,
		       const struct vllm_bench_flag *own, bool negative)
{
	pl_grow((void **)&reader->options, &reader->option_room, reader->option_count + 1,
		sizeof(reader->options[0]));
	reader->options[reader->option_count++] = (struct option){
		.flag = flag,
		.id = id,
		.own = own,
		.negative = negative,
		.exact = id == VLLM_BENCH_COUNT ? strcmp(flag, "--help") != 0
						: vllm_bench_row(id)->ours,
	};
}

static void fill_options(struct reader *reader, const struct vllm_bench_flag *own)
{
	/* in the order in which an ambiguous beginning lists them: vLLM's parser has --help
	 * first */
	for (const struct vllm_bench_flag *one = own; one->flag != NULL; one++)
		add_option(reader, pl_strdup(one->flag), VLLM_BENCH_COUNT, one, false);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		enum vllm_bench_id id = (enum vllm_bench_id)i;
		const struct option_row *row = vllm_bench_row(id);
		if (row->flag == NULL || row->gone)
			continue;
		add_option(reader, pl_strdup(row->flag), id, NULL, false);
		if (row->negative_flag != NULL)
			add_option(reader, pl_strdup(row->negative_flag), id, NULL, true);
	}
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const char *alias = vllm_bench_row((enum vllm_bench_id)i)->aliases;
		if (alias != NULL)
			add_option(reader, pl_strdup(alias), (enum vllm_bench_id)i, NULL, false);
	}
}

static struct token *add_token(struct reader *reader, char *text, size_t word)
{
	pl_grow((void **)&reader->tokens, &reader->room, reader->count + 1,
		sizeof(reader->tokens[0]));
	struct token *token = &reader->tokens[reader->count++];
	*token = (struct token){ .text = text, .word = word };
	return token;
}

/* '_' is '-' in a flag up to its first '.' or '='. */
static char *with_dashes(const char *word)
{
	char *text = pl_strdup(word);

	if (!pl_text_starts(text, "--"))
		return text;
	for (char *at = text + 2; *at != '\0' && *at != '.' && *at != '='; at++) {
		if (*at == '_')
			*at = '-';
	}
	return text;
}

/* The object under `key`, made where there is none. */
static json_t *object_at(json_t *into, const char *key)
{
	json_t *object = json_object_get(into, key);

	if (json_is_object(object))
		return object;
	json_object_set_new(into, key, json_object());
	return json_object_get(into, key);
}

/* "a.b.c" into nested objects; lists that are appended to grow. */
static void put_dotted(json_t *into, char *path, json_t *value)
{
	char *part = strsep(&path, ".");

	while (path != NULL) {
		into = object_at(into, part);
		part = strsep(&path, ".");
	}
	json_t *known = json_object_get(into, part);
	if (json_is_array(known) && json_is_array(value))
		json_array_extend(known, value);
	else
		json_object_set(into, part, value);
}

static int count_parts(const char *path)
{
	int count = 0;

	for (const char *dot = path; dot != NULL; dot = strchr(dot + 1, '.'))
		count++;
	return count;
}

/* "--x.a.b=v", "--x.a v", "--x.a+ v,w"; how many words it takes, 0: it is none of these. */
static size_t read_dotted(struct reader *reader, const char *const *words, size_t count, size_t at)
{
	size_t len = strcspn(words[at], "=");
	bool joined = words[at][len] == '=';
	auto_free char *key = with_dashes(words[at]);

	key[len] = '\0';
	if (!pl_text_starts(key, "--") || strchr(key, '.') == NULL || (!joined && at + 1 == count))
		return 0;
	const char *text = joined ? words[at] + len + 1 : words[at + 1];
	bool appends = key[len - 1] == '+';
	if (appends)
		key[len - 1] = '\0';
	auto_json json_t *value = appends ? option_dotted_list(text) : option_dotted_value(text);
	if (value == NULL) {
		vllm_bench_fault_add(reader->line, at,
				     pl_asprintf("argument %s: found %s, which JSON does not have",
						 key, option_json_excess(text)),
				     NULL);
		return joined ? 1 : 2;
	}
	char *path = strchr(key, '.');
	if (count_parts(path) > DOTTED_DEPTH_MAX) {
		vllm_bench_fault_add(
			reader->line, at,
			pl_asprintf(
				"argument %.200s: found a key of many parts, expected at most %d",
				key, DOTTED_DEPTH_MAX),
			NULL);
		return joined ? 1 : 2;
	}
	*path++ = '\0';
	put_dotted(object_at(reader->dotted, key), path, value);
	return joined ? 1 : 2;
}

/* Dotted keys become "--x JSON" behind all the rest, as vLLM has it. */
static void make_tokens(struct reader *reader, const char *const *words, size_t count)
{
	const char *flag;
	json_t *object;

	for (size_t i = 0; i < count;) {
		size_t used = read_dotted(reader, words, count, i);
		if (used == 0)
			add_token(reader, with_dashes(words[i]), i);
		i += used > 0 ? used : 1;
	}
	json_object_foreach(reader->dotted, flag, object)
	{
		add_token(reader, pl_strdup(flag), count);
		add_token(reader, pl_json_to_text(object, PL_JSON_PYTHON), count);
	}
}

static const struct option *find_exact(const struct reader *reader, const char *text, size_t len)
{
	for (size_t i = 0; i < reader->option_count; i++) {
		const struct option *option = &reader->options[i];
		if (strlen(option->flag) == len && strncmp(option->flag, text, len) == 0)
			return option;
	}
	return NULL;
}

static const char *hint_of(const char *text)
{
	auto_free char *flag = pl_strndup(text, strcspn(text, "="));

#define OLD(old, hint)              \
	if (strcmp(flag, old) == 0) \
		return hint;
#define CLIENT(other, verdict, hint) OLD(other, hint)
#include "tbl/bench_line.h"
	return NULL;
}

/* More than one option begins so. */
static void tell_ambiguous(struct reader *reader, struct token *token, size_t len)
{
	auto_buf text = { 0 };
	const char *comma = "";

	pl_buf_init(&text, HINTS_BYTES_MAX);
	pl_buf_addf(&text, "ambiguous option: %s could match ", token->text);
	for (size_t i = 0; i < reader->option_count; i++) {
		const struct option *option = &reader->options[i];
		if (option->exact || strncmp(option->flag, token->text, len) != 0)
			continue;
		pl_buf_addf(&text, "%s%s", comma, option->flag);
		comma = ", ";
	}
	vllm_bench_fault_add(reader->line, token->word, pl_strdup(pl_buf_text(&text)),
			     hint_of(token->text));
	token->refused = true;
}

/* "-1", "-.5": a value, as no option looks like a number; "-1e3" and "-5." are options to Python
 * 3.12. */
static bool is_negative_number(const char *text)
{
	size_t whole = strspn(text + 1, "0123456789");
	const char *rest = text + 1 + whole;
	size_t part = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;

	return *rest == '\0' ? whole > 0 : part > 0 && rest[1 + part] == '\0';
}

static void classify(struct reader *reader, struct token *token)
{
	const char *text = token->text;
	size_t len = strcspn(text, "=");
	size_t found = 0;

	if (text[0] != '-' || text[1] == '\0' || is_negative_number(text))
		return;
	token->is_option = true;
	token->option = find_exact(reader, text, len);
	token->joined = text[len] == '=' ? text + len + 1 : NULL;
	if (token->option != NULL)
		return;
	for (size_t i = 0; i < reader->option_count && text[1] == '-'; i++) {
		const struct option *option = &reader->options[i];
		if (option->exact || strncmp(option->flag, text, len) != 0)
			continue;
		token->option = option;
		found++;
	}
	if (found > 1) {
		token->option = NULL;
		tell_ambiguous(reader, token, len);
	}
	/* a text with a blank that begins with a dash is a value */
	token->is_option = found > 0 || strchr(text, ' ') == NULL;
}

/* Words behind "--" are no options. */
static void classify_all(struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++) {
		if (strcmp(reader->tokens[i].text, "--") == 0)
			return;
		classify(reader, &reader->tokens[i]);
	}
}

static size_t words_behind(const struct reader *reader, size_t at)
{
	size_t end = at + 1;

	while (end < reader->count && !reader->tokens[end].is_option &&
	       strcmp(reader->tokens[end].text, "--") != 0)
		end++;
	return end - at - 1;
}

static void value_fault(struct reader *reader, const struct token *token, const char *what)
{
	const struct option *option = token->option;
	bool both = option->own == NULL && vllm_bench_row(option->id)->type == OPTION_TRI;
	auto_free char *name = both ? vllm_bench_flag_of(option->id) : pl_strdup(option->flag);

	vllm_bench_fault_add(reader->line, token->word,
			     both ? pl_asprintf("argument %s/--no-%s: %s", name, name + 2, what)
				  : pl_asprintf("argument %s: %s", name, what),
			     NULL);
}

static const char *nearest_flag(const struct reader *reader, const char *text, size_t len)
{
	const char **names = pl_alloc_array(reader->option_count + 1, sizeof(*names));
	auto_free char *name = pl_strndup(text, len);
	const char *nearest;

	for (size_t i = 0; i < reader->option_count; i++)
		names[i] = reader->options[i].flag;
	nearest = pl_text_nearest(name, names, reader->option_count);
	free(names);
	return nearest;
}

static bool takes_value(const struct option *option)
{
	if (option->own != NULL)
		return option->own->takes_value;
	enum option_type type = vllm_bench_row(option->id)->type;
	return type != OPTION_BOOL && type != OPTION_TRI;
}

static bool names_model(const struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct option *option = reader->tokens[i].option;
		if (option != NULL && option->id == VLLM_BENCH_model)
			return true;
	}
	return false;
}

/* A word that belongs to no flag: a switch's value, or the model as vLLM's other commands take
 * it. */
static void hint_at_word(struct reader *reader, size_t at)
{
	const struct option *before = at > 0 ? reader->tokens[at - 1].option : NULL;
	const char *comma = reader->hints.len > 0 ? "; " : "";
	const char *text = reader->tokens[at].text;

	if (before != NULL && !takes_value(before))
		pl_buf_addf(&reader->hints, "%s%s takes no value: leave out '%.100s'", comma,
			    before->flag, text);
	else if (!reader->behind_unknown && !names_model(reader))
		pl_buf_addf(&reader->hints, "%sif it is the model: --model %.100s", comma, text);
}

/* vLLM tells all of these together, behind everything else. */
static void take_unknown(struct reader *reader, size_t at)
{
	const struct token *token = &reader->tokens[at];
	const char *hint = hint_of(token->text);
	size_t len = strcspn(token->text, "=");

	/* told already, and the word behind is its value */
	if (token->refused || (!token->is_option && at > 0 && reader->tokens[at - 1].refused))
		return;
	if (!reader->has_unknown)
		reader->first_unknown = token->word;
	reader->has_unknown = true;
	pl_buf_addf(&reader->unknown, " %s", token->text);
	const char *comma = reader->hints.len > 0 ? "; " : "";
	if (hint != NULL) {
		pl_buf_addf(&reader->hints, "%s%.*s: %s", comma, (int)len, token->text, hint);
	} else if (token->is_option && pl_text_starts(token->text, "--")) {
		const char *nearest = nearest_flag(reader, token->text, len);
		if (nearest != NULL)
			pl_buf_addf(&reader->hints, "%s%.*s: did you mean %s?", comma, (int)len,
				    token->text, nearest);
	} else if (!token->is_option && strcmp(token->text, "--") != 0) {
		hint_at_word(reader, at);
	}
	reader->behind_unknown = true;
}

static void set_option(struct reader *reader, enum vllm_bench_id id, json_t *value)
{
	struct vllm_bench_line *line = reader->line;

	if (value == NULL)
		return;
	vllm_bench_set(&line->bench, id, value);
	line->given[id] = true;
	json_object_set_new(line->set, vllm_bench_row(id)->name, value);
}

static void take_switch(struct reader *reader, const struct token *token)
{
	const struct option *option = token->option;

	if (token->joined != NULL) {
		auto_free char *value = vllm_bench_repr(token->joined);
		auto_free char *text = pl_asprintf("ignored explicit argument %s", value);
		value_fault(reader, token, text);
		return;
	}
	if (option->own != NULL)
		json_object_set_new(reader->line->flags, option->flag, json_true());
	else
		set_option(reader, option->id, json_boolean(!option->negative));
}

/* How many words behind the flag it takes; those joined to it are one. */
static size_t take_values(struct reader *reader, size_t at)
{
	const struct token *token = &reader->tokens[at];
	const struct option *option = token->option;
	int least = option->own != NULL ? -1 : vllm_bench_words_least(option->id);
	size_t behind = words_behind(reader, at);
	size_t count = token->joined != NULL ? 1 : least >= 0 ? behind : behind > 0 ? 1 : 0;
	auto_free const char **texts = pl_alloc_array(count + 1, sizeof(*texts));

	if (count == 0 && least != 0) {
		value_fault(reader, token,
			    least > 0 ? "expected at least one argument" : "expected one argument");
		return 0;
	}
	for (size_t i = 0; i < count; i++)
		texts[i] = token->joined != NULL ? token->joined : reader->tokens[at + 1 + i].text;
	if (option->own != NULL)
		json_object_set_new(reader->line->flags, option->flag, json_string(texts[0]));
	else
		set_option(
			reader, option->id,
			vllm_bench_value_read(reader->line, option->id, token->word, texts, count));
	return token->joined != NULL ? 0 : count;
}

static void consume(struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct token *token = &reader->tokens[i];
		if (token->option == NULL) {
			take_unknown(reader, i);
			continue;
		}
		reader->behind_unknown = false;
		if (takes_value(token->option))
			i += take_values(reader, i);
		else
			take_switch(reader, token);
	}
	if (!reader->has_unknown)
		return;
	vllm_bench_fault_add(
		reader->line, reader->first_unknown,
		pl_asprintf("unrecognized arguments:%s", pl_buf_text(&reader->unknown)),
		reader->hints.len > 0 ? pl_buf_text(&reader->hints) : NULL);
}

/* False with a fault for each word that is no text. */
static bool are_texts(struct vllm_bench_line *line, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!pl_text_is_utf8(words[i]))
			vllm_bench_fault_add(line, i,
					     pl_asprintf("word %zu: found bytes that are no UTF-8, "
							 "expected a text",
							 i + 1),
					     NULL);
	}
	return line->fault_count == 0;
}

static void set_defaults(struct vllm_bench_line *line)
{
	vllm_bench_init(&line->bench);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		if (row->serve_default == NULL)
			continue;
		auto_json json_t *value = json_loads(row->serve_default, JSON_DECODE_ANY, NULL);
		vllm_bench_set(&line->bench, (enum vllm_bench_id)i, value);
	}
}

void vllm_bench_line_read(const char *const *words, size_t count, const struct vllm_bench_flag *own,
			  struct vllm_bench_line *ret)
{
	struct reader reader = { .line = ret, .dotted = json_object() };

	*ret = (struct vllm_bench_line){ .set = json_object(), .flags = json_object() };
	pl_buf_init(&reader.unknown, 1u << 20);
	pl_buf_init(&reader.hints, HINTS_BYTES_MAX);
	set_defaults(ret);
	if (are_texts(ret, words, count)) {
		fill_options(&reader, own);
		make_tokens(&reader, words, count);
		classify_all(&reader);
		consume(&reader);
	}
	for (size_t i = 0; i < reader.option_count; i++)
		free(reader.options[i].flag);
	for (size_t i = 0; i < reader.count; i++)
		free(reader.tokens[i].text);
	free(reader.options);
	free(reader.tokens);
	json_decref(reader.dotted);
	pl_buf_done(&reader.unknown);
	pl_buf_done(&reader.hints);
}

void vllm_bench_line_done(struct vllm_bench_line *line)
{
	vllm_bench_done(&line->bench);
	json_decref(line->set);
	json_decref(line->flags);
	for (size_t i = 0; i < line->fault_count; i++) {
		free(line->faults[i].text);
		free(line->faults[i].hint);
	}
	free(line->faults);
	*line = (struct vllm_bench_line){ 0 };
}
