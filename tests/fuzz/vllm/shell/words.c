/* Any bytes as a shell's text: answers, never a crash; each word quoted is that word again. */
#include "vllm/shell/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "option/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_quoted(const char *word)
{
	auto_words words = { 0 };
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;
	auto_buf quoted = { 0 };

	/* a control character takes nine bytes */
	pl_buf_init(&quoted, 9 * strlen(word) + 16);
	vllm_word_quote(word, &quoted);
	if (quoted.len > VLLM_WORDS_BYTES_MAX)
		return;
	if (vllm_words_split(pl_buf_text(&quoted), quoted.len,
			     &(struct vllm_words_options){ .source = "quoted" }, &words, &problems,
			     &err) < 0 ||
	    words.count != 1 || strcmp(words.items[0].text, word) != 0 || problems.count > 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	auto_words words = { 0 };
	auto_problems problems = { 0 };
	struct pl_err err = PL_ERR_INIT;

	if (vllm_words_split((const char *)data, len,
			     &(struct vllm_words_options){ .source = "fuzz" }, &words, &problems,
			     &err) < 0)
		return err.text[0] == '\0' ? abort(), 0 : 0;
	for (size_t i = 0; i < words.count; i++) {
		const struct vllm_word *word = &words.items[i];
		if (word->line < 1 || word->column < 1 || word->command >= words.commands)
			abort();
		if (i < 1000)
			check_quoted(word->text);
	}
	for (size_t i = 0; i < problems.count; i++) {
		if (problems.items[i].line < 1 || problems.items[i].column < 1)
			abort();
	}
	return 0;
}
