#include "bench/load/worker.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "bench/load/conn.h"
#include "bench/load/feed_priv.h"
#include "bench/load/retry.h"
#include "bench/load/sessions.h"
#include "bench/load/source.h"

#define FROM(state) (1u << REQ_##state)
static const unsigned req_from[REQ_STATE_COUNT] = {
#define STATE(name, from, text) [REQ_##name] = (from),
#include "bench/load/worker_states.h"
};
#undef FROM

/* A pass of the loop reads pending data from at least this many sockets. */
#define PASS_SOCKETS 128

static uint64_t in_flight(const struct bench_worker *worker)
{
	return worker->counts[REQ_CONNECT] + worker->counts[REQ_SEND] + worker->counts[REQ_WAIT] +
	       worker->counts[REQ_ANSWER] + worker->counts[REQ_RETRY];
}

/*
 * Counts requests in flight that are not between two tries: only for these the server can send
 * data, so only these can stall.
 */
static uint64_t open_now(const struct bench_worker *worker)
{
	return in_flight(worker) - worker->counts[REQ_RETRY];
}

static void publish_open(struct bench_worker *worker)
{
	/* a reader that sees the request as open also sees heard_ns of its start */
	atomic_store_explicit(&worker->open_count, (int64_t)open_now(worker), memory_order_release);
}

void bench_req_set_state(struct bench_worker *worker, struct bench_req *req, enum req_state next)
{
	assert(req_from[next] & (1u << req->state));
	worker->counts[req->state]--;
	worker->counts[next]++;
	req->state = next;
	assert(worker->issued ==
	       worker->counts[REQ_COMPLETED] + worker->counts[REQ_FAILED] + in_flight(worker));
}

static void add_to(_Atomic uint64_t *counter, uint64_t change)
{
	atomic_fetch_add_explicit(counter, change, memory_order_relaxed);
}

/* Relaxed: is_stalled() may see it late by a tick, which a timeout of seconds does not notice. */
void bench_worker_heard(struct bench_worker *worker, int64_t now_ns)
{
	atomic_store_explicit(&worker->heard_ns, now_ns, memory_order_relaxed);
}

static void set_begun(struct bench_worker *worker, struct bench_req *req, bool begun)
{
	if (req->begun == begun)
		return;
	req->begun = begun;
	atomic_fetch_add_explicit(&worker->begun_count, begun ? 1 : -1, memory_order_relaxed);
}

void bench_worker_begun(struct bench_worker *worker, struct bench_req *req)
{
	set_begun(worker, req, true);
}

void bench_worker_count_tokens(struct bench_worker *worker, struct bench_stream *stream)
{
	if (worker->load->progress != NULL && stream->new_tokens > 0)
		add_to(&worker->load->progress->tokens, stream->new_tokens);
	stream->new_tokens = 0;
}

void bench_worker_issue(struct bench_worker *worker, struct bench_req *req, int64_t now_ns,
			enum req_state state)
{
	struct res_record *record = req->recorder.record;

	record->acted_ns = now_ns;
	record->planned_ns = req->due_ns != RES_NO_TIME
				     ? req->due_ns
				     : worker->shared->start_ns + req->request->planned_ns;
	record->tries = 1;
	req->try_ns = now_ns;
	worker->last_send_ns = now_ns;
	if (open_now(worker) == 0)
		bench_worker_heard(worker, now_ns);
	worker->issued++;
	bench_req_set_state(worker, req, state);
	bench_feed_acted(worker->load->feed, worker->index, record->index);
	bench_trace_add(&worker->trace, now_ns, 1);
	publish_open(worker);
	if (worker->load->progress != NULL) {
		add_to(&worker->load->progress->issued, 1);
		add_to(&worker->load->progress->in_flight, 1);
	}
}

void bench_worker_reissue(struct bench_worker *worker, struct bench_req *req, int64_t now_ns,
			  enum req_state state)
{
	req->recorder.record->tries++;
	req->try_ns = now_ns;
	if (open_now(worker) == 0)
		bench_worker_heard(worker, now_ns);
	bench_req_set_state(worker, req, state);
	publish_open(worker);
}

