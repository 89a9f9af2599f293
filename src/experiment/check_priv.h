/* What the checks share: check.c goes through the rows, check_load.c asks for the load, check_server.c for the
 * server, check_client.c for vLLM's own client. */
#pragma once

#include "experiment/refuse.h"

#define CHECK(id, phase, force, where, text) void exp_check_##id(struct exp_checker *c);
#include "tbl/experiment_checks.h"

/* Does it belong to a server of several nodes? */
bool exp_is_one_of_nodes(const json_t *server);
