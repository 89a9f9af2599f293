/* The short answer about a sweep, for programs and agents (result/brief/brief.h). */
#pragma once

#include "result/fields/fields.h"
#include "sweep/sweep.h"

/*
 * Answers "sweep_brief" from the files of the sweep's directory: each combination with its runs, in the order of the file.
 * skipped: combinations that break a rule. New reference.
 */
int sweep_brief(const struct res_fields *fields, const char *folder,
		const struct sweep_outcome *outcome, size_t skipped, json_t **ret,
		struct pl_err *err) PL_MUST_CHECK;
