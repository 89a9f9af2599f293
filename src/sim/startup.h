/*
 * A start as vLLM's log shows it, with its failures.
 */
#pragma once

#include "base/mem.h"

#include <stdint.h>

struct sim_server;

/* The phases of a start, over --sim-start-delay; 1: over, by a signal or with exit_status set. */
int sim_startup(struct sim_server *server);
/* Dies by this signal, without a core file. */
_Noreturn void sim_die_by(int64_t signal_number);
