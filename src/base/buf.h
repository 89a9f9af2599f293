/*
 * A growing byte buffer with a ceiling chosen at birth: a peer can make an append fail, never make
 * the process grow. `data` is always followed by a NUL that does not count in `len`.
 */
#pragma once

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pl_buf {
	char *data; /* never NULL after the first append; use pl_buf_text() before */
	size_t len;
	size_t room;
	size_t max; /* bytes; appends beyond it fail and set `full` */
	bool full;
};

/* No memory is taken until the first append. */
void pl_buf_init(struct pl_buf *buf, size_t max_bytes);
void pl_buf_done(struct pl_buf *buf);
#define auto_buf __attribute__((cleanup(pl_buf_done), unused)) struct pl_buf
/* auto_buf text = PL_BUF(TEXT_BYTES_MAX); as pl_buf_init(). */
#define PL_BUF(max_bytes)           \
	{                           \
		.max = (max_bytes), \
	}

/* False, with nothing appended, when the ceiling would be passed. */
bool pl_buf_add(struct pl_buf *buf, const void *data, size_t len);
bool pl_buf_add_text(struct pl_buf *buf, const char *text);
bool pl_buf_addf(struct pl_buf *buf, const char *format, ...) PL_PRINTF(2, 3);
bool pl_buf_add_char(struct pl_buf *buf, char c);
/* Room for `len` more bytes at data + len; NULL past the ceiling. The caller then raises len. */
char *pl_buf_reserve(struct pl_buf *buf, size_t len);
/* Removes the first `len` bytes. */
void pl_buf_consume(struct pl_buf *buf, size_t len);
void pl_buf_clear(struct pl_buf *buf);
/* The same for a buffer that is used again and again: more than `keep_bytes` of memory is given
 * back. */
void pl_buf_forget(struct pl_buf *buf, size_t keep_bytes);
/* The content as text ("" when empty); valid until the next change. */
const char *pl_buf_text(const struct pl_buf *buf);
/* The content as a string of the caller's (free()); the buffer is empty afterwards. */
char *pl_buf_take(struct pl_buf *buf);
