/*
 * The command line of vLLM's client, its environment.
 */
#pragma once

#include "base/json.h"

struct exp_config;
struct pl_strv;
struct run_client_input;

/* The name of the result in the client's own folder. */
#define RUN_VLLM_RESULT "client.json"

/* The whole command line, with its result in `folder`; header values in clear. New reference. */
json_t *run_vllm_argv(const struct run_client_input *in, const char *program, const char *folder);
/* Its variables over our own environment. */
void run_vllm_env(const struct run_client_input *in, struct pl_strv *ret);
