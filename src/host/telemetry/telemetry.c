#include "host/telemetry/telemetry.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "host/proc/tree.h"
#include "host/telemetry/gpu.h"
#include "host/telemetry/host.h"
#include "host/telemetry/lines.h"
#include "host/telemetry/metrics_fetch.h"

/* Interval for new processes, open files and GPU processes, which cost more than other readings. */
#define SCAN_NS (500 * PL_NS_PER_MS)
/* Minimum interval if each reading runs a program. */
#define SLOW_GPU_NS PL_NS_PER_S
/* Samples further apart than both are not connected. */
#define GAP_INTERVALS 5
#define GAP_MIN_NS    (2 * PL_NS_PER_S)
#define REQUESTS_MAX  ((size_t)1 << 18)
/* Maximum time of the first reading; then the run continues without. */
#define FIRST_WAIT_NS (5 * PL_NS_PER_S)

struct requests {
	struct host_requests_sample *items;
	size_t count;
	size_t room;
	size_t stride; /* one of `stride` samples is stored */
	size_t skipped;
};

/*
 *   ticks thread, each interval:   GPUs ─ client ─ host ─ server ─ (each 0.5 s: scan, foreign)
 *                  its own loop:   /metrics, on ticks of its own
 *   slow thread (nvidia-smi only): GPUs ─ foreign
 *   starting thread:               begin and end of windows, results after the stop
 *
 * The two locks are never held together. None is held while something is read that may take long,
 * but for the tree's own scan.
 */
struct host_telemetry {
	struct host_ticks *ticks;
	struct host_ticks *slow; /* reads GPUs at its own interval; NULL: the ticks read them */
	struct host_lines *lines;
	int64_t interval_ns;
	const char *run_id;
	/* the tick's own */
	struct host_counters *counters; /* NULL: not requested */
	struct host_self *self;
	struct host_gpu_watch *watch; /* the slow thread's where there is one */
	int64_t scan_due_ns;
	int64_t server_ns; /* of the read before */
	/* the loop's own */
	struct host_scrape *scrape;
	struct io_timer scrape_timer;
	int64_t scrape_interval_ns;
	struct requests requests;
	bool server_restarted;
	int64_t metrics_requested;
	int64_t metrics_gaps;

	pthread_mutex_t tree_lock;
	struct host_proc_tree *tree; /* NULL: the server is not ours */

	pthread_mutex_t lock; /* over all of the below, while a thread runs */
	pthread_cond_t looked;
	struct host_windows windows;
	int64_t looks;  /* at the GPUs */
	int64_t rounds; /* complete readings by the ticks */
	struct host_sums host;
	struct host_sums server;
	struct host_sums client;
	struct host_metrics_sample page; /* the last one; only the loop writes it */
	double foreign;
	bool foreign_due; /* a window began or ended since the last reading */
};

static void names_of(enum host_source source, const char *names[HOST_SOURCE_VALUES_MAX],
		     size_t *ret_count)
{
	enum host_quantity first = host_source_first(source, ret_count);

	for (size_t i = 0; i < *ret_count; i++)
		names[i] = host_quantity_name((enum host_quantity)(first + i));
}

/* A source's sample into its sums and its line. */
static void keep(struct host_telemetry *telemetry, struct host_sums *sums, const char *id,
		 int64_t t_ns, const double *values)
{
	const char *names[HOST_SOURCE_VALUES_MAX];
	size_t count;

	names_of(sums->source, names, &count);
	pthread_mutex_lock(&telemetry->lock);
	host_sums_add(sums, &telemetry->windows, t_ns, values);
	pthread_mutex_unlock(&telemetry->lock);
	host_lines_add(telemetry->lines, t_ns, host_source_name(sums->source), id, names, values,
		       count);
}

/* ---- GPUs ---- */

static bool is_ours(void *data, pid_t pid)
{
	struct host_telemetry *telemetry = data;
	bool ours = false;

	pthread_mutex_lock(&telemetry->tree_lock);
	if (telemetry->tree != NULL) {
		ours = host_proc_tree_holds(telemetry->tree, pid);
		/* it may be younger than the last scan */
		if (!ours)
			host_proc_tree_scan(telemetry->tree);
		ours = ours || host_proc_tree_holds(telemetry->tree, pid);
	}
	pthread_mutex_unlock(&telemetry->tree_lock);
	return ours;
}

