#include "store/db/cell.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "store/db/driver_priv.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53: up to here, doubles represent whole numbers exactly */

static const char letters[] = {
	[RES_VALUE_NUMBER] = 'n',
	[RES_VALUE_TEXT] = 't',
	[RES_VALUE_YES] = 'y',
	[RES_VALUE_JSON] = 'j',
};

static bool is_texts(enum res_value_kind kind)
{
	return kind == RES_VALUE_TEXT || kind == RES_VALUE_JSON;
}

enum res_value_kind store_cell_kind(const struct res_field *field)
{
	switch (field->type) {
	case RES_FIELD_YES:
		return RES_VALUE_YES;
	case RES_FIELD_TEXT:
	case RES_FIELD_TIME:
		return RES_VALUE_TEXT;
	case RES_FIELD_JSON:
		return RES_VALUE_JSON;
	default:
		return RES_VALUE_NUMBER;
	}
}

/* Returns the kind of a plain SQL number or text in this field. */
static enum res_value_kind plain_kind(const struct res_field *field, bool texts)
{
	enum res_value_kind kind = store_cell_kind(field);

	if (is_texts(kind) == texts)
		return kind;
	return texts ? RES_VALUE_TEXT : RES_VALUE_NUMBER;
}

static void bind_number(struct store_stmt *statement, int at, double number)
{
	/* a whole number takes fewer bytes; negative zero must stay a double */
	if (number == trunc(number) && fabs(number) < WHOLE_MAX &&
	    (number < 0 || number > 0 || !signbit(number)))
		store_sql_bind_i64(statement, at, (int64_t)number);
	else
		store_sql_bind_f64(statement, at, number);
}

char *store_cell_as_text(const struct mirror_cell *cell)
{
	char number[PL_F64_TEXT_BYTES];

	pl_text_from_f64(cell->number, number);
	return pl_asprintf("%c%s", letters[cell->kind], cell->text != NULL ? cell->text : number);
}

static void bind_other(struct store_stmt *statement, int at, const struct mirror_cell *cell)
{
	auto_free char *text = store_cell_as_text(cell);

	statement->sql->driver->bind(statement, at,
				     &(struct store_sql_value){ .type = STORE_SQL_BYTES,
								.is_brief = true,
								.data = text,
								.len = strlen(text) });
}

void store_cell_bind(struct store_stmt *statement, int at, const struct res_field *field,
		     const struct mirror_cell *cell)
{
	bool texts = is_texts(cell->kind);

	if (cell->state == RES_VALUE_NOT_RECORDED)
		store_sql_bind_null(statement, at);
	else if (cell->state == RES_VALUE_NULL)
		store_sql_bind_bytes(statement, at, "", 0);
	else if (cell->kind != plain_kind(field, texts))
		bind_other(statement, at, cell);
	else if (texts)
		store_sql_bind_text(statement, at, cell->text);
	else
		bind_number(statement, at, cell->number);
}

void store_cell_of_text(const char *text, struct mirror_cell *ret)
{
	*ret = (struct mirror_cell){ .state = RES_VALUE_NOT_RECORDED };
	for (size_t kind = 0; kind < sizeof(letters); kind++) {
		if (text == NULL || letters[kind] != text[0])
			continue;
		ret->state = RES_VALUE_PRESENT;
		ret->kind = (unsigned char)kind;
		if (is_texts((enum res_value_kind)kind))
			ret->text = text + 1;
		else if (!pl_text_to_f64(text + 1, &ret->number))
			ret->state = RES_VALUE_NOT_RECORDED;
	}
}

void store_cell_read(struct store_stmt *statement, int at, const struct res_field *field,
		     struct mirror_cell *ret)
{
	struct store_sql_value value;

	*ret = (struct mirror_cell){ .state = RES_VALUE_NOT_RECORDED };
	store_sql_value(statement, at, &value);
	switch (value.type) {
	case STORE_SQL_NULL:
		return;
	case STORE_SQL_BYTES:
		if (value.len == 0)
			ret->state = RES_VALUE_NULL;
		else
			/* SQLite appends a NUL to the text of a blob */
			store_cell_of_text(store_sql_text(statement, at), ret);
		return;
	case STORE_SQL_TEXT:
		ret->text = value.data;
		break;
	case STORE_SQL_INTEGER:
		ret->number = (double)value.integer;
		break;
	case STORE_SQL_REAL:
		ret->number = value.real;
		break;
	}
	ret->state = RES_VALUE_PRESENT;
	ret->kind = (unsigned char)plain_kind(field, value.type == STORE_SQL_TEXT);
}
