/*
 * The words of shell texts, for test_pasted_forms.py: standard input has one JSON object per line,
 * {"text": …}; standard output has {"words": [{text, line, column, command, unknown, optional,
 * construct}], "warnings": n, "errors": n} for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "option/problem.h"
#include "vllm/shell/words.h"

static json_t *words_to_json(const struct vllm_words *words)
{
	json_t *list = json_array();

	for (size_t i = 0; i < words->count; i++) {
		const struct vllm_word *word = &words->items[i];
		json_array_append_new(
			list, json_pack("{s:s, s:i, s:i, s:i, s:b, s:b, s:s?}", "text", word->text,
					"line", word->line, "column", word->column, "command",
					(int)word->command, "unknown", word->unknown, "optional",
					word->optional, "construct", word->construct));
	}
	return list;
}

static void answer(const char *text)
{
	auto_words words = { 0 };
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	const struct vllm_words_options how = { .source = "text" };

	if (vllm_words_split(text, strlen(text), &how, &words, &problems, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	auto_json json_t *all = json_pack("{s:o, s:i, s:i}", "words", words_to_json(&words),
					  "warnings", (int)(problems.count - problems.errors),
					  "errors", (int)problems.errors);
	auto_free char *line = pl_json_to_text(all, PL_JSON_COMPACT);
	puts(line);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		auto_json json_t *input = pl_json_of_text(line);
		answer(pl_json_get_text(input, "text"));
	}
	free(line);
	return 0;
}