/* Checks for other processes that compute on the GPUs; only findings in a measured run count. */
static void look_for_foreign(struct host_telemetry *telemetry, int64_t t_ns)
{
	/* whose GPUs a server that is not ours uses is not known */
	if (telemetry->run_id == NULL)
		return;
	pthread_mutex_lock(&telemetry->lock);
	bool wanted = telemetry->foreign_due || host_windows_hold(&telemetry->windows, t_ns);
	telemetry->foreign_due = false;
	pthread_mutex_unlock(&telemetry->lock);
	if (!wanted)
		return;
	double seen = host_gpu_watch_foreign(telemetry->watch, is_ours, telemetry);
	pthread_mutex_lock(&telemetry->lock);
	/* fmax() takes the number where the other is NaN: once seen it stays seen. */
	telemetry->foreign = fmax(telemetry->foreign, seen);
	pthread_mutex_unlock(&telemetry->lock);
}

static void read_gpus(struct host_telemetry *telemetry)
{
	double values[HOST_SOURCE_VALUES_MAX];
	int64_t t_ns;

	for (size_t i = 0; i < host_gpu_watch_count(telemetry->watch); i++) {
		struct host_telemetry_gpu *gpu = host_gpu_watch_at(telemetry->watch, i);
		host_gpu_watch_read(telemetry->watch, i, &t_ns, values);
		keep(telemetry, &gpu->sums, gpu->facts->uuid, t_ns, values);
	}
	pthread_mutex_lock(&telemetry->lock);
	telemetry->looks++;
	pthread_cond_broadcast(&telemetry->looked);
	pthread_mutex_unlock(&telemetry->lock);
}

/* ---- host, processes ---- */

static void read_server(struct host_telemetry *telemetry)
{
	struct host_proc_use use;

	pthread_mutex_lock(&telemetry->tree_lock);
	int64_t t_ns = pl_clock_now_ns();
	host_proc_tree_read(telemetry->tree, &use);
	pthread_mutex_unlock(&telemetry->tree_lock);
	int64_t before_ns = telemetry->server_ns;
	telemetry->server_ns = t_ns;
	/* before the server exists and after it has ended there is no sample; scan again soon */
	if (use.processes <= 0) {
		telemetry->scan_due_ns = t_ns;
		return;
	}
	double elapsed_s = before_ns != 0 ? (double)(t_ns - before_ns) / 1e9 : NAN;
	double values[] = {
		use.processes,
		use.cpu_s,
		use.cpu_grown_s / elapsed_s,
		use.memory_bytes,
		use.threads,
		use.open_files,
		use.read_grown_bytes / elapsed_s,
		use.written_grown_bytes / elapsed_s,
	};
	keep(telemetry, &telemetry->server, NULL, t_ns, values);
}

static void scan(struct host_telemetry *telemetry)
{
	int64_t now_ns = pl_clock_now_ns();

	if (now_ns < telemetry->scan_due_ns)
		return;
	telemetry->scan_due_ns = now_ns + SCAN_NS;
	pthread_mutex_lock(&telemetry->tree_lock);
	if (telemetry->tree != NULL)
		host_proc_tree_scan(telemetry->tree);
	pthread_mutex_unlock(&telemetry->tree_lock);
	if (telemetry->slow == NULL)
		look_for_foreign(telemetry, now_ns);
}

static void on_tick(void *data, struct io_loop *loop)
{
	struct host_telemetry *telemetry = data;
	double values[HOST_SOURCE_VALUES_MAX];

	(void)loop;
	if (telemetry->slow == NULL)
		read_gpus(telemetry);
	int64_t t_ns = pl_clock_now_ns();
	host_self_read(telemetry->self, t_ns, values);
	keep(telemetry, &telemetry->client, NULL, t_ns, values);
	if (telemetry->counters != NULL) {
		t_ns = pl_clock_now_ns();
		host_counters_read(telemetry->counters, t_ns, values);
		keep(telemetry, &telemetry->host, NULL, t_ns, values);
	}
	if (telemetry->tree != NULL)
		read_server(telemetry);
	scan(telemetry);
	pthread_mutex_lock(&telemetry->lock);
	telemetry->rounds++;
	pthread_cond_broadcast(&telemetry->looked);
	pthread_mutex_unlock(&telemetry->lock);
}

