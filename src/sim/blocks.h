/*
 * The KV cache as blocks: which are held, which are free, and which free ones still contain a known prefix. It knows
 * neither time nor sequences.
 * - held + free == count, at every moment. A block without holders is free.
 * - A named block keeps its name while it is free, so a later prompt can reuse it; taking it for another purpose
 *   removes the name. Free blocks are taken in the order in which they became free.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SIM_NO_BLOCK UINT32_MAX

struct sim_block {
	uint64_t name; /* hash of the prefix that ends with this block */
	uint32_t holders;
	uint32_t before; /* in the list of free blocks */
	uint32_t after;
	uint32_t chain; /* next block of the same bucket of names */
	bool named;
};

struct sim_blocks {
	struct sim_block *items;
	uint32_t *buckets;
	uint32_t bucket_mask;
	uint32_t count;
	uint32_t free_count;
	uint32_t first_free;
	uint32_t last_free;
};

void sim_blocks_init(struct sim_blocks *blocks, uint32_t count);
void sim_blocks_done(struct sim_blocks *blocks);
/* Returns a free block, without a name and with one holder. There must be one. */
uint32_t sim_blocks_take(struct sim_blocks *blocks);
/* Adds a holder; the block may be free. */
void sim_blocks_hold(struct sim_blocks *blocks, uint32_t block);
/* Removes a holder. */
void sim_blocks_drop(struct sim_blocks *blocks, uint32_t block);
/* Returns the block with this name, held or free, or SIM_NO_BLOCK. */
uint32_t sim_blocks_find(const struct sim_blocks *blocks, uint64_t name);
/* Names a held block; does nothing if it has a name, or another block has this one. */
void sim_blocks_name(struct sim_blocks *blocks, uint32_t block, uint64_t name);
/* Removes all names. Returns false and does nothing if a block is held. */
bool sim_blocks_forget(struct sim_blocks *blocks);
