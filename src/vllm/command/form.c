/*
 * Which commands of the text start vLLM's server and send load to it, and where their arguments
 * begin: the first of each kind counts. The ways into a command:
 *
 *   recognise_any       each command of the text
 *     recognise         "A=1 nohup numactl -N 0 PROGRAM …": assignments, wrappers, the program
 *       container       behind its image: recognise_any again, one deeper
 *       bash -c '…'     its words, put behind all others: recognise_any again, one deeper
 *       program         a server, a load, or a benchmark that is not here yet
 */
#include "vllm/command/command_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define API_SERVER "vllm.entrypoints.openai.api_server"

enum { SHELL_DEPTH_MAX = 4, PYTHON_OPTIONS_MAX = 6 };

/*
 * Programs that run another one, and words of the shell. Those marked leave no trace in how the
 * server starts. Those that are kept change how it runs (cores, a profiler, an environment), and
 * are words of `launch`.
 */
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

/* Also "python3" and "python3.12". */
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

/* "docker exec CONTAINER", "docker compose exec SERVICE". They count as a wrapper that is kept:
 * without it the server would start outside. */
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

	option_problem_tell(parse->problems, .severity = severity, .source = parse->command->source,
			    .line = placed ? (int)word + 1 : 0,
			    .column = placed ? words->items[word].column : 0, .found = found,
			    .expected = expected, .nearest = nearest);
}

/* What the words of a program mean. LATER: a benchmark that is not in this version; `first` names it. */
enum meaning { MEANS_NOTHING, MEANS_SERVER, MEANS_LOAD, MEANS_OFFLINE, MEANS_LATER };

struct program {
	enum meaning meaning;
	size_t first; /* argument */
	enum vllm_command_form form;
	enum vllm_bench_program load;
	const struct vllm_bench_kind *kind; /* OFFLINE: which */
	size_t vllm_end; /* OFFLINE: behind what starts vLLM ("…/vllm"); 0: no word does */
};

static struct program offline(const struct vllm_bench_kind *kind, size_t first, size_t vllm_end,
			      enum vllm_bench_program load)
{
	return (struct program){ .meaning = MEANS_OFFLINE,
				 .first = first,
				 .form = VLLM_COMMAND_SERVE,
				 .load = load,
				 .kind = kind,
				 .vllm_end = vllm_end };
}

/* "bench serve": behind "vllm" or "profllm"; `at` is "bench". */
static struct program read_bench(const struct vllm_parse *parse, size_t at, size_t end,
				 enum vllm_bench_program load)
{
	const char *what = at + 1 < end ? word_at(parse, at + 1) : "";

	if (strcmp(what, "serve") == 0)
		return (struct program){ .meaning = MEANS_LOAD, .first = at + 2, .load = load };
	if (vllm_bench_kind_find(what) != NULL)
		return offline(vllm_bench_kind_find(what), at + 2,
			       load == VLLM_BENCH_OF_VLLM ? at : 0, load);
	if (vllm_bench_is_later(what))
		return (struct program){ .meaning = MEANS_LATER, .first = at + 1 };
	return (struct program){ .meaning = MEANS_NOTHING };
}

/* "vllm serve", "vllm bench serve"; `at` is what stands for "vllm". */
static struct program read_vllm(const struct vllm_parse *parse, size_t at, size_t end)
{
	const char *what = at + 1 < end ? word_at(parse, at + 1) : "";

	if (strcmp(what, "serve") == 0)
		return (struct program){ .meaning = MEANS_SERVER,
					 .first = at + 2,
					 .form = VLLM_COMMAND_SERVE };
	if (strcmp(what, "bench") == 0)
		return read_bench(parse, at + 1, end, VLLM_BENCH_OF_VLLM);
	return (struct program){ .meaning = MEANS_NOTHING };
}

/* vLLM's scripts of before `vllm bench`: benchmark_serving.py and others. */
static struct program read_script(const struct vllm_parse *parse, size_t at)
{
	static const char *const scripts[] = { "benchmark_latency.py", "benchmark_throughput.py" };
	const char *name = base_name(word_at(parse, at));

	if (strcmp(name, "benchmark_serving.py") == 0)
		return (struct program){ .meaning = MEANS_LOAD, .first = at + 1 };
	if (PL_TEXT_IS_ONE_OF(name, scripts)) {
		size_t head = strlen("benchmark_"), tail = strlen(".py");
		auto_free char *kind = pl_strndup(name + head, strlen(name) - head - tail);
		return offline(vllm_bench_kind_find(kind), at + 1, 0, VLLM_BENCH_OF_VLLM);
	}
	if (pl_text_starts(name, "benchmark_") && pl_text_ends(name, ".py"))
		return (struct program){ .meaning = MEANS_LATER, .first = at };
	return (struct program){ .meaning = MEANS_NOTHING };
}

