#include "host/telemetry/telemetry.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/scratch.h"
#include "host/proc/mark.h"

#define PRETEND    PROFLLM_BUILD_DIR "/lib/libnvml-pretend.so"
#define RUN        "exp_20260101_000000_aaaaaa"
#define SMI_REPORT PROFLLM_SOURCE_DIR "/tests/fuzz/corpus/host/gpu/nvidia_smi/two_gpus_mig.xml"
#define LONG_NS    (60 * PL_NS_PER_S)
#define MS         PL_NS_PER_MS

/* ---- a server with a page ---- */

/* Keeps connections open; its page's counter goes up with every answer. */
struct page_server {
	int listen_fd;
	struct io_addr addr;
	pthread_t thread;
	atomic_int connections;
	atomic_int served;
	atomic_int bad;   /* answers 500 */
	atomic_int close; /* closes after each response without announcing it */
	atomic_int mute;  /* reads and answers nothing */
};

static void answer(struct page_server *server, int fd)
{
	char body[128], page[512];
	int number = atomic_fetch_add(&server->served, 1);
	int len = snprintf(body, sizeof(body),
			   "vllm:num_requests_running 2\nvllm:num_requests_waiting 3\n"
			   "vllm:request_success_total %d\n",
			   number);
	int page_len = snprintf(page, sizeof(page), "HTTP/1.1 %s\r\ncontent-length: %d\r\n\r\n%s",
				atomic_load(&server->bad) ? "500 No" : "200 OK", len, body);

	assert_int_equal(send(fd, page, (size_t)page_len, MSG_NOSIGNAL), page_len);
}

static void serve_connection(struct page_server *server, int fd)
{
	char request[4096];

	while (recv(fd, request, sizeof(request), 0) > 0) {
		if (atomic_load(&server->mute)) {
			atomic_fetch_add(&server->served, 1);
			continue;
		}
		answer(server, fd);
		if (atomic_load(&server->close))
			return;
	}
}

static void *serve(void *data)
{
	struct page_server *server = data;
	int fd;

	while ((fd = accept(server->listen_fd, NULL, NULL)) >= 0) {
		atomic_fetch_add(&server->connections, 1);
		serve_connection(server, fd);
		close(fd);
	}
	return NULL;
}

