/*
 * Values of dotted keys ("--x.k=v"), typed like vLLM guesses them: json.loads(), and a text if that
 * fails. Python's JSON accepts NaN, Infinity and integers of any length, which ours cannot hold:
 * they are reported, not converted to texts.
 */
#include "option/dotted.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

/* Returns whether `word` is the whole word that ends here. */
static bool ends_with(const char *text, size_t end, const char *word)
{
	size_t len = strlen(word);

	return end >= len && strncmp(text + end - len, word, len) == 0 &&
	       (end == len || !isalnum((unsigned char)text[end - len - 1]));
}

/*
 * Returns whether the parser stopped at a number that only Python accepts. jansson stops after the
 * unknown word, or, at "-Infinity", after the minus.
 */
static bool is_python_number(const char *text, size_t end)
{
	return ends_with(text, end, "NaN") || ends_with(text, end, "Infinity") ||
	       (ends_with(text, end, "-") && pl_text_starts(text + end, "Infinity"));
}

const char *option_json_excess(const char *text)
{
	json_error_t fault;
	auto_json json_t *json = json_loads(text, JSON_DECODE_ANY, &fault);

	if (json != NULL)
		return NULL;
	if (json_error_code(&fault) == json_error_numeric_overflow)
		return strstr(fault.text, "integer") != NULL ? "an integer of more than 64 bits"
							     : "a number that is not finite";
	size_t end = fault.position > 0 ? (size_t)fault.position : 0;
	if (json_error_code(&fault) == json_error_invalid_syntax && end <= strlen(text) &&
	    is_python_number(text, end))
		return "a number that is not finite";
	return NULL;
}

json_t *option_dotted_value(const char *text)
{
	json_t *json = pl_json_of_text(text);

	if (json == NULL && option_json_excess(text) == NULL)
		return json_string(text);
	return json;
}

json_t *option_dotted_list(const char *text)
{
	auto_free char *copy = pl_strdup(text);
	json_t *list = json_array();

	for (char *rest = copy; rest != NULL;)
		json_array_append_new(list, json_string(strsep(&rest, ",")));
	return list;
}

/* Like Python's int() and float(): surrounding blanks, '_' between digits. */
char *option_number_text(const char *text)
{
	auto_free char *copy = pl_strdup(text);
	char *trimmed = pl_text_trim(copy);
	char *to = trimmed;

	for (const char *at = trimmed; *at != '\0'; at++) {
		if (*at != '_')
			*to++ = *at;
		else if (at == trimmed || !isdigit((unsigned char)at[-1]) ||
			 !isdigit((unsigned char)at[1]))
			return NULL;
	}
	*to = '\0';
	return pl_strdup(trimmed);
}

void option_commas_add(json_t *list, const char *text)
{
	auto_free char *copy = pl_strdup(text);

	for (char *rest = copy; rest != NULL;)
		json_array_append_new(list, json_string(pl_text_trim(strsep(&rest, ","))));
}
