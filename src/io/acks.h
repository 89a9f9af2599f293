/*
 * Whether delayed acknowledgements slow a server down.
 *
 * Half of the cost of receiving a small segment is acknowledging it at once. But a server that
 * leaves Nagle's algorithm on (RFC 896) holds each event back until the previous one is
 * acknowledged, so a client that delays acknowledgements would measure its own delay.
 * Acknowledgements may only be delayed for a server that was seen to have the algorithm off, and
 * the measured requests must not be the test:
 *
 *    client    GET GET GET ─>                                       (one segment, nothing acknowledged)
 *    server                   <─ response <─ response <─ response   without the algorithm
 *    server                   <─ response               … 40 ms …   with it
 *
 * The kernel's segment counts decide (io_segments_came_unacked()). A slow server may look as if it
 * had the algorithm on, but a server that has it on is never taken for one that has it off.
 */
#pragma once

#include "io/fetch.h"

#include <stdbool.h>

/*
 * Sends the same request three times at once on a separate connection. Takes as long as the
 * responses, plus 40 ms each if the server waits for acknowledgements. The content of the responses
 * does not matter. Blocks for at most fetch->timeout_ns, and 0.2 s after the first bytes of a
 * response. Returns false also if the answer is unknown: not TCP, no response, or only one.
 */
bool io_acks_may_wait(const struct io_fetch *fetch);
