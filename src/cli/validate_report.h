/* The report of `validate`: lines of text, or one JSON object. */
#pragma once

#include "cli/validate_input.h"

struct cli_tally {
	size_t files;
	size_t errors;
	size_t warnings;
};

/* Errors, followed by warnings, one line each. For a command, the location is shown below. */
/* Writes the heading of a container; nothing for other inputs. */
void cli_report_head(const struct cli_input *input, struct pl_buf *buf);
void cli_report_text(const struct cli_input *input, bool coloured, struct pl_buf *buf);
/* Writes the memory of one GPU, term by term; nothing if it was not checked. */
void cli_report_memory(const struct cli_input *input, struct pl_buf *buf);
/* Returns {file, ok, target, problems, memory}; explained: with the formulas of the memory. New reference. */
json_t *cli_report_json(const struct cli_input *input, bool explained);
void cli_tally_add(struct cli_tally *tally, const struct cli_input *input);
/* "3 files, 1 error, 2 warnings" */
void cli_tally_text(const struct cli_tally *tally, struct pl_buf *buf);
