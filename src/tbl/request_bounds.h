/*
 * Bounds and defaults of requests that C needs; each request is checked by api/openapi.yaml, which has them.
 * Made by tools/make-schemas; do not edit.
 */
#pragma once

#define BOUND_FILTER_NODES_MAX  1000
#define BOUND_FILTER_LEVELS_MAX 32
#define BOUND_ROWS_MAX          200
#define BOUND_ROWS_DEFAULT      50
#define BOUND_SORT_KEYS_MAX     16
#define BOUND_MARKS_MAX         5000
#define BOUND_DIGITS_MAX        17
#define BOUND_AXES_MIN          2
#define BOUND_AXES_MAX          8
#define BOUND_LABELS_MAX        20
#define BOUND_SELECTED_MAX      200
#define BOUND_CHOICES_MAX       24
#define BOUND_COLOURS_MAX       8
#define BOUND_SIDES_MAX         8
#define BOUND_SLO_LIMITS_MAX    16
#define BOUND_SLO_DEFAULT       200
#define BOUND_FRONTIER_DEFAULT  1000
#define BOUND_BASELINES_DEFAULT 8
#define BOUND_MISSING_DEFAULT   200
#define BOUND_IMPACT_DEFAULT    100
#define BOUND_SCALING_DEFAULT   1000
#define BOUND_VALUES_MAX        1000
#define BOUND_VALUES_DEFAULT    50
#define BOUND_GROUPS_MAX        1000
#define BOUND_GROUPS_DEFAULT    200
