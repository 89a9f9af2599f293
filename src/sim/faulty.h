/*
 * What a fault does once it is due (which request it hits: sim/faults.h), and events sent in other forms.
 */
#pragma once

#include "sim/faults.h"

#include <stddef.h>
#include <stdint.h>

struct sim_conn;
struct sim_job;
struct sim_request;
struct sim_server;

/* A fault that refuses the request before it begins, answered; false: none. */
bool sim_fault_refuse(struct sim_conn *conn, const struct sim_request *request,
		      enum sim_fault fault);
/* Is it time? The fault takes the place of what would be sent now; true: the job goes no
 * further. */
bool sim_fault_strikes(struct sim_job *job);
/* Sends an event in the form that was asked for; false: the client is gone. */
#define SIM_NO_TOKEN UINT32_MAX /* for `tokens`: not an event of the log */
bool sim_send_event(struct sim_job *job, const char *bytes, size_t len, uint32_t choice,
		    uint32_t tokens);
/* Asked behind every counted answer and before every step; true: it does no step more. */
bool sim_engine_fails(struct sim_server *server);
/* Would it? */
bool sim_engine_is_due(const struct sim_server *server);
