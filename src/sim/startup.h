/* The startup as in vLLM's log, with its failures. */
#pragma once

#include "base/mem.h"

#include <stdint.h>

struct sim_server;

/*
 * Runs the phases of a start, over --sim-start-delay. Returns 1 if the server must end, by a signal or with exit_status
 * set.
 */
int sim_startup(struct sim_server *server);
/* Kills the process with this signal, without a core file. */
_Noreturn void sim_die_by(int64_t signal_number);
