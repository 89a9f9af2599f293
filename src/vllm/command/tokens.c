/* The words as vLLM's parser sees them before it looks for its options. */
#include "vllm/command/command_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "option/dotted.h"

enum { DOTTED_DEPTH_MAX = 32 };

struct vllm_token *vllm_token_add(struct vllm_parse *parse, const char *text, const char *source,
				  int line, int column)
{
	pl_grow((void **)&parse->tokens, &parse->room, parse->count + 1, sizeof(parse->tokens[0]));
	struct vllm_token *token = &parse->tokens[parse->count++];
	*token = (struct vllm_token){
		.text = pl_strdup(text),
		.written = pl_strdup(text),
		.source = pl_strdup(source),
		.line = line,
		.column = column,
	};
	return token;
}

static void token_done(struct vllm_token *token)
{
	free(token->text);
	free(token->written);
	free(token->source);
}

static void set_text(struct vllm_token *token, char *text)
{
	free(token->text);
	token->text = text;
}

static void drop_tokens(struct vllm_parse *parse, size_t at, size_t count)
{
	for (size_t i = at; i < at + count; i++)
		token_done(&parse->tokens[i]);
	memmove(&parse->tokens[at], &parse->tokens[at + count],
		(parse->count - at - count) * sizeof(parse->tokens[0]));
	parse->count -= count;
}

/* Moves the token at `from` to `to`, which is before it. */
static void move_token(struct vllm_parse *parse, size_t from, size_t to)
{
	struct vllm_token token = parse->tokens[from];

	memmove(&parse->tokens[to + 1], &parse->tokens[to], (from - to) * sizeof(parse->tokens[0]));
	parse->tokens[to] = token;
}

/* The first "--model X" or "--model=X" becomes the positional model in front. */
static void move_model(struct vllm_parse *parse)
{
	for (size_t i = 0; i < parse->count; i++) {
		struct vllm_token *token = &parse->tokens[i];
		bool joined = pl_text_starts(token->text, "--model=") && token->text[8] != '\0';
		if (!joined && strcmp(token->text, "--model") != 0)
			continue;
		if (joined) {
			set_text(token, pl_strdup(token->text + strlen("--model=")));
			move_token(parse, i, 0);
		} else if (i + 1 < parse->count) {
			drop_tokens(parse, i, 1);
			move_token(parse, i, 0);
		}
		return;
	}
}

/* Moves the tokens from `from` on to `to`, which is before them. */
static void move_tail(struct vllm_parse *parse, size_t from, size_t to)
{
	size_t count = parse->count - from;
	auto_free struct vllm_token *tail = pl_alloc_array(count + 1, sizeof(*tail));

	memcpy(tail, &parse->tokens[from], count * sizeof(*tail));
	memmove(&parse->tokens[to + count], &parse->tokens[to], (from - to) * sizeof(*tail));
	memcpy(&parse->tokens[to], tail, count * sizeof(*tail));
}

/* Puts the words of --config FILE where vLLM puts them: behind a model that comes first, before
 * everything else, so that the command line wins. */
static void read_config(struct vllm_parse *parse)
{
	size_t at = 0;

	while (at < parse->count && strcmp(parse->tokens[at].text, "--config") != 0)
		at++;
	if (at + 1 >= parse->count)
		return;
	free(parse->command->config);
	parse->command->config = pl_strdup(parse->tokens[at + 1].text);
	struct vllm_token file = parse->tokens[at + 1];
	struct vllm_token flag = parse->tokens[at];
	memmove(&parse->tokens[at], &parse->tokens[at + 2],
		(parse->count - at - 2) * sizeof(parse->tokens[0]));
	parse->count -= 2;
	size_t before = parse->count;
	size_t to = before > 0 && parse->tokens[0].text[0] != '-';
	if (vllm_command_config(parse, &file, file.text))
		move_tail(parse, before, to);
	token_done(&file);
	token_done(&flag);
}

