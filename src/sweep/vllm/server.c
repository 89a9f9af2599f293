#include "sweep/vllm/server.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "host/proc/guard.h"
#include "host/proc/mark.h"
#include "result/document.h"
#include "sweep/vllm/command.h"

#define LOOK_NS         (100 * PL_NS_PER_MS)
#define HEALTH_WAIT_NS  (5 * PL_NS_PER_S)
#define RESET_WAIT_NS   (60 * PL_NS_PER_S)
#define LEFT_WAIT_NS    (5 * PL_NS_PER_S)
#define DEFAULT_HOST    "localhost"
#define DEFAULT_PORT    8000
#define TIME_TEXT_BYTES 32

_Static_assert(sizeof(((struct sweep_vllm_server *)NULL)->mark) >= RES_RUN_ID_BYTES, "run id");

/* ---- caches ---- */

enum empties { BY_REQUEST, BY_NOBODY, UNKNOWN };

static enum empties empties_of(const json_t *command)
{
	const char *program = json_string_value(json_array_get(command, 0));

	if (pl_text_ends(program, "vllm") || pl_text_ends(program, "profllm-sim"))
		return BY_REQUEST;
	return pl_text_ends(program, "infinity_emb") ? BY_NOBODY : UNKNOWN;
}

int sweep_vllm_server_check(const json_t *command, struct pl_err *err)
{
	enum empties how = empties_of(command);

	if (how == BY_NOBODY && pl_json_has_text(command, "--vector-disk-cache"))
		return pl_err_invalid(err,
				      "--serve-cmd: '--vector-disk-cache' keeps responses between "
				      "runs; set --after-bench-cmd to a command that empties it");
	if (how == UNKNOWN)
		return pl_err_invalid(
			err,
			"--serve-cmd: cannot empty the caches of '%s' between runs; set "
			"--after-bench-cmd to a command that does (true if it has none)",
			json_string_value(json_array_get(command, 0)));
	return 0;
}

/* Detects {"success": false}: blocks are in use. */
static bool is_emptied(const struct io_reply *reply)
{
	auto_json json_t *answer = NULL;

	if (reply->status != 200)
		return false;
	return reply->body_len == 0 ||
	       pl_json_parse(reply->body, reply->body_len, "answer", &answer, PL_ERR_IGNORED) < 0 ||
	       !json_is_false(json_object_get(answer, "success"));
}

static int empty_caches(struct sweep_vllm_server *server, struct pl_err *err)
{
	static const char *const paths[] = { "/reset_prefix_cache", "/reset_mm_cache",
					     "/reset_encoder_cache" };

	for (size_t i = 0; i < PL_ARRAY_SIZE(paths); i++) {
		auto_reply reply = { 0 };
		if (run_target_post(&server->target, paths[i], RESET_WAIT_NS, &server->stop->reason,
				    &reply, err) < 0)
			return pl_err_wrap(err, "the server's caches were not emptied");
		if (!is_emptied(&reply))
			return pl_err_set(err, PL_ERR_FAILED,
					  "the server's caches were not emptied: POST %s "
					  "returned status %d: %.200s",
					  paths[i], reply.status,
					  reply.body != NULL ? reply.body : "");
	}
	return 0;
}

int sweep_vllm_server_reset(struct sweep_vllm_server *server, struct pl_err *err)
{
	struct sweep_vllm_child child = {
		.command = server->after_command,
		.log_path = server->after_log_path,
		.show = server->show,
		.stop_timeout_ns = server->stop_timeout_ns,
		.stop = server->stop,
	};

	if (server->after_command != NULL)
		return sweep_vllm_child_run(&child, err) < 0 ? pl_err_wrap(err, "--after-bench-cmd")
							     : 0;
	return empties_of(server->command) == BY_REQUEST ? empty_caches(server, err) : 0;
}

/* ---- start and stop ---- */

