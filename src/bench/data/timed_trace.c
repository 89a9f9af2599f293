/*
 * timed_trace: requests at recorded times, with generated prompts of the recorded lengths. Requests that share
 * the first chunks of their prompts in the trace share them here.
 *
 * The tokens of a chunk follow from its hash id and its length. vLLM seeds them with Python's hash of a text,
 * which differs from process to process; this hash is the same everywhere.
 */
#include "bench/data/trace_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "base/text.h"
#include "base/unique.h"
#include "bench/load/arrivals.h"
#include "experiment/kinds.h"

/* vLLM does not pass the seed to this dataset. */
#define FIXED_SEED 0

/* The chunks made so far: open addressing, at most half full. */
struct chunks {
	struct chunk {
		uint64_t key;
		uint32_t *ids; /* NULL: free slot */
	} * slots;
	size_t mask;
	size_t count;
	const uint32_t *allowed; /* [allowed_count] ids of tokens */
	size_t allowed_count;
};

static void chunks_done(struct chunks *chunks)
{
	for (size_t i = 0; chunks->slots != NULL && i <= chunks->mask; i++)
		free(chunks->slots[i].ids);
	free(chunks->slots);
}

static struct chunk *slot_of(const struct chunks *chunks, uint64_t key)
{
	size_t at = (size_t)(key ^ key >> 32) & chunks->mask;

	while (chunks->slots[at].ids != NULL && chunks->slots[at].key != key)
		at = (at + 1) & chunks->mask;
	return &chunks->slots[at];
}

static void grow(struct chunks *chunks)
{
	struct chunks larger = *chunks;

	larger.mask = chunks->slots == NULL ? 1023 : 2 * chunks->mask + 1;
	larger.slots = pl_alloc_array(larger.mask + 1, sizeof(*larger.slots));
	for (size_t i = 0; chunks->slots != NULL && i <= chunks->mask; i++) {
		if (chunks->slots[i].ids != NULL)
			*slot_of(&larger, chunks->slots[i].key) = chunks->slots[i];
	}
	free(chunks->slots);
	*chunks = larger;
}

/* Returns the tokens of a chunk, as random.choices() of a generator of its own draws them. */
static const uint32_t *chunk_of(struct chunks *chunks, uint64_t block, size_t len)
{
	uint64_t size = len;
	uint64_t key = pl_hash_bytes(block, &size, sizeof(size));
	struct pl_pyrandom rng;

	if (chunks->slots == NULL || 2 * chunks->count > chunks->mask)
		grow(chunks);
	struct chunk *slot = slot_of(chunks, key);
	if (slot->ids != NULL)
		return slot->ids;
	auto_free size_t *choices = pl_alloc_array(len, sizeof(*choices));
	pl_pyrandom_seed(&rng, (uint32_t)(key ^ key >> 32));
	pl_pyrandom_choices(&rng, chunks->allowed_count, len, choices);
	slot->key = key;
	slot->ids = pl_alloc_array(len + 1, sizeof(*slot->ids));
	for (size_t i = 0; i < len; i++)
		slot->ids[i] = chunks->allowed[choices[i]];
	chunks->count++;
	return slot->ids;
}

/* The marks that keep prompts out of a prefix cache; 0: none. */
struct marks {
	uint64_t run;
	uint64_t request;
};

/* Names the content of chunk `i` of a request; without hash ids it is that of its session or its own. */
static uint64_t block_of(const struct bench_trace_row *row, size_t number, size_t i,
			 const struct marks *marks)
{
	uint64_t block = row->session != 0 ? row->session : number + 1, place = i;

	if (row->block_count > 0)
		block = row->blocks[i];
	else
		block = pl_hash_bytes(block, &place, sizeof(place));
	if (marks->run != 0)
		block = pl_hash_bytes(block, &marks->run, sizeof(marks->run));
	/* nothing after another first chunk is in a cache */
	if (marks->request != 0 && i == 0)
		block = pl_hash_bytes(block, &marks->request, sizeof(marks->request));
	return block;
}

/* Fewer hash ids than the length needs make a shorter prompt, as in vLLM. */
static struct bench_sample sample_of(struct chunks *chunks, const struct bench_entry *entry,
				     size_t number, size_t chunk_len, const struct marks *marks)
{
	const struct bench_trace_row *row = entry->row;
	size_t len = (size_t)entry->input_tokens;
	struct bench_sample sample = { .output_tokens = entry->output_tokens };

	if (row->block_count > 0 && len / chunk_len >= row->block_count)
		len = row->block_count * chunk_len;
	sample.ids = pl_alloc_array(len + 1, sizeof(*sample.ids));
	sample.id_count = len;
	sample.prompt_tokens = (int64_t)len;
	for (size_t at = 0, i = 0; at < len; at += chunk_len, i++) {
		size_t take = len - at < chunk_len ? len - at : chunk_len;
		memcpy(sample.ids + at, chunk_of(chunks, block_of(row, number, i, marks), take),
		       take * sizeof(*sample.ids));
	}
	return sample;
}

static int by_time(const void *a, const void *b)
{
	const struct bench_entry *const *x = a, *const *y = b;
	double x_s = (*x)->row->start_s, y_s = (*y)->row->start_s;

	if (x_s != y_s)
		return x_s < y_s ? -1 : 1;
	/* pointers into one array: the order of the file */
	return (*x > *y) - (*x < *y);
}

struct member {
	uint64_t session;
	size_t at;
};

