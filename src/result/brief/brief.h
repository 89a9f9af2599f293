/*
 * Short answers about results, for programs and agents: the verdict, the number of runs, and a few metrics with their
 * intervals. `profllm … --brief` prints them and the tools of `profllm mcp` return them; src/tbl/answers.h lists their
 * members.
 *
 * - No answer ranks anything. A comparison says of each metric what is proven, and how many more runs are missing.
 * - A proof may be repeated after every run: it uses evidence that stays valid however often one looks
 *   (result/gate/evidence.h).
 */
#pragma once

#include "result/compare/documents.h"

/* Shares of wrong answers and of the smallest difference that matters, unless set otherwise. */
#define RES_BRIEF_ERROR  0.05
#define RES_BRIEF_EFFECT 0.05

/*
 * The metrics of one configuration, whose runs are `documents`: [{field, label, unit, direction, n, value, low, high}].
 * For several runs the mean and its 95 % interval over the runs, for one run the interval within it. New reference.
 */
json_t *res_brief_metrics(const struct res_fields *fields, json_t *const *documents, size_t count);
/* Returns the worst verdict of the completed runs, NULL: one has none, or no run completed. Static. */
const char *res_brief_verdict(json_t *const *documents, size_t count);

/* Answers "run_brief"; path: of the result, NULL: not written. New reference. */
json_t *res_brief_run(const struct res_fields *fields, json_t *result, const char *path);

struct res_brief_options {
	const struct res_field *metrics; /* with a better direction; borrowed */
	size_t metric_count;
	double effect; /* smallest difference that matters, a share */
	double error; /* probability of a wrong proof, over all metrics, candidates and looks together */
};
/* Answers "compare_brief" for two to RES_COMPARE_SIDES_MAX sides, none of them empty. New reference. */
json_t *res_brief_compare(const struct res_fields *fields, struct res_compare_documents *sides,
			  size_t count, const struct res_brief_options *options);
