/*
 * Steps of our own load generator that another client takes over: prompts made, batches of them sent.
 */
#pragma once

#include "run/client/client.h"

int run_native_prepare(const struct run_client_input *input, struct run_measured *ret);
/* Ends the run by how a load ended, or by what became of its requests; 0 where enough did well. */
int run_native_judge(const struct run_client_input *input, const struct res_outcome *outcome);
