/* Problems of a command: recorded at its words, and shown with a caret below them. */
#include "vllm/command/line.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/command/command_priv.h"
#include "vllm/replaced.h"
#include "vllm/secret.h"

/* Each word has a column and a blank at least. */
enum {
	SHOWN_COLUMNS = 76,
	BEFORE_COLUMNS = 28,
	WORDS_BEFORE = BEFORE_COLUMNS,
	LINE_BYTES_MAX = 8 << 20
};

/*
 * Returns whether the word is among the values of a secret flag. A list flag hides all its words,
 * so the preceding flag decides.
 */
static bool words_hide(const struct vllm_words *words, size_t at)
{
	size_t command = words->items[at].command;

	if (words->items[at].text[0] == '-')
		return false;
	while (at > 0 && words->items[at - 1].command == command) {
		const char *text = words->items[--at].text;
		if (text[0] == '-')
			return vllm_secret_is_flag(text);
	}
	return false;
}

/* Returns the word that a problem is about. The caller frees it with free(). */
static char *found_text(const struct vllm_parse *parse, const struct option_argv_word *at)
{
	const struct vllm_words *words = &parse->command->words;
	bool is_ours = pl_text_equal(at->source, parse->command->source);
	auto_free char *shown = vllm_secret_word_shown(at->written);

	if (is_ours && at->line > 0 && (size_t)at->line <= words->count &&
	    words_hide(words, (size_t)at->line - 1))
		return pl_strdup("a hidden value");
	return pl_asprintf("text '%.60s'", shown);
}

void vllm_parse_report(struct vllm_parse *parse, const struct option_argv_word *at,
		       const struct option_problem *what)
{
	struct option_problem problem = *what;

	if (parse->problems->count >= VLLM_WORDS_PROBLEMS_MAX && parse->problems->errors > 0)
		return;
	auto_free char *key = at->text[0] == '-' ? vllm_word_key(at) : NULL;
	auto_free char *text = what->found == NULL ? found_text(parse, at) : NULL;

	problem.source = at->source;
	problem.line = at->line;
	problem.column = at->column;
	if (problem.key == NULL)
		problem.key = key;
	if (problem.found == NULL)
		problem.found = text;
	option_problems_add(parse->problems, &problem);
}

void vllm_parse_add(struct vllm_parse *parse, enum option_severity severity,
		    const struct option_argv_word *at, const char *found, const char *expected,
		    const char *nearest)
{
	vllm_parse_report(parse, at,
			  &(struct option_problem){ .severity = severity,
						    .found = found,
						    .expected = expected,
						    .nearest = nearest });
}

void vllm_parse_add_replaced(struct vllm_parse *parse, const struct option_argv_word *at,
			     const char *found, const char *expected, const json_t *replaced_by)
{
	auto_json json_t *settings = vllm_replaced_in_file(replaced_by);

	vllm_parse_report(parse, at,
			  &(struct option_problem){ .severity = OPTION_ERROR,
						    .found = found,
						    .expected = expected,
						    .replaced_by = settings });
}

char *vllm_word_key(const struct option_argv_word *word)
{
	return pl_strndup(word->written, strcspn(word->written, "="));
}

size_t vllm_command_word(const struct vllm_command *command, const struct option_problem *problem)
{
	if (problem->source == NULL || strcmp(problem->source, command->source) != 0 ||
	    problem->line < 1 || (size_t)problem->line > command->words.count)
		return 0;
	return (size_t)problem->line;
}

json_t *vllm_command_problem_to_json(const struct vllm_command *command,
				     const struct option_problem *problem)
{
	json_t *json = option_problem_to_json(problem);
	size_t word = vllm_command_word(command, problem);

	json_object_set_new(json, "word", pl_json_i64((int64_t)word, word > 0));
	if (word > 0)
		json_object_set_new(json, "line",
				    json_integer(command->words.items[word - 1].line));
	return json;
}

/* Adds a word for display: quoted for a shell unless a part is hidden. */
static void add_word(struct pl_buf *line, const char *word, bool hidden)
{
	auto_free char *text = hidden ? pl_strdup(OPTION_SECRET_SHOWN)
				      : vllm_secret_word_shown(word);

	if (strcmp(text, word) == 0)
		vllm_word_quote(word, line);
	else
		pl_buf_add_text(line, text);
}

/* Bytes of `columns` characters from `at` on. */
static size_t bytes_of(const char *at, size_t columns)
{
	size_t len = 0;

	while (at[len] != '\0' && columns > 0) {
		len++;
		while (((unsigned char)at[len] & 0xC0) == 0x80)
			len++;
		columns--;
	}
	return len;
}

static void add_repeated(struct pl_buf *buf, char c, size_t count)
{
	while (count-- > 0)
		pl_buf_add_char(buf, c);
}

/* The line's part around [begin, end) and carets below it. */
static void add_excerpt(struct pl_buf *buf, const char *line, size_t begin, size_t end)
{
	size_t from = begin;
	size_t lead = 0;

	while (from > 0 && lead < BEFORE_COLUMNS) {
		from--;
		lead += ((unsigned char)line[from] & 0xC0) != 0x80;
	}
	if (pl_text_columns(line, strlen(line)) <= SHOWN_COLUMNS)
		from = 0;
	size_t len = bytes_of(line + from, SHOWN_COLUMNS);
	bool cut_before = from > 0;
	bool cut_after = line[from + len] != '\0';
	size_t width = pl_text_columns(line + begin, (end < from + len ? end : from + len) - begin);

	pl_buf_addf(buf, "  %s", cut_before ? "… " : "");
	for (size_t i = from; i < from + len; i++)
		pl_buf_add_char(buf, iscntrl((unsigned char)line[i]) ? ' ' : line[i]);
	pl_buf_addf(buf, "%s\n  %s", cut_after ? " …" : "", cut_before ? "  " : "");
	add_repeated(buf, ' ', pl_text_columns(line + from, begin - from));
	add_repeated(buf, '^', width > 0 ? width : 1);
	pl_buf_add_char(buf, '\n');
}

/* Only the words around it: a line of some thousand words is not put together for each problem. */
static void add_caret(const struct vllm_command *command, size_t word, struct pl_buf *buf)
{
	const struct vllm_words *words = &command->words;
	size_t chosen = words->items[word - 1].command;
	size_t first = word > WORDS_BEFORE ? word - WORDS_BEFORE : 0;
	bool hides = words_hide(words, first);
	size_t begin = 0;
	size_t end = 0;
	auto_buf line = PL_BUF(LINE_BYTES_MAX);

	for (size_t i = first; i < words->count && i < word + SHOWN_COLUMNS; i++) {
		const char *text = words->items[i].text;
		if (words->items[i].command != chosen)
			continue;
		if (line.len > 0)
			pl_buf_add_char(&line, ' ');
		if (i + 1 == word)
			begin = line.len;
		hides = hides && text[0] != '-';
		add_word(&line, text, hides);
		hides = hides || vllm_secret_is_flag(text);
		if (i + 1 == word)
			end = line.len;
	}
	add_excerpt(buf, pl_buf_text(&line), begin, end);
}

void vllm_command_problem_text(const struct vllm_command *command,
			       const struct option_problem *problem, struct pl_buf *buf)
{
	struct option_problem placed = *problem;
	size_t word = vllm_command_word(command, problem);

	if (word > 0)
		placed.line = command->words.items[word - 1].line;
	option_problem_text(&placed, OPTION_AS_LINE, buf);
	pl_buf_add_char(buf, '\n');
	if (word > 0)
		add_caret(command, word, buf);
}
