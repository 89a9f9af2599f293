/*
 * What a server tells of itself, and what its operator may do: models, settings, sleep, profiler.
 */
#pragma once

struct sim_conn;

void sim_list_models(struct sim_conn *conn);
void sim_show_server_info(struct sim_conn *conn);
void sim_sleep(struct sim_conn *conn);
void sim_wake_up(struct sim_conn *conn);
void sim_is_sleeping(struct sim_conn *conn);
void sim_start_profile(struct sim_conn *conn);
void sim_stop_profile(struct sim_conn *conn);
