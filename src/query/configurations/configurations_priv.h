/*
 * The configurations of some rows: rows with equal inputs, engine, release and GPUs are runs of one
 * configuration (docs/reference/frontier.md).
 */
#pragma once

#include "base/err.h"
#include "query/groups/group_priv.h"
#include "query/pointer.h"
#include "query/request_priv.h"

struct configurations {
	struct mirror_view *view; /* borrowed */
	struct request_fields by; /* owned array */
	uint64_t *rows;           /* owned */
	size_t simulated;         /* of all rows of the filter */
	size_t simulated_excluded;
	size_t untrusted_excluded;

	struct groups groups; /* by the fields of `by` */
	struct groups parts;  /* configurations, group by group */
	uint32_t *group_of;   /* of each configuration */
	size_t *starts;       /* of each configuration in the two lists below, and their end */
	size_t *runs;         /* index in the bitmap */
	size_t *places;       /* of the row */
};
void query_configurations_done(struct configurations *configurations);

/*
 * Removes simulated rows, unless there are no others, and then those with a verdict other than
 * `trusted`, unless there are no others.
 */
void query_configurations_choose(struct configurations *configurations, bool with_simulated,
				 bool with_untrusted);
/* Makes the groups and the configurations of the remaining rows. -1: INTERRUPTED. */
int query_configurations_make(struct configurations *configurations,
			      struct pl_err *err) PL_MUST_CHECK;

static inline size_t configurations_runs(const struct configurations *configurations, size_t at)
{
	return configurations->starts[at + 1] - configurations->starts[at];
}

/* Collects the ids of the fields that distinguish configurations. */
void query_configurations_ids(struct mirror_ids *ids);
/* Writes "ids": [id, …], ascending, of the runs from `start` to `end`. */
void query_configurations_write_ids(const struct configurations *configurations, size_t start,
				    size_t end, struct pl_buf *out);
/* Writes "key": {ID: value}. */
void query_configurations_write_key(const struct configurations *configurations, size_t group,
				    struct pl_buf *out);
/*
 * Returns the cautions about the remaining rows, a new reference (result/compare/compare.h). `shown`: fields that are
 * named next to them, and need no caution.
 */
json_t *query_configurations_cautions(const struct configurations *configurations,
				      const struct mirror_column *const *shown, size_t count);
/* Writes the members field, label, unit and direction, of a metric. */
void query_configurations_write_metric(const struct res_field *field, bool higher,
				       struct pl_buf *out);
