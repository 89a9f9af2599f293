#include "sim/blocks.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

/*
 * The list of free blocks is in the order in which they became free: the head is taken next, so
 * what was used last stays known longest (vLLM's FreeKVCacheBlockQueue). Doubly linked, for a hit
 * takes a block out of its middle.
 */
static void free_list_append(struct sim_blocks *blocks, uint32_t block)
{
	struct sim_block *item = &blocks->items[block];

	item->before = blocks->last_free;
	item->after = SIM_NO_BLOCK;
	if (blocks->last_free != SIM_NO_BLOCK)
		blocks->items[blocks->last_free].after = block;
	else
		blocks->first_free = block;
	blocks->last_free = block;
	blocks->free_count++;
}

static void free_list_remove(struct sim_blocks *blocks, uint32_t block)
{
	struct sim_block *item = &blocks->items[block];

	if (item->before != SIM_NO_BLOCK)
		blocks->items[item->before].after = item->after;
	else
		blocks->first_free = item->after;
	if (item->after != SIM_NO_BLOCK)
		blocks->items[item->after].before = item->before;
	else
		blocks->last_free = item->before;
	blocks->free_count--;
}

/* Chains are as long as a hash table's are: at least as many buckets as blocks. */
static void unname(struct sim_blocks *blocks, uint32_t block)
{
	struct sim_block *item = &blocks->items[block];
	uint32_t *at = &blocks->buckets[item->name & blocks->bucket_mask];

	if (!item->named)
		return;
	while (*at != block)
		at = &blocks->items[*at].chain;
	*at = item->chain;
	item->named = false;
}

void sim_blocks_init(struct sim_blocks *blocks, uint32_t count)
{
	/* A power of two, so that the bucket is a mask of the name, which is a hash already. */
	uint32_t buckets = 1;

	while (buckets < count && buckets < 1u << 30)
		buckets *= 2;
	*blocks = (struct sim_blocks){
		.items = pl_alloc_array(count, sizeof(*blocks->items)),
		.buckets = pl_alloc_array(buckets, sizeof(*blocks->buckets)),
		.bucket_mask = buckets - 1,
		.count = count,
		.first_free = SIM_NO_BLOCK,
		.last_free = SIM_NO_BLOCK,
	};
	for (uint32_t i = 0; i < buckets; i++)
		blocks->buckets[i] = SIM_NO_BLOCK;
	for (uint32_t i = 0; i < count; i++)
		free_list_append(blocks, i);
}

void sim_blocks_done(struct sim_blocks *blocks)
{
	free(blocks->items);
	free(blocks->buckets);
	*blocks = (struct sim_blocks){ 0 };
}

uint32_t sim_blocks_take(struct sim_blocks *blocks)
{
	uint32_t block = blocks->first_free;

	assert(block != SIM_NO_BLOCK);
	/* Its old content is about to be written over: a later prompt must not find it. */
	unname(blocks, block);
	free_list_remove(blocks, block);
	blocks->items[block].holders = 1;
	return block;
}

void sim_blocks_hold(struct sim_blocks *blocks, uint32_t block)
{
	/* A hit on a free block brings it back; its content was never lost. */
	if (blocks->items[block].holders++ == 0)
		free_list_remove(blocks, block);
}

void sim_blocks_drop(struct sim_blocks *blocks, uint32_t block)
{
	assert(blocks->items[block].holders > 0);
	if (--blocks->items[block].holders == 0)
		free_list_append(blocks, block);
}

uint32_t sim_blocks_find(const struct sim_blocks *blocks, uint64_t name)
{
	uint32_t block = blocks->buckets[name & blocks->bucket_mask];

	while (block != SIM_NO_BLOCK && blocks->items[block].name != name)
		block = blocks->items[block].chain;
	return block;
}

void sim_blocks_name(struct sim_blocks *blocks, uint32_t block, uint64_t name)
{
	struct sim_block *item = &blocks->items[block];
	uint32_t *bucket = &blocks->buckets[name & blocks->bucket_mask];

	/*
	 * Two sequences may compute the same prefix concurrently: the first block keeps the name, the second has none.
	 */
	if (item->named || sim_blocks_find(blocks, name) != SIM_NO_BLOCK)
		return;
	item->name = name;
	item->named = true;
	item->chain = *bucket;
	*bucket = block;
}

bool sim_blocks_forget(struct sim_blocks *blocks)
{
	if (blocks->free_count != blocks->count)
		return false;
	for (uint32_t i = 0; i < blocks->count; i++)
		unname(blocks, i);
	return true;
}
