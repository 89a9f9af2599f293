#include "base/strv.h"

#include <stdlib.h>

/*
 * Takes ownership of `text`. pl_grow() zeroes new items and gets one more than needed, which is the
 * NULL.
 */
static void add_owned(struct pl_strv *strv, char *text)
{
	pl_grow((void **)&strv->items, &strv->room, strv->count + 2, sizeof(*strv->items));
	strv->items[strv->count++] = text;
}

void pl_strv_done(struct pl_strv *strv)
{
	for (size_t i = 0; i < strv->count; i++)
		free(strv->items[i]);
	free(strv->items);
	*strv = (struct pl_strv){ 0 };
}

void pl_strv_add(struct pl_strv *strv, const char *text)
{
	add_owned(strv, pl_strdup(text));
}

void pl_strv_addf(struct pl_strv *strv, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_owned(strv, pl_vasprintf(format, args));
	va_end(args);
}

void pl_strv_add_json(struct pl_strv *strv, const json_t *array)
{
	PL_JSON_EACH(item, array) {
		if (json_is_string(item))
			pl_strv_add(strv, json_string_value(item));
	}
}

void pl_strv_add_env(struct pl_strv *strv, const json_t *object)
{
	PL_JSON_EACH_MEMBER(name, value, object) {
		/*
		 * Values other than strings are ignored: the experiment file was validated long
		 * before.
		 */
		if (json_is_string(value))
			pl_strv_addf(strv, "%s=%s", name, json_string_value(value));
	}
}

const char *const *pl_strv_texts(const struct pl_strv *strv)
{
	static const char *const none[] = { NULL };

	return strv->items != NULL ? (const char *const *)strv->items : none;
}
