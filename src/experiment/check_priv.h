/*
 * Shared by the checks: check.c runs them, check_load.c checks the load, check_server.c the server,
 * check_client.c the use of vLLM's client.
 */
#pragma once

#include "experiment/refuse.h"

#define CHECK(id, phase, force, where, text) void exp_check_##id(struct exp_checker *c);
#include "tbl/experiment_checks.h"

/* Returns whether the server spans several nodes. */
bool exp_is_one_of_nodes(const json_t *server);
