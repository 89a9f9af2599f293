/* Words of commands, and JSON in a host without memory or with small stacks. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/library.h"

void library_words_done(struct library_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct library_words){ 0 };
}

void library_words_take(struct library_words *words, char *word)
{
	*PL_PUSH(words->items, words->count, words->room) = word;
}

void library_words_add(struct library_words *words, const char *word)
{
	library_words_take(words, pl_strdup(word));
}

char *library_absolute(const char *path, struct pl_err *err)
{
	if (path[0] == '/')
		return pl_strdup(path);
	auto_free char *folder = getcwd(NULL, 0);
	if (folder == NULL) {
		pl_err_errno(err, "could not find the working directory");
		return NULL;
	}
	return pl_asprintf("%s/%s", folder, path);
}

/* Brackets within strings do not count. */
static bool is_deep(const char *text, size_t len)
{
	bool is_string = false;
	size_t levels = 0;

	for (size_t i = 0; i < len; i++) {
		if (is_string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			is_string = !is_string;
		else if (is_string)
			continue;
		else if ((text[i] == '[' || text[i] == '{') && ++levels > LIBRARY_LEVELS_MAX)
			return true;
		else if ((text[i] == ']' || text[i] == '}') && levels > 0)
			levels--;
	}
	return false;
}

int library_json_parse(const char *text, size_t len, const char *source, json_t **ret,
		       struct pl_err *err)
{
	if (is_deep(text, len))
		return pl_err_invalid(err, "'%s' has more than %d levels of lists and objects",
				      source, LIBRARY_LEVELS_MAX);
	if (pl_json_check_memory(text, len, PL_JSON_MEMORY_BYTES_MAX, source, err) < 0)
		return -1;
	return pl_json_parse(text, len, source, ret, err);
}

void library_json_add(json_t *list, json_t *item)
{
	if (json_array_append(list, item) < 0)
		pl_must(NULL);
}
