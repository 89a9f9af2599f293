/*
 * A ring of documents in progress. A worker takes the next number as soon as its place in the ring is free, so
 * completed documents are never far ahead of the one that is stored next.
 *
 *	number      0 … stored … taken … rows
 *	its place   number % RING, free again once it is stored
 */
#include "demo/fill.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/thread.h"
#include "result/fields/fields.h"

#define RING        256
#define GROUP       64 /* documents per transaction */
#define WORKERS_MAX 8

struct made {
	bool is_ready;
	bool has_failed;
	struct pl_err err;
	struct store_document document;
	struct store_prepared *prepared;
};

struct ring {
	const struct demo_fill *fill;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int64_t taken;  /* under lock, as are the next two */
	int64_t stored; /* and freed */
	bool is_over;
	struct made
		slots[RING]; /* the worker that took the number writes it; is_ready is under lock */
};

/*
 * As store_document_read() would return it: these documents have the form that it checks (tests/unit/demo/), and no
 * secrets. Writing and reading the text would take longer than everything else.
 */
static void take(json_t *json, struct store_document *ret)
{
	auto_free char *content = res_field_canonical(json);

	*ret = (struct store_document){ .form = STORE_FORM_NATIVE,
					.json = json_incref(json),
					.bytes = pl_json_to_text(json, PL_JSON_COMPACT),
					.run_id = pl_strdup(pl_json_get_text(json, "run_id")),
					.notes = json_array() };
	ret->len = strlen(ret->bytes);
	pl_sha256(content, strlen(content), ret->sha256);
}

static int make(const struct demo_fill *fill, int64_t number, struct made *ret)
{
	auto_json json_t *json = NULL;

	if (demo_document(fill->history, number, &json, &ret->err) < 0)
		return -1;
	take(json, &ret->document);
	ret->prepared = store_prepare(fill->store, &ret->document, "synthetic");
	store_document_let_go(&ret->document);
	return 0;
}

static void made_done(struct made *made)
{
	store_prepared_free(made->prepared);
	store_document_done(&made->document);
	*made = (struct made){ 0 };
}

/* Returns -1 if there are no more. */
static int64_t take_number(struct ring *ring)
{
	int64_t number = -1;

	pthread_mutex_lock(&ring->lock);
	while (!ring->is_over && ring->taken < ring->fill->rows &&
	       ring->taken - ring->stored >= RING)
		pthread_cond_wait(&ring->changed, &ring->lock);
	if (!ring->is_over && ring->taken < ring->fill->rows)
		number = ring->taken++;
	pthread_mutex_unlock(&ring->lock);
	return number;
}

static void *work(void *data)
{
	struct ring *ring = data;

	for (int64_t number; (number = take_number(ring)) >= 0;) {
		struct made *made = &ring->slots[number % RING];
		bool has_failed = make(ring->fill, number, made) < 0;
		pthread_mutex_lock(&ring->lock);
		made->has_failed = has_failed;
		made->is_ready = true;
		pthread_cond_broadcast(&ring->changed);
		pthread_mutex_unlock(&ring->lock);
	}
	return NULL;
}

static int put(struct ring *ring, int64_t end, int64_t counts[STORE_OUTCOME_COUNT],
	       struct pl_err *err)
{
	struct pl_err later = PL_ERR_INIT;
	int result = 0;

	for (int64_t i = ring->stored; i < end; i++) {
		if (ring->slots[i % RING].has_failed) {
			*err = ring->slots[i % RING].err;
			return -1;
		}
	}
	if (store_batch_begin(ring->fill->store, err) < 0)
		return -1;
	for (int64_t i = ring->stored; i < end && result == 0; i++) {
		struct store_put_result put_result = { 0 };
		result = store_put(ring->fill->store, ring->slots[i % RING].prepared, &put_result,
				   err);
		if (result == 0)
			counts[put_result.outcome]++;
	}
	/* returns the first failure again */
	if (store_batch_end(ring->fill->store, result < 0 ? &later : err) < 0)
		return -1;
	return result;
}

static int store_all(struct ring *ring, int64_t counts[STORE_OUTCOME_COUNT], struct pl_err *err)
{
	const struct demo_fill *fill = ring->fill;
	bool goes_on = true;

	while (goes_on && ring->stored < fill->rows) {
		int64_t end = ring->stored + GROUP < fill->rows ? ring->stored + GROUP : fill->rows;
		pthread_mutex_lock(&ring->lock);
		for (int64_t i = ring->stored; i < end; i++) {
			while (!ring->slots[i % RING].is_ready)
				pthread_cond_wait(&ring->changed, &ring->lock);
		}
		pthread_mutex_unlock(&ring->lock);
		if (put(ring, end, counts, err) < 0)
			return -1;
		for (int64_t i = ring->stored; i < end; i++)
			made_done(&ring->slots[i % RING]);
		pthread_mutex_lock(&ring->lock);
		ring->stored = end;
		pthread_cond_broadcast(&ring->changed);
		pthread_mutex_unlock(&ring->lock);
		goes_on = fill->on_progress(fill->context, end);
	}
	return 0;
}

static size_t worker_count(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	return processors < 1 ? 1 : processors > WORKERS_MAX ? WORKERS_MAX : (size_t)processors;
}

int demo_fill(const struct demo_fill *fill, int64_t ret_counts[STORE_OUTCOME_COUNT],
	      struct pl_err *err)
{
	pthread_t threads[WORKERS_MAX];
	size_t wanted = worker_count(), started = 0;
	auto_free struct ring *ring = pl_alloc(sizeof(*ring));
	int result = 0;

	for (int i = 0; i < STORE_OUTCOME_COUNT; i++)
		ret_counts[i] = 0;
	ring->fill = fill;
	pthread_mutex_init(&ring->lock, NULL);
	pthread_cond_init(&ring->changed, NULL);
	while (result == 0 && started < wanted) {
		result = pl_thread_start(&threads[started], work, ring, err);
		started += result == 0;
	}
	if (result == 0)
		result = store_all(ring, ret_counts, err);
	pthread_mutex_lock(&ring->lock);
	ring->is_over = true;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->lock);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < RING; i++)
		made_done(&ring->slots[i]);
	pthread_cond_destroy(&ring->changed);
	pthread_mutex_destroy(&ring->lock);
	return result;
}
