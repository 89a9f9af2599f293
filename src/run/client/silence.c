#include "run/client/silence.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/text.h"
#include "host/telemetry/metrics_page.h"
#include "io/fetch.h"

#define TEXT_BYTES 256
#define ASK_NS     (5 * PL_NS_PER_S)
/* How long the counters are watched, unless stall_timeout is shorter. */
#define WATCH_NS (2 * PL_NS_PER_S)
#define NAP_NS   (50 * PL_NS_PER_MS)
/*
 * The maximum duration of a prefill without a change of any counter, as a multiple of stall_timeout, because an engine
 * that hangs in the middle of a prompt looks the same. 20 minutes by default.
 */
#define READ_STALLS 20

struct silence {
	const struct run_target *target;
	int64_t stall_ns; /* stall_timeout */
	int64_t watch_ns;
	double counters;        /* of the latest page; NAN: none yet */
	int64_t moved_ns;       /* time of their last change */
	char shown[TEXT_BYTES]; /* the server's last response; "": not queried */
};

/* The state of the engine on one page of /metrics. */
struct page {
	bool known;
	double counters; /* sum of all; only its changes count */
	double running;  /* NAN: not on the page */
};

static bool name_is(const struct host_sample *sample, const char *ending)
{
	size_t len = strlen(ending);

	return sample->name_len >= len &&
	       memcmp(sample->name + sample->name_len - len, ending, len) == 0;
}

/* Counters of the process and of HTTP change with every query. */
static bool is_of_engine(const struct host_sample *sample)
{
	static const char *const others[] = { "process_", "python_", "http_", "go_", "promhttp_" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(others); i++) {
		const char *beginning = others[i];
		size_t len = strlen(beginning);
		if (sample->name_len >= len && memcmp(sample->name, beginning, len) == 0)
			return false;
	}
	return true;
}

static void take_sample(void *data, const struct host_sample *sample)
{
	struct page *page = data;

	if (!is_of_engine(sample) || !isfinite(sample->value))
		return;
	if (name_is(sample, "_total") || name_is(sample, "_count") || name_is(sample, "_sum") ||
	    name_is(sample, "_bucket"))
		page->counters += sample->value;
	if (name_is(sample, "num_requests_running") || name_is(sample, ":requests_processing") ||
	    name_is(sample, ":num_running_reqs"))
		page->running = (isnan(page->running) ? 0 : page->running) + sample->value;
}

static int ask(const struct silence *silence, const char *path, const atomic_int *stop,
	       struct io_reply *ret, struct pl_err *err)
{
	const struct run_target *target = silence->target;
	auto_free char *whole = pl_asprintf("%s%s", target->prefix, path);
	const struct io_fetch fetch = {
		.addr = &target->addr,
		.host = target->host,
		.path = whole,
		.headers = target->headers,
		.timeout_ns = ASK_NS,
		.stop_signal = stop,
	};

	return io_fetch(&fetch, ret, err);
}

static struct page ask_page(const struct silence *silence, const atomic_int *stop)
{
	struct page page = { .running = NAN };
	auto_reply reply = { 0 };

	page.known = ask(silence, "/metrics", stop, &reply, PL_ERR_IGNORED) == 0 &&
		     reply.status == 200 &&
		     host_metrics_walk(reply.body, reply.body_len, take_sample, &page,
				       PL_ERR_IGNORED) == 0;
	return page;
}

static bool report(struct silence *silence, bool at_work, const char *text)
{
	snprintf(silence->shown, sizeof(silence->shown), "%s", text);
	return at_work;
}

static void note_counters(struct silence *silence, const struct page *page)
{
	if (!isnan(silence->counters) && page->counters != silence->counters)
		silence->moved_ns = pl_clock_now_ns();
	silence->counters = page->counters;
}

/* Compares the counters of two pages. */
static bool judge(struct silence *silence, struct bench_open open, const atomic_int *stop)
{
	struct page before = ask_page(silence, stop);
	int64_t since_ns = open.heard_ns > silence->moved_ns ? open.heard_ns : silence->moved_ns;
	bool may = (pl_clock_now_ns() - since_ns) / READ_STALLS < silence->stall_ns;
	char text[TEXT_BYTES];

	if (!before.known)
		return report(silence, open.begun == 0 && may,
			      "/health responds; the server has no /metrics, so the state of the "
			      "engine is unknown");
	note_counters(silence, &before);
	int64_t due_ns = pl_clock_now_ns() + silence->watch_ns;
	while (pl_clock_now_ns() < due_ns && atomic_load(stop) == 0)
		pl_clock_sleep_until(
			pl_clock_now_ns() + NAP_NS < due_ns ? pl_clock_now_ns() + NAP_NS : due_ns);
	struct page after = ask_page(silence, stop);
	if (!after.known)
		return report(silence, false, "/health responds, but /metrics no longer does");
	note_counters(silence, &after);
	if (after.counters != before.counters)
		return report(silence, true, "the counters of /metrics still change");
	bool reads = isnan(after.running) ? open.begun == 0 : after.running > (double)open.begun;
	int len = snprintf(text, sizeof(text),
			   "/health responds, but no counter of /metrics changed in %.1f s",
			   (double)silence->watch_ns / 1e9);
	/* do not report zero running requests for a server without this metric */
	if (!isnan(after.running))
		len += snprintf(text + len, sizeof(text) - (size_t)len,
				"; the server reports %.0f running requests", after.running);
	if (reads && !may)
		snprintf(text + len, sizeof(text) - (size_t)len,
			 "; it may be processing a prompt, which is allowed for %d times "
			 "stall_timeout",
			 READ_STALLS);
	return report(silence, reads && may, text);
}

static bool is_at_work(void *data, struct bench_open open, const atomic_int *stop)
{
	struct silence *silence = data;
	struct pl_err err = PL_ERR_INIT;
	auto_reply reply = { 0 };
	char text[TEXT_BYTES];

	if (ask(silence, "/health", stop, &reply, &err) < 0) {
		snprintf(text, sizeof(text), "/health: %.200s", err.text);
		return report(silence, false, text);
	}
	/* a server without the path has responded, too */
	if (reply.status >= 500) {
		snprintf(text, sizeof(text), "/health: status %d", reply.status);
		return report(silence, false, text);
	}
	return judge(silence, open, stop);
}

int run_silence_load(const struct run_target *target, struct bench_load *load,
		     struct res_outcome **ret, struct pl_err *err)
{
	struct silence silence = {
		.target = target,
		.stall_ns = load->stall_timeout_ns,
		.watch_ns = WATCH_NS,
		.counters = NAN,
		.moved_ns = INT64_MIN,
	};

	if (load->stall_timeout_ns < WATCH_NS)
		silence.watch_ns = load->stall_timeout_ns;
	load->is_at_work = is_at_work;
	load->is_at_work_data = &silence;
	if (bench_load_run(load, ret, err) < 0)
		return -1;
	if (silence.shown[0] != '\0')
		(*ret)->silence = pl_strdup(silence.shown);
	return 0;
}
