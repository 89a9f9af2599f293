#include "io/fetch.h"

#include "base/clock.h"
#include "io/exchange.h"

/* How long a request to stop may go unseen. */
#define STOP_TICK_NS (100 * PL_NS_PER_MS)

/* The fetches of a batch; each of its connections takes one after the other from it. */
struct fetch_set {
	const struct io_fetch *fetches;
	struct io_reply *replies;
	size_t count;
	size_t next;
	unsigned busy;      /* connections with an exchange under way */
	struct pl_err last; /* the last failure */
};

struct fetch_conn {
	struct fetch_set *set;
	struct io_exchange *exchange;
	struct io_reply *reply; /* of the exchange under way */
};

static void note_failure(struct fetch_conn *conn, const struct pl_err *failure)
{
	conn->reply->error = pl_strdup(failure->text);
	conn->set->last = *failure;
}

/* Starts the next fetch that can be started; if there is none, the connection has finished. */
static void begin_next(struct fetch_conn *conn)
{
	struct fetch_set *set = conn->set;
	struct pl_err err = PL_ERR_INIT;

	/*
	 * One that cannot even begin takes its error and makes room for the next: a loop, so that a
	 * thousand refused ones need no stack.
	 */
	while (set->next < set->count) {
		size_t i = set->next++;
		conn->reply = &set->replies[i];
		if (io_exchange_begin(conn->exchange, &set->fetches[i], conn->reply, &err) == 0)
			return;
		note_failure(conn, &err);
	}
	set->busy--;
}

static void on_over(void *data, const struct pl_err *failure)
{
	struct fetch_conn *conn = data;

	if (failure != NULL)
		note_failure(conn, failure);
	begin_next(conn);
}

static int run_set(struct fetch_set *set, unsigned parallel, bool keep, struct pl_err *err)
{
	auto_loop struct io_loop *loop = NULL;
	int rc = 0;

	if (io_loop_new(&loop, err) < 0)
		return -1;
	if (parallel == 0)
		parallel = 1;
	if (parallel > set->count)
		parallel = (unsigned)set->count;
	set->busy = parallel;
	auto_free struct fetch_conn *conns = pl_alloc_array(parallel, sizeof(*conns));
	for (unsigned i = 0; i < parallel; i++) {
		conns[i].set = set;
		conns[i].exchange = io_exchange_new(loop, keep, on_over, &conns[i]);
		begin_next(&conns[i]);
	}
	const atomic_int *stop = set->fetches[0].stop_signal;
	while (rc == 0 && set->busy > 0) {
		if (stop != NULL && atomic_load(stop) != 0)
			rc = pl_err_set(err, PL_ERR_INTERRUPTED, "interrupted");
		else
			rc = io_loop_step(
				loop, stop == NULL ? INT64_MAX : pl_clock_now_ns() + STOP_TICK_NS,
				err);
	}
	for (unsigned i = 0; i < parallel; i++)
		io_exchange_free(conns[i].exchange);
	return rc;
}

int io_fetch_batch(const struct io_fetch *fetches, size_t count, unsigned parallel,
		   struct io_reply *replies, struct pl_err *err)
{
	struct fetch_set set = { .fetches = fetches, .replies = replies, .count = count };

	for (size_t i = 0; i < count; i++)
		replies[i] = (struct io_reply){ 0 };
	return count > 0 ? run_set(&set, parallel, true, err) : 0;
}

int io_fetch(const struct io_fetch *fetch, struct io_reply *ret, struct pl_err *err)
{
	/* Moved to the caller only when it is whole: *ret stays untouched on failure. */
	auto_reply reply = { 0 };
	struct fetch_set set = { .fetches = fetch, .replies = &reply, .count = 1 };

	if (run_set(&set, 1, false, err) < 0)
		return -1;
	if (reply.status == 0) {
		*err = set.last;
		return -1;
	}
	*ret = reply;
	reply = (struct io_reply){ 0 };
	return 0;
}
