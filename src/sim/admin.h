/* Information about the server, and its administration: models, settings, sleep, profiler. */
#pragma once

struct pl_buf;
struct sim_conn;
struct sim_server;

/* Appends the settings as vLLM prints its configuration object. */
void sim_add_config(const struct sim_server *server, struct pl_buf *text);
void sim_list_models(struct sim_conn *conn);
void sim_show_server_info(struct sim_conn *conn);
void sim_sleep(struct sim_conn *conn);
void sim_wake_up(struct sim_conn *conn);
void sim_is_sleeping(struct sim_conn *conn);
void sim_start_profile(struct sim_conn *conn);
void sim_stop_profile(struct sim_conn *conn);
