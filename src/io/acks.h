/*
 * Does a server mind acknowledgements that wait?
 *
 * Half of what receiving a small segment costs is acknowledging it at once. But a server that leaves
 * Nagle's algorithm on (RFC 896) holds each event back until the one before is acknowledged, so that
 * a client that takes its time would be what it measures. Only a server that was seen to leave the
 * algorithm off may be let wait, and what is measured must not be what finds out:
 *
 *    client    GET GET GET ─>                                       (one segment, nothing acknowledged)
 *    server                   <─ answer   <─ answer   <─ answer     without the algorithm
 *    server                   <─ answer                 … 40 ms …   with it
 *
 * The kernel's own counts decide (io_segments_came_unacked()), so a slow server may not show that it
 * does not mind, and none that minds is taken for another.
 */
#pragma once

#include "io/fetch.h"

#include <stdbool.h>

/*
 * Asks for the same three times at once on a connection of its own, which takes as long as the
 * answers, or 40 ms each where the server does mind. What is answered makes no difference. Blocks at
 * most fetch->timeout_ns, and 0.2 s behind the first bytes of an answer. False also where it cannot
 * be told: no TCP, no answers, one only.
 */
bool io_acks_may_wait(const struct io_fetch *fetch);
