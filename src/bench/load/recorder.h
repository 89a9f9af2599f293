/*
 * Writes events into a record while its stream comes in.
 * - Room for the events that were asked for is taken before the clock starts; a stream that brings
 *   more makes the room grow by doubling, up to a ceiling: no allocation per token.
 * - Times never go backwards: an event stamped before the one in front of it gets its time.
 */
#pragma once

#include "result/record.h"

#include <stdbool.h>
#include <stdint.h>

/* Entries of one record: beyond it a server talks without end (32 MiB of events). */
#define BENCH_EVENTS_MAX (1u << 22)

struct bench_recorder {
	struct res_record *record;
	uint32_t room;     /* of record->events */
	int64_t last_ns;   /* time of the last event; acted_ns before the first */
	int64_t before_ns; /* of the last one with an earlier time */
};

/* Takes room for `output_tokens` (asked; RES_NO_COUNT: unknown) and the events around them. */
void bench_recorder_reserve(struct bench_recorder *recorder, int64_t output_tokens);
/* False: the ceiling. acted_ns of the record must be set. */
bool bench_recorder_event(struct bench_recorder *recorder, int64_t t_ns, int64_t tokens,
			  unsigned flags);
/* The events of a read came since_ns at the earliest, and not before the event in front of them;
 * of the last `exact` ones the time is known. False: the ceiling. */
bool bench_recorder_since(struct bench_recorder *recorder, int64_t since_ns, unsigned exact);
