#include "sim/admin.h"

#include <string.h>

#include "sim/answer.h"
#include "sim/conn.h"
#include "sim/serve_log.h"
#include "sim/server_priv.h"
#include "sim/trace.h"

#define BODY_MAX (1u << 20)

/* As vLLM's /v1/models, with an `owned_by` that differs from vLLM's. */
void sim_list_models(struct sim_conn *conn)
{
	const struct sim_server *server = conn->server;
	const struct sim_options *options = server->options;
	auto_json json_t *list = json_array();
	auto_json json_t *answer = NULL;
	auto_buf body = PL_BUF(BODY_MAX);

	for (size_t i = 0; i < server->limits.name_count; i++) {
		json_t *permission = json_pack(
			"{s:s, s:s, s:I, s:b, s:b, s:b, s:b, s:b, s:b, s:s, s:n, s:b}", "id",
			"modelperm-0000000000000000", "object", "model_permission", "created",
			(json_int_t)server->started_s, "allow_create_engine", 0, "allow_sampling",
			1, "allow_logprobs", 1, "allow_search_indices", 0, "allow_view", 1,
			"allow_fine_tuning", 0, "organization", "*", "group", "is_blocking", 0);

		json_t *model = json_pack(
			"{s:s, s:s, s:I, s:s, s:s, s:n, s:i, s:[o]}", "id", server->limits.names[i],
			"object", "model", "created", (json_int_t)server->started_s, "owned_by",
			SIM_SERVER_NAME, "root", options->model, "parent", "max_model_len",
			(int)server->limits.max_model_len, "permission", permission);

		if (i >= options->name_count) {
			/* Describes an adapter: its path and its base model, without a length of its own. */
			const struct sim_lora *lora = &options->loras[i - options->name_count];
			json_object_set_new(model, "root", json_string(lora->path));
			json_object_set_new(model, "parent", json_string(options->names[0]));
			json_object_set_new(model, "max_model_len", json_null());
		}
		json_array_append_new(list, model);
	}
	answer = json_pack("{s:s, s:O}", "object", "list", "data", list);
	pl_json_write(answer, PL_JSON_COMPACT, &body);
	sim_answer_json(conn, 200, &body);
}

void sim_add_config(const struct sim_server *server, struct pl_buf *text)
{
	const struct sim_engine_config *config = &server->engine_config;
	const struct sim_options *options = server->options;

	pl_buf_addf(text,
		    "model='%s', engine='" SIM_SERVER_NAME "', max_seq_len=%u, "
		    "tensor_parallel_size=%u, pipeline_parallel_size=%u, enable_prefix_caching=%s, "
		    "enable_chunked_prefill=%s, "
		    "seed=%lld, served_model_name=%s",
		    options->model, server->limits.max_model_len, config->tensor_parallel,
		    config->pipeline_parallel, config->prefix_caching ? "True" : "False",
		    config->chunked_prefill ? "True" : "False", (long long)options->seed,
		    server->limits.names[0]);
}

void sim_show_server_info(struct sim_conn *conn)
{
	const struct sim_server *server = conn->server;
	const struct sim_engine_config *config = &server->engine_config;
	const struct sim_options *options = server->options;
	auto_json json_t *answer = NULL;
	auto_buf text = PL_BUF(BODY_MAX);
	auto_buf body = PL_BUF(BODY_MAX);

	sim_add_config(server, &text);
	/* vLLM responds with the text of its configuration object; our data is under a separate key. */
	answer = json_pack("{s:s, s:{}, s:{s:s, s:s, s:b, s:I, s:i, s:i, s:i, s:i}}", "vllm_config",
			   pl_buf_text(&text), "vllm_env", "profllm_sim", "version",
			   PROFLLM_VERSION, "profile", options->profile->name, "simulated", 1,
			   "step_ns", (json_int_t)options->step_ns, "max_num_seqs",
			   (int)config->max_num_seqs, "max_num_batched_tokens",
			   (int)config->max_num_batched_tokens, "block_size",
			   (int)config->block_size, "num_gpu_blocks", (int)config->block_count);
	pl_json_write(answer, PL_JSON_COMPACT, &body);
	sim_answer_json(conn, 200, &body);
}

/* The current step completes; no further step begins (on_step() in server.c), so requests wait. */
void sim_sleep(struct sim_conn *conn)
{
	/* Level 1 keeps the weights in the host's memory, 2 discards them: here both only stop the steps. */
	const char *level = conn->query != NULL ? strstr(conn->query, "level=") : NULL;
	char text[64];

	conn->server->sleep_level = level != NULL && level[strlen("level=")] == '2' ? 2 : 1;
	snprintf(text, sizeof(text), "{\"status\":\"sleeping\",\"level\":%d}",
		 conn->server->sleep_level);
	sim_answer_text(conn, 200, text);
}

void sim_wake_up(struct sim_conn *conn)
{
	conn->server->sleep_level = 0;
	sim_server_wake_engine(conn->server);
	sim_answer_text(conn, 200, "{\"status\":\"awake\"}");
}

void sim_is_sleeping(struct sim_conn *conn)
{
	sim_answer_text(conn, 200,
			conn->server->sleep_level > 0 ? "{\"is_sleeping\":true}"
						      : "{\"is_sleeping\":false}");
}

/* vLLM has these routes only with a profiler. Returns false if refused. */
static bool has_profiler(struct sim_conn *conn)
{
	if (conn->server->options->profiler != NULL)
		return true;
	sim_answer_text(conn, 404, "{\"detail\":\"Not Found\"}");
	return false;
}

void sim_start_profile(struct sim_conn *conn)
{
	if (!has_profiler(conn))
		return;
	sim_trace_start(conn->server->trace);
	sim_log_line("INFO", "api_router.py:25", "Profiler started.");
	sim_conn_answer(conn, 200, NULL, "", 0);
}

void sim_stop_profile(struct sim_conn *conn)
{
	struct pl_err err = PL_ERR_INIT;

	if (!has_profiler(conn))
		return;
	if (sim_trace_stop(conn->server->trace, &err) < 0) {
		sim_log_line("ERROR", "api_router.py:33", "%s", err.text);
		sim_answer_text(conn, 500, "Internal Server Error");
		return;
	}
	sim_log_line("INFO", "api_router.py:35", "Profiler stopped.");
	sim_conn_answer(conn, 200, NULL, "", 0);
}