/* "-m MODULE"; `at` is the module. */
static struct program read_module(const struct vllm_parse *parse, size_t at, size_t end)
{
	static const char benchmarks[] = "vllm.benchmarks.";
	const char *module = word_at(parse, at);
	const char *of_bench = pl_text_starts(module, benchmarks) ? module + strlen(benchmarks)
								  : "";

	if (strcmp(module, API_SERVER) == 0)
		return (struct program){ .meaning = MEANS_SERVER,
					 .first = at + 1,
					 .form = VLLM_COMMAND_MODULE };
	if (strcmp(module, "vllm") == 0 || strcmp(module, "vllm.entrypoints.cli.main") == 0)
		return read_vllm(parse, at, end);
	if (strcmp(of_bench, "serve") == 0 || pl_text_ends(module, "benchmark_serving"))
		return (struct program){ .meaning = MEANS_LOAD, .first = at + 1 };
	if (vllm_bench_kind_find(of_bench) != NULL)
		return offline(vllm_bench_kind_find(of_bench), at + 1, 0, VLLM_BENCH_OF_VLLM);
	if (vllm_bench_is_later(of_bench))
		return (struct program){ .meaning = MEANS_LATER, .first = at };
	return (struct program){ .meaning = MEANS_NOTHING };
}

/*
 * "python -m MODULE", "python …/api_server.py", "python …/benchmark_serving.py". Options of
 * Python's own may stand in front ("-u", "-X dev"); a few words on a name is an argument of some
 * other script.
 */
static struct program read_python(const struct vllm_parse *parse, size_t at, size_t end)
{
	struct program program = { .meaning = MEANS_NOTHING };

	for (size_t i = at + 1;
	     program.meaning == MEANS_NOTHING && i < end && i <= at + PYTHON_OPTIONS_MAX; i++) {
		const char *word = word_at(parse, i);
		if (strcmp(word, "-m") == 0 && i + 1 < end)
			return read_module(parse, i + 1, end);
		if (pl_text_ends(word, "vllm/entrypoints/openai/api_server.py"))
			return (struct program){ .meaning = MEANS_SERVER,
						 .first = i + 1,
						 .form = VLLM_COMMAND_MODULE };
		if (word[0] != '-' && strcmp(base_name(word), "vllm") == 0)
			return read_vllm(parse, i, end);
		program = read_script(parse, i);
	}
	return program;
}

static struct program read_program(const struct vllm_parse *parse, size_t at, size_t end)
{
	const char *word = word_at(parse, at);
	bool is_bench = at + 1 < end && strcmp(word_at(parse, at + 1), "bench") == 0;

	if (strcmp(base_name(word), "vllm") == 0)
		return read_vllm(parse, at, end);
	if (strcmp(base_name(word), "profllm") == 0 && is_bench)
		return read_bench(parse, at + 1, end, VLLM_BENCH_OF_OURS);
	return is_python(word) ? read_python(parse, at, end) : read_script(parse, at);
}

static void take_env(json_t *env, const char *word)
{
	size_t len = vllm_word_name_len(word);
	auto_free char *name = pl_strndup(word, len);

	json_object_set_new(env, name, json_string(word + len + 1));
}

static bool is_shell_text_flag(const char *word)
{
	static const char *const flags[] = { "-c", "-lc", "-ec", "-xc", "-exc", "-euxc" };

	return PL_TEXT_IS_ONE_OF(word, flags);
}

/*
 * Splits the text of "bash -c 'text'" into words of the same place, put behind all others; `at` is
 * the word before the shell's options. False when it is something else. Behind all others, so that
 * the numbers of the words before them hold: a part is a range of numbers. Within the quoted text
 * no place can be told: its quotes and escapes are gone.
 */
