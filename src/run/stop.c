/*
 * Two atomic numbers without a lock: signal handlers and the thread that notices the server's death write them, and all
 * waiting or sending threads read them.
 */
#include "run/stop.h"

#include <stddef.h>

static void set_reason(struct run_stop *stop, int reason)
{
	int none = 0;

	atomic_compare_exchange_strong(&stop->reason, &none, reason);
}

void run_stop_server_died(struct run_stop *stop)
{
	set_reason(stop, RUN_STOP_SERVER_DIED);
}

void run_stop_disk_full(struct run_stop *stop)
{
	set_reason(stop, RUN_STOP_DISK_FULL);
}

void run_stop_next(struct run_stop *stop)
{
	int full = RUN_STOP_DISK_FULL;

	atomic_compare_exchange_strong(&stop->reason, &full, 0);
}

bool run_stop_is_disk_full(const struct run_stop *stop)
{
	return atomic_load(&stop->reason) == RUN_STOP_DISK_FULL;
}

void run_stop_by_signal(struct run_stop *stop, int number)
{
	int before = atomic_load(&stop->reason);

	/*
	 * a user's request takes precedence over the server's death; of two that arrive at once, in any threads, one is
	 * the second
	 */
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
