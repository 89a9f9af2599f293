/*
 * A flat result's lists as records.
 */
#pragma once

#include "result/flat/read.h"
#include "result/record.h"

/* Events closer than this came in one read: vLLM stamps them one behind the other. */
#define RES_FLAT_MERGED_S 100e-6

/*
 * The lists as records: [flat->count], each to res_record_done(). shift_ns: what takes the file's
 * clock to CLOCK_MONOTONIC. role_first: the first event of a stream only names the speaker. Without
 * starts acted_ns is none and there are no events. keeps_text: records get what was said.
 */
struct res_flat_how {
	int64_t shift_ns;
	bool role_first;
	bool keeps_text;
};
void res_flat_records(const struct res_flat *flat, const struct res_flat_how *how,
		      struct res_record *records);
