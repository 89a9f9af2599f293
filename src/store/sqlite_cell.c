#include "store/sqlite_cell.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "store/sqlite.h"

#define WHOLE_MAX \
	9007199254740992.0 /* 2^53: up to here a whole double is the number that it says */

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

static enum res_value_kind kind_of_field(const struct res_field *field)
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

/* What a number or a text of SQL is in this field. */
static enum res_value_kind plain_kind(const struct res_field *field, bool texts)
{
	enum res_value_kind kind = kind_of_field(field);

	if (is_texts(kind) == texts)
		return kind;
	return texts ? RES_VALUE_TEXT : RES_VALUE_NUMBER;
}

static void bind_number(sqlite3_stmt *statement, int at, double number)
{
	/* a whole number takes fewer bytes; a negative zero is none */
	if (number == trunc(number) && fabs(number) < WHOLE_MAX &&
	    (number < 0 || number > 0 || !signbit(number)))
		sqlite3_bind_int64(statement, at, (sqlite3_int64)number);
	else
		sqlite3_bind_double(statement, at, number);
}

static void bind_other(sqlite3_stmt *statement, int at, const struct store_cell *cell)
{
	char number[PL_F64_TEXT_BYTES];

	pl_text_from_f64(cell->number, number);
	auto_free char *text = pl_asprintf("%c%s", letters[cell->kind],
					   cell->text != NULL ? cell->text : number);
	sqlite3_bind_blob64(statement, at, text, strlen(text), SQLITE_TRANSIENT);
}

void store_cell_bind(sqlite3_stmt *statement, int at, const struct res_field *field,
		     const struct store_cell *cell)
{
	bool texts = is_texts(cell->kind);

	if (cell->state == RES_VALUE_NOT_RECORDED)
		sqlite3_bind_null(statement, at);
	else if (cell->state == RES_VALUE_NULL)
		sqlite3_bind_zeroblob(statement, at, 0);
	else if (cell->kind != plain_kind(field, texts))
		bind_other(statement, at, cell);
	else if (texts)
		store_sql_bind_text(statement, at, cell->text);
	else
		bind_number(statement, at, cell->number);
}

static void read_other(sqlite3_stmt *statement, int at, struct store_cell *ret)
{
	/* the text of a blob has a NUL behind it, which the blob has not */
	const char *text = store_sql_text(statement, at);

	for (size_t kind = 0; kind < sizeof(letters); kind++) {
		if (text == NULL || letters[kind] != text[0])
			continue;
		ret->state = RES_VALUE_THERE;
		ret->kind = (unsigned char)kind;
		if (is_texts((enum res_value_kind)kind))
			ret->text = text + 1;
		else if (!pl_text_to_f64(text + 1, &ret->number))
			ret->state = RES_VALUE_NOT_RECORDED;
	}
}

void store_cell_read(sqlite3_stmt *statement, int at, const struct res_field *field,
		     struct store_cell *ret)
{
	/* one look-up of the column: a row has a thousand of them */
	sqlite3_value *value = sqlite3_column_value(statement, at);
	int type = sqlite3_value_type(value);
	bool texts = type == SQLITE_TEXT;

	*ret = (struct store_cell){ .state = RES_VALUE_NOT_RECORDED };
	if (type == SQLITE_NULL)
		return;
	if (type == SQLITE_BLOB && sqlite3_value_bytes(value) == 0) {
		ret->state = RES_VALUE_NULL;
		return;
	}
	if (type == SQLITE_BLOB) {
		read_other(statement, at, ret);
		return;
	}
	ret->state = RES_VALUE_THERE;
	ret->kind = (unsigned char)plain_kind(field, texts);
	if (texts)
		ret->text = (const char *)sqlite3_value_text(value);
	else
		ret->number = sqlite3_value_double(value);
}
