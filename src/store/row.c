#include "store/row.h"

#include <string.h>

#define ARENA_BLOCK_BYTES (64 * 1024)

static void set_cell(struct pl_arena *arena, const struct res_value *value, struct store_cell *cell)
{
	cell->state = (unsigned char)value->state;
	cell->is_explicit = value->is_explicit;
	if (value->state != RES_VALUE_THERE)
		return;
	cell->kind = (unsigned char)value->kind;
	if (value->kind == RES_VALUE_NUMBER)
		cell->number = value->number;
	else if (value->kind == RES_VALUE_YES)
		cell->number = value->yes;
	else
		cell->text = pl_arena_strndup(arena, value->text, strlen(value->text));
}

void store_row_of_document(const struct res_fields *fields, const json_t *document,
			   struct store_row *ret)
{
	const char *run_id = json_string_value(json_object_get(document, "run_id"));
	size_t count;
	const struct res_field *const *columns = store_column_fields(fields, &count);
	struct pl_arena *arena = pl_arena_new(ARENA_BLOCK_BYTES);

	*ret = (struct store_row){ .arena = arena };
	ret->cells = pl_arena_alloc(arena, count * sizeof(*ret->cells));
	if (run_id != NULL)
		ret->run_id = pl_arena_strndup(arena, run_id, strlen(run_id));
	for (size_t i = 0; i < count; i++) {
		auto_value value = { .state = RES_VALUE_NOT_RECORDED };
		res_field_value(fields, columns[i], document, &value);
		set_cell(arena, &value, &ret->cells[i]);
	}
}

void store_row_done(struct store_row *row)
{
	pl_arena_free(row->arena);
	*row = (struct store_row){ 0 };
}
