/* The explicitly set arguments that the server reports with another value. */
#pragma once

#include "base/json.h"

struct run_state;

/*
 * As vllm_mismatches(), from the log, /server_info, /metrics and /v1/models, without secrets. NULL: the server reports
 * nothing. New reference.
 */
json_t *run_mismatches(const struct run_state *run);
