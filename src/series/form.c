#include "series/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define DIGITS_MAX 18 /* 63 bits */
#define EXACT_MAX  (INT64_C(1) << 53)
#define MISSES_MAX 256

/* The text before a number, or before the end of the line. */
struct series_piece {
	size_t len;
	int column;
};

void series_form_done(struct series_form *form)
{
	free(form->text);
	free(form->pieces);
}

/* Reads digits without a leading zero. Returns NULL if there is none, or there are too many. */
static const char *take_whole(const char *at, const char *end, int64_t *ret)
{
	const char *start = at;
	int64_t value = 0;

	while (at < end && *at >= '0' && *at <= '9' && at - start < DIGITS_MAX)
		value = value * 10 + (*at++ - '0');
	*ret = value;
	if (at == start || (*start == '0' && at - start > 1))
		return NULL;
	return at < end && *at >= '0' && *at <= '9' ? NULL : at;
}

/*
 * A mantissa up to 2^53 and a power of ten up to 10^22 are exact as doubles, so one division rounds correctly
 * (W. Clinger, "How to read floating point numbers accurately", 1990).
 */
const char *series_take_number(const char *at, const char *end, double *ret)
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
					 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18 };
	bool is_negative = at < end && *at == '-';
	int64_t mantissa;
	size_t decimals = 0;

	at += is_negative;
	const char *start = at;
	at = take_whole(at, end, &mantissa);
	if (at == NULL)
		return NULL;
	if (at < end && *at == '.') {
		const char *point = at++;
		while (at < end && *at >= '0' && *at <= '9' && at - start <= DIGITS_MAX)
			mantissa = mantissa * 10 + (*at++ - '0');
		decimals = (size_t)(at - point) - 1;
		if (decimals == 0)
			return NULL;
	}
	if (mantissa > EXACT_MAX ||
	    (at < end && (*at == 'e' || *at == 'E' || (*at >= '0' && *at <= '9'))))
		return NULL;
	double value = (double)mantissa;
	if (decimals > 0)
		value /= powers[decimals];
	*ret = is_negative ? -value : value;
	return at;
}

void series_form_learn(struct series_form *form, const char *line, size_t len,
		       const struct series_number *numbers, size_t count)
{
	const char *at = line, *end = line + len;
	size_t text_len = 0;

	/* lines without a common form are not worth the work */
	if (form->misses == MISSES_MAX)
		return;
	form->misses++;
	if (form->text_room < len)
		pl_grow((void **)&form->text, &form->text_room, len, 1);
	if (form->piece_room < count + 1)
		pl_grow((void **)&form->pieces, &form->piece_room, count + 1,
			sizeof(form->pieces[0]));
	form->number_count = 0;
	for (size_t i = 0; i <= count; i++) {
		const char *stop = i < count ? numbers[i].text : end;
		if (stop < at)
			return;
		memcpy(form->text + text_len, at, (size_t)(stop - at));
		text_len += (size_t)(stop - at);
		form->pieces[i] = (struct series_piece){ (size_t)(stop - at),
							 i < count ? numbers[i].column : 0 };
		at = i < count ? stop + numbers[i].len : end;
	}
	form->number_count = count;
}

bool series_form_read(const struct series_form *form, const char *line, size_t len,
		      int64_t *ret_t_ns, double *ret_columns)
{
	const char *at = line, *end = line + len, *text = form->text;

	if (form->number_count == 0)
		return false;
	for (size_t i = 0; i <= form->number_count; i++) {
		const struct series_piece *piece = &form->pieces[i];
		if ((size_t)(end - at) < piece->len || memcmp(at, text, piece->len) != 0)
			return false;
		at += piece->len;
		text += piece->len;
		if (i == form->number_count)
			break;
		at = piece->column == SERIES_TIME
			     ? take_whole(at, end, ret_t_ns)
			     : series_take_number(at, end, &ret_columns[piece->column]);
		if (at == NULL)
			return false;
	}
	return at == end;
}
