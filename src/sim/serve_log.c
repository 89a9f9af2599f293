#include "sim/serve_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "io/http_text.h"
#include "sim/conn.h"
#include "sim/server_priv.h"

/* Returns the name of the logging process, as vLLM's processes have it. */
static const char *speaker(const char *where)
{
	static const char *const engine[] = { "core.py",           "kv_cache_utils.py",
					      "gpu_worker.py",     "gpu_model_runner.py",
					      "default_loader.py", "monitor.py" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(engine); i++) {
		if (pl_text_starts(where, engine[i]))
			return "EngineCore";
	}
	return "APIServer";
}

void sim_log_line(const char *level, const char *where, const char *format, ...)
{
	char time[32];
	va_list args;

	/* vLLM's form: local time, no year, whole seconds. host/log/phases.c handles the consequences for a reader. */
	pl_clock_format(pl_clock_real_ns(), "%m-%d %H:%M:%S", 0, time, sizeof(time));
	printf("(%s pid=%d) %s %s [%s] ", speaker(where), (int)getpid(), level, time, where);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/*
 * After these, uvicorn logs "Application startup complete.", at which a log reader considers the server to be
 * listening.
 */
void sim_log_routes(const struct sim_options *options)
{
	sim_log_line("INFO", "launcher.py:186", "Available routes are:");
#define ROUTE(method, path, handler, model)                     \
	if (sim_options_have_route(options, SIM_ROUTE_##model)) \
		sim_log_line("INFO", "launcher.py:195", "Route: %s, Methods: %s", path, method);
#include "tbl/sim_routes.h"
	printf("INFO:     Started server process [%d]\n"
	       "INFO:     Waiting for application startup.\n"
	       "INFO:     Application startup complete.\n",
	       (int)getpid());
	fflush(stdout);
}

void sim_log_access(const struct sim_conn *conn, int status)
{
	if (!conn->server->options->access_log)
		return;
	printf("INFO:     %s - \"%s %s HTTP/1.1\" %d %s\n", conn->peer, conn->method, conn->target,
	       status, io_http_reason(status));
	fflush(stdout);
}

void sim_log_stats(struct sim_server *server, int64_t now_ns)
{
	const struct sim_engine_stats *last = &server->last_stats;
	struct sim_engine_stats stats;
	double seconds = (double)(now_ns - server->last_stats_ns) / 1e9;

	sim_server_stats(server, &stats);
	double prompt = (double)(stats.prompt_tokens - last->prompt_tokens) / seconds;
	double generation = (double)(stats.generated_tokens - last->generated_tokens) / seconds;
	double hits = stats.prefix_queries > 0
			      ? 100.0 * (double)stats.prefix_hits / (double)stats.prefix_queries
			      : 0;
	bool idle = prompt <= 0 && generation <= 0 && stats.running + stats.waiting == 0;
	/* vLLM logs one line of an idle engine, and then none until something runs again. */
	if (!idle || !server->was_idle)
		sim_log_line(
			"INFO", "loggers.py:335",
			"Engine 000: Avg prompt throughput: %.1f tokens/s, Avg generation "
			"throughput: %.1f tokens/s, Running: %u reqs, Waiting: %u reqs, GPU KV "
			"cache usage: %.1f%%, Prefix cache hit rate: %.1f%%",
			prompt, generation, stats.running, stats.waiting,
			100.0 * stats.blocks_held / stats.blocks, hits);
	server->was_idle = idle;
	server->last_stats = stats;
	server->last_stats_ns = now_ns;
}

void sim_log_stop(void)
{
	sim_log_line("INFO", "launcher.py:254", "[shutdown] API server: shutdown triggered");
	sim_log_line("INFO", "core.py:1635", "[shutdown] EngineCore: start mode=abort timeout=0s");
	sim_log_line("INFO", "core.py:1499", "[shutdown] EngineCore: exiting busy loop");
	printf("INFO:     Shutting down\n"
	       "INFO:     Waiting for application shutdown.\n"
	       "INFO:     Application shutdown complete.\n");
	fflush(stdout);
}