static void on_slow_tick(void *data, struct io_loop *loop)
{
	struct host_telemetry *telemetry = data;

	(void)loop;
	read_gpus(telemetry);
	look_for_foreign(telemetry, pl_clock_now_ns());
}

/* ---- /metrics ---- */

static void keep_requests(struct requests *requests, int64_t t_ns, double count)
{
	if (requests->skipped++ % requests->stride != 0)
		return;
	/*
	 * Drops every second sample and from now on stores every second one: memory does not grow,
	 * and the samples stay evenly spaced.
	 */
	if (requests->count == REQUESTS_MAX) {
		for (size_t i = 0; i < REQUESTS_MAX / 2; i++)
			requests->items[i] = requests->items[2 * i];
		requests->count = REQUESTS_MAX / 2;
		requests->stride *= 2;
	}
	*PL_PUSH(requests->items, requests->count,
		 requests->room) = (struct host_requests_sample){ .t_ns = t_ns, .requests = count };
}

/*
 * Returns whether the server restarted. NaN, a value missing from the page, is neither less nor
 * greater.
 */
static bool is_fresh(const struct host_metrics *before, const struct host_metrics *now)
{
	return now->generation_tokens < before->generation_tokens ||
	       now->prompt_tokens < before->prompt_tokens ||
	       now->request_success < before->request_success ||
	       fabs(now->start_time_s - before->start_time_s) > 0;
}

static void on_page(void *data, const struct host_metrics_sample *sample)
{
	struct host_telemetry *telemetry = data;
	const char *const *names;
	double values[HOST_METRICS_VALUES_MAX];

	if (!sample->known) {
		telemetry->metrics_gaps++;
		return;
	}
	size_t count = host_metrics_values(&sample->metrics, &names, values);
	host_lines_add(telemetry->lines, sample->answered_ns, "server_metrics", NULL, names, values,
		       count);
	pthread_mutex_lock(&telemetry->lock);
	bool measured = host_windows_hold(&telemetry->windows, sample->answered_ns);
	pthread_mutex_unlock(&telemetry->lock);
	double requests = sample->metrics.running + sample->metrics.waiting;
	if (measured && !isnan(requests))
		keep_requests(&telemetry->requests, sample->answered_ns, requests);
	if (measured && telemetry->page.known &&
	    is_fresh(&telemetry->page.metrics, &sample->metrics))
		telemetry->server_restarted = true;
	pthread_mutex_lock(&telemetry->lock);
	telemetry->page = *sample;
	pthread_mutex_unlock(&telemetry->lock);
}

static void on_scrape_due(struct io_loop *loop, struct io_timer *timer)
{
	struct host_telemetry *telemetry = timer->data;
	int64_t missed;
	int64_t next_ns = host_tick_next(timer->due_ns, telemetry->scrape_interval_ns,
					 pl_clock_now_ns(), &missed);

	telemetry->metrics_requested += 1 + missed;
	telemetry->metrics_gaps += missed;
	/* a request without a response by now is a gap */
	if (!host_scrape_ask(telemetry->scrape))
		telemetry->metrics_gaps++;
	io_timer_start(loop, timer, next_ns);
}

static void end_metrics(struct io_loop *loop, void *data)
{
	struct host_telemetry *telemetry = data;

	if (telemetry->scrape == NULL)
		return;
	io_timer_stop(loop, &telemetry->scrape_timer);
	host_scrape_free(telemetry->scrape);
	telemetry->scrape = NULL;
}

/* A request to read /metrics, sent to the loop's thread. */
struct reading {
	struct host_telemetry *telemetry;
	struct host_metrics_source source;
	int64_t interval_ns;
};

