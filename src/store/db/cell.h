/*
 * Lossless conversion of a cell to a value of SQLite and back (PostgreSQL: store/db/runs.h):
 *
 *	not recorded                      NULL
 *	null                              x'', an empty blob
 *	a number, including infinity      INTEGER or REAL
 *	true, false                       1, 0
 *	a text; JSON                      TEXT
 *
 * So `"server.seed" IS NULL`, `= x''` and `> 5` mean what they seem to mean. If a value is of another kind than its
 * field, and its SQL type does not identify the kind, it is a blob of a letter and the value as text: y1.0, n1.5, t…,
 * j….
 */
#pragma once

#include "mirror/row.h"
#include "store/db/sql.h"

/* Returns the usual kind of the field's values. */
enum res_value_kind store_cell_kind(const struct res_field *field);
/*
 * Convert a value of any kind to a letter with its text (free()) and back. An invalid text leaves the cell not
 * recorded. The cell borrows the text.
 */
char *store_cell_as_text(const struct mirror_cell *cell);
void store_cell_of_text(const char *text, struct mirror_cell *ret);

/* Borrows the cell's text until the statement is reset. */
void store_cell_bind(struct store_stmt *statement, int at, const struct res_field *field,
		     const struct mirror_cell *cell);
/* Sets is_explicit to false. The text is borrowed until the statement's next step. */
void store_cell_read(struct store_stmt *statement, int at, const struct res_field *field,
		     struct mirror_cell *ret);