/* '_' is '-' in a flag up to its first '.' or '='. */
static void turn_underscores(struct vllm_token *token)
{
	if (!pl_text_starts(token->text, "--"))
		return;
	for (char *at = token->text + 2; *at != '\0' && *at != '.' && *at != '='; at++) {
		if (*at == '_')
			*at = '-';
	}
}

static bool is_since(const struct vllm_parse *parse, const char *release)
{
	struct vllm_version since = { 0 };
	struct pl_err err = PL_ERR_INIT;

	return !parse->target_known || vllm_version_parse(release, &since, &err) < 0 ||
	       vllm_version_compare(&parse->target, &since) >= 0;
}

/* Releases before optimization levels: -O3 and -O.key=value are about compilation_config. */
static bool has_optimization_level(const struct vllm_parse *parse)
{
	return is_since(parse, "0.12.0");
}

/* What -O3 sets there. */
static const char *compilation_mode(const struct vllm_parse *parse)
{
	return is_since(parse, "0.11.1") ? "mode" : "level";
}

static char *optimization_text(const struct vllm_parse *parse, const char *word, const char *next)
{
	bool digit = next != NULL && strlen(next) == 1 && next[0] >= '0' && next[0] <= '3';
	const char *rest = word + 2;

	if (strcmp(word, "-O") == 0 && !digit)
		return NULL;
	if (!has_optimization_level(parse)) {
		if (*rest == '.')
			return pl_asprintf("--compilation-config%s", rest);
		if (*rest == '\0')
			return pl_asprintf("--compilation-config.%s", compilation_mode(parse));
		return pl_asprintf("--compilation-config.%s=%s", compilation_mode(parse),
				   rest + (*rest == '='));
	}
	if (*rest == '\0')
		return pl_strdup("--optimization-level");
	return pl_asprintf("--optimization-level=%s", rest + (*rest == '='));
}

static void turn_flags(struct vllm_parse *parse)
{
	for (size_t i = 0; i < parse->count; i++) {
		struct vllm_token *token = &parse->tokens[i];
		const char *next = i + 1 < parse->count ? parse->tokens[i + 1].text : NULL;
		turn_underscores(token);
		if (!pl_text_starts(token->text, "-O"))
			continue;
		char *text = optimization_text(parse, token->text, next);
		if (text != NULL)
			set_text(token, text);
	}
}

/* Objects are merged, lists joined, anything else is replaced. */
static void merge(json_t *into, const char *key, json_t *value)
{
	json_t *known = json_object_get(into, key);
	const char *name;
	json_t *member;

	if (json_is_object(known) && json_is_object(value)) {
		json_object_foreach(value, name, member) merge(known, name, member);
	} else if (json_is_array(known) && json_is_array(value)) {
		json_array_extend(known, value);
	} else {
		json_object_set(into, key, value);
	}
}

static struct vllm_dotted_arg *dotted_arg(struct vllm_parse *parse, const char *flag, size_t token)
{
	for (size_t i = 0; i < parse->dotted_count; i++) {
		if (strcmp(parse->dotted[i].flag, flag) == 0)
			return &parse->dotted[i];
	}
	const char *written = parse->tokens[token].written;
	pl_grow((void **)&parse->dotted, &parse->dotted_room, parse->dotted_count + 1,
		sizeof(parse->dotted[0]));
	struct vllm_dotted_arg *arg = &parse->dotted[parse->dotted_count++];
	*arg = (struct vllm_dotted_arg){
		.flag = pl_strdup(flag),
		/* "-O.mode" was written for another flag */
		.written = pl_text_starts(written, "-O")
				   ? pl_strdup(flag)
				   : pl_strndup(written, strcspn(written, ".=")),
		.token = token,
		.object = json_object(),
	};
	return arg;
}

