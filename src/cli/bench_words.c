#include "cli/bench_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "vllm/bench_options.h"

#define TEXT_BYTES_MAX (1u << 20)
#define SECTION        "benchmark."

/* "--vocab-size" of "vocab_size"; NULL: no option. */
static char *flag_of(const char *name)
{
	enum vllm_bench_id id = vllm_bench_find(name);

	if (id == VLLM_BENCH_COUNT)
		return NULL;
	char *flag = pl_asprintf("--%s", vllm_bench_row(id)->name);
	for (char *at = flag; *at != '\0'; at++)
		*at = *at == '_' ? '-' : *at;
	return flag;
}

/* A key with its section, as messages about a file begin with it. */
static char *flag_of_path(const char *text, size_t *ret_len)
{
	*ret_len = strspn(text, "abcdefghijklmnopqrstuvwxyz_.");
	/* a full stop is no part of it */
	if (*ret_len > 0 && text[*ret_len - 1] == '.')
		(*ret_len)--;
	auto_free char *path = pl_strndup(text, *ret_len);

	if (pl_text_equal(path, "launch.url"))
		return pl_strdup("--base-url");
	return pl_text_starts(path, SECTION) ? flag_of(path + strlen(SECTION)) : NULL;
}

/*
 * A name in quotes. Values stand in quotes too, so that one word alone counts only where the
 * message begins with it.
 */
static char *flag_of_quoted(const char *text, bool is_first, size_t *ret_len)
{
	size_t len = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
	auto_free char *name = pl_strndup(text + 1, len);

	*ret_len = len + 2;
	if (text[1 + len] != '\'' || (!is_first && strchr(name, '_') == NULL))
		return NULL;
	return flag_of(name);
}

char *cli_bench_in_flags(const char *text)
{
	const char *start = text;
	auto_buf told = { 0 };

	pl_buf_init(&told, TEXT_BYTES_MAX);
	while (*text != '\0') {
		bool is_word = text == start || strchr(" (:;,", text[-1]) != NULL;
		auto_free char *flag = NULL;
		size_t len = 1;
		if (is_word && *text == '\'')
			flag = flag_of_quoted(text, text == start, &len);
		else if (is_word)
			flag = flag_of_path(text, &len);
		if (flag == NULL)
			len = 1;
		pl_buf_add(&told, flag != NULL ? flag : text, flag != NULL ? strlen(flag) : len);
		text += len;
	}
	return pl_buf_take(&told);
}

int cli_bench_fail(const struct pl_err *err)
{
	auto_free char *text = cli_bench_in_flags(err->text);

	pl_log(PL_LOG_ERROR, "%s", text);
	return pl_err_exit_status(err->code);
}
