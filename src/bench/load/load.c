#include "bench/load/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/clock.h"
#include "bench/load/feed_priv.h"
#include "bench/load/retry.h"
#include "bench/load/sessions.h"
#include "bench/load/worker.h"
#include "io/http_text.h"

#define HEAD_BYTES_MAX (1u << 20)
/* "x-request-id: ", "Content-Length: ", a 20-digit number after each, line ends and a NUL. */
#define TAIL_TEXT_BYTES 96
/* "X-Session-ID: ", "session-", a number and a line end. */
#define SESSION_TEXT_BYTES 48
/*
 * Each worker has a fixed share of the concurrency limit and of the requests: with 1 of 3 slots and
 * half of the requests, a worker would continue alone while the other's slots are idle. With this
 * many slots per worker the shares differ too little to matter.
 */
#define SLOTS_A_WORKER 64
/*
 * Connections for which room is reserved at the start; for more, the file table grows a few times.
 */
#define FILES_MOST 65536

/* Adds the header, or the user's line with that name if there is one. */
static void add_header(struct pl_buf *buf, const char *user, const char *name, const char *value)
{
	if (!io_http_lines_have(user, name))
		pl_buf_addf(buf, "%s: %s\r\n", name, value);
}

/*
 * Adds the user's lines except those with one name, which is added elsewhere or replaced; NULL:
 * all.
 */
static void add_user_headers(struct pl_buf *buf, const char *user, const char *left_out, bool only)
{
	size_t name_len = left_out != NULL ? strlen(left_out) : 0;

	while (*user != '\0') {
		const char *end = strstr(user, "\r\n");
		size_t len = end != NULL ? (size_t)(end - user) : strlen(user);
		bool named = left_out != NULL && strncasecmp(user, left_out, name_len) == 0 &&
			     user[name_len] == ':';
		if (len > 0 && named == only) {
			pl_buf_add(buf, user, len);
			pl_buf_add_text(buf, "\r\n");
		}
		user += end != NULL ? len + 2 : len;
	}
}

/* Returns the text after the user's line with that name; "" if there is none. */
static const char *after_header(const char *lines, const char *name)
{
	size_t len = strlen(name);

	while (*lines != '\0') {
		const char *end = strstr(lines, "\r\n");
		const char *next = end != NULL ? end + 2 : lines + strlen(lines);
		if (strncasecmp(lines, name, len) == 0 && lines[len] == ':')
			return next;
		lines = next;
	}
	return lines;
}

/*
 * Returns the maximum size of the parts that differ by request: an id, a length, and the lines
 * around them.
 */
static size_t tail_room(const struct bench_shared *shared)
{
	const struct bench_load *load = shared->load;
	size_t longest = strlen(shared->head_rest) + strlen(shared->head_end) + TAIL_TEXT_BYTES;
	const char *prefix = NULL;
	size_t prefix_len = 0;

	longest += load->session_count > 0 ? SESSION_TEXT_BYTES : 0;
	for (size_t i = 0; i < load->count; i++) {
		const char *here = load->requests[i].request_id.prefix;
		if (here == prefix || here == NULL)
			continue;
		prefix = here;
		prefix_len = strlen(here) > prefix_len ? strlen(here) : prefix_len;
	}
	/* of the request, and of the session */
	return longest + 2 * prefix_len;
}

/*
 * Builds the head in vLLM's order: Host, Content-Type, the user's lines, x-request-id (replaces the
 * user's line with that name), the lines of the HTTP library, Content-Length; for completions the
 * library adds Content-Type, as the last one. conn.c joins the parts with those that differ by
 * request.
 */
