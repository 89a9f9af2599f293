/*
 * A growing byte buffer whose size limit is fixed when it is created: input from a peer can make an
 * append fail, but cannot exhaust memory. `data` is always followed by a NUL that `len` does not
 * count.
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

/* Allocates nothing until the first append. */
void pl_buf_init(struct pl_buf *buf, size_t max_bytes);
void pl_buf_done(struct pl_buf *buf);
#define auto_buf __attribute__((cleanup(pl_buf_done), unused)) struct pl_buf
/* auto_buf text = PL_BUF(TEXT_BYTES_MAX); initializes like pl_buf_init(). */
#define PL_BUF(max_bytes)           \
	{                           \
		.max = (max_bytes), \
	}

/* Return false and append nothing if the result would exceed the limit. */
bool pl_buf_add(struct pl_buf *buf, const void *data, size_t len);
bool pl_buf_add_text(struct pl_buf *buf, const char *text);
bool pl_buf_addf(struct pl_buf *buf, const char *format, ...) PL_PRINTF(2, 3);
bool pl_buf_add_char(struct pl_buf *buf, char c);
/*
 * Returns room for `len` more bytes at data + len, or NULL if they exceed the limit. The caller
 * then increases len.
 */
char *pl_buf_reserve(struct pl_buf *buf, size_t len);
/* Removes the first `len` bytes. */
void pl_buf_consume(struct pl_buf *buf, size_t len);
void pl_buf_clear(struct pl_buf *buf);
/* Clears a buffer that is reused, and frees its memory if it holds more than `keep_bytes`. */
void pl_buf_forget(struct pl_buf *buf, size_t keep_bytes);
/* Returns the content as text ("" if empty), valid until the next change. */
const char *pl_buf_text(const struct pl_buf *buf);
/*
 * Returns the content as a string that the caller frees with free(). The buffer is empty
 * afterwards.
 */
char *pl_buf_take(struct pl_buf *buf);
