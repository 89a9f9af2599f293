/* Metrics of sessions: by turn, and of whole sessions ("jobs" of an agent). */
#pragma once

#include <stdbool.h>

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"

/*
 * Sets results.by_turn and results.sessions if requests belong to sessions, otherwise nothing. A session's duration is
 * the time from its first request to the last chunk of its last response; a session is completed if all its turns are.
 */
void res_turns_write(const struct res_outcome *outcome, const struct res_how *how, json_t *results);
/*
 * Returns the share of the prompt tokens that a cache of whole blocks holds from the turn before, with its response:
 * the last token of both is in none. `record` follows `before`; both have completed. In tokens. `continues`: the
 * prompt contains the response; otherwise it contains another one instead.
 */
double res_turns_cached(const struct res_record *before, bool continues,
			const struct res_record *record, int64_t block_size);
