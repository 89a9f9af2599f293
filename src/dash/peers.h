/*
 * Who is connected, and whether they move: a client that sends or takes next to nothing would hold a
 * connection, and what its answer is made of, for as long as it likes.
 *
 * - Whose turn it is has to move bytes_min within each patience_ns, be it what it sends or what it takes of
 *   its answer; where connections get scarce (three quarters of `room` are there) within crowded_ns. Who does
 *   not is cut off. The kernel counts: what it has received, and what the client's has acknowledged.
 * - One that has sent what nobody has read yet is not late: this side is.
 * - One that is asked nothing of and gets nothing just now, because its answer is being made, has all time.
 * - Who is cut off amid an answer is reset: with an end that looks like one, half a file would be taken for
 *   a whole one where its length was not told before.
 */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct dash_peers;
struct dash_peer; /* one connection */

struct dash_peers_options {
	unsigned room;
	uint64_t bytes_min;
	int64_t patience_ns;
	int64_t crowded_ns;
	int64_t tick_ns; /* so often they are looked at */
};

int dash_peers_start(const struct dash_peers_options *options, struct dash_peers **ret,
		     struct pl_err *err) PL_MUST_CHECK;
/* Behind the last remove. Frees it. */
void dash_peers_stop(struct dash_peers *peers);
/* All that an answer is on its way to, now. */
void dash_peers_reset_taking(struct dash_peers *peers);

enum dash_peer_turn {
	DASH_PEER_SENDS, /* or has nothing to send */
	DASH_PEER_WAITS, /* for its answer to be made */
	DASH_PEER_TAKES, /* its answer */
};

/* A connection of TCP, which sends. Borrows fd until remove. */
struct dash_peer *dash_peer_add(struct dash_peers *peers, int fd);
/* In front of close(). */
void dash_peer_remove(struct dash_peer *peer);
/* From here on; time and bytes are counted anew. */
void dash_peer_turn(struct dash_peer *peer, enum dash_peer_turn turn);
/* Amid its answer, which does not go on: the client sees that. */
void dash_peer_reset(struct dash_peer *peer);
