/*
 * Drives bench_load_run() without files or configuration around it, for tests/perf/run: sends plain
 * completions, prints one line of JSON with what it cost, and can write the records as JSON lines
 * to be compared with the simulator's log.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/opt.h"
#include "base/rng.h"
#include "base/stats.h"
#include "bench/load/limits.h"
#include "io/acks.h"
#include "result/record_line.h"
#include "vllm/bench_options.h"

struct driver {
	const char *host;
	const char *adapter;
	const char *records;
	int64_t port;
	int64_t requests;
	int64_t tokens;
	int64_t cap;
	int64_t threads;
	double rate; /* per second; 0: all at once */
	bool realtime;
	bool delayed_acks;
};

#define ROW(name_, type_, arg_, help_)                                                            \
	{                                                                                         \
		.name = #name_, .type = PL_OPT_##type_, .offset = offsetof(struct driver, name_), \
		.arg = arg_, .help = help_                                                        \
	}
static const struct pl_opt rows[] = {
	ROW(host, TEXT, "HOST", "server"),
	ROW(port, INT, "PORT", "its port"),
	ROW(adapter, TEXT, "NAME", "protocol; null answers by itself"),
	ROW(records, TEXT, "FILE", "write the records there"),
	ROW(requests, INT, "N", "how many"),
	ROW(tokens, INT, "N", "output tokens of each"),
	ROW(cap, INT, "N", "in flight at most; 0: all"),
	ROW(threads, INT, "N", "workers"),
	ROW(rate, F64, "R", "Poisson arrivals a second; 0: all at once"),
	ROW(realtime, FLAG, NULL, "ask for SCHED_FIFO"),
	ROW(delayed_acks, FLAG, NULL, "let acknowledgements wait where the server does not mind"),
	{ .name = NULL },
};

static const struct pl_opt_command command = {
	.name = "load_driver",
	.usage = "--port PORT --requests N --tokens N [options]",
	.summary = "send completions and say what that cost",
	.options = rows,
};

static char *make_body(const struct driver *driver)
{
	return pl_asprintf("{\"model\": \"perf\", \"prompt\": [1, 2, 3, 4, 5, 6, 7, 8], "
			   "\"repetition_penalty\": 1.0, \"max_tokens\": %lld, \"logprobs\": null, "
			   "\"stream\": true, \"stream_options\": {\"include_usage\": true}, "
			   "\"ignore_eos\": true}",
			   (long long)driver->tokens);
}

static struct bench_request *make_plan(const struct driver *driver, const char *body)
{
	struct bench_request *plan = pl_alloc_array((size_t)driver->requests, sizeof(*plan));
	struct pl_nplegacy rng;
	double at_s = 0;

	pl_nplegacy_seed(&rng, 0);
	for (int64_t i = 0; i < driver->requests; i++) {
		if (driver->rate > 0)
			at_s += pl_nplegacy_gamma(&rng, 1, 1 / driver->rate);
		plan[i].planned_ns = (int64_t)(at_s * PL_NS_PER_S);
		plan[i].body = body;
		plan[i].body_len = strlen(body);
		plan[i].prompt_tokens = 8;
		plan[i].output_tokens = driver->tokens;
		plan[i].request_id = (struct res_request_id){ "perf-", (int64_t)i };
	}
	return plan;
}

static double percentile_of(double *values, size_t count, double p)
{
	pl_stats_sort(values, count);
	return pl_stats_percentile_sorted(values, count, p);
}

static void set_number(json_t *into, const char *key, double value)
{
	json_object_set_new(into, key, pl_json_number(value));
}

static void report_lateness(const struct res_outcome *outcome, json_t *into)
{
	double *late_us = pl_alloc_array(outcome->count, sizeof(*late_us));

	for (size_t i = 0; i < outcome->count; i++)
		late_us[i] = (double)(outcome->records[i].acted_ns -
				      outcome->records[i].planned_ns) /
			     PL_NS_PER_US;
	set_number(into, "lateness_p50_us", percentile_of(late_us, outcome->count, 50));
	set_number(into, "lateness_p99_us", percentile_of(late_us, outcome->count, 99));
	set_number(into, "lateness_max_us", late_us[outcome->count - 1]);
	free(late_us);
}

/* Bytes of the process's memory that are in RAM. */
static double resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long total, resident = 0;

	if (file != NULL && fscanf(file, "%lu %lu", &total, &resident) != 2)
		resident = 0;
	if (file != NULL)
		fclose(file);
	return (double)resident * 4096;
}

static double peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

