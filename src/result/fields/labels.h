/*
 * The labels of fields: nouns in sentence case, without the unit. A label follows from the id; tbl/field_labels.h has the
 * others.
 */
#pragma once

#include <stdbool.h>

/* Returns the label that is written for this id in the table; NULL: it follows from the id. */
const char *res_label_listed(const char *id);
/* Returns the label for the head of a table; NULL: the field's label. */
const char *res_label_short(const char *id);

/* All below return a text that the caller frees with free(). */

/*
 * Returns the last key of the id in words, without a trailing unit and with its section: "Ready, startup" for
 * "launch.phases.ready_s".
 */
char *res_label_of_id(const char *id, const char *unit);
/* Returns "P99 client queue time" for the statistic "p99" and the family "Client Queue Time". */
char *res_label_of_statistic(const char *statistic, const char *family);
/* Returns "Client error, limit" for the check "client_error" and the key "limit"; NULL: its value. */
char *res_label_of_check(const char *check, const char *key);
/* Returns "HTTP errors" for the failure "http_status", or "HTTP errors, retried". */
char *res_label_of_failure(const char *name, bool is_retried);
