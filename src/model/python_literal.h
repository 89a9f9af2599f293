/*
 * Python values as they are printed.
 */
#ifndef MODEL_PYTHON_LITERAL_H
#define MODEL_PYTHON_LITERAL_H

#include "base/json.h"

/*
 * "['*']", "{'a': None}", "0.5", "True" as JSON, tuples as lists; NULL where the text is no such
 * value: words, objects ("Config(a=1)"), numbers that JSON does not have. New reference.
 */
json_t *md_python_literal(const char *text);

#endif
