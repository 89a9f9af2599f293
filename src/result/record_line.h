/*
 * The file format of a record (api/requests.schema.json): a JSON object on one line, in the records
 * artifact and in a run's journal.
 */
#pragma once

#include "base/json.h"
#include "result/record.h"

/*
 * Appends it without a line end. Returns false and appends nothing if the limit of `line` is
 * reached.
 */
bool res_record_add_json(struct pl_buf *line, const struct res_record *record);
/* Appends the keys of the media of a request, after another key; nothing without media. */
void res_record_add_media(struct pl_buf *line, int64_t images, int64_t videos, double audio_s);
/*
 * Rejects text that could not have been written by this program. Free *ret with res_record_done().
 */
int res_record_from_json(const json_t *json, struct res_record *ret,
			 struct pl_err *err) PL_MUST_CHECK;
