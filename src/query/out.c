#include <math.h>
#include <string.h>

#include "base/text.h"
#include "query/out_priv.h"

void out_next(struct pl_buf *out)
{
	char last = out->len > 0 ? out->data[out->len - 1] : '{';

	if (last != '{' && last != '[' && last != ':')
		out_literal(out, ",");
}

void out_text(struct pl_buf *out, const char *text)
{
	pl_text_add_json(out, text, strlen(text), false);
}

void out_key(struct pl_buf *out, const char *name)
{
	out_next(out);
	out_text(out, name);
	out_literal(out, ":");
}

void out_text_or_null(struct pl_buf *out, const char *text)
{
	if (text != NULL)
		out_text(out, text);
	else
		pl_buf_add_text(out, "null");
}

void out_i64(struct pl_buf *out, int64_t number)
{
	char *at = pl_buf_reserve(out, PL_I64_TEXT_BYTES);

	if (at == NULL)
		return;
	out->len = (size_t)(pl_text_put_i64(at, number) - out->data);
	out->data[out->len] = '\0';
}

void out_f64(struct pl_buf *out, double number)
{
	out_f64_rounded(out, number, PL_F64_DIGITS_MAX);
}

void out_f64_rounded(struct pl_buf *out, double number, int digits_max)
{
	if (isnan(number)) {
		pl_buf_add_text(out, "null");
	} else if (isinf(number)) {
		pl_buf_add_text(out, number > 0 ? "\"inf\"" : "\"-inf\"");
	} else if (out_is_whole(number)) {
		out_i64(out, (int64_t)number);
	} else {
		char *at = pl_buf_reserve(out, PL_F64_TEXT_BYTES);
		if (at != NULL)
			out->len += (size_t)(pl_text_put_f64_rounded(at, number, digits_max) - at);
	}
}

void out_value(struct pl_buf *out, const struct store_value *value)
{
	switch ((enum store_class)value->class) {
	case STORE_NUMBER:
		out_f64(out, value->number);
		break;
	case STORE_NO:
		pl_buf_add_text(out, "false");
		break;
	case STORE_YES:
		pl_buf_add_text(out, "true");
		break;
	case STORE_TEXT:
		out_text(out, value->text);
		break;
	case STORE_JSON:
		pl_buf_add_text(out, value->text);
		break;
	default:
		pl_buf_add_text(out, "null");
		break;
	}
}
