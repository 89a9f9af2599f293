#include "sim/startup.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/text.h"
#include "sim/admin.h"
#include "sim/serve_log.h"
#include "sim/server_priv.h"
#include "vllm/python_text.h"

#define GIB              (1024.0 * 1024 * 1024)
#define CONFIG_BYTES_MAX 65536

enum sim_stage { NOTHING, CONFIG, ENGINE, LOADING, WEIGHTS, COMPILED, CACHE, GRAPHS, READY };
enum speaker { NOBODY, PARSER, API, ENGINE_CORE };

/* The times of the stages, as shares of --sim-start-delay. Before CONFIG, vLLM imports its modules. */
static const double shares[] = { 0, 0.10, 0.25, 0.30, 0.60, 0.75, 0.80, 0.95, 1 };

static const struct {
	enum sim_stage stage;
	enum speaker who;
	const char *text;
} failures[] = {
	{ NOTHING, NOBODY, "" },
#define FAILURE(id, name, stage, who, text) { stage, SPEAKER_##who, text },
#define SPEAKER_NOBODY                      NOBODY
#define SPEAKER_PARSER                      PARSER
#define SPEAKER_API                         API
#define SPEAKER_ENGINE                      ENGINE_CORE
#include "tbl/sim_failures.h"
};

/* 1234567 -> "1,234,567" */
static void group_digits(uint64_t value, char text[32])
{
	char plain[24];
	size_t len = (size_t)snprintf(plain, sizeof(plain), "%llu", (unsigned long long)value);
	size_t at = 0;

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = plain[i];
	}
	text[at] = '\0';
}

/* Seconds of --sim-start-delay between two stages. */
static double between_s(const struct sim_server *server, enum sim_stage from, enum sim_stage to)
{
	return (shares[to] - shares[from]) * (double)server->options->startup_ns / 1e9;
}

static void log_config(const struct sim_server *server)
{
	const struct sim_options *options = server->options;
	const struct sim_engine_config *config = &server->engine_config;

	sim_log_line("INFO", "api_utils.py:347", "profllm-sim version %s, model %s (simulated)",
		     PROFLLM_VERSION, options->model);
	auto_json json_t *args = json_pack("{s:s, s:s}", "model_tag", options->model, "model",
					   options->model);
	json_object_update(args, options->given);
	auto_free char *shown = vllm_python_text(args);
	sim_log_line("INFO", "api_utils.py:286", "non-default args: %s", shown);
	sim_log_line("INFO", "model.py:2152", "Using max model len %u",
		     server->limits.max_model_len);
	if (config->chunked_prefill)
		sim_log_line("INFO", "scheduler.py:229",
			     "Chunked prefill is enabled with max_num_batched_tokens=%u.",
			     config->max_num_batched_tokens);
}

static void log_cache(const struct sim_server *server)
{
	const struct sim_engine_config *config = &server->engine_config;
	uint64_t tokens = (uint64_t)config->block_count * config->block_size;
	double ranks = (double)config->tensor_parallel * config->pipeline_parallel;
	char cache[32];
	char length[32];

	group_digits(tokens, cache);
	group_digits(server->limits.max_model_len, length);
	sim_log_line("INFO", "gpu_worker.py:276", "Available KV cache memory: %.2f GiB",
		     (double)tokens * server->options->profile->kv_bytes_per_token / ranks / GIB);
	sim_log_line("INFO", "kv_cache_utils.py:1013", "GPU KV cache size: %s tokens", cache);
	sim_log_line("INFO", "kv_cache_utils.py:1017",
		     "Maximum concurrency for %s tokens per request: %.2fx", length,
		     (double)tokens / server->limits.max_model_len);
}

/* The lines of one stage, written when it is reached. */
static void log_stage(const struct sim_server *server, enum sim_stage stage)
{
	const struct sim_options *options = server->options;
	/* The times in the lines are the real durations of the phases, so a parser can be verified. */
	double weights_s = between_s(server, LOADING, WEIGHTS);

	if (stage == CONFIG)
		log_config(server);
	if (stage == ENGINE) {
		auto_buf config = PL_BUF(CONFIG_BYTES_MAX);
		sim_add_config(server, &config);
		sim_log_line("INFO", "core.py:133",
			     "Initializing a simulated engine (profllm-sim %s) with profile: %s, "
			     "with config: %s",
			     PROFLLM_VERSION, options->profile->name, pl_buf_text(&config));
	}
	if (stage == LOADING)
		sim_log_line("INFO", "gpu_model_runner.py:68", "Starting to load model %s...",
			     options->model);
	if (stage == WEIGHTS) {
		sim_log_line("INFO", "default_loader.py:501", "Loading weights took %.2f seconds",
			     weights_s);
		sim_log_line("INFO", "gpu_model_runner.py:2007",
			     "Model loading took %.4f GiB and %.6f seconds",
			     options->profile->weight_bytes /
				     server->engine_config.tensor_parallel /
				     server->engine_config.pipeline_parallel / GIB,
			     weights_s);
	}
	if (stage == COMPILED && options->startup_ns > 0)
		sim_log_line("INFO", "monitor.py:53", "torch.compile took %.2f s in total",
			     between_s(server, WEIGHTS, COMPILED));
	if (stage == CACHE)
		log_cache(server);
	if (stage == GRAPHS)
		sim_log_line("INFO", "gpu_model_runner.py:2100",
			     "Graph capturing finished in %.0f secs, took 0.00 GiB",
			     between_s(server, CACHE, GRAPHS));
	if (stage == READY)
		sim_log_line("INFO", "core.py:402",
			     "init engine (profile, create kv cache, warmup model) took %.2f s",
			     between_s(server, ENGINE, READY));
}

