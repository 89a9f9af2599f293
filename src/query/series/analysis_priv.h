/* The analysis of one request: series of the configurations, their verdicts, incidents and causes. */
#pragma once

#include "query/series/set_priv.h"
#include "result/compare/compare.h"

#define SERIES_POINTS_MAX      1000 /* of a configuration, the newest */
#define SERIES_HARDWARE_FIELDS 4

/* One metric of one configuration. */
struct series_item {
	size_t configuration, metric;
	char *key;
	double score;
	int class; /* order in a list */
	size_t gaps;
	struct res_change_decision *decisions;
	size_t decision_count;
	json_t *placed; /* decisions as in a response */
};

struct series_metric {
	const struct mirror_column *column;
	const struct res_field *field;
	double effect_min;
	bool is_optional; /* only series with a number are analyzed */
	json_t *about;    /* label, unit and direction */
};

struct analysis {
	struct series_set set;
	const struct query_regression_inputs *inputs;
	struct res_change_options options;
	bool is_sensitive;
	double effect_min; /* of the request; NaN: none */

	json_t *decisions; /* lists by the key of their series */
	struct series_metric *metrics;
	size_t metric_count;
	size_t no_metric; /* rows without a number of any metric */

	/* the same index in each */
	struct series_item *items;
	struct res_change_series *series;
	struct res_change_analysis *analyses;
	char (*hashes)[PL_SHA256_HEX_BYTES];
	size_t count;
	size_t done; /* number of analyses */
	bool is_incomplete;

	const struct mirror_column *hardware[SERIES_HARDWARE_FIELDS];
	const struct mirror_column *host;
	uint64_t *hardware_of, *host_of; /* by row in the bitmap; 0: not recorded */
	struct res_incident *incidents;
	size_t incident_count;
	json_t *incident_json; /* an array with causes */
	/* fields that may have caused a change, and the code of each in each row of the bitmap, row by row */
	const struct mirror_column **suspects;
	size_t suspect_count;
	uint32_t *suspect_codes;
};
void query_analysis_done(struct analysis *analysis);
#define auto_analysis __attribute__((cleanup(query_analysis_done), unused)) struct analysis

/* Returns the last change of a state other than `stable`; NULL: none. */
const struct res_change *query_analysis_last_change(const struct res_change_analysis *analysis);
/* "worse", "better", or NULL. */
const char *query_analysis_trend(const struct analysis *analysis, size_t item);

/* ---- points.c ---- */

/* Makes the series of all configurations and metrics. -1: INTERRUPTED. */
int query_analysis_read_points(struct analysis *analysis, struct pl_err *err) PL_MUST_CHECK;
/* Returns the row of a point. */
const struct series_row *query_analysis_row(const struct analysis *analysis, size_t item,
					    size_t point);

/* ---- suspects.c ---- */

/* Finds incidents and their causes. -1: INTERRUPTED. */
int query_analysis_find_incidents(struct analysis *analysis, struct pl_err *err) PL_MUST_CHECK;
/* Returns the incident of a change; SIZE_MAX: none. */
size_t query_analysis_incident_of(const struct analysis *analysis, size_t item, size_t change);

/* ---- verdict.c ---- */

/* Returns the verdict, with points on request. New reference. */
json_t *query_analysis_verdict(const struct analysis *analysis, size_t item, bool with_points);
