#include "result/compare/releases.h"

#include <math.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/text.h"
#include "result/match/grid.h"

/* The compared results of both sides; borrowed. */
struct runs {
	const json_t **items[RES_GRID_SIDES];
	size_t count[RES_GRID_SIDES];
	size_t simulated, copies; /* excluded results */
};

static void runs_done(struct runs *runs)
{
	for (size_t s = 0; s < RES_GRID_SIDES; s++)
		free(runs->items[s]);
}
#define auto_runs __attribute__((cleanup(runs_done))) struct runs

static bool is_simulated(const json_t *document)
{
	return json_is_true(pl_json_get_path(document, "environment.engine.simulated"));
}

static bool has_real(const struct res_compare_documents *sides)
{
	for (size_t s = 0; s < RES_GRID_SIDES; s++) {
		for (size_t i = 0; i < sides[s].count; i++) {
			if (!is_simulated(sides[s].items[i]))
				return true;
		}
	}
	return false;
}

static struct runs pick(const struct res_compare_documents *sides)
{
	bool without_simulated = has_real(sides);
	struct runs runs = { 0 };

	for (size_t s = 0; s < RES_GRID_SIDES; s++) {
		auto_json json_t *run_ids = json_object();
		runs.items[s] = pl_alloc_array(sides[s].count + 1, sizeof(*runs.items[s]));
		for (size_t i = 0; i < sides[s].count; i++) {
			const json_t *document = sides[s].items[i];
			const char *run_id = pl_json_get_text(document, "run_id");
			if (without_simulated && is_simulated(document)) {
				runs.simulated++;
				continue;
			}
			if (run_id != NULL && json_object_get(run_ids, run_id) != NULL) {
				runs.copies++;
				continue;
			}
			if (run_id != NULL)
				json_object_set_new(run_ids, run_id, json_true());
			runs.items[s][runs.count[s]++] = document;
		}
	}
	return runs;
}

static bool has_number(const struct res_fields *fields, const struct res_field *field,
		       const struct runs *runs)
{
	for (size_t s = 0; s < RES_GRID_SIDES; s++) {
		for (size_t i = 0; i < runs->count[s]; i++) {
			auto_value value = { .state = RES_VALUE_NOT_RECORDED };
			res_field_value(fields, field, runs->items[s][i], &value);
			if (value.state == RES_VALUE_PRESENT && value.kind == RES_VALUE_NUMBER &&
			    isfinite(value.number))
				return true;
		}
	}
	return false;
}

/* Returns the chosen metrics, or else the headline metrics that the dashboard shows, too. free(). */
static struct res_field *choose(const struct res_fields *fields, const struct runs *runs,
				const struct res_compare_releases_options *options,
				size_t *ret_count)
{
	const struct res_field *headline[RES_COMPARE_HEADLINE_MAX];
	size_t count = res_compare_headline(fields, headline), chosen = 0;
	struct res_field *metrics = pl_alloc_array(options->metric_count + count + 1,
						   sizeof(*metrics));

	for (size_t i = 0; i < options->metric_count; i++)
		metrics[chosen++] = options->metrics[i];
	for (size_t i = 0; i < count && options->metrics == NULL; i++) {
		if (headline[i]->direction != RES_FIELD_NEITHER &&
		    has_number(fields, headline[i], runs))
			metrics[chosen++] = *headline[i];
	}
	*ret_count = chosen;
	return metrics;
}

static bool has_several(const json_t *releases)
{
	size_t matched = json_array_size(json_object_get(releases, "cells"));
	const json_t *unmatched = json_object_get(releases, "unmatched");

	return matched + (size_t)pl_json_get_i64(unmatched, "a_count") > 1 ||
	       matched + (size_t)pl_json_get_i64(unmatched, "b_count") > 1;
}

json_t *res_compare_releases(const struct res_fields *fields,
			     const struct res_compare_documents *sides,
			     const struct res_compare_releases_options *options)
{
	auto_runs runs = pick(sides);
	/* a path may have any bytes */
	auto_free char *a = pl_clean_line(sides[0].side.name);
	auto_free char *b = pl_clean_line(sides[1].side.name);
	struct res_grid_options how = { .names = { a, b },
					.vary = options->vary,
					.vary_count = options->vary_count };
	auto_free struct res_field *metrics = choose(fields, &runs, options, &how.metric_count);

	how.metrics = metrics;
	auto_grid struct res_grid *grid = res_grid_new(fields, &how);
	for (int s = 0; s < RES_GRID_SIDES; s++) {
		for (size_t i = 0; i < runs.count[s]; i++)
			res_grid_add_document(grid, (enum res_grid_side)s, runs.items[s][i]);
	}
	auto_json json_t *releases = res_grid_json(grid);
	json_object_set_new(releases, "excluded",
			    json_pack("{s:I, s:I}", "simulated", (json_int_t)runs.simulated,
				      "copies", (json_int_t)runs.copies));
	return has_several(releases) ? json_incref(releases) : NULL;
}
