/*
 * How many events a record holds, which fewer entries may tell.
 */
#pragma once

#include "result/record.h"

static inline uint32_t events_of(const struct res_record *record)
{
	struct res_event_cursor cursor = res_record_cursor(record);
	struct res_event_at at;
	uint32_t count = 0;

	while (res_record_next(&cursor, &at))
		count++;
	return count;
}