static int by_session(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Sets the places of requests in their sessions; a request that is alone has none. */
static void set_sessions(const struct vllm_bench *bench, const struct bench_entry *const *sorted,
			 struct bench_dataset *into)
{
	double most_s = bench_arrivals_max_gap_s(bench);
	auto_free struct member *members = pl_alloc_array(into->count, sizeof(*members));
	size_t count = 0;

	for (size_t i = 0; i < into->count; i++) {
		if (sorted[i]->row->session != 0)
			members[count++] = (struct member){ sorted[i]->row->session, i };
	}
	if (count > 1)
		qsort(members, count, sizeof(*members), by_session);
	for (size_t i = 1; i < count; i++) {
		struct bench_sample *sample = &into->samples[members[i].at];
		struct bench_sample *before = &into->samples[members[i - 1].at];
		if (members[i].session != members[i - 1].session)
			continue;
		if (before->session == 0)
			before->session = (uint32_t)++into->session_count;
		double end_s = sorted[members[i - 1].at]->row->end_s;
		double pause_s = (sorted[members[i].at]->row->start_s - end_s) *
				 bench->timed_trace_sec_multiplier;
		sample->session = before->session;
		sample->turn = before->turn + 1;
		/* sent at once after a response that the trace has no end of, or that came later */
		sample->gap_s = pause_s > 0 ? fmin(pause_s, most_s) / bench->timed_trace_speed : 0;
	}
}

/* A later request is a mistake in the unit: about 30 years. */
#define TIME_MAX_S 1e9

static int check_times(const struct vllm_bench *bench, const struct bench_dataset *dataset,
		       struct pl_err *err)
{
	bool timed = exp_is_self_timed(bench);
	auto_free double *times_s = pl_alloc_array(dataset->count, sizeof(*times_s));

	bench_arrivals_replay(bench, dataset->samples, dataset->count, times_s);
	for (size_t i = 0; i < dataset->count; i++) {
		double due_s = timed ? times_s[i] : 0;
		if (due_s <= TIME_MAX_S && dataset->samples[i].gap_s <= TIME_MAX_S)
			continue;
		return pl_err_invalid(err,
				      "request %zu is due %g s after the first one, or after the "
				      "response before it, expected at most %g s; set "
				      "{benchmark.timed_trace_sec_multiplier}",
				      i, fmax(due_s, dataset->samples[i].gap_s), TIME_MAX_S);
	}
	return 0;
}

/* Texts for a backend that takes no ids, ids for all others. */
static int choose_form(struct bench_dataset_work *work, bool *ret_as_ids, struct pl_err *err)
{
	*ret_as_ids = exp_backend_has(work->bench->backend, EXP_BACKEND_TAKES_IDS);
	if (!*ret_as_ids)
		return bench_dataset_form(work, ret_as_ids, err);
	work->into->prompt_form = "token_ids";
	return 0;
}

static int add_all(struct bench_dataset_work *work, const struct bench_entry *const *sorted,
		   size_t count, struct chunks *chunks, struct pl_err *err)
{
	const struct vllm_bench *bench = work->bench;
	bool by_request = pl_text_equal(bench->cache_bust, "request");
	size_t short_ones = 0;
	struct marks marks = {
		.run = pl_text_equal(bench->cache_bust, "run") ? pl_unique_u32() | 1u << 31 : 0,
	};

	for (size_t i = 0; i < count; i++) {
		if (bench_dataset_take_tokens(work, sorted[i]->input_tokens, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < count; i++) {
		marks.request = by_request ? (uint64_t)pl_unique_u32() << 32 | (i + 1) : 0;
		struct bench_sample sample = sample_of(
			chunks, sorted[i], i, (size_t)bench->timed_trace_chunk_hash_size, &marks);
		sample.time_s = (sorted[i]->row->start_s - sorted[0]->row->start_s) *
				bench->timed_trace_sec_multiplier;
		short_ones += sample.prompt_tokens < sorted[i]->input_tokens;
		bench_dataset_add(work, &sample);
	}
	set_sessions(bench, sorted, work->into);
	if (check_times(bench, work->into, err) < 0)
		return -1;
	if (short_ones > 0)
		bench_dataset_note(work->into,
				   "%zu of %zu prompts are shorter than recorded: they have too "
				   "few hash ids for chunks of %lld tokens",
				   short_ones, count,
				   (long long)bench->timed_trace_chunk_hash_size);
	return 0;
}

static int build(struct bench_dataset_work *work, struct pl_err *err)
{
	const struct bench_entries *entries = &work->entries;
	int64_t wanted = work->bench->num_prompts;
	size_t count = wanted < 1 || (uint64_t)wanted > entries->count ? entries->count
								       : (size_t)wanted;
	auto_free const struct bench_entry **sorted = pl_alloc_array(count, sizeof(*sorted));
	auto_free uint32_t *allowed = NULL;
	struct chunks chunks = { 0 };
	bool as_ids = false;

	/* as vLLM leaves the two generators */
	pl_pyrandom_seed(work->pyrandom, FIXED_SEED);
	pl_nplegacy_seed(work->nplegacy, FIXED_SEED);
	if (choose_form(work, &as_ids, err) < 0 ||
	    bench_dataset_ids(work, &allowed, &chunks.allowed_count, err) < 0)
		return pl_err_wrap(err, "dataset '%s'", work->bench->dataset_path);
	chunks.allowed = allowed;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &entries->items[i];
	/* the first lines of the file, in the order of their times */
	if (count > 1)
		qsort(sorted, count, sizeof(*sorted), by_time);
	int done = add_all(work, sorted, count, &chunks, err);
	chunks_done(&chunks);
	if (done < 0 || (!as_ids && bench_dataset_decode(work, err) < 0))
		return pl_err_wrap(err, "dataset '%s'", work->bench->dataset_path);
	return 0;
}

const struct bench_dataset_kind bench_dataset_timed_trace = {
	.parse = bench_trace_parse, .nothing = "no request with a response", .build = build
};