void bench_worker_hold_back(struct bench_worker *worker, struct bench_req *req)
{
	bench_req_set_state(worker, req, REQ_RETRY);
	set_begun(worker, req, false);
	publish_open(worker);
}

/* Returns whether a request is still to be sent, now or after another one. */
static bool has_more(const struct bench_worker *worker)
{
	size_t index;
	int64_t due_ns;

	return worker->next_send < worker->start_count ||
	       bench_sessions_next(worker->sessions, &index, &due_ns);
}

void bench_worker_req_over(struct bench_worker *worker, struct bench_req *req)
{
	const struct res_record *record = req->recorder.record;
	struct bench_progress *progress = worker->load->progress;

	bench_req_set_state(worker, req, record->ok ? REQ_COMPLETED : REQ_FAILED);
	set_begun(worker, req, false);
	bench_sessions_over(worker->sessions, worker, req);
	bench_feed_over(worker->load->feed, worker->index, record->index);
	bench_trace_add(&worker->trace, record->end_ns, -1);
	publish_open(worker);
	if (record->end_ns > worker->end_ns)
		worker->end_ns = record->end_ns;
	if (progress != NULL) {
		add_to(&progress->in_flight, (uint64_t)-1);
		add_to(record->ok ? &progress->completed : &progress->failed, 1);
	}
	if (has_more(worker))
		bench_worker_pump(worker, pl_clock_now_ns());
	else if (in_flight(worker) == 0)
		io_loop_stop(worker->loop);
}

int bench_worker_new_socket(struct bench_worker *worker, int *ret_fd, struct pl_err *err)
{
	const struct bench_load *load = worker->load;

	if (io_sock_new(&load->addr, ret_fd, err) < 0)
		return -1;
	if (load->source_count == 0)
		return 0;
	return bench_source_bind(*ret_fd,
				 &load->sources[worker->next_source++ % load->source_count], err);
}

/* The whole exchange with an adapter that has no server. */
static void answer_at_once(struct bench_worker *worker, struct bench_req *req)
{
	const struct bench_adapter *adapter = worker->load->adapter;
	struct bench_stream *stream = &worker->answer;
	struct res_record *record = req->recorder.record;
	const char *data;

	bench_worker_issue(worker, req, pl_clock_now_ns(), REQ_SEND);
	record->sent_ns = record->acted_ns;
	bench_req_set_state(worker, req, REQ_WAIT);
	bench_stream_start(stream, &req->recorder);
	bench_req_set_state(worker, req, REQ_ANSWER);
	int64_t now_ns = pl_clock_now_ns();
	record->headers_ns = now_ns;
	record->status = 200;
	bench_stream_read(stream, now_ns, false);
	for (int64_t i = 0; (data = adapter->answer(req->request->output_tokens, i)) != NULL; i++)
		bench_stream_event(stream, data, strlen(data));
	bench_stream_finish(stream);
	bench_worker_count_tokens(worker, stream);
	bench_worker_req_over(worker, req);
}

static void arm_launch(struct bench_worker *worker, int64_t due_ns)
{
	worker->launch_due_ns = due_ns;
	io_timer_start(worker->loop, &worker->launch_timer, due_ns);
}

/* A longer interval does not count: another thread used the CPU. */
static void add_awake(struct bench_worker *worker, int64_t stretch_ns)
{
	if (stretch_ns > 0)
		worker->awake_ns += stretch_ns < BENCH_AWAKE_NS ? stretch_ns : BENCH_AWAKE_NS;
}

/*
 * Waits for the next launch without being late for it, and without leaving sockets unread:
 *
 *                 due - 50 us               due - 5 us     due
 *    ── asleep ──────┤ awake: the timer is set  ├ spin ───┤ launch
 *      (epoll waits) │ to now, so that each pass│ reads   │
 *                    │ reads sockets and comes  │ nothing │
 *                    │ straight back            │         │
 *
 * A sleeping thread wakes 20 to 30 us late, which half of all launches would be late by.
 */
