#include "dash/memory.h"

#include <stdatomic.h>

#include "dash/answer.h"
#include "dash/problem.h"

#define RETRY_S 1

static atomic_size_t taken_bytes;

bool dash_memory_take(size_t bytes, struct dash_answer *answer)
{
	if (bytes < DASH_MEMORY_BYTES_MIN ||
	    atomic_fetch_add(&taken_bytes, bytes) + bytes <= DASH_MEMORY_BYTES_MAX)
		return true;
	atomic_fetch_sub(&taken_bytes, bytes);
	answer->retry_s = RETRY_S;
	dash_refuse(answer, 503, "too many uploads in progress; retry later");
	return false;
}

void dash_memory_give(size_t bytes)
{
	if (bytes >= DASH_MEMORY_BYTES_MIN)
		atomic_fetch_sub(&taken_bytes, bytes);
}
