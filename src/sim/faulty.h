/* Executes the faults (sim/faults.h chooses the requests), and sends events in other forms. */
#pragma once

#include "sim/faults.h"

#include <stddef.h>
#include <stdint.h>

struct sim_conn;
struct sim_job;
struct sim_request;
struct sim_server;

/* Sends the response of a fault that refuses the request before it begins; false: there is none. */
bool sim_fault_refuse(struct sim_conn *conn, const struct sim_request *request,
		      enum sim_fault fault);
/* Executes the fault if it is due, instead of sending the next event; true: the job ends here. */
bool sim_fault_strikes(struct sim_job *job);
/* Sends an event in the requested form; false: the client has disconnected. */
#define SIM_NO_TOKEN UINT32_MAX /* for `tokens`: not an event of the log */
bool sim_send_event(struct sim_job *job, const char *bytes, size_t len, uint32_t choice,
		    uint32_t tokens);
/* Call it after every counted response and before every step; true: the engine executes no more steps. */
bool sim_engine_fails(struct sim_server *server);
/* Returns whether it is about to fail. */
bool sim_engine_is_due(const struct sim_server *server);
