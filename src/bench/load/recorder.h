/*
 * Writes events into a record while its stream arrives.
 * - Room for the requested number of events is allocated before the measurement. A stream with more
 *   events doubles the room, up to a limit: no allocation per token.
 * - Times never decrease: an event with an earlier timestamp than the previous one gets that one's
 *   time.
 */
#pragma once

#include "result/record.h"

#include <stdbool.h>
#include <stdint.h>

/* Maximum entries of one record: a server that exceeds it sends without end (32 MiB of events). */
#define BENCH_EVENTS_MAX (1u << 22)

struct bench_recorder {
	struct res_record *record;
	uint32_t room;     /* of record->events */
	int64_t last_ns;   /* time of the last event; acted_ns before the first */
	int64_t before_ns; /* of the last event with an earlier time */
};

/* Allocates room for `output_tokens` (requested; RES_NO_COUNT: unknown) and additional events. */
void bench_recorder_reserve(struct bench_recorder *recorder, int64_t output_tokens);
/* Returns false at the limit. acted_ns of the record must be set. */
bool bench_recorder_event(struct bench_recorder *recorder, int64_t t_ns, int64_t tokens,
			  unsigned flags);
/*
 * Records that the events of a read arrived at since_ns at the earliest, and not before the
 * previous event; the times of the last `exact` ones are exact. Returns false at the limit.
 */
bool bench_recorder_since(struct bench_recorder *recorder, int64_t since_ns, unsigned exact);
