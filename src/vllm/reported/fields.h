/*
 * Parses a server's report of its settings into values:
 *
 *   {'max_model_len': 2048, 'compilation_config': {...}}      a dictionary as printed by Python
 *   model='tiny', dtype=torch.bfloat16, max_seq_len=2048      the engine's configuration
 *
 * A value that is not a Python literal ("torch.bfloat16", "<Mode.NONE: 0>", "Config(a=1)") is
 * returned as its text. A truncated last entry is dropped.
 */
#pragma once

#include "base/json.h"

/* Returns key to value; an empty object if there is none. New reference. */
json_t *vllm_reported_fields(const char *text);
