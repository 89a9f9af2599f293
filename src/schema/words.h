/* Texts of errors: what was found, what a schema expects. */
#pragma once

#include "schema/schema_priv.h"

/* Sets found, expected and nearest for a rule that the value violates by itself. */
void schema_word(struct schema_fault *fault, const struct schema_rule *rule, const json_t *value,
		 bool with_nearest);
void schema_fault_done(struct schema_fault *fault);
