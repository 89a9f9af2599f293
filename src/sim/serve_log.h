/* The log on standard output, in the format of vLLM and uvicorn. */
#pragma once

#include "base/mem.h"

#include <stdint.h>

struct sim_conn;
struct sim_options;
struct sim_server;

void sim_log_line(const char *level, const char *where, const char *format, ...) PL_PRINTF(3, 4);
void sim_log_routes(const struct sim_options *options);
void sim_log_access(const struct sim_conn *conn, int status);
void sim_log_stats(struct sim_server *server, int64_t now_ns);
void sim_log_stop(void);