static void await_launch(struct bench_worker *worker, int64_t now_ns, int64_t due_ns)
{
	int64_t from_ns = due_ns - BENCH_AWAKE_NS;

	if (from_ns <= now_ns) {
		worker->awake_from_ns = now_ns;
		from_ns = now_ns;
	}
	arm_launch(worker, from_ns);
}

static int64_t spin_until(struct bench_worker *worker, int64_t now_ns, int64_t due_ns)
{
	int64_t from_ns = now_ns;

	while (now_ns < due_ns)
		now_ns = pl_clock_now_ns();
	add_awake(worker, now_ns - from_ns);
	return now_ns;
}

static int64_t planned_ns(const struct bench_worker *worker, size_t i)
{
	return worker->shared->start_ns + worker->reqs[i].request->planned_ns;
}

/* Due and held by the cap: from now on these wait. A few a pass, for there can be very many. */
static void mark_held(struct bench_worker *worker, int64_t now_ns)
{
	if (worker->next_due < worker->next_send)
		worker->next_due = worker->next_send;
	for (; worker->next_due < worker->start_count; worker->next_due++) {
		struct bench_req *req = &worker->reqs[worker->next_due];
		int64_t due_ns = planned_ns(worker, worker->next_due);
		if (due_ns > now_ns) {
			arm_launch(worker, due_ns);
			return;
		}
		if (worker->marks_left == 0) {
			arm_launch(worker, io_loop_now_ns(worker->loop) + 1);
			return;
		}
		worker->marks_left--;
		req->recorder.record->queued_ns = due_ns;
		bench_req_set_state(worker, req, REQ_HELD);
	}
}

static void begin_pass(struct bench_worker *worker)
{
	/* The loop's time is constant during a pass, so it identifies the pass. */
	if (worker->pass_ns == io_loop_now_ns(worker->loop))
		return;
	worker->pass_ns = io_loop_now_ns(worker->loop);
	worker->launches_left = BENCH_LAUNCHES_PER_PASS;
	worker->marks_left = BENCH_MARKS_PER_PASS;
}

bool bench_worker_may_launch(struct bench_worker *worker)
{
	begin_pass(worker);
	if (worker->launches_left == 0)
		return false;
	worker->launches_left--;
	return true;
}

/* Returns the index of the request to be sent next, and when it is due; false: none may be sent now. */
static bool choose_next(struct bench_worker *worker, size_t *ret_index, int64_t *ret_ns)
{
	bool follows = bench_sessions_next(worker->sessions, ret_index, ret_ns);

	if (worker->next_send == worker->start_count)
		return follows;
	int64_t planned = planned_ns(worker, worker->next_send);
	if (!bench_sessions_may_start(worker->sessions))
		return follows;
	if (follows && *ret_ns <= planned)
		return true;
	*ret_index = worker->next_send;
	*ret_ns = planned;
	return true;
}

/* With sessions there is no order in which all due requests could be marked before. */
static void note_wait(struct bench_worker *worker, struct bench_req *req, int64_t due_ns)
{
	if (worker->sessions == NULL || worker->blocked_ns == RES_NO_TIME ||
	    worker->blocked_ns <= due_ns)
		return;
	req->recorder.record->queued_ns = due_ns;
	bench_req_set_state(worker, req, REQ_HELD);
}

static struct bench_req *take(struct bench_worker *worker, size_t index, int64_t due_ns)
{
	struct bench_req *req = &worker->reqs[index];

	if (index < worker->start_count)
		worker->next_send++;
	else
		bench_sessions_take(worker->sessions);
	bench_sessions_begin(worker->sessions, req, due_ns);
	note_wait(worker, req, req->due_ns != RES_NO_TIME ? req->due_ns : due_ns);
	return req;
}

