#include "sim/server.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/sock.h"
#include "io/tls.h"
#include "sim/conn.h"
#include "sim/faulty.h"
#include "sim/job.h"
#include "sim/processes.h"
#include "sim/routes.h"
#include "sim/serve_log.h"
#include "sim/server_priv.h"
#include "sim/startup.h"
#include "sim/trace.h"

/* Thousands of connections may begin at once, and one loop accepts them between steps. */
#define BACKLOG         8192
#define SCRATCH_MAX     (64u << 20)
#define STATS_NS        (10 * PL_NS_PER_S)
#define DEFAULT_BATCHED 8192
/* Accepting must not fail for lack of descriptors. */
#define FILES_MOST 65536

/* A finished job and a dead connection no longer refer to each other (sim_job_close()), so both can be freed. */
static void reap(struct sim_server *server)
{
	struct sim_conn *next_conn;
	struct sim_job *next_job;

	if (!server->any_dead)
		return;
	server->any_dead = false;
	for (struct sim_job *job = LIST_FIRST(&server->jobs); job != NULL; job = next_job) {
		next_job = LIST_NEXT(job, link);
		if (job->over)
			sim_job_free(job);
	}
	for (struct sim_conn *conn = LIST_FIRST(&server->conns); conn != NULL; conn = next_conn) {
		next_conn = LIST_NEXT(conn, link);
		if (conn->dead)
			sim_conn_free(conn);
	}
}

/* Ends the step that is due and hands out its tokens. */
static void end_step(struct sim_server *server)
{
	const struct sim_output *outputs;
	int64_t now_ns = pl_clock_now_ns();

	/* By the clock of steps instead of the timer, which is set again after an overrun. */
	sim_metrics_observe_lateness(&server->metrics,
				     (double)(now_ns - server->step_due_ns) / 1e9);
	sim_metrics_observe(&server->metrics, SIM_HIST_ITERATION_TOKENS,
			    sim_engine_step(server->engine)->tokens);
	size_t count = sim_engine_end(server->engine, now_ns, &outputs);
	/* An engine that dies during a step returns no more of its tokens. */
	for (size_t i = 0; i < count && !server->engine_stopped; i++) {
		struct sim_choice *choice = outputs[i].sequence->user;

		if (!choice->job->over)
			sim_job_token(choice, &outputs[i]);
	}
	sim_event_log_flush(server->log);
}

/*
 * Steps follow each other at absolute times: each begins when the previous one was due, however late its tokens were
 * sent. Only after a delay of a complete step does the clock restart.
 */
static void on_step(struct io_loop *loop, struct io_timer *timer)
{
	struct sim_server *server = timer->data;
	int64_t begin_ns = pl_clock_now_ns();

	if (sim_engine_in_step(server->engine)) {
		begin_ns = timer->due_ns;
		end_step(server);
	}
	reap(server);
	if (sim_engine_fails(server) || server->sleep_level > 0)
		return;
	int64_t duration_ns = sim_engine_begin(server->engine, begin_ns);
	if (duration_ns < 0)
		return;
	duration_ns = (int64_t)((double)duration_ns * sim_drift_factor(&server->drift) /
				server->options->speed);
	if (duration_ns < 1)
		duration_ns = 1;
	sim_trace_step(server->trace, begin_ns, duration_ns, sim_engine_step(server->engine));
	server->step_due_ns = begin_ns + duration_ns;
	int64_t now_ns = pl_clock_now_ns();
	if (begin_ns + 2 * duration_ns < now_ns)
		begin_ns = now_ns - duration_ns;
	io_timer_start(loop, timer, begin_ns + duration_ns);
}

static void on_stats(struct io_loop *loop, struct io_timer *timer)
{
	struct sim_server *server = timer->data;

	sim_log_stats(server, io_loop_now_ns(loop));
	io_timer_start(loop, timer, timer->due_ns + STATS_NS);
}

static void on_signal(struct io_loop *loop, struct io_watch *watch, uint32_t events)
{
	struct signalfd_siginfo info;

	(void)events;
	if (read(watch->fd, &info, sizeof(info)) == sizeof(info))
		io_loop_stop(loop);
}