static json_t *report(const struct res_outcome *outcome, double before_bytes)
{
	json_t *into = json_object();
	double wall_ns = (double)(outcome->end_ns - outcome->start_ns);
	double cpu_ns = outcome->worker_cpu_share_max * wall_ns;
	int64_t connected_ns = outcome->start_ns;
	int64_t connect_max_ns = 0; /* a lost SYN is sent again after a second */
	double events = 0, ok = 0;

	for (size_t i = 0; i < outcome->count; i++) {
		const struct res_record *record = &outcome->records[i];
		struct res_event_cursor cursor = res_record_cursor(record);
		struct res_event_at at;
		while (res_record_next(&cursor, &at))
			events++;
		ok += record->ok;
		if (record->connected_ns > connected_ns)
			connected_ns = record->connected_ns;
		if (record->connected_ns != RES_NO_TIME &&
		    record->connected_ns - record->acted_ns > connect_max_ns)
			connect_max_ns = record->connected_ns - record->acted_ns;
	}
	set_number(into, "requests", (double)outcome->count);
	set_number(into, "completed", ok);
	set_number(into, "events", events);
	set_number(into, "duration_s", wall_ns / PL_NS_PER_S);
	set_number(into, "cpu_us_per_event", cpu_ns / PL_NS_PER_US / events);
	set_number(into, "cpu_us_per_request", cpu_ns / PL_NS_PER_US / (double)outcome->count);
	set_number(into, "cpu_share", outcome->worker_cpu_share_max);
	set_number(into, "in_flight_peak", (double)outcome->inflight_peak);
	set_number(into, "connections", (double)outcome->connections);
	set_number(into, "all_connected_s",
		   (double)(connected_ns - outcome->start_ns) / PL_NS_PER_S);
	set_number(into, "connect_max_ms", (double)connect_max_ns / PL_NS_PER_MS);
	set_number(into, "queueing_p50_us",
		   1000 * percentile_of(outcome->queueing_ms, outcome->queueing_count, 50));
	set_number(into, "queueing_p99_us",
		   1000 * percentile_of(outcome->queueing_ms, outcome->queueing_count, 99));
	set_number(into, "memory_bytes_per_request",
		   (peak_bytes() - before_bytes) / (double)outcome->count);
	report_lateness(outcome, into);
	return into;
}

static int write_records(const struct res_outcome *outcome, const char *path, struct pl_err *err)
{
	FILE *file = fopen(path, "we");
	auto_buf line = { 0 };

	pl_buf_init(&line, 1u << 30);
	if (file == NULL)
		return pl_err_errno(err, "cannot write '%s'", path);
	for (size_t i = 0; i < outcome->count; i++) {
		pl_buf_clear(&line);
		if (res_record_add_json(&line, &outcome->records[i]))
			fprintf(file, "%s\n", pl_buf_text(&line));
	}
	if (fclose(file) != 0)
		return pl_err_errno(err, "cannot write '%s'", path);
	return 0;
}

static int drive(const struct driver *driver, struct pl_err *err)
{
	auto_free char *body = make_body(driver);
	auto_free struct bench_request *plan = make_plan(driver, body);
	PL_AUTO(res_outcome_free) struct res_outcome *outcome = NULL;
	struct bench_load load = {
		.adapter = bench_adapter_find(driver->adapter),
		.host_header = driver->host,
		.path = "/v1/completions",
		.headers = "",
		.requests = plan,
		.count = (size_t)driver->requests,
		.max_concurrency = driver->cap > 0 ? driver->cap : OPTION_NO_I64,
		.threads = (unsigned)driver->threads,
		.request_timeout_ns = 600 * PL_NS_PER_S,
		.stall_timeout_ns = 60 * PL_NS_PER_S,
		.run_timeout_ns = OPTION_NO_I64,
		.realtime = driver->realtime,
		.finite_rate = driver->rate > 0,
	};

	if (load.adapter == NULL || driver->requests < 1)
		return pl_err_set(err, PL_ERR_INVALID, "no such adapter, or no request");
	if (load.adapter->has_socket &&
	    io_addr_resolve(driver->host, (uint16_t)driver->port, &load.addr, err) < 0)
		return -1;
	const struct io_fetch probe = { .addr = &load.addr,
					.path = "/health",
					.timeout_ns = PL_NS_PER_S };
	load.delayed_acks = driver->delayed_acks && io_acks_may_wait(&probe);
	if (bench_load_check_limits(&load, err) < 0)
		return -1;
	double before_bytes = resident_bytes();
	if (bench_load_run(&load, &outcome, err) < 0)
		return -1;
	auto_json json_t *result = report(outcome, before_bytes);
	json_object_set_new(result, "delayed_acks", json_boolean(load.delayed_acks));
	json_object_set_new(result, "realtime", json_boolean(outcome->realtime_granted));
	auto_free char *text = pl_json_to_text(result, PL_JSON_COMPACT);
	puts(text);
	return driver->records != NULL ? write_records(outcome, driver->records, err) : 0;
}

int main(int argc, char **argv)
{
	struct driver driver = {
		.host = "127.0.0.1", .adapter = "openai", .requests = 1, .tokens = 16, .threads = 1
	};
	struct pl_err err = PL_ERR_INIT;
	bool help = false;
	char **rest;
	int rest_count;

	if (pl_opt_parse(&command, argc, argv, &driver, &rest, &rest_count, &help, &err) == 0 &&
	    !help && drive(&driver, &err) == 0)
		return 0;
	fprintf(stderr, "load_driver: %s\n", help ? command.usage : err.text);
	return pl_err_exit_status(err.code);
}
