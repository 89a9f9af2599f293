/*
 * Which commands of the text start vLLM's server and send load to it, and where their arguments
 * begin: the first of each kind counts. The ways into a command:
 *
 *   recognise_any       each command of the text
 *     recognise         "A=1 nohup numactl -N 0 PROGRAM …": assignments, wrappers, the program
 *       container       after its image: recognise_any again, one deeper
 *       bash -c '…'     its words, appended to all others: recognise_any again, one deeper
 *       program         a server, a load, or a benchmark that is not here yet
 */
#include "vllm/command/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { SHELL_DEPTH_MAX = 4 };

static const char *word_at(const struct vllm_parse *parse, size_t i)
{
	return parse->command->words.items[i].text;
}

static void add_problem(struct vllm_parse *parse, enum option_severity severity, size_t word,
			const char *found, const char *expected, const char *nearest)
{
	const struct vllm_words *words = &parse->command->words;
	bool placed = word < words->count;

	option_problem_report(parse->problems, .severity = severity,
			      .source = parse->command->source, .line = placed ? (int)word + 1 : 0,
			      .column = placed ? words->items[word].column : 0, .found = found,
			      .expected = expected, .nearest = nearest);
}

static void take_env(json_t *env, const char *word)
{
	size_t len = vllm_word_name_len(word);
	auto_free char *name = pl_strndup(word, len);

	json_object_set_new(env, name, json_string(word + len + 1));
}

/* A range of words. */
struct range {
	size_t first;
	size_t end;
};

/* Locations of the bytes of a word from `offset` on. */
static void marks_of(const struct vllm_word *word, size_t offset, struct vllm_marks *ret)
{
	struct vllm_mark first = { .line = word->line, .column = word->column + (int)offset };

	(void)vllm_marks_find(&word->marks, offset, &first.line, &first.column);
	*PL_PUSH(ret->items, ret->count, ret->room) = first;
	for (size_t i = 0; i < word->marks.count; i++) {
		struct vllm_mark mark = word->marks.items[i];
		if (mark.offset <= offset)
			continue;
		mark.offset -= offset;
		*PL_PUSH(ret->items, ret->count, ret->room) = mark;
	}
}

/*
 * Splits a text that another command runs, and appends its words after all others, so that the
 * numbers of the words before them hold: a part is a range of numbers. False: it has no words.
 */
static bool open_text(struct vllm_parse *parse, const char *text, const struct vllm_marks *marks,
		      bool inherits_all, struct range *ret)
{
	struct vllm_words *words = &parse->command->words;
	const struct vllm_words_options how = { .source = parse->command->source,
						.origin = marks,
						.first_number = words->count };
	auto_words inner = { 0 };

	vllm_words_inherit(&inner, words, !inherits_all);
	if (vllm_words_split(text, strlen(text), &how, &inner, parse->problems, PL_ERR_IGNORED) < 0)
		return false;
	ret->first = words->count;
	vllm_words_append(words, &inner);
	ret->end = words->count;
	return ret->end > ret->first;
}

static bool recognise_any(struct vllm_parse *parse, size_t from, size_t end, int depth);

/* Reads a text that a command runs; its words and problems go where it has no part. */
static bool recognise_text(struct vllm_parse *parse, const char *text,
			   const struct vllm_marks *marks, bool inherits_all, int depth)
{
	struct vllm_words *words = &parse->command->words;
	size_t count = words->count;
	size_t problems = parse->problems->count;
	struct range range;

	if (depth >= SHELL_DEPTH_MAX)
		return false;
	if (open_text(parse, text, marks, inherits_all, &range) &&
	    recognise_any(parse, range.first, range.end, depth + 1))
		return true;
	if (parse->later == 0) {
		vllm_words_truncate(words, count);
		option_problems_truncate(parse->problems, problems);
	}
	return false;
}

/*
 * Parses the text in the word at `at`, from `offset` on. A program that types it into a terminal
 * ends it with a key: "\n", "^M".
 */
