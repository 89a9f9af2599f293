/*
 * Faults in words: what was found, what a schema wants.
 */
#pragma once

#include "result/schema/schema_priv.h"

/* "integer or null", "one of \"a\", \"b\""; of forms each of them. The caller's (free()). */
char *res_schema_expectation(const struct schema_rule *rule);
/* The text among the schema's that is near, where the value is one; NULL: none. */
const char *res_schema_nearest_value(const struct schema_rule *rule, const json_t *value);
/* found, expected and nearest of a rule that the value breaks by itself. */
void res_schema_word(struct res_schema_fault *fault, const struct schema_rule *rule,
		     const json_t *value, bool with_nearest);
void res_schema_fault_done(struct res_schema_fault *fault);