static bool open_shell(struct vllm_parse *parse, size_t at, size_t end, size_t *ret_first,
		       size_t *ret_end)
{
	struct vllm_words *words = &parse->command->words;
	size_t i = at + 1;
	auto_words inner = { 0 };

	while (i < end && word_at(parse, i)[0] == '-' && !is_shell_text_flag(word_at(parse, i)))
		i++;
	if (i + 1 >= end || word_at(parse, i)[0] != '-')
		return false;
	const char *text = word_at(parse, i + 1);
	int line = words->items[i + 1].line;
	int column = words->items[i + 1].column;
	if (vllm_words_split(text, strlen(text), parse->command->source, &inner, parse->problems,
			     PL_ERR_IGNORED) < 0)
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

static bool recognise_any(struct vllm_parse *parse, size_t from, size_t end, int depth);

/* Words behind an image that are no arguments of vLLM yet: "serve", "-m MODULE" (behind another
 * entry point), "vllm serve", "bash -c …". False: they are arguments. */
static bool recognise_inside(struct vllm_parse *parse, size_t at, size_t end, int depth)
{
	const char *word = word_at(parse, at);
	size_t from;
	size_t inner_end;

	if (strcmp(word, "serve") == 0) {
		parse->server = (struct vllm_part){ .found = true, .first = at + 1, .end = end };
		return true;
	}
	if (strcmp(word, "-m") == 0 && at + 1 < end &&
	    strcmp(word_at(parse, at + 1), API_SERVER) == 0) {
		parse->server = (struct vllm_part){ .found = true, .first = at + 2, .end = end };
		return true;
	}
	/* "--entrypoint bash IMAGE -c '…'": the word before stands for the shell's name */
	if (is_shell_text_flag(word))
		return depth < SHELL_DEPTH_MAX &&
		       open_shell(parse, at - 1, end, &from, &inner_end) &&
		       recognise_any(parse, from, inner_end, depth + 1);
	return word[0] != '-' && recognise_any(parse, at, end, depth + 1);
}

/* What is measured with a container's client is measured without it all the same. */
static void forget_container(struct vllm_command *command)
{
	free(pl_take(command->runtime));
	free(pl_take(command->image));
	free(pl_take(command->version));
	json_array_clear(command->runtime_args);
}

/* One container is enough: a second server is another command. The launch is the plain command
 * whatever the image starts: the experiment starts its server without the container. */
static bool recognise_container(struct vllm_parse *parse, size_t at, size_t end, int depth)
{
	struct vllm_command *command = parse->command;
	bool had_load = parse->load.found, had_later = parse->later > 0;
	size_t after;

	if (depth >= SHELL_DEPTH_MAX || parse->server.found ||
	    !vllm_command_container(parse, at, end, &after))
		return false;
	bool inside = after < end && recognise_inside(parse, after, end, depth);
	if (!parse->server.found &&
	    (parse->load.found != had_load || (parse->later > 0) != had_later)) {
		forget_container(command);
		return inside;
	}
	if (!parse->server.found)
		parse->server = (struct vllm_part){ .found = true, .first = after, .end = end };
	command->form = VLLM_COMMAND_CONTAINER;
	json_array_clear(command->launch);
	json_array_append_new(command->launch, json_string("vllm"));
	json_array_append_new(command->launch, json_string("serve"));
	return true;
}

static void take_launch(struct vllm_parse *parse, size_t from, size_t end)
{
	json_t *launch = parse->command->launch;

	json_array_clear(launch);
	for (size_t i = from; i < end; i++)
		json_array_append_new(launch, json_string(word_at(parse, i)));
}

/* What starts its engine starts a server too. */
static bool take_offline(struct vllm_parse *parse, const struct program *program, size_t kept,
			 size_t end)
{
	if (parse->server.found || parse->load.found)
		return false;
	parse->server = (struct vllm_part){ .found = true, .first = program->first, .end = end };
	parse->kind = program->kind;
	parse->load_program = program->load;
	parse->command->form = program->form;
	take_launch(parse, kept, program->vllm_end);
	if (program->vllm_end > 0)
		json_array_append_new(parse->command->launch, json_string("serve"));
	return true;
}

/* A second of a kind is another command, and so is all else beside an offline benchmark. */
static bool take_program(struct vllm_parse *parse, const struct program *program, size_t kept,
			 size_t end)
{
	bool is_server = program->meaning == MEANS_SERVER;
	struct vllm_part *part = is_server ? &parse->server : &parse->load;

	if (program->meaning == MEANS_LATER && parse->later == 0)
		parse->later = program->first + 1;
	if (program->meaning == MEANS_OFFLINE)
		return take_offline(parse, program, kept, end);
	if (program->meaning == MEANS_NOTHING || program->meaning == MEANS_LATER || part->found ||
	    parse->kind != NULL)
		return false;
	*part = (struct vllm_part){ .found = true, .first = program->first, .end = end };
	if (is_server) {
		take_launch(parse, kept, program->first);
		parse->command->form = program->form;
	} else {
		parse->load_program = program->load;
	}
	return true;
}

/* The words from `at`, which is no assignment and no wrapper. */
static bool recognise_program(struct vllm_parse *parse, size_t kept, size_t at, size_t end,
			      int depth)
{
	const char *word = word_at(parse, at);
	size_t from;
	size_t inner_end;

	if (is_runtime(word))
		return recognise_container(parse, at, end, depth);
	if (is_shell(word))
		return depth < SHELL_DEPTH_MAX && open_shell(parse, at, end, &from, &inner_end) &&
		       recognise_any(parse, from, inner_end, depth + 1);
	const struct program program = read_program(parse, at, end);
	return take_program(parse, &program, kept, end);
}

static bool is_program(const char *word)
{
	return is_runtime(word) || is_shell(word) || is_python(word) ||
	       strcmp(base_name(word), "vllm") == 0 || strcmp(base_name(word), "profllm") == 0 ||
	       pl_text_starts(base_name(word), "benchmark_");
}

/* One command: assignments, wrappers with their own options, then the program. */
static bool recognise(struct vllm_parse *parse, size_t from, size_t end, int depth)
{
	bool had_server = parse->server.found;
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
		    recognise_program(parse, kept < at ? kept : at, at, end, depth))
			break;
		wrapped |= wrapper >= 0;
		/*
		 * any word behind a wrapper may be an option of it or its value ("taskset -c
		 * 0-7"): what options each of them has is not known here. Without one it is a
		 * program of no interest
		 */
		if (!wrapped && vllm_word_name_len(word) == 0)
			return false;
	}
	bool is_load = parse->server.found == had_server;
	for (size_t i = from; at < end && i < at; i++) {
		if (vllm_word_name_len(word_at(parse, i)) > 0)
			take_env(is_load ? parse->command->load_env : parse->command->env,
				 word_at(parse, i));
	}
	if (at < end && is_load && kept < at)
		add_problem(parse, OPTION_WARNING, kept, "a program in front of the load",
			    "it in front of 'profllm run': a file has no place for it", NULL);
	return at < end;
}

