/* The command line of vLLM's client, and its environment. */
#pragma once

#include "base/json.h"

struct pl_strv;
struct run_client_input;

/* The name of the result in the client's own directory. */
#define RUN_VLLM_RESULT "client.json"

/* Returns the complete command line, with the result in `folder`; header values in clear text. New reference. */
json_t *run_vllm_argv(const struct run_client_input *in, const char *program, const char *folder);
/* Its variables in addition to our environment. */
void run_vllm_env(const struct run_client_input *in, struct pl_strv *ret);
