/*
 * Values in the words of a command line, parsed like vLLM: JSON in a whole word ("--x {…}") and
 * after a dotted key ("--x.a.b v", "--x.a+ v,w"), numbers, lists with commas.
 */
#pragma once

#include "base/json.h"

/*
 * Returns which data Python's json.loads() accepts but our JSON cannot hold: "a number that is not
 * finite" (NaN, Infinity, 1e999), "an integer of more than 64 bits". NULL: the text is JSON, or
 * also invalid in Python.
 */
const char *option_json_excess(const char *text);
/*
 * Parses the text as JSON; returns the text itself if it is not JSON. The last of duplicate keys
 * counts, as in Python. New reference. NULL: it has an excess.
 */
json_t *option_dotted_value(const char *text);
/* Splits "a,b" into a list of texts. New reference. */
json_t *option_dotted_list(const char *text);
/*
 * Removes the blanks around a number and '_' between its digits, as Python accepts them; NULL: a
 * '_' is elsewhere. The caller frees it with free().
 */
char *option_number_text(const char *text);
/* Adds the parts of "a, b", without surrounding blanks. */
void option_commas_add(json_t *list, const char *text);
