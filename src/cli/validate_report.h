/*
 * What `validate` says of its inputs: lines for people, or one JSON object.
 */
#pragma once

#include "cli/validate_input.h"

struct cli_tally {
	size_t files;
	size_t errors;
	size_t warnings;
};

/* Errors, then warnings; one line each, a command's with the place shown below. */
/* The line that begins the report of a container; nothing of other inputs. */
void cli_report_head(const struct cli_input *input, struct pl_buf *buf);
void cli_report_text(const struct cli_input *input, bool coloured, struct pl_buf *buf);
/* The memory of one GPU, term by term; nothing where it was not checked. */
void cli_report_memory(const struct cli_input *input, struct pl_buf *buf);
/* {file, ok, target, problems, memory}; explained: with the memory's formulas. New reference. */
json_t *cli_report_json(const struct cli_input *input, bool explained);
void cli_tally_add(struct cli_tally *tally, const struct cli_input *input);
/* "3 files, 1 error, 2 warnings" */
void cli_tally_text(const struct cli_tally *tally, struct pl_buf *buf);
