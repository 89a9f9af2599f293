/*
 * Faults in words: what was found, what a schema wants.
 */
#pragma once

#include "schema/schema_priv.h"

/* found, expected and nearest of a rule that the value breaks by itself. */
void res_schema_word(struct res_schema_fault *fault, const struct schema_rule *rule,
		     const json_t *value, bool with_nearest);
void res_schema_fault_done(struct res_schema_fault *fault);
