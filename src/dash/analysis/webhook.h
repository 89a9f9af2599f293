/*
 * Sends JSON to an address that was given on the command line (http:// or https://): one POST, no redirect followed,
 * no retry, 5 s. Not for several threads at once.
 */
#pragma once

#include "base/err.h"

#include <stdatomic.h>

struct dash_webhook;

/* INVALID: not such a URL. Connects to nothing yet. `stop`: a non-zero value cancels a request. */
int dash_webhook_new(const char *url, const atomic_int *stop, struct dash_webhook **ret,
		     struct pl_err *err) PL_MUST_CHECK;
void dash_webhook_free(struct dash_webhook *webhook);
PL_AUTO_DEFINE(struct dash_webhook, dash_webhook_free);
#define auto_webhook PL_AUTO(dash_webhook_free)

/* Returns -1 if the peer did not respond with a status of 200 to 299. */
int dash_webhook_send(struct dash_webhook *webhook, const char *body, size_t len,
		      struct pl_err *err) PL_MUST_CHECK;
