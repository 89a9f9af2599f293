#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pl_buf_init(struct pl_buf *buf, size_t max_bytes)
{
	*buf = (struct pl_buf){ .max = max_bytes };
}

void pl_buf_done(struct pl_buf *buf)
{
	free(buf->data);
	buf->data = NULL;
	buf->len = 0;
	buf->room = 0;
}

/*
 * Doubles the capacity, so that n appends cost O(n), but never exceeds the limit plus its NUL.
 * `full` remains set until the buffer is cleared: a caller may check it once at the end instead of
 * after each append.
 */
char *pl_buf_reserve(struct pl_buf *buf, size_t len)
{
	/* The first test keeps the sum from wrapping around. */
	if (len >= SIZE_MAX - buf->len || buf->len + len > buf->max) {
		buf->full = true;
		return NULL;
	}
	size_t need = buf->len + len + 1;
	if (need > buf->room) {
		size_t room = buf->room > 0 ? buf->room : 64;
		while (room < need)
			room *= 2;
		if (room - 1 > buf->max)
			room = buf->max + 1;
		buf->data = pl_realloc_array(buf->data, room, 1);
		buf->room = room;
	}
	return buf->data + buf->len;
}

bool pl_buf_add(struct pl_buf *buf, const void *data, size_t len)
{
	char *at = pl_buf_reserve(buf, len);

	if (at == NULL)
		return false;
	if (len > 0)
		memcpy(at, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
	return true;
}

bool pl_buf_add_text(struct pl_buf *buf, const char *text)
{
	return pl_buf_add(buf, text, strlen(text));
}

bool pl_buf_add_char(struct pl_buf *buf, char c)
{
	return pl_buf_add(buf, &c, 1);
}

bool pl_buf_addf(struct pl_buf *buf, const char *format, ...)
{
	va_list args;
	va_list retry;
	size_t room = buf->room - buf->len;

	va_start(args, format);
	va_copy(retry, args);
	/* Most texts fit where they are: one that does not is measured by the way, and made once more. */
	int len = vsnprintf(room > 0 ? buf->data + buf->len : NULL, room, format, args);
	va_end(args);
	char *at = len < 0 ? NULL : pl_buf_reserve(buf, (size_t)len);
	if (at != NULL && (size_t)len >= room)
		vsnprintf(at, (size_t)len + 1, format, retry);
	va_end(retry);
	/* Appends the whole text or nothing. */
	if (at != NULL)
		buf->len += (size_t)len;
	else if (room > 0)
		buf->data[buf->len] = '\0';
	return at != NULL;
}

/*
 * Moves the remaining bytes to the front, which suits queues that are mostly emptied at once. A
 * caller that removes many small pieces should count them and consume once.
 */
void pl_buf_consume(struct pl_buf *buf, size_t len)
{
	if (len >= buf->len) {
		pl_buf_clear(buf);
		return;
	}
	memmove(buf->data, buf->data + len, buf->len - len + 1);
	buf->len -= len;
}

void pl_buf_clear(struct pl_buf *buf)
{
	buf->len = 0;
	buf->full = false;
	if (buf->data != NULL)
		buf->data[0] = '\0';
}

void pl_buf_forget(struct pl_buf *buf, size_t keep_bytes)
{
	pl_buf_clear(buf);
	if (buf->room > keep_bytes)
		pl_buf_done(buf);
}

const char *pl_buf_text(const struct pl_buf *buf)
{
	return buf->data != NULL ? buf->data : "";
}

char *pl_buf_take(struct pl_buf *buf)
{
	/* A text even of nothing, so that no caller has to ask for NULL. */
	char *text = buf->data != NULL ? buf->data : pl_strdup("");

	buf->data = NULL;
	buf->len = 0;
	buf->room = 0;
	return text;
}