static int build_head(struct bench_shared *shared, struct pl_err *err)
{
	const struct bench_load *load = shared->load;
	const char *user = load->headers != NULL ? load->headers : "";
	const char *type = load->adapter->content_type != NULL ? load->adapter->content_type
							       : "application/json";
	bool named = load->requests[0].request_id.prefix != NULL;
	bool typed = io_http_lines_have(user, "Content-Type");
	auto_buf buf = { 0 }, rest = { 0 }, client_head = { 0 }, after = { 0 }, hostless = { 0 };

	/*
	 * buf: up to x-request-id | the id | rest: up to Content-Length | the length | head_end.
	 * own: the user's lines before the position of the id; after: those after it.
	 */
	pl_buf_init(&buf, HEAD_BYTES_MAX);
	pl_buf_init(&rest, HEAD_BYTES_MAX);
	pl_buf_init(&client_head, HEAD_BYTES_MAX);
	pl_buf_init(&after, HEAD_BYTES_MAX);
	pl_buf_init(&hostless, HEAD_BYTES_MAX);
	add_user_headers(&hostless, user, "Host", false);
	/* each request's id replaces the user's line */
	const char *plain = pl_buf_text(&hostless);
	const char *tail = named ? after_header(plain, "x-request-id") : "";
	auto_free char *ahead = pl_strndup(plain, strlen(plain) - strlen(tail));
	add_user_headers(&client_head, ahead, named ? "x-request-id" : NULL, false);
	pl_buf_addf(&buf, "POST %s HTTP/1.1\r\n", load->path);
	add_header(&buf, user, "Host", load->host_header);
	add_user_headers(&buf, user, "Host", true);
	if (load->adapter->types_last) {
		pl_buf_add_text(&buf, pl_buf_text(&client_head));
	} else {
		add_header(&buf, user, "Content-Type", type);
		add_user_headers(&buf, user, "Content-Type", true);
		add_user_headers(&buf, pl_buf_text(&client_head), "Content-Type", false);
	}
	add_user_headers(&after, tail, "x-request-id", false);
	add_user_headers(&rest, pl_buf_text(&after),
			 load->adapter->types_last ? NULL : "Content-Type", false);
	add_header(&rest, user, "Accept", "*/*");
	add_header(&rest, user, "Accept-Encoding", "identity");
	add_header(&rest, user, "User-Agent", "profllm/" PROFLLM_VERSION);
	if (buf.full)
		return pl_err_set(err, PL_ERR_INVALID, "request head is larger than %u bytes",
				  HEAD_BYTES_MAX);
	shared->head_len = buf.len;
	shared->head = pl_buf_take(&buf);
	shared->head_rest = pl_buf_take(&rest);
	shared->head_end = load->adapter->types_last && !typed
				   ? pl_asprintf("Content-Type: %s\r\n", type)
				   : pl_strdup("");
	shared->tail_room = tail_room(shared);
	return 0;
}

static int check_load(const struct bench_load *load, struct pl_err *err)
{
	if (load->max_concurrency != OPTION_NO_I64 && load->max_concurrency < 1)
		return pl_err_set(err, PL_ERR_INVALID, "'max_concurrency' must be at least 1");
	if (load->request_timeout_ns <= 0 || load->stall_timeout_ns <= 0)
		return pl_err_set(err, PL_ERR_INVALID,
				  "'request_timeout' and 'stall_timeout' must be above 0");
	size_t starts = bench_sessions_starts(load);
	for (size_t i = 1; i < starts; i++) {
		if (load->requests[i].planned_ns < load->requests[i - 1].planned_ns)
			return pl_err_set(err, PL_ERR_INVALID,
					  "request %zu is planned before its predecessor", i);
	}
	return 0;
}

static unsigned worker_count(const struct bench_load *load)
{
	uint64_t count = load->threads > 0 ? load->threads : 1;
	uint64_t slots = (uint64_t)load->max_concurrency / SLOTS_A_WORKER;

	if (load->max_concurrency != OPTION_NO_I64 && slots < count)
		count = slots;
	/* a session belongs to one worker, and so does their limit */
	if (load->session_count > 0)
		count = 1;
	/* a worker without a request would never do anything and never end */
	if (load->count < count)
		count = load->count;
	return count > 0 ? (unsigned)count : 1;
}

