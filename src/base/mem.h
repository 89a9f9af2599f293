/*
 * Memory: allocation that never returns NULL, scope owners, arenas.
 *
 * - pl_alloc() and related functions end the process if memory runs out. No caller could recover,
 *   and the journal already holds the measurements of a run.
 * - auto_free frees a pointer when its scope ends; pl_take() transfers ownership instead.
 * - An arena is freed as a whole. Its allocations are valid until then.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#define PL_MUST_CHECK                      __attribute__((warn_unused_result))
#define PL_PRINTF(f, a)                    __attribute__((format(printf, f, a)))
#define PL_ARRAY_SIZE(a)                   (sizeof(a) / sizeof((a)[0]))
#define PL_CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

/* Transfers a scope owner's value: the owner becomes NULL. */
#define pl_take(owner)                              \
	({                                          \
		__typeof__(owner) taken_ = (owner); \
		(owner) = NULL;                     \
		taken_;                             \
	})

/* The same for a descriptor; leaves the owner -1. */
#define pl_take_fd(owner)                \
	({                               \
		int taken_fd_ = (owner); \
		(owner) = -1;            \
		taken_fd_;               \
	})

/* Defines the cleanup function for `auto_x` owners of `type *` freed by `fn` (which takes NULL). */
#define PL_AUTO_DEFINE(type, fn)                   \
	static inline void fn##_auto(type **owner) \
	{                                          \
		fn(*owner);                        \
	}                                          \
	struct pl_auto_semicolon_

#define PL_AUTO(fn) __attribute__((cleanup(fn##_auto), unused))

/*
 * Returns ptr. If it is NULL, memory has run out, and the process ends with one line on standard
 * error.
 */
void *pl_must(void *ptr);
/* Zeroed memory of `size` bytes (at least 1). Never NULL. Free with free(). */
void *pl_alloc(size_t size);
/* Returns a zeroed array; ends the process on overflow. */
void *pl_alloc_array(size_t count, size_t size);
/* Works like realloc() for an array; new bytes are not zeroed. */
void *pl_realloc_array(void *ptr, size_t count, size_t size);
/* Grows *ptr to hold at least `need` items, doubling *room; new items are zeroed. */
void pl_grow(void **ptr, size_t *room, size_t need, size_t item_size);
/*
 * Appends a slot to an array that grows as above: *PL_PUSH(list->items, list->count, list->room) =
 * item; the expression for `item` must not use count.
 */
#define PL_PUSH(items, count, room)                                                               \
	((count) < (room) ? (void)0                                                               \
			  : pl_grow((void **)&(items), &(room), (count) + 1, sizeof((items)[0])), \
	 &(items)[(count)++])

/* Copy a text; return NULL for NULL. The caller frees the copy with free(). */
char *pl_strdup(const char *text);
char *pl_strndup(const char *text, size_t len);
char *pl_memdup(const void *data, size_t len);
char *pl_asprintf(const char *format, ...) PL_PRINTF(1, 2);
char *pl_vasprintf(const char *format, va_list args) PL_PRINTF(1, 0);

void pl_free_auto(void *owner);
#define auto_free __attribute__((cleanup(pl_free_auto), unused))

/* Closes the descriptor if it is >= 0 and sets it to -1. */
void pl_fd_close(int *fd);
/* int auto_fd fd = -1: closed at scope end when >= 0. */
#define auto_fd __attribute__((cleanup(pl_fd_close), unused))

struct pl_arena;
/* The blocks of an arena grow up to this size. */
struct pl_arena *pl_arena_new(size_t block_bytes);
void pl_arena_free(struct pl_arena *arena);
/* Returns zeroed memory, aligned to 16 bytes. */
void *pl_arena_alloc(struct pl_arena *arena, size_t size);
char *pl_arena_strndup(struct pl_arena *arena, const char *text, size_t len);