static bool recognise_word(struct vllm_parse *parse, size_t at, size_t offset, int depth)
{
	static const char *const keys[] = { "\\n", "\\r", "^M", "\\015", "\n", "\r" };
	const struct vllm_word *word = &parse->command->words.items[at];
	auto_free char *text = pl_strdup(word->text + offset);
	struct vllm_marks marks = { 0 };

	for (size_t i = 0; i < PL_ARRAY_SIZE(keys); i++) {
		if (pl_text_ends(text, keys[i]))
			text[strlen(text) - strlen(keys[i])] = '\0';
	}
	marks_of(word, offset, &marks);
	bool found = recognise_text(parse, text, &marks, false, depth);
	vllm_marks_done(&marks);
	return found;
}

/* "bash -c 'text'"; `at` is the word before the shell's options. */
static bool recognise_shell(struct vllm_parse *parse, size_t at, size_t end, int depth)
{
	size_t i = at + 1;

	/* "busybox sh -c" */
	if (i < end && vllm_is_shell(word_at(parse, i)))
		i++;
	for (; i < end && !vllm_is_shell_text_flag(word_at(parse, i)); i++) {
		const char *before = word_at(parse, i - 1);
		bool is_value = before[0] == '-' && pl_text_ends(before, "o");
		if (strchr("-+/", word_at(parse, i)[0]) == NULL && !is_value)
			return false;
	}
	if (i + 1 >= end)
		return false;
	/* cmd takes the words after it as they are */
	if (i + 2 < end && word_at(parse, i)[0] == '/')
		return recognise_any(parse, i + 1, end, depth + 1);
	return recognise_word(parse, i + 1, 0, depth);
}

/*
 * Handles words after an image that are not yet arguments of vLLM: "serve", "-m MODULE" (after
 * another entry point), "vllm serve", "bash -c …". Returns false if they are arguments.
 */
static bool recognise_inside(struct vllm_parse *parse, size_t at, size_t end, int depth)
{
	const char *word = word_at(parse, at);

	if (strcmp(word, "serve") == 0) {
		parse->server = (struct vllm_part){ .found = true, .first = at + 1, .end = end };
		return true;
	}
	if (strcmp(word, "-m") == 0 && at + 1 < end &&
	    vllm_is_server_module(word_at(parse, at + 1))) {
		parse->server = (struct vllm_part){ .found = true, .first = at + 2, .end = end };
		return true;
	}
	/* "--entrypoint bash IMAGE -c '…'" */
	if (vllm_is_shell_text_flag(word))
		return at + 1 < end && recognise_word(parse, at + 1, 0, depth);
	return word[0] != '-' && recognise_any(parse, at, end, depth + 1);
}

/* A measurement from a container's client does not need the container. */
static void forget_container(struct vllm_command *command)
{
	free(pl_take(command->runtime));
	free(pl_take(command->image));
	free(pl_take(command->version));
	json_array_clear(command->runtime_args);
}

/* The launch is the plain command whatever the image starts: the experiment starts its server
 * without the container. */
static void take_container(struct vllm_parse *parse, size_t from, size_t end)
{
	struct vllm_command *command = parse->command;

	if (!parse->server.found)
		parse->server = (struct vllm_part){ .found = true, .first = from, .end = end };
	command->form = VLLM_COMMAND_CONTAINER;
	json_array_clear(command->launch);
	json_array_append_new(command->launch, json_string("vllm"));
	json_array_append_new(command->launch, json_string("serve"));
}

/* One container is enough: a second server is another command. */
static bool recognise_container(struct vllm_parse *parse, size_t at, size_t end, int depth)
{
	bool had_load = parse->load.found, had_later = parse->later > 0;
	size_t after;

	if (depth >= SHELL_DEPTH_MAX || parse->server.found ||
	    !vllm_command_container(parse, at, end, &after))
		return false;
	bool inside = after < end && recognise_inside(parse, after, end, depth);
	if (!parse->server.found &&
	    (parse->load.found != had_load || (parse->later > 0) != had_later)) {
		forget_container(parse->command);
		return inside;
	}
	take_container(parse, after, end);
	return true;
}

