/* `system` of the result: what the GPUs, the host, the server and this program did during the run. */
#pragma once

#include "base/json.h"

struct run_state;

/* Returns whether the server was on this host, as far as its address and launch.hardware tell. */
bool run_system_has_server(const struct run_state *run);
/* results and environment may be NULL. New reference. */
json_t *run_system(const struct run_state *run, const json_t *results, const json_t *environment);
