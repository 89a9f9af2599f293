/* Steps of our own load generator that other clients use: making prompts, sending batches of them. */
#pragma once

#include "run/client/client.h"

int run_native_prepare(const struct run_client_input *input, struct run_measured *ret);
/* Ends the run depending on how a load ended and on its requests; returns 0 if enough of them completed. */
int run_native_judge(const struct run_client_input *input, const struct res_outcome *outcome);
