/* JSON schemas of what commands print, from the rows of tbl/answers.h. */
#pragma once

#include "base/json.h"

/* Returns the schema of one ANSWER, with the objects in it in place; NULL: there is none. New reference. */
json_t *cli_answer_schema(const char *name);
/*
 * Returns {$schema, title, description, $defs}: each ANSWER, and for each OUTPUT a definition such as
 * "profllm_run__brief". New reference.
 */
json_t *cli_outputs_schema(void);
/* Appends the rows to the lists "answers", "answer_members" and "outputs". */
void cli_answers_add(json_t *lists);
