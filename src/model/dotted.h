/* What stands behind a dotted key on a command line ("--x.a.b v", "--x.a+ v,w"), as vLLM reads it. */
#ifndef MODEL_DOTTED_H
#define MODEL_DOTTED_H

#include "base/json.h"

/* JSON where the text is some, else the text. Duplicate keys: the last, as in Python. New reference. */
json_t *md_dotted_value(const char *text);
/* "a,b" as a list of texts. New reference. */
json_t *md_dotted_list(const char *text);

#endif
