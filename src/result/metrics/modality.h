/* Metrics by the media in the prompts. */
#pragma once

#include "base/json.h"
#include "result/how.h"
#include "result/outcome.h"

/* Sets results.by_modality if a request has media, otherwise nothing. */
void res_modality_write(const struct res_outcome *outcome, const struct res_how *how,
			json_t *results);
