/*
 * Faults in words: what was found, what a schema wants.
 */
#pragma once

#include "schema/schema_priv.h"

/* found, expected and nearest of a rule that the value breaks by itself. */
void schema_word(struct schema_fault *fault, const struct schema_rule *rule, const json_t *value,
		 bool with_nearest);
void schema_fault_done(struct schema_fault *fault);
