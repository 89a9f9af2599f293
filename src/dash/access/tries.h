/*
 * Limits failed attempts to authenticate, per client address: DASH_TRIES_MAX at once, then one per DASH_TRY_S seconds.
 * The addresses of an IPv6 network (/64) count as one. At most DASH_TRIERS_MAX addresses are remembered; a new one
 * replaces the one that has not failed for the longest time. Locks itself.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define DASH_TRIES_MAX  10
#define DASH_TRY_S      6
#define DASH_TRIERS_MAX 512

struct dash_tries {
	pthread_mutex_t lock;
	struct dash_trier {
		unsigned char address[16];
		int64_t failures; /* those that have not expired; 0: unused */
		int64_t failed_ns;
	} items[DASH_TRIERS_MAX];
};

void dash_tries_init(struct dash_tries *tries);
void dash_tries_done(struct dash_tries *tries);
/* Returns the seconds that the address must wait; 0: none. NULL: a client without an address, which has no limit. */
unsigned dash_tries_wait(struct dash_tries *tries, const struct sockaddr *from, int64_t now_ns);
/* Counts a failure. */
void dash_tries_fail(struct dash_tries *tries, const struct sockaddr *from, int64_t now_ns);
