/*
 * The order of records after shuffle(seed) of Python's `datasets`, releases 2 to 4, with numpy's default_rng(seed). Each
 * of the two shuffles of a stream starts with its own copy of the generator.
 */
#include <stdlib.h>

#include "base/rng.h"
#include "bench/data/hf/hf_priv.h"

#define BUFFER_RECORDS 1000
#define BATCH_INDICES  1000 /* that are drawn at once */
#define RECORDS_MAX    ((size_t)100000000)

struct hf_order {
	const struct vllm_bench *bench;
	const struct hf_class *class;
	struct hf_source *source;
	enum hf_order_mode mode;
	struct pl_pcg64 rng;
	struct bench_entry **items; /* of the buffer, or of all records */
	size_t count;
	size_t room;
	size_t at; /* the next one to return, after the source has ended */
	bool has_ended;
	uint32_t batch[BATCH_INDICES];
	size_t batch_at;
};

struct hf_order *bench_hf_order_new(const struct pl_strv *files, const struct hf_class *class,
				    const struct vllm_bench *bench)
{
	enum hf_order_mode mode = bench->disable_shuffle ? HF_AS_STORED
				  : bench->no_stream     ? HF_PERMUTED
							 : HF_BUFFERED;
	struct hf_order *order = pl_alloc(sizeof(*order));
	auto_strv shuffled = { 0 };
	auto_free void **paths = pl_alloc_array(files->count, sizeof(*paths));
	struct pl_pcg64 rng;

	*order = (struct hf_order){
		.bench = bench, .class = class, .mode = mode, .batch_at = BATCH_INDICES
	};
	pl_pcg64_seed(&rng, (uint64_t)bench->seed);
	order->rng = rng;
	for (size_t i = 0; i < files->count; i++)
		paths[i] = files->items[i];
	if (mode == HF_BUFFERED)
		pl_pcg64_shuffle(&rng, paths, files->count);
	for (size_t i = 0; i < files->count; i++)
		pl_strv_add(&shuffled, paths[i]);
	order->source = bench_hf_source_new(&shuffled, class->columns);
	return order;
}

static void entry_free(struct bench_entry *entry)
{
	if (entry == NULL)
		return;
	free(entry->prompt);
	free(entry->completion);
	free(entry->system);
	json_decref(entry->object);
	free(entry);
}

void bench_hf_order_free(struct hf_order *order)
{
	if (order == NULL)
		return;
	for (size_t i = order->at; i < order->count; i++)
		entry_free(order->items[i]);
	free(order->items);
	bench_hf_source_free(order->source);
	free(order);
}

/* Makes the entry of the next record; one that is not used has no prompt. *ret is NULL at the end. */
static int next_entry(struct hf_order *order, struct bench_entry **ret, struct pl_err *err)
{
	json_t *record = NULL;

	*ret = NULL;
	if (bench_hf_source_next(order->source, &record, err) < 0)
		return -1;
	if (record == NULL)
		return 0;
	struct bench_entry *entry = pl_alloc(sizeof(*entry));
	*entry = (struct bench_entry){ .output_tokens = RES_NO_COUNT };
	int status = order->class->make(order->bench, record, entry, err);
	json_decref(record);
	if (status < 0) {
		auto_free char *place = bench_hf_source_place(order->source);
		entry_free(entry);
		return pl_err_wrap(err, "%s", place);
	}
	*ret = entry;
	return 0;
}

/* Reads until `limit` records are held, or the source ends. */
static int fill(struct hf_order *order, size_t limit, struct pl_err *err)
{
	struct bench_entry *entry;

	while (!order->has_ended && order->count < limit) {
		if (next_entry(order, &entry, err) < 0)
			return -1;
		if (entry == NULL)
			order->has_ended = true;
		else
			*PL_PUSH(order->items, order->count, order->room) = entry;
	}
	return 0;
}

/* The indices are drawn in batches, so that the last shuffle starts where that of Python does. */
static uint32_t next_index(struct hf_order *order)
{
	if (order->batch_at == BATCH_INDICES) {
		for (size_t i = 0; i < BATCH_INDICES; i++)
			order->batch[i] = (uint32_t)pl_pcg64_integers(&order->rng, 0,
								      BUFFER_RECORDS);
		order->batch_at = 0;
	}
	return order->batch[order->batch_at++];
}

/* Returns 1 with an entry of the full buffer, or 0 if the source ends. */
static int take_buffered(struct hf_order *order, struct bench_entry **ret, struct pl_err *err)
{
	struct bench_entry *entry;

	if (fill(order, BUFFER_RECORDS, err) < 0)
		return -1;
	if (order->has_ended)
		return 0;
	if (next_entry(order, &entry, err) < 0)
		return -1;
	if (entry == NULL) {
		order->has_ended = true;
		return 0;
	}
	uint32_t index = next_index(order);
	*ret = order->items[index];
	order->items[index] = entry;
	return 1;
}

/* Returns the next entry in the order of the mode through *ret; NULL at the end. */
static int take(struct hf_order *order, struct bench_entry **ret, struct pl_err *err)
{
	bool had_ended = order->has_ended;

	if (order->mode == HF_AS_STORED)
		return next_entry(order, ret, err);
	if (order->mode == HF_BUFFERED && !order->has_ended) {
		int status = take_buffered(order, ret, err);
		if (status != 0)
			return status < 0 ? -1 : 0;
	}
	if (order->mode == HF_PERMUTED && fill(order, RECORDS_MAX, err) < 0)
		return -1;
	if (!had_ended)
		pl_pcg64_shuffle(&order->rng, (void **)order->items, order->count);
	*ret = order->at < order->count ? order->items[order->at++] : NULL;
	return 0;
}

int bench_hf_order_next(struct hf_order *order, struct bench_entry *ret, struct pl_err *err)
{
	struct bench_entry *entry;

	do {
		if (take(order, &entry, err) < 0)
			return -1;
		if (entry == NULL)
			return 0;
		*ret = *entry;
		free(entry);
	} while (ret->prompt == NULL && ret->object == NULL);
	return 1;
}
