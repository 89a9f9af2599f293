/*
 * What the files client_vllm*.c share.
 */
#ifndef EXPERIMENT_CLIENT_VLLM_PRIV_H
#define EXPERIMENT_CLIENT_VLLM_PRIV_H

struct exp_run;

/* The name of the result in the client's own folder. */
#define EXP_CLIENT_RESULT "client.json"

/* Makes run->outcome of run->client.flat. */
void exp_client_take(struct exp_run *run);

#endif