static void take_launch(struct vllm_parse *parse, size_t from, size_t end)
{
	json_t *launch = parse->command->launch;

	json_array_clear(launch);
	for (size_t i = from; i < end; i++)
		json_array_append_new(launch, json_string(word_at(parse, i)));
}

/* An offline benchmark starts an engine, so it counts as a server, too. */
static bool take_offline(struct vllm_parse *parse, const struct vllm_program *program,
			 size_t retained, size_t end)
{
	if (parse->server.found || parse->load.found)
		return false;
	parse->server = (struct vllm_part){ .found = true, .first = program->first, .end = end };
	parse->kind = program->kind;
	parse->load_program = program->load;
	parse->command->form = program->form;
	take_launch(parse, retained, program->vllm_end);
	if (program->vllm_end > 0)
		json_array_append_new(parse->command->launch, json_string("serve"));
	return true;
}

/* A second server or load is another command, and so is everything next to an offline benchmark. */
static bool take_program(struct vllm_parse *parse, const struct vllm_program *program,
			 size_t retained, size_t end)
{
	bool is_server = program->meaning == VLLM_MEANS_SERVER;
	struct vllm_part *part = is_server ? &parse->server : &parse->load;

	if (program->meaning == VLLM_MEANS_LATER && parse->later == 0)
		parse->later = program->first + 1;
	if (program->meaning == VLLM_MEANS_OFFLINE)
		return take_offline(parse, program, retained, end);
	if (program->meaning == VLLM_MEANS_NOTHING || program->meaning == VLLM_MEANS_LATER ||
	    part->found || parse->kind != NULL)
		return false;
	*part = (struct vllm_part){ .found = true, .first = program->first, .end = end };
	if (is_server) {
		take_launch(parse, retained, program->first);
		parse->command->form = program->form;
	} else {
		parse->load_program = program->load;
	}
	return true;
}

static void warn_of_demo(struct vllm_parse *parse, const struct vllm_program *program)
{
	add_problem(parse, OPTION_WARNING, program->first - 1,
		    "vLLM's demonstration server, which does not have the OpenAI API",
		    VLLM_API_SERVER ": the experiment starts that one", NULL);
	json_array_clear(parse->command->launch);
	json_array_append_new(parse->command->launch, json_string("vllm"));
	json_array_append_new(parse->command->launch, json_string("serve"));
	parse->command->form = VLLM_COMMAND_SERVE;
}

/* Reads the words from `at`, which is neither an assignment nor a wrapper. */
static bool recognise_program(struct vllm_parse *parse, size_t retained, size_t at, size_t end,
			      int depth)
{
	const char *word = word_at(parse, at);

	if (vllm_is_runtime(word))
		return recognise_container(parse, at, end, depth);
	if (vllm_is_shell(word))
		return recognise_shell(parse, at, end, depth);
	const struct vllm_program program = vllm_program_read(parse, at, end);
	bool is_taken = take_program(parse, &program, retained, end);
	if (is_taken && program.is_demo)
		warn_of_demo(parse, &program);
	return is_taken;
}

/* A word of a wrapper that is a command as text: ssh HOST 'vllm serve …', sbatch --wrap='…'. */
static bool recognise_argument(struct vllm_parse *parse, size_t at, int depth)
{
	const char *word = word_at(parse, at);
	const char *equals = word[0] == '-' ? strchr(word, '=') : NULL;

	return strpbrk(word, " \t\n") != NULL &&
	       recognise_word(parse, at, equals != NULL ? (size_t)(equals + 1 - word) : 0, depth);
}

/* "singularity run IMAGE …", "kubectl run NAME --image=IMAGE …": a container too. */
static bool runs_image(const struct vllm_parse *parse, size_t at, size_t end)
{
	const char *name = vllm_base_name(word_at(parse, at));
	bool is_kubectl = strcmp(name, "kubectl") == 0 || strcmp(name, "oc") == 0;

	if (!is_kubectl && !vllm_is_image_runner(name))
		return false;
	for (size_t i = at + 1; i < end && i < at + 8; i++) {
		if (strcmp(word_at(parse, i), "run") == 0)
			return true;
		if (strcmp(word_at(parse, i), "exec") == 0)
			return false;
	}
	return false;
}

