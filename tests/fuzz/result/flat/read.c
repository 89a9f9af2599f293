/* A flat result from anywhere: refused, or records and figures that are whole. */
#include "result/flat/read.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "result/flat/agreement.h"
#include "result/flat/compare.h"
#include "result/flat/records.h"
#include "result/quality.h"
#include "result/record_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_record(const struct res_flat_request *request, const struct res_record *record)
{
	auto_buf line = { 0 };

	pl_buf_init(&line, 64u << 20);
	if (!res_record_add_json(&line, record) || record->ok != request->ok ||
	    record->ok != (record->error == NULL) || record->event_count > request->gap_count + 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct res_flat_how how = { .role_first = size % 2 == 1, .keeps_text = true };
	auto_flat struct res_flat *flat = NULL;
	struct pl_err err = PL_ERR_INIT;
	const char *key = NULL;

	if (res_flat_parse((const char *)data, size, "input", &flat, &err) < 0)
		return 0;
	double difference = res_flat_difference(flat, &key);
	if (difference < 0 || flat->completed < 0 || flat->failed < 0 || !(flat->duration_s >= 0) ||
	    (!isnan(difference) && key == NULL) || res_flat_identity_us(flat) < 0)
		abort();
	struct res_quality_facts facts;
	res_quality_init(&facts);
	res_flat_facts(flat, &facts);
	if (!(facts.totals_off_share >= 0) || !(facts.order_off_share >= 0) ||
	    !(facts.impossible_zeros >= 0) || facts.lists_off_share < 0)
		abort();
	PL_JSON_EACH_MEMBER(name, value, flat->json)
		res_flat_is_unsampled(flat, name);
	struct res_record *records = calloc(flat->count + 1, sizeof(*records));
	if (records == NULL)
		return 0;
	res_flat_records(flat, &how, records);
	for (size_t i = 0; i < flat->count; i++) {
		check_record(&flat->requests[i], &records[i]);
		res_record_done(&records[i]);
	}
	free(records);
	return 0;
}
