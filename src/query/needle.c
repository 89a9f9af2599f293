#include "query/needle.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

struct query_needle {
	pcre2_code *code;
	pcre2_match_data *found;
};

struct query_needle *query_needle_new(const char *text, bool at_start)
{
	struct query_needle *needle = pl_alloc(sizeof(*needle));
	uint32_t options = PCRE2_LITERAL | PCRE2_CASELESS | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
			   (at_start ? PCRE2_ANCHORED : 0);
	int fault;
	size_t at;

	needle->code = pcre2_compile((PCRE2_SPTR)text, strlen(text), options, &fault, &at, NULL);
	/* a short literal text cannot be a wrong pattern, only invalid UTF-8 */
	if (needle->code == NULL)
		return needle;
	/* if code cannot be generated at run time, the interpreter is used */
	(void)pcre2_jit_compile(needle->code, PCRE2_JIT_COMPLETE);
	needle->found = pcre2_match_data_create_from_pattern(needle->code, NULL);
	return needle;
}

void query_needle_free(struct query_needle *needle)
{
	if (needle == NULL)
		return;
	pcre2_match_data_free(needle->found);
	pcre2_code_free(needle->code);
	free(needle);
}

bool query_needle_find(const struct query_needle *needle, const char *text, size_t len, size_t from,
		       size_t *ret_at)
{
	if (needle->code == NULL ||
	    pcre2_match(needle->code, (PCRE2_SPTR)text, len, from, 0, needle->found, NULL) < 0)
		return false;
	*ret_at = pcre2_get_ovector_pointer(needle->found)[0];
	return true;
}

bool query_needle_is_in(const struct query_needle *needle, const char *text)
{
	size_t at;

	return query_needle_find(needle, text, strlen(text), 0, &at);
}
