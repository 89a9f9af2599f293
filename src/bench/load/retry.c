#include "bench/load/retry.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "bench/load/conn.h"
#include "bench/load/feed_priv.h"
#include "bench/load/worker.h"

/* Maximum accepted value of a server's Retry-After. */
#define RETRY_AFTER_MAX_S 60

/*
 * A request between two tries. It stays in flight and keeps its slot under max_concurrency, so the
 * load does not exceed the requested one. Its record has the outcome of the last try.
 */
struct bench_pause {
	struct io_timer timer;
	struct bench_worker *worker;
	struct bench_req *req;
	struct bench_pause *next; /* in worker's paused or spare_pauses */
	struct bench_pause *prev; /* in paused */
};

/*
 * Statuses that mean "later" and not "no". A server error (500) is not retried, because a benchmark
 * should report it.
 */
static bool says_later(int32_t status)
{
	static const int32_t all[] = { 408, 425, 429, 502, 503, 504 };

	for (size_t i = 0; i < PL_ARRAY_SIZE(all); i++) {
		if (status == all[i])
			return true;
	}
	return false;
}

/* Returns whether the try had no useful output and a retry may have. */
static bool may_follow(const struct res_record *record)
{
	static const char *const kinds[] = { "connect", "send", "reset", "http_status" };

	if (record->ok || record->event_count > 0 || record->error_kind == NULL ||
	    (record->status != 0 && !says_later(record->status)))
		return false;
	for (size_t i = 0; i < PL_ARRAY_SIZE(kinds); i++) {
		if (strcmp(record->error_kind, kinds[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Linear, not exponential: a benchmark that backs off without bound measures its own patience. RFC
 * 9110, 10.2.3 gives Retry-After a meaning with 503 (and 429, RFC 6585); its form of a date is
 * taken for none.
 */
static int64_t delay_ns(const struct bench_load *load, const struct res_record *record,
			int64_t retry_after_s)
{
	bool by_server = (record->status == 429 || record->status == 503) && retry_after_s >= 0;

	if (!by_server)
		return load->retry_delay_ns * record->tries;
	return (retry_after_s < RETRY_AFTER_MAX_S ? retry_after_s : RETRY_AFTER_MAX_S) *
	       PL_NS_PER_S;
}

static void pause_end(struct bench_pause *pause)
{
	struct bench_worker *worker = pause->worker;

	io_timer_stop(worker->loop, &pause->timer);
	if (pause->prev != NULL)
		pause->prev->next = pause->next;
	else
		worker->paused = pause->next;
	if (pause->next != NULL)
		pause->next->prev = pause->prev;
	pause->next = worker->spare_pauses;
	worker->spare_pauses = pause;
}

/*
 * Copies the record of a failed try and resets the request's to its state before the first try. It
 * does not overwrite the whole record: a reader of the feed may be reading the fields that stay.
 */
static void keep_try(struct bench_worker *worker, struct bench_req *req)
{
	struct res_record *record = req->recorder.record;
	struct bench_try *retained = pl_alloc(sizeof(*retained));

	retained->record = *record;
	retained->record.acted_ns = req->try_ns;
	retained->record.events = NULL;
	retained->record.retried = true;
	record->connected_ns = RES_NO_TIME;
	record->handshake_ns = RES_NO_COUNT;
	record->sent_ns = RES_NO_TIME;
	record->headers_ns = RES_NO_TIME;
	record->end_ns = RES_NO_TIME;
	record->status = 0;
	record->prompt_tokens = RES_NO_COUNT;
	record->cached_tokens = RES_NO_COUNT;
	record->output_tokens = RES_NO_COUNT;
	record->token_source = RES_TOKENS_NONE;
	record->error_kind = NULL;
	record->error = NULL;
	record->text = NULL;
	if (worker->last_try == NULL) {
		worker->first_try = retained;
		bench_feed_tried(worker->load->feed, worker->index, retained);
	} else {
		atomic_store_explicit(&worker->last_try->next, retained, memory_order_release);
	}
	worker->last_try = retained;
}

static void on_due(struct io_loop *loop, struct io_timer *timer)
{
	struct bench_pause *pause = timer->data;
	struct bench_worker *worker = pause->worker;
	struct bench_req *req = pause->req;

	/*
	 * Otherwise a recovering server would get all retries in one pass, and its sockets would
	 * not be read in that time.
	 */
	if (!bench_worker_may_launch(worker)) {
		io_timer_start(loop, timer, io_loop_now_ns(loop) + 1);
		return;
	}
	pause_end(pause);
	keep_try(worker, req);
	req->resent = false;
	bench_conn_launch(worker, req);
}

bool bench_retry_take(struct bench_worker *worker, struct bench_req *req,
		      const struct bench_stream *stream)
{
	const struct bench_load *load = worker->load;
	const struct res_record *record = req->recorder.record;

	if (load->retries <= 0 || record->tries > load->retries || worker->stopping ||
	    !may_follow(record))
		return false;
	int64_t due_ns = pl_clock_now_ns() + delay_ns(load, record, stream->retry_after_s);
	/* request_timeout runs from the first try: a retry after it is pointless */
	if (due_ns >= record->acted_ns + load->request_timeout_ns)
		return false;
	struct bench_pause *pause = worker->spare_pauses;
	if (pause == NULL) {
		pause = pl_alloc(sizeof(*pause));
		pause->worker = worker;
		pause->timer = (struct io_timer){ .fn = on_due, .data = pause };
	} else {
		worker->spare_pauses = pause->next;
	}
	pause->prev = NULL;
	pause->next = worker->paused;
	if (worker->paused != NULL)
		worker->paused->prev = pause;
	worker->paused = pause;
	pause->req = req;
	io_timer_start(worker->loop, &pause->timer, due_ns);
	bench_worker_hold_back(worker, req);
	return true;
}

void bench_retry_end_all(struct bench_worker *worker, const char *kind, const char *error)
{
	while (worker->paused != NULL) {
		struct bench_req *req = worker->paused->req;
		struct res_record *record = req->recorder.record;
		pause_end(worker->paused);
		char *text = pl_asprintf("%s; attempt %u failed: %s", error, record->tries,
					 record->error != NULL ? record->error : "");
		free(record->error);
		record->error = text;
		record->error_kind = kind;
		record->end_ns = pl_clock_now_ns();
		bench_worker_req_over(worker, req);
	}
}

/* The outcome frees its tries as the records that they begin with. */
_Static_assert(offsetof(struct bench_try, record) == 0, "a try is freed by its record");

void bench_retry_gather(struct bench_worker *workers, unsigned count, struct res_outcome *outcome)
{
	size_t room = 0;

	for (unsigned i = 0; i < count; i++) {
		struct bench_try *at = pl_take(workers[i].first_try);
		for (; at != NULL; at = at->next) {
			*PL_PUSH(outcome->tries, outcome->try_count, room) = &at->record;
		}
	}
	res_record_sort_tries(outcome->tries, outcome->try_count);
}

void bench_retry_done(struct bench_worker *worker)
{
	struct bench_pause *pause;
	struct bench_try *at;

	while ((pause = worker->spare_pauses) != NULL) {
		worker->spare_pauses = pause->next;
		free(pause);
	}
	while ((at = worker->first_try) != NULL) {
		worker->first_try = at->next;
		res_record_done(&at->record);
		free(at);
	}
}
