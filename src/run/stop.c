/*
 * Two atomic numbers and no lock: they are written by signal handlers and by the thread that sees
 * the server die, and read by all that wait or send.
 */
#include "run/stop.h"

#include <stddef.h>

void run_stop_server_died(struct run_stop *stop)
{
	int none = 0;

	atomic_compare_exchange_strong(&stop->reason, &none, RUN_STOP_SERVER_DIED);
}

void run_stop_by_signal(struct run_stop *stop, int number)
{
	int before = atomic_load(&stop->reason);

	/* a person's wish counts more than the server's death; of two that come at once, on
	 * whichever threads, one is the second */
	while (before <= 0) {
		if (atomic_compare_exchange_weak(&stop->reason, &before, number))
			return;
	}
	atomic_store(&stop->hurry, number);
}

int run_stop_signal(const struct run_stop *stop)
{
	int reason = stop != NULL ? atomic_load(&stop->reason) : 0;

	return reason > 0 ? reason : 0;
}