/* Returns the status of GET /health at the first of its addresses that responds; 0: none. */
static int ask_health(struct sweep_vllm_server *server)
{
	for (size_t i = 0; i <= server->target.other_count; i++) {
		auto_reply reply = { 0 };
		if (run_target_fetch(&server->target, "/health", HEALTH_WAIT_NS, &reply,
				     PL_ERR_IGNORED) == 0)
			return reply.status;
		run_target_rotate(&server->target);
	}
	return 0;
}

static int wait_ready(struct sweep_vllm_server *server, struct pl_err *err)
{
	int64_t due_ns = pl_clock_now_ns() + server->ready_timeout_ns;
	char limit[TIME_TEXT_BYTES];

	for (;;) {
		int status = ask_health(server);
		if (sweep_vllm_child_wait(&server->child, status == 200 ? 0 : LOOK_NS)) {
			char end[64];
			host_process_end_text(server->child.process, end, sizeof(end));
			pl_err_set(err, PL_ERR_LAUNCH, "the server ended before it was ready: %s",
				   end);
			sweep_vllm_child_report(&server->child, err);
			return -1;
		}
		if (run_stop_signal(server->stop) != 0)
			return pl_err_set(err, PL_ERR_INTERRUPTED, "interrupted");
		if (status == 200)
			return 0;
		if (pl_clock_now_ns() < due_ns)
			continue;
		pl_text_from_duration(server->ready_timeout_ns, limit, sizeof(limit));
		pl_err_set(err, PL_ERR_TIMEOUT,
			   "the server was not ready within --server-ready-timeout (%s)", limit);
		sweep_vllm_child_report(&server->child, err);
		return -1;
	}
}

static int start(struct sweep_vllm_server *server, struct pl_err *err)
{
	const char *host = sweep_vllm_command_value(server->command, "--host", NULL);
	const char *port = sweep_vllm_command_value(server->command, "--port", "-p");
	int64_t number = DEFAULT_PORT;
	if (port != NULL && (!pl_text_to_i64(port, &number) || number < 1 || number > 65535))
		return pl_err_invalid(err, "--serve-cmd: --port: found '%s', expected 1 to 65535",
				      port);
	if (run_target_from_port(host != NULL ? host : DEFAULT_HOST, (uint16_t)number,
				 &server->target, err) < 0)
		return -1;
	server->target.stop = server->stop;
	/* it would be mistaken for ours */
	if (ask_health(server) != 0)
		return pl_err_set(err, PL_ERR_BUSY,
				  "another server already responds at '%s'; stop it, or use "
				  "another --port in --serve-cmd and --bench-cmd",
				  server->target.host);
	res_run_id_make(pl_clock_real_ns(), server->mark);
	if (host_guard_start(server->mark, &server->guard, err) < 0)
		return -1;
	server->child = (struct sweep_vllm_child){
		.command = server->command,
		.log_path = server->log_path,
		.mark = server->mark,
		.show = server->show,
		.is_server = true,
		.guard = server->guard,
		.stop_timeout_ns = server->stop_timeout_ns,
		.stop = server->stop,
	};
	if (sweep_vllm_child_start(&server->child, err) < 0)
		return -1;
	return wait_ready(server, err);
}

int sweep_vllm_server_start(struct sweep_vllm_server *server, struct pl_err *err)
{
	server->is_up = start(server, err) == 0;
	if (server->is_up)
		return 0;
	sweep_vllm_server_stop(server);
	return -1;
}

bool sweep_vllm_server_is_up(struct sweep_vllm_server *server)
{
	if (!server->is_up)
		return false;
	if (!sweep_vllm_child_wait(&server->child, 0))
		return true;
	pl_log(PL_LOG_WARNING, "the server ended; see '%s'", server->log_path);
	sweep_vllm_server_stop(server);
	return false;
}

void sweep_vllm_server_stop(struct sweep_vllm_server *server)
{
	sweep_vllm_child_end(&server->child);
	/* the guard ends remaining processes, and waits for that */
	host_guard_free(pl_take(server->guard));
	if (server->mark[0] != '\0')
		host_mark_kill(server->mark, LEFT_WAIT_NS);
	run_target_done(&server->target);
	server->mark[0] = '\0';
	server->is_up = false;
}
