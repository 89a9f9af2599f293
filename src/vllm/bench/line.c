/*
 * The arguments of `vllm bench serve`. Errors have the text and order of its own parser ("argument
 * --x: expected one argument"), because users know and search for them; a hint is added instead of
 * other wording.
 */
#include "vllm/bench/line.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/bench/line_priv.h"
#include "vllm/python_text.h"

enum { HINTS_BYTES_MAX = 16384 };

struct reader {
	struct vllm_bench_line *line;
	struct option_argv argv;
	struct pl_buf unknown;
	struct pl_buf hints;
	const struct option_argv_word *first_unknown;
	bool after_unknown; /* the word before was unknown, and this may be its value */
};

struct vllm_bench_fault *vllm_bench_fault_add(struct vllm_bench_line *line, size_t word, char *text,
					      const char *hint)
{
	*PL_PUSH(line->faults, line->fault_count, line->fault_room) = (struct vllm_bench_fault){
		.word = word,
		.id = VLLM_BENCH_COUNT,
		.text = text,
		.hint = pl_strdup(hint),
	};
	return &line->faults[line->fault_count - 1];
}

/* Flags that are not load options (src/tbl/bench_flags.h): stored separately, in line->flags. */
static const struct option_row program_rows[] = {
#define BENCH_FLAG(name_, arg_, choices_, help_)                            \
	{ .name = name_,                                                    \
	  .flag = "--" name_,                                               \
	  .style = (arg_) != NULL ? OPTION_STYLE_VALUE : OPTION_STYLE_FLAG, \
	  .ours = true },
#include "tbl/bench_flags.h"
	{ .name = "help", .flag = "--help", .aliases = "-h", .style = OPTION_STYLE_FLAG },
};

/* Flags of an offline benchmark's line: the server's address, and the replacement of vLLM. */
static const struct option_row offline_rows[] = {
#define OFFLINE_FLAG(name_, arg_, choices_, help_)                          \
	{ .name = name_,                                                    \
	  .flag = "--" name_,                                               \
	  .style = (arg_) != NULL ? OPTION_STYLE_VALUE : OPTION_STYLE_FLAG, \
	  .ours = true },
#include "tbl/bench_flags.h"
};

bool vllm_bench_is_later(const char *what)
{
	static const char *const others[] = {
#define BENCH_COMMAND(name, what, today) name,
#include "tbl/bench_commands.h"
	};

	return PL_TEXT_IS_ONE_OF(what, others);
}

/*
 * In the order in which an ambiguous prefix lists them: vLLM's parser has --help first. Prefixes of
 * flags that vLLM lacks are not accepted.
 */
void vllm_bench_line_rows(struct option_argv *argv, enum vllm_bench_program program)
{
	bool of_vllm = program == VLLM_BENCH_OF_VLLM;

	for (size_t i = 0; i < PL_ARRAY_SIZE(program_rows); i++) {
		if (!(program_rows[i].ours && of_vllm))
			option_argv_add_row(argv, &program_rows[i], program_rows[i].ours);
	}
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		if (!row->gone && !row->offline && !(row->ours && of_vllm))
			option_argv_add_row(argv, row, row->ours);
	}
}

void vllm_bench_line_program_rows(struct option_argv *argv)
{
	for (size_t i = 0; i < PL_ARRAY_SIZE(program_rows); i++) {
		if (program_rows[i].ours)
			option_argv_add_row(argv, &program_rows[i], true);
	}
	for (size_t i = 0; i < PL_ARRAY_SIZE(offline_rows); i++)
		option_argv_add_row(argv, &offline_rows[i], true);
}

const char *vllm_bench_flag_hint(const char *text)
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
static void report_ambiguous(struct reader *reader, const struct option_argv_word *word)
{
	auto_buf text = PL_BUF(HINTS_BYTES_MAX);

	pl_buf_addf(&text, "ambiguous option: %s could match ", word->text);
	for (size_t i = 0; i < word->candidate_count; i++)
		pl_buf_addf(&text, "%s%s", i > 0 ? ", " : "", word->candidates[i]->text);
	vllm_bench_fault_add(reader->line, (size_t)word->line, pl_strdup(pl_buf_text(&text)),
			     vllm_bench_flag_hint(word->text));
}

/* vLLM's parser passes this JSON on unchanged. */
static void report_dotted(struct reader *reader, const struct option_argv_word *word)
{
	size_t len = strcspn(word->text, "=");

	len -= word->text[len - 1] == '+';
	if (word->kind == OPTION_ARGV_DOTTED_EXCESS)
		vllm_bench_fault_add(
			reader->line, (size_t)word->line,
			pl_asprintf("argument %.*s: found %s, which JSON does not allow", (int)len,
				    word->text, word->excess),
			NULL);
	else if (word->kind == OPTION_ARGV_DOTTED_DEEP)
		vllm_bench_fault_add(reader->line, (size_t)word->line,
				     pl_asprintf("argument %.*s: found a key with too many parts, "
						 "expected at most %d",
						 len < 200 ? (int)len : 200, word->text,
						 OPTION_ARGV_DEPTH_MAX),
				     NULL);
}

