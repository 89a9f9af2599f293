/*
 * An answer in the form of the HTTP library's, with the headers that all have: server.c's other half.
 */
#pragma once

#include <microhttpd.h>

#include "dash/answer.h"

/* Takes the answer's bytes. NULL: there is no memory. */
struct MHD_Response *dash_response_new(struct dash_answer *answer);
