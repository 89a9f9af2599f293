/*
 * Values in the words of a command line, as vLLM reads them: JSON in a whole word ("--x {…}") and
 * behind a dotted key ("--x.a.b v", "--x.a+ v,w"), numbers, lists with commas.
 */
#pragma once

#include "base/json.h"

/*
 * What Python's json.loads() takes and no JSON here can hold: "a number that is not finite" (NaN,
 * Infinity, 1e999), "an integer of more than 64 bits". NULL: the text is JSON, or no JSON for Python too.
 */
const char *option_json_excess(const char *text);
/*
 * JSON where the text is some, else the text. Duplicate keys: the last, as in Python. New
 * reference. NULL: it has an excess.
 */
json_t *option_dotted_value(const char *text);
/* "a,b" as a list of texts. New reference. */
json_t *option_dotted_list(const char *text);
/* A number without the blanks around it and the '_' between its digits, as Python takes it; NULL: a
 * '_' stands elsewhere. The caller's (free()). */
char *option_number_text(const char *text);
/* Adds the words of "a, b", without the blanks around them. */
void option_commas_add(json_t *list, const char *text);
