/*
 * A server's own words about its settings, read back into values:
 *
 *   {'max_model_len': 2048, 'compilation_config': {...}}      a dictionary as Python prints it
 *   model='tiny', dtype=torch.bfloat16, max_seq_len=2048      the engine's configuration
 *
 * A value that is no Python literal ("torch.bfloat16", "<Mode.NONE: 0>", "Config(a=1)") is kept as
 * its text. A last entry that was cut off is left out.
 */
#pragma once

#include "base/json.h"

/* Key to value; an empty object where there is none. New reference. */
json_t *vllm_reported_fields(const char *text);