void bench_worker_pump(struct bench_worker *worker, int64_t now_ns)
{
	size_t index;
	int64_t due_ns;

	/* launches can end at once and call back here: the loop below continues anyway */
	if (worker->pumping || worker->stopping)
		return;
	worker->pumping = true;
	worker->launch_due_ns = INT64_MAX;
	/* Counts the time since the loop was asked to return immediately. */
	if (worker->awake_from_ns != RES_NO_TIME && worker->awake_idle)
		add_awake(worker, now_ns - worker->awake_from_ns);
	worker->awake_from_ns = RES_NO_TIME;
	begin_pass(worker);
	while (choose_next(worker, &index, &due_ns)) {
		if (due_ns - now_ns > BENCH_SPIN_NS) {
			await_launch(worker, now_ns, due_ns);
			break;
		}
		now_ns = spin_until(worker, now_ns, due_ns);
		/* Also counts requests between two tries: they keep their slot. */
		if (worker->trace.in_flight >= worker->cap) {
			worker->blocked_ns = now_ns;
			if (worker->sessions == NULL)
				mark_held(worker, now_ns);
			break;
		}
		if (!bench_worker_may_launch(worker)) {
			arm_launch(worker, worker->pass_ns + 1);
			break;
		}
		struct bench_req *req = take(worker, index, due_ns);
		if (worker->load->adapter->has_socket)
			bench_conn_launch(worker, req);
		else
			answer_at_once(worker, req);
		now_ns = pl_clock_now_ns();
	}
	worker->pumping = false;
	if (!has_more(worker) && in_flight(worker) == 0)
		io_loop_stop(worker->loop);
}

static void on_launch(struct io_loop *loop, struct io_timer *timer)
{
	struct bench_worker *worker = timer->data;

	(void)loop;
	bench_worker_pump(worker, pl_clock_now_ns());
	/* the last one of a pass: any event before the next one is work */
	worker->awake_idle = true;
}

static void end_open(struct bench_worker *worker, const char *kind, const char *error)
{
	worker->stopping = true;
	bench_conn_close_all(worker, kind, error);
	bench_retry_end_all(worker, kind, error);
}

/*
 * Returns whether no byte arrived on any stream of any worker for stall_timeout although requests
 * are open, and the server was not seen working since. *ret: the open requests.
 */
static bool is_silent(const struct bench_shared *shared, int64_t now_ns, struct bench_open *ret)
{
	int64_t excused_ns = bench_silence_excused_ns(&shared->silence);
	struct bench_open open = { .heard_ns = INT64_MIN };

	for (unsigned i = 0; i < shared->worker_count; i++) {
		struct bench_worker *worker = &shared->workers[i];
		open.count += atomic_load_explicit(&worker->open_count, memory_order_acquire);
		open.begun += atomic_load_explicit(&worker->begun_count, memory_order_relaxed);
		int64_t at = atomic_load_explicit(&worker->heard_ns, memory_order_relaxed);
		open.heard_ns = at > open.heard_ns ? at : open.heard_ns;
	}
	*ret = open;
	int64_t since_ns = excused_ns > open.heard_ns ? excused_ns : open.heard_ns;
	return open.count > 0 && now_ns - since_ns >= shared->load->stall_timeout_ns;
}

static bool is_stalled(struct bench_shared *shared, int64_t now_ns)
{
	struct bench_open open;

	if (is_silent(shared, now_ns, &open))
		return bench_silence_ends(&shared->silence, open);
	bench_silence_broken(&shared->silence);
	return false;
}

/* Returns RES_END_ALL to continue. */
static enum res_end check_end(struct bench_worker *worker, int64_t now_ns)
{
	const struct bench_load *load = worker->load;

	if (load->stop_signal != NULL && atomic_load(load->stop_signal) != 0)
		return RES_END_STOPPED;
	if (load->run_timeout_ns != OPTION_NO_I64 &&
	    now_ns - worker->shared->start_ns >= load->run_timeout_ns)
		return RES_END_RUN_TIMEOUT;
	return is_stalled(worker->shared, now_ns) ? RES_END_STALLED : RES_END_ALL;
}

