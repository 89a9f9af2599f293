#include "store/saved/name.h"

#include <string.h>

#include "base/text.h"
#include "query/needle.h"

/* Case folding maps characters one to one: equal length and an equal start mean equality. */
bool store_name_is(const struct query_needle *needle, const char *name, const char *other)
{
	return pl_text_columns(name, strlen(name)) == pl_text_columns(other, strlen(other)) &&
	       query_needle_is_in(needle, other);
}