/* Where a part that was found just now stands; "bash -c": the words inside are the command. Then
 * the call inside has set `begin`, and `outer` becomes the command that is written in the text. */
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
 * What stands in the text besides the commands, behind the first of them. One warning is enough:
 * what follows has mostly the same cause. Words of an opened shell stand behind all others, so
 * that only their line tells what comes before the part.
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
				    "a backslash at the end of the line before: "
				    "the command ends there",
				    NULL);
			return;
		}
		if (words->items[i].line >= words->items[part->begin].line) {
			add_problem(parse, OPTION_WARNING, i, "another command",
				    "one: this is left out", NULL);
			return;
		}
	}
}

/* A benchmark of vLLM's that this version does not run. */
static void refuse_later(struct vllm_parse *parse)
{
	const struct vllm_word *word = &parse->command->words.items[parse->later - 1];
	const char *name = base_name(word->text);
	bool is_sub = vllm_bench_is_later(name);
	auto_free char *found = pl_asprintf(is_sub ? "'vllm bench %s'" : "'%s'", name);

	option_problem_tell(parse->problems, .severity = OPTION_ERROR,
			    .source = parse->command->source, .line = (int)parse->later,
			    .column = word->column, .found = found,
			    .expected = "it is not in this version; 'vllm bench serve', latency, "
					"throughput, startup and mm-processor are",
			    .expected_is_reason = true, .reason = "not_in_this_version");
}

/* Says what is wrong with a text in which nothing starts vLLM. */
static void refuse(struct vllm_parse *parse)
{
	static const char *const expected =
		"'vllm serve …', 'vllm bench serve …', 'python -m " API_SERVER
		" …', 'docker run … IMAGE …' or flags";
	const struct vllm_words *words = &parse->command->words;

	if (parse->later > 0) {
		refuse_later(parse);
		return;
	}
	for (size_t i = 0; i + 1 < words->count; i++) {
		if (strcmp(base_name(words->items[i].text), "vllm") != 0)
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

bool vllm_command_recognise(struct vllm_parse *parse)
{
	struct vllm_command *command = parse->command;

	if (!recognise_any(parse, 0, command->words.count, 0) && !recognise_flags(parse)) {
		refuse(parse);
		return false;
	}
	/* what stands in front of the program wins over an `export` before it */
	if (parse->server.found)
		json_object_update_missing(command->env, command->words.exported);
	else
		json_object_update_missing(command->load_env, command->words.exported);
	note_others(parse);
	return true;
}
