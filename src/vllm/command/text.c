/* Commands for people and shells: a problem with a caret, values as a command line. */
#include "vllm/command/line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "vllm/server_args.h"
#include "vllm/command/command_priv.h"

#define API_SERVER ".api_server"

/* Each word has a column and a blank at least. */
enum {
	SHOWN_COLUMNS = 76,
	BEFORE_COLUMNS = 28,
	WORDS_BEFORE = BEFORE_COLUMNS,
	LINE_BYTES_MAX = 8 << 20
};

/* As it is shown: as a shell wants it where nothing of it is hidden. */
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

bool vllm_words_hide(const struct vllm_words *words, size_t at)
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

static void add_caret(const struct vllm_command *command, size_t word, struct pl_buf *buf)
{
	const struct vllm_words *words = &command->words;
	size_t chosen = words->items[word - 1].command;
	size_t first = word > WORDS_BEFORE ? word - WORDS_BEFORE : 0;
	bool hides = vllm_words_hide(words, first);
	size_t begin = 0;
	size_t end = 0;
	auto_buf line = { 0 };

	pl_buf_init(&line, LINE_BYTES_MAX);
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
	option_problem_text(&placed, buf);
	pl_buf_add_char(buf, '\n');
	if (word > 0)
		add_caret(command, word, buf);
}

static bool is_module(const json_t *launch)
{
	const char *last = json_string_value(json_array_get(launch, json_array_size(launch) - 1));

	return last != NULL && pl_text_ends(last, API_SERVER);
}

static void write_env(const json_t *env, bool secrets, struct pl_buf *buf)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)env, name, value)
	{
		if (!json_is_string(value))
			continue;
		bool hidden = !secrets && option_secret_is_name(name);
		auto_free char *text = secrets ? pl_strdup(json_string_value(value))
					       : option_secret_urls_shown(json_string_value(value));
		pl_buf_addf(buf, "%s=", name);
		vllm_word_quote(hidden ? OPTION_SECRET_SHOWN : text, buf);
		pl_buf_add_char(buf, ' ');
	}
}

/* A model that looks like a flag stands behind "--". */
static void write_argv(const json_t *argv, const struct vllm_command_style *style,
		       const char *model, struct pl_buf *buf)
{
	bool is_dashed = model != NULL && model[0] == '-';
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)argv, i, item)
	{
		const char *word = json_string_value(item);
		bool breaks = style->flag_a_line && pl_text_starts(word, "--");
		bool is_model = i == 0 && model != NULL;
		if (is_model && is_dashed)
			continue;
		pl_buf_add_text(buf, breaks ? " \\\n    " : " ");
		if (is_model && is_module(style->launch))
			pl_buf_add_text(buf, style->flag_a_line ? "\\\n    --model " : "--model ");
		vllm_word_quote(word, buf);
	}
	if (is_dashed) {
		pl_buf_add_text(buf, " -- ");
		vllm_word_quote(model, buf);
	}
}

int vllm_command_write(const json_t *values, const struct vllm_command_style *style,
		       struct pl_buf *buf, struct pl_err *err)
{
	auto_json json_t *argv = json_array();
	auto_json json_t *secret_env = NULL;
	auto_json json_t *vllm = json_pack("[ss]", "vllm", "serve");
	const json_t *launch = json_array_size(style->launch) > 0 ? style->launch : vllm;
	const char *model = json_string_value(json_object_get(values, "model"));
	size_t i;
	json_t *word;

	if (vllm_args_to_argv(vllm_catalog_or_reference(style->catalog), values, argv, &secret_env,
			      err) < 0)
		return -1;
	auto_json json_t *argv_shown = style->secrets ? json_incref(argv)
						      : vllm_secret_words_shown(argv);
	auto_json json_t *launch_shown = style->secrets ? json_incref((json_t *)launch)
							: vllm_secret_words_shown(launch);
	write_env(style->env, style->secrets, buf);
	write_env(secret_env, style->secrets, buf);
	json_array_foreach(launch_shown, i, word)
	{
		if (i > 0)
			pl_buf_add_char(buf, ' ');
		vllm_word_quote(json_string_value(word), buf);
	}
	write_argv(argv_shown, style, model, buf);
	pl_buf_add_char(buf, '\n');
	return buf->full ? pl_err_set(err, PL_ERR_INVALID, "the command line is too long") : 0;
}
