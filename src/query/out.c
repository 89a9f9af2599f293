#include <math.h>
#include <string.h>

#include "base/text.h"
#include "query/out_priv.h"

void query_out_next(struct pl_buf *out)
{
	char last = out->len > 0 ? out->data[out->len - 1] : '{';

	if (last != '{' && last != '[' && last != ':')
		out_literal(out, ",");
}

void query_out_text(struct pl_buf *out, const char *text)
{
	pl_text_add_json(out, text, strlen(text), false);
}

void query_out_key(struct pl_buf *out, const char *name)
{
	query_out_next(out);
	query_out_text(out, name);
	out_literal(out, ":");
}

void query_out_text_or_null(struct pl_buf *out, const char *text)
{
	if (text != NULL)
		query_out_text(out, text);
	else
		pl_buf_add_text(out, "null");
}

void query_out_i64(struct pl_buf *out, int64_t number)
{
	char *at = pl_buf_reserve(out, PL_I64_TEXT_BYTES);

	if (at == NULL)
		return;
	out->len = (size_t)(pl_text_put_i64(at, number) - out->data);
	out->data[out->len] = '\0';
}

void query_out_f64(struct pl_buf *out, double number)
{
	query_out_f64_rounded(out, number, PL_F64_DIGITS_MAX);
}

void query_out_f64_rounded(struct pl_buf *out, double number, int digits_max)
{
	if (isnan(number)) {
		pl_buf_add_text(out, "null");
	} else if (isinf(number)) {
		pl_buf_add_text(out, number > 0 ? "\"inf\"" : "\"-inf\"");
	} else if (out_is_whole(number)) {
		query_out_i64(out, (int64_t)number);
	} else {
		char *at = pl_buf_reserve(out, PL_F64_TEXT_BYTES);
		if (at != NULL)
			out->len += (size_t)(pl_text_put_f64_rounded(at, number, digits_max) - at);
	}
}

void query_out_value(struct pl_buf *out, const struct mirror_value *value)
{
	switch ((enum mirror_class)value->class) {
	case MIRROR_NUMBER:
		query_out_f64(out, value->number);
		break;
	case MIRROR_NO:
		pl_buf_add_text(out, "false");
		break;
	case MIRROR_YES:
		pl_buf_add_text(out, "true");
		break;
	case MIRROR_TEXT:
		query_out_text(out, value->text);
		break;
	case MIRROR_JSON:
		pl_buf_add_text(out, value->text);
		break;
	default:
		pl_buf_add_text(out, "null");
		break;
	}
}

int query_out_end(struct pl_buf *out, int64_t data_version, const char *remedy, struct pl_err *err)
{
	query_out_key(out, "data_version");
	query_out_i64(out, data_version);
	pl_buf_add_char(out, '}');
	return out->full ? pl_err_set(err, PL_ERR_INVALID,
				      "the response is larger than %zu bytes%s", out->max, remedy)
			 : 0;
}