/* State of reading a command. */
struct walk {
	size_t retained; /* the first wrapper that is a word of the launch; `end`: none */
	size_t remote;   /* the wrapper that runs it elsewhere; `end`: none */
	int traits;      /* of the last wrapper; -1: none yet */
};

/* The word at `at`: true where the command is found in it. */
static bool recognise_at(struct vllm_parse *parse, struct walk *walk, size_t at, size_t end,
			 int depth)
{
	int traits = vllm_wrapper_find(parse, at, end);

	if (runs_image(parse, at, end) && recognise_container(parse, at, end, depth))
		return true;
	if (traits == 0 && walk->retained == end)
		walk->retained = at;
	if (traits >= 0) {
		walk->traits = traits;
		if ((traits & VLLM_WRAPPER_REMOTE) != 0 && walk->remote == end)
			walk->remote = at;
		return false;
	}
	if (vllm_is_program(word_at(parse, at)) &&
	    recognise_program(parse, walk->retained < at ? walk->retained : at, at, end, depth))
		return true;
	return walk->traits > 0 && (walk->traits & VLLM_WRAPPER_TEXT) != 0 &&
	       recognise_argument(parse, at, depth);
}

/* "$" and "%" of a prompt that was copied with the words. */
static size_t skip_prompt(const struct vllm_parse *parse, size_t at, size_t end)
{
	static const char *const prompts[] = { "$", "%", ">", ">>>" };

	return at < end && PL_TEXT_IS_ONE_OF(word_at(parse, at), prompts) ? at + 1 : at;
}

/* One command: assignments, wrappers with their own options, then the program. */
static bool recognise(struct vllm_parse *parse, size_t from, size_t end, int depth)
{
	bool had_server = parse->server.found;
	struct walk walk = { .retained = end, .remote = end, .traits = -1 };
	size_t at = skip_prompt(parse, from, end);

	for (; at < end; at++) {
		if (recognise_at(parse, &walk, at, end, depth))
			break;
		/*
		 * any word after a wrapper may be one of its options or their values ("taskset -c
		 * 0-7"), which are unknown here; without a wrapper it is an irrelevant program
		 */
		if (walk.traits < 0 && vllm_word_name_len(word_at(parse, at)) == 0)
			return false;
	}
	bool is_load = parse->server.found == had_server;
	for (size_t i = from; at < end && i < at; i++) {
		if (vllm_word_name_len(word_at(parse, i)) > 0)
			take_env(is_load ? parse->command->load_env : parse->command->env,
				 word_at(parse, i));
	}
	if (at < end && walk.remote < at && !is_load)
		parse->remote = walk.remote + 1;
	if (at < end && is_load && walk.retained < at)
		add_problem(
			parse, OPTION_WARNING, walk.retained, "a program before the load command",
			"the program before 'profllm run', because the file cannot hold it", NULL);
	return at < end;
}

/*
 * Sets the location of a part that was just found. For "bash -c" the words inside are the command:
 * the nested call has set `begin`, and `outer` becomes the command written in the text.
 */
static void place_part(const struct vllm_parse *parse, struct vllm_part *part, size_t at,
		       size_t next)
{
	if (part->first <= next)
		part->begin = at;
	part->outer = parse->command->words.items[at].command;
}

/* The first of the commands that start vLLM, and of those that send load to it. */
static bool recognise_any(struct vllm_parse *parse, size_t from, size_t end, int depth)
{
	bool any = false;
	size_t next;

	for (size_t at = from; at < end; at = next) {
		size_t command = parse->command->words.items[at].command;
		bool had_server = parse->server.found, had_load = parse->load.found;
		next = at;
		while (next < end && parse->command->words.items[next].command == command)
			next++;
		any |= recognise(parse, at, next, depth);
		if (parse->server.found && !had_server)
			place_part(parse, &parse->server, at, next);
		if (parse->load.found && !had_load)
			place_part(parse, &parse->load, at, next);
	}
	return any;
}

