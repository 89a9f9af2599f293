/*
 * A cell as a value of SQL, and back, with nothing lost:
 *
 *	not recorded                NULL
 *	null                        x'', a blob of no bytes
 *	a number, an infinite too   INTEGER or REAL
 *	true, false                 1, 0
 *	a text; JSON                TEXT
 *
 * so that `"server.seed" IS NULL`, `= x''` and `> 5` ask for the three things that they look like. Where
 * a value is of another kind than its field, and the type of SQL alone would not tell which, it is a blob
 * of a letter and the value as text: y1.0, n1.5, t…, j….
 */
#pragma once

#include "store/row.h"

#include <sqlite3.h>

/* Borrows the cell's text until the statement is reset. */
void store_cell_bind(sqlite3_stmt *statement, int at, const struct res_field *field,
		     const struct store_cell *cell);
/* ret->is_explicit is false; its text is borrowed until the statement's next step. */
void store_cell_read(sqlite3_stmt *statement, int at, const struct res_field *field,
		     struct store_cell *ret);
