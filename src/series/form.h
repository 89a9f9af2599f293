/*
 * The form of a line: its text without its numbers. The lines of one track mostly differ only in their numbers, so a
 * line of a known form is read several times as fast as by tokens, with the same result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of a line. */
struct series_number {
	const char *text;
	size_t len;
	int column; /* SERIES_TIME: the time of the line */
};
#define SERIES_TIME (-1)

/* Zeroed: none is known. */
struct series_form {
	char *text; /* the pieces between the numbers, one after the other */
	struct series_piece *pieces;
	size_t number_count; /* each follows one piece; another piece is the end */
	size_t text_room;
	size_t piece_room;
	size_t misses; /* lines that did not have the form known then */
};
void series_form_done(struct series_form *form);

/* Takes the form of a line whose numbers are known, in the order of the line. */
void series_form_learn(struct series_form *form, const char *line, size_t len,
		       const struct series_number *numbers, size_t count);
/*
 * Reads a line of this form: sets the time, and the columns that the form has. Returns false for a line that has
 * another form, or a number that this cannot convert exactly; the columns are undefined then.
 */
bool series_form_read(const struct series_form *form, const char *line, size_t len,
		      int64_t *ret_t_ns, double *ret_columns);

/*
 * Converts a number as JSON writes it. Returns the position after it; NULL: it has an exponent, or more digits than can
 * be converted exactly here.
 */
const char *series_take_number(const char *at, const char *end, double *ret);