static void begin_metrics(struct io_loop *loop, void *data)
{
	auto_free struct reading *reading = data;
	struct host_telemetry *telemetry = reading->telemetry;

	/* Another source may replace the previous one: a restarted server. */
	end_metrics(loop, telemetry);
	telemetry->scrape_interval_ns = reading->interval_ns;
	telemetry->scrape = host_scrape_new(loop, &reading->source, on_page, telemetry);
	telemetry->scrape_timer = (struct io_timer){ .fn = on_scrape_due, .data = telemetry };
	io_timer_start(loop, &telemetry->scrape_timer, pl_clock_now_ns());
}

void host_telemetry_metrics_over(struct host_telemetry *telemetry)
{
	host_ticks_post(telemetry->ticks, end_metrics, telemetry);
}

void host_telemetry_metrics(struct host_telemetry *telemetry,
			    const struct host_metrics_source *source, int64_t interval_ns)
{
	struct reading *reading = pl_alloc(sizeof(*reading));

	*reading = (struct reading){ .telemetry = telemetry,
				     .source = *source,
				     .interval_ns = interval_ns };
	host_ticks_post(telemetry->ticks, begin_metrics, reading);
}

/* ---- life ---- */

static void on_end(void *data, struct io_loop *loop)
{
	end_metrics(loop, data);
}

int64_t host_telemetry_gpu_interval_ns(const struct host_telemetry *telemetry)
{
	bool slow = host_gpu_watch_is_slow(telemetry->watch);

	return slow && telemetry->interval_ns < SLOW_GPU_NS ? SLOW_GPU_NS : telemetry->interval_ns;
}

/* Waits until *what, a counter guarded by the lock, is at least `count`. */
static bool await(struct host_telemetry *telemetry, const int64_t *what, int64_t count,
		  int64_t timeout_ns)
{
	int64_t due_ns = pl_clock_now_ns() + timeout_ns;
	struct timespec due = pl_clock_timespec(due_ns);
	int code = 0;

	pthread_mutex_lock(&telemetry->lock);
	while (*what < count && code != ETIMEDOUT)
		code = pthread_cond_timedwait(&telemetry->looked, &telemetry->lock, &due);
	bool there = *what >= count;
	pthread_mutex_unlock(&telemetry->lock);
	return there;
}

/* ---- power at rest ---- */

static const struct host_sum *power_of(const struct host_telemetry *telemetry, size_t i)
{
	return host_sums_get(&host_gpu_watch_at(telemetry->watch, i)->sums, HOST_Q_gpu_power_w);
}

void host_telemetry_idle(struct host_telemetry *telemetry, enum host_idle when)
{
	pthread_mutex_lock(&telemetry->lock);
	for (size_t i = 0; i < host_gpu_watch_count(telemetry->watch); i++)
		host_sums_idle(&host_gpu_watch_at(telemetry->watch, i)->sums, when);
	pthread_mutex_unlock(&telemetry->lock);
}

bool host_telemetry_is_at_rest(struct host_telemetry *telemetry)
{
	bool all = true;

	pthread_mutex_lock(&telemetry->lock);
	for (size_t i = 0; i < host_gpu_watch_count(telemetry->watch); i++) {
		const struct host_sum *power = power_of(telemetry, i);
		/* unknown power cannot be waited for */
		all = all && (isnan(power->highest) || host_power_is_at_rest(power));
	}
	pthread_mutex_unlock(&telemetry->lock);
	return all;
}

double host_telemetry_idle_w(const struct host_telemetry *telemetry, size_t i, enum host_idle when)
{
	const struct host_sum *power = power_of(telemetry, i);

	/* before the start there may have been time for a single reading only */
	return when == HOST_IDLE_BEFORE || host_power_is_at_rest(power) ? host_sum_idle(power, when)
									: NAN;
}

/* ---- start, stop ---- */

int host_telemetry_start(const struct host_telemetry_spec *spec, struct host_telemetry **ret,
			 struct pl_err *err)
{
	auto_telemetry struct host_telemetry *telemetry = pl_alloc(sizeof(*telemetry));
	int64_t gap_ns = GAP_INTERVALS * spec->interval_ns;
	auto_json json_t *none = json_array();
	pthread_condattr_t attr;

