/* The options --metrics and --min-effect of commands that compare results. */
#pragma once

#include "base/opt.h"
#include "result/fields/fields.h"

/* Metrics in the order of the options. Initialize with { 0 }. */
struct cli_metrics {
	struct res_field *items; /* they borrow the ids */
	size_t count;
	size_t room;
	char **ids;
	size_t id_count;
	size_t id_room;
};
void cli_metrics_done(struct cli_metrics *metrics);
#define auto_metrics __attribute__((cleanup(cli_metrics_done), unused)) struct cli_metrics

/* Adds the metrics of `lists`, each a list separated by commas; "p99_ttft_ms" is results.p99_ttft_ms. */
int cli_metrics_read(const struct res_fields *fields, const struct pl_opt_list *lists,
		     struct cli_metrics *ret, struct pl_err *err) PL_MUST_CHECK;
/* Adds one metric; `option` is its option in errors. */
int cli_metrics_add(const struct res_fields *fields, const char *option, const char *name,
		    struct cli_metrics *ret, struct pl_err *err) PL_MUST_CHECK;
/*
 * Completes the metrics of a proof: without any, adds the default ones. Refuses a metric without a better direction,
 * which cannot become better.
 */
int cli_metrics_complete(const struct res_fields *fields, struct cli_metrics *metrics,
			 struct pl_err *err) PL_MUST_CHECK;

/* Parses a share between 0 and 1, such as "5%" or "0.05". */
int cli_share_read(const char *option, const char *text, double *ret,
		   struct pl_err *err) PL_MUST_CHECK;
