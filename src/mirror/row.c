#include "mirror/row.h"

#include <string.h>

#include "result/fields/values.h"

#define ARENA_BLOCK_BYTES (64 * 1024)

static void set_cell(struct pl_arena *arena, const struct res_values *values,
		     const struct res_field *field, struct mirror_cell *cell)
{
	auto_value made = { .state = RES_VALUE_NOT_RECORDED };
	const struct res_value *value = &made;

	res_values_get(values, field, &made);
	cell->state = (unsigned char)value->state;
	cell->is_explicit = value->is_explicit;
	if (value->state != RES_VALUE_PRESENT)
		return;
	cell->kind = (unsigned char)value->kind;
	if (value->kind == RES_VALUE_NUMBER)
		cell->number = value->number;
	else if (value->kind == RES_VALUE_YES)
		cell->number = value->yes;
	else
		cell->text = pl_arena_strndup(arena, value->text, strlen(value->text));
}

void mirror_row_of_values(const struct res_values *values, struct mirror_row *ret)
{
	const char *run_id = pl_json_get_text(res_values_document(values), "run_id");
	size_t count;
	const struct res_field *const *columns = mirror_column_fields(res_values_fields(values),
								      &count);
	struct pl_arena *arena = pl_arena_new(ARENA_BLOCK_BYTES);

	*ret = (struct mirror_row){ .arena = arena };
	ret->cells = pl_arena_alloc(arena, count * sizeof(*ret->cells));
	if (run_id != NULL)
		ret->run_id = pl_arena_strndup(arena, run_id, strlen(run_id));
	for (size_t i = 0; i < count; i++) {
		/* most are not recorded */
		if (!res_values_lacks(values, columns[i]))
			set_cell(arena, values, columns[i], &ret->cells[i]);
	}
}

void mirror_row_of_document(const struct res_fields *fields, const json_t *document,
			    struct mirror_row *ret)
{
	auto_values struct res_values *values = res_values_new(fields, document);

	mirror_row_of_values(values, ret);
}

void mirror_row_done(struct mirror_row *row)
{
	pl_arena_free(row->arena);
	*row = (struct mirror_row){ 0 };
}