static int64_t next_tick_ns(const struct bench_worker *worker, int64_t now_ns)
{
	const struct bench_load *load = worker->load;
	/*
	 * A stall is detected at most a quarter of its timeout late, without thousands of checks
	 * per second.
	 */
	int64_t step_ns = load->stall_timeout_ns / 4;
	int64_t due_ns;

	if (step_ns > BENCH_TICK_NS)
		step_ns = BENCH_TICK_NS;
	if (step_ns < PL_NS_PER_MS)
		step_ns = PL_NS_PER_MS;
	due_ns = now_ns + step_ns;
	if (load->run_timeout_ns != OPTION_NO_I64 &&
	    worker->shared->start_ns + load->run_timeout_ns < due_ns)
		due_ns = worker->shared->start_ns + load->run_timeout_ns;
	return due_ns;
}

/*
 * Ends after one more check of all sockets, because the thread may have been delayed: a response
 * that the server completed before it died, or before the end, must count.
 */
static void end_soon(struct bench_worker *worker, enum res_end end, int64_t now_ns)
{
	if (!worker->stopping)
		worker->last_looks = open_now(worker) / PASS_SOCKETS + 1;
	worker->stopping = true;
	if (worker->last_looks == 0) {
		static const char *const kinds[] = {
			[RES_END_STALLED] = "stalled",
			[RES_END_RUN_TIMEOUT] = "abandoned",
			[RES_END_STOPPED] = "abandoned",
		};
		static const char *const texts[] = {
			[RES_END_STALLED] = "no stream received a byte within stall_timeout",
			[RES_END_RUN_TIMEOUT] = "run_timeout ended the run",
			[RES_END_STOPPED] = "the run was stopped",
		};
		io_timer_stop(worker->loop, &worker->launch_timer);
		end_open(worker, kinds[end], texts[end]);
		io_loop_stop(worker->loop);
		return;
	}
	worker->last_looks--;
	/* of the next pass, not of this one */
	io_timer_start(worker->loop, &worker->tick_timer, now_ns + 1);
}

static void on_tick(struct io_loop *loop, struct io_timer *timer)
{
	struct bench_worker *worker = timer->data;
	int64_t now_ns = pl_clock_now_ns();
	enum res_end end = check_end(worker, now_ns);
	int none = 0;

	bench_stamps_sample(&worker->stamps);
	/*
	 * The first worker to see an end decides for all; the others find its word at their own
	 * next tick.
	 */
	if (end != RES_END_ALL)
		atomic_compare_exchange_strong(&worker->shared->ended, &none, (int)end + 1);
	int ended = atomic_load(&worker->shared->ended);
	if (ended != 0)
		end_soon(worker, (enum res_end)(ended - 1), now_ns);
	else
		io_timer_start(loop, timer, next_tick_ns(worker, now_ns));
}

