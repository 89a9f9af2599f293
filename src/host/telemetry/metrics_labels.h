/* The labels of one metric on a /metrics page. */
#pragma once

#include "base/json.h"

/*
 * Returns the labels of the first sample with that name; NULL: the page has none or is malformed.
 * New reference.
 */
json_t *host_metrics_labels(const char *text, size_t len, const char *name);
