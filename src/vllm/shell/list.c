/* Lists of words, and a word as a shell reads it back. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "vllm/shell/shell_priv.h"

/* Characters that Python's shlex.quote() leaves unquoted. */
#define SAFE_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"

bool vllm_words_add(struct vllm_words *words, const char *text, int line, int column,
		    size_t command)
{
	if (!pl_text_is_utf8(text))
		return false;
	words->bytes += strlen(text);
	*PL_PUSH(words->items, words->count, words->room) = (struct vllm_word){
		.text = pl_strdup(text),
		.line = line,
		.column = column,
		.command = command,
	};
	return true;
}

void vllm_words_truncate(struct vllm_words *words, size_t count)
{
	while (words->count > count) {
		struct vllm_word *word = &words->items[--words->count];
		words->mark_count -= word->marks.count;
		free(word->text);
		vllm_marks_done(&word->marks);
	}
}

void vllm_words_copy(struct vllm_words *words, const struct vllm_words *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct vllm_word word = from->items[i];
		word.text = pl_strdup(word.text);
		word.marks = (struct vllm_marks){ 0 };
		vllm_shell_marks_copy(words, &word.marks, 0, &from->items[i].marks, 0,
				      strlen(word.text) + 1);
		words->bytes += strlen(word.text);
		*PL_PUSH(words->items, words->count, words->room) = word;
	}
	words->commands += from->commands;
}

void vllm_words_append(struct vllm_words *words, struct vllm_words *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct vllm_word *word = PL_PUSH(words->items, words->count, words->room);
		*word = from->items[i];
		word->command += words->commands;
		words->bytes += strlen(word->text);
		words->mark_count += word->marks.count;
	}
	words->commands += from->commands;
	from->count = 0;
	if (words->exported == NULL)
		words->exported = json_object();
	json_object_update(words->exported, from->exported);
}

void vllm_words_done(struct vllm_words *words)
{
	vllm_words_truncate(words, 0);
	free(words->items);
	for (size_t i = 0; i < words->here_count; i++) {
		free(words->heres[i].text);
		vllm_marks_done(&words->heres[i].marks);
	}
	free(words->heres);
	if (words->variables != NULL)
		vllm_shell_variables_done(words->variables);
	free(words->variables);
	json_decref(words->exported);
	*words = (struct vllm_words){ 0 };
}

/*
 * Returns the length of a control character that a terminal may obey, when it shows the word or when the word is pasted
 * into it; 0: none. Line feeds and tabs are part of texts such as chat templates.
 */
static size_t control_len(const char *at)
{
	const unsigned char *byte = (const unsigned char *)at;

	if (byte[0] == 0x7f || (byte[0] < ' ' && byte[0] != '\n' && byte[0] != '\t'))
		return 1;
	return byte[0] == 0xc2 && byte[1] >= 0x80 && byte[1] < 0xa0 ? 2 : 0;
}

static void add_control(const char *at, size_t len, struct pl_buf *buf)
{
	pl_buf_add_text(buf, "'$'");
	for (size_t i = 0; i < len; i++)
		pl_buf_addf(buf, "\\x%02x", (unsigned char)at[i]);
	pl_buf_add_text(buf, "''");
}

void vllm_word_quote(const char *word, struct pl_buf *buf)
{
	size_t len;

	if (word[0] != '\0' && strspn(word, SAFE_BYTES) == strlen(word)) {
		pl_buf_add_text(buf, word);
		return;
	}
	pl_buf_add_char(buf, '\'');
	for (; *word != '\0'; word += len > 0 ? len : 1) {
		len = control_len(word);
		if (len > 0)
			add_control(word, len, buf);
		else if (*word == '\'')
			pl_buf_add_text(buf, "'\\''");
		else
			pl_buf_add_char(buf, *word);
	}
	pl_buf_add_char(buf, '\'');
}
