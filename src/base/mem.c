#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t room;
	_Alignas(16) char data[];
};

#define BLOCK_BYTES_MIN   256
#define FIRST_BLOCK_BYTES 1024

struct pl_arena {
	struct arena_block *blocks;
	size_t block_bytes;
	size_t next_bytes; /* of the next block, up to block_bytes: many arenas stay small */
};

/*
 * Uses only write() and abort(), which do not allocate. The journal has all measurements so far,
 * and `profllm recover` makes a result from it.
 */
void *pl_must(void *ptr)
{
	if (ptr == NULL) {
		static const char text[] = "profllm: out of memory\n";
		ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);
		(void)ignored;
		abort();
	}
	return ptr;
}

/* Zero bytes become one: malloc(0) may give NULL, which would be taken for the end of memory. */
static size_t product(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		pl_must(NULL);
	return bytes > 0 ? bytes : 1;
}

void *pl_alloc(size_t size)
{
	return pl_must(calloc(1, size > 0 ? size : 1));
}

void *pl_alloc_array(size_t count, size_t size)
{
	return pl_must(calloc(1, product(count, size)));
}

void *pl_realloc_array(void *ptr, size_t count, size_t size)
{
	return pl_must(realloc(ptr, product(count, size)));
}

void pl_grow(void **ptr, size_t *room, size_t need, size_t item_size)
{
	if (need <= *room)
		return;
	size_t wanted = *room > 0 ? *room : 8;
	while (wanted < need)
		wanted *= 2;
	*ptr = pl_realloc_array(*ptr, wanted, item_size);
	/* Zeroed like all memory here, so that a struct with a new field needs no new code. */
	memset((char *)*ptr + *room * item_size, 0, (wanted - *room) * item_size);
	*room = wanted;
}

char *pl_strdup(const char *text)
{
	return text == NULL ? NULL : pl_must(strdup(text));
}

char *pl_strndup(const char *text, size_t len)
{
	return text == NULL ? NULL : pl_must(strndup(text, len));
}

char *pl_memdup(const void *data, size_t len)
{
	char *copy = pl_alloc(len + 1);

	if (len > 0)
		memcpy(copy, data, len);
	return copy;
}

char *pl_vasprintf(const char *format, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		pl_must(NULL);
	return text;
}

char *pl_asprintf(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = pl_vasprintf(format, args);
	va_end(args);
	return text;
}

/*
 * `void *` for `T **`: the cleanup attribute passes the address of the pointer that it annotates.
 */
void pl_free_auto(void *owner)
{
	free(*(void **)owner);
}

void pl_fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

struct pl_arena *pl_arena_new(size_t block_bytes)
{
	struct pl_arena *arena = pl_alloc(sizeof(*arena));

	arena->block_bytes = block_bytes < BLOCK_BYTES_MIN ? BLOCK_BYTES_MIN : block_bytes;
	arena->next_bytes = arena->block_bytes < FIRST_BLOCK_BYTES ? arena->block_bytes
								   : FIRST_BLOCK_BYTES;
	return arena;
}

void pl_arena_free(struct pl_arena *arena)
{
	if (arena == NULL)
		return;
	while (arena->blocks != NULL) {
		struct arena_block *next = arena->blocks->next;
		free(arena->blocks);
		arena->blocks = next;
	}
	free(arena);
}

void *pl_arena_alloc(struct pl_arena *arena, size_t size)
{
	/* Aligned to 16 bytes, like malloc(): suitable for any type. */
	size = (size + 15) & ~(size_t)15;
	struct arena_block *block = arena->blocks;

	/*
	 * The rest of the previous block is wasted; blocks are large compared to the allocations.
	 */
	if (block == NULL || block->room - block->used < size) {
		size_t room = size > arena->next_bytes ? size : arena->next_bytes;
		arena->next_bytes = arena->next_bytes < arena->block_bytes / 2
					    ? arena->next_bytes * 2
					    : arena->block_bytes;
		block = pl_alloc(sizeof(*block) + room);
		block->room = room;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	void *ptr = block->data + block->used;
	block->used += size;
	return ptr;
}

char *pl_arena_strndup(struct pl_arena *arena, const char *text, size_t len)
{
	char *copy = pl_arena_alloc(arena, len + 1);

	memcpy(copy, text, len);
	return copy;
}