/* Starts, and waits for, one thread a worker; -1: some thread could not be started or broke. */
static int run_threads(struct bench_shared *shared, struct pl_err *err)
{
	int rc = 0;

	for (unsigned i = 0; i < shared->worker_count; i++) {
		struct bench_worker *worker = &shared->workers[i];
		int error = pthread_create(&worker->thread, NULL, bench_worker_main, worker);
		worker->thread_runs = error == 0;
		if (error == 0)
			continue;
		rc = pl_err_set(err, PL_ERR_IO, "could not start worker %u: %s", i,
				strerror(error));
		/* those that wait for it begin, see the end at their first tick, and stop */
		pthread_mutex_lock(&shared->lock);
		atomic_store(&shared->ended, (int)RES_END_STOPPED + 1);
		shared->start_ns = pl_clock_now_ns();
		pthread_cond_broadcast(&shared->started);
		pthread_mutex_unlock(&shared->lock);
		break;
	}
	for (unsigned i = 0; i < shared->worker_count; i++) {
		struct bench_worker *worker = &shared->workers[i];
		if (!worker->thread_runs)
			continue;
		pthread_join(worker->thread, NULL);
		if (worker->failed && rc == 0) {
			*err = worker->err;
			rc = pl_err_wrap(err, "worker %u", i);
		}
	}
	return rc;
}

static void gather_queueing(const struct bench_shared *shared, struct res_outcome *outcome)
{
	size_t total = 0;

	/* there can be a million: those of one worker are handed over */
	if (shared->worker_count == 1) {
		outcome->queueing_ms = pl_take(shared->workers[0].stamps.queueing_ms);
		outcome->queueing_count = shared->workers[0].stamps.queueing_count;
		return;
	}
	for (unsigned i = 0; i < shared->worker_count; i++)
		total += shared->workers[i].stamps.queueing_count;
	outcome->queueing_ms = pl_alloc_array(total, sizeof(*outcome->queueing_ms));
	for (unsigned i = 0; i < shared->worker_count; i++) {
		const struct bench_stamps *stamps = &shared->workers[i].stamps;
		if (stamps->queueing_count > 0)
			memcpy(outcome->queueing_ms + outcome->queueing_count, stamps->queueing_ms,
			       stamps->queueing_count * sizeof(*stamps->queueing_ms));
		outcome->queueing_count += stamps->queueing_count;
	}
}

static void gather(const struct bench_shared *shared)
{
	struct res_outcome *outcome = shared->outcome;
	int ended = shared->ended;

	outcome->start_ns = shared->start_ns;
	outcome->end_ns = shared->start_ns;
	outcome->last_send_ns = RES_NO_TIME;
	outcome->end = ended != 0 ? (enum res_end)(ended - 1) : RES_END_ALL;
	outcome->realtime_granted = shared->load->realtime;
	outcome->worker_count = shared->worker_count;
	for (unsigned i = 0; i < shared->worker_count; i++) {
		const struct bench_worker *worker = &shared->workers[i];
		if (worker->end_ns > outcome->end_ns)
			outcome->end_ns = worker->end_ns;
		if (worker->last_send_ns > outcome->last_send_ns)
			outcome->last_send_ns = worker->last_send_ns;
		if (llabs(worker->stamps.step_ns) > llabs(outcome->clock_step_ns))
			outcome->clock_step_ns = worker->stamps.step_ns;
		outcome->connections += worker->connections;
		if (worker->min_round_trip_ns > 0 &&
		    (outcome->min_round_trip_ns == 0 ||
		     worker->min_round_trip_ns < outcome->min_round_trip_ns))
			outcome->min_round_trip_ns = worker->min_round_trip_ns;
		outcome->realtime_granted &= worker->realtime_granted;
	}
	for (unsigned i = 0; i < shared->worker_count; i++) {
		double wall_ns = (double)(outcome->end_ns - outcome->start_ns);
		const struct bench_worker *worker = &shared->workers[i];
		/*
		 * Active waiting counts as CPU time in the kernel, and would make an idle client
		 * look limited.
		 */
		double busy_ns = (double)(worker->cpu_ns - worker->awake_ns);
		double share = wall_ns > 0 ? fmax(busy_ns, 0) / wall_ns : 0;
		if (share > outcome->worker_cpu_share_max)
			outcome->worker_cpu_share_max = share;
	}
	gather_queueing(shared, outcome);
	bench_retry_gather(shared->workers, shared->worker_count, outcome);
	bench_trace_merge(shared->workers, shared->worker_count, outcome);
	/* Completes the records of requests that no worker acted on. */
	const struct bench_load *load = shared->load;
	for (size_t i = 0; i < load->count; i++) {
		struct res_record *record = &shared->outcome->records[i];
		if (record->acted_ns != RES_NO_TIME)
			continue;
		if (record->error_kind != NULL)
			continue;
		record->planned_ns = shared->start_ns + load->requests[i].planned_ns;
		record->error_kind = "not_sent";
		record->error = pl_strdup("the run ended before the request was sent");
	}
}

