/*
 * What a vLLM-form server log tells: start-up phases, facts of the engine, and why it died.
 */
#ifndef HOST_SERVER_LOG_H
#define HOST_SERVER_LOG_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

/* NaN: not told. */
struct host_server_log {
	double weights_s;     /* loading weights took */
	double compile_s;     /* torch.compile took in total */
	double graphs_s;      /* graph capturing took */
	double init_engine_s; /* profile, KV cache, warm-up */
	double weights_gib;
	double kv_cache_gib;
	double kv_cache_tokens;
	double kv_cache_concurrency; /* requests of the full length that fit */
	double max_model_len;
	bool ready; /* "Application startup complete." */
};

/* The last max_bytes of a log that may still grow. *ret: free(). */
int host_server_log_read(const char *path, size_t max_bytes, char **ret, size_t *ret_len,
			 struct pl_err *err) PL_MUST_CHECK;

/* Any bytes; of repeated lines (workers) the largest figure counts. */
void host_server_log_parse(const char *text, size_t len, struct host_server_log *ret);

/*
 * Why a server died: "out_of_memory", "invalid_argument", "port_in_use", "model_not_found",
 * "invalid_configuration", "quantization_mismatch", "killed", "crashed", or "unknown". Static.
 * `signal_number`: what ended the process, 0: none.
 */
const char *host_server_log_cause(const char *text, size_t len, int signal_number, bool was_ready);

/* The last `lines` lines of a log, as text; free(). */
char *host_server_log_tail(const char *text, size_t len, size_t lines);

#endif
