/*
 * Whether the metrics of vLLM's file are consistent. Only impossible values are errors: a total
 * that does not follow from its parts, percentiles out of order, a time of 0, a summary that
 * contradicts the lists in the file.
 */
#pragma once

#include "base/json.h"

struct res_flat;
struct res_quality_facts;

/* Sets the facts that the file determines and leaves the others unchanged. */
void res_flat_facts(const struct res_flat *flat, struct res_quality_facts *ret);
/* The same of a file of an offline benchmark, which res_offline_figures() takes. */
void res_offline_facts(const char *kind, const json_t *json, struct res_quality_facts *ret);
/*
 * Returns true if `key` of the file is the figure of a sample that is empty: no request finished, or no answer had a
 * second token. vLLM writes 0 for it.
 */
bool res_flat_is_unsampled(const struct res_flat *flat, const char *key);