static void value_fault(struct reader *reader, const struct option_argv_word *word,
			const char *what)
{
	const struct option_row *row = word->flag->row;
	bool both = row->negative_flag != NULL;

	vllm_bench_fault_add(reader->line, (size_t)word->line,
			     pl_asprintf("argument %s%s%s: %s", both ? row->flag : word->flag->text,
					 both ? "/" : "", both ? row->negative_flag : "", what),
			     NULL);
}

static bool names_model(const struct option_argv *argv)
{
	for (size_t i = 0; i < argv->count; i++) {
		const struct option_argv_flag *flag = argv->words[i].flag;
		if (flag != NULL && flag->row == vllm_bench_row(VLLM_BENCH_model))
			return true;
	}
	return false;
}

/* A word that belongs to no flag: a switch's value, or the model as vLLM's other commands take
 * it. */
static void hint_at_word(struct reader *reader, size_t at)
{
	const struct option_argv_flag *before = at > 0 ? reader->argv.words[at - 1].flag : NULL;
	const char *comma = reader->hints.len > 0 ? "; " : "";
	const char *text = reader->argv.words[at].text;

	if (before != NULL && option_argv_is_switch(before))
		pl_buf_addf(&reader->hints, "%s%s takes no value: leave out '%.100s'", comma,
			    before->text, text);
	else if (!reader->after_unknown && !names_model(&reader->argv))
		pl_buf_addf(&reader->hints, "%sif it is the model: --model %.100s", comma, text);
}

/* A flag that is named differently here takes precedence over a similar spelling. */
static void hint_at_flag(struct reader *reader, const struct option_argv_word *word)
{
	const char *comma = reader->hints.len > 0 ? "; " : "";
	const char *hint = vllm_bench_flag_hint(word->text);
	int len = (int)strcspn(word->text, "=");
	const char *nearest = hint == NULL && pl_text_starts(word->text, "--")
				      ? option_argv_nearest(&reader->argv, word->text)
				      : NULL;

	if (hint != NULL)
		pl_buf_addf(&reader->hints, "%s%.*s: %s", comma, len, word->text, hint);
	else if (nearest != NULL)
		pl_buf_addf(&reader->hints, "%s%.*s: did you mean %s?", comma, len, word->text,
			    nearest);
}

/* vLLM reports all of these together, after everything else. */
static void add_unknown(struct reader *reader, const struct option_argv_word *word)
{
	if (reader->first_unknown == NULL)
		reader->first_unknown = word;
	pl_buf_addf(&reader->unknown, " %s", word->text);
}

/* A value that is refused leaves the one before. */
static bool take_flag(struct vllm_bench_line *line, const struct option_argv_word *word)
{
	const struct option_row *row = word->flag->row;
	enum vllm_bench_id id = vllm_bench_find(row->name);
	bool is_switch = option_argv_is_switch(word->flag);

	if (id == VLLM_BENCH_COUNT && !is_switch && option_argv_value(word, 0)[0] == '\0') {
		vllm_bench_fault_add(
			line, (size_t)word->line,
			pl_asprintf("argument %s: expected a value, found ''", row->flag), NULL);
		return false;
	}
	if (id == VLLM_BENCH_COUNT) {
		json_object_set_new(line->flags, row->flag,
				    is_switch ? json_true()
					      : json_string(option_argv_value(word, 0)));
		return true;
	}
	json_t *value = is_switch ? json_boolean(!word->flag->negative)
				  : vllm_bench_value_read(line, word);
	if (value == NULL)
		return false;
	vllm_bench_set(&line->bench, id, value);
	line->given[id] = true;
	json_object_set_new(line->set, row->name, value);
	return true;
}

bool vllm_bench_line_take(struct vllm_bench_line *line, const struct option_argv_word *word)
{
	size_t first = line->fault_count;
	bool taken = take_flag(line, word);

	for (size_t i = first; i < line->fault_count; i++)
		line->faults[i].id = vllm_bench_find(word->flag->row->name);
	return taken;
}

/* Reads a known flag; an error in its value is an error of its option. */
static void read_flag(struct reader *reader, const struct option_argv_word *word)
{
	struct vllm_bench_line *line = reader->line;
	size_t first = line->fault_count;

	reader->after_unknown = false;
	if (word->kind == OPTION_ARGV_FLAG) {
		(void)take_flag(line, word);
	} else if (word->kind == OPTION_ARGV_NO_VALUE) {
		value_fault(reader, word,
			    word->flag->row->style == OPTION_STYLE_WORDS
				    ? "expected at least one argument"
				    : "expected one argument");
	} else {
		auto_free char *value = vllm_python_repr(word->joined);
		auto_free char *text = pl_asprintf("ignored explicit argument %s", value);
		value_fault(reader, word, text);
	}
	for (size_t i = first; i < line->fault_count; i++)
		line->faults[i].id = vllm_bench_find(word->flag->row->name);
}