/* Puts value under the path into the argument's object. */
static void put_dotted(struct vllm_parse *parse, size_t token, char *key, json_t *value)
{
	char *path = strchr(key, '.');
	char *parts[DOTTED_DEPTH_MAX];
	size_t count = 0;

	*path++ = '\0';
	struct vllm_dotted_arg *arg = dotted_arg(parse, key, token);
	pl_grow((void **)&arg->keys, &arg->room, arg->count + 1, sizeof(arg->keys[0]));
	arg->keys[arg->count++] = (struct vllm_dotted){
		.path = pl_strdup(path),
		.line = parse->tokens[token].line,
		.column = parse->tokens[token].column,
	};
	char *rest = path;
	for (; rest != NULL && count < DOTTED_DEPTH_MAX; count++)
		parts[count] = strsep(&rest, ".");
	if (rest != NULL)
		vllm_parse_add(parse, OPTION_ERROR, &parse->tokens[token], NULL,
			       "a key that is not nested as deep", NULL);
	json_t *nested = json_incref(value);
	for (size_t i = count; i-- > 1;) {
		json_t *outer = json_object();
		json_object_set_new(outer, parts[i], nested);
		nested = outer;
	}
	merge(arg->object, parts[0], nested);
	json_decref(nested);
}

/* "--x.a.b=v", "--x.a v", "--x.a+=v,w"; how many tokens it takes, 0: no dotted key. */
static size_t read_dotted(struct vllm_parse *parse, size_t at)
{
	const struct vllm_token *token = &parse->tokens[at];
	size_t name_len = strcspn(token->text, "=");
	auto_free char *key = pl_strndup(token->text, name_len);
	bool joined = token->text[name_len] == '=';
	const char *text = joined ? token->text + name_len + 1 : NULL;

	if (key[0] != '-' || strchr(key, '.') == NULL)
		return 0;
	if (!joined && at + 1 < parse->count)
		text = parse->tokens[at + 1].text;
	if (text == NULL) {
		vllm_parse_add(parse, OPTION_ERROR, token, "no value", "one behind the flag", NULL);
		return 1;
	}
	bool appends = name_len > 1 && key[name_len - 1] == '+';
	if (appends)
		key[name_len - 1] = '\0';
	auto_json json_t *value = appends ? option_dotted_list(text) : option_dotted_value(text);
	if (value != NULL)
		put_dotted(parse, at, key, value);
	else
		vllm_parse_add(parse, OPTION_ERROR, token, option_json_excess(text),
			       "a finite number, or an integer within 64 bits", NULL);
	return joined ? 1 : 2;
}

/* Takes the dotted keys out and puts "--x JSON" for them at the end. */
static void join_dotted(struct vllm_parse *parse)
{
	auto_free bool *taken = pl_alloc_array(parse->count + 1, sizeof(*taken));
	size_t count = parse->count;
	size_t kept = 0;

	for (size_t i = 0; i < count;) {
		size_t used = read_dotted(parse, i);
		for (size_t j = i; j < i + used; j++)
			taken[j] = true;
		i += used > 0 ? used : 1;
	}
	for (size_t i = 0; i < parse->dotted_count; i++) {
		struct vllm_dotted_arg *arg = &parse->dotted[i];
		const struct vllm_token at = parse->tokens[arg->token];
		auto_free char *source = pl_strdup(at.source);
		auto_free char *json = pl_json_to_text(arg->object, PL_JSON_PYTHON);
		struct vllm_token *flag = vllm_token_add(parse, arg->flag, source, at.line,
							 at.column);
		flag->dotted = i + 1;
		free(flag->written);
		flag->written = pl_strdup(arg->written);
		vllm_token_add(parse, json, source, at.line, at.column)->dotted = i + 1;
	}
	for (size_t i = 0; i < parse->count; i++) {
		if (i < count && taken[i])
			token_done(&parse->tokens[i]);
		else
			parse->tokens[kept++] = parse->tokens[i];
	}
	parse->count = kept;
}

void vllm_command_tokens(struct vllm_parse *parse, size_t first)
{
	const struct vllm_command *command = parse->command;

	for (size_t i = first; i < command->end; i++) {
		const struct vllm_word *word = &command->words.items[i];
		vllm_token_add(parse, word->text, command->source, (int)i + 1, word->column);
	}
	move_model(parse);
	read_config(parse);
	turn_flags(parse);
	join_dotted(parse);
}