/* Waits until the time; returns 1 if a signal ended it. */
static int wait_until(const struct sim_server *server, int64_t due_ns)
{
	/* The loop does not run yet, so signals are read from their descriptor. */
	struct pollfd fd = { .fd = server->signals.fd, .events = POLLIN };
	int64_t left_ns;

	while ((left_ns = due_ns - pl_clock_now_ns()) > 0) {
		int ms = (int)(left_ns / PL_NS_PER_MS < 1000000 ? left_ns / PL_NS_PER_MS + 1
								: 1000000);

		if (poll(&fd, 1, ms) > 0)
			return 1;
	}
	return 0;
}

/* Logs the text with the model's name filled in. */
static void log_lines(const char *where, char *text)
{
	char *rest = text;

	for (char *line; (line = strsep(&rest, "\n")) != NULL;)
		sim_log_line("ERROR", where, "%s", line);
}

static void write_traceback(const char *file, const char *function, const char *last)
{
	fprintf(stderr, "Traceback (most recent call last):\n  File \"%s\", line 1, in %s\n%s\n",
		file, function, last);
}

/*
 * Sends itself a signal with the default action, so that the parent sees the same as after the kernel's signal. The
 * parent process may have blocked or ignored it, which is reset here.
 */
void sim_die_by(int64_t signal_number)
{
	int number = (int)signal_number;
	struct rlimit none = { 0, 0 };
	sigset_t set;

	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	abort();
}

/* Logs the failure's message; returns the exit status. */
static int fail(const struct sim_server *server)
{
	int64_t failure = server->options->faults.fail_start;
	auto_free char *words = pl_text_replace(failures[failure].text, "{model}",
						server->options->model);

	/* No message: the OOM killer leaves none in the log either. */
	if (failure == SIM_FAILURE_KILLED)
		sim_die_by(SIGKILL);
	if (failure == SIM_FAILURE_SEGFAULT)
		sim_die_by(SIGSEGV);
	/*
	 * The reporting process determines the place of the text: argparse on standard error with status 2, Python's
	 * traceback, or the engine's log lines followed by a RuntimeError of the front end, which names no cause.
	 */
	switch (failures[failure].who) {
	case NOBODY:
		return 1;
	case PARSER:
		fprintf(stderr, "usage: vllm serve [model_tag] [options]\nvllm serve: error: %s\n",
			words);
		return 2;
	case API:
		write_traceback("vllm/entrypoints/cli/main.py", "main", words);
		return 1;
	case ENGINE_CORE:
		sim_log_line("ERROR", "core.py:1510", "EngineCore failed to start.");
		sim_log_line("ERROR", "core.py:1510", "Traceback (most recent call last):");
		sim_log_line("ERROR", "core.py:1510",
			     "  File \"vllm/v1/engine/core.py\", line 1, in run_engine_core");
		log_lines("core.py:1510", words);
		write_traceback("vllm/v1/engine/utils.py", "wait_for_engine_startup",
				"RuntimeError: Engine core initialization failed. See root cause "
				"above. Failed core proc(s): {}");
		return 1;
	}
	return 1;
}

int sim_startup(struct sim_server *server)
{
	const struct sim_options *options = server->options;
	bool fails = options->faults.fail_start != SIM_FAILURE_NONE;
	enum sim_stage last = fails ? failures[options->faults.fail_start].stage : READY;
	int64_t begin_ns = pl_clock_now_ns();
	/* a failing start spreads its delay over the stages up to the failure */
	double whole_ns = (double)options->startup_ns / (fails ? shares[last + 1] : 1);

	for (enum sim_stage stage = CONFIG; stage <= last; stage++) {
		if (wait_until(server, begin_ns + (int64_t)(whole_ns * shares[stage])) == 1)
			return 1;
		log_stage(server, stage);
	}
	if (!fails)
		return 0;
	if (wait_until(server, begin_ns + options->startup_ns) == 0)
		server->exit_status = fail(server);
	return 1;
}