	if (gap_ns < GAP_MIN_NS)
		gap_ns = GAP_MIN_NS;
	telemetry->interval_ns = spec->interval_ns;
	telemetry->run_id = spec->run_id;
	telemetry->foreign = NAN;
	telemetry->requests.stride = 1;
	pthread_mutex_init(&telemetry->lock, NULL);
	pthread_mutex_init(&telemetry->tree_lock, NULL);
	pthread_condattr_init(&attr);
	/* A wall clock that is set must not make a wait of seconds one of hours. */
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&telemetry->looked, &attr);
	pthread_condattr_destroy(&attr);
	host_sums_init(&telemetry->host, HOST_SOURCE_host, gap_ns);
	host_sums_init(&telemetry->server, HOST_SOURCE_server, gap_ns);
	host_sums_init(&telemetry->client, HOST_SOURCE_client, gap_ns);
	telemetry->lines = host_lines_new(spec->series);
	telemetry->self = host_self_new();
	if (spec->host)
		telemetry->counters = host_counters_new();
	if (spec->run_id != NULL)
		telemetry->tree = host_proc_tree_new(spec->run_id);
	if (host_gpu_watch_open(spec->gpu ? spec->gpus : none, gap_ns, &telemetry->watch, err) < 0)
		return -1;
	if (spec->run_id != NULL)
		host_telemetry_idle(telemetry, HOST_IDLE_BEFORE);
	static const struct host_ticks_calls calls = { on_tick, on_end };
	static const struct host_ticks_calls slow = { .tick = on_slow_tick };
	int64_t slow_ns = host_telemetry_gpu_interval_ns(telemetry);
	if (host_gpu_watch_is_slow(telemetry->watch) &&
	    host_ticks_start(slow_ns, &slow, telemetry, &telemetry->slow, err) < 0)
		return -1;
	if (host_ticks_start(telemetry->interval_ns, &calls, telemetry, &telemetry->ticks, err) < 0)
		return -1;
	/* the next event is between two samples */
	await(telemetry, &telemetry->rounds, 1, FIRST_WAIT_NS);
	*ret = pl_take(telemetry);
	return 0;
}

bool host_telemetry_await(struct host_telemetry *telemetry, int64_t looks, int64_t timeout_ns)
{
	return await(telemetry, &telemetry->looks, looks, timeout_ns);
}

void host_telemetry_leave_out(struct host_telemetry *telemetry, pid_t pid)
{
	if (telemetry == NULL || telemetry->tree == NULL)
		return;
	pthread_mutex_lock(&telemetry->tree_lock);
	host_proc_tree_leave_out(telemetry->tree, pid);
	pthread_mutex_unlock(&telemetry->tree_lock);
}

void host_telemetry_take_in(struct host_telemetry *telemetry, pid_t pid)
{
	if (telemetry == NULL || telemetry->tree == NULL)
		return;
	pthread_mutex_lock(&telemetry->tree_lock);
	host_proc_tree_take_in(telemetry->tree, pid);
	pthread_mutex_unlock(&telemetry->tree_lock);
}

/* Reads the time under the lock: samples taken before are stored before, or include the window. */
static int64_t mark(struct host_telemetry *telemetry,
		    void (*fn)(struct host_windows *windows, int64_t t_ns))
{
	if (telemetry == NULL)
		return pl_clock_now_ns();
	pthread_mutex_lock(&telemetry->lock);
	int64_t t_ns = pl_clock_now_ns();
	fn(&telemetry->windows, t_ns);
	telemetry->foreign_due = true;
	pthread_mutex_unlock(&telemetry->lock);
	return t_ns;
}

int64_t host_telemetry_begin(struct host_telemetry *telemetry)
{
	return mark(telemetry, host_windows_begin);
}

int64_t host_telemetry_end(struct host_telemetry *telemetry)
{
	return mark(telemetry, host_windows_end);
}

void host_telemetry_stop(struct host_telemetry *telemetry)
{
	if (telemetry == NULL)
		return;
	host_ticks_stop(telemetry->slow);
	host_ticks_stop(telemetry->ticks);
}