static void server_start(struct page_server *server)
{
	struct pl_err err = PL_ERR_INIT;
	struct io_addr any;

	memset(server, 0, sizeof(*server));
	assert_int_equal(io_addr_resolve("127.0.0.1", 0, &any, &err), 0);
	assert_int_equal(io_sock_listen(&any, 16, &server->listen_fd, &err), 0);
	assert_int_equal(io_sock_local(server->listen_fd, &server->addr, &err), 0);
	/* accept() of the thread waits */
	fcntl(server->listen_fd, F_SETFL, fcntl(server->listen_fd, F_GETFL) & ~O_NONBLOCK);
	assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void server_stop(struct page_server *server)
{
	shutdown(server->listen_fd, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	close(server->listen_fd);
}

static void wait_served(struct page_server *server, int count)
{
	int64_t due_ns = pl_clock_now_ns() + LONG_NS;

	while (atomic_load(&server->served) < count) {
		assert_true(pl_clock_now_ns() < due_ns);
		pl_clock_sleep_until(pl_clock_now_ns() + MS);
	}
}

/* ---- lines ---- */

struct series {
	char path[SCRATCH_PATH];
	struct pl_zst *zst;
	json_t *lines;
};

static void series_open(struct series *series)
{
	struct pl_err err = PL_ERR_INIT;

	close(scratch_file(series->path));
	assert_int_equal(pl_zst_open(series->path, &series->zst, &err), 0);
}

static void series_read(struct series *series)
{
	struct pl_err err = PL_ERR_INIT;
	auto_free char *text = NULL;
	size_t len;

	assert_int_equal(pl_zst_commit(series->zst, &err), 0);
	pl_zst_free(series->zst);
	assert_int_equal(pl_zst_read_file(series->path, 1u << 28, &text, &len, &err), 0);
	series->lines = json_array();
	for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL && rest != NULL;) {
		json_t *json = NULL;
		if (pl_json_parse(line, strlen(line), "line", &json, &err) < 0)
			fail_msg("%s: %s", err.text, line);
		json_array_append_new(series->lines, json);
	}
}

/* How many lines of a source; their times must rise. */
static size_t count_lines(const struct series *series, const char *source, const char *id)
{
	size_t i, count = 0;
	json_t *line;
	json_int_t before = 0;

	json_array_foreach(series->lines, i, line)
	{
		json_int_t t_ns = json_integer_value(json_object_get(line, "t_ns"));
		json_t *its_id = json_object_get(line, "id");
		if (strcmp(json_string_value(json_object_get(line, "source")), source) != 0)
			continue;
		if (id != NULL && strcmp(json_string_value(its_id), id) != 0)
			continue;
		assert_true(t_ns > before);
		before = t_ns;
		count++;
	}
	return count;
}

static struct host_telemetry *start(const struct host_telemetry_spec *spec)
{
	struct host_telemetry *telemetry = NULL;
	struct pl_err err = PL_ERR_INIT;

	if (host_telemetry_start(spec, &telemetry, &err) < 0)
		fail_msg("%s", err.text);
	return telemetry;
}

static void pretend(const char *gpus, const char *power, const char *set)
{
	setenv("PROFLLM_NVML_LIB", PRETEND, 1);
	setenv("PRETEND_GPUS", gpus, 1);
	setenv("PRETEND_POWER", power, 1);
	setenv("PRETEND_SET", set, 1);
}

static double value_of(const struct host_telemetry *telemetry, size_t gpu,
		       enum host_quantity quantity,
		       double (*fn)(const struct host_sum *, const struct host_windows *))
{
	return fn(host_sums_get(&host_telemetry_gpu(telemetry, gpu)->sums, quantity),
		  host_telemetry_windows(telemetry));
}

/* ---- tests ---- */

static void test_host_telemetry_telemetry__lines_match_the_counts(void **state)
{
	(void)state;
	struct series series;
	struct host_telemetry_cost cost;

	series_open(&series);
	struct host_telemetry_spec spec = { .interval_ns = 2 * MS,
					    .host = true,
					    .series = series.zst };
	struct host_telemetry *telemetry = start(&spec);
	assert_true(host_telemetry_await(telemetry, 10, LONG_NS));
	host_telemetry_stop(telemetry);
	host_telemetry_stop(telemetry);
	host_telemetry_cost(telemetry, &cost);
	series_read(&series);
	/* one line a tick and source, and those of the last look */
	assert_int_equal(count_lines(&series, "host", NULL), cost.ticks.ticks + 1);
	assert_int_equal(count_lines(&series, "client", NULL), cost.ticks.ticks + 1);
	assert_int_equal(json_array_size(series.lines), cost.lines);
	assert_null(host_telemetry_server(telemetry));
	assert_int_equal(host_telemetry_gpu_count(telemetry), 0);
	assert_true(isnan(host_telemetry_foreign(telemetry)));
	json_decref(series.lines);
	host_telemetry_free(telemetry);
}

static void test_host_telemetry_telemetry__this_program_is_what_the_kernel_says(void **state)
{
	(void)state;
	struct host_telemetry_spec spec = { .interval_ns = 2 * MS, .host = true };
	struct host_telemetry *telemetry = start(&spec);
	double before_s = (double)pl_clock_cpu_process_ns() / 1e9;
	int64_t begin_ns = host_telemetry_begin(telemetry);
	int64_t spin_until_ns = pl_clock_cpu_thread_ns() + 100 * MS;
	while (pl_clock_cpu_thread_ns() < spin_until_ns)
		continue;
	int64_t end_ns = host_telemetry_end(telemetry);
	double used_s = (double)pl_clock_cpu_process_ns() / 1e9 - before_s;
	host_telemetry_stop(telemetry);
	const struct host_windows *windows = host_telemetry_windows(telemetry);
	const struct host_sums *client = host_telemetry_client(telemetry);
	double cpu_s = host_sum_total(host_sums_get(client, HOST_Q_client_cpu_s), windows);
	/* edges lie between samples: an interval's time on either side is shared out evenly */
	assert_true(fabs(cpu_s - used_s) < 0.3 * used_s + 0.02);
	assert_true(fabs(host_windows_length_s(windows) - (double)(end_ns - begin_ns) / 1e9) <
		    1e-12);
	/* a sanitizer may have one of its own */
	assert_true(host_sums_get(client, HOST_Q_client_threads)->highest >= 2);
	assert_true(host_sums_get(client, HOST_Q_client_memory_bytes)->highest > 1e6);
	const struct host_sums *host = host_telemetry_host(telemetry);
	double used = host_sums_get(host, HOST_Q_host_memory_used_bytes)->highest;
	assert_true(used > 1e6 && used < 1e14);
	assert_true(host_sums_get(host, HOST_Q_host_cpu_share)->highest <= 1);
	host_telemetry_free(telemetry);
}

static void test_host_telemetry_telemetry__energy_is_the_integral_of_power(void **state)
{
	(void)state;
	static const char *const curves[] = { "const:321.5", "sine:100:700:0.8" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(curves); i++) {
		pretend("2xH100", curves[i], "memory_used=5GiB;utilization=40");
		struct host_telemetry_spec spec = { .interval_ns = MS, .gpu = true };
		struct host_telemetry *telemetry = start(&spec);
		assert_int_equal(host_telemetry_gpu_count(telemetry), 2);
		assert_true(host_telemetry_await(telemetry, 3, LONG_NS));
		host_telemetry_begin(telemetry);
		pl_clock_sleep_until(pl_clock_now_ns() + 600 * MS);
		host_telemetry_end(telemetry);
		host_telemetry_stop(telemetry);
		double sum_j = value_of(telemetry, 1, HOST_Q_gpu_power_w, host_sum_total);
		/* the library's counter is the closed integral of its curve */
		double counter_j = value_of(telemetry, 1, HOST_Q_gpu_energy_j, host_sum_total);
		double share = value_of(telemetry, 1, HOST_Q_gpu_power_w, host_sum_coverage);
		struct host_telemetry_cost cost;
		host_telemetry_cost(telemetry, &cost);
		/* a look that was held up is off by as long, at 700 W at the most */
		double held_up_s = (cost.ticks.lateness_max_ms + (double)cost.ticks.missed) / 1e3;
		double allowed_j = 0.005 * counter_j + 700 * held_up_s;
		if (!(fabs(sum_j - counter_j) <= allowed_j) && share > 0.999)
			fail_msg("%s: %.3f J, counter %.3f J", curves[i], sum_j, counter_j);
		/* no mean is reported for a quantity that was delayed for seconds */
		double mean = value_of(telemetry, 0, HOST_Q_gpu_utilization, host_sum_mean);
		assert_true(fabs(mean - 0.4) < 1e-9 || !(share > 0.999));
		assert_true(host_sums_get(&host_telemetry_gpu(telemetry, 0)->sums,
					  HOST_Q_gpu_memory_used_bytes)
				    ->highest == 5.0 * (1u << 30));
		host_telemetry_free(telemetry);
	}
}

/* Sets what the library plays from now on. */
static void set_power(const char *path, const char *setting)
{
	auto_free char *next = pl_asprintf("%s.next", path);
	struct pl_err err = PL_ERR_INIT;

	assert_int_equal(pl_file_write(next, setting, strlen(setting), &err), 0);
	assert_int_equal(rename(next, path), 0);
}

static void await_looks(struct host_telemetry *telemetry, int64_t more)
{
	int64_t looks = 0;

	while (host_telemetry_await(telemetry, looks + 1, 0))
		looks++;
	assert_true(host_telemetry_await(telemetry, looks + more, LONG_NS));
}

/* Idle power is that of now; one look may have been under way as the setting changed. */
static void look_idle(struct host_telemetry *telemetry)
{
	await_looks(telemetry, 2);
	host_telemetry_idle(telemetry, HOST_IDLE_AFTER);
	await_looks(telemetry, 4);
}

static void test_host_telemetry_telemetry__idle_power_before_and_after(void **state)
{
	(void)state;
	char path[SCRATCH_PATH];

	close(scratch_file(path));
	pretend("2xH100", "const:1", "");
	setenv("PRETEND_FILE", path, 1);
	set_power(path, "0.power=const:70\n1.power=const:90\n");
	struct host_telemetry_spec spec = { .interval_ns = MS, .gpu = true, .run_id = "exp_none" };
	struct host_telemetry *telemetry = start(&spec);
	assert_true(host_telemetry_await(telemetry, 3, LONG_NS));
	host_telemetry_idle(telemetry, HOST_IDLE_COUNT);
	/* the time after the run was not sampled */
	assert_false(host_telemetry_is_at_rest(telemetry));
	/* one of the two is not where it was */
	set_power(path, "0.power=const:70\n1.power=const:200\n");
	look_idle(telemetry);
	assert_false(host_telemetry_is_at_rest(telemetry));
	set_power(path, "0.power=const:76.5\n1.power=const:60\n");
	look_idle(telemetry);
	assert_true(host_telemetry_is_at_rest(telemetry));
	host_telemetry_idle(telemetry, HOST_IDLE_COUNT);
	set_power(path, "power=const:500\n");
	await_looks(telemetry, 3);
	host_telemetry_stop(telemetry);
	assert_true(fabs(host_telemetry_idle_w(telemetry, 0, HOST_IDLE_BEFORE) - 70) < 1e-9);
	assert_true(fabs(host_telemetry_idle_w(telemetry, 1, HOST_IDLE_BEFORE) - 90) < 1e-9);
	assert_true(fabs(host_telemetry_idle_w(telemetry, 0, HOST_IDLE_AFTER) - 76.5) < 1e-9);
	assert_true(fabs(host_telemetry_idle_w(telemetry, 1, HOST_IDLE_AFTER) - 60) < 1e-9);
	host_telemetry_free(telemetry);
	unsetenv("PRETEND_FILE");
}

/* A GPU that reports no power is not waited for; a foreign server leaves no GPU idle. */
static void test_host_telemetry_telemetry__idle_power_that_is_not_reported(void **state)
{
	(void)state;
	struct host_telemetry_spec spec = { .interval_ns = MS, .gpu = true, .run_id = "exp_none" };

	pretend("1xH100", "const:70", "vanish=power");
	struct host_telemetry *telemetry = start(&spec);
	assert_true(host_telemetry_await(telemetry, 3, LONG_NS));
	look_idle(telemetry);
	assert_true(host_telemetry_is_at_rest(telemetry));
	host_telemetry_stop(telemetry);
	assert_true(isnan(host_telemetry_idle_w(telemetry, 0, HOST_IDLE_BEFORE)));
	assert_true(isnan(host_telemetry_idle_w(telemetry, 0, HOST_IDLE_AFTER)));
	host_telemetry_free(telemetry);

	pretend("1xH100", "const:70", "");
	spec.run_id = NULL;
	telemetry = start(&spec);
	assert_true(host_telemetry_await(telemetry, 3, LONG_NS));
	host_telemetry_stop(telemetry);
	assert_true(isnan(host_telemetry_idle_w(telemetry, 0, HOST_IDLE_BEFORE)));
	host_telemetry_free(telemetry);
}

static void test_host_telemetry_telemetry__what_vanishes_or_wraps_is_a_gap(void **state)
{
	(void)state;
	struct series series;
	size_t i;
	json_t *line;

	/* the counter wraps every 2 J, which is every 4 ms */
	pretend("1xH100", "const:500", "energy_wrap=2;vanish=temperature,throttle");
	series_open(&series);
	struct host_telemetry_spec spec = { .interval_ns = MS, .gpu = true, .series = series.zst };
	struct host_telemetry *telemetry = start(&spec);
	assert_true(host_telemetry_await(telemetry, 1, LONG_NS));
	host_telemetry_begin(telemetry);
	assert_true(host_telemetry_await(telemetry, 200, LONG_NS));
	host_telemetry_end(telemetry);
	host_telemetry_stop(telemetry);
	series_read(&series);
	assert_true(isnan(value_of(telemetry, 0, HOST_Q_gpu_energy_j, host_sum_total)));
	const struct host_sum *energy = host_sums_get(&host_telemetry_gpu(telemetry, 0)->sums,
						      HOST_Q_gpu_energy_j);
	assert_true(energy->min >= 0);
	assert_true(energy->covered_s < host_windows_length_s(host_telemetry_windows(telemetry)));
	assert_true(isnan(value_of(telemetry, 0, HOST_Q_gpu_temperature_c, host_sum_mean)));
	assert_int_equal(host_sums_get(&host_telemetry_gpu(telemetry, 0)->sums, HOST_Q_gpu_throttle)
				 ->samples,
			 0);
	json_array_foreach(series.lines, i, line)
	{
		json_t *values = json_object_get(line, "values");
		if (strcmp(json_string_value(json_object_get(line, "source")), "gpu") != 0)
			continue;
		assert_true(json_is_null(json_object_get(values, "temperature_c")));
		assert_true(json_is_null(json_object_get(values, "throttle")));
		assert_true(json_number_value(json_object_get(values, "power_w")) == 500);
	}
	json_decref(series.lines);
	host_telemetry_free(telemetry);
}

static void test_host_telemetry_telemetry__only_the_gpus_asked_for(void **state)
{
	(void)state;
	struct pl_err err = PL_ERR_INIT;
	auto_json json_t *second = json_pack("[i]", 1);
	auto_json json_t *none = json_array();
	auto_json json_t *missing = json_pack("[s]", "GPU-missing");

	pretend("3xH100", "const:100", "");
	struct host_telemetry_spec spec = { .interval_ns = MS, .gpu = true, .gpus = second };
	struct host_telemetry *telemetry = start(&spec);
	assert_int_equal(host_telemetry_gpu_count(telemetry), 1);
	const struct host_gpu_facts *facts = host_telemetry_gpu(telemetry, 0)->facts;
	assert_int_equal(facts->index, 1);
	auto_json json_t *by_name = json_pack("[s]", facts->uuid);
	host_telemetry_free(telemetry);
	spec.gpus = by_name;
	telemetry = start(&spec);
	assert_int_equal(host_telemetry_gpu_count(telemetry), 1);
	assert_int_equal(host_telemetry_gpu(telemetry, 0)->facts->index, 1);
	host_telemetry_free(telemetry);
	spec.gpus = missing;
	telemetry = start(&spec);
	assert_int_equal(host_telemetry_gpu_count(telemetry), 0);
	host_telemetry_free(telemetry);
	/* without a GPU to read, the library is not loaded */
	setenv("PROFLLM_NVML_LIB", "/nowhere/libnvml.so", 1);
	spec.gpus = none;
	telemetry = start(&spec);
	assert_null(host_telemetry_gpus(telemetry));
	host_telemetry_free(telemetry);
	spec.gpus = NULL;
	assert_int_equal(host_telemetry_start(&spec, &telemetry, &err), -1);
}

/* Where a look takes a program and its time, the other sources keep their ticks. */
static void test_host_telemetry_telemetry__a_slow_program_has_a_pace_of_its_own(void **state)
{
	(void)state;
	char folder[SCRATCH_PATH];
	struct pl_err err = PL_ERR_INIT;
	struct host_telemetry_cost cost;

	scratch_folder(folder);
	auto_free char *script = pl_asprintf("%s/nvidia-smi", folder);
	auto_free char *text = pl_asprintf("#!/bin/sh\nsleep 0.2\ncat '%s'\n", SMI_REPORT);
	auto_free char *path_before = pl_strdup(getenv("PATH"));
	auto_free char *path = pl_asprintf("%s:%s", folder, path_before);
	assert_int_equal(pl_file_write(script, text, strlen(text), &err), 0);
	assert_int_equal(chmod(script, 0755), 0);
	unsetenv("PROFLLM_NVML_LIB");
	setenv("PATH", path, 1);
	struct host_telemetry_spec spec = { .interval_ns = 2 * MS, .gpu = true, .host = true };
	struct host_telemetry *telemetry = start(&spec);
	/* a host with a driver is asked by its library */
	if (host_gpus_source(host_telemetry_gpus(telemetry)) == HOST_GPU_NVIDIA_SMI) {
		assert_true(host_telemetry_await(telemetry, 2, LONG_NS));
		host_telemetry_stop(telemetry);
		host_telemetry_cost(telemetry, &cost);
		assert_true(cost.ticks.ticks > 10);
		assert_true(host_telemetry_gpu_count(telemetry) >= 1);
		assert_true(host_sums_get(&host_telemetry_gpu(telemetry, 0)->sums,
					  HOST_Q_gpu_memory_used_bytes)
				    ->highest > 0);
	}
	host_telemetry_free(telemetry);
	setenv("PATH", path_before, 1);
}

/* Returns the fact for a process with this environment that starts with the run and computes on
 * its GPU. */
static double foreign_with(const char *variable)
{
	char set[64];
	char *argv[] = { (char *)"sleep", (char *)"600", NULL };
	char *env[] = { (char *)variable, NULL };
	struct host_telemetry_spec spec = { .interval_ns = MS, .gpu = true, .run_id = RUN };

	pretend("1xH100", "const:100", "");
	/* as after an exec: the library learns of the process below from its settings file */
	char path[SCRATCH_PATH];
	int fd = scratch_file(path);
	setenv("PRETEND_FILE", path, 1);
	struct host_telemetry *telemetry = start(&spec);
	pid_t pid = fork();
	if (pid == 0) {
		execve("/bin/sleep", argv, env);
		_exit(127);
	}
	int len = snprintf(set, sizeof(set), "processes=%d:1GiB\n", (int)pid);
	/* its own environment is visible after exec() has finished */
	while (host_mark_is_on(pid, RUN) != (strcmp(variable, HOST_MARK_NAME "=" RUN) == 0))
		sched_yield();
	assert_int_equal(write(fd, set, (size_t)len), len);
	host_telemetry_begin(telemetry);
	pl_clock_sleep_until(pl_clock_now_ns() + 700 * MS);
	host_telemetry_end(telemetry);
	host_telemetry_stop(telemetry);
	double foreign = host_telemetry_foreign(telemetry);
	host_telemetry_free(telemetry);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unsetenv("PRETEND_FILE");
	close(fd);
	return foreign;
}

static void test_host_telemetry_telemetry__foreign_processes_are_seen(void **state)
{
	(void)state;
	assert_true(foreign_with("OTHER=1") == 1);
	assert_true(foreign_with(HOST_MARK_NAME "=" RUN) == 0);
}

static void test_host_telemetry_telemetry__pages_on_one_connection(void **state)
{
	(void)state;
	struct page_server server;
	struct series series;
	struct host_telemetry_cost cost;
	size_t count, i;
	json_t *line;
	int number = 0;

	server_start(&server);
	series_open(&series);
	struct host_telemetry_spec spec = { .interval_ns = MS, .series = series.zst };
	struct host_metrics_source source = { .addr = &server.addr };
	struct host_telemetry *telemetry = start(&spec);
	host_telemetry_begin(telemetry);
	host_telemetry_metrics(telemetry, &source, 2 * MS);
	wait_served(&server, 20);
	host_telemetry_end(telemetry);
	host_telemetry_stop(telemetry);
	assert_int_equal(atomic_load(&server.connections), 1);
	host_telemetry_cost(telemetry, &cost);
	series_read(&series);
	json_array_foreach(series.lines, i, line)
	{
		json_t *values = json_object_get(line, "values");
		if (strcmp(json_string_value(json_object_get(line, "source")), "server_metrics") !=
		    0)
			continue;
		assert_true(json_number_value(json_object_get(values, "running")) == 2);
		assert_true(json_number_value(json_object_get(values, "request_success")) ==
			    number++);
		assert_true(json_is_null(json_object_get(values, "preemptions")));
	}
	assert_in_range(number, 19, atomic_load(&server.served));
	assert_true(cost.metrics_requested >= number);
	const struct host_requests_sample *samples = host_telemetry_requests(telemetry, &count);
	assert_true(count >= 1);
	for (i = 0; i < count; i++)
		assert_true(samples[i].requests == 5);
	json_decref(series.lines);
	host_telemetry_free(telemetry);
	server_stop(&server);
}

static void test_host_telemetry_telemetry__a_closed_connection_is_reopened(void **state)
{
	(void)state;
	struct page_server server;
	struct host_telemetry_cost cost;

	server_start(&server);
	atomic_store(&server.close, 1);
	struct host_telemetry_spec spec = { .interval_ns = MS };
	struct host_metrics_source source = { .addr = &server.addr };
	struct host_telemetry *telemetry = start(&spec);
	host_telemetry_metrics(telemetry, &source, 5 * MS);
	wait_served(&server, 5);
	host_telemetry_metrics_over(telemetry);
	host_telemetry_stop(telemetry);
	host_telemetry_cost(telemetry, &cost);
	assert_true(atomic_load(&server.connections) >= 5);
	/* only requests that came due while one was in flight are missing */
	assert_true(cost.metrics_gaps <= cost.metrics_requested - 4);
	host_telemetry_free(telemetry);
	server_stop(&server);
}

/* As for a second measured run. */
static void test_host_telemetry_telemetry__pages_are_reread(void **state)
{
	(void)state;
	struct page_server server;
	size_t count;

	server_start(&server);
	struct host_telemetry_spec spec = { .interval_ns = MS };
	struct host_metrics_source source = { .addr = &server.addr };
	struct host_telemetry *telemetry = start(&spec);
	for (int i = 1; i <= 2; i++) {
		host_telemetry_begin(telemetry);
		host_telemetry_metrics(telemetry, &source, 2 * MS);
		wait_served(&server, 5 * i);
		host_telemetry_end(telemetry);
		host_telemetry_metrics_over(telemetry);
	}
	host_telemetry_metrics_over(telemetry);
	host_telemetry_stop(telemetry);
	assert_int_equal(host_telemetry_windows(telemetry)->count, 2);
	host_telemetry_requests(telemetry, &count);
	assert_true(count >= 2);
	host_telemetry_free(telemetry);
	server_stop(&server);
}

/* A server that does not answer leaves gaps and holds up no tick. */
static void test_host_telemetry_telemetry__a_mute_server_holds_up_nothing(void **state)
{
	(void)state;
	struct page_server server;
	struct host_telemetry_cost cost;
	size_t count;

	server_start(&server);
	atomic_store(&server.mute, 1);
	struct host_telemetry_spec spec = { .interval_ns = MS };
	struct host_metrics_source source = { .addr = &server.addr };
	struct host_telemetry *telemetry = start(&spec);
	host_telemetry_begin(telemetry);
	host_telemetry_metrics(telemetry, &source, 2 * MS);
	wait_served(&server, 1);
	/* samples continue while the page is awaited */
	assert_true(host_telemetry_await(telemetry, 50, LONG_NS));
	host_telemetry_end(telemetry);
	host_telemetry_stop(telemetry);
	host_telemetry_cost(telemetry, &cost);
	assert_true(cost.metrics_gaps >= 1 && cost.metrics_gaps >= cost.metrics_requested - 1);
	host_telemetry_requests(telemetry, &count);
	assert_int_equal(count, 0);
	host_telemetry_free(telemetry);
	server_stop(&server);
}

static void test_host_telemetry_telemetry__a_refusal_is_a_gap(void **state)
{
	(void)state;
	struct page_server server;
	struct host_telemetry_cost cost;

	server_start(&server);
	atomic_store(&server.bad, 1);
	struct host_telemetry_spec spec = { .interval_ns = MS };
	struct host_metrics_source source = { .addr = &server.addr };
	struct host_telemetry *telemetry = start(&spec);
	host_telemetry_metrics(telemetry, &source, 2 * MS);
	wait_served(&server, 3);
	host_telemetry_stop(telemetry);
	host_telemetry_cost(telemetry, &cost);
	assert_true(cost.metrics_gaps >= 2);
	assert_int_equal(cost.lines, 0);
	host_telemetry_free(telemetry);
	server_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_telemetry_telemetry__lines_match_the_counts),
		cmocka_unit_test(
			test_host_telemetry_telemetry__this_program_is_what_the_kernel_says),
		cmocka_unit_test(test_host_telemetry_telemetry__energy_is_the_integral_of_power),
		cmocka_unit_test(test_host_telemetry_telemetry__idle_power_before_and_after),
		cmocka_unit_test(test_host_telemetry_telemetry__idle_power_that_is_not_reported),
		cmocka_unit_test(test_host_telemetry_telemetry__what_vanishes_or_wraps_is_a_gap),
		cmocka_unit_test(test_host_telemetry_telemetry__only_the_gpus_asked_for),
		cmocka_unit_test(
			test_host_telemetry_telemetry__a_slow_program_has_a_pace_of_its_own),
		cmocka_unit_test(test_host_telemetry_telemetry__foreign_processes_are_seen),
		cmocka_unit_test(test_host_telemetry_telemetry__pages_on_one_connection),
		cmocka_unit_test(test_host_telemetry_telemetry__a_closed_connection_is_reopened),
		cmocka_unit_test(test_host_telemetry_telemetry__pages_are_reread),
		cmocka_unit_test(test_host_telemetry_telemetry__a_mute_server_holds_up_nothing),
		cmocka_unit_test(test_host_telemetry_telemetry__a_refusal_is_a_gap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