/* Reports the word at `at`. The error of an ambiguous flag covers its value. */
static void read_word(struct reader *reader, size_t at)
{
	const struct option_argv_word *word = &reader->argv.words[at];
	bool reported = at > 0 && word[-1].kind == OPTION_ARGV_AMBIGUOUS;

	switch (word->kind) {
	case OPTION_ARGV_AMBIGUOUS:
	case OPTION_ARGV_VALUE:
		return;
	case OPTION_ARGV_UNKNOWN:
		add_unknown(reader, word);
		hint_at_flag(reader, word);
		reader->after_unknown = true;
		return;
	case OPTION_ARGV_WORD:
	case OPTION_ARGV_SEPARATOR:
		if (reported)
			return;
		add_unknown(reader, word);
		if (word->kind == OPTION_ARGV_WORD && vllm_bench_flag_hint(word->text) == NULL)
			hint_at_word(reader, at);
		else
			hint_at_flag(reader, word);
		reader->after_unknown = true;
		return;
	default:
		read_flag(reader, word);
	}
}

/*
 * Reports errors in the order of vLLM's parser. argparse reports ambiguous flags before it assigns
 * values, and unknown arguments at the end: a key without a value comes last, with the unknown
 * ones.
 */
static void read_words(struct reader *reader)
{
	struct option_argv *argv = &reader->argv;

	option_argv_read(argv);
	for (size_t i = 0; i < argv->refused_count; i++)
		report_dotted(reader, &argv->refused[i]);
	for (size_t i = 0; i < argv->count; i++) {
		if (argv->words[i].kind == OPTION_ARGV_AMBIGUOUS)
			report_ambiguous(reader, &argv->words[i]);
	}
	for (size_t i = 0; i < argv->count; i++)
		read_word(reader, i);
	for (size_t i = 0; i < argv->refused_count; i++) {
		if (argv->refused[i].kind != OPTION_ARGV_DOTTED_BARE)
			continue;
		add_unknown(reader, &argv->refused[i]);
		hint_at_flag(reader, &argv->refused[i]);
	}
	if (reader->first_unknown != NULL)
		vllm_bench_fault_add(
			reader->line, (size_t)reader->first_unknown->line,
			pl_asprintf("unrecognized arguments:%s", pl_buf_text(&reader->unknown)),
			reader->hints.len > 0 ? pl_buf_text(&reader->hints) : NULL);
}

/* A default of the command line that the experiment file does not have is set, but not `given`. */
void vllm_bench_line_init(struct vllm_bench_line *line)
{
	*line = (struct vllm_bench_line){ .set = json_object(), .flags = json_object() };
	vllm_bench_init(&line->bench);
	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		const struct option_row *row = vllm_bench_row((enum vllm_bench_id)i);
		if (row->serve_default == NULL)
			continue;
		auto_json json_t *value = pl_json_of_text(row->serve_default);
		vllm_bench_set(&line->bench, (enum vllm_bench_id)i, value);
	}
}

void vllm_bench_line_read(const char *const *words, size_t count, enum vllm_bench_program program,
			  struct vllm_bench_line *ret)
{
	struct reader reader = { .line = ret };

	vllm_bench_line_init(ret);
	pl_buf_init(&reader.unknown, 1u << 20);
	pl_buf_init(&reader.hints, HINTS_BYTES_MAX);
	for (size_t i = 0; i < count; i++) {
		if (!pl_text_is_utf8(words[i]))
			vllm_bench_fault_add(
				ret, i,
				pl_asprintf("argument %zu: found invalid UTF-8, expected text",
					    i + 1),
				NULL);
	}
	if (ret->fault_count == 0) {
		vllm_bench_line_rows(&reader.argv, program);
		for (size_t i = 0; i < count; i++)
			(void)option_argv_add_word(&reader.argv, words[i], NULL, (int)i, 0);
		read_words(&reader);
	}
	option_argv_done(&reader.argv);
	pl_buf_done(&reader.unknown);
	pl_buf_done(&reader.hints);
}

/* A default of the command line is written out, for a file would have another; --base-url leaves
 * it without meaning. */
json_t *vllm_bench_line_options(const struct vllm_bench_line *line)
{
	json_t *options = json_copy(line->set);

	for (size_t i = 0; i < VLLM_BENCH_COUNT; i++) {
		enum vllm_bench_id id = (enum vllm_bench_id)i;
		const struct option_row *row = vllm_bench_row(id);
		const json_t *value = json_object_get(options, row->name);
		if (value != NULL && row->type == OPTION_DURATION)
			json_object_set_new(options, row->name,
					    option_duration_to_json(json_integer_value(value)));
		if (value == NULL && row->serve_default != NULL &&
		    !line->given[VLLM_BENCH_base_url])
			json_object_set_new(options, row->name, vllm_bench_get(&line->bench, id));
	}
	return options;
}

void vllm_bench_line_done(struct vllm_bench_line *line)
{
	vllm_bench_done(&line->bench);
	json_decref(line->set);
	json_decref(line->flags);
	for (size_t i = 0; i < line->fault_count; i++) {
		free(line->faults[i].text);
		free(line->faults[i].hint);
		free(line->faults[i].nearest);
	}
	free(line->faults);
	*line = (struct vllm_bench_line){ 0 };
}
