#include "bench/load/feed.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "bench/load/feed_priv.h"

/*
 * The published state of one worker, and the positions of the readers in it. Each field has one writer, so
 * counts are stored and never added to atomically; a release store publishes all earlier writes.
 * The worker's and the readers' fields are on separate cache lines: a reader must not slow down a
 * worker.
 */
struct seen {
	size_t acted;
	size_t over;
	const struct bench_try *try;
};

struct lane {
	_Alignas(64) _Atomic size_t acted;
	_Atomic size_t over;
	_Atomic(struct bench_try *) first_try;
	uint64_t *starts; /* [acted] indexes in the plan, in the order of their starts */
	uint64_t *order;  /* [over] indexes in the plan, in the order of their ends */
	_Alignas(64) struct seen seen[BENCH_FEED_READERS_MAX];
};

struct bench_feed {
	pthread_mutex_t lock; /* over attach, detach and the reader; never taken by a worker */
	const struct res_record *records;
	struct lane *lanes;
	unsigned lane_count;
	_Atomic int64_t start_ns;
};

static void free_lanes(struct bench_feed *feed)
{
	for (unsigned i = 0; i < feed->lane_count; i++) {
		free(feed->lanes[i].starts);
		free(feed->lanes[i].order);
	}
	free(feed->lanes);
	feed->lanes = NULL;
	feed->lane_count = 0;
}

struct bench_feed *bench_feed_new(void)
{
	struct bench_feed *feed = pl_alloc(sizeof(*feed));

	pthread_mutex_init(&feed->lock, NULL);
	atomic_init(&feed->start_ns, RES_NO_TIME);
	return feed;
}

void bench_feed_free(struct bench_feed *feed)
{
	if (feed == NULL)
		return;
	free_lanes(feed);
	pthread_mutex_destroy(&feed->lock);
	free(feed);
}

void bench_feed_attach(struct bench_feed *feed, const struct res_record *records, size_t count,
		       unsigned workers)
{
	if (feed == NULL)
		return;
	pthread_mutex_lock(&feed->lock);
	free_lanes(feed);
	feed->records = records;
	/* two cache lines apart, to avoid false sharing between workers */
	feed->lanes = aligned_alloc(_Alignof(struct lane), workers * sizeof(*feed->lanes));
	if (feed->lanes == NULL)
		pl_must(NULL);
	feed->lane_count = workers;
	/* A worker has at most every workers-th request, rounded up. */
	for (unsigned i = 0; i < workers; i++) {
		feed->lanes[i] = (struct lane){ 0 };
		feed->lanes[i].starts = pl_alloc_array(count / workers + 1, sizeof(uint64_t));
		feed->lanes[i].order = pl_alloc_array(count / workers + 1, sizeof(uint64_t));
	}
	pthread_mutex_unlock(&feed->lock);
}

void bench_feed_detach(struct bench_feed *feed)
{
	if (feed == NULL)
		return;
	pthread_mutex_lock(&feed->lock);
	free_lanes(feed);
	feed->records = NULL;
	pthread_mutex_unlock(&feed->lock);
}

void bench_feed_start(struct bench_feed *feed, int64_t start_ns)
{
	if (feed != NULL)
		atomic_store_explicit(&feed->start_ns, start_ns, memory_order_release);
}

int64_t bench_feed_start_ns(const struct bench_feed *feed)
{
	return atomic_load_explicit(&feed->start_ns, memory_order_acquire);
}

void bench_feed_acted(struct bench_feed *feed, unsigned w, uint64_t index)
{
	if (feed == NULL)
		return;
	struct lane *lane = &feed->lanes[w];
	size_t acted = atomic_load_explicit(&lane->acted, memory_order_relaxed);
	lane->starts[acted] = index;
	atomic_store_explicit(&lane->acted, acted + 1, memory_order_release);
}

void bench_feed_over(struct bench_feed *feed, unsigned w, uint64_t index)
{
	if (feed == NULL)
		return;
	struct lane *lane = &feed->lanes[w];
	size_t over = atomic_load_explicit(&lane->over, memory_order_relaxed);
	/* Stores the index before the count that publishes it. */
	lane->order[over] = index;
	atomic_store_explicit(&lane->over, over + 1, memory_order_release);
}

void bench_feed_tried(struct bench_feed *feed, unsigned w, struct bench_try *first)
{
	if (feed != NULL)
		atomic_store_explicit(&feed->lanes[w].first_try, first, memory_order_release);
}

/*
 * Requests that have ended had their tries before, and were acted on before that: the order of the
 * loads guarantees it.
 */
static size_t take_lane(const struct bench_feed *feed, unsigned w,
			const struct bench_feed_reader *reader)
{
	struct lane *lane = &feed->lanes[w];
	struct seen *seen = &lane->seen[reader->index];
	size_t over = atomic_load_explicit(&lane->over, memory_order_acquire);
	const struct bench_try *last = seen->try;
	const struct bench_try *next;
	if (last == NULL)
		last = atomic_load_explicit(&lane->first_try, memory_order_acquire);
	while (last != NULL &&
	       (next = atomic_load_explicit(&last->next, memory_order_acquire)) != NULL)
		last = next;
	size_t acted = atomic_load_explicit(&lane->acted, memory_order_acquire);
	size_t taken = over - seen->over;

	for (; seen->acted < acted; seen->acted++)
		reader->acted(reader->data, &feed->records[lane->starts[seen->acted]]);
	/* Reports the tries after the last one seen, up to `last`. */
	while (seen->try != last) {
		seen->try = seen->try == NULL ? lane->first_try : seen->try->next;
		if (reader->tried != NULL)
			reader->tried(reader->data, &seen->try->record);
	}
	for (; seen->over < over; seen->over++)
		reader->over(reader->data, &feed->records[lane->order[seen->over]]);
	return taken;
}

size_t bench_feed_take(struct bench_feed *feed, const struct bench_feed_reader *reader)
{
	size_t taken = 0;

	assert(reader->index < BENCH_FEED_READERS_MAX);
	pthread_mutex_lock(&feed->lock);
	for (unsigned w = 0; w < feed->lane_count; w++)
		taken += take_lane(feed, w, reader);
	pthread_mutex_unlock(&feed->lock);
	return taken;
}
