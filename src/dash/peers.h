/*
 * Limits how slow a connected client may be: one that sends or receives almost nothing would hold a connection, and the
 * memory of its response, for any time.
 * - The side whose turn it is must transfer bytes_min within each patience_ns, or within crowded_ns if three quarters
 *   of the `room` connections are in use. Otherwise the connection is closed. The kernel counts the bytes: those
 *   received, and those that the client has acknowledged.
 * - If `room` connections are in use, a new one replaces the one whose client has been quiet for the longest time: so
 *   the server answers new clients at once, whatever number of idle or slow clients is connected. First come clients
 *   that have sent less than bytes_min of a request for fresh_ns, then those that have sent or taken almost nothing for
 *   stalled_ns. If there is none, there are more than `room` connections until there is one.
 * - A client that has sent bytes which the server has not read yet is not late.
 * - A client that waits for its response to be made has no limit.
 * - A connection closed during a response is reset. A regular end could make part of a file look complete if its length
 *   was not sent.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dash_peers;
struct dash_peer; /* one connection */

struct dash_peers_options {
	unsigned room;
	uint64_t bytes_min;
	int64_t patience_ns;
	int64_t crowded_ns;
	int64_t fresh_ns; /* in which a thread reads a request, even if it has to wait for a processor */
	int64_t stalled_ns; /* at least tick_ns */
	int64_t tick_ns;    /* interval of the checks */
};

int dash_peers_start(const struct dash_peers_options *options, struct dash_peers **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* Call it after the last remove. Frees it. */
void dash_peers_stop(struct dash_peers *peers);
/* Resets all connections that are receiving a response. */
void dash_peers_reset_taking(struct dash_peers *peers);

/* Returns the number of connections. */
unsigned dash_peers_count(struct dash_peers *peers);
/* Returns whether one is younger than max_ns and its first request has not been read. */
bool dash_peers_has_new(struct dash_peers *peers, int64_t max_ns);

enum dash_peer_state {
	DASH_PEER_SENDS, /* a request, or is idle */
	DASH_PEER_WAITS, /* for its response to be made */
	DASH_PEER_TAKES, /* receives its response */
};

/*
 * Adds a TCP connection in state SENDS, and closes another one if there are too many. There are more than `room` until
 * the owner of that one removes it. Borrows fd until remove.
 */
struct dash_peer *dash_peer_add(struct dash_peers *peers, int fd);
/* Call it before close(). */
void dash_peer_remove(struct dash_peer *peer);
/* Changes whose turn it is; restarts time and byte count. */
void dash_peer_set_state(struct dash_peer *peer, enum dash_peer_state state);
/* Aborts a response so that the client notices it. */
void dash_peer_reset(struct dash_peer *peer);