/* Sets the arguments that the command line leaves open, and refuses contradictory ones. */
static int settle_engine(struct sim_server *server, struct pl_err *err)
{
	const struct sim_options *options = server->options;
	struct sim_engine_config *config = &server->engine_config;
	int64_t max_len = options->max_model_len;
	int64_t batched = options->max_num_batched_tokens;

	*config = (struct sim_engine_config){
		.max_num_seqs = (uint32_t)options->max_num_seqs,
		.block_size = (uint32_t)options->block_size,
		.block_count = (uint32_t)options->block_count,
		.draft_tokens = (uint32_t)options->draft_tokens,
		.prefix_caching = options->prefix_caching,
		.chunked_prefill = options->chunked_prefill,
		.reserve_full = options->reserve_full,
		.fixed_step_ns = options->step_ns,
		.profile = options->profile,
		.tensor_parallel = (uint32_t)options->tensor_parallel,
		.pipeline_parallel = (uint32_t)options->pipeline_parallel,
		.eos_rate = options->eos_rate,
	};
	if (config->block_count == 0)
		config->block_count = sim_profile_block_count(
			options->profile, config->tensor_parallel, config->pipeline_parallel,
			options->memory_utilisation, config->block_size);
	if (config->block_count == 0)
		return pl_err_invalid(err,
				      "No available memory for the cache blocks. Try increasing "
				      "`gpu_memory_utilization` when initializing the engine.");
	uint64_t capacity = (uint64_t)config->block_count * config->block_size;
	if (max_len > 0 && (uint64_t)max_len > capacity)
		return pl_err_invalid(
			err,
			"max_model_len (%lld) is larger than the KV cache (%llu tokens); "
			"decrease `max_model_len` or increase the cache",
			(long long)max_len, (unsigned long long)capacity);
	/* Not set by the user: limit it to what fits into the cache. */
	if (max_len == 0)
		max_len = options->profile->max_model_len;
	server->limits.max_model_len = (uint32_t)((uint64_t)max_len < capacity ? max_len
									       : (int64_t)capacity);
	if (batched > 0 && !config->chunked_prefill && batched < server->limits.max_model_len)
		return pl_err_invalid(
			err,
			"max_num_batched_tokens (%lld) is smaller than max_model_len (%u). "
			"Please increase max_num_batched_tokens or decrease max_model_len.",
			(long long)batched, server->limits.max_model_len);
	if (batched == 0 && config->chunked_prefill)
		batched = DEFAULT_BATCHED;
	if (batched == 0)
		batched = server->limits.max_model_len > DEFAULT_BATCHED
				  ? server->limits.max_model_len
				  : DEFAULT_BATCHED;
	config->max_num_batched_tokens = (uint32_t)batched;
	return 0;
}

static int resolve(const struct sim_options *options, struct io_addr *ret, struct pl_err *err)
{
	if (options->uds == NULL)
		return io_addr_resolve(options->host, (uint16_t)options->port, ret, err);
	return io_addr_unix(options->uds, ret, err);
}

/* Blocked by main(): only the loop takes them, between two callbacks. */
static int open_signals(struct sim_server *server, struct pl_err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	server->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (server->signals.fd < 0)
		return pl_err_errno(err, "could not watch signals");
	return 0;
}

static int open_files(struct sim_server *server, struct pl_err *err)
{
	const struct sim_options *options = server->options;

	if (options->log_path != NULL &&
	    sim_event_log_open(options->log_path, &server->log, err) < 0)
		return -1;
	if (sim_drift_open(options->drift, options->drift_path, &server->drift, err) < 0)
		return -1;
	if (options->capture_path == NULL)
		return 0;
	server->capture = fopen(options->capture_path, "wbe");
	return server->capture != NULL
		       ? 0
		       : pl_err_errno(err, "could not write '%s'", options->capture_path);
}

/* Like uvicorn: either option enables TLS, and the certificate must exist. */
static int open_tls(struct sim_server *server, struct pl_err *err)
{
	const struct sim_options *options = server->options;

	if (options->ssl_certfile == NULL && options->ssl_keyfile == NULL)
		return 0;
	if (options->ssl_certfile == NULL)
		return pl_err_invalid(err, "--ssl-keyfile needs --ssl-certfile");
	server->plain = pl_alloc(SIM_PLAIN_BYTES);
	return io_tls_server_new(options->ssl_certfile, options->ssl_keyfile, &server->tls, err);
}

static void announce(const struct sim_server *server)
{
	struct io_addr addr;
	char text[128];

	if (io_sock_local(server->listener.fd, &addr, PL_ERR_IGNORED) < 0)
		return;
	io_addr_text(&addr, text, sizeof(text));
	sim_log_line("INFO", "entry.py:140", "Starting profllm-sim server on %s://%s",
		     server->tls != NULL ? "https" : "http", text);
}

