#include "base/unique.h"

#include <errno.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"

uint32_t pl_unique_u32(void)
{
	uint32_t number = 0;
	ssize_t got = TEMP_FAILURE_RETRY(getrandom(&number, sizeof(number), 0));

	if (got == sizeof(number))
		return number;
	/*
	 * Knuth's multiplicative hash: processes started one after the other get distant numbers.
	 */
	return ((uint32_t)getpid() * 2654435761u) ^ (uint32_t)pl_clock_now_ns();
}