void host_telemetry_free(struct host_telemetry *telemetry)
{
	if (telemetry == NULL)
		return;
	host_telemetry_stop(telemetry);
	host_ticks_free(telemetry->slow);
	host_ticks_free(telemetry->ticks);
	host_counters_free(telemetry->counters);
	host_self_free(telemetry->self);
	host_gpu_watch_free(telemetry->watch);
	host_proc_tree_free(telemetry->tree);
	host_lines_free(telemetry->lines);
	host_windows_done(&telemetry->windows);
	free(telemetry->requests.items);
	pthread_mutex_destroy(&telemetry->lock);
	pthread_mutex_destroy(&telemetry->tree_lock);
	pthread_cond_destroy(&telemetry->looked);
	free(telemetry);
}

/* ---- while it runs ---- */

void host_telemetry_last(struct host_telemetry *telemetry, struct host_telemetry_last *ret)
{
	pthread_mutex_lock(&telemetry->lock);
	struct host_metrics_sample page = telemetry->page;
	pthread_mutex_unlock(&telemetry->lock);
	*ret = (struct host_telemetry_last){
		.running = page.known ? page.metrics.running : NAN,
		.waiting = page.known ? page.metrics.waiting : NAN,
		.kv_cache_usage = page.known ? page.metrics.kv_cache_usage : NAN,
	};
}

double host_telemetry_last_of_gpu(struct host_telemetry *telemetry, size_t i,
				  enum host_quantity quantity)
{
	pthread_mutex_lock(&telemetry->lock);
	double value = host_sums_get(&host_gpu_watch_at(telemetry->watch, i)->sums, quantity)->last;
	pthread_mutex_unlock(&telemetry->lock);
	return value;
}

/* ---- results ---- */

const struct host_windows *host_telemetry_windows(const struct host_telemetry *telemetry)
{
	return &telemetry->windows;
}

const struct host_sums *host_telemetry_host(const struct host_telemetry *telemetry)
{
	return telemetry->counters != NULL ? &telemetry->host : NULL;
}

const struct host_sums *host_telemetry_server(const struct host_telemetry *telemetry)
{
	return telemetry->tree != NULL ? &telemetry->server : NULL;
}

const struct host_sums *host_telemetry_client(const struct host_telemetry *telemetry)
{
	return &telemetry->client;
}

size_t host_telemetry_gpu_count(const struct host_telemetry *telemetry)
{
	return host_gpu_watch_count(telemetry->watch);
}

const struct host_telemetry_gpu *host_telemetry_gpu(const struct host_telemetry *telemetry,
						    size_t i)
{
	return host_gpu_watch_at(telemetry->watch, i);
}

const struct host_gpus *host_telemetry_gpus(const struct host_telemetry *telemetry)
{
	return host_gpu_watch_gpus(telemetry->watch);
}

double host_telemetry_foreign(const struct host_telemetry *telemetry)
{
	return telemetry->foreign;
}

bool host_telemetry_server_restarted(const struct host_telemetry *telemetry)
{
	return telemetry->server_restarted;
}

const struct host_requests_sample *host_telemetry_requests(const struct host_telemetry *telemetry,
							   size_t *ret_count)
{
	*ret_count = telemetry->requests.count;
	return telemetry->requests.items;
}

void host_telemetry_cost(const struct host_telemetry *telemetry, struct host_telemetry_cost *ret)
{
	struct host_ticks_cost slow = { 0 };

	*ret = (struct host_telemetry_cost){
		.metrics_requested = telemetry->metrics_requested,
		.metrics_gaps = telemetry->metrics_gaps,
		.lines = host_lines_count(telemetry->lines),
	};
	host_ticks_cost(telemetry->ticks, &ret->ticks);
	if (telemetry->slow != NULL)
		host_ticks_cost(telemetry->slow, &slow);
	ret->cpu_s = ret->ticks.cpu_s + slow.cpu_s;
}

int host_telemetry_check_series(const struct host_telemetry *telemetry, struct pl_err *err)
{
	return host_lines_check(telemetry->lines, err);
}
