/* Conversion of a flat result's lists to records. */
#pragma once

#include "result/flat/read.h"
#include "result/record.h"

/* Events closer than this came in one read: vLLM stamps them one after the other. */
#define RES_FLAT_MERGED_S 100e-6

/*
 * Converts the lists to records: [flat->count], each to be freed with res_record_done(). shift_ns:
 * added to the file's clock to get CLOCK_MONOTONIC. role_first: the first event of a stream only
 * has the role. Without start times, acted_ns is none and there are no events. keeps_text: store
 * the output in the records.
 */
struct res_flat_how {
	int64_t shift_ns;
	bool role_first;
	bool keeps_text;
};
void res_flat_records(const struct res_flat *flat, const struct res_flat_how *how,
		      struct res_record *records);
