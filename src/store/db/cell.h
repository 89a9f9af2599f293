/*
 * A cell as a value of SQLite, and back, with nothing lost (PostgreSQL: store/db/runs.h):
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

#include "store/db/sql.h"
#include "mirror/row.h"

/* The kind that values of the field have, as a rule. */
enum res_value_kind store_cell_kind(const struct res_field *field);
/* A value of any kind as a letter and its text, and back; free(). What is no such text leaves the cell not recorded; the
 * cell borrows it. */
char *store_cell_as_text(const struct mirror_cell *cell);
void store_cell_of_text(const char *text, struct mirror_cell *ret);

/* Borrows the cell's text until the statement is reset. */
void store_cell_bind(struct store_stmt *statement, int at, const struct res_field *field,
		     const struct mirror_cell *cell);
/* ret->is_explicit is false; its text is borrowed until the statement's next step. */
void store_cell_read(struct store_stmt *statement, int at, const struct res_field *field,
		     struct mirror_cell *ret);
