/*
 * A request's head in the form of ours, made of the HTTP library's, and what refuses a request by it: server.c's part.
 */
#pragma once

#include <microhttpd.h>

#include "dash/routes.h"

#define DASH_HEAD_BYTES_MAX 65536

struct dash_answer;
struct dash_target;

/*
 * `text`: the target as it came. The head borrows all, and of the connection for as long as its request is there. False:
 * refused, and the answer says why.
 */
bool dash_head_read(struct MHD_Connection *connection, const char *method, const char *text,
		    struct dash_target *target, struct dash_head *ret, struct dash_answer *answer);
/* Of a body; 0: there is none, UINT64_MAX: in pieces. */
uint64_t dash_head_body_length(struct MHD_Connection *connection);
/* The client has not begun to send its body: it waits for "100 Continue". */
bool dash_head_awaits(struct MHD_Connection *connection);