static bool is_flag(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* "--model X --port 8": the first command is taken for flags. */
static bool recognise_flags(struct vllm_parse *parse)
{
	struct vllm_command *command = parse->command;
	size_t end = 0;

	if (command->words.count == 0 || !is_flag(word_at(parse, 0)))
		return false;
	while (end < command->words.count &&
	       command->words.items[end].command == command->words.items[0].command)
		end++;
	command->form = VLLM_COMMAND_FLAGS;
	parse->server = (struct vllm_part){ .found = true, .end = end };
	json_array_append_new(command->launch, json_string("vllm"));
	json_array_append_new(command->launch, json_string("serve"));
	return true;
}

static bool is_part_of(const struct vllm_part *part, const struct vllm_parse *parse, size_t word)
{
	const struct vllm_word *items = parse->command->words.items;

	return part->found && (items[word].command == part->outer ||
			       items[word].command == items[part->begin].command);
}

/*
 * Warns about other commands in the text after the first of the parts. One warning is enough,
 * because later ones usually have the same cause. Words from "bash -c" texts follow all others, so
 * only their line shows what precedes the part.
 */
static void note_others(struct vllm_parse *parse)
{
	const struct vllm_part *server = &parse->server, *load = &parse->load;
	const struct vllm_words *words = &parse->command->words;
	bool load_first = !server->found || (load->found && load->end < server->end);
	const struct vllm_part *part = load_first ? load : server;

	for (size_t i = part->end; i < words->count; i++) {
		bool begins = words->items[i].command != words->items[i - 1].command;
		if (!begins || is_part_of(server, parse, i) || is_part_of(load, parse, i))
			continue;
		if (is_flag(words->items[i].text) &&
		    ((server->found && i == server->end) || (load->found && i == load->end))) {
			add_problem(parse, OPTION_WARNING, i, "a line that begins with a flag",
				    "a backslash at the end of the previous line; the command ends "
				    "there",
				    NULL);
			return;
		}
		if (words->items[i].line >= words->items[part->begin].line) {
			add_problem(parse, OPTION_WARNING, i, "another command",
				    "one command; this one is ignored", NULL);
			return;
		}
	}
}

/* A benchmark of vLLM's that this version does not run. */
static void refuse_later(struct vllm_parse *parse)
{
	const struct vllm_word *word = &parse->command->words.items[parse->later - 1];
	const char *name = vllm_base_name(word->text);
	bool is_sub = vllm_bench_is_later(name);
	auto_free char *found = pl_asprintf(is_sub ? "'vllm bench %s'" : "'%s'", name);

	option_problem_report(
		parse->problems, .severity = OPTION_ERROR, .source = parse->command->source,
		.line = (int)parse->later, .column = word->column, .found = found,
		.expected = "which this version does not support; use 'vllm bench' with serve, "
			    "latency, throughput, startup or mm-processor",
		.expected_is_reason = true, .reason = "not_in_this_version");
}

/* Reports that nothing in the text starts vLLM. */
static void refuse(struct vllm_parse *parse)
{
	static const char *const expected =
		"'vllm serve …', 'vllm bench serve …', 'python -m " VLLM_API_SERVER
		" …', 'docker run … IMAGE …' or flags";
	const struct vllm_words *words = &parse->command->words;

	if (parse->later > 0) {
		refuse_later(parse);
		return;
	}
	for (size_t i = 0; i + 1 < words->count; i++) {
		if (strcmp(vllm_base_name(words->items[i].text), "vllm") != 0)
			continue;
		bool is_bench = strcmp(words->items[i + 1].text, "bench") == 0;
		bool is_alone = is_bench && i + 2 == words->count;
		size_t at = i + 1 + (is_bench && !is_alone);
		add_problem(parse, OPTION_ERROR, at, words->items[at].text, expected,
			    is_alone ? "bench serve" : "serve");
		return;
	}
	add_problem(parse, OPTION_ERROR, 0, words->count == 0 ? "nothing" : words->items[0].text,
		    expected, NULL);
}

/* Here-documents: scripts for a shell, ssh or sbatch, or of a file that is run later. */
static bool recognise_heres(struct vllm_parse *parse)
{
	bool any = false;

	for (size_t i = 0; i < parse->command->words.here_count; i++) {
		const struct vllm_here *here = &parse->command->words.heres[i];
		any |= recognise_text(parse, here->text, &here->marks, !here->literal, 0);
	}
	return any;
}

static void warn_of_host(struct vllm_parse *parse)
{
	if (parse->remote > 0)
		add_problem(parse, OPTION_WARNING, parse->remote - 1,
			    word_at(parse, parse->remote - 1),
			    "a command on this host, because the experiment starts its server here",
			    NULL);
}

/* A command inside of an `if` may not run. */
static void warn_of_construct(struct vllm_parse *parse, const struct vllm_part *part)
{
	const struct vllm_words *words = &parse->command->words;
	const char *name = part->found && part->begin < words->count
				   ? words->items[part->begin].construct
				   : NULL;

	if (name == NULL)
		return;
	bool loops = name[0] == 'f' || name[0] == 'w' || name[0] == 'u' || name[0] == 's';
	auto_free char *found = pl_asprintf("a command in '%s'", name);
	add_problem(parse, OPTION_WARNING, part->begin, found,
		    loops ? "a command that runs once; profllm reads it once"
			  : "a command that always runs; profllm reads it, because the condition "
			    "is unknown",
		    NULL);
}

/*
 * Returns whether it is a warning about words outside of the parts. Exported variables affect every
 * part.
 */
static bool is_of_others(const struct option_problem *problem, const void *user)
{
	const struct vllm_parse *parse = user;
	const struct vllm_words *words = &parse->command->words;
	size_t word = (size_t)problem->line;

	if (problem->severity == OPTION_ERROR || problem->line < 1 || word > words->count)
		return false;
	const struct vllm_part *const parts[] = { &parse->server, &parse->load };
	for (size_t i = 0; i < PL_ARRAY_SIZE(parts); i++) {
		if (parts[i]->found && word > parts[i]->begin && word <= parts[i]->end)
			return false;
	}
	size_t first = word - 1;
	while (first > 0 && words->items[first - 1].command == words->items[word - 1].command)
		first--;
	return strcmp(words->items[first].text, "export") != 0;
}

/* Handles a container of a manifest: its words run in the image. */
static bool recognise_contained(struct vllm_parse *parse)
{
	struct vllm_command *command = parse->command;
	size_t end = command->words.count;
	bool found = end > 0 &&
		     (recognise_any(parse, 0, end, 0) || recognise_inside(parse, 0, end, 0));

	if (!found && !parse->inside->starts_server)
		return false;
	if ((parse->server.found || !found) && parse->inside->image != NULL)
		take_container(parse, 0, end);
	return true;
}

bool vllm_command_recognise(struct vllm_parse *parse)
{
	struct vllm_command *command = parse->command;
	bool found = parse->inside != NULL ? recognise_contained(parse)
					   : recognise_any(parse, 0, command->words.count, 0);

	if (!parse->server.found || !parse->load.found)
		found |= recognise_heres(parse);
	if (!found && (parse->inside != NULL || !recognise_flags(parse))) {
		refuse(parse);
		return false;
	}
	/* assignments before the program override an earlier `export` */
	if (parse->server.found)
		json_object_update_missing(command->env, command->words.exported);
	else
		json_object_update_missing(command->load_env, command->words.exported);
	option_problems_remove(parse->problems, parse->split, is_of_others, parse);
	note_others(parse);
	warn_of_host(parse);
	warn_of_construct(parse, &parse->server);
	warn_of_construct(parse, &parse->load);
	return true;
}
