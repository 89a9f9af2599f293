/*
 * A record's one form in files (api/requests.schema.json): a JSON object on one line, in the side
 * file and in a run's journal.
 */
#pragma once

#include "base/json.h"
#include "result/record.h"

/* Appends it without a line end; false: the ceiling of `line`, nothing appended. */
bool res_record_add_json(struct pl_buf *line, const struct res_record *record);
/* Refuses what could not have been written; *ret holds memory: res_record_done(). */
int res_record_from_json(const json_t *json, struct res_record *ret,
			 struct pl_err *err) PL_MUST_CHECK;