/* The k-th of the CPUs that the thread may use. */
static void pin(unsigned k)
{
	cpu_set_t allowed;
	cpu_set_t one;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	k %= (unsigned)CPU_COUNT(&allowed);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || k-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void set_up_thread(struct bench_worker *worker)
{
	const struct sched_param first = { .sched_priority = 1 };

	/*
	 * The kernel may wake an ordinary thread 50 us late to save wake-ups; of FIFO threads it
	 * does not.
	 */
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	/*
	 * A single worker is left to the scheduler, which can keep it away from the server; several
	 * must not share a CPU while another is idle.
	 */
	if (worker->shared->worker_count > 1)
		pin(worker->index);
	if (worker->load->realtime)
		worker->realtime_granted = pthread_setschedparam(pthread_self(), SCHED_FIFO,
								 &first) == 0;
}

void *bench_worker_main(void *data)
{
	struct bench_worker *worker = data;

	set_up_thread(worker);
	bench_wakes_open(&worker->wakes);
	bench_stamps_sample(&worker->stamps);
	/* All workers start together; the last one to arrive sets the start time. */
	struct bench_shared *shared = worker->shared;
	pthread_mutex_lock(&shared->lock);
	shared->ready++;
	if (shared->ready == shared->worker_count) {
		shared->start_ns = pl_clock_now_ns();
		bench_feed_start(shared->load->feed, shared->start_ns);
		pthread_cond_broadcast(&shared->started);
	}
	while (shared->start_ns == 0)
		pthread_cond_wait(&shared->started, &shared->lock);
	pthread_mutex_unlock(&shared->lock);
	if (atomic_load(&worker->shared->ended) != 0)
		return NULL;
	worker->cpu_start_ns = pl_clock_cpu_thread_ns();
	int64_t now_ns = pl_clock_now_ns();
	await_launch(worker, now_ns, planned_ns(worker, 0));
	io_timer_start(worker->loop, &worker->tick_timer, next_tick_ns(worker, now_ns));
	if (io_loop_run(worker->loop, &worker->err) < 0) {
		worker->failed = true;
		end_open(worker, "abandoned", "the event loop of the worker failed");
		int none = 0;
		atomic_compare_exchange_strong(&worker->shared->ended, &none,
					       (int)RES_END_STOPPED + 1);
	}
	bench_stamps_sample(&worker->stamps);
	worker->cpu_ns = pl_clock_cpu_thread_ns() - worker->cpu_start_ns;
	end_open(worker, "abandoned", "");
	return NULL;
}

/*
 * The first workers get one more, so worker i has the requests i, i + n, i + 2n … and no other code
 * needs to know.
 */
static int64_t share_of(int64_t total, unsigned parts, unsigned i)
{
	return total / parts + (i < total % parts ? 1 : 0);
}

int bench_worker_init(struct bench_worker *worker, struct bench_shared *shared, unsigned index,
		      struct pl_err *err)
{
	const struct bench_load *load = shared->load;
	unsigned workers = shared->worker_count;

	worker->load = load;
	worker->shared = shared;
	worker->index = index;
	worker->next_source = index;
	worker->blocked_ns = RES_NO_TIME;
	worker->sessions = bench_sessions_new(load);
	worker->req_count = (size_t)share_of((int64_t)load->count, workers, index);
	worker->cap = load->max_concurrency == OPTION_NO_I64
			      ? INT64_MAX
			      : share_of(load->max_concurrency, workers, index);
	worker->launch_timer = (struct io_timer){ .fn = on_launch, .data = worker };
	worker->tick_timer = (struct io_timer){ .fn = on_tick, .data = worker };
	worker->launch_due_ns = INT64_MAX;
	worker->awake_from_ns = RES_NO_TIME;
	worker->last_send_ns = RES_NO_TIME;
	worker->end_ns = RES_NO_TIME;
	worker->err.code = PL_ERR_NONE;
	worker->read_buffer = pl_alloc(BENCH_READ_BYTES);
	bench_stream_init(&worker->answer, load->adapter, false);
	bench_stamps_init(&worker->stamps, BENCH_QUEUEING_MAX / workers);
	worker->wakes.fd = -1;
	worker->start_count = worker->sessions != NULL ? bench_sessions_starts(load)
						       : worker->req_count;
	bench_trace_init(&worker->trace, worker->req_count);
	worker->reqs = pl_alloc_array(worker->req_count, sizeof(*worker->reqs));
	worker->counts[REQ_PLANNED] = worker->req_count;
	for (size_t i = 0; i < worker->req_count; i++) {
		struct bench_req *req = &worker->reqs[i];
		req->request = &load->requests[index + i * workers];
		req->recorder.record = &shared->outcome->records[index + i * workers];
		req->recorder.last_ns = RES_NO_TIME;
		req->body = req->request->body;
		req->body_len = req->request->body_len;
		req->due_ns = RES_NO_TIME;
		bench_recorder_reserve(&req->recorder, req->request->output_tokens);
	}
	return io_loop_new(&worker->loop, err);
}

void bench_worker_done(struct bench_worker *worker)
{
	if (worker->shared == NULL)
		return;
	bench_conn_free_all(worker);
	bench_retry_done(worker);
	bench_sessions_free(worker->sessions);
	bench_stream_done(&worker->answer);
	bench_stamps_done(&worker->stamps);
	bench_wakes_close(&worker->wakes);
	bench_trace_done(&worker->trace);
	io_loop_free(worker->loop);
	free(worker->reqs);
	free(worker->read_buffer);
}
