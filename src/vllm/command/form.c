/* Which command of the text starts vLLM, and where its arguments begin. */
#include "vllm/command/command_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define API_SERVER "vllm.entrypoints.openai.api_server"

enum { SHELL_DEPTH_MAX = 4, PYTHON_OPTIONS_MAX = 6 };

/* Programs that run another one, and words of the shell. Those marked leave no trace in how the
 * server starts. */
static const struct {
	const char *name;
	bool dropped;
} wrappers[] = {
	{ "sudo", true },     { "nohup", true },      { "exec", true },
	{ "time", true },     { "setsid", true },     { "command", true },
	{ "env", true },      { "doas", true },       { "do", true },
	{ "then", true },     { "else", true },       { "if", true },
	{ "while", true },    { "until", true },      { "!", true },
	{ "{", true },        { "nice", false },      { "ionice", false },
	{ "stdbuf", false },  { "timeout", false },   { "uv", false },
	{ "uvx", false },     { "numactl", false },   { "taskset", false },
	{ "conda", false },   { "mamba", false },     { "poetry", false },
	{ "pixi", false },    { "srun", false },      { "nsys", false },
	{ "ncu", false },     { "torchrun", false },  { "xvfb-run", false },
	{ "strace", false },  { "chrt", false },      { "micromamba", false },
	{ "mpirun", false },  { "mpiexec", false },   { "screen", false },
	{ "kubectl", false }, { "apptainer", false }, { "singularity", false },
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static const char *word_at(const struct vllm_parse *parse, size_t i)
{
	return parse->command->words.items[i].text;
}

static bool is_python(const char *word)
{
	return pl_text_starts(base_name(word), "python");
}

static bool is_runtime(const char *word)
{
	const char *name = base_name(word);

	return strcmp(name, "docker") == 0 || strcmp(name, "podman") == 0 ||
	       strcmp(name, "nerdctl") == 0;
}

static bool is_shell(const char *word)
{
	const char *name = base_name(word);

	return strcmp(name, "bash") == 0 || strcmp(name, "sh") == 0 || strcmp(name, "zsh") == 0;
}

/* "docker exec CONTAINER", "docker compose exec SERVICE" */
static bool runs_inside(const struct vllm_parse *parse, size_t at, size_t end)
{
	return is_runtime(word_at(parse, at)) && at + 1 < end &&
	       (strcmp(word_at(parse, at + 1), "exec") == 0 ||
		strcmp(word_at(parse, at + 1), "compose") == 0);
}

/* -1: no wrapper; else whether it is dropped. */
static int find_wrapper(const struct vllm_parse *parse, size_t at, size_t end)
{
	const char *name = base_name(word_at(parse, at));

	for (size_t i = 0; i < PL_ARRAY_SIZE(wrappers); i++) {
		if (strcmp(name, wrappers[i].name) == 0)
			return wrappers[i].dropped;
	}
	return runs_inside(parse, at, end) ? 0 : -1;
}

static void add_problem(struct vllm_parse *parse, enum option_severity severity, size_t word,
			const char *found, const char *expected, const char *nearest)
{
	const struct vllm_words *words = &parse->command->words;
	bool placed = word < words->count;

	option_problems_add(parse->problems,
			    &(struct option_problem){
				    .severity = severity,
				    .source = parse->command->source,
				    .line = placed ? (int)word + 1 : 0,
				    .column = placed ? words->items[word].column : 0,
				    .found = found,
				    .expected = expected,
				    .nearest = nearest,
			    });
}

static void put_launch(struct vllm_parse *parse, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		json_array_append_new(parse->command->launch, json_string(word_at(parse, i)));
}

/* "vllm serve": the first argument; 0: it is something else. */
static size_t after_serve(struct vllm_parse *parse, size_t at, size_t end)
{
	if (at + 1 < end && strcmp(word_at(parse, at + 1), "serve") == 0)
		return at + 2;
	return 0;
}

/* "python -m MODULE" or "python …/api_server.py" */
static size_t after_module(struct vllm_parse *parse, size_t at, size_t end,
			   enum vllm_command_form *ret_form)
{
	for (size_t i = at + 1; i < end && i <= at + PYTHON_OPTIONS_MAX; i++) {
		const char *word = word_at(parse, i);
		const char *module = strcmp(word, "-m") == 0 && i + 1 < end ? word_at(parse, i + 1)
									    : "";
		*ret_form = VLLM_COMMAND_MODULE;
		if (strcmp(module, API_SERVER) == 0)
			return i + 2;
		if (pl_text_ends(word, "vllm/entrypoints/openai/api_server.py"))
			return i + 1;
		*ret_form = VLLM_COMMAND_SERVE;
		if (strcmp(module, "vllm") == 0 || strcmp(module, "vllm.entrypoints.cli.main") == 0)
			return after_serve(parse, i + 1, end);
		if (word[0] != '-' && strcmp(base_name(word), "vllm") == 0)
			return after_serve(parse, i, end);
		if (module[0] != '\0')
			return 0;
	}
	return 0;
}

static void take_env(struct vllm_parse *parse, const char *word)
{
	size_t len = vllm_word_name_len(word);
	auto_free char *name = pl_strndup(word, len);

	json_object_set_new(parse->command->env, name, json_string(word + len + 1));
}

static bool is_shell_text_flag(const char *word)
{
	static const char *const flags[] = { "-c", "-lc", "-ec", "-xc", "-exc", "-euxc" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(flags); i++) {
		if (strcmp(word, flags[i]) == 0)
			return true;
	}
	return false;
}

/* Splits the text of "bash -c 'text'" into words of the same place, put behind all others; `at` is
 * the word before the shell's options. False when it is something else. */
static bool open_shell(struct vllm_parse *parse, size_t at, size_t end, size_t *ret_first,
		       size_t *ret_end)
{
	struct vllm_words *words = &parse->command->words;
	size_t i = at + 1;
	auto_words inner = { 0 };
	struct pl_err err = PL_ERR_INIT;

	while (i < end && word_at(parse, i)[0] == '-' && !is_shell_text_flag(word_at(parse, i)))
		i++;
	if (i + 1 >= end || word_at(parse, i)[0] != '-')
		return false;
	const char *text = word_at(parse, i + 1);
	int line = words->items[i + 1].line;
	int column = words->items[i + 1].column;
	if (vllm_words_split(text, strlen(text), parse->command->source, &inner, parse->problems,
			     &err) < 0)
		return false;
	*ret_first = words->count;
	for (size_t j = 0; j < inner.count; j++)
		(void)vllm_words_add(words, inner.items[j].text, line, column,
				     words->commands + inner.items[j].command);
	words->commands += inner.commands;
	json_object_update(words->exported, inner.exported);
	*ret_end = words->count;
	return *ret_end > *ret_first;
}

static bool recognise_any(struct vllm_parse *parse, size_t from, size_t end, int depth,
			  size_t *ret_first);

/* Words behind an image that are no arguments of vLLM yet: "serve", "-m MODULE" (behind another
 * entry point), "vllm serve", "bash -c …". False: they are arguments. */
static bool recognise_inside(struct vllm_parse *parse, size_t at, size_t end, int depth,
			     size_t *ret_first)
{
	const char *word = word_at(parse, at);
	size_t from;
	size_t inner_end;

	if (strcmp(word, "serve") == 0) {
		*ret_first = at + 1;
		return true;
	}
	if (strcmp(word, "-m") == 0 && at + 1 < end &&
	    strcmp(word_at(parse, at + 1), API_SERVER) == 0) {
		*ret_first = at + 2;
		return true;
	}
	if (is_shell_text_flag(word))
		return depth < SHELL_DEPTH_MAX &&
		       open_shell(parse, at - 1, end, &from, &inner_end) &&
		       recognise_any(parse, from, inner_end, depth + 1, ret_first);
	return word[0] != '-' && recognise_any(parse, at, end, depth + 1, ret_first);
}

static bool recognise_container(struct vllm_parse *parse, size_t at, size_t end, int depth,
				size_t *ret_first)
{
	struct vllm_command *command = parse->command;
	size_t after;

	if (depth >= SHELL_DEPTH_MAX || !vllm_command_container(parse, at, end, &after))
		return false;
	command->end = end;
	if (after == end || !recognise_inside(parse, after, end, depth, ret_first))
		*ret_first = after;
	command->form = VLLM_COMMAND_CONTAINER;
	json_array_clear(command->launch);
	json_array_append_new(command->launch, json_string("vllm"));
	json_array_append_new(command->launch, json_string("serve"));
	return true;
}

/* The words from `at`, which is no assignment and no wrapper. */
static bool recognise_program(struct vllm_parse *parse, size_t kept, size_t at, size_t end,
			      int depth, size_t *ret_first)
{
	const char *word = word_at(parse, at);
	enum vllm_command_form form = VLLM_COMMAND_SERVE;
	size_t first = 0;

	if (is_runtime(word))
		return recognise_container(parse, at, end, depth, ret_first);
	if (is_shell(word)) {
		size_t from;
		size_t inner_end;
		return depth < SHELL_DEPTH_MAX && open_shell(parse, at, end, &from, &inner_end) &&
		       recognise_any(parse, from, inner_end, depth + 1, ret_first);
	}
	if (strcmp(base_name(word), "vllm") == 0)
		first = after_serve(parse, at, end);
	else if (is_python(word))
		first = after_module(parse, at, end, &form);
	if (first == 0)
		return false;
	json_array_clear(parse->command->launch);
	put_launch(parse, kept, first);
	parse->command->form = form;
	parse->command->end = end;
	*ret_first = first;
	return true;
}

static bool is_program(const char *word)
{
	return is_runtime(word) || is_shell(word) || is_python(word) ||
	       strcmp(base_name(word), "vllm") == 0;
}

/* One command: assignments, wrappers with their own options, then the program. */
static bool recognise(struct vllm_parse *parse, size_t from, size_t end, int depth,
		      size_t *ret_first)
{
	size_t at = from;
	size_t kept = end;
	bool wrapped = false;

	/* the prompt that was copied with the line */
	if (at < end &&
	    (strcmp(word_at(parse, at), "$") == 0 || strcmp(word_at(parse, at), "%") == 0))
		at++;
	for (; at < end; at++) {
		const char *word = word_at(parse, at);
		int wrapper = find_wrapper(parse, at, end);
		if (wrapper == 0 && kept == end)
			kept = at;
		if (wrapper < 0 && is_program(word) &&
		    recognise_program(parse, kept < at ? kept : at, at, end, depth, ret_first))
			break;
		wrapped |= wrapper >= 0;
		if (!wrapped && vllm_word_name_len(word) == 0)
			return false;
	}
	for (size_t i = from; at < end && i < at; i++) {
		if (vllm_word_name_len(word_at(parse, i)) > 0)
			take_env(parse, word_at(parse, i));
	}
	return at < end;
}

/* The first of the commands that starts vLLM. */
static bool recognise_any(struct vllm_parse *parse, size_t from, size_t end, int depth,
			  size_t *ret_first)
{
	size_t at = from;

	while (at < end) {
		size_t next = at;
		size_t command = parse->command->words.items[at].command;
		while (next < end && parse->command->words.items[next].command == command)
			next++;
		if (recognise(parse, at, next, depth, ret_first)) {
			/* "bash -c": the words inside are the command */
			if (*ret_first <= next)
				parse->command->first = at;
			return true;
		}
		at = next;
	}
	return false;
}

static bool is_flag(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* "--model X --port 8": the first command is taken for flags. */
static bool recognise_flags(struct vllm_parse *parse, size_t *ret_first)
{
	struct vllm_command *command = parse->command;
	size_t end = 0;

	if (command->words.count == 0 || !is_flag(word_at(parse, 0)))
		return false;
	while (end < command->words.count &&
	       command->words.items[end].command == command->words.items[0].command)
		end++;
	command->form = VLLM_COMMAND_FLAGS;
	command->end = end;
	json_array_append_new(command->launch, json_string("vllm"));
	json_array_append_new(command->launch, json_string("serve"));
	*ret_first = 0;
	return true;
}

/* What stands in the text besides the command. */
static void note_others(struct vllm_parse *parse)
{
	const struct vllm_command *command = parse->command;
	const struct vllm_words *words = &command->words;

	for (size_t i = command->end; i < words->count; i++) {
		bool begins = words->items[i].command != words->items[i - 1].command;
		if (i == command->end && begins && is_flag(words->items[i].text)) {
			add_problem(parse, OPTION_WARNING, i, "a line that begins with a flag",
				    "a backslash at the end of the line before: "
				    "the command ends there",
				    NULL);
			return;
		}
		if (begins && words->items[i].line >= words->items[command->first].line) {
			add_problem(parse, OPTION_WARNING, i, "another command",
				    "one: this is left out", NULL);
			return;
		}
	}
}

/* Says what is wrong with a text in which nothing starts vLLM. */
static void refuse(struct vllm_parse *parse)
{
	static const char *const expected = "'vllm serve …', 'python -m " API_SERVER
					    " …', 'docker run … IMAGE …' or flags";
	const struct vllm_words *words = &parse->command->words;

	for (size_t i = 0; i + 1 < words->count; i++) {
		if (strcmp(base_name(words->items[i].text), "vllm") == 0) {
			add_problem(parse, OPTION_ERROR, i + 1, words->items[i + 1].text, expected,
				    "serve");
			return;
		}
	}
	add_problem(parse, OPTION_ERROR, 0, words->count == 0 ? "nothing" : words->items[0].text,
		    expected, NULL);
}

bool vllm_command_recognise(struct vllm_parse *parse, size_t *ret_first)
{
	struct vllm_command *command = parse->command;

	if (recognise_any(parse, 0, command->words.count, 0, ret_first) ||
	    recognise_flags(parse, ret_first)) {
		json_object_update_missing(command->env, command->words.exported);
		note_others(parse);
		return true;
	}
	command->end = 0;
	refuse(parse);
	return false;
}
