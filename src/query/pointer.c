#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "query/pointer.h"

size_t query_pointer_enter(struct query_pointer *pointer, const char *key)
{
	size_t before = pointer->pointer.len;

	schema_pointer_add(&pointer->pointer, key);
	return before;
}

size_t query_pointer_enter_item(struct query_pointer *pointer, size_t i)
{
	size_t before = pointer->pointer.len;

	char *at = pl_buf_reserve(&pointer->pointer, 1 + PL_I64_TEXT_BYTES);

	if (at == NULL)
		return before;
	*at = '/';
	at = pl_text_put_i64(at + 1, (int64_t)i);
	*at = '\0';
	pointer->pointer.len = (size_t)(at - pointer->pointer.data);
	return before;
}

void query_pointer_leave(struct query_pointer *pointer, size_t before)
{
	if (pointer->pointer.data == NULL)
		return;
	pointer->pointer.len = before;
	pointer->pointer.data[before] = '\0';
}

static bool add(struct query_pointer *pointer, struct schema_fault fault)
{
	struct schema_faults *faults = pointer->faults;

	fault.pointer = pl_strdup(pl_buf_text(&pointer->pointer));
	faults->bytes += strlen(fault.pointer);
	*PL_PUSH(faults->items, faults->count, faults->room) = fault;
	return false;
}

static bool is_full(struct query_pointer *pointer)
{
	pointer->faults->cut = pointer->faults->count >= FAULTS_MAX;
	return pointer->faults->cut;
}

bool query_pointer_fault(struct query_pointer *pointer, const char *keyword, const json_t *found,
			 const char *expected, const char *nearest)
{
	if (is_full(pointer))
		return false;
	return add(pointer, (struct schema_fault){ .keyword = keyword,
						   .found = schema_describe(found),
						   .expected = pl_strdup(expected),
						   .nearest = pl_strdup(nearest) });
}

bool query_pointer_limit(struct query_pointer *pointer, const json_t *found, size_t most,
			 const char *what)
{
	auto_free char *expected = pl_asprintf("at most %zu %s", most, what);

	return query_pointer_fault(pointer, "limit", found, expected, NULL);
}

bool query_pointer_missing(struct query_pointer *pointer, const char *key, const char *expected)
{
	if (is_full(pointer))
		return false;
	return add(pointer, (struct schema_fault){ .keyword = "required",
						   .key = pl_strdup(key),
						   .found = pl_strdup("nothing"),
						   .expected = pl_strdup(expected) });
}