/*
 * The socket that enables timestamps stays open during the whole run: the kernel stops when the
 * last one is closed.
 */
static int run_shared(struct bench_shared *shared, struct pl_err *err)
{
	auto_fd int stamps_on = shared->load->adapter->has_socket ? bench_stamps_switch_on() : -1;

	if (build_head(shared, err) < 0)
		return -1;
	for (unsigned i = 0; i < shared->worker_count; i++) {
		if (bench_worker_init(&shared->workers[i], shared, i, err) < 0)
			return -1;
	}
	if (run_threads(shared, err) < 0)
		return -1;
	gather(shared);
	return 0;
}

int bench_load_run(const struct bench_load *load, struct res_outcome **ret, struct pl_err *err)
{
	struct bench_shared shared = {
		.load = load,
		.worker_count = worker_count(load),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.started = PTHREAD_COND_INITIALIZER,
	};

	if (check_load(load, err) < 0)
		return -1;
	struct res_outcome *outcome = pl_alloc(sizeof(*outcome));
	outcome->count = load->count;
	outcome->records = pl_alloc_array(load->count, sizeof(*outcome->records));
	for (size_t i = 0; i < load->count; i++) {
		const struct bench_request *request = &load->requests[i];
		struct res_record *record = &outcome->records[i];
		res_record_init(record, i);
		record->request_id = request->request_id;
		record->prompt_tokens_requested = request->prompt_tokens;
		record->output_tokens_requested = request->output_tokens;
		record->input_sequences = request->input_sequences;
		record->session = request->session;
		record->turn = request->turn;
		record->images = request->images;
		record->videos = request->videos;
		record->audio_s = request->audio_s;
	}
	if (load->count == 0) {
		outcome->start_ns = outcome->end_ns = pl_clock_now_ns();
		outcome->last_send_ns = RES_NO_TIME;
		*ret = outcome;
		return 0;
	}
	io_sock_reserve_files(load->count < FILES_MOST ? load->count : FILES_MOST);
	shared.outcome = outcome;
	shared.workers = pl_alloc_array(shared.worker_count, sizeof(*shared.workers));
	bench_feed_attach(load->feed, outcome->records, outcome->count, shared.worker_count);
	bench_silence_init(&shared.silence, load);
	int rc = run_shared(&shared, err);
	bench_silence_done(&shared.silence);
	/* a reader may be at it until then */
	if (rc < 0)
		bench_feed_detach(load->feed);
	for (unsigned i = 0; i < shared.worker_count; i++)
		bench_worker_done(&shared.workers[i]);
	free(shared.workers);
	free(shared.head);
	free(shared.head_rest);
	free(shared.head_end);
	if (rc < 0)
		res_outcome_free(outcome);
	else
		*ret = outcome;
	return rc;
}
