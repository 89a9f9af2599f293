/* A text, or words that a shell has split, to a command. Which command it is comes first
 * (form.c): the image's tag may name the release, and by the release the arguments are read. */
#include "vllm/command/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/command/command_priv.h"

#define SOURCE "command line"

enum { WORDS_MAX = 20000 };

static struct vllm_command *command_new(const struct vllm_command_options *options)
{
	struct vllm_command *command = pl_alloc(sizeof(*command));

	command->catalog = vllm_catalog_or_reference(options->catalog);
	command->source = pl_strdup(options->source != NULL ? options->source : SOURCE);
	command->values = json_object();
	command->given = json_object();
	command->locations = json_object();
	command->env = json_object();
	command->launch = json_array();
	command->unknown = json_array();
	command->runtime_args = json_array();
	command->load_locations = json_object();
	command->load_env = json_object();
	command->flags = json_object();
	command->form = VLLM_COMMAND_NONE;
	return command;
}

void vllm_command_free(struct vllm_command *command)
{
	if (command == NULL)
		return;
	free(command->source);
	vllm_words_done(&command->words);
	json_decref(command->values);
	json_decref(command->given);
	json_decref(command->locations);
	json_decref(command->env);
	json_decref(command->launch);
	json_decref(command->unknown);
	json_decref(command->runtime_args);
	free(command->runtime);
	free(command->image);
	free(command->version);
	free(command->target);
	free(command->config);
	json_decref(command->load);
	json_decref(command->load_locations);
	json_decref(command->load_env);
	json_decref(command->flags);
	free(command);
}

/*
 * Uses the requested release, otherwise the image's, otherwise the reference. An unknown release
 * uses the reference's catalogue, which this version knows best.
 */
static void set_target(struct vllm_parse *parse, const char *release)
{
	if (release == NULL)
		release = parse->command->version;
	parse->target_known = release != NULL &&
			      vllm_version_parse(release, &parse->target, PL_ERR_IGNORED) == 0;
	if (parse->target_known)
		parse->command->target = pl_strdup(release);
	parse->target_text = parse->target_known ? release : VLLM_REFERENCE_RELEASE;
	if (parse->target_known)
		parse->catalog = vllm_catalog_release(parse->catalog, release);
	parse->command->catalog = parse->catalog;
}

/* Reports a server that vLLM starts but that cannot be measured. */
static void check_headless(struct vllm_parse *parse)
{
	const struct vllm_command *command = parse->command;
	json_int_t word = pl_json_get_i64(command->locations, "headless");

	if (!pl_json_get_true(command->values, "headless") || word < 1)
		return;
	option_problem_report(parse->problems, .severity = OPTION_WARNING,
			      .source = command->source, .line = (int)word,
			      .column = command->words.items[word - 1].column, .key = "--headless",
			      .found = "a server without an API",
			      .expected = "a server with an API");
}

/* `split`: number of the first problem of splitting. False: no part is found. */
static bool parse_words(struct vllm_command *command, const struct vllm_command_options *options,
			const struct vllm_inside *inside, size_t split,
			struct option_problems *problems)
{
	struct vllm_parse parse = { .catalog = vllm_catalog_or_reference(options->catalog),
				    .command = command,
				    .problems = problems,
				    .folder = options->folder,
				    .allow_removed = options->allow_removed,
				    .program_flags = options->program_flags,
				    .inside = inside,
				    .split = split };
	bool found = vllm_command_recognise(&parse);

	if (found)
		set_target(&parse, options->release);
	if (parse.server.found) {
		vllm_command_arguments(&parse);
		check_headless(&parse);
	}
	if (parse.load.found) {
		vllm_command_load(&parse);
		vllm_command_join(&parse);
	}
	option_argv_done(&parse.argv);
	return found;
}

static int check_count(const struct vllm_command *command, struct pl_err *err)
{
	if (command->words.count <= WORDS_MAX)
		return 0;
	return pl_err_invalid(err, "'%s' has more than %d arguments", command->source, WORDS_MAX);
}

static int check_release(const struct vllm_command_options *options, struct pl_err *err)
{
	struct vllm_version version;

	return options->release != NULL ? vllm_version_parse(options->release, &version, err) : 0;
}

/* *ret_found: a command of vLLM's is among them. */
static int parse_text(const char *text, size_t len, bool hash_is_prompt,
		      const struct vllm_command_options *options, struct vllm_command **ret,
		      bool *ret_found, struct option_problems *problems, struct pl_err *err)
{
	auto_command struct vllm_command *command = command_new(options);
	const struct vllm_words_options how = { .source = command->source,
						.hash_is_prompt = hash_is_prompt };
	size_t split = problems->count;

	if (check_release(options, err) < 0 ||
	    vllm_words_split(text, len, &how, &command->words, problems, err) < 0 ||
	    check_count(command, err) < 0)
		return -1;
	*ret_found = parse_words(command, options, NULL, split, problems);
	*ret = pl_take(command);
	return 0;
}

/* "# vllm serve …" is a comment, or a command after root's prompt where no other line is one. */
int vllm_command_parse(const char *text, size_t len, const struct vllm_command_options *options,
		       struct vllm_command **ret, struct option_problems *problems,
		       struct pl_err *err)
{
	auto_command struct vllm_command *command = NULL;
	auto_command struct vllm_command *retry = NULL;
	auto_problems other = { 0 };
	bool found = false, found_second = false;
	size_t before = problems->count;

