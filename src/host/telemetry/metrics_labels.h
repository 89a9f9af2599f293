/* The labels of one metric on a page of a server's /metrics. */
#pragma once

#include "base/json.h"

/* Name to text, of the first sample of that name; NULL: the page has none, or is none. New
 * reference. */
json_t *host_metrics_labels(const char *text, size_t len, const char *name);
