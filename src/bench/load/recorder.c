#include "bench/load/recorder.h"

#include "base/mem.h"

/*
 * For an event with only the role, a finish event, the data about the first and the last read, and
 * a reserve: a well-behaved stream never needs more room during the measurement.
 */
#define EVENTS_WITHOUT_TOKENS 8
#define EVENTS_UNASKED        64
/* Requested lengths are user input: beyond this, room grows on demand. */
#define EVENTS_RESERVED_MAX (1u << 16)

void bench_recorder_reserve(struct bench_recorder *recorder, int64_t output_tokens)
{
	int64_t room = output_tokens < 0 ? EVENTS_UNASKED : output_tokens;

	if (room > EVENTS_RESERVED_MAX)
		room = EVENTS_RESERVED_MAX;
	recorder->room = (uint32_t)room + EVENTS_WITHOUT_TOKENS;
	recorder->record->events = pl_alloc_array(recorder->room,
						  sizeof(*recorder->record->events));
}

/* Room for one more entry at least. False: the ceiling. */
static bool make_room(struct bench_recorder *recorder)
{
	struct res_record *record = recorder->record;

	if (recorder->room >= BENCH_EVENTS_MAX)
		return false;
	recorder->room *= 2;
	record->events = pl_realloc_array(record->events, recorder->room, sizeof(*record->events));
	return true;
}

bool bench_recorder_event(struct bench_recorder *recorder, int64_t t_ns, int64_t tokens,
			  unsigned flags)
{
	struct res_record *record = recorder->record;

	if (recorder->last_ns == RES_NO_TIME || record->event_count == 0) {
		recorder->last_ns = record->acted_ns;
		recorder->before_ns = record->acted_ns;
	}
	/*
	 * Two reads can have stamps of different clocks (kernel, ours) and a step of the wall clock
	 * may lie between them. The encoding holds differences from 0 up.
	 */
	if (t_ns < recorder->last_ns)
		t_ns = recorder->last_ns;
	for (;;) {
		uint32_t used = res_event_encode(record->events + record->event_count,
						 recorder->room - record->event_count,
						 t_ns - recorder->last_ns, tokens, flags);
		if (used > 0) {
			record->event_count += used;
			break;
		}
		if (!make_room(recorder))
			return false;
	}
	if (t_ns > recorder->last_ns)
		recorder->before_ns = recorder->last_ns;
	recorder->last_ns = t_ns;
	return true;
}

bool bench_recorder_since(struct bench_recorder *recorder, int64_t since_ns, unsigned exact)
{
	struct res_record *record = recorder->record;

	if (since_ns < recorder->before_ns)
		since_ns = recorder->before_ns;
	if (since_ns >= recorder->last_ns)
		return true;
	if (record->event_count == recorder->room && !make_room(recorder))
		return false;
	record->events[record->event_count++] = res_event_since(recorder->last_ns - since_ns,
								exact);
	return true;
}
