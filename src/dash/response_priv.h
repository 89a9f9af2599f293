/* Converts a response to that of the HTTP library, with the headers of every response. Part of server.c. */
#pragma once

#include <microhttpd.h>

#include "dash/answer.h"

/* Takes the response's bytes. Returns NULL if memory is exhausted. */
struct MHD_Response *dash_response_new(struct dash_answer *answer);