	if (parse_text(text, len, false, options, &command, &found, problems, err) < 0)
		return -1;
	if (!found && memmem(text, len, "# ", 2) != NULL &&
	    parse_text(text, len, true, options, &retry, &found_second, &other, PL_ERR_IGNORED) ==
		    0 &&
	    found_second) {
		option_problems_truncate(problems, before);
		for (size_t i = 0; i < other.count; i++)
			option_problems_add(problems, &other.items[i]);
		*ret = pl_take(retry);
		return 0;
	}
	*ret = pl_take(command);
	return 0;
}

/* Warns about "$(NAME)", "${NAME}" and "{{ … }}", which other programs replace. */
static void warn_of_unknown(const struct vllm_command *command, struct option_problems *problems)
{
	for (size_t i = 0; i < command->words.count && command->words.items[i].command == 0; i++) {
		const struct vllm_word *word = &command->words.items[i];
		if (!word->unknown)
			continue;
		auto_free char *found = pl_asprintf("text '%.60s'", word->text);
		option_problem_report(
			problems, .severity = OPTION_WARNING, .source = command->source,
			.line = (int)i + 1, .column = word->column, .found = found,
			.expected = "a literal value; another program replaces this text");
	}
}

int vllm_command_from_words(const struct vllm_words *words, const struct vllm_inside *inside,
			    const struct vllm_command_options *options, struct vllm_command **ret,
			    struct option_problems *problems, struct pl_err *err)
{
	auto_command struct vllm_command *command = command_new(options);
	size_t split = problems->count;

	vllm_words_copy(&command->words, words);
	command->words.exported = json_object();
	if (check_release(options, err) < 0 || check_count(command, err) < 0)
		return -1;
	if (inside->image != NULL) {
		command->runtime = pl_strdup(inside->runtime);
		command->image = pl_strdup(inside->image);
		/* the tags of other images are not vLLM's releases */
		if (strstr(inside->image, "vllm") != NULL)
			command->version = vllm_image_release(inside->image);
	}
	PL_JSON_EACH_MEMBER(name, value, inside->env) {
		if (json_is_string(value))
			vllm_words_assign(&command->words, name, json_string_value(value), true);
		json_object_set(command->env, name, (json_t *)value);
	}
	(void)parse_words(command, options, inside, split, problems);
	warn_of_unknown(command, problems);
	*ret = pl_take(command);
	return 0;
}

/*
 * Returns whether each word is a whole quoted command, and so contains a blank: `profllm … 'vllm
 * serve X --port 8' 'vllm bench serve'`. Flags alone count only as a single word.
 */
static bool are_texts(const char *const *argv, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if ((count > 1 && argv[i][0] == '-') || strpbrk(argv[i], " \t\n") == NULL)
			return false;
	}
	return count > 0;
}

/* The texts, one below the other. */
static int parse_texts(const char *const *argv, size_t count,
		       const struct vllm_command_options *options, struct vllm_command **ret,
		       struct option_problems *problems, struct pl_err *err)
{
	auto_buf text = PL_BUF(VLLM_WORDS_BYTES_MAX + 1);

	for (size_t i = 0; i < count; i++)
		pl_buf_addf(&text, "%s%s", i > 0 ? "\n" : "", argv[i]);
	return vllm_command_parse(pl_buf_text(&text), text.len, options, ret, problems, err);
}

/* Returns whether the word is an operator of the shell that was quoted. */
static bool is_operator(const char *word)
{
	static const char *const operators[] = { "&&", "||", "&", ";", "|" };

	return PL_TEXT_IS_ONE_OF(word, operators);
}

/* The words, and the line that their columns count in. Columns count in the line as a shell
 * would have it typed, quotes and all: that is the line that is shown. */
static int add_words(struct vllm_command *command, const char *const *argv, size_t count,
		     struct pl_err *err)
{
	struct vllm_words *words = &command->words;
	auto_buf line = PL_BUF(VLLM_WORDS_BYTES_MAX);
	bool ended = true;

	for (size_t i = 0; i < count; i++) {
		size_t column = line.len + 1;
		vllm_word_quote(argv[i], &line);
		if (!pl_buf_add_char(&line, ' '))
			return pl_err_invalid(err, "'%s' is longer than %u bytes", command->source,
					      VLLM_WORDS_BYTES_MAX);
		if (is_operator(argv[i])) {
			ended = true;
			continue;
		}
		words->commands += ended;
		ended = false;
		if (!vllm_words_add(words, argv[i], 1, (int)column, words->commands - 1))
			return pl_err_invalid(err, "'%s': argument %zu is not valid UTF-8",
					      command->source, i + 1);
	}
	return check_count(command, err);
}

int vllm_command_from_argv(const char *const *argv, size_t count,
			   const struct vllm_command_options *options, struct vllm_command **ret,
			   struct option_problems *problems, struct pl_err *err)
{
	auto_command struct vllm_command *command = command_new(options);

	if (are_texts(argv, count))
		return parse_texts(argv, count, options, ret, problems, err);
	if (check_release(options, err) < 0 || add_words(command, argv, count, err) < 0)
		return -1;
	command->words.exported = json_object();
	(void)parse_words(command, options, NULL, problems->count, problems);
	*ret = pl_take(command);
	return 0;
}
