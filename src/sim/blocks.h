/*
 * The KV cache as blocks: who holds which, which are free, which free ones still hold a known
 * prefix. No time, no sequences.
 *
 * - held + free == count, at every moment. A block is free when nobody holds it.
 * - A named block keeps its name while free, so that a later prompt can hit it; taking it for
 *   something else forgets the name. Free blocks are taken in the order in which they became free.
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
/* A free block, nameless, held once. There must be one. */
uint32_t sim_blocks_take(struct sim_blocks *blocks);
/* One holder more; the block may be free. */
void sim_blocks_hold(struct sim_blocks *blocks, uint32_t block);
/* One holder less. */
void sim_blocks_drop(struct sim_blocks *blocks, uint32_t block);
/* The block with this name, held or free, or SIM_NO_BLOCK. */
uint32_t sim_blocks_find(const struct sim_blocks *blocks, uint64_t name);
/* Names a held block; nothing happens when it or another block has a name that says the same. */
void sim_blocks_name(struct sim_blocks *blocks, uint32_t block, uint64_t name);
/* Forgets all names; false, with nothing done, while a block is held. */
bool sim_blocks_forget(struct sim_blocks *blocks);