/* Enables timestamps here, too, because the first request may arrive before its accept(). */
static int listen_at(struct sim_server *server, const struct io_addr *addr, struct pl_err *err)
{
	int on = 1;

	if (io_sock_listen(addr, BACKLOG, &server->listener.fd, err) < 0)
		return -1;
	setsockopt(server->listener.fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	return 0;
}

static int serve(struct sim_server *server, struct pl_err *err)
{
	struct io_addr addr;

	if (resolve(server->options, &addr, err) < 0 || listen_at(server, &addr, err) < 0)
		return -1;
	/*
	 * The address was bound early so that a used one is reported at once, as in vLLM; but no client may connect
	 * during the startup.
	 */
	if (server->options->startup_ns > 0 ||
	    server->options->faults.fail_start != SIM_FAILURE_NONE)
		pl_fd_close(&server->listener.fd);
	if (sim_startup(server) == 1)
		return 0;
	if (server->listener.fd < 0 && listen_at(server, &addr, err) < 0)
		return -1;
	server->listening_ns = pl_clock_now_ns();
	server->listener.events = EPOLLIN;
	server->listener.fn = sim_conn_on_listener;
	server->listener.data = server;
	server->signals.events = EPOLLIN;
	server->signals.fn = on_signal;
	server->signals.data = server;
	server->step_timer = (struct io_timer){ .fn = on_step, .data = server };
	server->stats_timer = (struct io_timer){ .fn = on_stats, .data = server };
	server->last_stats_ns = pl_clock_now_ns();
	server->was_idle = true;
	server->odd_events = server->options->faults.merge_sends > 1 ||
			     server->options->faults.event_form != SIM_FORM_PLAIN;
	if (server->options->stats_log)
		io_timer_start(server->loop, &server->stats_timer,
			       server->last_stats_ns + STATS_NS);
	if (io_loop_watch(server->loop, &server->listener, err) < 0)
		return -1;
	if (io_loop_watch(server->loop, &server->signals, err) < 0)
		return -1;
	announce(server);
	sim_log_routes(server->options);
	return io_loop_run(server->loop, err);
}

static int stop(struct sim_server *server, int result, struct pl_err *err)
{
	struct sim_job *job;
	struct sim_conn *conn;

	LIST_FOREACH(job, &server->jobs, link)
		sim_job_abort(job);
	/* Connections before jobs: a finished job has released its connection, others were just aborted. */
	while ((conn = LIST_FIRST(&server->conns)) != NULL)
		sim_conn_free(conn);
	while ((job = LIST_FIRST(&server->jobs)) != NULL)
		sim_job_free(job);
	pl_fd_close(&server->listener.fd);
	pl_fd_close(&server->signals.fd);
	sim_engine_free(server->engine);
	sim_trace_free(server->trace);
	io_loop_free(server->loop);
	sim_drift_close(&server->drift);
	if (server->capture != NULL && fclose(server->capture) != 0 && result == 0)
		result = pl_err_errno(err, "could not write '%s'", server->options->capture_path);
	if (sim_event_log_close(server->log, err) < 0)
		result = -1;
	pl_buf_done(&server->scratch);
	free(server->input);
	free(server->plain);
	io_tls_server_free(server->tls);
	return result;
}

static void on_gone(struct sim_conn *conn)
{
	if (conn->job != NULL)
		sim_job_abort(conn->job);
}

int sim_server_run(const struct sim_options *options, struct pl_err *err)
{
	static const struct sim_conn_calls calls = { sim_route, on_gone, reap };
	struct sim_server server = {
		.options = options,
		.calls = &calls,
		.limits = { .names = options->names,
			    .name_count = options->name_count + options->lora_count,
			    .max_logprobs = options->max_logprobs,
			    .no_chat_template = options->no_chat_template,
			    .media = options->media,
			    .embeds = options->embeds,
			    .dimensions = (uint32_t)options->profile->hidden },
		.listener = { .fd = -1 },
		.signals = { .fd = -1 },
		.started_s = pl_clock_real_ns() / PL_NS_PER_S,
	};
	struct sim_processes *processes = NULL;
	int result = -1;

	pl_buf_init(&server.scratch, SCRATCH_MAX);
	server.input = pl_alloc(SIM_INPUT_BYTES);
	io_sock_raise_nofile();
	io_sock_reserve_files(FILES_MOST);
	/* 1 ns in place of 50 us: steps end when they are due. */
	prctl(PR_SET_TIMERSLACK, 1);
	/*
	 * Fork the workers before the log's thread is started and before files are opened that they should not inherit.
	 */
	if (settle_engine(&server, err) == 0 && open_tls(&server, err) == 0 &&
	    sim_processes_start(options->processes, &processes, err) == 0 &&
	    open_signals(&server, err) == 0 && open_files(&server, err) == 0 &&
	    io_loop_new(&server.loop, err) == 0) {
		server.engine = sim_engine_new(&server.engine_config);
		server.trace = sim_trace_new(options, server.loop);
		result = serve(&server, err);
		if (result == 0 && server.exit_status == 0)
			sim_log_stop();
	}
	sim_processes_stop(processes);
	result = stop(&server, result, err);
	return result < 0 ? result : server.exit_status;
}
