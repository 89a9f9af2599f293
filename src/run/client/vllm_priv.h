/*
 * What the files client_vllm*.c share.
 */
#ifndef RUN_CLIENT_VLLM_PRIV_H
#define RUN_CLIENT_VLLM_PRIV_H

struct run_state;

/* The name of the result in the client's own folder. */
#define RUN_CLIENT_RESULT "client.json"

/* Makes run->outcome of run->client.flat. */
void run_client_take(struct run_state *run);

#endif
